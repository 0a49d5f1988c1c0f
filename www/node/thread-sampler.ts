/** Opens worker threads for the measuring engine. */

import { type MessagePort, Worker } from 'node:worker_threads';
import type { OpenSampler } from '../measure';
import { openOneWorker, type Role, type StartWorker } from '../remote-sampler';
import { openPool } from '../threads/pool-sampler';

/** The build puts them beside this file. */
const FILES: Readonly<Record<Role, string>> = {
  'one-thread': './worker.mjs',
  leader: './leader.mjs',
  pool: './pool-worker.mjs',
  watcher: './watcher.mjs',
};

/** Worker threads may always share memory; whether there is enough is for the leader to find out. */
export const openThread: OpenSampler = (threads) =>
  threads === undefined ? openOneWorker(startThread) : openPool(startThread, null, threads);

const startThread: StartWorker = (role, listener) => {
  const worker = new Worker(new URL(FILES[role], import.meta.url), { name: 'ringspawn' });
  worker.on('message', (message) => listener.hear(message));
  worker.on('error', (error) => listener.fail(new Error(sentence(error))));
  worker.on('exit', () => listener.fail(new Error('the worker thread ended by itself')));
  return {
    // The ports that Node's MessageChannel makes are its own, whatever the DOM's types say.
    post: (message, transfer = []) =>
      worker.postMessage(message, transfer as unknown as MessagePort[]),
    end: () => worker.terminate(),
  };
};

function sentence(error: unknown): string {
  if (!(error instanceof Error)) return `the worker thread failed: ${String(error)}`;
  const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (isOutOfMemory) return `out of memory: the worker thread ended (${error.message})`;
  return `the worker thread failed: ${error.message}`;
}
