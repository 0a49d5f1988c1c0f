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

/** To the leader: the worker that takes samples on a pool of others, which it has the page make. */
export type ToLeader =
  | ToWorker
  | ({ readonly type: 'lead'; readonly threads: number } & Shared)
  /** Every worker of the pool is in. */
  | { readonly type: 'joined' }
  | { readonly type: 'end' };

export type FromLeader =
  | FromWorker
  /** Asks for the pool's workers to join it. */
  | ({ readonly type: 'gather' } & Pool)
  /** The pool is ended. */
  | { readonly type: 'ended' };

/** What a pool, its leader and who started them share. */
export interface Shared {
  readonly memory: WebAssembly.Memory;
  /** See www/threads/board.ts. */
  readonly board: SharedArrayBuffer;
}

/** What a worker needs to join a pool. */
export interface Pool {
  readonly module: WebAssembly.Module;
  /** Where in memory they are told what to do. */
  readonly receiver: number;
}

export type ToPoolWorker = { readonly type: 'join' } & Pool & Shared;

export type FromPoolWorker =
  | { readonly type: 'joined' }
  /** It has ended: how it was stopped from outside, or why it broke. */
  | { readonly type: 'ended'; readonly message: string };

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
