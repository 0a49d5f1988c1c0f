/**
 * The measuring engine: decides which sample is taken next and makes results of them. It knows neither page nor
 * worker: samplers (one fresh wasm instance each) come from the factory that it is given.
 *
 * Every instance gives each contender a cold sample, warm-up until two successive samples agree, and then its kept
 * samples, contender by contender in turns, so that what disturbs the machine disturbs all of them alike.
 */

import {
  complaintOf,
  errorPercentOf,
  isNarrow,
  mainNs,
  mainOf,
  measuresOf,
  msOf,
  noMeasures,
  nsSoFar,
  stoppedAt,
  stoppedSentence,
  Track,
} from './figures';
import { type ContenderName, memoryRefusal, type Params, unitsOf } from './params';
import type { About, ToWorker } from './protocol';
import type { Environment, Result } from './result';
import { SCHEMA } from './result';
import type { RawSample, SampleProgress } from './sample';
import { round } from './stats';

export interface Sampler {
  readonly about: About;
  sample(
    job: Omit<ToWorker, 'type'>,
    onProgress: (progress: SampleProgress) => void,
  ): Promise<RawSample>;
  /** Ends the instance at once; a sample under way rejects. */
  close(): void;
}

export type OpenSampler = () => Promise<Sampler>;

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

/** Below 3 fresh instances nothing is known of how instances differ. */
const FEWEST_INSTANCES = 3;
const SAMPLES_PER_INSTANCE = 5;

/** Without a number of samples, instances are added until the interval is so narrow, or until the time is over. */
const NARROW_ENOUGH = 0.04;
const MOST_INSTANCES = 8;
const RUN_MS = 12_000;

/** Two successive samples that differ by less are taken as warm. */
const AGREE_WITHIN = 0.05;
const WARM_UP_MS = 2000;
const MOST_WARM_UPS = 12;

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

class Execution {
  readonly #params: Params;
  readonly #listener: Listener;
  readonly #options: BenchOptions;
  readonly #now: () => number;
  readonly #tracks: readonly Track[];
  readonly #environment: () => Environment;
  readonly #start: number;
  readonly #stopping: Promise<never>;
  #reject: (error: Error) => void = () => {};
  #stopped = false;
  #sampler: Sampler | null = null;
  #about: About | null = null;
  #instances = 0;
  #samplesTaken = 0;
  #furthest = 0;

  constructor(params: Params, listener: Listener, options: BenchOptions) {
    this.#params = params;
    this.#listener = listener;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#tracks = params.contenders.map((contender) => new Track(contender));
    this.#environment = options.observe();
    this.#start = this.#now();
    this.#stopping = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#stopping.catch(() => {});
  }

  async finish(): Promise<readonly Result[]> {
    try {
      for (let keep = this.#nextShare(); keep > 0; keep = this.#nextShare())
        await this.#useInstances(keep);
    } catch (error) {
      if (!(error instanceof Stopped)) this.#giveUp(error);
    } finally {
      this.#sampler?.close();
    }
    return this.#tracks.map((track) => {
      const result = this.#result(track);
      this.#listener.onResult?.(result);
      return result;
    });
  }

  /** An instance that can't be opened fails the run; what was never able to start isn't a run at all. */
  #giveUp(error: unknown): void {
    if (this.#about === null) throw error;
    for (const track of this.#active)
      track.fail(error instanceof Error ? error.message : String(error), null);
  }

  stop(): void {
    this.#stopped = true;
    this.#sampler?.close();
    this.#reject(new Stopped());
  }

  get #active(): readonly Track[] {
    return this.#tracks.filter((track) => track.failed === null);
  }

  /** How many samples the next fresh instance has to give; 0 when all is done. */
  #nextShare(): number {
    const active = this.#active;
    if (active.length === 0) return 0;
    const used = active[0]!.instances.length;
    const wanted = this.#params.samples;
    if (wanted !== null) {
      const instances = Math.min(wanted, FEWEST_INSTANCES);
      const left = wanted - Math.max(...active.map((track) => track.kept));
      return Math.ceil(left / Math.max(1, instances - used));
    }
    if (used < FEWEST_INSTANCES) return SAMPLES_PER_INSTANCE;
    const isOver = used >= MOST_INSTANCES || this.#now() - this.#start > RUN_MS;
    return isOver || active.every((track) => isNarrow(track, this.#params.workload, NARROW_ENOUGH))
      ? 0
      : SAMPLES_PER_INSTANCE;
  }

  /** One fresh instance, and another after each failure, since an instance that has failed isn't used again. */
  async #useInstances(keep: number): Promise<void> {
    const due = new Map(this.#active.map((track) => [track, keep]));
    while (due.size > 0) {
      const sampler = await this.#openSampler([...due.keys()][0]!.contender);
      this.#refuseTooLarge(due, sampler.about);
      try {
        if (due.size > 0) await this.#useInstance(sampler, due);
      } finally {
        sampler.close();
        this.#sampler = null;
      }
    }
  }

  async #openSampler(contender: ContenderName): Promise<Sampler> {
    this.#tell(contender, 'loading', null);
    const opening = this.#options.open();
    // When Stop comes first, the instance is closed as soon as it is there.
    opening.then((late) => this.#stopped && late.close()).catch(() => {});
    this.#sampler = await Promise.race([opening, this.#stopping]);
    this.#about = this.#sampler.about;
    this.#instances++;
    return this.#sampler;
  }

  #refuseTooLarge(due: Map<Track, number>, about: About): void {
    const { workload } = this.#params;
    for (const track of [...due.keys()]) {
      const refusal = memoryRefusal(
        workload,
        track.contender,
        about.bytesPerActor[workload.name][track.contender],
      );
      if (refusal === null) continue;
      track.fail(refusal, null);
      due.delete(track);
    }
  }

  /** Returns when every due sample is kept, or after the first failure. */
  async #useInstance(sampler: Sampler, due: Map<Track, number>): Promise<void> {
    const tracks = [...due.keys()];
    const groups = new Map(tracks.map((track) => [track, [] as RawSample[]]));
    const take = async (track: Track, stage: Stage): Promise<RawSample | null> => {
      const sample = await this.#take(sampler, track, stage);
      if (sample === null) due.delete(track);
      return sample;
    };

    for (const track of tracks) {
      const cold = await take(track, 'cold');
      if (cold === null) return;
      track.cold ??= cold;
    }
    if (!(await this.#warmUp(tracks, take))) return;
    for (const track of tracks) track.instances.push(groups.get(track)!);
    for (let turn = 0; due.size > 0; turn++) {
      // Who goes first changes from turn to turn.
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
      count: 0,
      agreed: false,
    }));
    for (;;) {
      const next = states.filter(
        (state) => !state.agreed && state.spent < WARM_UP_MS && state.count < MOST_WARM_UPS,
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
        state.count++;
        state.track.warmUps++;
      }
    }
    for (const state of states) state.track.agreed &&= state.agreed || state.count === 0;
    return true;
  }

  /** One sample; null when it failed, and then the track is marked. */
  async #take(sampler: Sampler, track: Track, stage: Stage): Promise<RawSample | null> {
    const { workload } = this.#params;
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
    this.#samplesTaken++;
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
    const wanted = this.#params.samples ?? FEWEST_INSTANCES * SAMPLES_PER_INSTANCE;
    const instances = Math.max(this.#instances, Math.min(wanted, FEWEST_INSTANCES));
    // A cold sample and about two of warm-up in each instance.
    const expected = this.#tracks.length * (wanted + 3 * instances);
    const within = progress !== null && progress.total > 0 ? progress.done / progress.total : 0;
    // Never backwards, when one more instance makes the whole longer.
    this.#furthest = Math.max(
      this.#furthest,
      Math.min(0.99, (this.#samplesTaken + within) / expected),
    );
    return this.#furthest;
  }

  #result(track: Track): Result {
    const { workload, preset, contenders: _, threads } = this.#params;
    const stepMs = this.#about?.clockStepMs ?? null;
    const measures =
      track.failed === null ? measuresOf(track, workload, stepMs) : noMeasures(workload);
    const isMissing =
      track.failed === null && !this.#stopped && mainOf(measures) === null && unitsOf(workload) > 0;
    const failed = isMissing ? 'too short for this clock' : track.failed;
    const state = failed !== null ? 'failed' : this.#stopped ? 'stopped' : 'complete';
    const report = track.failedSample ?? track.last;
    const environment = this.#environment();
    const main = mainOf(measures);
    const groups = track.instances.filter((group) => group.length > 0);
    return {
      schema: SCHEMA,
      at: (this.#options.date?.() ?? new Date()).toISOString(),
      state,
      message: failed ?? (state === 'stopped' ? stoppedSentence(track, workload) : null),
      workload,
      preset,
      contender: track.contender,
      threads: { asked: threads ?? 1, granted: 1, used: 1 },
      measures,
      ratios: null,
      noise: null,
      coldToWarm: main === null || main.cold === null ? null : round(main.cold / main.median),
      checks: {
        ok: state === 'stopped' ? null : state === 'complete',
        items: report?.checks ?? [],
      },
      failures: report?.failures ?? [],
      stoppedAt: state === 'stopped' ? stoppedAt(track, workload) : null,
      instances: groups.length > 0 ? groups.map((group) => group.length) : null,
      warmUp:
        track.kept > 0 ? { samples: track.warmUps, agreed: track.agreed, values: null } : null,
      clock: { stepMs, errorPercent: errorPercentOf(track, workload, stepMs) },
      pool: null,
      environment: {
        ...environment,
        hints: environment.hints ?? null,
        build: { ...environment.build, wasmBytes: this.#about?.wasmBytes ?? null },
      },
    };
  }
}
