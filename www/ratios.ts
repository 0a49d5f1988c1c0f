/** How contenders of one run compare, and what is said when the machine was too noisy for a close figure. */

import { mainName, mainNs, type Track } from './figures';
import type { Workload } from './params';
import type { Measure, Noise, Ratio } from './result';
import { type Pair, pairedRatio, type RatioSummary, relativeWidth } from './stats';

/** A wider interval, of the median or of a ratio, makes the result say that the machine was too noisy. */
export const NOISY_ABOVE_PERCENT = 10;

/** From this error on it is the clock that is to blame, and not what else the machine does. */
const COARSE_ERROR_PERCENT = 5;

/**
 * Samples of the same turn in the same instance, as pairs. An instance that a failure of a third contender cut short
 * has fewer of one of them; what has no partner is left out.
 */
function pairsOf(a: Track, b: Track, workload: Workload): Pair[][] {
  return a.instances.map(({ number, samples }) => {
    const partners = b.instances.find((group) => group.number === number)?.samples ?? [];
    return samples.slice(0, partners.length).flatMap((sample, turn): Pair[] => {
      const own = mainNs(sample, workload);
      const other = mainNs(partners[turn]!, workload);
      return own === null || other === null ? [] : [[own, other]];
    });
  });
}

export function ratioOf(a: Track, b: Track, workload: Workload): RatioSummary | null {
  return pairedRatio(pairsOf(a, b, workload));
}

/**
 * To every other contender: which one is the fastest, and whether there is a floor, is for the reader to see. The same
 * contender may run twice; it is compared with itself then.
 */
export function ratiosOf(track: Track, tracks: readonly Track[], workload: Workload): Ratio[] {
  const of = mainName(workload);
  return tracks.flatMap((other) => {
    if (other === track) return [];
    const summary = ratioOf(track, other, workload);
    return summary === null ? [] : [{ to: other.contender, of, ...summary }];
  });
}

/** Null when all intervals are narrow, or when there are none. */
export function noiseOf(
  main: Measure | null,
  ratios: readonly Ratio[],
  clockErrorPercent: number | null,
): Noise | null {
  const widths = [
    { what: 'the median', figure: main?.median ?? 0, interval: main?.ci95 ?? null },
    ...ratios.map(({ to, ratio, ci95 }) => ({
      what: `the ratio to ${to}`,
      figure: ratio,
      interval: ci95,
    })),
  ].flatMap(({ what, figure, interval }) =>
    interval === null ? [] : [{ what, share: relativeWidth(interval, figure) }],
  );
  const widest = widths.reduce((a, b) => (b.share > a.share ? b : a), { what: '', share: 0 });
  const widthPercent = Number((100 * widest.share).toPrecision(3));
  if (!(widthPercent > NOISY_ABOVE_PERCENT && Number.isFinite(widthPercent))) return null;
  const isClock = clockErrorPercent !== null && clockErrorPercent >= COARSE_ERROR_PERCENT;
  return {
    sentence:
      `${isClock ? 'The clock here is too coarse' : 'The machine was too noisy'} for a close figure: ` +
      `the 95 % interval of ${widest.what} is ${widthPercent.toLocaleString('en')} % of it wide, more than ${NOISY_ABOVE_PERCENT} %. ` +
      `${isClock ? 'A longer workload gets closer.' : 'Close what else is running and run again.'}`,
    widthPercent,
  };
}
