/**
 * What a leader and its page tell each other while the leader is in a run and deaf to messages: words in memory that
 * both share.
 *
 * While a run is under way the leader shows where in the wasm's memory its counts are and the word that stops it. The
 * page sets that word under a lock, which the leader takes to show or hide a run: so it never writes where something
 * else is by then.
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

/** Indices of 32-bit words. */
const LOCK = 0;
const IS_STOPPED = 1;
const COUNTS_ADDRESS = 2;
const STOP_ADDRESS = 3;
/** What is known of the phase holds while it is 1. */
const IS_IN_PHASE = 4;
/** Workers of the pool that have left it. */
const LEFT = 5;

/** Indices of 64-bit floating point numbers, behind the words, of which there may be eight. */
const TOTAL = 4;
/** Messages received before the phase. */
const BEFORE = 5;
/** When the phase began, in ms since 1970: a worker's clock has an origin of its own. */
const BEGAN = 6;

/** Indices of bytes: the phase's name, ended by 0. */
const NAME = 64;
const BOARD_BYTES = 96;

/** A worker of the pool will not touch the memory any more. */
export function noteLeft(board: SharedArrayBuffer): void {
  Atomics.add(new Int32Array(board), LEFT, 1);
}

/** The leader holds the lock for some instructions only. */
const MOST_TRIES = 100_000;

class Words {
  readonly buffer: SharedArrayBuffer;
  readonly int: Int32Array<SharedArrayBuffer>;
  readonly float: Float64Array<SharedArrayBuffer>;
  readonly byte: Uint8Array<SharedArrayBuffer>;
  readonly memory: WebAssembly.Memory;

  constructor(buffer: SharedArrayBuffer, memory: WebAssembly.Memory) {
    this.buffer = buffer;
    this.int = new Int32Array(buffer);
    this.float = new Float64Array(buffer);
    this.byte = new Uint8Array(buffer);
    this.memory = memory;
  }

  get isStopped(): boolean {
    return Atomics.load(this.int, IS_STOPPED) !== 0;
  }

  tryLock(): boolean {
    return Atomics.compareExchange(this.int, LOCK, 0, 1) === 0;
  }

  unlock(): void {
    Atomics.store(this.int, LOCK, 0);
  }

  /** Messages received in the run under way, about; null when there is none. */
  received(): number | null {
    const address = Atomics.load(this.int, COUNTS_ADDRESS);
    if (address === 0) return null;
    const view = new DataView(this.bufferWith(address + COUNTS * COUNT_STRIDE_BYTES));
    let sum = 0;
    for (let i = 0; i < COUNTS; i++)
      sum += Number(view.getBigUint64(address + i * COUNT_STRIDE_BYTES, true));
    return sum;
  }

  /** The wasm's memory, which has so many bytes at least. */
  bufferWith(bytes: number): ArrayBufferLike {
    // One that has grown elsewhere may be known here by its former size.
    if (bytes > this.memory.buffer.byteLength) this.memory.grow(0);
    return this.memory.buffer;
  }
}

/** The leader's side. */
export class LeaderBoard {
  readonly #words: Words;

  constructor(buffer: SharedArrayBuffer, memory: WebAssembly.Memory) {
    this.#words = new Words(buffer, memory);
  }

  /** Is the leader to end what it does? */
  get isStopped(): boolean {
    return this.#words.isStopped;
  }

  /** A run begins; its control stays where it is until `hideRun`. */
  showRun(control: ControlAddress): void {
    this.#setControl(control);
  }

  hideRun(): void {
    Atomics.store(this.#words.int, IS_IN_PHASE, 0);
    this.#setControl({ counts: 0, stop: 0 });
  }

  beginPhase(name: string, total: number): void {
    const { int, float, byte } = this.#words;
    Atomics.store(int, IS_IN_PHASE, 0);
    float[TOTAL] = total;
    float[BEFORE] = this.#words.received() ?? 0;
    float[BEGAN] = performance.timeOrigin + performance.now();
    for (let i = NAME; i < BOARD_BYTES; i++) byte[i] = name.charCodeAt(i - NAME) || 0;
    Atomics.store(int, IS_IN_PHASE, 1);
  }

  #setControl({ counts, stop }: ControlAddress): void {
    while (!this.#words.tryLock());
    Atomics.store(this.#words.int, COUNTS_ADDRESS, counts);
    Atomics.store(this.#words.int, STOP_ADDRESS, stop);
    this.#words.unlock();
  }
}

/** The page's side. */
export class PageBoard {
  readonly #words: Words;

  constructor(memory: WebAssembly.Memory) {
    this.#words = new Words(new SharedArrayBuffer(BOARD_BYTES), memory);
  }

  /** To be handed to the leader. */
  get buffer(): SharedArrayBuffer {
    return this.#words.buffer;
  }

  /** Tells the leader, and the run under way, to end. */
  stop(): void {
    const { int } = this.#words;
    Atomics.store(int, IS_STOPPED, 1);
    for (let tries = 0; !this.#words.tryLock(); tries++) if (tries > MOST_TRIES) return;
    const address = Atomics.load(int, STOP_ADDRESS);
    if (address !== 0) {
      const memory = new Int32Array(this.#words.bufferWith(address + Int32Array.BYTES_PER_ELEMENT));
      Atomics.store(memory, address / Int32Array.BYTES_PER_ELEMENT, 1);
    }
    this.#words.unlock();
  }

  /** How many workers have left the pool. */
  get left(): number {
    return Atomics.load(this.#words.int, LEFT);
  }

  /** How far the phase under way is; null between phases. */
  progress(): SampleProgress | null {
    const { int, float, byte } = this.#words;
    if (Atomics.load(int, IS_IN_PHASE) === 0) return null;
    const name = byte.slice(NAME, BOARD_BYTES);
    const phase = String.fromCharCode(...name.subarray(0, name.indexOf(0)));
    const total = float[TOTAL]!;
    const done = (this.#words.received() ?? 0) - float[BEFORE]!;
    const phaseMs = performance.timeOrigin + performance.now() - float[BEGAN]!;
    // Another one may have begun meanwhile.
    if (Atomics.load(int, IS_IN_PHASE) === 0) return null;
    return { phase, done: Math.max(0, Math.min(done, total)), total, phaseMs };
  }
}
