/** Every message between the page and its worker. One sample at a time; the worker is ended to cancel. */

import type { ContenderName, Workload, WorkloadName } from './params';
import type { RawSample, SampleProgress } from './sample';

export type ToWorker = {
  readonly type: 'sample';
  readonly workload: Workload;
  readonly contender: ContenderName;
};

export type FromWorker =
  | { readonly type: 'ready'; readonly about: About }
  | { readonly type: 'progress'; readonly progress: SampleProgress }
  | { readonly type: 'sampled'; readonly sample: RawSample }
  /** The instance can't be used any more. */
  | { readonly type: 'failed'; readonly message: string };

/** What an instance says of itself once it is loaded. */
export interface About {
  readonly clockStepMs: number;
  readonly wasmBytes: number | null;
  readonly bytesPerActor: BytesPerActor;
}

/** Null for a contender that doesn't live in the wasm's memory. */
export type BytesPerActor = Readonly<
  Record<WorkloadName, Readonly<Record<ContenderName, number | null>>>
>;
