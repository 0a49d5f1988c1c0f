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
  const sorted = Float64Array.from(values).sort();
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
  const groups = instances.filter((group) => group.length > 0);
  const total = groups.reduce((sum, group) => sum + group.length, 0);
  if (total < FEWEST_FOR_INTERVAL || !groups.flat().every(Number.isFinite)) return null;
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const medians = new Float64Array(RESAMPLES);
  for (let i = 0; i < RESAMPLES; i++) {
    const drawn = groups.flatMap(() => {
      const group = pick(groups);
      return group.map(() => pick(group));
    });
    medians[i] = median(drawn);
  }
  medians.sort();
  const at = (share: number): number => round(medians[Math.round(share * (RESAMPLES - 1))]!);
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
