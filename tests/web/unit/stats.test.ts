import { expect, test } from 'vitest';
import { median, medianInterval, summarize } from '../../../www/stats';

const spread = [
  [8.8, 8.7, 9.0],
  [8.8, 8.7, 8.9],
];

test('the median of an even number of samples lies between the middle two', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([10, 9, 100])).toBe(10);
});

test('a summary keeps every sample in order, with median, min and max', () => {
  expect(summarize(spread)).toMatchObject({
    median: 8.8,
    min: 8.7,
    max: 9,
    samples: [8.8, 8.7, 9, 8.8, 8.7, 8.9],
  });
});

test('below 6 samples there is no interval', () => {
  expect(summarize([[1, 2], [3, 4], [5]])).toMatchObject({ median: 3, ci95: null });
  expect(summarize([[1]])).toMatchObject({ median: 1, ci95: null, min: 1, max: 1 });
  expect(
    medianInterval([
      [1, 2],
      [3, 4],
      [5, 6],
    ]),
  ).not.toBeNull();
});

test('no samples, or one that is not finite, give no summary', () => {
  expect(summarize([])).toBeNull();
  expect(summarize([[], []])).toBeNull();
  expect(summarize([[1, Number.NaN]])).toBeNull();
  expect(summarize([[Number.POSITIVE_INFINITY]])).toBeNull();
  expect(medianInterval([[1, 2, 3, 4, 5, Number.NaN]])).toBeNull();
});

test('the same samples and seed give the same interval, which holds the median', () => {
  const [low, high] = medianInterval(spread, 7)!;
  expect(medianInterval(spread, 7)).toEqual([low, high]);
  expect(low).toBeLessThanOrEqual(8.8);
  expect(high).toBeGreaterThanOrEqual(8.8);
});

test('instances that differ widen the interval more than the same samples of one instance', () => {
  const apart = [
    [1, 1, 1, 1, 1],
    [2, 2, 2, 2, 2],
    [3, 3, 3, 3, 3],
  ];
  const together = [apart.flat()];
  const width = (groups: number[][]): number => {
    const [low, high] = medianInterval(groups)!;
    return high - low;
  };
  expect(width(apart)).toBe(2);
  expect(width(together)).toBeLessThanOrEqual(width(apart));
});

test('equal samples have an interval without width', () => {
  expect(
    medianInterval([
      [5, 5, 5],
      [5, 5, 5],
    ]),
  ).toEqual([5, 5]);
});
