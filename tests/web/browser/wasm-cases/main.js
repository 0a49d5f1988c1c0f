// Runs every case in a worker; `outcomes` fills up, `over` says when it is whole. With
// `?threads=N` the worker leads a pool of so many.

const CASE_MS = 20_000;

const threads = Number(new URLSearchParams(location.search).get('threads') ?? 0);

globalThis.outcomes = [];
globalThis.over = false;

const wasm = await fetch('ringspawn_wasm_tests_bg.wasm');
const module = await WebAssembly.compile(await wasm.arrayBuffer());

// A case that failed may have broken its instance: the next gets a new one.
for (let next = 0; next !== undefined; ) next = await runFrom(next);
globalThis.over = true;

/** Runs cases until one fails; which is next, or undefined when all are over. */
function runFrom(first) {
  return new Promise((resolve) => {
    const worker = start(threads > 0 ? 'worker-threads.js' : 'worker.js');
    const pool = Array.from({ length: threads }, () => start('member.js'));
    let watch;
    let index = first;
    let name = 'loading';
    const settle = (next) => {
      clearTimeout(watch);
      for (const each of [worker, ...pool]) each.terminate();
      resolve(next);
    };
    const fail = (error) => {
      outcomes.push({ name, error });
      settle(name === 'loading' ? undefined : index + 1);
    };
    const watchOver = () => {
      clearTimeout(watch);
      watch = setTimeout(() => fail(`not over within ${CASE_MS / 1000} s`), CASE_MS);
    };
    watchOver();
    for (const each of [worker, ...pool]) {
      each.onerror = (event) => fail(event.message ?? 'a worker could not start');
    }
    worker.onmessage = ({ data }) => {
      if (data.type === 'over') settle(undefined);
      else if (data.type === 'started') {
        ({ index, name } = data);
        watchOver();
      } else if (data.error !== null) fail(data.error);
      else outcomes.push({ name, error: null });
    };
    const members = pool.map((member) => {
      const { port1, port2 } = new MessageChannel();
      member.postMessage(port2, [port2]);
      return port1;
    });
    worker.postMessage({ first, module, members }, members);
  });
}

function start(script) {
  return new Worker(new URL(script, import.meta.url), { type: 'module' });
}
