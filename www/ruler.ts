/**
 * The ruler: a logarithmic scale from 1 ns to 10 ms as a strip with its marks inside, what was measured now standing
 * on it, history hanging below. Pure: points and a width become shapes; `ruler-view.ts` draws them, `svgText` writes
 * them as a file of its own.
 *
 * No leader crosses a label, by construction. Lying: every label hangs on a pole. Where a pole would go through another
 * label, that label is hung beyond the pole's end; leans are chosen so that this never asks for a circle.
 * Upright: labels stand in one column in the order of their points, so leaders can't cross at all.
 */

import { duration } from './words';

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

/** Below this width a lying ruler has no room for its marks. */
export const UPRIGHT_BELOW = 560;

const MIN_NS = 1;
const DECADES = 7;
const MARKS = ['1 ns', '10 ns', '100 ns', '1 µs', '10 µs', '100 µs', '1 ms', '10 ms'];

const TEXT = 14;
const FIGURE = 40;
const MARK = 12;
const LINE_HEIGHT = 19;
const GAP = 5;
const FLAG_GAP = 6;

export function layoutRuler(points: readonly RulerPoint[], width: number): RulerLayout {
  const sorted = points
    .filter(({ ns }) => Number.isFinite(ns) && ns > 0)
    .sort((a, b) => a.ns - b.ns);
  return width < UPRIGHT_BELOW ? standUpright(sorted, width) : lieDown(sorted, width);
}

/** The same order that the picture has, in words. */
export function rulerList(points: readonly RulerPoint[]): string[] {
  return [...points]
    .sort((a, b) => a.ns - b.ns)
    .map(
      ({ label, ns, kind }) => `${label}: ${duration(ns)}${kind === 'history' ? ' (history)' : ''}`,
    );
}

/** Width of a text in a wide sans-serif (DejaVu Sans); narrower fonts leave a little more room. */
export function textWidth(text: string, size: number): number {
  let em = 0;
  for (const letter of text) em += LETTERS.get(letter) ?? (/[A-Z]/.test(letter) ? 0.7 : 0.636);
  return em * size;
}

const LETTERS = new Map<string, number>(
  Object.entries({
    "iljI'|": 0.28,
    ' ,.': 0.32,
    'f:;()-': 0.39,
    tJ: 0.4,
    r: 0.42,
    '?s': 0.53,
    czvx: 0.6,
    w: 0.82,
    m: 0.98,
    MW: 0.99,
    G: 0.78,
    OQ: 0.79,
    D: 0.77,
    '→±×+': 0.84,
  }).flatMap(([letters, em]) => [...letters].map((letter) => [letter, em] as const)),
);

function share(ns: number): number {
  return Math.min(1, Math.max(0, Math.log10(ns / MIN_NS) / DECADES));
}

// ---- what one label is ----

interface Label {
  readonly point: RulerPoint;
  readonly lines: readonly LabelLine[];
  readonly width: number;
  readonly height: number;
}

interface LabelLine {
  readonly runs: readonly Run[];
  readonly size: number;
  readonly height: number;
  readonly style: Style;
}

function makeLabel(point: RulerPoint, widest: number): Label {
  const lines = linesOf(point, widest);
  return {
    point,
    lines,
    width: Math.max(
      ...lines.map(({ runs, size }) => textWidth(runs.map(({ text }) => text).join(''), size)),
    ),
    height: lines.reduce((sum, line) => sum + line.height, 0),
  };
}

function linesOf(point: RulerPoint, widest: number): LabelLine[] {
  const value = duration(point.ns);
  if (point.kind === 'run') {
    const figure: LabelLine = {
      runs: [{ text: value, part: 'value' }],
      size: FIGURE,
      height: FIGURE * 1.1,
      style: 'runFigure',
    };
    const words = [point.label, ...(point.detail === undefined ? [] : [point.detail])];
    const small = words.flatMap((text, i) =>
      wrap(text, i === 0 ? TEXT : 13, widest).map(
        (line) =>
          ({
            text: line,
            size: i === 0 ? TEXT : 13,
            style: i === 0 ? 'runText' : 'detailText',
          }) as const,
      ),
    );
    return [
      figure,
      ...small.map(({ text, size, style }) => ({
        runs: [{ text, part: 'name' } as const],
        size,
        height: LINE_HEIGHT,
        style,
      })),
    ];
  }
  const style: Style = point.kind === 'contender' ? 'contenderText' : 'historyText';
  if (textWidth(`${point.label} ${value}`, TEXT) <= widest) {
    return [
      {
        runs: [
          { text: point.label, part: 'name' },
          { text: ` ${value}`, part: 'value' },
        ],
        size: TEXT,
        height: LINE_HEIGHT,
        style,
      },
    ];
  }
  return [
    ...wrap(point.label, TEXT, widest).map((text) => ({
      runs: [{ text, part: 'name' } as const],
      size: TEXT,
      height: LINE_HEIGHT,
      style,
    })),
    { runs: [{ text: value, part: 'value' }], size: TEXT, height: LINE_HEIGHT, style },
  ];
}

function wrap(text: string, size: number, widest: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)!} ${word}`;
    if (lines.length > 0 && textWidth(longer, size) <= widest) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// ---- lying ----

const MARGIN = 26;
const STRIP = 36;
const FIRST_FLAG = 14;
/** Room for eight marks side by side. */
const SHORTEST_STRIP = 380;
const EDGE = 2;
/** Less than FLAG_GAP, so that poles of nearly the same figure can stand side by side. */
const CLEAR = 4;

/** How much of a label stands to the left of its pole: 0 and 1 are flags beside it, the rest lie across its end. */
type Lean = number;

const LEANS: readonly Lean[] = [0, 1, 0.15, 0.85, 0.5];

interface Flag {
  readonly label: Label;
  readonly x: number;
  readonly lean: Lean;
  readonly from: number;
  readonly to: number;
}

interface Hung {
  readonly flag: Flag;
  /** Distance of the flag's near edge from the strip. */
  readonly near: number;
}

interface Hanging {
  readonly hung: readonly Hung[];
  readonly cost: number;
}

function lieDown(points: readonly RulerPoint[], width: number): RulerLayout {
  const labelsOf = (isHistory: boolean): Label[] =>
    points
      .filter(({ kind }) => (kind === 'history') === isHistory)
      .map((point) => makeLabel(point, width / 2));
  const above = labelsOf(false);
  const below = labelsOf(true);
  // A shorter strip leaves room for the last flags; where even the shortest doesn't, there is the upright way.
  for (let end = width - MARGIN; end - MARGIN >= SHORTEST_STRIP; end -= width / 20) {
    const x = (ns: number): number => MARGIN + share(ns) * (end - MARGIN);
    const up = hang(above, x, width);
    const down = hang(below, x, width);
    if (up !== null && down !== null) return drawLying(up, down, x, width);
  }
  return standUpright(points, width);
}

/**
 * A low way to hang all flags, or null when none was found: from every split into flags to the left and to the right,
 * each label tries every lean until none makes the whole cheaper.
 */
function hang(
  labels: readonly Label[],
  x: (ns: number) => number,
  width: number,
): readonly Hung[] | null {
  const xs = labels.map(({ point }) => x(point.ns));
  const rate = (leans: readonly Lean[]): Hanging | null =>
    stack(
      labels.map((label, i) => makeFlag(label, xs[i]!, leans[i]!)),
      width,
    );
  let best: Hanging | null = null;
  for (let split = 0; split <= labels.length; split++) {
    // Those on the far left can't lean left, nor those on the far right to the right.
    const leans = labels.map(({ width: own }, i): Lean => {
      if (xs[i]! - FLAG_GAP - own < EDGE) return 0;
      if (xs[i]! + FLAG_GAP + own > width - EDGE) return 1;
      return i < split ? 1 : 0;
    });
    const found = improve(leans, rate);
    if (found !== null && (best === null || found.cost < best.cost)) best = found;
  }
  return best?.hung ?? null;
}

function improve(
  start: readonly Lean[],
  rate: (leans: readonly Lean[]) => Hanging | null,
): Hanging | null {
  let leans = start;
  let best = rate(leans);
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (let i = 0; i < leans.length; i++) {
      for (const lean of LEANS) {
        const other = leans.map((own, j) => (j === i ? lean : own));
        const found = rate(other);
        if (found === null || (best !== null && found.cost >= best.cost)) continue;
        [leans, best, isBetter] = [other, found, true];
      }
    }
  }
  return best;
}

function makeFlag(label: Label, x: number, lean: Lean): Flag {
  const from =
    lean === 0 ? x + FLAG_GAP : lean === 1 ? x - FLAG_GAP - label.width : x - lean * label.width;
  return { label, x, lean, from, to: from + label.width };
}

/** Hangs each flag as near as the others let it; null when two want to be beyond each other, or one has no room. */
function stack(flags: readonly Flag[], width: number): Hanging | null {
  if (flags.some(({ from, to }) => from < EDGE || to > width - EDGE)) return null;
  const nearer = flags.map(() => [] as number[]);
  for (let a = 0; a < flags.length; a++) {
    for (let b = a + 1; b < flags.length; b++) {
      const aBeyond = hits(flags[b]!, flags[a]!);
      const bBeyond = hits(flags[a]!, flags[b]!);
      if (aBeyond && bBeyond) return null;
      if (bBeyond) nearer[b]!.push(a);
      else if (aBeyond || overlap(flags[a]!, flags[b]!)) nearer[a]!.push(b);
    }
  }
  const nears = placeBeyond(nearer, (i) => flags[i]!.label.height + GAP);
  if (nears === null) return null;
  const hung = flags.map((flag, i) => ({ flag, near: nears[i]! }));
  // Height first, then the length of all poles, then flags rather than labels across their poles.
  const across = flags.filter(({ lean }) => lean !== 0 && lean !== 1).length;
  const height = Math.max(0, ...hung.map(top));
  return { hung, cost: height * 100 + nears.reduce((sum, near) => sum + near, 0) + across * 150 };
}

/** Longest paths: each one begins beyond all that have to be nearer. Null when they go in a circle. */
function placeBeyond(
  nearer: readonly (readonly number[])[],
  size: (i: number) => number,
): number[] | null {
  const nears: (number | undefined)[] = nearer.map(() => undefined);
  const visiting = new Set<number>();
  const place = (i: number): number => {
    const known = nears[i];
    if (known !== undefined) return known;
    if (visiting.has(i)) return Number.NaN;
    visiting.add(i);
    const near = nearer[i]!.reduce((at, j) => Math.max(at, place(j) + size(j)), FIRST_FLAG);
    nears[i] = near;
    return near;
  };
  const placed = nearer.map((_, i) => place(i));
  return placed.every(Number.isFinite) ? placed : null;
}

/** Does the pole of one go through the columns of the other's label? */
function hits(pole: Flag, { from, to }: Flag): boolean {
  return pole.x > from - CLEAR && pole.x < to + CLEAR;
}

function overlap(a: Flag, b: Flag): boolean {
  return a.from < b.to + CLEAR && b.from < a.to + CLEAR;
}

function top({ flag, near }: Hung): number {
  return near + flag.label.height;
}

function drawLying(
  up: readonly Hung[],
  down: readonly Hung[],
  x: (ns: number) => number,
  width: number,
): RulerLayout {
  const stripTop = Math.max(12, ...up.map(top)) + 6;
  const stripBottom = stripTop + STRIP;
  const height = Math.ceil(stripBottom + Math.max(12, ...down.map(top)) + 6);
  const picture = new Picture();
  const from = x(MIN_NS);
  const to = x(MIN_NS * 10 ** DECADES);
  picture.shapes.push({
    shape: 'rect',
    style: 'strip',
    at: { x: from - MARGIN + 2, y: stripTop, width: to - from + 2 * MARGIN - 4, height: STRIP },
  });
  for (const { ns, size } of ticks()) {
    const at = x(ns);
    picture.tick({ x1: at, y1: stripTop, x2: at, y2: stripTop + size });
    picture.tick({ x1: at, y1: stripBottom, x2: at, y2: stripBottom - size });
  }
  for (const [i, text] of MARKS.entries()) {
    picture.mark(text, x(MIN_NS * 10 ** i), stripTop + STRIP / 2, 'middle');
  }
  for (const hung of up) picture.flag(hung, stripTop, -1);
  for (const hung of down) picture.flag(hung, stripBottom, 1);
  return picture.layout(width, Math.ceil(height), false);
}

function* ticks(): Iterable<{ ns: number; size: number }> {
  for (let decade = 0; decade <= DECADES; decade++) {
    yield { ns: MIN_NS * 10 ** decade, size: 7 };
    if (decade === DECADES) return;
    for (let digit = 2; digit < 10; digit++)
      yield { ns: MIN_NS * digit * 10 ** decade, size: digit === 5 ? 5 : 3 };
  }
}

// ---- upright ----

const UPRIGHT_STRIP = 58;
const LEADER = 34;
const SHORTEST = 440;

function standUpright(points: readonly RulerPoint[], width: number): RulerLayout {
  const labelX = UPRIGHT_STRIP + LEADER;
  const labels = points.map((point) => makeLabel(point, width - labelX - 4));
  const needed = labels.reduce((sum, { height }) => sum + height + GAP, 0);
  const stripHeight = Math.max(SHORTEST, needed);
  const y = (ns: number): number => 16 + share(ns) * (stripHeight - 32);
  const tops = spread(
    labels.map(({ point, lines, height }) => ({
      want: y(point.ns) - lines[0]!.height / 2,
      size: height + GAP,
    })),
    stripHeight,
  );

  const picture = new Picture();
  picture.shapes.push({
    shape: 'rect',
    style: 'strip',
    at: { x: 1, y: 1, width: UPRIGHT_STRIP - 1, height: stripHeight - 2 },
  });
  for (const { ns, size } of ticks())
    picture.tick({ x1: UPRIGHT_STRIP, y1: y(ns), x2: UPRIGHT_STRIP - size, y2: y(ns) });
  for (const [i, text] of MARKS.entries()) {
    picture.mark(text, UPRIGHT_STRIP - 9, y(MIN_NS * 10 ** i), 'end');
  }
  labels.forEach((label, i) => {
    const middle = tops[i]! + label.lines[0]!.height / 2;
    const at = y(label.point.ns);
    picture.leader(label.point.kind, {
      x1: UPRIGHT_STRIP,
      y1: at,
      x2: labelX - FLAG_GAP,
      y2: middle,
    });
    picture.dot(label.point.kind, UPRIGHT_STRIP, at);
    picture.label(label, labelX, tops[i]!, 'start');
  });
  return picture.layout(width, Math.ceil(stripHeight), true);
}

/** Places sizes in order, each as near to where it wants to be as the others let it: neighbours that push merge. */
function spread(
  items: readonly { readonly want: number; readonly size: number }[],
  length: number,
): number[] {
  interface Block {
    readonly members: number[];
    /** Sum of the starts that the members want for the block. */
    sum: number;
    size: number;
  }
  const start = (block: Block): number =>
    Math.max(0, Math.min(length - block.size, block.sum / block.members.length));
  const blocks: Block[] = [];
  items.forEach(({ want, size }, i) => {
    blocks.push({ members: [i], sum: want, size });
    for (
      let last = blocks.at(-1)!, before = blocks.at(-2);
      before !== undefined && start(before) + before.size > start(last);
      last = before, before = blocks.at(-2)
    ) {
      before.sum += last.sum - before.size * last.members.length;
      before.members.push(...last.members);
      before.size += last.size;
      blocks.pop();
    }
  });
  const tops: number[] = [];
  for (const block of blocks) {
    let at = start(block);
    for (const i of block.members) {
      tops[i] = at;
      at += items[i]!.size;
    }
  }
  return tops;
}

// ---- shapes ----

const DOTS: Readonly<Record<PointKind, { readonly r: number; readonly style: Style }>> = {
  run: { r: 9, style: 'runDot' },
  contender: { r: 5.5, style: 'contenderDot' },
  history: { r: 4.5, style: 'historyDot' },
};

class Picture {
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

  /** `direction` -1: above an edge, 1: below it. */
  flag({ flag, near }: Hung, edge: number, direction: 1 | -1): void {
    const { label, x, lean, from } = flag;
    const top = direction === -1 ? edge - near - label.height : edge + near;
    // A pole beside its flag reaches to the middle of the line that it meets last, else it ends before the label.
    const isBeside = lean === 0 || lean === 1;
    const last = (direction === -1 ? label.lines[0] : label.lines.at(-1))!;
    const reach = isBeside ? label.height - last.height / 2 : -3;
    this.leader(label.point.kind, {
      x1: x,
      y1: edge,
      x2: x,
      y2: edge + direction * (near + reach),
    });
    this.dot(label.point.kind, x, edge);
    this.label(label, lean === 1 ? from + label.width : from, top, lean === 1 ? 'end' : 'start');
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
