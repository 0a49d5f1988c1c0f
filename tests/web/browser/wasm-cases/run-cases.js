// Runs cases in a worker, from one on until one fails, and tells of each.

/** `cases` and `run_case` are the package's. */
export async function runCases({ cases, run_case }, first) {
  const names = cases();
  for (let index = first; index < names.length; index++) {
    postMessage({ type: 'started', index, name: names[index] });
    try {
      await run_case(index);
      postMessage({ type: 'ended', error: null });
    } catch (error) {
      postMessage({ type: 'ended', error: textOf(error) });
      return;
    }
  }
  postMessage({ type: 'over' });
}

export function tellNotLoaded(error) {
  postMessage({ type: 'ended', error: `the module didn't load: ${textOf(error)}` });
}

function textOf(error) {
  return String(error?.stack ? `${error}\n${error.stack}` : error);
}
