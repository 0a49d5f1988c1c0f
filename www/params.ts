/**
 * What to run, from an address or from form fields: frozen parameters, or one sentence that names the value and the
 * range. Pure; nothing is clamped, guessed or silently defaulted.
 */

import { usesThreads } from './threads/capability';

export const WORKLOADS = ['ring', 'spawn', 'skynet', 'work'] as const;
export type WorkloadName = (typeof WORKLOADS)[number];

export const CONTENDERS = [
  'actors/handler',
  'actors/async',
  'actors/mixed',
  'actors/threads',
  'actors/threads-async',
  'js/queue',
  'js/async',
  'workers/postmessage',
  'floor',
] as const;
export type ContenderName = (typeof CONTENDERS)[number];

export const PRESETS = [
  'erlang-2007',
  'armstrong-spawn',
  'threads-2006',
  'kilim-2009',
  'tokens',
] as const;
export type PresetName = (typeof PRESETS)[number];

export interface RingWorkload {
  readonly name: 'ring';
  readonly actors: number;
  readonly laps: number;
  readonly tokens: number;
}

export interface SpawnWorkload {
  readonly name: 'spawn';
  readonly actors: number;
}

/** A tree of actors, ten to a node, that sums the ordinals of its leaves. */
export interface SkynetWorkload {
  readonly name: 'skynet';
  readonly leaves: number;
}

/** A ring whose every message computes. */
export interface WorkWorkload {
  readonly name: 'work';
  readonly actors: number;
  readonly laps: number;
  readonly tokens: number;
  /** As asked for. */
  readonly workNs: number;
  /** What that comes to here; null until it is known. */
  readonly rounds: number | null;
}

/** As asked for, and as results tell it. */
export type Workload = RingWorkload | SpawnWorkload | SkynetWorkload | WorkWorkload;

/** What can be run: how many rounds a message computes is known. */
export type ReadyWorkload =
  | Exclude<Workload, WorkWorkload>
  | (WorkWorkload & { readonly rounds: number });

export interface Params {
  readonly workload: Workload;
  readonly preset: PresetName | null;
  readonly contenders: readonly ContenderName[];
  /** As asked for; null when nothing was said. */
  readonly threads: number | null;
  /** Exactly so many kept samples; null lets the engine decide. */
  readonly samples: number | null;
  readonly autostart: boolean;
}

export type Reading =
  | { readonly params: Params; readonly error: null; readonly field: null }
  | { readonly params: null; readonly error: string; readonly field: string | null };

export const LIMITS = {
  actors: { min: 1, max: 100_000_000 },
  laps: { min: 0, max: 1_000_000_000 },
  tokens: { min: 1, max: 100_000_000 },
  leaves: { min: 1, max: 100_000_000 },
  'work-ns': { min: 0, max: 10_000_000 },
  threads: { min: 1, max: 64 },
  samples: { min: 1, max: 1000 },
} as const;

export const MAX_HOPS = Number.MAX_SAFE_INTEGER;

/** A wasm memory with 32-bit addresses ends at 4 GiB; 256 MiB stay for the run queue, the stack and growth by chunks. */
export const MEMORY_LIMIT_BYTES = (4096 - 256) * 1024 * 1024;

/** Memory that threads share is declared with 1 GiB; 64 MiB stay for stacks and growth. */
const SHARED_MEMORY_LIMIT_BYTES = (1024 - 64) * 1024 * 1024;

/** A boxed token with its text, and its place in a queue. An estimate, to refuse in words before the memory ends. */
const TOKEN_BYTES = 128;

/**
 * The most actors of contenders that don't live in a wasm memory. A browser gives no page more than a few hundred
 * workers, and each takes a thread and megabytes. JavaScript objects share a heap whose size nobody tells, and a tab
 * that passes it dies without a word: these keep below 1 GB with the bytes per actor that V8 takes.
 */
const MOST_ACTORS: Readonly<Partial<Record<ContenderName, number>>> = {
  'js/queue': 5_000_000,
  'js/async': 1_000_000,
  'workers/postmessage': 100,
};

const DO_RING_AND_SPAWN: readonly WorkloadName[] = ['ring', 'spawn'];

/** The workloads of contenders that don't do all of them. */
const WORKLOADS_OF: Readonly<Partial<Record<ContenderName, readonly WorkloadName[]>>> = {
  'js/queue': DO_RING_AND_SPAWN,
  'js/async': DO_RING_AND_SPAWN,
  'workers/postmessage': DO_RING_AND_SPAWN,
};

export const DEFAULT_WORKLOADS: { readonly [Name in WorkloadName]: Workload & { name: Name } } = {
  ring: { name: 'ring', actors: 1000, laps: 1000, tokens: 1 },
  spawn: { name: 'spawn', actors: 100_000 },
  skynet: { name: 'skynet', leaves: 1_000_000 },
  work: { name: 'work', actors: 10_000, laps: 20, tokens: 64, workNs: 50, rounds: null },
};

const DEFAULT_CONTENDERS: readonly ContenderName[] = ['actors/handler', 'floor'];

interface Preset {
  readonly workload: Workload;
  readonly samples: number | null;
}

export const PRESET_TABLE: Readonly<Record<PresetName, Preset>> = {
  'erlang-2007': {
    workload: { name: 'ring', actors: 30_000, laps: 1000, tokens: 1 },
    samples: null,
  },
  'armstrong-spawn': { workload: { name: 'spawn', actors: 100_000 }, samples: null },
  'threads-2006': { workload: { name: 'ring', actors: 500, laps: 3000, tokens: 1 }, samples: 13 },
  'kilim-2009': {
    workload: { name: 'ring', actors: 100, laps: 1_000_000, tokens: 1 },
    samples: null,
  },
  tokens: { workload: { name: 'ring', actors: 10_000, laps: 20, tokens: 64 }, samples: null },
};

/** By which addresses, options and fields call a workload's sizes, in the order in which they are shown. */
export const SIZE_KEYS = ['actors', 'laps', 'tokens', 'leaves', 'work-ns'] as const;
export type SizeKey = (typeof SIZE_KEYS)[number];

const KEYS = [
  'workload',
  'preset',
  ...SIZE_KEYS,
  'contender',
  'threads',
  'samples',
  'autostart',
] as const;
type Key = (typeof KEYS)[number];

/** Reads `?workload=ring&actors=…`. */
export function readAddress(search: string): Reading {
  return readPairs([...new URLSearchParams(search)]);
}

/** Reads name and value pairs, as an address or a form gives them. */
export function readPairs(pairs: Iterable<readonly [string, string]>): Reading {
  try {
    return { params: read(collect(pairs)), error: null, field: null };
  } catch (error) {
    if (error instanceof BadParameter)
      return { params: null, error: error.message, field: error.field };
    throw error;
  }
}

export function defaultParams(): Params {
  return read(new Map());
}

/** The address that gives these parameters again; `autostart` is left out, so that a reload waits for a press. */
export function toSearch(params: Params): string {
  const parts: string[] = [];
  if (params.preset !== null) {
    parts.push(`preset=${params.preset}`);
  } else {
    parts.push(`workload=${params.workload.name}`);
    for (const [key, value] of sizesOf(params.workload)) parts.push(`${key}=${value}`);
  }
  parts.push(`contender=${params.contenders.join(',')}`);
  if (params.threads !== null) parts.push(`threads=${params.threads}`);
  const presetSamples = params.preset === null ? null : PRESET_TABLE[params.preset].samples;
  if (params.samples !== null && params.samples !== presetSamples)
    parts.push(`samples=${params.samples}`);
  return `?${parts.join('&')}`;
}

/** What was asked for, by the names of parameters; what is only found out here is left out. */
export function sizesOf(workload: Workload): (readonly [SizeKey, number])[] {
  switch (workload.name) {
    case 'ring':
      return ringSizes(workload);
    case 'spawn':
      return [['actors', workload.actors]];
    case 'skynet':
      return [['leaves', workload.leaves]];
    case 'work':
      return [...ringSizes(workload), ['work-ns', workload.workNs]];
  }
}

function ringSizes({
  actors,
  laps,
  tokens,
}: RingWorkload | WorkWorkload): (readonly [SizeKey, number])[] {
  return [
    ['actors', actors],
    ['laps', laps],
    ['tokens', tokens],
  ];
}

/** Do tokens go round in it? */
export function isRing(workload: Workload): workload is RingWorkload | WorkWorkload {
  return workload.name === 'ring' || workload.name === 'work';
}

/** Its actors, of a tree those that stand for its leaves. */
export function actorsOf(workload: Workload): number {
  return workload.name === 'skynet' ? workload.leaves : workload.actors;
}

/** What a run of this workload does: hops of a ring, actors of a spawn, leaves of a tree. */
export function unitsOf(workload: Workload): number {
  return isRing(workload) ? workload.actors * workload.laps * workload.tokens : actorsOf(workload);
}

/** How those are called. */
export function unitNameOf(workload: Workload): 'hop' | 'actor' | 'leaf' {
  if (workload.name === 'skynet') return 'leaf';
  return workload.name === 'work' || (workload.name === 'ring' && workload.laps > 0)
    ? 'hop'
    : 'actor';
}

/**
 * Reads a whole number as people write it. Groups are taken when they can be read in one way only (`1,000,000`,
 * `10 000`, `1_000_000`); `1,000` and `1.000` mean one thing in English and another in German, so they are refused.
 */
export function readWhole(text: string): { value: number } | { reason: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { reason: 'is empty' };
  if (/^\d+(\.\d+)?e\+?\d+$/i.test(trimmed)) return wholeOnly(Number(trimmed));
  if (/^\d+$/.test(trimmed)) return wholeOnly(Number(trimmed));
  const separator = /^\d{1,3}([\s_'’,.])/u.exec(trimmed)?.[1];
  if (separator !== undefined) {
    const groups = trimmed.split(/\s/.test(separator) ? /\s/ : separator);
    if (isGrouped(groups)) {
      const twoWays = (separator === ',' || separator === '.') && groups.length === 2;
      if (twoWays)
        return {
          reason: `can be read in two ways (write ${groups.join('')} without the ${separator === ',' ? 'comma' : 'point'})`,
        };
      return wholeOnly(Number(groups.join('')));
    }
  }
  return { reason: 'is not a whole number' };
}

/** Thousands (1,000,000) or lakhs (10,00,000): the last group has three digits. */
function isGrouped(groups: readonly string[]): boolean {
  if (!groups.every((group) => /^\d+$/.test(group))) return false;
  const inner = groups.slice(1, -1);
  const thousands = inner.every((group) => group.length === 3);
  const lakhs = groups[0]!.length <= 2 && inner.every((group) => group.length === 2);
  return groups.at(-1)!.length === 3 && (thousands || lakhs);
}

function wholeOnly(value: number): { value: number } | { reason: string } {
  return Number.isInteger(value) ? { value } : { reason: 'is not a whole number' };
}

/** Bytes that a run of this workload is expected to need; for a tree they are counted by its leaves. */
export function estimateBytes(workload: Workload, bytesPerActor: number): number {
  const tokens = isRing(workload) ? workload.tokens : 0;
  return actorsOf(workload) * bytesPerActor + tokens * TOKEN_BYTES;
}

function memoryLimit(contender: ContenderName): number {
  return usesThreads(contender) ? SHARED_MEMORY_LIMIT_BYTES : MEMORY_LIMIT_BYTES;
}

/** The largest number of actors, or leaves, of a contender in wasm that its memory allows. */
export function largestCount(
  bytesPerActor: number | null,
  limitBytes: number = MEMORY_LIMIT_BYTES,
): number {
  if (bytesPerActor === null || bytesPerActor <= 0) return LIMITS.actors.max;
  return Math.min(LIMITS.actors.max, Math.floor(limitBytes / bytesPerActor));
}

/** The largest number of actors, or leaves, that this page lets a contender have. */
export function mostActors(contender: ContenderName, bytesPerActor: number | null): number {
  return MOST_ACTORS[contender] ?? largestCount(bytesPerActor, memoryLimit(contender));
}

export function doesWorkload(contender: ContenderName, name: WorkloadName): boolean {
  return WORKLOADS_OF[contender]?.includes(name) ?? true;
}

/** A sentence when a contender can't do a workload at all, or not of this size here, else null. */
export function refusalOf(
  workload: Workload,
  contender: ContenderName,
  bytesPerActor: number | null,
): string | null {
  const { name } = workload;
  if (!doesWorkload(contender, name))
    return `${contender} can't do the workload ${name}; it does ${WORKLOADS_OF[contender]!.join(' and ')}`;
  const asked = actorsOf(workload);
  const most = MOST_ACTORS[contender];
  if (most !== undefined && asked > most)
    return `${contender} can do at most ${count(most)} actors; ${count(asked)} were asked`;
  if (bytesPerActor === null) return null;
  const needed = estimateBytes(workload, bytesPerActor);
  const limit = memoryLimit(contender);
  if (needed <= limit) return null;
  const what = name === 'skynet' ? 'leaves' : 'actors';
  const tokens =
    isRing(workload) && workload.tokens > 1 ? ` and ${count(workload.tokens)} tokens` : '';
  const whose = usesThreads(contender) ? 'threads may share' : 'one page may use';
  return (
    `${contender}: ${count(asked)} ${what} of about ${count(bytesPerActor)} bytes${tokens} need about ${gib(needed)}, ` +
    `more than the ${gib(limit)} that ${whose}; the largest number here is ${count(largestCount(bytesPerActor, limit))} ${what}`
  );
}

function gib(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

class BadParameter extends Error {
  readonly field: string | null;
  constructor(message: string, field: string | null) {
    super(message);
    this.field = field;
  }
}

function collect(pairs: Iterable<readonly [string, string]>): Map<Key, string> {
  const found = new Map<Key, string>();
  for (const [name, value] of pairs) {
    const key = KEYS.find((known) => known === name);
    if (key === undefined)
      throw new BadParameter(
        `unknown parameter ${quote(name)}; known are ${KEYS.join(', ')}`,
        null,
      );
    if (found.has(key))
      throw new BadParameter(
        `${key} is given twice (${quote(found.get(key)!)} and ${quote(value)}); give it once`,
        key,
      );
    found.set(key, value);
  }
  return found;
}

function read(found: ReadonlyMap<Key, string>): Params {
  const preset = readPreset(found);
  const workload = preset === null ? readWorkload(found) : PRESET_TABLE[preset].workload;
  const presetSamples = preset === null ? null : PRESET_TABLE[preset].samples;
  return Object.freeze({
    workload: Object.freeze({ ...workload }),
    preset,
    contenders: Object.freeze(readContenders(found.get('contender'))),
    threads: found.has('threads') ? readNumber(found, 'threads') : null,
    samples: found.has('samples') ? readNumber(found, 'samples') : presetSamples,
    autostart: readSwitch(found.get('autostart')),
  });
}

function readPreset(found: ReadonlyMap<Key, string>): PresetName | null {
  const value = found.get('preset');
  if (value === undefined) return null;
  const preset = PRESETS.find((known) => known === value);
  if (preset === undefined)
    throw new BadParameter(
      `unknown preset ${quote(value)}; known are ${PRESETS.join(', ')}`,
      'preset',
    );
  const clash = (['workload', ...SIZE_KEYS] as const).find((key) => found.has(key));
  if (clash !== undefined) {
    throw new BadParameter(
      `preset ${preset} fixes the workload and its sizes, so ${clash}=${found.get(clash)!} can't stand beside it; leave one out`,
      clash,
    );
  }
  return preset;
}

function readWorkload(found: ReadonlyMap<Key, string>): Workload {
  const value = found.get('workload') ?? 'ring';
  const name = WORKLOADS.find((known) => known === value);
  if (name === undefined) throw new BadParameter(unknown('workload', value, WORKLOADS), 'workload');
  const defaults = new Map(sizesOf(DEFAULT_WORKLOADS[name]));
  const extra = SIZE_KEYS.find((key) => found.has(key) && !defaults.has(key));
  if (extra !== undefined)
    throw new BadParameter(
      `the workload ${name} has no ${extra}; leave ${extra}=${found.get(extra)!} out`,
      extra,
    );
  return workloadOf(name, (key) => (found.has(key) ? readNumber(found, key) : defaults.get(key)!));
}

function workloadOf(name: WorkloadName, size: (key: SizeKey) => number): Workload {
  const ring = () => ({ actors: size('actors'), laps: size('laps'), tokens: size('tokens') });
  switch (name) {
    case 'ring':
      return checkRing({ name, ...ring() });
    case 'spawn':
      return { name, actors: size('actors') };
    case 'skynet':
      return { name, leaves: size('leaves') };
    case 'work':
      return checkRing({ name, ...ring(), workNs: size('work-ns'), rounds: null });
  }
}

function checkRing<Ring extends RingWorkload | WorkWorkload>(ring: Ring): Ring {
  if (ring.tokens > ring.actors) {
    throw new BadParameter(
      `tokens ${quote(String(ring.tokens))} is more than there are actors; give a whole number from 1 to ${count(ring.actors)}, the number of actors`,
      'tokens',
    );
  }
  const hops = BigInt(ring.actors) * BigInt(ring.laps) * BigInt(ring.tokens);
  if (hops > BigInt(MAX_HOPS)) {
    throw new BadParameter(
      `${count(ring.actors)} actors × ${count(ring.laps)} laps × ${count(ring.tokens)} tokens are ${hops.toLocaleString('en')} hops; ` +
        `give sizes of at most ${count(MAX_HOPS)} hops`,
      'laps',
    );
  }
  return ring;
}

function readNumber(found: ReadonlyMap<Key, string>, key: keyof typeof LIMITS): number {
  const text = found.get(key) ?? '';
  const { min, max } = LIMITS[key];
  const range = `give a whole number from ${count(min)} to ${count(max)}${key === 'tokens' ? ', and no more tokens than actors' : ''}`;
  const reading = readWhole(text);
  if ('reason' in reading)
    throw new BadParameter(`${key} ${quote(text)} ${reading.reason}; ${range}`, key);
  if (reading.value < min || reading.value > max)
    throw new BadParameter(`${key} ${quote(text)} is out of range; ${range}`, key);
  return reading.value;
}

function readContenders(text: string | undefined): ContenderName[] {
  if (text === undefined) return [...DEFAULT_CONTENDERS];
  if (text === '')
    throw new BadParameter(
      `no contender is chosen; choose one or more of ${CONTENDERS.join(', ')}`,
      'contender',
    );
  const list: ContenderName[] = [];
  for (const name of text.split(',')) {
    const contender = CONTENDERS.find((known) => known === name);
    if (contender === undefined)
      throw new BadParameter(unknown('contender', name, CONTENDERS), 'contender');
    if (list.includes(contender))
      throw new BadParameter(`contender ${quote(name)} is given twice; give it once`, 'contender');
    list.push(contender);
  }
  return list;
}

function readSwitch(text: string | undefined): boolean {
  if (text === undefined || text === '0') return false;
  if (text === '1') return true;
  throw new BadParameter(`autostart ${quote(text)} is neither 0 nor 1`, 'autostart');
}

function unknown(what: string, value: string, known: readonly string[]): string {
  return `unknown ${what} ${quote(value)}; known are ${known.join(', ')}`;
}

/** Values come from strangers' links: shown as text, and cut. */
function quote(value: string): string {
  return `“${value.length > 40 ? `${value.slice(0, 40)}…` : value}”`;
}
