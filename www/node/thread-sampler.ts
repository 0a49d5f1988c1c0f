/** Opens worker threads for the measuring engine: one fresh thread is one fresh wasm instance. */

import { Worker } from 'node:worker_threads';
import type { OpenSampler, Sampler } from '../measure';
import type { About, FromWorker, ToWorker } from '../protocol';
import type { RawSample, SampleProgress } from '../sample';

/** The build puts it beside this file. */
const WORKER_URL = new URL('./worker.mjs', import.meta.url);

/** A thread that hasn't loaded by then won't: its files are on this machine. */
const OPEN_DEADLINE_MS = 20_000;

/** Threads that are on their way out: the next one waits for them, since they would disturb its cold sample. */
const ending = new Set<Promise<unknown>>();

export const openThread: OpenSampler = async () => {
  await Promise.all(ending);
  const sampler = new ThreadSampler();
  await sampler.opened();
  return sampler;
};

interface Pending {
  readonly resolve: (sample: RawSample) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: (progress: SampleProgress) => void;
}

class ThreadSampler implements Sampler {
  readonly #worker = new Worker(WORKER_URL, { name: 'ringspawn' });
  readonly #ready: Promise<About>;
  #about: About | null = null;
  #pending: Pending | null = null;
  #fail: (error: Error) => void = () => {};

  constructor() {
    this.#ready = new Promise((resolve, reject) => {
      const deadline = setTimeout(
        () => this.#fail(new Error(`the wasm did not load within ${OPEN_DEADLINE_MS / 1000} s`)),
        OPEN_DEADLINE_MS,
      );
      this.#fail = (error) => {
        clearTimeout(deadline);
        reject(error);
        this.#pending?.reject(error);
        this.#pending = null;
      };
      this.#worker.on('message', (message: FromWorker) => {
        if (message.type === 'ready') {
          clearTimeout(deadline);
          resolve(message.about);
        } else {
          this.#receive(message);
        }
      });
    });
    this.#worker.on('error', (error) => this.#fail(new Error(sentence(error))));
    this.#worker.on('exit', () => this.#fail(new Error('the worker thread ended by itself')));
  }

  get about(): About {
    if (this.#about === null) throw new Error('the worker thread is not open yet');
    return this.#about;
  }

  async opened(): Promise<void> {
    try {
      this.#about = await this.#ready;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  sample(
    job: Omit<ToWorker, 'type'>,
    onProgress: (progress: SampleProgress) => void,
  ): Promise<RawSample> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject, onProgress };
      const message: ToWorker = { type: 'sample', ...job };
      this.#worker.postMessage(message);
    });
  }

  /** Ends the thread at once, in the middle of a sample too. */
  close(): void {
    const end = this.#worker.terminate().finally(() => ending.delete(end));
    ending.add(end);
    this.#fail(new Error('the worker thread was ended'));
  }

  #receive(message: Exclude<FromWorker, { type: 'ready' }>): void {
    if (message.type === 'progress') {
      this.#pending?.onProgress(message.progress);
    } else if (message.type === 'sampled') {
      const pending = this.#pending;
      this.#pending = null;
      pending?.resolve(message.sample);
    } else {
      this.#fail(new Error(message.message));
    }
  }
}

function sentence(error: unknown): string {
  if (!(error instanceof Error)) return `the worker thread failed: ${String(error)}`;
  const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (isOutOfMemory) return `out of memory: the worker thread ended (${error.message})`;
  return `the worker thread failed: ${error.message}`;
}
