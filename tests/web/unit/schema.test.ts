/** Whatever samplers give, what comes out is a valid result: its numbers finite or null, its counts exact or refused. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { failedResult } from '../../../tools/bench/outcome.mjs';
import type { Stage } from '../../../www/measure';
import { CONTENDERS, defaultParams, MAX_HOPS } from '../../../www/params';
import type { RawSample } from '../../../www/sample';
import { type Answer, assertValid, type Call, fake, params, sample, steady } from './fake-samplers';

const never = new Promise<never>(() => {});

/** Numbers from all over the line, the worst ones often. */
function wild(random: () => number): number {
  const worst = [0, -0, -1, 1e-320, 1e308, Number.NaN, Infinity, -Infinity, MAX_HOPS, MAX_HOPS + 1];
  if (random() < 0.3) return worst[Math.floor(random() * worst.length)]!;
  const value = 10 ** (40 * random() - 20);
  return random() < 0.1 ? -value : value;
}

function randomFrom(seed: number): () => number {
  let state = 1 + seed * 7919;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function wildSample(call: Call, random: () => number): RawSample {
  const whole = sample(call, 9);
  const isWild = () => random() < 0.2;
  const phases = Object.entries(whole.phases)
    .filter(() => random() < 0.97)
    .map(([name, time]) => [
      name,
      {
        ms: isWild() ? wild(random) : time.ms,
        units: isWild() ? wild(random) : time.units,
        stretches: 1 + Math.floor(random() * 5),
      },
    ]);
  return {
    ...whole,
    phases: Object.fromEntries(phases),
    checks: whole.checks.map((check) => ({
      ...check,
      counted: random() < 0.02 ? wild(random) : check.counted,
    })),
    memory: isWild() ? wild(random) : whole.memory,
    pool: call.contender === 'actors/threads' ? wildPool(isWild, random) : null,
  };
}

function wildPool(isWild: () => boolean, random: () => number): RawSample['pool'] {
  const some = (): number => (isWild() ? wild(random) : Math.floor(1e6 * random()));
  return isWild()
    ? null
    : {
        hopsPerWorker: [some(), some()],
        crossStrand: some(),
        steals: some(),
        parks: some(),
        used: isWild() ? wild(random) : 2,
      };
}

const WILD = [
  '?',
  '?laps=0',
  '?workload=spawn&actors=1000',
  '?workload=skynet&leaves=1000',
  '?workload=work&actors=1000&laps=1&tokens=1',
  '?workload=work&laps=0',
];

function everyNumber(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(everyNumber);
}

describe('a result', () => {
  test('of 200 runs of random samples is valid, and has no number that is not finite', async () => {
    const states = new Set<string>();
    for (let seed = 0; seed < 200; seed++) {
      const random = randomFrom(seed);
      const search = WILD[seed % WILD.length]!;
      const { bench } = fake((call) => wildSample(call, random), {
        stepMs: 10 ** (5 * random() - 3),
      });
      const results = await bench.run(
        params(`${search}&samples=${1 + (seed % 9)}&contender=actors/handler,actors/threads,floor`),
      );
      for (const result of results) {
        expect(everyNumber(result).filter((number) => !Number.isFinite(number))).toEqual([]);
        states.add(result.state);
      }
    }
    expect(states).toEqual(new Set(['complete', 'failed']));
  });

  test('of a cold sample beyond all bounds has no ratio of cold to warm', async () => {
    const answer: Answer = (call) => sample(call, call.index === 0 ? 1e301 : 1e-9);
    const { bench } = fake(answer, { stepMs: 1e-12 });
    const [result] = await bench.run(params('?samples=6&contender=actors/handler'));
    expect(result).toMatchObject({ state: 'complete', coldToWarm: null });
  });

  test.each(['loading', 'cold', 'warm-up', 'sample'] satisfies Stage[])(
    'of a run that is stopped in the stage “%s” is valid',
    async (stage) => {
      const { bench } = fake((call) =>
        stage === 'cold' || (stage === 'warm-up' && call.index === 1) || call.index > 12
          ? never
          : sample(call, 9),
      );
      let isThere = false;
      const results = await bench.run(params('?samples=30'), {
        onProgress: (progress) => {
          if (progress.stage !== stage || isThere) return;
          isThere = true;
          queueMicrotask(() => bench.stop());
        },
      });
      expect(isThere).toBe(true);
      expect(results.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
      for (const { ratios, noise, checks } of results) {
        expect([ratios, noise, checks.ok]).toEqual([null, null, null]);
      }
    },
  );

  test.each(CONTENDERS)('of %s that never ran is valid', (contender) => {
    for (const search of [
      '?',
      '?workload=spawn',
      '?workload=skynet',
      '?workload=work',
      '?preset=threads-2006',
    ]) {
      const result = failedResult({
        browser: 'chromium',
        params: params(search),
        contender,
        message: 'no',
      });
      assertValid(result);
    }
  });

  test('has every field that the schema names, and no other', async () => {
    const [result] = await fake(steady).bench.run(params('?samples=3'));
    const schema = JSON.parse(
      readFileSync(new URL('../../../www/result.schema.json', import.meta.url), 'utf8'),
    );
    expect(Object.keys(result!).sort()).toEqual([...schema.required].sort());
    expect(Object.keys(schema.properties).sort()).toEqual([...schema.required].sort());
    const { bench: _, ...without } = { ...result!, bench: 1 };
    expect(() => assertValid({ ...without, more: 1 })).toThrow();
    const { noise: __, ...lacking } = result!;
    expect(() => assertValid(lacking)).toThrow();
  });
});

describe('counts', () => {
  const counting =
    (expected: number, counted: number): Answer =>
    (call) =>
      sample(call, 9, { checks: [{ name: 'hops', expected, counted, ok: expected === counted }] });

  test('are exact up to 2^53 − 1', async () => {
    const { bench } = fake(counting(MAX_HOPS, MAX_HOPS));
    const [result] = await bench.run(params('?samples=3&contender=actors/handler'));
    expect(result!.state).toBe('complete');
    expect(JSON.stringify(result)).toContain('9007199254740991');
  });

  test('above that are refused, though they look alike', async () => {
    // 2^53 and 2^53 + 1 are one number to JavaScript.
    const { bench } = fake(counting(MAX_HOPS + 1, MAX_HOPS + 2));
    const [result] = await bench.run(params('?samples=3&contender=actors/handler'));
    expect(result).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('hops: expected 9007199254740992'),
      checks: { ok: false },
    });
    const equal = fake(counting(MAX_HOPS + 1, MAX_HOPS + 1));
    const [same] = await equal.bench.run(params('?samples=3&contender=actors/handler'));
    expect(same).toMatchObject({
      state: 'failed',
      message:
        'hops: expected 9007199254740992, counted 9007199254740992, which is more than can be counted exactly',
    });
  });

  test('that are no numbers are refused in words', async () => {
    const { bench } = fake(counting(1_000_000, Number.NaN));
    const [result] = await bench.run(params('?samples=3&contender=actors/handler'));
    expect(result).toMatchObject({ state: 'failed', checks: { ok: false, items: [] } });
    expect(result!.message).toContain('counted NaN');
  });

  test('of how far a stopped run got are exact, or not given', async () => {
    const huge = { ...defaultParams(), contenders: ['floor'] as const };
    const ring = { name: 'ring', actors: 1, laps: MAX_HOPS, tokens: 1 } as const;
    const { bench } = fake((call) => (call.instance === 0 ? sample(call, 9) : never));
    const running = bench.run({ ...huge, workload: ring, samples: 2 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    bench.stop();
    const [result] = await running;
    expect(result).toMatchObject({
      state: 'stopped',
      stoppedAt: null,
      message: 'stopped after more than can be counted exactly, with 1 whole sample kept',
    });
  });
});

describe('a sample in which the clock was set back', () => {
  const backwards = (call: Call, ms: number): RawSample => {
    const whole = sample(call, 9);
    return { ...whole, phases: { ...whole.phases, hop: { ms, units: 1_000_000, stretches: 1 } } };
  };

  test.each([-5, Number.NaN, -Infinity])('%d ms long is taken again', async (ms) => {
    const { bench, calls } = fake((call) =>
      call.index % 20 === 13 ? backwards(call, ms) : sample(call, 9),
    );
    const [result] = await bench.run(params('?samples=15&contender=actors/handler'));
    expect(result).toMatchObject({
      state: 'complete',
      measures: { hop: { median: 9, min: 9, max: 9 } },
    });
    // Cold, 11 of warm-up, 3 kept, and one more in each of 5 instances.
    expect(calls).toHaveLength(5 * 16);
  });

  test('fails the run in words after three in a row, and the others go on', async () => {
    const { bench, calls } = fake((call) =>
      call.contender === 'actors/handler' ? backwards(call, -1) : sample(call, 3),
    );
    const [failed, floor] = await bench.run(params('?samples=3'));
    expect(failed).toMatchObject({
      state: 'failed',
      message: 'the clock was set back during 3 samples in a row',
    });
    expect(floor).toMatchObject({ state: 'complete' });
    expect(calls.filter(({ contender }) => contender === 'actors/handler')).toHaveLength(3);
  });

  test('whose counts are wrong is not taken again: that is a failure', async () => {
    const { bench } = fake((call) => ({ ...backwards(call, -1), ok: false }));
    const [failed] = await bench.run(params('?samples=3&contender=actors/handler'));
    expect(failed).toMatchObject({ state: 'failed', message: 'the checks failed' });
  });
});
