import { describe, expect, test } from 'vitest';
import type { Box } from '../../../www/ruler-shapes';
import { layoutPlot, type PlotData, plotData, plotRows, plotWords } from '../../../www/sample-plot';
import { resultOf } from './results';

const usual: PlotData = {
  contender: 'actors/handler',
  label: 'handler actors',
  cold: 24,
  warmUp: [9.6, 9.1],
  kept: [
    [8.8, 8.7, 9],
    [8.8, 8.7, 8.9],
    [8.6, 9.9, 8.8],
  ],
  median: 8.8,
  ci95: [8.7, 9],
};

const cycle = (count: number, base: number): number[] =>
  Array.from({ length: count }, (_, i) => base * (1 + ((i * 7919) % 101) / 500));

const SHAPES: Readonly<Record<string, PlotData>> = {
  usual,
  'one sample': { ...usual, warmUp: [], kept: [[8.8]], ci95: null },
  'nothing but one kept sample': { ...usual, cold: null, warmUp: [], kept: [[8.8]], ci95: null },
  'all alike': { ...usual, cold: 8.8, warmUp: [8.8], kept: [[8.8, 8.8, 8.8]], ci95: [8.8, 8.8] },
  'a cold sample of a thousand times the median': { ...usual, cold: 8800 },
  'a median next to the largest': { ...usual, cold: null, warmUp: [2], median: 9.85 },
  'many warm-up samples': { ...usual, warmUp: cycle(40, 9) },
  'many instances': { ...usual, kept: Array.from({ length: 20 }, () => cycle(3, 8.6)) },
  'a thousand samples': { ...usual, kept: Array.from({ length: 5 }, () => cycle(200, 8.6)) },
  'samples of seconds': { ...usual, cold: 3e9, kept: [[2.5e9, 2.4e9]], median: 2.45e9, ci95: null },
};

const CASES = Object.entries(SHAPES).flatMap(([name, data]) =>
  [296, 336, 480, 640, 960].map((width) => [name, width, data] as const),
);

describe.each(CASES)('%s at %d pixels', (_, width, data) => {
  const layout = layoutPlot(data, width);

  test('has a mark for every sample, from left to right in the order taken', () => {
    const all = [...(data.cold === null ? [] : [data.cold]), ...data.warmUp, ...data.kept.flat()];
    expect(layout.marks.map(({ ns }) => ns)).toEqual(all);
    const xs = layout.marks.map(({ x }) => x);
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
    expect(new Set(xs).size).toBe(xs.length);
  });

  test('no label meets another one or leaves the picture', () => {
    const boxes = layout.labels.map(({ box }) => box);
    expect(boxes.filter((box) => !isInside(box, layout))).toEqual([]);
    const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).map((b) => [a, b] as const));
    expect(pairs.filter(([a, b]) => meet(a, b))).toEqual([]);
  });

  test('no mark lies under a label or outside', () => {
    const r = layout.radius;
    const marks = layout.marks.map(({ x, y }) => ({
      x: x - r,
      y: y - r,
      width: 2 * r,
      height: 2 * r,
    }));
    expect(marks.filter((box) => !isInside(box, layout))).toEqual([]);
    expect(marks.filter((box) => layout.labels.some((label) => meet(box, label.box)))).toEqual([]);
  });

  test('more nanoseconds stand higher', () => {
    const up = [...layout.marks].sort((a, b) => a.ns - b.ns);
    expect(up.filter(({ ns, y }, i) => i > 0 && up[i - 1]!.ns < ns && up[i - 1]!.y <= y)).toEqual(
      [],
    );
  });
});

test('kept samples stand in groups by instance, with gaps between', () => {
  const { marks, groups, keptFrom, keptTo } = layoutPlot(usual, 640);
  const xs = marks.filter(({ kind }) => kind === 'kept').map(({ x }) => x);
  const within = xs[1]! - xs[0]!;
  expect(xs[3]! - xs[2]!).toBeGreaterThan(within);
  expect(xs[4]! - xs[3]!).toBeCloseTo(within);
  expect(groups).toHaveLength(5);
  expect(keptFrom).toBeGreaterThan(marks[2]!.x);
  expect(keptTo).toBeGreaterThan(xs.at(-1)!);
});

test('a calm run looks calm: samples within a percent don’t fill the strip', () => {
  const calm = { ...usual, cold: null, warmUp: [], kept: [[8.8, 8.84, 8.8]], ci95: null };
  const ys = layoutPlot(calm, 640).marks.map(({ y }) => y);
  expect(Math.max(...ys) - Math.min(...ys)).toBeLessThan(5);
});

test('the band is the interval, and there is none without one', () => {
  const { band, medianY } = layoutPlot(usual, 640);
  expect(band!.top).toBeLessThan(medianY);
  expect(band!.bottom).toBeGreaterThan(medianY);
  expect(layoutPlot({ ...usual, ci95: null }, 640).band).toBeNull();
});

test('the words name what the picture holds', () => {
  expect(plotWords(usual)).toBe(
    'Samples of handler actors in the order taken: the first, cold one 24 ns; 2 warm-up samples, 9.1 to 9.6 ns; ' +
      '9 kept samples from 3 fresh instances, 8.6 to 9.9 ns; median 8.8 ns, 95 % interval 8.7 to 9.0 ns.',
  );
  expect(plotWords(SHAPES['nothing but one kept sample']!)).toBe(
    'Samples of handler actors in the order taken: 1 kept sample from 1 fresh instance, 8.8 ns; median 8.8 ns.',
  );
});

test('the table holds every figure, by groups', () => {
  expect(plotRows(usual)).toEqual([
    { name: 'cold', figures: ['24 ns'] },
    { name: 'warm-up', figures: ['9.6 ns', '9.1 ns'] },
    { name: 'instance 1', figures: ['8.8 ns', '8.7 ns', '9 ns'] },
    { name: 'instance 2', figures: ['8.8 ns', '8.7 ns', '8.9 ns'] },
    { name: 'instance 3', figures: ['8.6 ns', '9.9 ns', '8.8 ns'] },
  ]);
});

test('a result is cut into its instances; one without a figure gives no picture', () => {
  const result = resultOf();
  expect(plotData(result)).toMatchObject({ cold: 14.2, warmUp: [9.1], median: 8.8 });
  expect(plotData(result)!.kept).toEqual([
    [8.8, 8.7],
    [9, 8.8],
    [8.7, 8.9],
  ]);
  expect(plotData(resultOf({ measures: { hop: null, spawn: null, memory: null } }))).toBeNull();
  // Before the schema had them.
  expect(plotData(resultOf({ warmUp: null, instances: null }))!.warmUp).toEqual([]);
});

function meet(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function isInside(box: Box, { width, height }: { width: number; height: number }): boolean {
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
}
