/** One of a pool's workers, as a Node worker thread. */

import type { FromPoolWorker, ToPoolWorker } from '../protocol';
import { joinPool } from '../threads/join';
import { portOfThread } from './port';

const port = portOfThread();

port.once('message', (message: ToPoolWorker) => {
  joinPool(message, (answer: FromPoolWorker) => port.postMessage(answer));
});
