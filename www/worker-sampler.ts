/** Opens workers of the page for the measuring engine. */

import type { OpenSampler } from './measure';
import { openOneWorker, type Role, type StartWorker } from './remote-sampler';
import { reasonAgainst, surroundingsOfPage } from './threads/capability';
import { endAllPools, openPool } from './threads/pool-sampler';

const NO_MODULE_WORKER =
  'this browser could not start the worker that runs the actors; module workers are needed (Chrome or Edge 80, Firefox 114, Safari 15, or newer), ' +
  "and the page's policy must allow them (worker-src 'self')";

/** What it means that a worker doesn't start and doesn't say why. */
const NOT_STARTED: Readonly<Record<Role, string>> = {
  'one-thread': NO_MODULE_WORKER,
  leader: 'the worker that leads the pool could not be loaded',
  pool: 'a worker of the pool could not be loaded',
  watcher: 'the watcher of the pool could not be loaded',
};

export const openWorker: OpenSampler = (threads) =>
  threads === undefined
    ? openOneWorker(startInPage)
    : openPool(startInPage, whyNoThreads(), threads);

/** Nothing that is looked at changes as long as there is the page. */
const whyNoThreads = once(() => reasonAgainst(surroundingsOfPage()));

// A page that comes back from the browser's cache would find its pool out of step.
globalThis.addEventListener?.('pagehide', endAllPools);

const startInPage: StartWorker = (role, listener) => {
  const worker = makeWorker(role);
  worker.onmessage = ({ data }) => listener.hear(data);
  worker.onmessageerror = () => listener.fail(new Error('a message of a worker could not be read'));
  worker.onerror = (event) => {
    event.preventDefault();
    const words = event.message ? `the worker failed: ${event.message}` : NOT_STARTED[role];
    listener.fail(new Error(words));
  };
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    end: () => {
      worker.terminate();
      return undefined;
    },
  };
};

function makeWorker(role: Role): Worker {
  if (typeof Worker !== 'function') throw new Error(NO_MODULE_WORKER);
  try {
    return workerOf(role);
  } catch (error) {
    throw new Error(
      `${NO_MODULE_WORKER} (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

/** Each address stands by itself, for the build to see. */
function workerOf(role: Role): Worker {
  switch (role) {
    case 'one-thread':
      return new Worker(new URL('./worker.ts', import.meta.url), {
        type: 'module',
        name: 'ringspawn',
      });
    case 'leader':
      return new Worker(new URL('./threads/leader.ts', import.meta.url), {
        type: 'module',
        name: 'ringspawn leader',
      });
    case 'pool':
      return new Worker(new URL('./threads/pool-worker.ts', import.meta.url), {
        type: 'module',
        name: 'ringspawn pool',
      });
    case 'watcher':
      return new Worker(new URL('./threads/watcher.ts', import.meta.url), {
        type: 'module',
        name: 'ringspawn watcher',
      });
  }
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | null = null;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}
