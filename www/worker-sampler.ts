/** Opens workers for the measuring engine: one fresh worker is one fresh wasm instance. */

import type { OpenSampler, Sampler } from './measure';
import type { About, FromWorker, ToWorker } from './protocol';
import type { RawSample, SampleProgress } from './sample';

/** A worker that hasn't loaded by then won't; slow lines included. */
const OPEN_DEADLINE_MS = 20_000;

/**
 * A sample says something ten times a second while it lasts. Looked at in steps, so that a machine that wakes from sleep
 * isn't taken for a worker that is stuck.
 */
const SILENCE_LOOK_MS = 10_000;
const SILENT_LOOKS = 3;

const NO_MODULE_WORKER =
  'this browser could not start the worker that runs the actors; module workers are needed (Chrome or Edge 80, Firefox 114, Safari 15, or newer), ' +
  "and the page's policy must allow them (worker-src 'self')";

export const openWorker: OpenSampler = async () => {
  const sampler = new WorkerSampler();
  await sampler.opened();
  return sampler;
};

interface Pending {
  readonly resolve: (sample: RawSample) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: (progress: SampleProgress) => void;
}

class WorkerSampler implements Sampler {
  readonly #worker: Worker;
  readonly #ready: Promise<About>;
  #about: About | null = null;
  #pending: Pending | null = null;
  #fail: (error: Error) => void = () => {};
  #silentLooks = 0;
  readonly #looking = setInterval(() => this.#look(), SILENCE_LOOK_MS);

  constructor() {
    this.#worker = makeWorker();
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
      this.#worker.onmessage = (event: MessageEvent<FromWorker>) => {
        this.#silentLooks = 0;
        if (event.data.type === 'ready') {
          clearTimeout(deadline);
          resolve(event.data.about);
        } else {
          this.#receive(event.data);
        }
      };
    });
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(
        new Error(event.message ? `the worker failed: ${event.message}` : NO_MODULE_WORKER),
      );
    };
  }

  get about(): About {
    if (this.#about === null) throw new Error('the worker is not open yet');
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
      this.#silentLooks = 0;
      this.#pending = { resolve, reject, onProgress };
      const message: ToWorker = {
        type: 'sample',
        workload: job.workload,
        contender: job.contender,
      };
      this.#worker.postMessage(message);
    });
  }

  /** Ends the worker at once, in the middle of a sample too. */
  close(): void {
    this.#end(new Error('the worker was ended'));
  }

  #end(error: Error): void {
    clearInterval(this.#looking);
    this.#worker.terminate();
    this.#fail(error);
  }

  #look(): void {
    if (this.#pending === null || ++this.#silentLooks < SILENT_LOOKS) return;
    const seconds = (SILENCE_LOOK_MS * SILENT_LOOKS) / 1000;
    this.#end(new Error(`the worker has said nothing for ${seconds} s`));
  }

  #receive(message: FromWorker): void {
    if (message.type === 'progress') {
      this.#pending?.onProgress(message.progress);
    } else if (message.type === 'sampled') {
      const pending = this.#pending;
      this.#pending = null;
      pending?.resolve(message.sample);
    } else if (message.type === 'failed') {
      this.#fail(new Error(message.message));
    }
  }
}

function makeWorker(): Worker {
  if (typeof Worker !== 'function') throw new Error(NO_MODULE_WORKER);
  try {
    return new Worker(new URL('./worker.ts', import.meta.url), {
      type: 'module',
      name: 'ringspawn',
    });
  } catch (error) {
    throw new Error(
      `${NO_MODULE_WORKER} (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}
