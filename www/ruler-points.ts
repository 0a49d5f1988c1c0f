/** What stands on the two rulers: the results of a run, and the posts' figures. */

import { HISTORY, historyNs } from './history';
import type { WorkloadName } from './params';
import { mainMeasure, type Result } from './result';
import { browserWords, headline } from './result-view';
import type { RulerPoint } from './ruler-shapes';
import { CONTENDER_WORDS, durationRange, rate, threadsWords } from './words';

interface RulerWords {
  readonly title: string;
  readonly caption: string;
  /** Whose history stands on it. */
  readonly history: 'ring' | 'spawn';
}

const CAPTION =
  'Solid: measured now. Hollow, in italics: what the posts reported, each on its own machine';
const STOPS = 'in 2012 with the stop, in 2009 without. Each mark is ten times the one before.';
const ACTOR = 'What an actor costs, from spawn to stop.';

/** A leaf is an actor that comes and goes; a message that computes is no match for one that doesn't. */
export const RULERS: Readonly<Record<WorkloadName, RulerWords | null>> = {
  ring: {
    title: 'What a message between two actors costs.',
    caption: `${CAPTION}; the 2006 post leaves its number of hops open, hence the question marks. Each mark is ten times the one before.`,
    history: 'ring',
  },
  spawn: { title: ACTOR, caption: `${CAPTION}, ${STOPS}`, history: 'spawn' },
  skynet: {
    title: ACTOR,
    caption: `${CAPTION}, ${STOPS} A leaf of the tree also sends its number, and has a ninth of a node above it.`,
    history: 'spawn',
  },
  work: null,
};

export function nowPoints(results: readonly Result[], workload: WorkloadName): RulerPoint[] {
  const first = headline(results);
  return results.flatMap((result): RulerPoint[] => {
    const { measure } = mainMeasure(result);
    if (result.state !== 'complete' || result.workload.name !== workload || measure === null)
      return [];
    const words = CONTENDER_WORDS[result.contender].short;
    if (result !== first) return [{ kind: 'contender', label: words, ns: measure.median }];
    const range = measure.ci95 === null ? '' : `${durationRange(measure.ci95)}, `;
    const threads = threadsWords(result);
    return [
      {
        kind: 'run',
        label: `${words}, ${browserWords(result)}`,
        ns: measure.median,
        detail: `${range}${rate(measure.median)}${threads === null ? '' : `, ${threads}`}`,
      },
    ];
  });
}

export function historyPoints(history: RulerWords['history']): RulerPoint[] {
  return HISTORY.flatMap((row) =>
    row.label !== null && row.workload === history
      ? [{ kind: 'history' as const, label: row.label, ns: historyNs(row) }]
      : [],
  );
}
