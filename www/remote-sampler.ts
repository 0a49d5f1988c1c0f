/** Takes samples on a worker, wherever that runs: one fresh worker is one fresh wasm instance. */

import type { Sampler } from './measure';
import type {
  About,
  FromLeader,
  FromMember,
  FromWorker,
  InstanceAbout,
  Job,
  Threads,
  ToLeader,
  ToMember,
  ToWorker,
} from './protocol';
import type { RawSample, SampleProgress } from './sample';

/** What workers are there for, and what they are told and tell. */
interface Roles {
  readonly 'one-thread': { readonly to: ToWorker; readonly from: FromWorker };
  readonly leader: { readonly to: ToLeader; readonly from: FromLeader };
  readonly pool: { readonly to: ToMember; readonly from: FromMember };
  readonly watcher: { readonly to: ToMember; readonly from: FromMember };
}
export type Role = keyof Roles;

/** A worker as who started it sees it, in a page or in Node. */
export interface Line<To> {
  post(message: To, transfer?: readonly MessagePort[]): void;
  /** At once, in the middle of a sample too. What comes back resolves when it is gone, where that can be known. */
  end(): Promise<unknown> | undefined;
}

/** Who listens to a worker. */
export interface Listener<From> {
  hear(message: From): void;
  fail(error: Error): void;
}

export type StartWorker = <R extends Role>(
  role: R,
  listener: Listener<Roles[R]['from']>,
) => Line<Roles[R]['to']>;

/** A worker that hasn't loaded by then won't; slow lines included. */
const OPEN_DEADLINE_MS = 20_000;

/**
 * A sample says something ten times a second while it lasts. Looked at in steps, so that a machine that wakes from sleep
 * isn't taken for a worker that is stuck.
 */
const SILENCE_LOOK_MS = 10_000;
const SILENT_LOOKS = 3;

const ONE_THREAD: Threads = { asked: 1, granted: 1, reason: null };

/** Workers that are on their way out: the next one waits for them, since they would disturb its cold sample. */
const ending = new Set<Promise<unknown>>();

export function waitUntilEnded(end: Promise<unknown>): void {
  const over = end.finally(() => ending.delete(over));
  ending.add(over);
}

export async function othersEnded(): Promise<void> {
  while (ending.size > 0) await Promise.all(ending);
}

/** Opens a worker with the one-thread package, which may stand in for threads that there are not. */
export async function openOneWorker(
  start: StartWorker,
  threads: Threads = ONE_THREAD,
): Promise<Sampler> {
  await othersEnded();
  const sampler = new RemoteSampler((listener) => start('one-thread', listener), threads);
  try {
    await sampler.opened();
    return sampler;
  } catch (error) {
    sampler.close();
    throw error;
  }
}

/** What the worker was asked for. */
type Pending = { readonly reject: (error: Error) => void } & (
  | {
      readonly type: 'sample';
      readonly resolve: (sample: RawSample) => void;
      readonly onProgress: (progress: SampleProgress) => void;
    }
  | { readonly type: 'calibrate'; readonly resolve: (rounds: number) => void }
);

export class RemoteSampler implements Sampler {
  readonly #line: Line<ToWorker>;
  readonly #threads: Threads;
  readonly #ready: Promise<InstanceAbout>;
  #about: About | null = null;
  #pending: Pending | null = null;
  #settle: (about: InstanceAbout) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #silentLooks = 0;
  readonly #looking = setInterval(() => this.#look(), SILENCE_LOOK_MS);
  readonly #deadline = setTimeout(
    () => this.fail(new Error(`the wasm did not load within ${OPEN_DEADLINE_MS / 1000} s`)),
    OPEN_DEADLINE_MS,
  );

  constructor(start: (listener: Listener<FromWorker>) => Line<ToWorker>, threads: Threads) {
    this.#threads = threads;
    this.#ready = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#reject = reject;
    });
    // Whoever opens it hears of a failure; one that comes later is nobody's.
    this.#ready.catch(() => {});
    try {
      this.#line = start({
        hear: (message) => this.#hear(message),
        fail: (error) => this.fail(error),
      });
    } catch (error) {
      this.#rest();
      throw error;
    }
  }

  get about(): About {
    if (this.#about === null) throw new Error('the worker is not open yet');
    return this.#about;
  }

  async opened(): Promise<void> {
    this.#about = { ...(await this.#ready), threads: this.#threads };
  }

  sample(job: Job, onProgress: (progress: SampleProgress) => void): Promise<RawSample> {
    return new Promise((resolve, reject) => {
      this.noteLife();
      this.#pending = { type: 'sample', resolve, reject, onProgress };
      this.#line.post({ type: 'sample', ...job });
    });
  }

  calibrate(workNs: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.noteLife();
      this.#pending = { type: 'calibrate', resolve, reject };
      this.#line.post({ type: 'calibrate', workNs });
    });
  }

  close(): void {
    const end = this.#line.end();
    if (end !== undefined) waitUntilEnded(end);
    this.fail(new Error('the worker was ended'));
    this.#rest();
  }

  /** It can't be used any more, and whoever waits for something of it hears why. */
  fail(error: Error): void {
    clearTimeout(this.#deadline);
    this.#reject(error);
    this.#pending?.reject(error);
    this.#pending = null;
  }

  /** What is heard of the sample under way in another way than by message. */
  tell(progress: SampleProgress): void {
    if (this.#pending?.type === 'sample') this.#pending.onProgress(progress);
  }

  /** It has shown that it isn't stuck. */
  noteLife(): void {
    this.#silentLooks = 0;
  }

  #hear(message: FromWorker): void {
    this.noteLife();
    if (message.type === 'ready') {
      clearTimeout(this.#deadline);
      this.#settle(message.about);
    } else if (message.type === 'progress') {
      this.tell(message.progress);
    } else if (message.type === 'failed') {
      this.fail(new Error(message.message));
    } else {
      const pending = this.#pending;
      this.#pending = null;
      if (message.type === 'sampled' && pending?.type === 'sample') pending.resolve(message.sample);
      if (message.type === 'calibrated' && pending?.type === 'calibrate')
        pending.resolve(message.rounds);
    }
  }

  #look(): void {
    if (this.#pending === null || ++this.#silentLooks < SILENT_LOOKS) return;
    const seconds = (SILENCE_LOOK_MS * SILENT_LOOKS) / 1000;
    this.fail(new Error(`the worker has said nothing for ${seconds} s`));
    this.close();
  }

  #rest(): void {
    clearInterval(this.#looking);
    clearTimeout(this.#deadline);
  }
}
