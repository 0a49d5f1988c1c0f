/**
 * The ruler upright, for narrow pages: labels stand in one column in the order of their points, so that no leader can
 * cross another or a label.
 */

import { makeLabel } from './ruler-label';
import {
  MARKS,
  MIN_NS,
  Picture,
  type RulerLayout,
  type RulerPoint,
  share,
  ticks,
} from './ruler-shapes';

const GAP = 5;
const LABEL_GAP = 6;
const UPRIGHT_STRIP = 58;
const LEADER = 34;
const SHORTEST = 440;

export function standUpright(points: readonly RulerPoint[], width: number): RulerLayout {
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
      x2: labelX - LABEL_GAP,
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
