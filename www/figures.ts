/** What the samples of one contender come to: measures, errors, and what is said of a run that failed or was stopped. */

import type { ContenderName, Workload } from './params';
import { unitsOf } from './params';
import type { Measure, Measures, Result } from './result';
import { clockErrorPercent, type PhaseTime, type RawSample, type SampleProgress } from './sample';
import { median, medianInterval, round, summarize } from './stats';

/** A figure that the clock may have wrong by more than this is not reported. */
const WORST_ERROR_PERCENT = 10;

/** What is known of one contender so far. */
export class Track {
  readonly contender: ContenderName;
  cold: RawSample | null = null;
  readonly instances: RawSample[][] = [];
  warmUps = 0;
  /** Whole samples of any kind. */
  taken = 0;
  agreed = true;
  last: RawSample | null = null;
  progress: SampleProgress | null = null;
  failed: string | null = null;
  failedSample: RawSample | null = null;

  constructor(contender: ContenderName) {
    this.contender = contender;
  }

  get kept(): number {
    return this.instances.reduce((sum, samples) => sum + samples.length, 0);
  }

  fail(message: string, sample: RawSample | null): void {
    this.failed = message;
    this.failedSample = sample;
  }
}

/** Both numbers of every check that failed, and every panic with its place. */
export function complaintOf(sample: RawSample): string | null {
  if (sample.ok) return null;
  const panics = sample.failures.map(
    ({ actor, message, place }) =>
      `${actor} panicked: ${message}${place === null ? '' : ` (${place})`}`,
  );
  const checks = sample.checks
    .filter((check) => !check.ok)
    .map(({ name, expected, counted }) => `${name}: expected ${expected}, counted ${counted}`);
  return [...panics, ...checks].join('; ') || 'the checks failed';
}

type Reader = (sample: RawSample) => PhaseTime | null;

/** Spawn and stop follow each other with one reading of the clock between them: their sum has one error, not two. */
const spawnStop: Reader = ({ phases }) => {
  const { spawn, stop } = phases;
  if (spawn === undefined || stop === undefined) return phases['spawnStop'] ?? null;
  return { ms: spawn.ms + stop.ms, units: stop.units, stretches: stop.stretches };
};
const phase =
  (name: string): Reader =>
  (sample) =>
    sample.phases[name] ?? null;

function readersOf(workload: Workload): Readonly<Record<string, Reader>> {
  if (workload.name === 'ring') return { hop: phase('hop'), spawn: phase('spawn') };
  return { spawn: phase('spawn'), stop: phase('stop'), spawnStop };
}

function mainReader(workload: Workload): Reader {
  return workload.name === 'ring'
    ? workload.laps === 0
      ? phase('spawn')
      : phase('hop')
    : spawnStop;
}

function nsOf(time: PhaseTime | null): number | null {
  return time !== null && time.ms > 0 && time.units > 0 ? (time.ms * 1e6) / time.units : null;
}

export function mainNs(sample: RawSample | null, workload: Workload): number | null {
  return sample === null ? null : nsOf(mainReader(workload)(sample));
}

export function msOf(sample: RawSample | null): number {
  return sample === null ? 0 : Object.values(sample.phases).reduce((sum, { ms }) => sum + ms, 0);
}

export function measuresOf(track: Track, workload: Workload, stepMs: number | null): Measures {
  const times = Object.fromEntries(
    Object.entries(readersOf(workload)).map(([name, reader]) => [
      name,
      timeMeasure(track, reader, stepMs, name === 'hop' || name === 'spawnStop'),
    ]),
  );
  return { ...noMeasures(workload), ...times, memory: memoryMeasure(track) } as Measures;
}

export function noMeasures(workload: Workload): Measures {
  return workload.name === 'ring'
    ? { hop: null, spawn: null, memory: null }
    : { spawn: null, stop: null, spawnStop: null, memory: null };
}

export function mainOf(measures: Measures): Measure | null {
  return 'hop' in measures ? (measures.hop ?? null) : measures.spawnStop;
}

/** Null when a sample lacks the phase, when the clock saw nothing of it, or (for a part) too little of it. */
function timeMeasure(
  track: Track,
  reader: Reader,
  stepMs: number | null,
  isMain: boolean,
): Measure | null {
  const groups = track.instances
    .map((samples) => samples.map(reader))
    .filter((group) => group.length > 0);
  const figures = groups.map((group) => group.map(nsOf));
  if (!isComplete(figures)) return null;
  const errors = groups
    .flat()
    .map(
      (time) => (time === null || stepMs === null ? null : clockErrorPercent(time, stepMs)) ?? 0,
    );
  if (!isMain && errors.length > 0 && median(errors) > WORST_ERROR_PERCENT) return null;
  const summary = summarize(figures);
  if (summary === null) return null;
  const cold = track.cold === null ? null : nsOf(reader(track.cold));
  return { unit: 'ns', cold: cold === null ? null : round(cold), ...summary };
}

/** The same for every sample of an instance, so one figure from each instance. */
function memoryMeasure(track: Track): Measure | null {
  const figures = track.instances.flatMap((samples) =>
    samples.length > 0 ? [[samples.at(-1)!.memory]] : [],
  );
  if (!isComplete(figures)) return null;
  const summary = summarize(figures);
  return summary === null ? null : { unit: 'bytes', cold: null, ...summary };
}

function isComplete(figures: (number | null)[][]): figures is number[][] {
  return figures.flat().every((figure) => figure !== null);
}

export function errorPercentOf(
  track: Track,
  workload: Workload,
  stepMs: number | null,
): number | null {
  if (stepMs === null) return null;
  const reader = mainReader(workload);
  const errors = track.instances.flat().map((sample) => {
    const time = reader(sample);
    return time === null ? null : clockErrorPercent(time, stepMs);
  });
  if (errors.length === 0 || errors.includes(null)) return null;
  return round(Math.max(...(errors as number[])));
}

/** Is the interval narrower than this share of the median? */
export function isNarrow(track: Track, workload: Workload, share: number): boolean {
  const groups = track.instances.map((samples) =>
    samples.flatMap((sample) => mainNs(sample, workload) ?? []),
  );
  const interval = medianInterval(groups);
  return interval !== null && interval[1] - interval[0] <= share * median(groups.flat());
}

export function nsSoFar(track: Track, workload: Workload): number | null {
  const kept = track.instances.flat().flatMap((sample) => mainNs(sample, workload) ?? []);
  if (kept.length > 0) return median(kept);
  const { progress } = track;
  const isMainPhase =
    progress !== null &&
    progress.done > 0 &&
    progress.phase === (workload.name === 'ring' ? 'hop' : 'spawnStop');
  return isMainPhase ? (progress.phaseMs * 1e6) / progress.done : mainNs(track.last, workload);
}

/** Counts all samples of a contender, cold and warm-up too: those hops were done, though not for the figure. */
export function stoppedAt(track: Track, workload: Workload): NonNullable<Result['stoppedAt']> {
  const { progress, taken, kept } = track;
  const isRing = workload.name === 'ring';
  // While a ring is being built no hop is done yet; an actor counts when it has stopped.
  const counts = isRing ? progress?.phase === 'hop' : progress?.phase !== 'spawn';
  const total = unitsOf(workload);
  const done = taken * total + (counts ? (progress?.done ?? 0) : 0);
  return { unit: isRing ? 'hops' : 'actors', done, total, samplesKept: kept };
}

export function stoppedSentence(track: Track, workload: Workload): string {
  const { unit, done, total, samplesKept } = stoppedAt(track, workload);
  const far = `stopped at ${done.toLocaleString('en')} ${unit}`;
  if (track.taken === 0) return `${far} of ${total.toLocaleString('en')}`;
  return `${far}, with ${samplesKept} whole ${samplesKept === 1 ? 'sample' : 'samples'} kept`;
}
