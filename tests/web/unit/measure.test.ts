import { describe, expect, test } from 'vitest';
import { Bench, type Progress, type Sampler } from '../../../www/measure';
import type { Result, SpawnMeasures } from '../../../www/result';
import {
  type Answer,
  BYTES,
  calibrate,
  ENVIRONMENT,
  fake,
  hop,
  ONE_THREAD,
  params,
  sample,
  steady,
  UNLIMITED,
  warming,
} from './fake-samplers';

describe('samples', () => {
  test.each([1, 2, 3, 6, 13, 50])(
    'samples=%i keeps exactly so many, from as many instances as it may',
    async (wanted) => {
      const { bench, opened } = fake(steady);
      const [result] = await bench.run(params(`?samples=${wanted}&contender=actors/handler`));
      expect(hop(result!)!.samples).toHaveLength(wanted);
      expect(result!.instances!.reduce((a, b) => a + b)).toBe(wanted);
      expect(result!.instances).toHaveLength(Math.min(wanted, 5));
      expect(opened()).toBe(Math.min(wanted, 5));
    },
  );

  test('without a number at least 15 are kept, from at least 5 instances', async () => {
    const { bench, opened } = fake(steady);
    const [result] = await bench.run(params('?contender=actors/handler'));
    expect(hop(result!)!.samples).toHaveLength(15);
    expect(opened()).toBe(5);
  });

  test('without a number more instances are opened while the interval is wide, up to a limit', async () => {
    const { bench, opened } = fake((call) => sample(call, 9 + 3 * call.instance));
    const [result] = await bench.run(params('?contender=actors/handler'));
    expect(opened()).toBe(20);
    expect(hop(result!)!.samples).toHaveLength(60);
  });

  test('intervals are looked at after 5, 10 and 20 instances only', async () => {
    // Wide at 5; at 7 it would be narrow already.
    const { bench, opened } = fake((call) => sample(call, call.instance === 0 ? 18 : 9));
    await bench.run(params('?contender=actors/handler'));
    expect(opened()).toBe(10);
  });

  test('a ratio that is not narrow opens more instances, too', async () => {
    // Each of the two is narrow by itself: their ratio swings between 0.96 and 1.04.
    const swing: Answer = (call) =>
      sample(call, call.contender === 'floor' ? 3 : 9 * (1 + 0.019 * (-1) ** call.instance));
    const alone = fake(swing);
    await alone.bench.run(params('?contender=actors/handler'));
    expect(alone.opened()).toBe(5);
    const both = fake((call) =>
      sample(call, 9 * (1 + 0.019 * (-1) ** call.instance * (call.contender === 'floor' ? -1 : 1))),
    );
    await both.bench.run(params('?contender=actors/handler,floor'));
    expect(both.opened()).toBe(20);
  });

  test('the first, cold one is kept apart and is in no median', async () => {
    const { bench } = fake(warming);
    const [result] = await bench.run(params('?samples=6&contender=actors/handler'));
    expect(hop(result!)).toMatchObject({ cold: 30, median: 9, max: 9 });
    expect(result!.coldToWarm).toBeCloseTo(30 / 9, 4);
  });

  test('warm-up goes on until two successive ones agree', async () => {
    const { bench, calls } = fake((call) => sample(call, [30, 20, 12, 9, 9][call.index] ?? 9));
    const [result] = await bench.run(params('?samples=1&laps=10000&contender=actors/handler'));
    expect(calls).toHaveLength(1 + 4 + 1);
    expect(result!.warmUp).toEqual({ samples: 4, agreed: true, values: [20, 12, 9, 9] });
  });

  test('short samples warm up for as long as the compiler may take, though they agree before', async () => {
    // 9 ms each: 12 of them, the cold one included, last longer than 100 ms.
    const { bench } = fake(steady);
    const [result] = await bench.run(params('?samples=15&contender=actors/handler'));
    expect(result!.warmUp).toEqual({
      samples: 5 * 11,
      agreed: true,
      values: new Array(11).fill(9),
    });
  });

  test('warm-up that never agrees ends, and says so', async () => {
    const { bench } = fake((call) => sample(call, call.index % 2 === 0 ? 9 : 18));
    const [result] = await bench.run(params('?samples=1&contender=actors/handler'));
    expect(result!.warmUp).toMatchObject({ samples: 40, agreed: false });
  });

  test('a cold sample longer than the warm-up may last is not followed by any', async () => {
    const { bench, calls } = fake((call) => sample(call, 1000));
    await bench.run(params('?samples=1&contender=actors/handler&actors=10000&laps=1000'));
    expect(calls).toHaveLength(2);
  });

  test('contenders take turns, and another one goes first each time', async () => {
    const { bench, calls } = fake(steady);
    await bench.run(params('?samples=2&contender=actors/handler,floor'));
    const order = calls.filter(({ instance }) => instance === 0).map(({ contender }) => contender);
    expect(order.slice(0, 4)).toEqual(['actors/handler', 'floor', 'actors/handler', 'floor']);
    const kept = await fake(steady);
    await kept.bench.run(params('?samples=6&contender=actors/handler,floor'));
    const last = kept.calls
      .filter(({ instance }) => instance === 0)
      .map(({ contender }) => contender)
      .slice(-4);
    expect(last).toEqual(['actors/handler', 'floor', 'floor', 'actors/handler']);
  });

  test('each contender goes first about as often as the other', async () => {
    const { bench, calls } = fake(steady);
    await bench.run(params('?samples=15&laps=100000&contender=actors/handler,floor'));
    // Three turns in each of five instances; what came before them is one contender after the other, too.
    const firsts = [0, 1, 2, 3, 4].flatMap((instance) => {
      const kept = calls.filter((call) => call.instance === instance).slice(-6);
      return [0, 2, 4].map((at) => kept[at]!.contender);
    });
    const handlers = firsts.filter((contender) => contender === 'actors/handler').length;
    expect([7, 8]).toContain(handlers);
  });
});

describe('results', () => {
  test.each([
    '?samples=6',
    '?samples=1',
    '?laps=0&samples=6',
    '?workload=spawn&actors=100000&samples=6',
    '?preset=threads-2006',
    '?preset=armstrong-spawn&samples=3',
  ])('of %s are valid, with exactly the measures of the workload', async (search) => {
    const { bench } = fake(steady);
    const results = await bench.run(params(`${search}&contender=${UNLIMITED.join(',')}`));
    expect(results.map(({ contender }) => contender)).toEqual(UNLIMITED);
    for (const result of results) {
      expect(result).toMatchObject({
        state: 'complete',
        message: null,
        pool: null,
        checks: { ok: true },
      });
      expect(Object.keys(result.measures)).toEqual(
        result.workload.name === 'ring'
          ? ['hop', 'spawn', 'memory']
          : ['spawn', 'stop', 'spawnStop', 'memory'],
      );
    }
  });

  test('carry figures in ns, and memory in bytes', async () => {
    const { bench } = fake(steady);
    const [result] = await bench.run(params('?samples=6&contender=actors/handler'));
    expect(result!.measures).toMatchObject({
      hop: { unit: 'ns', median: 9, ci95: [9, 9] },
      spawn: { unit: 'ns', median: 90 },
      memory: { unit: 'bytes', cold: null, median: 64, ci95: null, samples: [64, 64, 64, 64, 64] },
    });
    expect(result!.clock).toMatchObject({ stepMs: 0.005, errorPercent: expect.closeTo(0.0556, 3) });
    expect(result!.environment.build.wasmBytes).toBe(61_234);
  });

  test('of spawn have spawn, stop and their sum; the floor only the sum', async () => {
    const { bench } = fake(steady);
    const [actors, floor] = await bench.run(params('?workload=spawn&samples=6'));
    expect(actors!.measures).toMatchObject({
      spawn: { median: 9 },
      stop: { median: 4.5 },
      spawnStop: { median: 13.5 },
    });
    expect(floor!.measures).toMatchObject({
      spawn: null,
      stop: null,
      spawnStop: { median: 3 },
      memory: null,
    });
  });

  test('past 10 % error only the sum is reported', async () => {
    const { bench } = fake(steady, { stepMs: 0.1 });
    const [result] = await bench.run(
      params('?workload=spawn&actors=100000&samples=6&contender=actors/handler'),
    );
    // 0.9 ms and 0.45 ms by a clock of 0.1 ms: 11 % and 22 %, their sum 7 %.
    expect(result!.measures).toMatchObject({ spawn: null, stop: null });
    expect((result!.measures as SpawnMeasures).spawnStop!.median).toBe(13.5);
    expect(result!.clock.errorPercent).toBeCloseTo(7.41, 1);
  });

  test('of 0 laps have no hop, and are complete all the same', async () => {
    const { bench } = fake(steady);
    const [result] = await bench.run(params('?laps=0&samples=6&contender=actors/handler'));
    expect(result).toMatchObject({
      state: 'complete',
      coldToWarm: null,
      measures: { hop: null, spawn: { median: 90 } },
    });
  });

  test('that the clock saw nothing of are failed in words, never 0 or infinite', async () => {
    const { bench } = fake((call) => sample(call, 0));
    const [result] = await bench.run(params('?samples=6&contender=actors/handler'));
    expect(result).toMatchObject({
      state: 'failed',
      message: 'too short for this clock',
      checks: { ok: false },
    });
    expect(JSON.stringify(result)).not.toMatch(/NaN|Infinity/);
  });

  test('are told one by one', async () => {
    const { bench } = fake(steady);
    const told: Result[] = [];
    const results = await bench.run(params('?samples=3'), {
      onResult: (result) => told.push(result),
    });
    expect(told).toEqual(results);
  });
});

describe('failures', () => {
  const wrong = [{ name: 'hops', expected: 1_000_000, counted: 1000, ok: false }];

  test('a sample whose checks fail fails the run, with both numbers and no figure', async () => {
    const { bench } = fake((call) =>
      sample(
        call,
        9,
        call.contender === 'actors/handler' && call.index === 4 ? { ok: false, checks: wrong } : {},
      ),
    );
    const [failed, floor] = await bench.run(params('?samples=15'));
    expect(failed).toMatchObject({
      state: 'failed',
      message: 'hops: expected 1000000, counted 1000',
      checks: { ok: false, items: wrong },
      measures: { hop: null, spawn: null, memory: null },
    });
    expect(floor).toMatchObject({ state: 'complete' });
    expect(hop(floor!)!.samples).toHaveLength(15);
  });

  test('a panic is shown with message, file and line, and a fresh instance goes on with the rest', async () => {
    const failures = [{ actor: 'actor 3', message: 'boom', place: 'src/ring.rs:12' }];
    const { bench, calls, opened } = fake((call) =>
      sample(call, 9, call.contender === 'actors/handler' ? { ok: false, failures } : {}),
    );
    const [failed, floor] = await bench.run(params('?samples=3'));
    expect(failed).toMatchObject({
      state: 'failed',
      message: 'actor 3 panicked: boom (src/ring.rs:12)',
      failures,
    });
    expect(floor).toMatchObject({ state: 'complete' });
    expect(opened()).toBe(4);
    expect(calls.filter(({ instance }) => instance === 0)).toHaveLength(1);
  });

  test('an instance that runs out of memory fails its contender with that sentence', async () => {
    const { bench } = fake((call) => {
      if (call.contender === 'actors/handler')
        throw new Error('out of memory after 812,345 actors');
      return sample(call, 3);
    });
    const [failed, floor] = await bench.run(params('?samples=3'));
    expect(failed).toMatchObject({
      state: 'failed',
      message: 'out of memory after 812,345 actors',
      checks: { ok: false, items: [] },
    });
    expect(floor).toMatchObject({ state: 'complete' });
  });

  test('a size that a contender cannot do names the number that it can, and nothing is run for it', async () => {
    const { bench, calls } = fake(steady);
    const [refused, floor] = await bench.run(params('?workload=spawn&actors=100000000&samples=3'));
    expect(refused).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('62,914,560'),
    });
    expect(floor).toMatchObject({ state: 'complete' });
    expect(calls.every(({ contender }) => contender === 'floor')).toBe(true);
  });

  test('what cannot be opened at all rejects with its sentence', async () => {
    const bench = new Bench({
      open: () => Promise.reject(new Error('x is not a wasm file')),
      observe: () => () => ENVIRONMENT,
    });
    await expect(bench.run(params(''))).rejects.toThrow('x is not a wasm file');
    expect(bench.running).toBe(false);
  });

  test('the run after a failed one is right', async () => {
    let isBroken = true;
    const { bench } = fake((call) => sample(call, 9, isBroken ? { ok: false, checks: wrong } : {}));
    expect((await bench.run(params('?samples=3')))[0]).toMatchObject({ state: 'failed' });
    isBroken = false;
    expect((await bench.run(params('?samples=3')))[0]).toMatchObject({ state: 'complete' });
  });
});

describe('control', () => {
  test('one run at a time: a further one rejects with `already running`', async () => {
    const { bench } = fake(steady);
    const first = bench.run(params('?samples=3'));
    await expect(bench.run(params('?samples=3'))).rejects.toThrow('already running');
    expect(await first).toHaveLength(2);
    expect(await bench.run(params('?samples=3'))).toHaveLength(2);
  });

  test('stop says how far the run got, keeps whole samples apart, and the next run works', async () => {
    let isHanging = true;
    const { bench, closed, opened } = fake((call) => {
      if (call.index < 5 || !isHanging) return sample(call, 9);
      call.onProgress({ phase: 'hop', done: 123_456, total: 1_000_000, phaseMs: 1 });
      return new Promise(() => {});
    });
    const running = bench.run(params('?samples=50&laps=10000&contender=actors/handler,floor'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    bench.stop();
    const [stopped, other] = await running;
    expect(stopped).toMatchObject({
      state: 'stopped',
      message: 'stopped at 50,000,000 hops, with 3 whole samples kept',
      stoppedAt: { unit: 'hops', done: 50_000_000, total: 10_000_000, samplesKept: 3 },
      checks: { ok: null },
    });
    expect(hop(stopped!)!.samples).toHaveLength(3);
    expect(other).toMatchObject({ stoppedAt: { done: 50_123_456 } });
    expect(closed()).toBeGreaterThanOrEqual(opened());
    isHanging = false;
    expect((await bench.run(params('?samples=3')))[0]).toMatchObject({ state: 'complete' });
  });

  test('stop in the first sample leaves no figure', async () => {
    const { bench } = fake(() => new Promise(() => {}));
    const running = bench.run(params('?contender=actors/handler'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    bench.stop();
    expect((await running)[0]).toMatchObject({
      state: 'stopped',
      message: 'stopped at 0 hops of 1,000,000',
      measures: { hop: null },
      instances: null,
    });
  });

  test('stop while the instance is still loading ends at once, and the late one is closed', async () => {
    let give: (sampler: Sampler) => void = () => {};
    let isClosed = false;
    const bench = new Bench({
      open: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
      observe: () => () => ENVIRONMENT,
    });
    const running = bench.run(params('?contender=actors/handler'));
    bench.stop();
    expect((await running)[0]).toMatchObject({ state: 'stopped' });
    give({
      about: { clockStepMs: 1, wasmBytes: 1, bytesPerActor: BYTES, threads: ONE_THREAD },
      sample: () => Promise.reject(new Error('late')),
      calibrate,
      close: () => {
        isClosed = true;
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(isClosed).toBe(true);
  });

  test('stop without a run does nothing', () => {
    fake(steady).bench.stop();
  });

  test('progress grows to the end and carries the figure so far', async () => {
    const { bench } = fake((call) => sample(call, 9 + 3 * call.instance));
    const told: Progress[] = [];
    await bench.run(params(''), { onProgress: (progress) => told.push(progress) });
    for (let i = 1; i < told.length; i++)
      expect(told[i]!.share).toBeGreaterThanOrEqual(told[i - 1]!.share);
    expect(told.at(-1)!.share).toBeLessThan(1);
    expect(told.some(({ nsSoFar }) => nsSoFar === 9)).toBe(true);
    expect(new Set(told.map(({ stage }) => stage))).toEqual(
      new Set(['loading', 'cold', 'warm-up', 'sample']),
    );
  });
});

describe('a workload whose messages compute', () => {
  const WORK = '?workload=work&actors=100&laps=10&tokens=2&work-ns=60&samples=6';

  test('is calibrated once, and every sample computes the same rounds, which results tell', async () => {
    const { bench, calls, opened, closed } = fake(steady);
    const results = await bench.run(params(WORK));
    for (const { workload, measures, state } of results) {
      expect(state).toBe('complete');
      expect(workload).toMatchObject({ name: 'work', workNs: 60, rounds: 30 });
      expect(Object.keys(measures)).toEqual(['hop']);
    }
    expect(new Set(calls.map(({ workload }) => 'rounds' in workload && workload.rounds))).toEqual(
      new Set([30]),
    );
    // One more instance than samples are taken from.
    expect(opened()).toBe(6);
    expect(closed()).toBe(6);
  });

  test('isn’t run where the work can’t be timed', async () => {
    const { bench, closed } = fake(steady, {
      calibrate: () => Promise.reject(new Error('no time')),
    });
    await expect(bench.run(params(WORK))).rejects.toThrow('no time');
    expect(closed()).toBe(1);
  });

  test('can be stopped while it is calibrated', async () => {
    const { bench, calls } = fake(steady, { calibrate: () => new Promise(() => {}) });
    const running = bench.run(params(WORK));
    await new Promise((resolve) => setTimeout(resolve, 0));
    bench.stop();
    for (const result of await running)
      expect(result).toMatchObject({ state: 'stopped', workload: { rounds: null } });
    expect(calls).toEqual([]);
  });
});

test('a tree has one figure, its leaf’s', async () => {
  const { bench } = fake(steady);
  const [result] = await bench.run(params('?workload=skynet&samples=6'));
  expect(result!.measures).toMatchObject({ leaf: { median: 9 } });
  expect(result!.coldToWarm).toBe(1);
  expect(result!.ratios).toMatchObject([{ to: 'floor', of: 'leaf', ratio: 3 }]);
});

test('a contender that can’t do the workload fails in words, and the others run', async () => {
  const { bench, calls } = fake(steady);
  const [queue, floor] = await bench.run(
    params('?workload=skynet&samples=3&contender=js/queue,floor'),
  );
  expect(queue).toMatchObject({ state: 'failed', measures: { leaf: null } });
  expect(queue!.message).toBe("js/queue can't do the workload skynet; it does ring and spawn");
  expect(floor!.state).toBe('complete');
  expect(calls.every(({ contender }) => contender === 'floor')).toBe(true);
});
