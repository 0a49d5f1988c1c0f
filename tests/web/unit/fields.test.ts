import { expect, test } from 'vitest';
import {
  DEFAULT_FIELDS,
  type Fields,
  fewWorkers,
  readFields,
  shownSizes,
  sizeChoices,
  withPreset,
  withSizes,
} from '../../../www/fields';
import { WORKLOADS } from '../../../www/params';

const WORKERS: Fields = { ...DEFAULT_FIELDS, contenders: ['workers/postmessage'] };
const SPAWN: Fields = { ...WORKERS, workload: 'spawn' };
const of = (workload: Fields['workload']): Fields => ({ ...DEFAULT_FIELDS, workload });

test('few workers are offered only when more are asked than a browser has', () => {
  expect(fewWorkers(DEFAULT_FIELDS)).toBeNull();
  expect(fewWorkers(withSizes(WORKERS, { actors: '100' }))).toBeNull();
  expect(fewWorkers(withSizes(WORKERS, { actors: 'many' }))).toBeNull();
  expect(fewWorkers(withSizes(WORKERS, { actors: '101' }))).toMatchObject({
    asked: 101,
    actors: 20,
  });
  expect(fewWorkers(SPAWN)).toMatchObject({ asked: 100_000 });
  expect(fewWorkers({ ...WORKERS, workload: 'work' })).toBeNull();
});

test.each<[string, Fields, string]>([
  ['ring', WORKERS, 'Set 20 actors'],
  ['ring of many tokens', withPreset(WORKERS, 'tokens'), 'Set 20 actors and 20 tokens'],
  ['spawn', withPreset(WORKERS, 'armstrong-spawn'), 'Set 20 actors'],
])(
  'what is offered for a %s can be run, and the button says all that it sets',
  (_, fields, words) => {
    const few = fewWorkers(fields)!;
    expect(few.words).toBe(words);
    const fewer = withSizes(fields, few.sizes);
    const { params, error } = readFields(fewer);
    expect(error).toBeNull();
    expect(params!.workload).toMatchObject({ actors: 20 });
    expect(fewWorkers(fewer)).toBeNull();
  },
);

test.each(WORKLOADS)('sizes that can be set by one press for %s can be run', (workload) => {
  const fields = of(workload);
  for (const { sizes } of sizeChoices(fields)) {
    const { params, error } = readFields(withSizes(fields, sizes));
    expect(error).toBeNull();
    expect(params!.workload.name).toBe(workload);
  }
});

test('the tokens that others have measured are offered for rings of several, and phones less of all', () => {
  const words = (fields: Fields) => sizeChoices(fields).map((choice) => choice.words);
  expect(words(of('ring'))).toEqual([]);
  const tokens = ['4 tokens', '36 tokens', '64 tokens', '1,000 tokens', 'smaller, for phones'];
  // The preset has 64.
  expect(words(withPreset(DEFAULT_FIELDS, 'tokens'))).toEqual(
    tokens.filter((text) => text !== '64 tokens'),
  );
  expect(words(withSizes(of('ring'), { tokens: '2' }))).toEqual(tokens);
  expect(words(of('skynet'))).toEqual(['smaller, for phones']);
  expect(words(of('work'))).toEqual(['smaller, for phones']);
  const [smaller] = sizeChoices(of('skynet'));
  const small = withSizes(of('skynet'), smaller!.sizes);
  expect(readFields(small).params!.workload).toEqual({ name: 'skynet', leaves: 100_000 });
  expect(words(small)).toEqual([]);
});

test('a workload has its own fields, and keeps what was typed while another one is shown', () => {
  const typed = withSizes(of('work'), { 'work-ns': '1e4' });
  expect(shownSizes(typed).map(([key]) => key)).toEqual(['actors', 'laps', 'tokens', 'work-ns']);
  const elsewhere = withSizes({ ...typed, workload: 'skynet' }, { leaves: '5' });
  expect(readFields(elsewhere).params!.workload).toEqual({ name: 'skynet', leaves: 5 });
  expect(readFields({ ...elsewhere, workload: 'work' }).params!.workload).toMatchObject({
    workNs: 10_000,
    actors: 10_000,
  });
});
