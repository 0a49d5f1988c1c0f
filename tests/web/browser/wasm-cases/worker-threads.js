// The leader of a pool, which runs the cases for many threads.

import { cases, initSync, initThreadPool, run_case } from './ringspawn_wasm_tests.js';
import { runCases, tellNotLoaded } from './run-cases.js';
import { setMembers } from './start-workers.js';

const PAGES_PER_MIB = 16;

addEventListener('message', async ({ data: { first, module, members } }) => {
  try {
    const limits = { initial: 8 * PAGES_PER_MIB, maximum: 1024 * PAGES_PER_MIB };
    const memory = new WebAssembly.Memory({ ...limits, shared: true });
    initSync({ module, memory });
    setMembers(members);
    await initThreadPool(members.length);
  } catch (error) {
    return tellNotLoaded(error);
  }
  await runCases({ cases, run_case }, first);
});
