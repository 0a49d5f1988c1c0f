/**
 * What a page and its pool tell each other while the leader is in a run and deaf to messages: words in a memory that
 * all of them share, which is not the wasm's.
 *
 * The page has no hold on the wasm's memory, which would stay until somebody in the page collects garbage: it belongs
 * to the workers alone, and is gone with them. So a worker of its own, the watcher, looks at the run's counts for the
 * page and sets the word that stops it. The leader shows where in memory these are, and hides it before they go, under
 * a lock that the watcher takes too: so this never writes where something else is by then.
 */

import type { SampleProgress } from '../sample';

/** Of the runtime's control of a run, see src/parallel/control.rs. */
const COUNTS = 64;
const COUNT_STRIDE_BYTES = 64;

/** Where a run's control is in the wasm's memory, in bytes. */
export interface ControlAddress {
  /** Of the counts of received messages, 64 bits each. */
  readonly counts: number;
  /** Of the word that stops the run when it isn't 0. */
  readonly stop: number;
}

/** While a run uses every core, more often would be in its way. */
export const LOOK_EVERY_MS = 250;

/** Indices of 32-bit words. */
const LOCK = 0;
const IS_STOPPED = 1;
const COUNTS_ADDRESS = 2;
const STOP_ADDRESS = 3;
/** What is known of the phase holds while it is 1. */
const IS_IN_PHASE = 4;
/** Workers that have joined the pool, the watcher included, and those that have left it since. */
const JOINED = 5;
const LEFT = 6;

/** Indices of 64-bit words, behind the others, of which there may be eight. */
const RECEIVED = 4;

/** Indices of 64-bit floating point numbers. */
const TOTAL = 5;
/** Messages received before the phase. */
const BEFORE = 6;
/** When the phase began, in ms since 1970: a worker's clock has an origin of its own. */
const BEGAN = 7;

/** Indices of bytes: the phase's name, ended by 0. */
const NAME = 64;
const BOARD_BYTES = 96;

export function makeBoard(): SharedArrayBuffer {
  return new SharedArrayBuffer(BOARD_BYTES);
}

class Board {
  protected readonly words: Int32Array<SharedArrayBuffer>;
  protected readonly longs: BigInt64Array<SharedArrayBuffer>;
  protected readonly numbers: Float64Array<SharedArrayBuffer>;
  protected readonly bytes: Uint8Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer) {
    this.words = new Int32Array(buffer);
    this.longs = new BigInt64Array(buffer);
    this.numbers = new Float64Array(buffer);
    this.bytes = new Uint8Array(buffer);
  }

  /** Is the pool to end what it does? */
  get isStopped(): boolean {
    return Atomics.load(this.words, IS_STOPPED) !== 0;
  }

  /** Nobody holds the lock for more than some instructions. */
  protected locked<T>(action: () => T): T {
    while (Atomics.compareExchange(this.words, LOCK, 0, 1) !== 0);
    try {
      return action();
    } finally {
      Atomics.store(this.words, LOCK, 0);
    }
  }
}

/** The page's side. */
export class PageBoard extends Board {
  /** Tells the leader, and the run under way, to end. */
  stop(): void {
    Atomics.store(this.words, IS_STOPPED, 1);
    Atomics.notify(this.words, IS_STOPPED);
  }

  /** Are all workers out of the pool that were in it? */
  get isLeft(): boolean {
    return Atomics.load(this.words, LEFT) >= Atomics.load(this.words, JOINED);
  }

  /** How far the phase under way is; null between phases. */
  progress(): SampleProgress | null {
    if (Atomics.load(this.words, IS_IN_PHASE) === 0) return null;
    const name = this.bytes.slice(NAME, BOARD_BYTES);
    const phase = String.fromCharCode(...name.subarray(0, name.indexOf(0)));
    const total = this.numbers[TOTAL]!;
    const received = Number(Atomics.load(this.longs, RECEIVED)) - this.numbers[BEFORE]!;
    const phaseMs = performance.timeOrigin + performance.now() - this.numbers[BEGAN]!;
    // Another one may have begun meanwhile.
    if (Atomics.load(this.words, IS_IN_PHASE) === 0) return null;
    return { phase, done: Math.max(0, Math.min(received, total)), total, phaseMs };
  }
}

/** What a worker does with the board as it comes and goes. */
export class MemberBoard extends Board {
  join(): void {
    Atomics.add(this.words, JOINED, 1);
  }

  /** It will not touch the wasm's memory any more. */
  leave(): void {
    Atomics.add(this.words, LEFT, 1);
  }
}

/** With the wasm's memory at hand. */
class MemoryBoard extends MemberBoard {
  readonly #memory: WebAssembly.Memory;

  constructor(buffer: SharedArrayBuffer, memory: WebAssembly.Memory) {
    super(buffer);
    this.#memory = memory;
  }

  /** Messages received in the run under way; 0 when there is none. */
  protected received(): bigint {
    const address = Atomics.load(this.words, COUNTS_ADDRESS);
    if (address === 0) return 0n;
    const view = new DataView(this.#bufferWith(address + COUNTS * COUNT_STRIDE_BYTES));
    let sum = 0n;
    for (let i = 0; i < COUNTS; i++)
      sum += view.getBigInt64(address + i * COUNT_STRIDE_BYTES, true);
    return sum;
  }

  protected setWord(address: number): void {
    const end = address + Int32Array.BYTES_PER_ELEMENT;
    const memory = new Int32Array(this.#bufferWith(end));
    Atomics.store(memory, address / Int32Array.BYTES_PER_ELEMENT, 1);
  }

  /** The memory, which has so many bytes at least. */
  #bufferWith(bytes: number): ArrayBufferLike {
    // One that has grown elsewhere may be known here by its former size.
    if (bytes > this.#memory.buffer.byteLength) this.#memory.grow(0);
    return this.#memory.buffer;
  }
}

/** The leader's side. */
export class LeaderBoard extends MemoryBoard {
  /** A run begins; its control stays where it is until `hideRun`. */
  showRun(control: ControlAddress): void {
    this.#setControl(control);
  }

  hideRun(): void {
    Atomics.store(this.words, IS_IN_PHASE, 0);
    this.#setControl({ counts: 0, stop: 0 });
  }

  beginPhase(name: string, total: number): void {
    Atomics.store(this.words, IS_IN_PHASE, 0);
    const received = this.received();
    Atomics.store(this.longs, RECEIVED, received);
    this.numbers[BEFORE] = Number(received);
    this.numbers[TOTAL] = total;
    this.numbers[BEGAN] = performance.timeOrigin + performance.now();
    for (let i = NAME; i < BOARD_BYTES; i++) this.bytes[i] = name.charCodeAt(i - NAME) || 0;
    Atomics.store(this.words, IS_IN_PHASE, 1);
  }

  #setControl({ counts, stop }: ControlAddress): void {
    this.locked(() => {
      Atomics.store(this.words, COUNTS_ADDRESS, counts);
      Atomics.store(this.words, STOP_ADDRESS, stop);
    });
  }
}

/** The watcher's side. */
export class WatcherBoard extends MemoryBoard {
  /** Tells how far runs are until it is told to stop, then stops the run under way. Blocks the worker. */
  watch(): void {
    while (!this.isStopped) {
      this.look();
      Atomics.wait(this.words, IS_STOPPED, 0, LOOK_EVERY_MS);
    }
    this.stopRun();
  }

  look(): void {
    if (Atomics.load(this.words, IS_IN_PHASE) === 1)
      Atomics.store(this.longs, RECEIVED, this.received());
  }

  /** A run that isn't shown yet finds out by itself that the leader is stopped. */
  stopRun(): void {
    this.locked(() => {
      const address = Atomics.load(this.words, STOP_ADDRESS);
      if (address !== 0) this.setWord(address);
    });
  }
}
