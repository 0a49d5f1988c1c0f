/** What a run comes to for each contender, as `ringspawn.result/1` has it. */

import {
  errorPercentOf,
  mainName,
  mainOf,
  measuresOf,
  noMeasures,
  stoppedAt,
  stoppedSentence,
  type Track,
  warmUpValues,
} from './figures';
import { type Params, unitsOf } from './params';
import { noiseOf, ratiosOf } from './ratios';
import {
  type Check,
  type Environment,
  type Measure,
  type Measures,
  type PoolUse,
  type Result,
  SCHEMA,
  type State,
  type ThreadsUsed,
} from './result';
import { type PoolNumbers, sumOfPools } from './sample';
import { round } from './stats';
import { threadsFor, usesThreads } from './threads/capability';

export interface FinishedRun {
  readonly params: Params;
  readonly isStopped: boolean;
}

/** What became of one contender. */
export interface Outcome {
  readonly track: Track;
  readonly state: State;
  /** Why, when it failed. */
  readonly failed: string | null;
  readonly measures: Measures;
  readonly errorPercent: number | null;
}

export function outcomeOf(track: Track, { params, isStopped }: FinishedRun): Outcome {
  const { workload } = params;
  const stepMs = track.about?.clockStepMs ?? null;
  const measures =
    track.failed === null ? measuresOf(track, workload, stepMs) : noMeasures(workload);
  const isMissing =
    track.failed === null && !isStopped && mainOf(measures) === null && unitsOf(workload) > 0;
  const failed = isMissing ? 'too short for this clock' : track.failed;
  return {
    track,
    state: failed !== null ? 'failed' : isStopped ? 'stopped' : 'complete',
    failed,
    measures,
    errorPercent: errorPercentOf(track, workload, stepMs),
  };
}

/** `all` are the outcomes of the same run: ratios lead to those that are complete. */
export function resultOf(
  outcome: Outcome,
  all: readonly Outcome[],
  { params }: FinishedRun,
  at: Date,
  environment: Environment,
): Result {
  const { track, state, failed, measures, errorPercent } = outcome;
  const { workload, preset } = params;
  const report = track.failedSample ?? track.last;
  const main = mainOf(measures);
  const groups = track.instances.filter(({ samples }) => samples.length > 0);
  return {
    schema: SCHEMA,
    at: at.toISOString(),
    state,
    message: failed ?? (state === 'stopped' ? stoppedSentence(track, workload) : null),
    workload,
    preset,
    contender: track.contender,
    threads: threadsOf(track, params, environment.cores),
    measures,
    ...comparison(outcome, all, params),
    coldToWarm: main === null || main.cold === null ? null : finite(main.cold / main.median),
    checks: {
      ok: state === 'stopped' ? null : state === 'complete',
      items: (report?.checks ?? []).filter(isFiniteCheck),
    },
    failures: report?.failures ?? [],
    stoppedAt: state === 'stopped' ? stoppedAt(track, workload) : null,
    instances: groups.length > 0 ? groups.map(({ samples }) => samples.length) : null,
    warmUp: track.kept > 0 ? warmUpOf(outcome, params) : null,
    clock: { stepMs: track.about?.clockStepMs ?? null, errorPercent },
    pool: poolOf(track),
    environment: {
      ...environment,
      build: { ...environment.build, wasmBytes: track.about?.wasmBytes ?? null },
    },
  };
}

/** One that ran on one thread by its nature got what it takes, whatever was asked. */
export function threadsOf(
  { contender, about, samples }: Pick<Track, 'contender' | 'about' | 'samples'>,
  { threads }: Params,
  cores: number | null,
): ThreadsUsed {
  if (!usesThreads(contender)) return { asked: threads ?? 1, granted: 1, used: 1, reason: null };
  const none = { asked: threads ?? threadsFor(cores), granted: 1, reason: null };
  const { asked, granted, reason } = about?.threads ?? none;
  const used = samples.map(({ pool }) => pool?.used ?? 1).filter(isCount);
  return { asked, granted, used: Math.max(1, ...used), reason };
}

function poolOf({ samples }: Track): PoolUse | null {
  const sum = samples.map(({ pool }) => pool).reduce(sumOfPools, null);
  if (sum === null || !isExact(sum)) return null;
  const { hopsPerWorker, crossStrand, steals, parks } = sum;
  return { hopsPerWorker, crossStrand, steals, parks };
}

function isExact({ hopsPerWorker, crossStrand, steals, parks }: PoolNumbers): boolean {
  return [...hopsPerWorker, crossStrand, steals, parks].every(isCount);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Only of a complete run: what was stopped half-way is no full result. */
function comparison(
  { track, state, measures, errorPercent }: Outcome,
  all: readonly Outcome[],
  { workload }: Params,
): Pick<Result, 'ratios' | 'noise'> {
  if (state !== 'complete') return { ratios: null, noise: null };
  const others = all.filter((other) => other.state === 'complete').map((other) => other.track);
  const ratios = ratiosOf(track, others, workload);
  const byName: Partial<Record<string, Measure | null>> = { ...measures };
  return { ratios, noise: noiseOf(byName[mainName(workload)] ?? null, ratios, errorPercent) };
}

function warmUpOf({ track }: Outcome, { workload }: Params): Result['warmUp'] {
  const { warmUps, agreed } = track;
  return { samples: warmUps, agreed, values: warmUpValues(track, workload) };
}

/** JSON has no other numbers; the sentence of the failed run says what they were. */
function isFiniteCheck({ expected, counted }: Check): boolean {
  return Number.isFinite(expected) && Number.isFinite(counted);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? round(value) : null;
}
