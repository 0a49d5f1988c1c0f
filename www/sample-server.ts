/**
 * Takes samples, one when told to: on one wasm instance, or of what is no wasm at all. Knows neither page nor worker:
 * whoever owns it brings the wasm's bytes and passes the messages.
 */

import { loadTaker, type Taker } from './contenders/load';
import { CONTENDERS, type ContenderName, WORKLOADS, type WorkloadName } from './params';
import { bytesPerActorEstimate, initSync, Run } from './pkg/ringspawn.js';
import type { About, FromWorker, ToWorker } from './protocol';
import { type Clock, clockStep, type SampleProgress, SampleTaker } from './sample';

export interface Place {
  readonly post: (message: FromWorker) => void;
  readonly loadWasm: () => Promise<ArrayBuffer>;
}

/** Posts `ready` or `failed` when it is open; what comes back answers messages from then on. */
export function serveSamples(place: Place): (message: ToWorker) => void {
  let server: Server | null = null;
  open(place).then(
    (opened) => {
      server = opened.server;
      place.post({ type: 'ready', about: opened.about });
    },
    (error: unknown) => place.post({ type: 'failed', message: sentence(error, true) }),
  );
  const answer = async ({ workload, contender }: ToWorker): Promise<void> => {
    try {
      if (server === null) throw new Error('the worker was asked for a sample before it was ready');
      const taker = server.taker(contender);
      const tell = (progress: SampleProgress): void => place.post({ type: 'progress', progress });
      // One in wasm is there already, so it is sampled before this returns.
      const sample =
        taker instanceof Promise
          ? await (await taker).take(workload, contender, tell)
          : taker.take(workload, contender, tell);
      place.post({ type: 'sampled', sample });
    } catch (error) {
      place.post({ type: 'failed', message: sentence(error, isInWasm(contender)) });
    }
  };
  return (message) => void answer(message);
}

/** What takes the samples of each contender. */
class Server {
  readonly #clock: Clock;
  readonly #wasm: SampleTaker;
  readonly #others = new Map<ContenderName, Promise<Taker>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wasm = new SampleTaker((workload, contender) => {
      const { laps, tokens } = workload.name === 'ring' ? workload : { laps: 0, tokens: 0 };
      return new Run(workload.name, contender, workload.actors, laps, tokens);
    }, clock);
  }

  taker(contender: ContenderName): SampleTaker | Promise<Taker> {
    if (isInWasm(contender)) return this.#wasm;
    const taker = this.#others.get(contender) ?? loadTaker(contender, this.#clock);
    this.#others.set(contender, taker);
    return taker;
  }
}

async function open(place: Place): Promise<{ server: Server; about: About }> {
  if (typeof WebAssembly !== 'object') throw new Error('this browser has WebAssembly switched off');
  const bytes = await place.loadWasm();
  initSync({ module: await compile(bytes) });
  const now = (): number => performance.now();
  const stepMs = clockStep(now);
  const about = {
    clockStepMs: stepMs,
    wasmBytes: bytes.byteLength,
    bytesPerActor: estimates(),
  };
  return { server: new Server({ now, stepMs }), about };
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
function sentence(error: unknown, isInWasm: boolean): string {
  if (!(error instanceof Error)) return String(error);
  if (!isInWasm) return error.message;
  if (error instanceof RangeError || error.name === 'InternalError')
    return `stack overflow: the wasm instance ended (${error.message})`;
  if (typeof WebAssembly === 'object' && error instanceof WebAssembly.RuntimeError) {
    return `out of memory or broken: the wasm instance ended (${error.message})`;
  }
  return error.message;
}
