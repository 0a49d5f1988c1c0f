/** What stands on the two rulers: the results of a run, and the posts' figures. */

import { HISTORY, historyNs } from './history';
import type { WorkloadName } from './params';
import { mainMeasure, type Result } from './result';
import { browserWords, headline } from './result-view';
import type { RulerPoint } from './ruler-shapes';
import { CONTENDER_WORDS, durationRange, rate } from './words';

const CAPTION =
  'Solid: measured now. Hollow, in italics: what the posts reported, each on its own machine';

export const RULER_WORDS: Readonly<Record<WorkloadName, { title: string; caption: string }>> = {
  ring: {
    title: 'What a message between two actors costs.',
    caption: `${CAPTION}; the 2006 post leaves its number of hops open, hence the question marks. Each mark is ten times the one before.`,
  },
  spawn: {
    title: 'What an actor costs, from spawn to stop.',
    caption: `${CAPTION}, in 2012 with the stop, in 2009 without. Each mark is ten times the one before.`,
  },
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
    return [
      {
        kind: 'run',
        label: `${words}, ${browserWords(result)}`,
        ns: measure.median,
        detail: `${range}${rate(measure.median)}`,
      },
    ];
  });
}

export function historyPoints(workload: WorkloadName): RulerPoint[] {
  return HISTORY.flatMap((row) =>
    row.label !== null && row.workload === workload
      ? [{ kind: 'history' as const, label: row.label, ns: historyNs(row) }]
      : [],
  );
}
