/** What a worker thread and who started it have between them. */

import { type MessagePort, parentPort } from 'node:worker_threads';

export function portOfThread(): MessagePort {
  if (parentPort === null) throw new Error('this file is for a worker thread');
  return parentPort;
}
