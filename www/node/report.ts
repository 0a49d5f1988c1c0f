/** What is said of results besides the table: a line when a contender has ended, and the exit code. */

import { exitCode } from '../../tools/bench/outcome.mjs';
import { noMeasures } from '../figures';
import type { ContenderName, Params, Workload } from '../params';
import { type Environment, type Measure, mainMeasure, type Result, SCHEMA } from '../result';
import { duration, durationRange, plural } from '../words';

/** Signals that end a run early, with what a shell makes of them. */
export const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
export type EndingSignal = keyof typeof SIGNALS;

/** 128 and its number after a signal; else 1 when a check failed, 2 when a contender couldn't run, 0 when all is well. */
export function exitCodeOf(results: readonly Result[], signal: EndingSignal | null): number {
  return signal === null ? exitCode([...results]) : SIGNALS[signal];
}

/** What the figure of a run is divided by; a ring of 0 laps only spawns. */
export function unitOf(workload: Workload): 'hop' | 'actor' {
  return workload.name === 'ring' && workload.laps > 0 ? 'hop' : 'actor';
}

export function endLine(result: Result): string {
  const { contender, state, message } = result;
  if (state !== 'complete') return `${contender}: ${message ?? state}`;
  return `${contender}: ${figure(shownMeasure(result), unitOf(result.workload))}, checks ok`;
}

function shownMeasure(result: Result): Measure | null {
  return mainMeasure(result).measure ?? result.measures.spawn;
}

function figure(measure: Measure | null, unit: string): string {
  if (measure === null) return 'complete, without a figure';
  const interval = measure.ci95 === null ? '' : ` (95 % interval ${durationRange(measure.ci95)})`;
  return `${duration(measure.median)} per ${unit}${interval}, ${plural(measure.samples.length, 'sample')}`;
}

/** Of a contender that never ran, since nothing could be started here: all is null but why. */
export function failedResult(
  params: Params,
  contender: ContenderName,
  message: string,
  environment: Environment,
): Result {
  const { workload, preset, threads } = params;
  return {
    schema: SCHEMA,
    at: new Date().toISOString(),
    state: 'failed',
    message,
    workload,
    preset,
    contender,
    threads: { asked: threads ?? 1, granted: 1, used: 1 },
    measures: noMeasures(workload),
    ratios: null,
    noise: null,
    coldToWarm: null,
    checks: { ok: false, items: [] },
    failures: [],
    stoppedAt: null,
    instances: null,
    warmUp: null,
    clock: { stepMs: null, errorPercent: null },
    pool: null,
    environment: { ...environment, hints: environment.hints ?? null },
  };
}
