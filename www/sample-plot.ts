/**
 * The samples of one contender as a small strip: one mark for each, in the order taken, the unkept ones first, the kept
 * ones in groups by fresh instance. Pure: a result and a width become marks and labels with their boxes, and words that
 * say the same; `sample-plot-view.ts` draws them.
 *
 * The scale is logarithmic, so that equal distances are equal ratios: a cold sample of three times the median and
 * samples that differ by a percent stand in one picture.
 */

import { mainMeasure, type Result } from './result';
import { textWidth } from './ruler-label';
import type { Anchor, Box } from './ruler-shapes';
import { CONTENDER_WORDS, duration, durationRange, plural } from './words';

export interface PlotData {
  readonly contender: Result['contender'];
  readonly label: string;
  /** In ns, as everything here. */
  readonly cold: number | null;
  /** Of the first instance. */
  readonly warmUp: readonly number[];
  /** By fresh instance. */
  readonly kept: readonly (readonly number[])[];
  readonly median: number;
  readonly ci95: readonly [number, number] | null;
}

export type MarkKind = 'cold' | 'warmUp' | 'kept';

export interface Mark {
  readonly kind: MarkKind;
  readonly ns: number;
  readonly x: number;
  readonly y: number;
}

export interface PlotLabel {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly anchor: Anchor;
  readonly isFigure: boolean;
  /** What it covers, for the proof that nothing collides. */
  readonly box: Box;
}

export interface PlotLayout {
  readonly width: number;
  readonly height: number;
  readonly radius: number;
  readonly marks: readonly Mark[];
  readonly labels: readonly PlotLabel[];
  /** Where the kept samples stand: the median and its interval are theirs alone. */
  readonly keptFrom: number;
  readonly keptTo: number;
  readonly medianY: number;
  readonly band: { readonly top: number; readonly bottom: number } | null;
  /** One line under each group. */
  readonly groups: readonly { readonly from: number; readonly to: number }[];
  readonly groupY: number;
  /** Where on the scale the figures beside it are. */
  readonly ticks: readonly number[];
  readonly axisX: number;
}

const TEXT = 12;
const LINE = 15;
const PLOT = 72;
/** Room above and below the plot for a figure that had to make way for the median's. */
const PAD = LINE + TEXT / 2;
const GAP = 14;
const AXIS_GAP = 8;
const EDGE = 2;

/** Bold letters are wider. */
const BOLD = 1.12;

/** A spread of less than this fills no strip, so that a calm run looks calm. */
const LEAST_SPAN = 1.25;

/** What can be drawn of a result: null when it has no figure. */
export function plotData(result: Result): PlotData | null {
  const { measure } = mainMeasure(result);
  if (measure === null) return null;
  const { contender, instances, warmUp } = result;
  return {
    contender,
    label: CONTENDER_WORDS[contender].short,
    cold: measure.cold,
    warmUp: warmUp?.values ?? [],
    kept: grouped(measure.samples, instances ?? [measure.samples.length]),
    median: measure.median,
    ci95: measure.ci95,
  };
}

export function layoutPlot(data: PlotData, width: number): PlotLayout {
  const scale = scaleOf(data);
  const figures = figureLabels(data, scale);
  const axisX = Math.max(...figures.map(labelWidth)) + AXIS_GAP + EDGE;
  const sections = sectionsOf(data);
  const columns = columnsOf(sections, axisX + AXIS_GAP, width - EDGE);
  const marks = columns.flatMap(({ section, xs }) =>
    section.values.map((ns, i) => ({ kind: section.kind, ns, x: xs[i]!, y: scale(ns) })),
  );
  const kept = columns.filter(({ section }) => section.kind === 'kept');
  const groupY = PAD + PLOT + PAD;
  return {
    width,
    height: groupY + LINE + 6,
    radius: columns[0]!.radius,
    marks,
    labels: [
      ...figures.map(({ text, y, isFigure }) => label(text, axisX - AXIS_GAP, y, 'end', isFigure)),
      ...groupLabels(columns, groupY + 3 + LINE / 2, width - EDGE),
    ],
    keptFrom: kept[0]!.from,
    keptTo: kept.at(-1)!.to,
    medianY: scale(data.median),
    band: data.ci95 === null ? null : { top: scale(data.ci95[1]), bottom: scale(data.ci95[0]) },
    groups: columns.map(({ from, to }) => ({ from, to })),
    groupY,
    ticks: figures.map(({ ns }) => scale(ns)),
    axisX,
  };
}

/** The picture in a sentence; the figures themselves stand in a table. */
export function plotWords({ label, cold, warmUp, kept, median, ci95 }: PlotData): string {
  const samples = kept.flat();
  const parts = [
    ...(cold === null ? [] : [`the first, cold one ${duration(cold)}`]),
    ...(warmUp.length === 0
      ? []
      : [`${plural(warmUp.length, 'warm-up sample')}, ${spread(warmUp)}`]),
    `${plural(samples.length, 'kept sample')} from ${plural(kept.length, 'fresh instance')}, ${spread(samples)}`,
    `median ${duration(median)}${ci95 === null ? '' : `, 95 % interval ${durationRange(ci95)}`}`,
  ];
  return `Samples of ${label} in the order taken: ${parts.join('; ')}.`;
}

/** Every mark as a figure, by the groups of the picture. */
export function plotRows({ cold, warmUp, kept }: PlotData): { name: string; figures: string[] }[] {
  return [
    ...(cold === null ? [] : [{ name: 'cold', figures: [duration(cold)] }]),
    ...(warmUp.length === 0 ? [] : [{ name: 'warm-up', figures: warmUp.map(duration) }]),
    ...kept.map((values, i) => ({ name: `instance ${i + 1}`, figures: values.map(duration) })),
  ];
}

function spread(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return duration(low) === duration(high) ? duration(low) : durationRange([low, high]);
}

function grouped(samples: readonly number[], sizes: readonly number[]): number[][] {
  let from = 0;
  return sizes.map((size) => {
    from += size;
    return samples.slice(from - size, from);
  });
}

function scaleOf({ cold, warmUp, kept, ci95 }: PlotData): (ns: number) => number {
  const all = [...(cold === null ? [] : [cold]), ...warmUp, ...kept.flat(), ...(ci95 ?? [])];
  const [low, high] = [Math.log(Math.min(...all)), Math.log(Math.max(...all))];
  const span = Math.max(high - low, Math.log(LEAST_SPAN));
  const bottom = (low + high - span) / 2;
  return (ns) => PAD + PLOT * (1 - (Math.log(ns) - bottom) / span);
}

interface Figure {
  readonly text: string;
  readonly ns: number;
  readonly y: number;
  readonly isFigure: boolean;
}

/** Largest, median and smallest; the median stands at its place and the others make way. */
function figureLabels(
  { cold, warmUp, kept, median }: PlotData,
  scale: (ns: number) => number,
): Figure[] {
  const all = [...(cold === null ? [] : [cold]), ...warmUp, ...kept.flat()];
  const middle: Figure = { text: duration(median), ns: median, y: scale(median), isFigure: true };
  const ends = [
    { ns: Math.max(...all), make: (y: number) => Math.min(y, middle.y - LINE) },
    { ns: Math.min(...all), make: (y: number) => Math.max(y, middle.y + LINE) },
  ];
  return [
    middle,
    ...ends.flatMap(({ ns, make }): Figure[] => {
      const text = duration(ns);
      return text === middle.text ? [] : [{ text, ns, y: make(scale(ns)), isFigure: false }];
    }),
  ];
}

interface Section {
  readonly kind: MarkKind;
  readonly values: readonly number[];
  readonly name: string;
}

interface Column {
  readonly section: Section;
  readonly from: number;
  readonly to: number;
  readonly xs: readonly number[];
  readonly radius: number;
}

function sectionsOf({ cold, warmUp, kept }: PlotData): Section[] {
  const sections: Section[] = [
    { kind: 'cold', values: cold === null ? [] : [cold], name: 'cold' },
    { kind: 'warmUp', values: warmUp, name: 'warm-up' },
    ...kept.map((values, i): Section => ({ kind: 'kept', values, name: `instance ${i + 1}` })),
  ];
  return sections.filter(({ values }) => values.length > 0);
}

function columnsOf(sections: readonly Section[], left: number, right: number): Column[] {
  const count = sections.reduce((sum, { values }) => sum + values.length, 0);
  // Many instances of few samples: half of the room is for the samples in any case.
  const gap = Math.min(GAP, (right - left) / 2 / sections.length);
  const pitch = (right - left - gap * (sections.length - 1)) / count;
  const radius = Math.min(4, Math.max(1.25, pitch * 0.36));
  let at = left;
  return sections.map((section) => {
    const from = at;
    const to = from + section.values.length * pitch;
    at = to + gap;
    return {
      section,
      from,
      to,
      radius,
      xs: section.values.map((_, i) => from + (i + 0.5) * pitch),
    };
  });
}

/** Each group has its name in the middle; where there is no room, the instances have one in common. */
function groupLabels(columns: readonly Column[], y: number, right: number): PlotLabel[] {
  const kept = columns.filter(({ section }) => section.kind === 'kept');
  const fits = ({ section, from, to }: Column): boolean =>
    textWidth(section.name, TEXT) <= to - from + GAP / 2;
  const [first, last] = [kept[0]!, kept.at(-1)!];
  const named = [
    ...columns.filter(({ section }) => section.kind !== 'kept'),
    ...(kept.every(fits)
      ? kept
      : [
          {
            ...first,
            to: last.to,
            section: { ...first.section, name: plural(kept.length, 'instance') },
          },
        ]),
  ];
  const labels: PlotLabel[] = [];
  let taken = 0;
  for (const { section, from, to } of named) {
    const own = textWidth(section.name, TEXT);
    // The cold sample stands alone, with free room to its left.
    const middle = section.kind === 'cold' ? to - own / 2 : (from + to) / 2;
    const x = Math.max(own / 2, Math.min(middle, right - own / 2));
    // The caption says what the marks are, named or not.
    if (x - own / 2 < taken) continue;
    labels.push(label(section.name, x, y, 'middle', false));
    taken = x + own / 2 + 6;
  }
  return labels;
}

function labelWidth({ text, isFigure }: { text: string; isFigure: boolean }): number {
  return textWidth(text, TEXT) * (isFigure ? BOLD : 1);
}

function label(text: string, x: number, y: number, anchor: Anchor, isFigure: boolean): PlotLabel {
  const width = labelWidth({ text, isFigure });
  const left = anchor === 'end' ? x - width : anchor === 'middle' ? x - width / 2 : x;
  const box = { x: left, y: y - TEXT / 2, width, height: TEXT };
  return { text, x, y: y + TEXT * 0.36, anchor, isFigure, box };
}
