/**
 * The measuring engine: decides which sample is taken next and makes results of them. It knows neither page nor
 * worker: samplers (one fresh wasm instance each) come from the factory that it is given. Contenders on a pool of
 * threads have a sampler of their own, which is idle while others are sampled.
 *
 * Every instance gives each contender a cold sample, warm-up until two successive samples agree, and then its kept
 * samples, contender by contender in turns, so that what disturbs the machine disturbs all of them alike. A contender
 * may be named twice: it is then measured, and compared, as if it were two.
 */

import { breathe } from './breathe';
import { complaintOf, isSetBack, mainNs, msOf, nsSoFar, Track } from './figures';
import { outcomeOf, resultOf } from './make-result';
import { type ContenderName, type Params, type ReadyWorkload, refusalOf } from './params';
import { Plan } from './plan';
import type { About, Job } from './protocol';
import type { Environment, Result } from './result';
import type { RawSample, SampleProgress } from './sample';
import { threadsFor, usesThreads } from './threads/capability';

export interface Sampler {
  readonly about: About;
  sample(job: Job, onProgress: (progress: SampleProgress) => void): Promise<RawSample>;
  /** How many rounds a message of the workload `work` computes in so many ns. */
  calibrate(workNs: number): Promise<number>;
  /** Ends the instance at once; a sample under way rejects. */
  close(): void;
}

/**
 * One fresh instance; with a number, one that runs on a pool of so many threads, or on one thread if its `about` says
 * why there are no more.
 */
export type OpenSampler = (threads?: number) => Promise<Sampler>;

export type Stage = 'loading' | 'cold' | 'warm-up' | 'sample';

export interface Progress {
  readonly contender: ContenderName;
  readonly stage: Stage;
  readonly phase: string | null;
  readonly done: number;
  readonly total: number;
  readonly instance: number;
  readonly kept: number;
  /** Share of the whole run that is over, 0 to 1: an estimate, since warm-up ends when samples agree. */
  readonly share: number;
  /** The figure so far of this contender, in ns; of the sample under way until one is kept. */
  readonly nsSoFar: number | null;
}

export interface BenchOptions {
  readonly open: OpenSampler;
  /** Called at the start of a run; what it returns is called when results are made. */
  readonly observe: () => () => Environment;
  readonly now?: () => number;
  readonly date?: () => Date;
}

export interface Listener {
  readonly onProgress?: (progress: Progress) => void;
  readonly onResult?: (result: Result) => void;
}

/**
 * Two successive samples that differ by less are taken as warm, once the code has run for so long: short samples agree
 * with each other before the engine's better compiler has got round to the code.
 */
const AGREE_WITHIN = 0.05;
const WARM_AFTER_MS = 100;
const WARM_UP_MS = 500;
/** Many more would say no more, and a contender whose time is too short for the clock would never be warm. */
const MOST_WARM_UPS = 40;

/** A sample in which the clock was set back is taken again so often; then the clock is said to be of no use. */
const MOST_SET_BACK = 3;

/** Runs one set of parameters at a time. */
export class Bench {
  readonly #options: BenchOptions;
  #execution: Execution | null = null;

  constructor(options: BenchOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#execution !== null;
  }

  /** One result for each contender, stopped and failed ones included. Rejects with `already running` during a run. */
  async run(params: Params, listener: Listener = {}): Promise<readonly Result[]> {
    if (this.#execution !== null) throw new Error('already running');
    this.#execution = new Execution(params, listener, this.#options);
    try {
      return await this.#execution.finish();
    } finally {
      this.#execution = null;
    }
  }

  /** Ends the run under way; its results say how far it got. */
  stop(): void {
    this.#execution?.stop();
  }
}

class Stopped extends Error {}

/** Which wasm package a contender runs on; those that are no wasm run beside the one-thread package. */
type Package = 'one-thread' | 'threads';

function packageOf({ contender }: Track): Package {
  return usesThreads(contender) ? 'threads' : 'one-thread';
}

class Execution {
  #params: Params;
  /** What samples are taken of; null until it is known how much its messages compute. */
  #workload: ReadyWorkload | null = null;
  readonly #listener: Listener;
  readonly #options: BenchOptions;
  readonly #now: () => number;
  readonly #tracks: readonly Track[];
  readonly #plan: Plan;
  readonly #environment: () => Environment;
  readonly #start: number;
  readonly #stopping: Promise<never>;
  #reject: (error: Error) => void = () => {};
  #stopped = false;
  /** How many threads a pool is to have; undefined once it is known that there can be none. */
  #threads: number | undefined;
  /** Of the instance under way: one for all contenders on one thread, and one for those on a pool. */
  readonly #samplers = new Map<Package, Sampler>();
  #instances = 0;
  /** Samples of the instance under way, and how many it is expected to give. */
  #takenHere = 0;
  #expectedHere: number;
  #furthest = 0;

  constructor(params: Params, listener: Listener, options: BenchOptions) {
    this.#params = params;
    this.#listener = listener;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#tracks = params.contenders.map((contender) => new Track(contender));
    this.#plan = new Plan(params);
    this.#expectedHere = this.#plan.samplesOfFirst;
    this.#environment = options.observe();
    this.#threads = params.threads ?? threadsFor(this.#environment().cores);
    this.#start = this.#now();
    this.#stopping = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#stopping.catch(() => {});
  }

  async finish(): Promise<readonly Result[]> {
    try {
      this.#workload = await this.#makeReady();
      const next = () => this.#plan.nextShare(this.#active, this.#now() - this.#start);
      for (let keep = await next(); keep > 0; keep = await next()) await this.#useInstances(keep);
    } catch (error) {
      if (!(error instanceof Stopped)) this.#giveUp(error);
    }
    return this.#results(this.#stopped);
  }

  /** Found once, in an instance of its own, so that all contenders and instances compute the same. */
  async #makeReady(): Promise<ReadyWorkload> {
    const { workload, contenders } = this.#params;
    if (workload.name !== 'work') return workload;
    try {
      const sampler = await this.#openSampler('one-thread', contenders[0]!);
      this.#samplers.set('one-thread', sampler);
      const calibrating = sampler.calibrate(workload.workNs);
      calibrating.catch(() => {});
      const rounds = await Promise.race([calibrating, this.#stopping]);
      const ready = { ...workload, rounds };
      this.#params = { ...this.#params, workload: ready };
      return ready;
    } catch (error) {
      throw this.#stopped ? new Stopped() : error;
    } finally {
      this.#closeSamplers();
    }
  }

  /** With a breath between them: each takes the page thread some tens of milliseconds. */
  async #results(isStopped: boolean): Promise<readonly Result[]> {
    const run = { params: this.#params, isStopped };
    const outcomes = this.#tracks.map((track) => outcomeOf(track, run));
    const results: Result[] = [];
    for (const outcome of outcomes) {
      await breathe();
      const at = this.#options.date?.() ?? new Date();
      const result = resultOf(outcome, outcomes, run, at, this.#environment());
      results.push(result);
      this.#listener.onResult?.(result);
    }
    return results;
  }

  /** An instance that can't be opened fails the run; what was never able to start isn't a run at all. */
  #giveUp(error: unknown): void {
    if (this.#instances === 0) throw error;
    for (const track of this.#active)
      track.fail(error instanceof Error ? error.message : String(error), null);
  }

  stop(): void {
    this.#stopped = true;
    this.#closeSamplers();
    this.#reject(new Stopped());
  }

  get #active(): readonly Track[] {
    return this.#tracks.filter((track) => track.failed === null);
  }

  /** One fresh instance, and another after each failure, since an instance that has failed isn't used again. */
  async #useInstances(keep: number): Promise<void> {
    const due = new Map(this.#active.map((track) => [track, keep]));
    while (due.size > 0) {
      const start = this.#now();
      try {
        await this.#openSamplers([...due.keys()]);
        this.#refuse(due);
        this.#takenHere = 0;
        if (due.size > 0) await this.#useInstance(due);
      } finally {
        this.#closeSamplers();
      }
      this.#expectedHere = Math.max(1, this.#takenHere);
      this.#plan.instanceTook(this.#now() - start);
    }
  }

  async #openSamplers(tracks: readonly Track[]): Promise<void> {
    for (const track of tracks) {
      const kind = packageOf(track);
      const sampler = this.#samplers.get(kind) ?? (await this.#openSampler(kind, track.contender));
      this.#samplers.set(kind, sampler);
      const { threads } = sampler.about;
      track.about ??= sampler.about;
      if (kind !== 'threads' || threads.reason === null) continue;
      // The same in every instance: figures with and without threads make no median.
      this.#threads = undefined;
      const { granted } = track.about.threads;
      if (granted !== threads.granted)
        track.fail(
          `instance ${this.#instances + 1} got ${threads.granted} thread instead of ${granted}, because ${threads.reason}`,
          null,
        );
    }
    this.#instances++;
  }

  async #openSampler(kind: Package, contender: ContenderName): Promise<Sampler> {
    this.#tell(contender, 'loading', null);
    const opening = this.#options.open(kind === 'threads' ? this.#threads : undefined);
    // When Stop comes first, the instance is closed as soon as it is there.
    opening.then((late) => this.#stopped && late.close()).catch(() => {});
    const sampler = await Promise.race([opening, this.#stopping]);
    this.#plan.setClockStep(sampler.about.clockStepMs);
    return sampler;
  }

  #closeSamplers(): void {
    for (const sampler of this.#samplers.values()) sampler.close();
    this.#samplers.clear();
  }

  /** Leaves out those that failed before their first sample of the instance. */
  #refuse(due: Map<Track, number>): void {
    const { workload } = this.#params;
    for (const track of [...due.keys()]) {
      const bytes = track.about?.bytesPerActor[workload.name][track.contender] ?? null;
      const refusal = refusalOf(workload, track.contender, bytes);
      if (refusal !== null) track.fail(refusal, null);
      if (track.failed !== null) due.delete(track);
    }
  }

  /** Returns when every due sample is kept, or after the first failure. */
  async #useInstance(due: Map<Track, number>): Promise<void> {
    const tracks = [...due.keys()];
    const number = this.#instances;
    const groups = new Map(tracks.map((track) => [track, [] as RawSample[]]));
    const take = async (track: Track, stage: Stage): Promise<RawSample | null> => {
      const sample = await this.#take(track, stage);
      if (sample === null) due.delete(track);
      return sample;
    };

    for (const track of tracks) {
      const cold = await take(track, 'cold');
      if (cold === null) return;
      track.cold ??= cold;
    }
    if (!(await this.#warmUp(tracks, take))) return;
    for (const track of tracks) track.instances.push({ number, samples: groups.get(track)! });
    // Who goes first changes from turn to turn, and from instance to instance.
    for (let turn = number - 1; due.size > 0; turn++) {
      const order = tracks
        .map((_, i) => tracks[(i + turn) % tracks.length]!)
        .filter((track) => due.has(track));
      for (const track of order) {
        const sample = await take(track, 'sample');
        if (sample === null) return;
        groups.get(track)!.push(sample);
        const left = due.get(track)! - 1;
        if (left > 0) due.set(track, left);
        else due.delete(track);
      }
    }
  }

  /** In turns, until each contender's successive samples agree or its time is over. False after a failure. */
  async #warmUp(
    tracks: readonly Track[],
    take: (track: Track, stage: Stage) => Promise<RawSample | null>,
  ): Promise<boolean> {
    const states = tracks.map((track) => ({
      track,
      before: mainNs(track.last, this.#params.workload),
      // The cold sample counts: one that lasted longer than the warm-up may has warmed up by itself.
      spent: msOf(track.last),
      ran: msOf(track.last),
      count: 0,
      agreed: false,
    }));
    const isFirst = new Set(tracks.filter((track) => track.instances.length === 0));
    for (;;) {
      const next = states.filter(
        ({ agreed, ran, spent, count }) =>
          !(agreed && ran >= WARM_AFTER_MS) && spent < WARM_UP_MS && count < MOST_WARM_UPS,
      );
      if (next.length === 0) break;
      for (const state of next) {
        const start = this.#now();
        const sample = await take(state.track, 'warm-up');
        if (sample === null) return false;
        const after = mainNs(sample, this.#params.workload);
        state.agreed =
          state.before !== null &&
          after !== null &&
          Math.abs(after - state.before) <= AGREE_WITHIN * Math.min(after, state.before);
        state.before = after;
        state.spent += this.#now() - start;
        state.ran += msOf(sample);
        state.count++;
        state.track.warmUps++;
        if (isFirst.has(state.track)) state.track.firstWarmUps.push(sample);
      }
    }
    for (const state of states) state.track.agreed &&= state.agreed || state.count === 0;
    return true;
  }

  /** One sample that the clock was not set back in; null when it failed, and then the track is marked. */
  async #take(track: Track, stage: Stage): Promise<RawSample | null> {
    for (let i = 0; i < MOST_SET_BACK; i++) {
      const sample = await this.#takeOnce(track, stage);
      if (sample === null || !isSetBack(sample)) return sample;
    }
    track.fail(`the clock was set back during ${MOST_SET_BACK} samples in a row`, null);
    return null;
  }

  async #takeOnce(track: Track, stage: Stage): Promise<RawSample | null> {
    const workload = this.#workload!;
    const sampler = this.#samplers.get(packageOf(track))!;
    track.progress = null;
    this.#tell(track.contender, stage, track);
    let sample: RawSample;
    try {
      const job = { workload, contender: track.contender };
      const taking = sampler.sample(job, (progress) => {
        track.progress = progress;
        this.#tell(track.contender, stage, track);
      });
      taking.catch(() => {});
      sample = await Promise.race([taking, this.#stopping]);
    } catch (error) {
      if (this.#stopped) throw new Stopped();
      track.fail(error instanceof Error ? error.message : String(error), null);
      return null;
    }
    this.#takenHere++;
    track.taken++;
    track.last = sample;
    track.progress = null;
    const complaint = complaintOf(sample);
    if (complaint === null) return sample;
    track.fail(complaint, sample);
    return null;
  }

  #tell(contender: ContenderName, stage: Stage, track: Track | null): void {
    const progress = track?.progress ?? null;
    this.#listener.onProgress?.({
      contender,
      stage,
      phase: progress?.phase ?? null,
      done: progress?.done ?? 0,
      total: progress?.total ?? 0,
      instance: this.#instances,
      kept: track?.kept ?? 0,
      share: this.#share(progress),
      nsSoFar: track === null ? null : nsSoFar(track, this.#params.workload),
    });
  }

  #share(progress: SampleProgress | null): number {
    const within = progress !== null && progress.total > 0 ? progress.done / progress.total : 0;
    const here = this.#samplers.size === 0 ? 0 : (this.#takenHere + within) / this.#expectedHere;
    const before = Math.max(0, this.#instances - 1);
    // Never backwards, when one more instance makes the whole longer.
    this.#furthest = Math.max(
      this.#furthest,
      Math.min(0.99, (before + Math.min(1, here)) / this.#plan.instances),
    );
    return this.#furthest;
  }
}
