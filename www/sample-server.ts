/**
 * Takes samples, one when told to: on one wasm instance, or of what is no wasm at all. Knows neither page nor worker:
 * whoever owns it brings the instance and passes the messages.
 */

import { roundsFor } from './calibrate';
import { loadTaker, type Taker } from './contenders/load';
import { CONTENDERS, type ContenderName, WORKLOADS, type WorkloadName } from './params';
import type { FromWorker, InstanceAbout, Job, ToWorker } from './protocol';
import { type Clock, clockStep, type SampleProgress, SampleTaker, type StartRun } from './sample';
import { messageOf, wasmSentence } from './wasm-file';

export interface Place {
  readonly post: (message: FromWorker) => void;
  readonly open: () => Promise<Instance>;
}

/** One instance of a wasm package. */
export interface Instance {
  readonly wasmBytes: number;
  readonly start: StartRun;
  /** Null for a contender that doesn't run on it. */
  readonly bytesPerActor: (workload: WorkloadName, contender: ContenderName) => number | null;
  /** A slice is a whole phase: of a run that wakes and stops other workers in each slice. */
  readonly isSlicedByPhase: boolean;
  /** What messages of the workload `work` do. */
  readonly compute: (rounds: number) => void;
}

/** Posts `ready` or `failed` when it is open; what comes back answers messages from then on. */
export function serveSamples(place: Place): (message: ToWorker) => void {
  let server: Server | null = null;
  open(place).then(
    (opened) => {
      server = opened.server;
      place.post({ type: 'ready', about: opened.about });
    },
    (error: unknown) => place.post({ type: 'failed', message: wasmSentence(error) }),
  );
  const calibrate = (workNs: number): void => {
    try {
      if (server === null) throw new Error(NOT_READY);
      place.post({ type: 'calibrated', rounds: server.roundsFor(workNs) });
    } catch (error) {
      place.post({ type: 'failed', message: wasmSentence(error) });
    }
  };
  const sample = async ({ workload, contender }: Job): Promise<void> => {
    try {
      if (server === null) throw new Error(NOT_READY);
      const taker = server.taker(contender);
      const tell = (progress: SampleProgress): void => place.post({ type: 'progress', progress });
      // One in wasm is there already, so it is sampled before this returns.
      const sample =
        taker instanceof Promise
          ? await (await taker).take(workload, contender, tell)
          : taker.take(workload, contender, tell);
      place.post({ type: 'sampled', sample });
    } catch (error) {
      place.post({
        type: 'failed',
        message: isInWasm(contender) ? wasmSentence(error) : messageOf(error),
      });
    }
  };
  return (message) => {
    if (message.type === 'calibrate') calibrate(message.workNs);
    else void sample(message);
  };
}

const NOT_READY = 'the worker was asked for something before it was ready';

/** What takes the samples of each contender. */
class Server {
  readonly #clock: Clock;
  readonly #wasm: SampleTaker;
  readonly #compute: Instance['compute'];
  readonly #others = new Map<ContenderName, Promise<Taker>>();

  constructor({ start, isSlicedByPhase, compute }: Instance, clock: Clock) {
    this.#clock = clock;
    this.#compute = compute;
    this.#wasm = new SampleTaker(start, clock, isSlicedByPhase);
  }

  roundsFor(workNs: number): number {
    return roundsFor(workNs, this.#compute, this.#clock);
  }

  taker(contender: ContenderName): SampleTaker | Promise<Taker> {
    if (isInWasm(contender)) return this.#wasm;
    const taker = this.#others.get(contender) ?? loadTaker(contender, this.#clock);
    this.#others.set(contender, taker);
    return taker;
  }
}

async function open(place: Place): Promise<{ server: Server; about: InstanceAbout }> {
  if (typeof WebAssembly !== 'object') throw new Error('this browser has WebAssembly switched off');
  const instance = await place.open();
  const now = (): number => performance.now();
  const stepMs = clockStep(now);
  const about = {
    clockStepMs: stepMs,
    wasmBytes: instance.wasmBytes,
    bytesPerActor: estimates(instance),
  };
  return { server: new Server(instance, { now, stepMs }), about };
}

function isInWasm(contender: ContenderName): boolean {
  return contender.startsWith('actors/') || contender === 'floor';
}

function estimates({ bytesPerActor }: Instance): InstanceAbout['bytesPerActor'] {
  const of = (workload: WorkloadName): Record<ContenderName, number | null> =>
    Object.fromEntries(
      CONTENDERS.map((contender) => [
        contender,
        isInWasm(contender) ? bytesPerActor(workload, contender) : null,
      ]),
    ) as Record<ContenderName, number | null>;
  return Object.fromEntries(
    WORKLOADS.map((workload) => [workload, of(workload)]),
  ) as InstanceAbout['bytesPerActor'];
}
