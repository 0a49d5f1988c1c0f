/** What the samples of one contender come to: measures, errors, and what is said of a run that failed or was stopped. */

import type { ContenderName, Workload } from './params';
import { isRing, unitsOf } from './params';
import type { About } from './protocol';
import type { Check, MainName, Measure, Measures, Result } from './result';
import { clockErrorPercent, type PhaseTime, type RawSample, type SampleProgress } from './sample';
import { median, medianInterval, relativeWidth, round, summarize } from './stats';

/** A figure that the clock may have wrong by more than this is not reported. */
const WORST_ERROR_PERCENT = 10;

/** What a run is for is reported with its error, unless it may be off by as much as itself: that is no figure. */
const WORST_MAIN_ERROR_PERCENT = 100;

/** What one fresh instance gave, and which one it was: contenders share instances. */
export interface Group {
  readonly number: number;
  readonly samples: RawSample[];
}

/** What is known of one contender so far. */
export class Track {
  readonly contender: ContenderName;
  /** What its first instance said of itself. */
  about: About | null = null;
  cold: RawSample | null = null;
  readonly instances: Group[] = [];
  warmUps = 0;
  /** Of the first instance, in order. */
  readonly firstWarmUps: RawSample[] = [];
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
    return this.samples.length;
  }

  /** All that were kept, instance after instance. */
  get samples(): readonly RawSample[] {
    return this.instances.flatMap(({ samples }) => samples);
  }

  fail(message: string, sample: RawSample | null): void {
    this.failed = message;
    this.failedSample = sample;
  }
}

/** Both numbers of every check that failed or can't be exact, and every panic with its place. */
export function complaintOf(sample: RawSample): string | null {
  const panics = sample.failures.map(
    ({ actor, message, place }) =>
      `${actor} panicked: ${message}${place === null ? '' : ` (${place})`}`,
  );
  const checks = sample.checks
    .filter((check) => !check.ok || !isExact(check))
    .map(
      (check) =>
        `${check.name}: expected ${check.expected}, counted ${check.counted}` +
        (isExact(check) ? '' : ', which is more than can be counted exactly'),
    );
  if (sample.ok && panics.length + checks.length === 0) return null;
  return [...panics, ...checks].join('; ') || 'the checks failed';
}

/** Above 2^53 − 1 two counts that differ could be shown, and compared, as the same number. */
function isExact({ expected, counted }: Check): boolean {
  return Number.isSafeInteger(expected) && Number.isSafeInteger(counted);
}

/** A clock that was set back during a phase makes it shorter than it was: no figure may come of that. */
export function isSetBack({ phases }: RawSample): boolean {
  return Object.values(phases).some(({ ms }) => !(ms >= 0 && ms < Number.POSITIVE_INFINITY));
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

function readersOf({ name }: Workload): Readonly<Record<string, Reader>> {
  switch (name) {
    case 'ring':
      return { hop: phase('hop'), spawn: phase('spawn') };
    case 'spawn':
      return { spawn: phase('spawn'), stop: phase('stop'), spawnStop };
    case 'skynet':
      return { leaf: phase('leaf') };
    case 'work':
      return { hop: phase('hop') };
  }
}

/** What the run is for: a ring without laps is only built. */
export function mainName(workload: Workload): MainName {
  switch (workload.name) {
    case 'ring':
      return workload.laps === 0 ? 'spawn' : 'hop';
    case 'spawn':
      return 'spawnStop';
    case 'skynet':
      return 'leaf';
    case 'work':
      return 'hop';
  }
}

function mainReader(workload: Workload): Reader {
  const name = mainName(workload);
  return name === 'spawnStop' ? spawnStop : phase(name);
}

/** Null when the clock saw nothing, and for what no clock can have seen. */
function nsOf(time: PhaseTime | null): number | null {
  if (time === null || !(time.units > 0)) return null;
  const ns = (time.ms * 1e6) / time.units;
  return ns > 0 && Number.isFinite(ns) ? ns : null;
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
      timeMeasure(track, reader, stepMs, name !== 'spawn' && name !== 'stop'),
    ]),
  );
  const none = noMeasures(workload);
  const memory = 'memory' in none ? { memory: memoryMeasure(track) } : {};
  return { ...none, ...times, ...memory } as Measures;
}

export function noMeasures({ name }: Workload): Measures {
  switch (name) {
    case 'ring':
      return { hop: null, spawn: null, memory: null };
    case 'spawn':
      return { spawn: null, stop: null, spawnStop: null, memory: null };
    case 'skynet':
      return { leaf: null };
    case 'work':
      return { hop: null };
  }
}

export function mainOf(measures: Measures): Measure | null {
  if ('hop' in measures) return measures.hop;
  return 'leaf' in measures ? measures.leaf : measures.spawnStop;
}

/** Null when a sample lacks the phase, when the clock saw nothing of it, or (for a part) too little of it. */
function timeMeasure(
  track: Track,
  reader: Reader,
  stepMs: number | null,
  isMain: boolean,
): Measure | null {
  const groups = track.instances
    .map(({ samples }) => samples.map(reader))
    .filter((group) => group.length > 0);
  const figures = groups.map((group) => group.map(nsOf));
  if (!isComplete(figures)) return null;
  const errors = groups
    .flat()
    .map(
      (time) => (time === null || stepMs === null ? null : clockErrorPercent(time, stepMs)) ?? 0,
    );
  const worst = isMain ? WORST_MAIN_ERROR_PERCENT : WORST_ERROR_PERCENT;
  if (errors.length > 0 && median(errors) > worst) return null;
  const summary = summarize(figures);
  if (summary === null) return null;
  const cold = track.cold === null ? null : nsOf(reader(track.cold));
  return { unit: 'ns', cold: cold === null ? null : round(cold), ...summary };
}

/** The same for every sample of an instance, so one figure from each instance. */
function memoryMeasure(track: Track): Measure | null {
  const figures = track.instances.flatMap(({ samples }) =>
    samples.length > 0 ? [[bytesOf(samples.at(-1)!)]] : [],
  );
  if (!isComplete(figures)) return null;
  const summary = summarize(figures);
  return summary === null ? null : { unit: 'bytes', cold: null, ...summary };
}

function bytesOf({ memory }: RawSample): number | null {
  return memory !== null && memory >= 0 && Number.isFinite(memory) ? memory : null;
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
  const errors = track.samples.map((sample) => {
    const time = reader(sample);
    return time === null ? null : clockErrorPercent(time, stepMs);
  });
  if (errors.length === 0 || errors.includes(null)) return null;
  const worst = Math.max(...(errors as number[]));
  return Number.isFinite(worst) ? round(worst) : null;
}

/** In ns, in order; null when there were none, or when the clock saw nothing of one. */
export function warmUpValues(track: Track, workload: Workload): readonly number[] | null {
  const values = track.firstWarmUps.flatMap((sample) => mainNs(sample, workload) ?? []);
  if (values.length === 0 || values.length < track.firstWarmUps.length) return null;
  return values.map(round);
}

/** Is the interval of the median narrower than this share of it? */
export function isNarrow(track: Track, workload: Workload, share: number): boolean {
  const groups = track.instances.map(({ samples }) =>
    samples.flatMap((sample) => mainNs(sample, workload) ?? []),
  );
  const interval = medianInterval(groups);
  return interval !== null && relativeWidth(interval, median(groups.flat())) <= share;
}

export function nsSoFar(track: Track, workload: Workload): number | null {
  const kept = track.samples.flatMap((sample) => mainNs(sample, workload) ?? []);
  if (kept.length > 0) return median(kept);
  const { progress } = track;
  const main = workload.name === 'ring' ? 'hop' : mainName(workload);
  const isMainPhase = progress !== null && progress.done > 0 && progress.phase === main;
  return isMainPhase ? (progress.phaseMs * 1e6) / progress.done : mainNs(track.last, workload);
}

const STOPPED_UNITS: Readonly<Record<Workload['name'], string>> = {
  ring: 'hops',
  spawn: 'actors',
  skynet: 'leaves',
  work: 'hops',
};

/**
 * Counts all samples of a contender, cold and warm-up too: those hops were done, though not for the figure. Null when
 * so many can't be counted exactly.
 */
export function stoppedAt(track: Track, workload: Workload): Result['stoppedAt'] {
  const { progress, taken, kept } = track;
  // While a ring is being built no hop is done yet; an actor counts when it has stopped.
  const counts = isRing(workload) ? progress?.phase === 'hop' : progress?.phase !== 'spawn';
  const total = unitsOf(workload);
  const done = BigInt(taken) * BigInt(total) + BigInt(counts ? (progress?.done ?? 0) : 0);
  if (done > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return { unit: STOPPED_UNITS[workload.name], done: Number(done), total, samplesKept: kept };
}

export function stoppedSentence(track: Track, workload: Workload): string {
  const kept = `${track.kept} whole ${track.kept === 1 ? 'sample' : 'samples'} kept`;
  const at = stoppedAt(track, workload);
  if (at === null) return `stopped after more than can be counted exactly, with ${kept}`;
  const far = `stopped at ${at.done.toLocaleString('en')} ${at.unit}`;
  if (track.taken === 0) return `${far} of ${at.total.toLocaleString('en')}`;
  return `${far}, with ${kept}`;
}
