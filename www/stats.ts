/** Pure figures from raw samples. Nothing here returns a number that isn't finite. */

/** Fewer samples than this say nothing about their own spread. */
export const FEWEST_FOR_INTERVAL = 6;

/** Enough that the ends of the interval move by less than a tenth of its width from seed to seed. */
const RESAMPLES = 2000;

export interface Summary {
  readonly median: number;
  readonly ci95: readonly [number, number] | null;
  readonly min: number;
  readonly max: number;
  readonly samples: readonly number[];
}

/** Summary of samples grouped by the instance they come from; null when there are none. */
export function summarize(instances: readonly (readonly number[])[], seed = 1): Summary | null {
  const samples = instances.flat().map(round);
  if (samples.length === 0 || !samples.every(Number.isFinite)) return null;
  return {
    median: round(median(samples)),
    ci95: medianInterval(instances, seed),
    min: Math.min(...samples),
    max: Math.max(...samples),
    samples,
  };
}

export function median(values: readonly number[]): number {
  return middleOf(Float64Array.from(values).sort());
}

function middleOf(sorted: Float64Array): number {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Percentile bootstrap of the median over both levels: instances are drawn first, then samples inside each, because
 * code layout and tier-up vary more from instance to instance than within one (Kalibera and Jones, "Rigorous
 * benchmarking in reasonable time", 2013). The same seed gives the same interval.
 */
export function medianInterval(
  instances: readonly (readonly number[])[],
  seed = 1,
): readonly [number, number] | null {
  const interval = bootstrap(instances, seed);
  return interval === null ? null : [round(interval[0]), round(interval[1])];
}

/** Figures of two contenders whose samples were taken one after the other. */
export type Pair = readonly [number, number];

export interface RatioSummary {
  readonly ratio: number;
  readonly ci95: readonly [number, number] | null;
}

/**
 * How many times the second of each pair the first is: the median of the pairs' ratios, with its interval over both
 * levels. What slows the machine down for a while slows both of a pair, so it falls out here; it would not fall out of
 * the quotient of two medians, whose interval came out two to three times as wide under drift. In logarithms, so that
 * the ratio the other way round is exactly the reciprocal.
 */
export function pairedRatio(
  instances: readonly (readonly Pair[])[],
  seed = 1,
): RatioSummary | null {
  const logs = instances.map((pairs) => pairs.map(([a, b]) => Math.log(a) - Math.log(b)));
  const all = logs.flat();
  if (all.length === 0 || !all.every(Number.isFinite)) return null;
  const interval = bootstrap(logs, seed);
  const [ratio, low, high] = [median(all), ...(interval ?? [0, 0])].map(ratioOf);
  if (![ratio, low, high].every((value) => value! > 0 && Number.isFinite(value))) return null;
  return { ratio: ratio!, ci95: interval === null ? null : [low!, high!] };
}

/** The width of an interval as a share of its figure. */
export function relativeWidth([low, high]: readonly [number, number], figure: number): number {
  return (high - low) / figure;
}

function ratioOf(log: number): number {
  return round(Math.exp(log));
}

function bootstrap(
  instances: readonly (readonly number[])[],
  seed: number,
): readonly [number, number] | null {
  const groups = instances.filter((group) => group.length > 0);
  const all = groups.flat();
  if (all.length < FEWEST_FOR_INTERVAL || !all.every(Number.isFinite)) return null;
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const medians = new Float64Array(RESAMPLES);
  const drawn = new Float64Array(groups.length * Math.max(...groups.map(({ length }) => length)));
  for (let i = 0; i < RESAMPLES; i++) {
    let size = 0;
    for (let j = 0; j < groups.length; j++) {
      const group = pick(groups);
      for (let k = 0; k < group.length; k++) drawn[size++] = pick(group);
    }
    medians[i] = middleOf(drawn.subarray(0, size).sort());
  }
  medians.sort();
  const at = (share: number): number => medians[Math.round(share * (RESAMPLES - 1))]!;
  return [at(0.025), at(0.975)];
}

/** Six digits are more than any clock here gives; the rest would be noise in the JSON. */
export function round(value: number): number {
  return Number(value.toPrecision(6));
}

/** mulberry32 (Tommy Ettinger, public domain): small, and good enough to draw samples. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
