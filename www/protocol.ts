/** Every message between a page, or a program in Node, and its workers. One sample at a time. */

import type { ContenderName, ReadyWorkload, WorkloadName } from './params';
import type { RawSample, SampleProgress } from './sample';

/** What to take a sample of. */
export interface Job {
  readonly workload: ReadyWorkload;
  readonly contender: ContenderName;
}

/** To a worker that takes samples, which is ended to cancel. */
export type ToWorker =
  | ({ readonly type: 'sample' } & Job)
  /** Asks how many rounds take so long; before the first sample, and on one thread only. */
  | { readonly type: 'calibrate'; readonly workNs: number };

export type FromWorker =
  | { readonly type: 'ready'; readonly about: InstanceAbout }
  | { readonly type: 'progress'; readonly progress: SampleProgress }
  | { readonly type: 'sampled'; readonly sample: RawSample }
  | { readonly type: 'calibrated'; readonly rounds: number }
  /** The instance can't be used any more. */
  | { readonly type: 'failed'; readonly message: string };

/** To the leader: the worker that takes samples on a pool of others, each of which it reaches by a port. */
export type ToLeader =
  | ToWorker
  | {
      readonly type: 'lead';
      /** See www/threads/board.ts. */
      readonly board: SharedArrayBuffer;
      readonly workers: readonly MessagePort[];
      readonly watcher: MessagePort;
    }
  | { readonly type: 'end' };

export type FromLeader =
  | FromWorker
  | { readonly type: 'loaded' }
  /** The wasm is loaded, and the pool begins. */
  | { readonly type: 'starting' }
  /** The pool is ended. */
  | { readonly type: 'ended' };

/** To a worker of a pool, or its watcher: where the leader will tell it of the pool, and hear that it has joined. */
export type ToMember = { readonly type: 'join'; readonly leader: MessagePort };

export type FromMember =
  | { readonly type: 'loaded' }
  /** It has left the pool: as it was to, or for this reason. */
  | { readonly type: 'left'; readonly message: string };

/** What the leader tells each member of the pool. */
export interface Pool {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly board: SharedArrayBuffer;
  /** Where in memory workers are told what to do. */
  readonly receiver: number;
}

/** What the leader hears of a member once it takes part. */
export const JOINED = 'joined';

/** What an instance says of itself once it is loaded. */
export interface InstanceAbout {
  readonly clockStepMs: number;
  readonly wasmBytes: number | null;
  readonly bytesPerActor: BytesPerActor;
}

export interface About extends InstanceAbout {
  readonly threads: Threads;
}

/** How many threads were asked for and are there. */
export interface Threads {
  readonly asked: number;
  readonly granted: number;
  /** Why there are fewer, in words that can follow “because”. */
  readonly reason: string | null;
}

/** Null for a contender that doesn't live in the wasm's memory. */
export type BytesPerActor = Readonly<
  Record<WorkloadName, Readonly<Record<ContenderName, number | null>>>
>;
