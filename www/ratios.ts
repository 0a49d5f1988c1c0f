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

interface Width {
  readonly what: string;
  readonly percent: number;
}

/** Null when all intervals are narrow, or when there are none. */
export function noiseOf(
  main: Measure | null,
  ratios: readonly Ratio[],
  clockErrorPercent: number | null,
): Noise | null {
  const ofRatios = ratios.flatMap(({ to, ratio, ci95 }) =>
    widthOf(`the ratio to ${to}`, ratio, ci95),
  );
  const all = [
    ...(main === null ? [] : widthOf('the median', main.median, main.ci95)),
    ...ofRatios,
  ];
  const [widest] = all.sort((a, b) => b.percent - a.percent);
  if (widest === undefined || !isNoisy(widest)) return null;
  const isClock = clockErrorPercent !== null && clockErrorPercent >= COARSE_ERROR_PERCENT;
  const isFigureAlone = ofRatios.length > 0 && !ofRatios.some(isNoisy);
  return {
    sentence:
      `${isClock ? 'The clock here is too coarse' : 'The machine was too noisy'} for a close figure: ` +
      `the 95 % interval of ${widest.what} is ${widest.percent.toLocaleString('en')} % of it wide, more than ${NOISY_ABOVE_PERCENT} %. ` +
      `${isFigureAlone ? 'The ratios are close all the same. ' : ''}` +
      `${isClock ? 'A longer workload gets closer.' : 'Close what else is running and run again.'}`,
    widthPercent: widest.percent,
  };
}

/** Empty for what has no interval, and for what is so wide that no number holds it. */
function widthOf(what: string, figure: number, ci95: Measure['ci95']): Width[] {
  if (ci95 === null) return [];
  const percent = Number((100 * relativeWidth(ci95, figure)).toPrecision(3));
  return Number.isFinite(percent) ? [{ what, percent }] : [];
}

function isNoisy({ percent }: Width): boolean {
  return percent > NOISY_ABOVE_PERCENT;
}
