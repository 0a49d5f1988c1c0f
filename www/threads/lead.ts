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
import type { FromLeader, ToLeader, ToWorker } from '../protocol';
import type { Run as Execution } from '../sample';
import { type Instance, serveSamples } from '../sample-server';
import { compileWasm } from '../wasm-file';
import { LeaderBoard } from './board';
import { usesThreads } from './capability';
import { gatherBy } from './start-workers';

export interface LeaderPlace {
  readonly post: (message: FromLeader) => void;
  readonly loadWasm: () => Promise<ArrayBuffer>;
}

type Order = Extract<ToLeader, { type: 'lead' }>;

/** What comes back answers messages. */
export function leadPool(place: LeaderPlace): (message: ToLeader) => void {
  let answer: (message: ToWorker) => void = () => {};
  let joined = (): void => {};
  let isPooled = false;
  gatherBy((pool) => {
    place.post({ type: 'gather', ...pool });
    return new Promise((resolve) => {
      joined = resolve;
    });
  });
  return (message) => {
    switch (message.type) {
      case 'lead':
        answer = serveSamples({ post: place.post, open: () => open(place, message) });
        break;
      case 'joined':
        isPooled = true;
        joined();
        break;
      case 'sample':
        answer(message);
        break;
      case 'end':
        if (isPooled) endPool();
        place.post({ type: 'ended' });
    }
  };
}

async function open(place: LeaderPlace, { memory, board, threads }: Order): Promise<Instance> {
  const bytes = await place.loadWasm();
  initSync({ module: await compileWasm(bytes), memory });
  await initThreadPool(threads);
  // Each of them answers, or this is one of the starts that never end.
  const granted = poolThreads();
  if (granted !== threads) throw new Error(`the pool has ${granted} threads instead of ${threads}`);
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
