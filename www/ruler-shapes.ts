/** What a ruler is made of: its points, its scale, and the shapes that are drawn, with the boxes that must not collide. */

import { type Label, textWidth } from './ruler-label';

export type PointKind = 'run' | 'contender' | 'history';

export interface RulerPoint {
  readonly kind: PointKind;
  readonly label: string;
  readonly ns: number;
  /** A second line under a `run`. */
  readonly detail?: string;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export interface Run {
  readonly text: string;
  readonly part: 'name' | 'value';
}

/** What the ruler is drawn from; `style` names one row of `STYLES`. */
export type Shape =
  | { readonly shape: 'line'; readonly style: Style; readonly at: Line }
  | { readonly shape: 'rect'; readonly style: Style; readonly at: Box }
  | {
      readonly shape: 'dot';
      readonly style: Style;
      readonly x: number;
      readonly y: number;
      readonly r: number;
    }
  | {
      readonly shape: 'text';
      readonly style: Style;
      readonly x: number;
      readonly y: number;
      readonly size: number;
      readonly anchor: Anchor;
      readonly runs: readonly Run[];
    };

export type Anchor = 'start' | 'middle' | 'end';

export interface RulerLayout {
  readonly width: number;
  readonly height: number;
  readonly upright: boolean;
  readonly shapes: readonly Shape[];
  /** For the proof that nothing collides: the boxes of all labels, marks included, and all leaders. */
  readonly labels: readonly Box[];
  readonly leaders: readonly Line[];
}

/** Attribute colours serve the bare file; on the page a style sheet with the same class names overrides them. */
export const STYLES = {
  strip: { fill: '#f1eee8', stroke: '#1d1b18' },
  tick: { fill: 'none', stroke: '#1d1b18' },
  mark: { fill: '#1d1b18', stroke: 'none' },
  runLeader: { fill: 'none', stroke: '#b3321f' },
  contenderLeader: { fill: 'none', stroke: '#8a8378' },
  historyLeader: { fill: 'none', stroke: '#b9b2a6' },
  runDot: { fill: '#b3321f', stroke: '#ffffff' },
  contenderDot: { fill: '#1d1b18', stroke: '#ffffff' },
  historyDot: { fill: '#ffffff', stroke: '#6b655c' },
  runFigure: { fill: '#b3321f', stroke: 'none' },
  runText: { fill: '#1d1b18', stroke: 'none' },
  detailText: { fill: '#6b655c', stroke: 'none' },
  contenderText: { fill: '#1d1b18', stroke: 'none' },
  historyText: { fill: '#6b655c', stroke: 'none' },
} as const;

export type Style = keyof typeof STYLES;

export const MIN_NS = 1;
export const DECADES = 7;
export const MARKS = ['1 ns', '10 ns', '100 ns', '1 µs', '10 µs', '100 µs', '1 ms', '10 ms'];

const MARK = 12;

/** Where a figure stands on the scale, 0 to 1. */
export function share(ns: number): number {
  return Math.min(1, Math.max(0, Math.log10(ns / MIN_NS) / DECADES));
}

export function* ticks(): Iterable<{ ns: number; size: number }> {
  for (let decade = 0; decade <= DECADES; decade++) {
    yield { ns: MIN_NS * 10 ** decade, size: 7 };
    if (decade === DECADES) return;
    for (let digit = 2; digit < 10; digit++)
      yield { ns: MIN_NS * digit * 10 ** decade, size: digit === 5 ? 5 : 3 };
  }
}

const DOTS: Readonly<Record<PointKind, { readonly r: number; readonly style: Style }>> = {
  run: { r: 9, style: 'runDot' },
  contender: { r: 5.5, style: 'contenderDot' },
  history: { r: 4.5, style: 'historyDot' },
};

export class Picture {
  readonly shapes: Shape[] = [];
  readonly #dots: Shape[] = [];
  readonly #labels: Box[] = [];
  readonly #leaders: Line[] = [];

  tick(at: Line): void {
    this.shapes.push({ shape: 'line', style: 'tick', at });
  }

  mark(text: string, x: number, y: number, anchor: Anchor): void {
    this.#text([{ text, part: 'name' }], x, y + MARK * 0.36, MARK, anchor, 'mark');
    const width = textWidth(text, MARK);
    this.#labels.push({
      x: anchor === 'middle' ? x - width / 2 : x - width,
      y: y - MARK / 2,
      width,
      height: MARK,
    });
  }

  leader(kind: PointKind, at: Line): void {
    this.#leaders.push(at);
    this.shapes.push({ shape: 'line', style: `${kind}Leader`, at });
  }

  dot(kind: PointKind, x: number, y: number): void {
    const { r, style } = DOTS[kind];
    this.#dots.push({ shape: 'dot', style, x, y, r });
  }

  label(label: Label, x: number, top: number, anchor: 'start' | 'end'): void {
    this.#labels.push({
      x: anchor === 'start' ? x : x - label.width,
      y: top,
      width: label.width,
      height: label.height,
    });
    let y = top;
    for (const { runs, size, height, style } of label.lines) {
      this.#text(runs, x, y + height / 2 + size * 0.36, size, anchor, style);
      y += height;
    }
  }

  /** Dots lie on top of all lines, the run's on top of all dots. */
  layout(width: number, height: number, upright: boolean): RulerLayout {
    const dots = this.#dots.sort(
      (a, b) => Number(a.style === 'runDot') - Number(b.style === 'runDot'),
    );
    return {
      width,
      height,
      upright,
      shapes: [...this.shapes, ...dots],
      labels: this.#labels,
      leaders: this.#leaders,
    };
  }

  #text(
    runs: readonly Run[],
    x: number,
    y: number,
    size: number,
    anchor: Anchor,
    style: Style,
  ): void {
    this.shapes.push({ shape: 'text', style, x, y, size, anchor, runs });
  }
}
