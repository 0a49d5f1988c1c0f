/** What stands in the form, as typed: nothing is lost when it can't be read. */

import {
  DEFAULT_WORKLOADS,
  defaultParams,
  mostActors,
  type Params,
  PRESET_TABLE,
  PRESETS,
  type Reading,
  readPairs,
  readWhole,
  SIZE_KEYS,
  type SizeKey,
  sizesOf,
  WORKLOADS,
  type Workload,
  type WorkloadName,
} from './params';

/** Of each workload, so that one can be looked at and left again. */
export type SizeFields = Readonly<Record<WorkloadName, Readonly<Partial<Record<SizeKey, string>>>>>;

export interface Fields {
  readonly workload: WorkloadName;
  /** Empty: own sizes. */
  readonly preset: string;
  readonly sizes: SizeFields;
  /** Empty: as many as it takes. */
  readonly samples: string;
  readonly contenders: readonly string[];
  /** Empty: as many as there are cores, up to a limit. */
  readonly threads: string;
}

export const DEFAULT_FIELDS: Fields = fieldsOf(defaultParams(), {
  workload: 'ring',
  preset: '',
  sizes: {
    ring: textOf(DEFAULT_WORKLOADS.ring),
    spawn: textOf(DEFAULT_WORKLOADS.spawn),
    skynet: textOf(DEFAULT_WORKLOADS.skynet),
    work: textOf(DEFAULT_WORKLOADS.work),
  },
  samples: '',
  contenders: [],
  threads: '',
});

/** The sizes of the workload that is chosen, in the order of the form. */
export function shownSizes({ workload, sizes }: Fields): (readonly [SizeKey, string])[] {
  return SIZE_KEYS.flatMap((key) => {
    const text = sizes[workload][key];
    return text === undefined ? [] : [[key, text] as const];
  });
}

export function readFields(fields: Fields): Reading {
  return readPairs([
    ...(fields.preset === ''
      ? [['workload', fields.workload] as const, ...shownSizes(fields)]
      : [['preset', fields.preset] as const]),
    ['contender', fields.contenders.join(',')],
    ...(fields.threads === '' ? [] : [['threads', fields.threads] as const]),
    ...(fields.samples === '' ? [] : [['samples', fields.samples] as const]),
  ]);
}

/** Fields that show these parameters; what they don't speak of stays as it is in `before`. */
export function fieldsOf(params: Params, before: Fields = DEFAULT_FIELDS): Fields {
  return {
    ...withWorkload(before, params.workload),
    preset: params.preset ?? '',
    samples: params.samples === null ? '' : String(params.samples),
    contenders: params.contenders,
    threads: params.threads === null ? '' : String(params.threads),
  };
}

/** Fields after a preset was chosen: its sizes are shown, its number of samples too. */
export function withPreset(fields: Fields, name: string): Fields {
  const preset = PRESETS.find((known) => known === name);
  if (preset === undefined) return { ...fields, preset: '' };
  const { workload, samples } = PRESET_TABLE[preset];
  return {
    ...withWorkload(fields, workload),
    preset,
    samples: samples === null ? '' : String(samples),
  };
}

/** Fields after some sizes of the workload that is chosen were typed or set; they are no preset's any more. */
export function withSizes(
  fields: Fields,
  sizes: Readonly<Partial<Record<SizeKey, string>>>,
): Fields {
  const { workload } = fields;
  const changed = { ...fields.sizes[workload], ...sizes };
  return { ...fields, preset: '', sizes: { ...fields.sizes, [workload]: changed } };
}

function withWorkload(fields: Fields, workload: Workload): Fields {
  const sizes = { ...fields.sizes, [workload.name]: textOf(workload) };
  return { ...fields, workload: workload.name, sizes };
}

function textOf(workload: Workload): Readonly<Partial<Record<SizeKey, string>>> {
  return Object.fromEntries(sizesOf(workload).map(([key, value]) => [key, String(value)]));
}

/** Sizes that a button sets. */
export interface SizeChoice {
  readonly words: string;
  readonly sizes: Readonly<Partial<Record<SizeKey, string>>>;
}

/** How many tokens go round at once: those of the preset, and what others have measured. */
const TOKENS = [4, 36, 64, 1000];
/** A tenth of the preset's actors, with all its tokens. */
const PHONE_RING = { actors: '1000', laps: '20', tokens: '64' };

/** Those of `allChoices` that a press would change something for. */
export function sizeChoices(fields: Fields): readonly SizeChoice[] {
  const now = fields.sizes[fields.workload];
  const isSet = ([key, text]: [string, string]): boolean => now[key as SizeKey] === text;
  return allChoices(fields).filter(({ sizes }) => !Object.entries(sizes).every(isSet));
}

/** Sizes to be had by one press: of rings with many tokens their number, and what a phone does in a second. */
function allChoices(fields: Fields): readonly SizeChoice[] {
  switch (fields.workload) {
    case 'ring':
      return hasManyTokens(fields) ? [...tokenChoices(), phones(PHONE_RING)] : [];
    case 'spawn':
      return [];
    case 'skynet':
      return [phones({ leaves: '100000' })];
    case 'work':
      return [phones(PHONE_RING)];
  }
}

/** Unreadable numbers too: a press puts them right. */
function hasManyTokens({ preset, sizes }: Fields): boolean {
  return preset === 'tokens' || sizes.ring.tokens?.trim() !== '1';
}

function tokenChoices(): SizeChoice[] {
  return TOKENS.map((tokens) => ({
    words: `${tokens.toLocaleString('en')} tokens`,
    sizes: { actors: '10000', laps: '20', tokens: String(tokens) },
  }));
}

function phones(sizes: SizeChoice['sizes']): SizeChoice {
  return { words: 'smaller, for phones', sizes };
}

/** Enough to see what a worker costs, and few enough for any browser. */
const FEW_WORKERS = 20;

export interface FewWorkers {
  readonly asked: number;
  readonly actors: number;
  readonly sizes: SizeChoice['sizes'];
  readonly words: string;
}

/** A size at which workers can stand for actors, when they are chosen with more than a browser has; else null. */
export function fewWorkers(fields: Fields): FewWorkers | null {
  const { workload, contenders, sizes } = fields;
  if (!contenders.includes('workers/postmessage')) return null;
  if (workload !== 'ring' && workload !== 'spawn') return null;
  const { actors = '', tokens = '1' } = sizes[workload];
  const asked = readWhole(actors);
  if ('reason' in asked || asked.value <= mostActors('workers/postmessage', null)) return null;
  const few = String(FEW_WORKERS);
  // No ring has more tokens than actors.
  const many = readWhole(tokens);
  const isFull = 'value' in many && many.value > FEW_WORKERS;
  return {
    asked: asked.value,
    actors: FEW_WORKERS,
    sizes: { actors: few, ...(isFull ? { tokens: few } : {}) },
    words: `Set ${few} actors${isFull ? ` and ${few} tokens` : ''}`,
  };
}

/** What an address with a fault in it said, so that it can be put right in the form. */
export function fieldsFromPairs(pairs: Iterable<readonly [string, string]>): Fields {
  const given = new Map(pairs);
  const workload = WORKLOADS.find((name) => name === given.get('workload')) ?? 'ring';
  const sizes = Object.fromEntries(
    WORKLOADS.map((name) => [name, withTyped(DEFAULT_FIELDS.sizes[name], given)]),
  ) as SizeFields;
  return {
    ...DEFAULT_FIELDS,
    workload,
    sizes,
    samples: given.get('samples') ?? '',
    contenders: given.get('contender')?.split(',') ?? DEFAULT_FIELDS.contenders,
    threads: given.get('threads') ?? '',
  };
}

function withTyped(
  sizes: Readonly<Partial<Record<SizeKey, string>>>,
  given: ReadonlyMap<string, string>,
): Readonly<Partial<Record<SizeKey, string>>> {
  return Object.fromEntries(
    Object.entries(sizes).map(([key, text]) => [key, given.get(key) ?? text]),
  );
}
