/** One label: its lines, and the room that they take. */

import type { RulerPoint, Run, Style } from './ruler-shapes';
import { duration } from './words';

const TEXT = 14;
const DETAIL = 13;
const FIGURE = 40;
const LINE_HEIGHT = 19;

/** Bold letters are wider. */
const BOLD = 1.1;

export interface Label {
  readonly point: RulerPoint;
  readonly lines: readonly LabelLine[];
  readonly width: number;
  readonly height: number;
}

export interface LabelLine {
  readonly runs: readonly Run[];
  readonly size: number;
  readonly height: number;
  readonly style: Style;
}

export function makeLabel(point: RulerPoint, widest: number): Label {
  const lines = point.kind === 'run' ? figureLines(point, widest) : nameLines(point, widest);
  return {
    point,
    lines,
    width: Math.max(...lines.map(lineWidth)),
    height: lines.reduce((sum, line) => sum + line.height, 0),
  };
}

/** The figure large, and what it is in smaller lines under it. */
function figureLines({ ns, label, detail }: RulerPoint, widest: number): LabelLine[] {
  const runs: Run[] = [{ text: duration(ns), part: 'value' }];
  return [
    { runs, size: FIGURE, height: FIGURE * 1.1, style: 'runFigure' },
    ...wrap(label, TEXT, widest).map((text) => line(text, TEXT, 'runText')),
    ...wrap(detail ?? '', DETAIL, widest).map((text) => line(text, DETAIL, 'detailText')),
  ];
}

/** Name and figure on one line, or on several where there is no room. */
function nameLines({ kind, label, ns }: RulerPoint, widest: number): LabelLine[] {
  const style: Style = kind === 'contender' ? 'contenderText' : 'historyText';
  const name: Run = { text: label, part: 'name' };
  const value: Run = { text: ` ${duration(ns)}`, part: 'value' };
  const one: LabelLine = { runs: [name, value], size: TEXT, height: LINE_HEIGHT, style };
  if (lineWidth(one) <= widest) return [one];
  const last: Run = { text: duration(ns), part: 'value' };
  return [
    ...wrap(label, TEXT, widest).map((text) => line(text, TEXT, style)),
    { ...one, runs: [last] },
  ];
}

function line(text: string, size: number, style: Style): LabelLine {
  return { runs: [{ text, part: 'name' }], size, height: LINE_HEIGHT, style };
}

function lineWidth({ runs, size, style }: LabelLine): number {
  const width = textWidth(runs.map(({ text }) => text).join(''), size);
  return style === 'runFigure' ? width * BOLD : width;
}

function wrap(text: string, size: number, widest: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)!} ${word}`;
    if (lines.length > 0 && textWidth(longer, size) <= widest) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
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
