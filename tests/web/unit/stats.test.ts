import { describe, expect, test } from 'vitest';
import { median, medianInterval, type Pair, pairedRatio, summarize } from '../../../www/stats';

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

/** Hundreds of simulated runs take a second or two; a busy machine may need far longer. */
const LONG_MS = 60_000;

/** Park and Miller's generator: other numbers than those that the bootstrap draws. */
function randomFrom(seed: number): { uniform(): number; normal(): number } {
  let state = seed;
  const uniform = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

interface Noise {
  /** Standard deviations, as shares of the figure. */
  readonly instance: number;
  readonly sample: number;
  /** Of the step from turn to turn that both contenders share. */
  readonly drift: number;
  /** One sample in ten is slowed down by up to so much. */
  readonly hiccup: number;
}

/** A whole run of two contenders, the first of which takes `ratio` times as long. */
function simulate(ratio: number, noise: Noise, seed: number, instances = 5, turns = 3): Pair[][] {
  const { uniform, normal } = randomFrom(1000 + 7919 * seed);
  let drift = 0;
  return Array.from({ length: instances }, () => {
    const layouts = [
      ratio * Math.exp(noise.instance * normal()),
      Math.exp(noise.instance * normal()),
    ];
    return Array.from({ length: turns }, () => {
      drift += noise.drift * normal();
      const [a, b] = layouts.map((layout) => {
        const hiccup = uniform() < 0.1 ? 1 + noise.hiccup * uniform() : 1;
        return 9 * layout * Math.exp(drift + noise.sample * normal()) * hiccup;
      });
      return [a!, b!] as const;
    });
  });
}

const holds = (interval: readonly [number, number] | null, value: number): boolean =>
  interval !== null && interval[0] <= value && value <= interval[1];

describe('the ratio of two contenders', () => {
  const machines: Record<string, Noise> = {
    'instances differ most': { instance: 0.03, sample: 0.005, drift: 0, hiccup: 0 },
    'samples differ most': { instance: 0.003, sample: 0.03, drift: 0, hiccup: 0.3 },
    'both differ and all drift': { instance: 0.02, sample: 0.02, drift: 0.03, hiccup: 0.3 },
  };

  test.each(Object.entries(machines))(
    'of equal ones is held to be 1 in nine of ten runs and more, where %s',
    (_, noise) => {
      const runs = Array.from({ length: 300 }, (_, seed) => pairedRatio(simulate(1, noise, seed))!);
      const right = runs.filter(({ ci95 }) => holds(ci95, 1)).length;
      expect(right).toBeGreaterThanOrEqual(270);
      // Not by being so wide that anything fits.
      expect(median(runs.map(({ ci95 }) => ci95![1] - ci95![0]))).toBeLessThan(0.12);
    },
    LONG_MS,
  );

  test('of 1.3 is found, and is never held to be 1', () => {
    const noise = machines['both differ and all drift']!;
    const runs = Array.from({ length: 100 }, (_, seed) => pairedRatio(simulate(1.3, noise, seed))!);
    expect(median(runs.map(({ ratio }) => ratio))).toBeCloseTo(1.3, 1);
    expect(runs.filter(({ ci95 }) => holds(ci95, 1.3)).length).toBeGreaterThanOrEqual(90);
    expect(runs.filter(({ ci95 }) => holds(ci95, 1))).toEqual([]);
  });

  test(
    'is held to be 1 as often by a run that ends when the interval is narrow',
    () => {
      const noise = machines['instances differ most']!;
      const runs = Array.from({ length: 100 }, (_, seed) => {
        const all = simulate(1, noise, seed, 20);
        for (const looked of [5, 10]) {
          const [low, high] = pairedRatio(all.slice(0, looked))!.ci95!;
          if (high - low < 0.06) return [low, high] as const;
        }
        return pairedRatio(all)!.ci95;
      });
      expect(runs.filter((interval) => holds(interval, 1)).length).toBeGreaterThanOrEqual(90);
    },
    LONG_MS,
  );

  test('gets narrower with more instances', () => {
    const noise = machines['instances differ most']!;
    const width = (instances: number): number =>
      median(
        Array.from({ length: 20 }, (_, seed) => {
          const [low, high] = pairedRatio(simulate(1, noise, seed, instances))!.ci95!;
          return high - low;
        }),
      );
    expect(width(20)).toBeLessThan(0.7 * width(5));
  });

  test('is untouched by what slows both of a pair down', () => {
    const calm: Pair[][] = [[[9, 3], [9, 3]], [[9, 3], [9, 3]], [[9, 3], [9, 3]]]; // biome-ignore format: pairs in rows
    const slowed = calm.map((pairs, i) =>
      pairs.map(([a, b], j): Pair => [a * (1 + i + j), b * (1 + i + j)]),
    );
    expect(pairedRatio(slowed)).toEqual({ ratio: 3, ci95: [3, 3] });
  });

  test('the other way round is the reciprocal, its interval too', () => {
    const pairs = simulate(1.3, machines['both differ and all drift']!, 4);
    const there = pairedRatio(pairs)!;
    const back = pairedRatio(pairs.map((group) => group.map(([a, b]): Pair => [b, a])))!;
    expect(back.ratio).toBeCloseTo(1 / there.ratio, 4);
    expect(back.ci95![0]).toBeCloseTo(1 / there.ci95![1], 4);
    expect(back.ci95![1]).toBeCloseTo(1 / there.ci95![0], 4);
  });

  test('of the same pairs is the same, interval too', () => {
    const pairs = simulate(1, machines['samples differ most']!, 9);
    expect(pairedRatio(pairs)).toEqual(pairedRatio(pairs));
  });

  test('has no interval below 6 pairs, and is none without pairs or with what is no time', () => {
    expect(pairedRatio([[[6, 3]], [[4, 2]]])).toEqual({ ratio: 2, ci95: null });
    expect(pairedRatio([])).toBeNull();
    expect(pairedRatio([[], []])).toBeNull();
    for (const bad of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(pairedRatio([[[bad, 3]]])).toBeNull();
      expect(pairedRatio([[[3, bad]]])).toBeNull();
    }
    expect(pairedRatio([[[1e300, 1e-300]]])).toBeNull();
    expect(pairedRatio([[[1e-300, 1e300]]])).toBeNull();
  });
});

test(
  'the interval of the median holds the truth in nine of ten runs and more',
  () => {
    const noise = { instance: 0.02, sample: 0.02, drift: 0, hiccup: 0 };
    const runs = Array.from({ length: 300 }, (_, seed) =>
      medianInterval(simulate(1, noise, seed).map((pairs) => pairs.map(([a]) => a))),
    );
    expect(runs.filter((interval) => holds(interval, 9)).length).toBeGreaterThanOrEqual(270);
  },
  LONG_MS,
);
