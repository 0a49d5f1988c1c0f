import { describe, expect, test } from 'vitest';
import { environmentRows } from '../../../www/environment-view';
import type { Workload } from '../../../www/params';
import type { Measure, Result } from '../../../www/result';
import { resultSentence } from '../../../www/result-view';
import {
  caveats,
  duration,
  durationRange,
  poolSentence,
  rate,
  showsNoDifference,
  sizes,
  sureSentence,
  threadsWords,
  timesRange,
} from '../../../www/words';
import { HOP, resultOf } from './results';

const WORK: Workload = {
  name: 'work',
  actors: 10_000,
  laps: 20,
  tokens: 64,
  workNs: 10_000,
  rounds: 5000,
};

function threads(
  asked: number,
  granted: number,
  used: number,
  reason: string | null = null,
): Result['threads'] {
  return { asked, granted, used, reason };
}

test.each([
  [8.4, '8.4 ns'],
  [8.796, '8.8 ns'],
  [0.51, '0.51 ns'],
  [999.4, '999 ns'],
  [999.6, '1 µs'],
  [1217.1, '1.22 µs'],
  [320_000, '320 µs'],
  [7.5e6, '7.5 ms'],
  [2.5e9, '2.5 s'],
  [123_456e9, '123000 s'],
])('%d ns are %s', (ns, words) => {
  expect(duration(ns)).toBe(words);
});

test('a range names its unit once when both ends have it', () => {
  expect(durationRange([8.7, 9])).toBe('8.7 to 9.0 ns');
  expect(durationRange([990, 1200])).toBe('990 ns to 1.2 µs');
  expect(durationRange([8.7, 9], 'and')).toBe('8.7 and 9.0 ns');
  expect(durationRange([9.95, 12.3])).toBe('9.95 to 12.3 ns');
  expect(durationRange([101, 120])).toBe('101 to 120 ns');
  expect(timesRange([0.9, 1.05])).toBe('0.90 to 1.05');
  expect(timesRange([0.993, 1.33])).toBe('0.993 to 1.33');
  expect(timesRange([4, 12.2])).toBe('4 to 12.2');
  expect(timesRange([420, 2450])).toBe('420 to 2,450');
});

test.each([
  [8.4, '119 million a second'],
  [0.4, '2.5 billion a second'],
  [7.5e6, '133 a second'],
  [30_000, '33,300 a second'],
])('%d ns each are %s', (ns, words) => {
  expect(rate(ns)).toBe(words);
});

test('sizes are said with the words of the glossary', () => {
  expect(sizes({ name: 'ring', actors: 30_000, laps: 1000, tokens: 1 })).toBe(
    '30,000 actors, 1,000 laps',
  );
  expect(sizes({ name: 'ring', actors: 1, laps: 1, tokens: 2 })).toBe('1 actor, 1 lap, 2 tokens');
  expect(sizes({ name: 'spawn', actors: 100_000 })).toBe('100,000 actors');
  expect(sizes({ name: 'skynet', leaves: 1_000_000 })).toBe('1,000,000 leaves');
  expect(sizes({ name: 'skynet', leaves: 1 })).toBe('1 leaf');
  expect(sizes(WORK)).toBe('10,000 actors, 20 laps, 64 tokens, 10 µs of work');
});

test.each<[string, Result['contender'], Result['threads'], string | null]>([
  ['one that uses no threads', 'actors/handler', threads(4, 1, 1), null],
  ['all of them', 'actors/threads', threads(2, 2, 2), 'on 2 threads'],
  ['fewer than there were', 'actors/threads-async', threads(8, 8, 3), 'on 3 of 8 threads'],
  ['one asked', 'actors/threads', threads(1, 1, 1), 'on one thread'],
  ['one granted', 'actors/threads', threads(4, 1, 1, 'threads are off'), 'on one thread'],
])('threads of a result: %s', (_, contender, used, words) => {
  expect(threadsWords(resultOf({ contender, threads: used }))).toBe(words);
});

test('what a pool did is told with the share of each worker', () => {
  expect(poolSentence(resultOf())).toBeNull();
  const pool = { hopsPerWorker: [750_000, 250_000], crossStrand: 1200, steals: 1, parks: 3 };
  expect(poolSentence(resultOf({ pool }))).toBe(
    '1,000,000 messages received in the kept samples, worker by worker 75 %, 25 %; ' +
      '1,200 went from strand to strand; 1 steal, 3 parks.',
  );
  const idle = { hopsPerWorker: [0, 0], crossStrand: 0, steals: 0, parks: 0 };
  expect(poolSentence(resultOf({ pool: idle }))).toContain('worker by worker 0 %, 0 %');
});

test('a leaf and a message with work are called so', () => {
  const change = { contender: 'actors/threads', threads: threads(2, 2, 2) } as const;
  const leaf = { ...HOP, median: 62, ci95: [61, 64] } as const;
  const skynet = resultOf({
    ...change,
    workload: { name: 'skynet', leaves: 1000 },
    measures: { leaf },
  });
  expect(resultSentence(skynet)).toBe(
    'a leaf of the tree: 62 ns, that is 16.1 million a second, on 2 threads',
  );
  expect(sureSentence(skynet)).toMatch(/^62 ns a leaf: half of 6 samples/);
  const work = resultOf({ workload: WORK, measures: { hop: HOP } });
  expect(resultSentence(work)).toMatch(/^a message with 10 µs of work: 8.8 ns/);
  expect(Object.fromEntries(environmentRows(work))).toMatchObject({
    threads: '1 asked, 1 granted, 1 used',
    'work of a message': '10 µs, 5,000 rounds by calibration',
  });
});

describe('how sure a figure is', () => {
  const withHop = (hop: Partial<Measure>, change: Partial<Result> = {}): Result =>
    resultOf({ measures: { hop: { ...HOP, ...hop }, spawn: null, memory: null }, ...change });
  const clock = (errorPercent: number | null, stepMs = 0.005) => ({
    clock: { stepMs, errorPercent },
  });

  test.each<[string, Result, string]>([
    [
      'samples enough',
      resultOf(),
      '8.8 ns a hop: half of 6 samples from 3 fresh instances were below, and we are 95 % sure that the median lies between 8.7 and 9.0 ns; the clock may be off by 0.004 %.',
    ],
    [
      'an interval narrower than its digits',
      withHop({ ci95: [8.799, 8.801] }),
      '8.8 ns a hop: half of 6 samples from 3 fresh instances were below, and we are 95 % sure of the median in all its digits; the clock may be off by 0.004 %.',
    ],
    [
      'fewer than 6 samples',
      withHop({ ci95: null, samples: [8.7, 8.8, 9] }, { instances: [1, 1, 1] }),
      '8.8 ns a hop: half of 3 samples from 3 fresh instances were below, and fewer than 6 samples say nothing of how sure that is; the clock may be off by 0.004 %.',
    ],
    [
      'one sample',
      withHop({ ci95: null, samples: [8.8] }, { instances: [1] }),
      '8.8 ns a hop: 1 sample from 1 fresh instance, and one says nothing of how far others would be from it; the clock may be off by 0.004 %.',
    ],
    [
      'a coarse clock',
      resultOf(clock(4.93, 100)),
      '8.8 ns a hop: half of 6 samples from 3 fresh instances were below, and we are 95 % sure that the median lies between 8.7 and 9.0 ns; the clock may be off by 4.9 %.',
    ],
    [
      'a clock of unknown error',
      resultOf(clock(null)),
      '8.8 ns a hop: half of 6 samples from 3 fresh instances were below, and we are 95 % sure that the median lies between 8.7 and 9.0 ns; how far the clock may be off isn’t known.',
    ],
    [
      'actors',
      resultOf({
        workload: { name: 'spawn', actors: 100_000 },
        measures: {
          spawn: null,
          stop: null,
          spawnStop: { ...HOP, median: 28.8, ci95: [27.9, 35.5] },
          memory: null,
        },
      }),
      '28.8 ns an actor spawned and stopped: half of 6 samples from 3 fresh instances were below, and we are 95 % sure that the median lies between 27.9 and 35.5 ns; the clock may be off by 0.004 %.',
    ],
    [
      'stopped with samples',
      resultOf({ state: 'stopped' }),
      '8.8 ns a hop is the median of 6 samples from 3 fresh instances kept before the stop: no full result, so nothing is said of how sure it is.',
    ],
    [
      'stopped before a sample',
      resultOf({ state: 'stopped', measures: { hop: null, spawn: null, memory: null } }),
      'There is no figure: the run was stopped before a sample was kept.',
    ],
    ['failed', resultOf({ state: 'failed' }), 'There is no figure, since the run failed.'],
    [
      'nothing to time',
      resultOf({ measures: { hop: null, spawn: null, memory: null } }),
      'There is no figure: there was nothing to time.',
    ],
  ])('%s', (_, result, sentence) => {
    expect(sureSentence(result)).toBe(sentence);
  });

  const { environment } = resultOf();
  const noisy = { sentence: 'The machine was too noisy.', widthPercent: 12 };
  test.each<[string, Result[], string[]]>([
    ['nothing when all is well', [resultOf(), resultOf({ contender: 'floor' })], []],
    [
      'warm-up that didn’t settle, once for all contenders',
      [1, 2].map(() => resultOf({ warmUp: { samples: 9, agreed: false, values: null } })),
      [
        'Samples had not settled when the time for warm-up was over, so slower code may be among those kept.',
      ],
    ],
    [
      'the page was hidden',
      [resultOf({ environment: { ...environment, hiddenSeconds: 5 } })],
      ['The page was hidden for 5.0 s, not comparable.'],
    ],
    [
      'a coarse clock',
      [resultOf(clock(4.9, 100))],
      ['The clock moves in steps of 100 ms, which is coarse for samples of this length.'],
    ],
    [
      'a coarse clock of a page that isn’t isolated',
      [resultOf({ ...clock(2, 1), environment: { ...environment, isolated: false } })],
      [
        'The clock moves in steps of 1 ms, since this page is not isolated, which is coarse for samples of this length.',
      ],
    ],
    [
      'noise, of the first that speaks of it',
      [
        resultOf(),
        resultOf({ contender: 'actors/async', noise: noisy }),
        resultOf({ contender: 'floor', noise: { ...noisy, sentence: 'Another.' } }),
      ],
      ['Async actors: The machine was too noisy.'],
    ],
    [
      'threads that there were none of, with the reason',
      [
        resultOf({
          contender: 'actors/threads',
          threads: threads(4, 1, 1, 'this page is not isolated, so threads are off'),
        }),
        resultOf(),
      ],
      ['Threaded actors ran on one thread, because this page is not isolated, so threads are off.'],
    ],
  ])('against it: %s', (_, results, sentences) => {
    expect(caveats(results)).toEqual(sentences);
  });
});

test.each<[[number, number] | null, boolean]>([
  [[0.98, 1.03], true],
  [[1, 1.2], true],
  [[1.01, 1.2], false],
  [[0.8, 0.99], false],
  [null, false],
])('a ratio with the interval %j shows no difference: %s', (ci95, isNone) => {
  expect(showsNoDifference({ to: 'floor', of: 'hop', ratio: 1.1, ci95 })).toBe(isNone);
});
