import { expect, test } from 'vitest';
import { DEFAULT_FIELDS, type Fields, fewWorkers, readFields } from '../../../www/fields';

const withWorkers = (change: Partial<Fields> = {}): Fields => ({
  ...DEFAULT_FIELDS,
  contenders: ['workers/postmessage'],
  ...change,
});

test('few workers are offered only when more are asked than a browser has', () => {
  expect(fewWorkers(DEFAULT_FIELDS)).toBeNull();
  expect(fewWorkers(withWorkers({ ringActors: '100' }))).toBeNull();
  expect(fewWorkers(withWorkers({ ringActors: 'many' }))).toBeNull();
  expect(fewWorkers(withWorkers({ ringActors: '101' }))).toMatchObject({ asked: 101, actors: 20 });
  expect(fewWorkers(withWorkers({ workload: 'spawn', ringActors: '3' }))).toMatchObject({
    asked: 100_000,
  });
});

test.each<[string, Partial<Fields>, string]>([
  ['ring', {}, 'Set 20 actors'],
  [
    'ring of many tokens',
    { preset: 'tokens', ringActors: '10000', tokens: '64' },
    'Set 20 actors and 20 tokens',
  ],
  ['spawn', { workload: 'spawn', preset: 'armstrong-spawn' }, 'Set 20 actors'],
])(
  'what is offered for a %s can be run, and the button says all that it sets',
  (_, change, words) => {
    const fields = withWorkers(change);
    const few = fewWorkers(fields)!;
    expect(few.words).toBe(words);
    const { params, error } = readFields({ ...fields, ...few.change });
    expect(error).toBeNull();
    expect(params!.workload.actors).toBe(20);
    expect(fewWorkers({ ...fields, ...few.change })).toBeNull();
  },
);
