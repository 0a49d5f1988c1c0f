/**
 * The twin of src/workload/floor.rs in plain JavaScript: the same cells, loop and counts. It can't be chosen; it is a
 * check on the floor, which would not be the least that could be called a hop if a twin in JavaScript were far below.
 */

import type { RingWorkload, SpawnWorkload } from '../params';
import type { Run, RunReport } from '../sample';
import { check, reportOf } from './report';
import { hopsOf, startOf } from './ring';

export function start(workload: RingWorkload | SpawnWorkload): Run {
  return workload.name === 'ring' ? new FloorRing(workload) : new FloorSpawn(workload);
}

interface Cell {
  readonly function: (cell: Cell, token: number) => number;
  readonly next: number;
  count: number;
}

function pass(cell: Cell, token: number): number {
  cell.count++;
  return token + 1;
}

const NO_FAILURES = { failures: [] };

class FloorRing implements Run {
  phase: string | undefined = 'spawn';
  readonly #workload: RingWorkload;
  readonly #cells: Cell[] = [];
  /** The token that is going round, where it is, and its count. */
  #token = 0;
  #at = 0;
  #count = 0;
  #counts = 0;

  constructor(workload: RingWorkload) {
    this.#workload = workload;
  }

  get done(): number {
    return this.phase === 'spawn' ? this.#cells.length : this.#counts + this.#count;
  }

  get total(): number {
    return this.phase === 'spawn' ? this.#workload.actors : hopsOf(this.#workload);
  }

  slice(budget: number): boolean {
    if (this.phase === 'spawn') return this.#build(budget);
    if (this.phase === 'hop') return this.#hop(budget);
    this.phase = undefined;
    return false;
  }

  report(): RunReport {
    const { actors, laps, tokens } = this.#workload;
    const hops = hopsOf(this.#workload);
    const calls = this.#cells.reduce((sum, { count }) => sum + count, 0);
    const fair = this.#cells.filter(({ count }) => count === laps * tokens).length;
    return reportOf(
      [
        check('hops', hops, this.#counts),
        check('calls of cells', hops, calls),
        check('cells with their share', actors, fair),
      ],
      { spawn: actors, ...(hops > 0 ? { hop: hops } : {}) },
      NO_FAILURES,
    );
  }

  free(): void {}

  #build(budget: number): boolean {
    const { actors, laps } = this.#workload;
    const end = Math.min(actors, this.#cells.length + budget);
    for (let i = this.#cells.length; i < end; i++)
      this.#cells.push({ function: pass, next: (i + 1) % actors, count: 0 });
    if (end < actors) return true;
    this.phase = laps > 0 ? 'hop' : 'check';
    return false;
  }

  #hop(budget: number): boolean {
    const { actors, laps, tokens } = this.#workload;
    const goal = actors * laps;
    for (let left = budget; left > 0 && this.#token < tokens; ) {
      if (this.#count === 0) this.#at = startOf(this.#token, this.#workload);
      const hops = Math.min(left, goal - this.#count);
      left -= hops;
      this.#goRound(hops);
      if (this.#count === goal) {
        this.#counts += this.#count;
        this.#count = 0;
        this.#token++;
      }
    }
    if (this.#token < tokens) return true;
    this.phase = 'check';
    return false;
  }

  #goRound(hops: number): void {
    const cells = this.#cells;
    let at = this.#at;
    let count = this.#count;
    for (let i = 0; i < hops; i++) {
      const cell = cells[at]!;
      count = cell.function(cell, count);
      at = cell.next;
    }
    this.#at = at;
    this.#count = count;
  }
}

class FloorSpawn implements Run {
  phase: string | undefined = 'spawnStop';
  readonly #actors: number;
  readonly #cells: Cell[] = [];
  #allocated = 0;
  #called = 0;
  #freed = 0;

  constructor({ actors }: SpawnWorkload) {
    this.#actors = actors;
  }

  get done(): number {
    return this.#allocated + this.#freed;
  }

  get total(): number {
    return 2 * this.#actors;
  }

  slice(budget: number): boolean {
    if (this.phase === 'spawnStop') return this.#spawnStop(budget);
    this.phase = undefined;
    return false;
  }

  report(): RunReport {
    return reportOf(
      [
        check('allocated', this.#actors, this.#allocated),
        check('called', this.#actors, this.#called),
        check('freed', this.#actors, this.#freed),
      ],
      { spawnStop: this.#actors },
      NO_FAILURES,
    );
  }

  free(): void {}

  #spawnStop(budget: number): boolean {
    let left = budget;
    for (; left > 0 && this.#allocated < this.#actors; left--) {
      const cell: Cell = { function: pass, next: this.#allocated, count: 0 };
      this.#called = cell.function(cell, this.#called);
      this.#cells.push(cell);
      this.#allocated++;
    }
    if (this.#allocated < this.#actors) return true;
    for (; left > 0 && this.#cells.length > 0; left--) this.#freed += this.#cells.pop()!.count;
    if (this.#cells.length > 0) return true;
    this.phase = 'check';
    return false;
  }
}
