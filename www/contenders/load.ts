/** The contenders that aren't in the wasm. The code of each loads when it is chosen, since most runs need none. */

import type { ContenderName, ReadyWorkload, RingWorkload, SpawnWorkload } from '../params';
import { AsyncSampleTaker, type Clock, SampleTaker } from '../sample';

export type Taker = SampleTaker | AsyncSampleTaker;

export async function loadTaker(contender: ContenderName, clock: Clock): Promise<Taker> {
  switch (contender) {
    case 'js/queue':
      return new SampleTaker(only((await import('./queue')).start), clock);
    case 'js/async':
      return new AsyncSampleTaker(only((await import('./async')).start), clock);
    case 'workers/postmessage':
      return new AsyncSampleTaker(only((await import('./postmessage')).start), clock);
    default:
      throw new Error(`there is no code for the contender ${contender}`);
  }
}

/** Others are refused before they get here. */
function only<R>(
  start: (workload: RingWorkload | SpawnWorkload) => R,
): (workload: ReadyWorkload) => R {
  return (workload) => {
    if (workload.name === 'ring' || workload.name === 'spawn') return start(workload);
    throw new Error(`there is no code for the workload ${workload.name}`);
  };
}
