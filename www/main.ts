/** Wires the page: the element, the address bar, and `window.ringspawn` for scripts. */

import { readAddress, toSearch } from './params';
import type { Result } from './result';
import { RingSpawn } from './ring-spawn';

/** Defined by boot.js, before this module runs. */
interface PageState {
  readonly schema: string;
  state: 'idle' | 'running' | 'done' | 'error';
  error: string | null;
  /** Of every run since the page was loaded; plain copies. */
  readonly results: Result[];
  /** Resolves with the results of the latest (or the first) run, whatever came of it. */
  done: Promise<readonly Result[]>;
}

declare global {
  interface Window {
    ringspawn: PageState;
  }
}

const page = window.ringspawn;
let settle: ((results: readonly Result[]) => void) | null = null;
let isFirst = true;

const element = document.querySelector('ring-spawn');
// With an obstacle in the way the tag stays undefined, and its text, which says so, visible.
if (element !== null && page.error === null) {
  customElements.define('ring-spawn', RingSpawn);
  wire(element as RingSpawn);
}

function wire(element: RingSpawn): void {
  element.addEventListener('ring-spawn-state', ({ detail: { state, error } }) => {
    if ((state === 'running' || state === 'waiting') && page.state !== 'running') begin();
    page.error = error;
    page.state = state === 'waiting' ? 'running' : state;
    if (state === 'error') end([]);
  });
  element.addEventListener('ring-spawn-result', ({ detail }) => {
    const copy = structuredClone(detail);
    page.results.push(copy);
    document.dispatchEvent(new CustomEvent('ringspawn:result', { detail: copy }));
  });
  element.addEventListener('ring-spawn-done', ({ detail }) => end(structuredClone(detail)));

  element.address = location.search;
  // From here on: what an address said is not written back before somebody changes it.
  element.addEventListener('ring-spawn-params', ({ detail }) =>
    history.replaceState(null, '', toSearch(detail)),
  );

  const { params } = readAddress(location.search);
  if (params?.autostart === true) element.run().catch(() => {});
  else void element.probe();
}

/** The first run settles the promise that boot.js made, each later one its own. */
function begin(): void {
  if (isFirst) return;
  page.done = new Promise((resolve) => {
    settle = resolve;
  });
}

function end(results: readonly Result[]): void {
  isFirst = false;
  settle?.(results);
  document.dispatchEvent(new CustomEvent('ringspawn:done', { detail: results }));
}
