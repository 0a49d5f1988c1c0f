/**
 * Takes samples on a pool of workers, wherever those run: a leader, which owns the wasm instance, and workers that
 * share its memory, one of which only watches. All of them are started here and not by the leader, so that none is left
 * when it is ended in the middle of a run, and since workers that start workers get stuck in Firefox while it is
 * automated.
 */

import type { Sampler } from '../measure';
import type { About, FromLeader, FromWorker, Job, ToLeader, ToMember } from '../protocol';
import {
  type Line,
  openOneWorker,
  othersEnded,
  RemoteSampler,
  type StartWorker,
  waitUntilEnded,
} from '../remote-sampler';
import type { RawSample, SampleProgress } from '../sample';
import { LOOK_EVERY_MS, makeBoard, PageBoard } from './board';
import { withoutThreads } from './capability';

/**
 * From when the leader has compiled the wasm until the pool runs: a hundredth of it is usual. Starting a pool is where
 * engines have been seen to wait for ever.
 */
const START_MS = 5000;

/** Workers end by themselves well within that, unless they hang. */
const END_MS = 300;

/**
 * Opens a pool of so many threads, or, where there can be none for the reason given or because it doesn't start, one
 * thread.
 */
export async function openPool(
  start: StartWorker,
  reasonAgainst: string | null,
  threads: number,
): Promise<Sampler> {
  await othersEnded();
  let reason = reasonAgainst;
  if (reason === null) {
    try {
      return await PoolSampler.open(start, threads);
    } catch (error) {
      reason = withoutThreads(error);
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
  readonly #buffer = makeBoard();
  readonly #board = new PageBoard(this.#buffer);
  readonly #leader: RemoteSampler;
  readonly #members = new Members((error) => this.#leader.fail(error));
  #line: Line<ToLeader> | null = null;
  readonly #workers: readonly MessagePort[];
  readonly #watcher: MessagePort;
  readonly #looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #lastDone = 0;
  #isClosed = false;
  #noteLeaderEnded = (): void => {};
  readonly #leaderEnded = new Promise<void>((resolve) => {
    this.#noteLeaderEnded = resolve;
  });

  static async open(start: StartWorker, threads: number): Promise<Sampler> {
    const pool = new PoolSampler(start, threads);
    try {
      await pool.#leader.opened();
      return pool;
    } catch (error) {
      pool.close();
      throw error;
    }
  }

  private constructor(start: StartWorker, threads: number) {
    this.#threads = threads;
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
      this.#workers = Array.from({ length: threads }, () => this.#members.start(start, 'pool'));
      this.#watcher = this.#members.start(start, 'watcher');
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
    const byThemselves = Promise.all([this.#leaderEnded, this.#members.left]);
    waitUntilEnded(Promise.race([byThemselves, wait(END_MS)]).then(() => this.end()));
  }

  endOnTheSpot(): void {
    this.#tellToEnd();
    const start = performance.now();
    while (!this.#board.isLeft && performance.now() - start < END_MS);
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
    this.#members.end();
  }

  #tellToEnd(): void {
    this.#board.stop();
    this.#line?.post({ type: 'end' });
  }

  /** What is no message of a pool is a sampler's. */
  #isForSampler(message: FromLeader): message is FromWorker {
    switch (message.type) {
      case 'loaded':
        if (!this.#isClosed) this.#handOver();
        return false;
      case 'starting':
        this.#expectStart();
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

  /** Not before the leader is loaded, for the same reason as in `Members`. */
  #handOver(): void {
    const [workers, watcher] = [this.#workers, this.#watcher];
    const order = { type: 'lead', board: this.#buffer, workers, watcher } as const;
    this.#line?.post(order, [...workers, watcher]);
  }

  #expectStart(): void {
    const words = `a pool of ${this.#threads} threads did not start within ${START_MS / 1000} s`;
    this.#deadline = setTimeout(() => this.#leader.fail(new Error(words)), START_MS);
  }

  #look(): void {
    const progress = this.#board.progress();
    if (progress === null) return;
    if (progress.done !== this.#lastDone) this.#leader.noteLife();
    this.#lastDone = progress.done;
    this.#leader.tell(progress);
  }
}

/** The workers of a pool and its watcher. */
class Members {
  readonly #lines: Line<ToMember>[] = [];
  readonly #fail: (error: Error) => void;
  #waiting = 0;
  #noteLeft = (): void => {};
  /** Resolves when all have left the pool by themselves. */
  readonly left = new Promise<void>((resolve) => {
    this.#noteLeft = resolve;
  });

  constructor(fail: (error: Error) => void) {
    this.#fail = fail;
  }

  /**
   * Gives the port by which the leader reaches it. Its own end it gets when it is loaded: in Firefox a worker that can't
   * be loaded would stay for good, had it been sent a port to which something is posted.
   */
  start(start: StartWorker, role: 'pool' | 'watcher'): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const line = start(role, {
      hear: (message) => {
        if (message.type === 'left') this.#noteLeaving(role, message.message);
        else line.post({ type: 'join', leader: port2 }, [port2]);
      },
      fail: (error) => this.#fail(error),
    });
    this.#lines.push(line);
    this.#waiting++;
    return port1;
  }

  end(): void {
    for (const line of this.#lines) {
      const end = line.end();
      if (end !== undefined) waitUntilEnded(end);
    }
  }

  #noteLeaving(role: 'pool' | 'watcher', reason: string): void {
    // Nobody listens any more when it was to leave.
    const who = role === 'pool' ? 'a worker' : 'the watcher';
    this.#fail(new Error(`${who} of the pool ended: ${reason}`));
    if (--this.#waiting === 0) this.#noteLeft();
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
