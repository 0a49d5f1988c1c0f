import { cases, initSync, run_case } from './ringspawn_wasm_tests.js';
import { runCases, tellNotLoaded } from './run-cases.js';

addEventListener('message', async ({ data: { first, module } }) => {
  try {
    initSync({ module });
  } catch (error) {
    return tellNotLoaded(error);
  }
  await runCases({ cases, run_case }, first);
});
