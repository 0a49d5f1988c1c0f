/** The shape of `ringspawn.result/1`, as `result.schema.json` describes it. Every field is always there; unknown is null. */

import type { ContenderName, PresetName, Workload } from './params';

export const SCHEMA = 'ringspawn.result/1';

export type State = 'complete' | 'stopped' | 'failed';

export interface Measure {
  readonly unit: 'ns' | 'bytes';
  /** The first sample of the first instance, kept apart. */
  readonly cold: number | null;
  readonly median: number;
  /** 95 % interval of the median over instances and samples; null below 6 samples. */
  readonly ci95: readonly [number, number] | null;
  readonly min: number;
  readonly max: number;
  readonly samples: readonly number[];
}

export interface RingMeasures {
  readonly hop: Measure | null;
  readonly spawn: Measure | null;
  readonly memory: Measure | null;
}

export interface SpawnMeasures {
  readonly spawn: Measure | null;
  readonly stop: Measure | null;
  readonly spawnStop: Measure | null;
  readonly memory: Measure | null;
}

export interface SkynetMeasures {
  readonly leaf: Measure | null;
}

export interface WorkMeasures {
  readonly hop: Measure | null;
}

export type Measures = RingMeasures | SpawnMeasures | SkynetMeasures | WorkMeasures;

export interface Check {
  readonly name: string;
  readonly expected: number;
  readonly counted: number;
  readonly ok: boolean;
}

/** A panic of one actor. */
export interface Failure {
  readonly actor: string;
  readonly message: string;
  /** File and line, where known. */
  readonly place: string | null;
}

export interface Browser {
  readonly name: string;
  readonly version: string | null;
}

/** A browser's own answer to questions about its machine (user-agent client hints); never guessed. */
export interface Hints {
  readonly platform: string | null;
  readonly platformVersion: string | null;
  readonly architecture: string | null;
  readonly model: string | null;
}

export interface Environment {
  readonly browser: Browser | null;
  readonly engine: string | null;
  readonly cores: number | null;
  readonly isolated: boolean | null;
  /** Seconds of the run in which the page was hidden. */
  readonly hiddenSeconds: number | null;
  /** Null where the browser offers none. */
  readonly hints: Hints | null;
  readonly build: {
    readonly version: string | null;
    readonly commit: string | null;
    readonly wasmBytes: number | null;
  };
}

/** The measure that a workload is run for; a ring of 0 laps only spawns. */
export type MainName = 'hop' | 'spawn' | 'spawnStop' | 'leaf';

/** This contender's figure divided by that of another one of the same run. */
export interface Ratio {
  readonly to: ContenderName;
  readonly of: MainName;
  readonly ratio: number;
  /** 95 % interval over instances and samples of both; null below 6 samples. */
  readonly ci95: readonly [number, number] | null;
}

/** What is wrong with the conditions of a run whose figure is not as narrow as it should be. */
export interface Noise {
  /** A whole sentence, fit to be shown beside the figure as it is. */
  readonly sentence: string;
  /** Width of the widest interval, in percent of its figure. */
  readonly widthPercent: number;
}

/** How many threads a contender was to have, how many there were, and how many of those had something to do. */
export interface ThreadsUsed {
  readonly asked: number;
  readonly granted: number;
  readonly used: number;
  /** Why fewer were granted, in words that can follow “because”; null when all is as asked. */
  readonly reason: string | null;
}

/** What the workers of a pool did in all kept samples together. */
export interface PoolUse {
  /** Messages received by the actors that each worker ran. */
  readonly hopsPerWorker: readonly number[];
  /** Messages from one strand to another. */
  readonly crossStrand: number;
  /** How often a worker took strands from another one. */
  readonly steals: number;
  /** How often a worker went to sleep. */
  readonly parks: number;
}

export interface Result {
  readonly schema: typeof SCHEMA;
  readonly at: string;
  readonly state: State;
  /** Why it isn't complete, in a sentence. */
  readonly message: string | null;
  readonly workload: Workload;
  readonly preset: PresetName | null;
  readonly contender: ContenderName;
  readonly threads: ThreadsUsed;
  readonly measures: Measures;
  /** To every other contender of the same run that has a figure, in the order of the run; null when this one has none. */
  readonly ratios: readonly Ratio[] | null;
  /** Null when the intervals are narrow, or when there is none. */
  readonly noise: Noise | null;
  /** Cold figure ÷ median of the measure that counts (`hop`, `spawnStop`, `leaf`). */
  readonly coldToWarm: number | null;
  /** `ok` is null when a run was stopped before its checks. */
  readonly checks: { readonly ok: boolean | null; readonly items: readonly Check[] };
  readonly failures: readonly Failure[];
  /** How far a stopped run got: what all its samples did, kept or not, and what one whole sample does. */
  readonly stoppedAt: {
    readonly unit: string;
    readonly done: number;
    readonly total: number;
    readonly samplesKept: number;
  } | null;
  /** Kept samples of each fresh instance, in the order of `samples`. */
  readonly instances: readonly number[] | null;
  readonly warmUp: {
    /** Of all instances. */
    readonly samples: number;
    readonly agreed: boolean;
    /** The first instance's warm-up in order, in ns of the measure that counts; null when the clock saw nothing of one. */
    readonly values: readonly number[] | null;
  } | null;
  readonly clock: { readonly stepMs: number | null; readonly errorPercent: number | null };
  /** Null of a run without a pool, and of one without a kept sample. */
  readonly pool: PoolUse | null;
  readonly environment: Environment;
}

/** The measure that a workload is run for. */
export function mainMeasure({ measures }: Result): {
  name: 'hop' | 'spawnStop' | 'leaf';
  measure: Measure | null;
} {
  if ('hop' in measures) return { name: 'hop', measure: measures.hop };
  if ('leaf' in measures) return { name: 'leaf', measure: measures.leaf };
  return { name: 'spawnStop', measure: measures.spawnStop };
}
