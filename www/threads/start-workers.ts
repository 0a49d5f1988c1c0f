/**
 * How wasm-bindgen-rayon has its workers started: the package for threads imports this in the place of what came with
 * it. Whoever loads the package says who they are, since that is not for it to decide.
 */

/** What a worker needs to take part. */
export interface Start {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Where in memory it is told what to do. */
  readonly receiver: number;
}

/** Resolves when all workers take part. */
export type GatherWorkers = (start: Start) => Promise<void>;

let gather: GatherWorkers | null = null;

export function gatherBy(how: GatherWorkers): void {
  gather = how;
}

interface PoolBuilder {
  receiver(): number;
  build(): void;
  free(): void;
}

export async function startWorkers(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  builder: PoolBuilder,
): Promise<void> {
  if (gather === null) throw new Error('nobody has said who the workers of the pool are');
  await gather({ module, memory, receiver: builder.receiver() });
  // Waits until each worker has taken up its thread; then nobody needs the builder any more.
  builder.build();
  builder.free();
}
