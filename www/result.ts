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

export type Measures = RingMeasures | SpawnMeasures;

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

export interface Environment {
  readonly browser: Browser | null;
  readonly engine: string | null;
  readonly cores: number | null;
  readonly isolated: boolean | null;
  /** Seconds of the run in which the page was hidden. */
  readonly hiddenSeconds: number | null;
  readonly build: {
    readonly version: string | null;
    readonly commit: string | null;
    readonly wasmBytes: number | null;
  };
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
  readonly threads: { readonly asked: number; readonly granted: number; readonly used: number };
  readonly measures: Measures;
  /** Cold figure ÷ median of the measure that counts (`hop`, `spawnStop`). */
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
  readonly warmUp: { readonly samples: number; readonly agreed: boolean } | null;
  readonly clock: { readonly stepMs: number | null; readonly errorPercent: number | null };
  readonly pool: null;
  readonly environment: Environment;
}

/** The measure that a workload is run for. */
export function mainMeasure(result: Result): {
  name: 'hop' | 'spawnStop';
  measure: Measure | null;
} {
  return 'hop' in result.measures
    ? { name: 'hop', measure: result.measures.hop }
    : { name: 'spawnStop', measure: result.measures.spawnStop };
}
