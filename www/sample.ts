/**
 * One sample: runs of one workload by one contender, repeated until the clock can tell, timed phase by phase from
 * outside. Pure apart from the clock and the run that it is given, so that it works in a worker and in Node alike.
 */

import { type ContenderName, isRing, type ReadyWorkload } from './params';
import type { Check, Failure } from './result';

/** What one execution counted, as the wasm package reports it. */
export interface RunReport {
  readonly ok: boolean;
  readonly checks: readonly Check[];
  /** What each timed phase's time is divided by. */
  readonly units: Readonly<Record<string, number>>;
  readonly memory: number | null;
  readonly failures: readonly Failure[];
  /** Of a run on a pool of workers. */
  readonly pool?: PoolNumbers | null | undefined;
}

/** What the workers of a pool did. */
export interface PoolNumbers {
  /** Messages received by the actors that each worker ran. */
  readonly hopsPerWorker: readonly number[];
  /** Messages that went from one strand to another. */
  readonly crossStrand: number;
  /** Strands, or batches of them, that a worker took from another one. */
  readonly steals: number;
  /** How often a worker went to sleep during a run. */
  readonly parks: number;
  /** The most workers that had something to do. */
  readonly used: number;
}

interface Execution {
  readonly phase: string | undefined;
  readonly done: number;
  readonly total: number;
  report(): RunReport;
  free(): void;
}

/** One execution, worked on slice by slice: about `budget` units, and whether the phase has more to do. */
export interface Run extends Execution {
  slice(budget: number): boolean;
}

/** One whose work goes on by itself, over the event loop; a slice that has more to do has let the loop go round. */
export interface AsyncRun extends Execution {
  slice(budget: number): Promise<boolean>;
}

export type StartRun = (workload: ReadyWorkload, contender: ContenderName) => Run;
export type StartAsyncRun = (workload: ReadyWorkload, contender: ContenderName) => AsyncRun;

export interface PhaseTime {
  /** NaN when the clock was set back during the sample. */
  readonly ms: number;
  readonly units: number;
  /** How many timed stretches were summed; each adds the clock's error. */
  readonly stretches: number;
}

/** Plain data: what a worker posts. */
export interface RawSample {
  readonly phases: Readonly<Record<string, PhaseTime>>;
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly failures: readonly Failure[];
  readonly memory: number | null;
  /** Of all its runs together; null without a pool. */
  readonly pool: PoolNumbers | null;
}

export interface SampleProgress {
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly phaseMs: number;
}

export interface Clock {
  now(): number;
  readonly stepMs: number;
}

/** A sample lasts so many steps of the clock, which makes its error 1 %. */
export const STEPS_PER_SAMPLE = 100;

/**
 * Short runs by a coarse clock are summed for so long at most, and the result states their error: 2 % for the standard
 * ring and steps of 1 ms, whose 25 samples would take half a minute otherwise. By steps of 100 ms that would be no
 * figure at all, so there it is so many steps.
 */
const LONGEST_SAMPLE_MS = 300;
const FEWEST_STEPS = 20;

/** Building a ring is short beside its laps; it is repeated by itself, for at most so long. */
const LONGEST_SIDE_MS = 30;

/** Long enough for the engine to enter its better code, short enough for ten progress messages a second. */
const SLICE_MS = 20;
const FIRST_BUDGET = 10_000;
const MAX_BUDGET = 100_000_000;

const PROGRESS_EVERY_MS = 100;

/** Below this many ticks the step could be one odd tick; above this much time a coarse clock would delay the run. */
const TICKS = 11;
const FEWEST_TICKS = 3;
const TICKING_MS = 150;

/** About a second of reading the clock: a clock that hasn't moved by then doesn't move. */
const READS_PER_TICK = 20_000_000;

/** The step of a clock: it is read until it has moved several times; the median of the moves. */
export function clockStep(now: () => number): number {
  const steps: number[] = [];
  const start = nextTick(now, now()).at;
  for (let last = start; steps.length < TICKS; ) {
    const tick = nextTick(now, last);
    steps.push(tick.step);
    last = tick.at;
    if (steps.length >= FEWEST_TICKS && last - start > TICKING_MS) break;
  }
  steps.sort((a, b) => a - b);
  return Number(steps[steps.length >> 1]!.toPrecision(4));
}

function nextTick(now: () => number, from: number): { at: number; step: number } {
  for (let reads = 0; reads < READS_PER_TICK; reads++) {
    const at = now();
    if (at !== from) return { at, step: Math.abs(at - from) };
  }
  throw new Error('clock does not advance');
}

/**
 * The error that the clock adds to a phase, in percent: one step for one stretch; the steps of several stretches fall
 * independently of the ticks, so their sum grows with the root of their number. Null when nothing was measured.
 */
export function clockErrorPercent(time: PhaseTime, stepMs: number): number | null {
  if (!(time.ms > 0)) return null;
  return (100 * stepMs * Math.sqrt(time.stretches)) / time.ms;
}

type OnProgress = (progress: SampleProgress) => void;

/** Work that stops only where a slice has to be waited for: never, if all its slices are synchronous. */
type Steps<T> = Generator<Promise<boolean>, T, boolean>;

/** Takes samples of runs that are worked on in a synchronous loop. */
export class SampleTaker {
  readonly #sampling: Sampling<Run>;

  /** With `isSlicedByPhase` every slice is a whole phase, during which nothing is told. */
  constructor(start: StartRun, clock: Clock, isSlicedByPhase = false) {
    this.#sampling = new Sampling(start, clock, isSlicedByPhase);
  }

  take(workload: ReadyWorkload, contender: ContenderName, onProgress: OnProgress): RawSample {
    const step = this.#sampling.take(workload, contender, onProgress).next();
    if (step.done !== true) throw new Error('a synchronous run had to be waited for');
    return step.value;
  }
}

/** Takes samples, by the same rules, of runs that go on by themselves. */
export class AsyncSampleTaker {
  readonly #sampling: Sampling<AsyncRun>;

  constructor(start: StartAsyncRun, clock: Clock) {
    this.#sampling = new Sampling(start, clock, false);
  }

  async take(
    workload: ReadyWorkload,
    contender: ContenderName,
    onProgress: OnProgress,
  ): Promise<RawSample> {
    const steps = this.#sampling.take(workload, contender, onProgress);
    for (let step = steps.next(); ; ) {
      if (step.done === true) return step.value;
      step = await step.value.then(
        (hasMore) => steps.next(hasMore),
        (error: unknown) => steps.throw(error),
      );
    }
  }
}

/** How a sample is taken, for both kinds of runs; remembers how many units make a slice of each phase. */
class Sampling<R extends Run | AsyncRun> {
  readonly #start: (workload: ReadyWorkload, contender: ContenderName) => R;
  readonly #clock: Watch;
  readonly #isSlicedByPhase: boolean;
  readonly #budgets = new Map<string, number>();

  constructor(
    start: (workload: ReadyWorkload, contender: ContenderName) => R,
    clock: Clock,
    isSlicedByPhase: boolean,
  ) {
    this.#start = start;
    this.#clock = new Watch(clock);
    this.#isSlicedByPhase = isSlicedByPhase;
  }

  *take(
    workload: ReadyWorkload,
    contender: ContenderName,
    onProgress: OnProgress,
  ): Steps<RawSample> {
    const sum = new Sum();
    const once = (what: ReadyWorkload): Steps<boolean> =>
      this.#runOnce(what, contender, sum, onProgress);
    const main = mainPhases(workload);

    const longest = Math.max(LONGEST_SAMPLE_MS, FEWEST_STEPS * this.#clock.stepMs);
    const start = this.#clock.begin();
    const isEnough = (phases: readonly string[]): boolean =>
      this.#clock.isSetBack || this.#isSure(sum.phases(phases));
    while ((yield* once(workload)) && !isEnough(main) && this.#clock.now() - start < longest);

    if (workload.name === 'ring' && workload.laps > 0) {
      const side = this.#clock.now();
      const building: ReadyWorkload = { ...workload, laps: 0 };
      while (
        sum.ok &&
        !isEnough(['spawn']) &&
        this.#clock.now() - side < LONGEST_SIDE_MS &&
        (yield* once(building))
      );
    }
    return this.#clock.isSetBack ? untimed(sum.sample()) : sum.sample();
  }

  #isSure(time: PhaseTime): boolean {
    const error = clockErrorPercent(time, this.#clock.stepMs);
    return error !== null && error <= 100 / STEPS_PER_SAMPLE;
  }

  /** One execution, added to the sum. False when its checks failed, so that nothing more is added. */
  *#runOnce(
    workload: ReadyWorkload,
    contender: ContenderName,
    sum: Sum,
    onProgress: OnProgress,
  ): Steps<boolean> {
    const run = this.#start(workload, contender);
    let isOk: boolean;
    try {
      const times = new Map<string, number>();
      for (let phase = run.phase; phase !== undefined; phase = run.phase) {
        times.set(phase, yield* this.#runPhase(run, phase, contender, onProgress));
      }
      isOk = sum.add(times, run.report(), workload);
    } catch (error) {
      freeWhatIsLeft(run);
      throw error;
    }
    run.free();
    return isOk;
  }

  /** The clock is read before and after a phase, and between slices of it, never nearer to a hop. */
  *#runPhase(
    run: R,
    phase: string,
    contender: ContenderName,
    onProgress: OnProgress,
  ): Steps<number> {
    const key = `${contender} ${phase}`;
    const first = this.#isSlicedByPhase ? Number.POSITIVE_INFINITY : FIRST_BUDGET;
    let budget = this.#budgets.get(key) ?? first;
    const start = this.#clock.now();
    let sliceStart = start;
    let told = start;
    for (;;) {
      const slice = run.slice(budget);
      const hasMore = typeof slice === 'boolean' ? slice : yield slice;
      if (!hasMore) break;
      const now = this.#clock.now();
      budget = nextBudget(budget, now - sliceStart);
      if (now - told >= PROGRESS_EVERY_MS) {
        onProgress({ phase, done: run.done, total: run.total, phaseMs: now - start });
        told = now;
      }
      sliceStart = now;
    }
    const end = this.#clock.now();
    this.#budgets.set(key, budget);
    return end - start;
  }
}

/** Notices when a clock is set back: nothing that it said during that sample counts then. */
class Watch implements Clock {
  readonly #clock: Clock;
  #last = Number.NEGATIVE_INFINITY;
  isSetBack = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get stepMs(): number {
    return this.#clock.stepMs;
  }

  /** The first reading of a sample. */
  begin(): number {
    this.isSetBack = false;
    this.#last = Number.NEGATIVE_INFINITY;
    return this.now();
  }

  now(): number {
    const at = this.#clock.now();
    if (at < this.#last) this.isSetBack = true;
    this.#last = at;
    return at;
  }
}

function untimed(sample: RawSample): RawSample {
  const phases = Object.entries(sample.phases).map(([name, time]) => [
    name,
    { ...time, ms: Number.NaN },
  ]);
  return { ...sample, phases: Object.fromEntries(phases) };
}

function nextBudget(budget: number, elapsedMs: number): number {
  if (budget === Number.POSITIVE_INFINITY) return budget;
  const factor = elapsedMs > 0 ? SLICE_MS / elapsedMs : 8;
  return Math.max(
    1,
    Math.min(MAX_BUDGET, Math.round(budget * Math.min(8, Math.max(0.25, factor)))),
  );
}

/** An instance that has ended can't free any more, and must not hide what ended it by saying so. */
function freeWhatIsLeft(run: Execution): void {
  try {
    run.free();
  } catch {}
}

function isTimedByHops(workload: ReadyWorkload): boolean {
  return isRing(workload) && workload.laps > 0;
}

/** Those that the clock has to be sure of. */
function mainPhases(workload: ReadyWorkload): readonly string[] {
  if (workload.name === 'skynet') return ['leaf'];
  return isTimedByHops(workload) ? ['hop'] : ['spawn', 'stop', 'spawnStop'];
}

/** Times and books of the executions of one sample. */
class Sum {
  ok = true;
  readonly #phases = new Map<string, PhaseTime>();
  #report: RunReport | null = null;
  #pool: PoolNumbers | null = null;

  add(times: ReadonlyMap<string, number>, report: RunReport, workload: ReadyWorkload): boolean {
    const ok = report.ok && report.failures.length === 0;
    this.ok &&= ok;
    // The books of the workload itself are shown, unless it is the repetition that went wrong.
    if (this.#report === null || !ok || isTimedByHops(workload)) this.#report = report;
    this.#pool = sumOfPools(this.#pool, report.pool ?? null);
    for (const [phase, ms] of times) {
      const units = report.units[phase] ?? 0;
      if (units === 0) continue;
      const before = this.#phases.get(phase) ?? { ms: 0, units: 0, stretches: 0 };
      this.#phases.set(phase, {
        ms: before.ms + ms,
        units: before.units + units,
        stretches: before.stretches + 1,
      });
    }
    return ok;
  }

  /** Phases that follow each other share the reading between them: together they are one stretch. */
  phases(names: readonly string[]): PhaseTime {
    const found = names.flatMap((name) => this.#phases.get(name) ?? []);
    return {
      ms: found.reduce((ms, phase) => ms + phase.ms, 0),
      units: Math.max(0, ...found.map((phase) => phase.units)),
      stretches: Math.max(0, ...found.map((phase) => phase.stretches)),
    };
  }

  sample(): RawSample {
    const report = this.#report!;
    return {
      phases: Object.fromEntries(this.#phases),
      ok: this.ok,
      checks: report.checks.map(({ name, expected, counted, ok }) => ({
        name,
        expected,
        counted,
        ok,
      })),
      failures: report.failures.map(({ actor, message, place }) => ({ actor, message, place })),
      memory: report.memory,
      pool: this.#pool,
    };
  }
}

/** Null stands for no numbers. Those of a pool are of the same workers each time. */
export function sumOfPools(a: PoolNumbers | null, b: PoolNumbers | null): PoolNumbers | null {
  if (a === null || b === null) return a ?? b;
  return {
    hopsPerWorker: a.hopsPerWorker.map((hops, i) => hops + (b.hopsPerWorker[i] ?? 0)),
    crossStrand: a.crossStrand + b.crossStrand,
    steals: a.steals + b.steals,
    parks: a.parks + b.parks,
    used: Math.max(a.used, b.used),
  };
}
