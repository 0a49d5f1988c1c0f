/** What is said of results besides the table: a line when a contender has ended, and the exit code. */

import { exitCode } from '../../tools/bench/outcome.mjs';
import { noMeasures } from '../figures';
import { threadsOf } from '../make-result';
import { type ContenderName, type Params, unitNameOf } from '../params';
import { type Environment, type Measure, mainMeasure, type Result, SCHEMA } from '../result';
import { duration, durationRange, plural, threadsWords } from '../words';

/** Signals that end a run early, with what a shell makes of them. */
export const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
export type EndingSignal = keyof typeof SIGNALS;

/** 128 and its number after a signal; else 1 when a check failed, 2 when a contender couldn't run, 0 when all is well. */
export function exitCodeOf(results: readonly Result[], signal: EndingSignal | null): number {
  return signal === null ? exitCode([...results]) : SIGNALS[signal];
}

export function endLine(result: Result): string {
  const { contender, state, message } = result;
  if (state !== 'complete') return `${contender}: ${message ?? state}`;
  const threads = threadsWords(result);
  const { reason } = result.threads;
  return (
    `${contender}: ${figure(shownMeasure(result), unitNameOf(result.workload))}${threads === null ? '' : `, ${threads}`}, ` +
    `checks ok${reason === null ? '' : `; one thread, because ${reason}`}`
  );
}

function shownMeasure(result: Result): Measure | null {
  const { measures } = result;
  return mainMeasure(result).measure ?? ('spawn' in measures ? measures.spawn : null);
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
  const { workload, preset } = params;
  const untried = { contender, about: null, samples: [] };
  return {
    schema: SCHEMA,
    at: new Date().toISOString(),
    state: 'failed',
    message,
    workload,
    preset,
    contender,
    threads: threadsOf(untried, params, environment.cores),
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
