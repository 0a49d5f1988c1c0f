import { cases, initSync, run_case } from './ringspawn_wasm_tests.js';

const bytes = fetch(new URL('ringspawn_wasm_tests_bg.wasm', import.meta.url)).then((response) =>
  response.arrayBuffer(),
);

addEventListener('message', async ({ data: first }) => {
  try {
    initSync({ module: await WebAssembly.compile(await bytes) });
  } catch (error) {
    postMessage({ type: 'ended', error: `the module didn't load: ${error}` });
    return;
  }
  const names = cases();
  for (let index = first; index < names.length; index++) {
    postMessage({ type: 'started', index, name: names[index] });
    try {
      await run_case(index);
      postMessage({ type: 'ended', error: null });
    } catch (error) {
      postMessage({
        type: 'ended',
        error: String(error?.stack ? `${error}\n${error.stack}` : error),
      });
      return;
    }
  }
  postMessage({ type: 'over' });
});
