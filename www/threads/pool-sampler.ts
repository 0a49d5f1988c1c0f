/**
 * Takes samples on a pool of workers, wherever those run: a leader, which owns the wasm instance, and workers that
 * share its memory. All of them are started here and not by the leader, so that none is left when it is ended in the
 * middle of a run, and since workers that start workers get stuck in some browsers.
 */

import type { Sampler } from '../measure';
import type {
  About,
  FromLeader,
  FromPoolWorker,
  FromWorker,
  Job,
  Pool,
  Shared,
  ToLeader,
  ToPoolWorker,
} from '../protocol';
import {
  type Line,
  openOneWorker,
  othersEnded,
  RemoteSampler,
  type StartWorker,
  waitUntilEnded,
} from '../remote-sampler';
import type { RawSample, SampleProgress } from '../sample';
import { messageOf } from '../wasm-file';
import { PageBoard } from './board';
import { findCapability, type Surroundings } from './capability';

/**
 * From when the leader has compiled the wasm until the pool runs: a hundredth of it is usual. Starting a pool is where
 * engines have been seen to wait for ever.
 */
const START_MS = 5000;

/** Workers end by themselves well within that, unless they hang. */
const END_MS = 300;

/** While a run uses every core, more often would be in its way. */
const PROGRESS_EVERY_MS = 250;

/** Opens a pool of so many threads, or, where there can be none, one thread and the reason. */
export async function openPool(
  start: StartWorker,
  here: Surroundings,
  threads: number,
): Promise<Sampler> {
  await othersEnded();
  let { memory, reason } = findCapability(here);
  if (memory !== null) {
    try {
      return await PoolSampler.open(start, memory, threads);
    } catch (error) {
      reason = `${messageOf(error)}, so threads are off`;
    }
  }
  return openOneWorker(start, { asked: threads, granted: 1, reason });
}

/** Those that are open. */
const pools = new Set<PoolSampler>();

/**
 * Before the page is left. Chromium keeps a page that was left for a while, in case somebody comes back, and with it
 * workers that don't leave by themselves: so this waits for them, on the spot.
 */
export function endAllPools(): void {
  for (const pool of pools) pool.endOnTheSpot();
}

class PoolSampler implements Sampler {
  readonly #threads: number;
  readonly #board: PageBoard;
  readonly #shared: Shared;
  readonly #leader: RemoteSampler;
  readonly #crew: Crew;
  #line: Line<ToLeader> | null = null;
  readonly #looking = setInterval(() => this.#look(), PROGRESS_EVERY_MS);
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #lastDone = 0;
  #isClosed = false;
  #noteLeaderEnded = (): void => {};
  readonly #leaderEnded = new Promise<void>((resolve) => {
    this.#noteLeaderEnded = resolve;
  });

  static async open(
    start: StartWorker,
    memory: WebAssembly.Memory,
    threads: number,
  ): Promise<Sampler> {
    const pool = new PoolSampler(start, memory, threads);
    try {
      await pool.#leader.opened();
      return pool;
    } catch (error) {
      pool.close();
      throw error;
    }
  }

  private constructor(start: StartWorker, memory: WebAssembly.Memory, threads: number) {
    this.#threads = threads;
    this.#board = new PageBoard(memory);
    this.#shared = { memory, board: this.#board.buffer };
    this.#crew = new Crew((error) => this.#leader.fail(error));
    this.#leader = new RemoteSampler(
      (listener) => {
        this.#line = start('leader', {
          hear: (message) => {
            if (this.#isForSampler(message)) listener.hear(message);
          },
          fail: (error) => listener.fail(error),
        });
        return this.#line;
      },
      { asked: threads, granted: threads, reason: null },
    );
    pools.add(this);
    try {
      this.#crew.start(start, threads);
      this.#line?.post({ type: 'lead', threads, ...this.#shared });
    } catch (error) {
      this.end();
      throw error;
    }
  }

  get about(): About {
    return this.#leader.about;
  }

  calibrate(workNs: number): Promise<number> {
    return this.#leader.calibrate(workNs);
  }

  sample(job: Job, onProgress: (progress: SampleProgress) => void): Promise<RawSample> {
    this.#lastDone = 0;
    return this.#leader.sample(job, onProgress);
  }

  /** Has the run under way and the pool end by themselves, for which a moment is given, and then ends all. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#look();
    this.#tellToEnd();
    this.#leader.fail(new Error('the pool was ended'));
    const byThemselves = Promise.all([this.#leaderEnded, this.#crew.ended]);
    waitUntilEnded(Promise.race([byThemselves, wait(END_MS)]).then(() => this.end()));
  }

  endOnTheSpot(): void {
    this.#tellToEnd();
    const start = performance.now();
    while (this.#board.left < this.#crew.joined && performance.now() - start < END_MS);
    this.end();
  }

  /** Ends all at once. */
  end(): void {
    this.#isClosed = true;
    pools.delete(this);
    clearInterval(this.#looking);
    clearTimeout(this.#deadline);
    this.#board.stop();
    this.#leader.close();
    this.#crew.end();
  }

  #tellToEnd(): void {
    this.#board.stop();
    this.#line?.post({ type: 'end' });
  }

  /** What is no message of a pool is a sampler's. */
  #isForSampler(message: FromLeader): message is FromWorker {
    switch (message.type) {
      case 'gather':
        this.#gather(message);
        return false;
      case 'ended':
        this.#noteLeaderEnded();
        return false;
      case 'ready':
        clearTimeout(this.#deadline);
        return true;
      default:
        return true;
    }
  }

  #gather({ module, receiver }: Pool): void {
    this.#deadline = setTimeout(
      () =>
        this.#leader.fail(
          new Error(`a pool of ${this.#threads} threads did not start within ${START_MS / 1000} s`),
        ),
      START_MS,
    );
    this.#crew
      .join({ type: 'join', module, receiver, ...this.#shared })
      .then(() => this.#line?.post({ type: 'joined' }));
  }

  #look(): void {
    const progress = this.#board.progress();
    if (progress === null) return;
    if (progress.done !== this.#lastDone) this.#leader.noteLife();
    this.#lastDone = progress.done;
    this.#leader.tell(progress);
  }
}

/** The pool's workers but for the leader. */
class Crew {
  readonly #lines: Line<ToPoolWorker>[] = [];
  readonly #fail: (error: Error) => void;
  joined = 0;
  #ended = 0;
  #noteJoined = (): void => {};
  #noteEnded = (): void => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#noteEnded = resolve;
  });

  constructor(fail: (error: Error) => void) {
    this.#fail = fail;
  }

  start(start: StartWorker, size: number): void {
    while (this.#lines.length < size)
      this.#lines.push(
        start('pool', {
          hear: (message) => this.#hear(message),
          fail: (error) => this.#fail(error),
        }),
      );
  }

  /** Resolves when all have joined. */
  join(message: ToPoolWorker): Promise<void> {
    return new Promise((resolve) => {
      this.#noteJoined = resolve;
      for (const line of this.#lines) line.post(message);
    });
  }

  end(): void {
    for (const line of this.#lines) {
      const end = line.end();
      if (end !== undefined) waitUntilEnded(end);
    }
  }

  #hear(message: FromPoolWorker): void {
    if (message.type === 'joined') {
      if (++this.joined === this.#lines.length) this.#noteJoined();
      return;
    }
    // Nobody listens any more when it was told to.
    this.#fail(new Error(`a worker of the pool ended: ${message.message}`));
    if (++this.#ended === this.#lines.length) this.#noteEnded();
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
