/**
 * The leader of a pool: takes samples on the wasm package for threads, whose runs block it until they are over. Knows
 * neither page nor worker.
 */

import {
  bytesPerActorEstimate,
  endPool,
  initSync,
  initThreadPool,
  poolThreads,
  Run,
  workRounds,
} from '../pkg-threads/ringspawn_threads.js';
import type { FromLeader, Pool, ToLeader, ToWorker } from '../protocol';
import type { Run as Execution } from '../sample';
import { type Instance, serveSamples } from '../sample-server';
import { compileWasm } from '../wasm-file';
import { LeaderBoard } from './board';
import { grantMemory, makeSharedMemory, usesThreads } from './capability';
import { gatherBy } from './start-workers';

export interface LeaderPlace {
  readonly post: (message: FromLeader) => void;
  readonly loadWasm: () => Promise<ArrayBuffer>;
}

type Order = Extract<ToLeader, { type: 'lead' }>;

/** Posts `loaded`; what comes back answers messages. */
export function leadPool(place: LeaderPlace): (message: ToLeader) => void {
  const leader = new Leader(place);
  place.post({ type: 'loaded' });
  let answer: (message: ToWorker) => void = () => {};
  return (message) => {
    switch (message.type) {
      case 'lead':
        answer = serveSamples({ post: place.post, open: () => leader.open(message) });
        break;
      case 'end':
        leader.end();
        break;
      default:
        answer(message);
    }
  };
}

class Leader {
  readonly #place: LeaderPlace;
  readonly #wasm: Promise<ArrayBuffer>;
  #isPooled = false;
  #isEnded = false;

  constructor(place: LeaderPlace) {
    this.#place = place;
    this.#wasm = place.loadWasm();
    // Who opens it hears of a failure.
    this.#wasm.catch(() => {});
  }

  async open({ board, workers, watcher }: Order): Promise<Instance> {
    const bytes = await this.#wasm;
    const module = await compileWasm(bytes);
    const memory = grantMemory(makeSharedMemory);
    initSync({ module, memory });
    gatherBy(async (start) => {
      if (this.#isEnded) throw new Error('the pool was ended before it began');
      this.#place.post({ type: 'starting' });
      const pool: Pool = { ...start, board };
      await Promise.all([...workers, watcher].map((member) => takeIn(member, pool)));
    });
    await initThreadPool(workers.length);
    this.#isPooled = true;
    if (this.#isEnded) {
      endPool();
      throw new Error('the pool was ended as it began');
    }
    // Each of them answers, or this is one of the starts that never end.
    const granted = poolThreads();
    if (granted !== workers.length)
      throw new Error(`the pool has ${granted} threads instead of ${workers.length}`);
    const words = new LeaderBoard(board, memory);
    return {
      wasmBytes: bytes.byteLength,
      start: (workload, contender) => new WatchedRun(new Run(contender, workload), words),
      bytesPerActor: (workload, contender) =>
        usesThreads(contender) ? bytesPerActorEstimate(workload, contender) : null,
      isSlicedByPhase: true,
      compute: workRounds,
    };
  }

  /** What is loaded only is ended with its worker. */
  end(): void {
    this.#isEnded = true;
    if (this.#isPooled) endPool();
    this.#place.post({ type: 'ended' });
  }
}

/** Resolves when the member takes part. */
function takeIn(member: MessagePort, pool: Pool): Promise<void> {
  return new Promise((resolve) => {
    member.onmessage = () => {
      member.close();
      resolve();
    };
    member.postMessage(pool);
  });
}

/** A run that the page can watch and stop while it blocks the leader. */
class WatchedRun implements Execution {
  readonly #run: Run;
  readonly #board: LeaderBoard;

  constructor(run: Run, board: LeaderBoard) {
    this.#run = run;
    this.#board = board;
    const { control } = run;
    if (control !== undefined) board.showRun(control);
  }

  get phase(): string | undefined {
    return this.#run.phase;
  }

  get done(): number {
    return this.#run.done;
  }

  get total(): number {
    return this.#run.total;
  }

  slice(budget: number): boolean {
    this.#board.beginPhase(this.#run.phase ?? '', this.#run.total);
    const hasMore = !this.#board.isStopped && this.#run.slice(budget);
    if (this.#board.isStopped) throw new Error('the run was stopped');
    return hasMore;
  }

  report(): ReturnType<Execution['report']> {
    return this.#run.report();
  }

  free(): void {
    this.#board.hideRun();
    this.#run.free();
  }
}
