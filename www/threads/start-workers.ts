/**
 * How wasm-bindgen-rayon has its workers started: the package for threads imports this in the place of what came with
 * it. Whoever loads the package says who starts them, since that is not for it to decide.
 */

import type { Pool } from '../protocol';

/** Resolves when so many workers have joined the pool; rejects when one can't. */
export type GatherWorkers = (pool: Pool, workers: number) => Promise<void>;

let gather: GatherWorkers | null = null;

export function gatherBy(how: GatherWorkers): void {
  gather = how;
}

interface PoolBuilder {
  numThreads(): number;
  receiver(): number;
  build(): void;
  free(): void;
}

export async function startWorkers(
  module: WebAssembly.Module,
  _memory: WebAssembly.Memory,
  builder: PoolBuilder,
): Promise<void> {
  if (gather === null) throw new Error('nobody has said how the workers of a pool are started');
  await gather({ module, receiver: builder.receiver() }, builder.numThreads());
  // Waits until each worker has taken up its thread; then nobody needs the builder any more.
  builder.build();
  builder.free();
}
