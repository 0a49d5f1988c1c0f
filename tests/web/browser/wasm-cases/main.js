// Runs every case in a worker; `outcomes` fills up, `over` says when it is whole.

const CASE_MS = 20_000;

globalThis.outcomes = [];
globalThis.over = false;

// A case that failed may have broken its instance: the next gets a new one.
for (let next = 0; next !== undefined; ) next = await runFrom(next);
globalThis.over = true;

/** Runs cases until one fails; which is next, or undefined when all are over. */
function runFrom(first) {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    let watch;
    let index = first;
    let name = 'loading';
    const settle = (next) => {
      clearTimeout(watch);
      worker.terminate();
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
    worker.onerror = (event) => fail(event.message ?? 'the worker could not start');
    worker.onmessage = ({ data }) => {
      if (data.type === 'over') settle(undefined);
      else if (data.type === 'started') {
        ({ index, name } = data);
        watchOver();
      } else if (data.error !== null) fail(data.error);
      else outcomes.push({ name, error: null });
    };
    worker.postMessage(first);
  });
}
