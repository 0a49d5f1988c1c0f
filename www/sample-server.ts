/**
 * Takes samples on one wasm instance, one when told to. Knows neither page nor worker: whoever owns it brings the
 * wasm's bytes and passes the messages.
 */

import { CONTENDERS, type ContenderName, WORKLOADS, type WorkloadName } from './params';
import { bytesPerActorEstimate, initSync, Run } from './pkg/ringspawn.js';
import type { About, FromWorker, ToWorker } from './protocol';
import { clockStep, SampleTaker } from './sample';

export interface Place {
  readonly post: (message: FromWorker) => void;
  readonly loadWasm: () => Promise<ArrayBuffer>;
}

/** Posts `ready` or `failed` when it is open; what comes back answers messages from then on. */
export function serveSamples(place: Place): (message: ToWorker) => void {
  let taker: SampleTaker | null = null;
  open(place).then(
    (opened) => {
      taker = opened.taker;
      place.post({ type: 'ready', about: opened.about });
    },
    (error: unknown) => place.post({ type: 'failed', message: sentence(error) }),
  );
  return ({ workload, contender }) => {
    try {
      if (taker === null) throw new Error('the worker was asked for a sample before it was ready');
      const sample = taker.take(workload, contender, (progress) =>
        place.post({ type: 'progress', progress }),
      );
      place.post({ type: 'sampled', sample });
    } catch (error) {
      place.post({ type: 'failed', message: sentence(error) });
    }
  };
}

async function open(place: Place): Promise<{ taker: SampleTaker; about: About }> {
  if (typeof WebAssembly !== 'object') throw new Error('this browser has WebAssembly switched off');
  const bytes = await place.loadWasm();
  initSync({ module: await compile(bytes) });
  const stepMs = clockStep(() => performance.now());
  const taker = new SampleTaker(
    (workload, contender) => {
      const { laps, tokens } = workload.name === 'ring' ? workload : { laps: 0, tokens: 0 };
      return new Run(workload.name, contender, workload.actors, laps, tokens);
    },
    { now: () => performance.now(), stepMs },
  );
  const about = {
    clockStepMs: stepMs,
    wasmBytes: bytes.byteLength,
    bytesPerActor: estimates(),
  };
  return { taker, about };
}

async function compile(bytes: ArrayBuffer): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice = /unsafe-eval|Content Security Policy|CSP/i.test(reason)
      ? "; the page's script-src needs 'wasm-unsafe-eval'"
      : '';
    throw new Error(`this browser would not compile the wasm: ${reason}${advice}`);
  }
}

function isInWasm(contender: ContenderName): boolean {
  return contender.startsWith('actors/') || contender === 'floor';
}

function estimates(): About['bytesPerActor'] {
  const of = (workload: WorkloadName): Record<ContenderName, number | null> =>
    Object.fromEntries(
      CONTENDERS.map((contender) => [
        contender,
        isInWasm(contender) ? bytesPerActorEstimate(workload, contender) : null,
      ]),
    ) as Record<ContenderName, number | null>;
  return Object.fromEntries(
    WORKLOADS.map((workload) => [workload, of(workload)]),
  ) as About['bytesPerActor'];
}

/** An instance that trapped says only `unreachable` or the like: the sentence says what that means. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof RangeError || error.name === 'InternalError')
    return `stack overflow: the wasm instance ended (${error.message})`;
  if (typeof WebAssembly === 'object' && error instanceof WebAssembly.RuntimeError) {
    return `out of memory or broken: the wasm instance ended (${error.message})`;
  }
  return error.message;
}
