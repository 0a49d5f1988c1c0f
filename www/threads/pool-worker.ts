/** One of a pool's workers, in a page. */

import type { FromPoolWorker, ToPoolWorker } from '../protocol';
import { joinPool } from './join';

addEventListener('message', (event: MessageEvent<ToPoolWorker>) => {
  joinPool(event.data, (message: FromPoolWorker) => postMessage(message));
  // By itself: browsers may let one that was ended from outside linger for seconds.
  close();
});
