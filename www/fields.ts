/** What stands in the form, as typed: nothing is lost when it can't be read. */

import {
  defaultParams,
  mostActors,
  type Params,
  PRESET_TABLE,
  PRESETS,
  type Reading,
  readPairs,
  readWhole,
} from './params';

export interface Fields {
  readonly workload: string;
  /** Empty: own sizes. */
  readonly preset: string;
  readonly ringActors: string;
  readonly spawnActors: string;
  readonly laps: string;
  readonly tokens: string;
  /** Empty: as many as it takes. */
  readonly samples: string;
  readonly contenders: readonly string[];
  /** No contender of the form uses it; an address may. */
  readonly threads: string;
}

export const DEFAULT_FIELDS: Fields = fieldsOf(defaultParams(), {
  workload: 'ring',
  preset: '',
  ringActors: '1000',
  spawnActors: '100000',
  laps: '1000',
  tokens: '1',
  samples: '',
  contenders: [],
  threads: '',
});

export function readFields(fields: Fields): Reading {
  const sizes: [string, string][] =
    fields.workload === 'spawn'
      ? [['actors', fields.spawnActors]]
      : [
          ['actors', fields.ringActors],
          ['laps', fields.laps],
          ['tokens', fields.tokens],
        ];
  return readPairs([
    ...(fields.preset === ''
      ? [['workload', fields.workload] as const, ...sizes]
      : [['preset', fields.preset] as const]),
    ['contender', fields.contenders.join(',')],
    ...(fields.threads === '' ? [] : [['threads', fields.threads] as const]),
    ...(fields.samples === '' ? [] : [['samples', fields.samples] as const]),
  ]);
}

/** Fields that show these parameters; what they don't speak of stays as it is in `before`. */
export function fieldsOf(params: Params, before: Fields = DEFAULT_FIELDS): Fields {
  const { workload } = params;
  return {
    ...before,
    workload: workload.name,
    preset: params.preset ?? '',
    ...(workload.name === 'ring'
      ? {
          ringActors: String(workload.actors),
          laps: String(workload.laps),
          tokens: String(workload.tokens),
        }
      : { spawnActors: String(workload.actors) }),
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
    ...fields,
    preset,
    workload: workload.name,
    ...(workload.name === 'ring'
      ? {
          ringActors: String(workload.actors),
          laps: String(workload.laps),
          tokens: String(workload.tokens),
        }
      : { spawnActors: String(workload.actors) }),
    samples: samples === null ? '' : String(samples),
  };
}

/** Enough to see what a worker costs, and few enough for any browser. */
const FEW_WORKERS = 20;

export interface FewWorkers {
  readonly asked: number;
  readonly actors: number;
  readonly change: Partial<Fields>;
  readonly words: string;
}

/** A size at which workers can stand for actors, when they are chosen with more than a browser has; else null. */
export function fewWorkers(fields: Fields): FewWorkers | null {
  if (!fields.contenders.includes('workers/postmessage')) return null;
  const isSpawn = fields.workload === 'spawn';
  const asked = readWhole(isSpawn ? fields.spawnActors : fields.ringActors);
  if ('reason' in asked || asked.value <= mostActors('workers/postmessage', null)) return null;
  const few = String(FEW_WORKERS);
  const found = { asked: asked.value, actors: FEW_WORKERS };
  if (isSpawn)
    return { ...found, change: { preset: '', spawnActors: few }, words: `Set ${few} actors` };
  const tokens = readWhole(fields.tokens);
  // No ring has more tokens than actors.
  const isFull = 'value' in tokens && tokens.value > FEW_WORKERS;
  return {
    ...found,
    change: { preset: '', ringActors: few, ...(isFull ? { tokens: few } : {}) },
    words: `Set ${few} actors${isFull ? ` and ${few} tokens` : ''}`,
  };
}

/** What an address with a fault in it said, so that it can be put right in the form. */
export function fieldsFromPairs(pairs: Iterable<readonly [string, string]>): Fields {
  let fields = DEFAULT_FIELDS;
  for (const [key, value] of pairs) {
    if (key === 'workload' && (value === 'ring' || value === 'spawn'))
      fields = { ...fields, workload: value };
    if (key === 'actors') fields = { ...fields, ringActors: value, spawnActors: value };
    if (key === 'laps' || key === 'tokens' || key === 'samples' || key === 'threads')
      fields = { ...fields, [key]: value };
    if (key === 'contender') fields = { ...fields, contenders: value.split(',') };
  }
  return fields;
}
