/** What a worker of a pool does. */

import { initSync, workInPool } from '../pkg-threads/ringspawn_threads.js';
import type { Pool } from '../protocol';

/** As large as the leader's, which the linker has made. */
const STACK_BYTES = 1024 * 1024;

export function work({ module, memory, receiver }: Pool, join: () => void): void {
  initSync({ module, memory, thread_stack_size: STACK_BYTES });
  join();
  workInPool(receiver);
}
