/** The wasm package that runs on one thread. */

import { bytesPerActorEstimate, initSync, Run, workRounds } from './pkg/ringspawn.js';
import type { Instance } from './sample-server';
import { compileWasm } from './wasm-file';

/** What runs in the place of contenders that use threads where there are none. */
const STAND_INS: Readonly<Partial<Record<string, string>>> = {
  'actors/threads': 'actors/handler',
  'actors/threads-async': 'actors/async',
};

export async function openOneThread(bytes: ArrayBuffer): Promise<Instance> {
  initSync({ module: await compileWasm(bytes) });
  const standIn = (contender: string): string => STAND_INS[contender] ?? contender;
  return {
    wasmBytes: bytes.byteLength,
    start: (workload, contender) => new Run(standIn(contender), workload),
    bytesPerActor: (workload, contender) => bytesPerActorEstimate(workload, standIn(contender)),
    isSlicedByPhase: false,
    compute: workRounds,
  };
}
