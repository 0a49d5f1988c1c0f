/** A worker of a pool: once it has joined it does what the pool's leader has it do, until the pool is ended. */

import { initSync, workInPool } from '../pkg-threads/ringspawn_threads.js';
import type { FromPoolWorker, ToPoolWorker } from '../protocol';
import { wasmSentence } from '../wasm-file';
import { noteLeft } from './board';

/** As large as the leader's, which the linker has made. */
const STACK_BYTES = 1024 * 1024;

export function joinPool(
  { module, memory, board, receiver }: ToPoolWorker,
  post: (message: FromPoolWorker) => void,
): void {
  try {
    initSync({ module, memory, thread_stack_size: STACK_BYTES });
    post({ type: 'joined' });
    workInPool(receiver);
  } catch (error) {
    noteLeft(board);
    post({ type: 'ended', message: wasmSentence(error) });
  }
}
