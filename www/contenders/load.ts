/** The contenders that aren't in the wasm. The code of each loads when it is chosen, since most runs need none. */

import type { ContenderName } from '../params';
import { AsyncSampleTaker, type Clock, SampleTaker } from '../sample';

export type Taker = SampleTaker | AsyncSampleTaker;

export async function loadTaker(contender: ContenderName, clock: Clock): Promise<Taker> {
  switch (contender) {
    case 'js/queue':
      return new SampleTaker((await import('./queue')).start, clock);
    case 'js/async':
      return new AsyncSampleTaker((await import('./async')).start, clock);
    case 'workers/postmessage':
      return new AsyncSampleTaker((await import('./postmessage')).start, clock);
    default:
      throw new Error(`there is no code for the contender ${contender}`);
  }
}
