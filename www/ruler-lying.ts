/**
 * The ruler lying: what was measured now above the strip, history below, each label on a pole. Where a pole would go
 * through another label, that label is hung beyond the pole's end; leans are chosen so that this never asks for a circle.
 */

import { type Label, makeLabel } from './ruler-label';
import {
  DECADES,
  MARKS,
  MIN_NS,
  Picture,
  type RulerLayout,
  type RulerPoint,
  share,
  ticks,
} from './ruler-shapes';

const GAP = 5;
const FLAG_GAP = 6;
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

export function lieDown(points: readonly RulerPoint[], width: number): RulerLayout | null {
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
  return null;
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
  for (const hung of up) drawFlag(picture, hung, stripTop, -1);
  for (const hung of down) drawFlag(picture, hung, stripBottom, 1);
  return picture.layout(width, Math.ceil(height), false);
}

/** `direction` -1: above an edge, 1: below it. */
function drawFlag(picture: Picture, { flag, near }: Hung, edge: number, direction: 1 | -1): void {
  const { label, x, lean, from } = flag;
  const top = direction === -1 ? edge - near - label.height : edge + near;
  // A pole beside its flag reaches to the middle of the line that it meets last, else it ends before the label.
  const isBeside = lean === 0 || lean === 1;
  const last = (direction === -1 ? label.lines[0] : label.lines.at(-1))!;
  const reach = isBeside ? label.height - last.height / 2 : -3;
  picture.leader(label.point.kind, {
    x1: x,
    y1: edge,
    x2: x,
    y2: edge + direction * (near + reach),
  });
  picture.dot(label.point.kind, x, edge);
  picture.label(label, lean === 1 ? from + label.width : from, top, lean === 1 ? 'end' : 'start');
}
