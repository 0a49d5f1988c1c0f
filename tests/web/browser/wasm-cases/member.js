// One of a pool's workers.

import { initSync, workInPool } from './ringspawn_wasm_tests.js';

const STACK_BYTES = 1024 * 1024;

addEventListener('message', ({ data: leader }) => {
  leader.onmessage = ({ data: { module, memory, receiver } }) => {
    initSync({ module, memory, thread_stack_size: STACK_BYTES });
    leader.postMessage('joins');
    workInPool(receiver);
  };
});
