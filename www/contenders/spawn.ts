/** What all spawn workloads of the browser's own contenders report, under the names of the workload in Rust. */

import type { RunReport } from '../sample';
import { type Books, bookCheck, check, reportOf } from './report';

export interface SpawnBooks extends Books {
  readonly spawned: number;
  readonly stopped: number;
  /** Actors alive when the last one was spawned. */
  readonly mostAlive: number;
  /** Stop messages that an actor handled. */
  readonly stopsHandled: number;
}

export function spawnReport(actors: number, books: SpawnBooks): RunReport {
  const { spawned, started, stopped, mostAlive, stopsHandled, failures } = books;
  return reportOf(
    [
      check('spawned', actors, spawned),
      check('started', actors, started),
      check('alive at once', actors, mostAlive),
      check('stopped', actors, stopped),
      check('stop messages handled', actors, stopsHandled),
      check('failed', 0, failures.length),
      check('alive at the end', 0, spawned - stopped),
      bookCheck(books),
    ],
    { spawn: actors, stop: actors },
    books,
  );
}
