import { describe, expect, test } from 'vitest';
import { defaultParams } from '../../../www/params';
import { noiseOf } from '../../../www/ratios';
import type { Measure, Ratio, Result } from '../../../www/result';
import { type Answer, fake, params, sample, steady } from './fake-samplers';

const ratios = (result: Result | undefined) =>
  Object.fromEntries(result!.ratios!.map(({ to, ratio }) => [to, ratio]));

/** 9 ns, 18 ns and 3 ns, and everything three times slower in every other turn of the whole run. */
const drifting: Answer = (call) => {
  const ns = { 'actors/handler': 9, 'actors/async': 18, floor: 3 }[call.contender as string]!;
  return sample(call, call.index % 2 === 0 ? ns : 3 * ns);
};

describe('ratios', () => {
  test('lead from every contender of a run to every other one', async () => {
    const { bench } = fake(steady);
    const [handler, async, floor] = await bench.run(
      params('?samples=15&contender=actors/handler,actors/async,floor'),
    );
    expect(ratios(handler)).toEqual({ 'actors/async': 1, floor: 3 });
    expect(ratios(async)).toEqual({ 'actors/handler': 1, floor: 3 });
    expect(floor!.ratios).toEqual([
      { to: 'actors/handler', of: 'hop', ratio: 0.333333, ci95: [0.333333, 0.333333] },
      { to: 'actors/async', of: 'hop', ratio: 0.333333, ci95: [0.333333, 0.333333] },
    ]);
  });

  test('are untouched by what slows all contenders down, though their figures are', async () => {
    const { bench } = fake(drifting);
    const [handler, async] = await bench.run(
      params('?samples=15&contender=actors/handler,actors/async,floor'),
    );
    expect(handler!.measures).toMatchObject({ hop: { min: 9, max: 27 } });
    expect(ratios(handler)).toEqual({ 'actors/async': 0.5, floor: 3 });
    expect(async!.ratios!.map(({ ci95 }) => ci95)).toEqual([
      [2, 2],
      [6, 6],
    ]);
  });

  test.each([
    ['?samples=15', 'hop'],
    ['?samples=15&laps=0', 'spawn'],
    ['?samples=15&workload=spawn', 'spawnStop'],
  ])('of %s are of %s', async (search, of) => {
    const [handler] = await fake(steady).bench.run(params(search));
    expect(handler!.ratios).toMatchObject([{ to: 'floor', of }]);
  });

  test('of few samples have no interval', async () => {
    const [handler] = await fake(steady).bench.run(params('?samples=3'));
    expect(handler!.ratios).toEqual([{ to: 'floor', of: 'hop', ratio: 3, ci95: null }]);
  });

  test('are an empty list for one contender alone', async () => {
    const [handler] = await fake(steady).bench.run(params('?samples=15&contender=actors/handler'));
    expect(handler!.ratios).toEqual([]);
  });

  test('leave out what failed, and a failed one has none', async () => {
    const { bench } = fake((call) =>
      sample(call, 9, call.contender === 'actors/async' ? { ok: false } : {}),
    );
    const [handler, async, floor] = await bench.run(
      params('?samples=6&contender=actors/handler,actors/async,floor'),
    );
    expect(ratios(handler)).toEqual({ floor: 1 });
    expect(async!.ratios).toBeNull();
    expect(ratios(floor)).toEqual({ 'actors/handler': 1 });
  });

  test('pair samples of one turn, also when a failure made their number unequal', async () => {
    // Every turn of the run is slower than the one before it, so only true neighbours give 3. In the third turn of the
    // second instance the handler's sample is in, async fails, and the floor's comes from an instance of its own.
    const turns = new Map<string, number>();
    const { bench } = fake((call) => {
      const turn = `${call.instance} ${call.index}`;
      if (!turns.has(turn)) turns.set(turn, 1 + turns.size);
      const isBroken = call.contender === 'actors/async' && call.instance === 1 && call.index === 3;
      const ns = (call.contender === 'floor' ? 3 : 9) * turns.get(turn)!;
      return sample(call, ns, isBroken ? { ok: false } : {});
    });
    // So long that there is no warm-up.
    const [handler, async, floor] = await bench.run(
      params('?samples=15&laps=1000000&contender=actors/handler,actors/async,floor'),
    );
    expect(async).toMatchObject({ state: 'failed' });
    expect(handler!.instances).toEqual([3, 3, 3, 3, 3]);
    expect(floor!.instances).toEqual([3, 2, 1, 3, 3, 3]);
    expect(handler!.ratios).toEqual([{ to: 'floor', of: 'hop', ratio: 3, ci95: [3, 3] }]);
    expect(floor!.ratios![0]!.ratio).toBeCloseTo(1 / 3, 4);
  });

  test('compare a contender that runs twice with itself', async () => {
    const twice = { ...defaultParams(), contenders: ['floor', 'floor'] as const, samples: 15 };
    const { bench, calls } = fake(drifting);
    const results = await bench.run(twice);
    expect(results).toHaveLength(2);
    // Neighbours of one name are two calls in a row here, so one of each pair is slow.
    expect(results[0]!.ratios).toMatchObject([{ to: 'floor' }]);
    expect(results[0]!.ratios![0]!.ratio * results[1]!.ratios![0]!.ratio).toBeCloseTo(1, 4);
    expect(new Set(calls.map(({ contender }) => contender))).toEqual(new Set(['floor']));
  });
});

describe('noise', () => {
  const figure = (low: number, high: number): Measure => ({
    unit: 'ns',
    cold: null,
    median: 10,
    ci95: [low, high],
    min: low,
    max: high,
    samples: [10],
  });
  const ratio = (low: number, high: number): Ratio => ({
    to: 'floor',
    of: 'hop',
    ratio: 2,
    ci95: [low, high],
  });

  test('is not spoken of while every interval is at most 10 % wide, or there is none', () => {
    expect(noiseOf(figure(9.5, 10.5), [ratio(1.9, 2.1)], 0.1)).toBeNull();
    expect(noiseOf({ ...figure(1, 99), ci95: null }, [], 0.1)).toBeNull();
    expect(noiseOf(null, [{ ...ratio(1, 2), ci95: null }], null)).toBeNull();
  });

  test('names the widest interval, in a whole sentence', () => {
    expect(noiseOf(figure(9.4, 10.6), [], 0.1)).toEqual({
      sentence:
        'The machine was too noisy for a close figure: the 95 % interval of the median is 12 % of it wide, more than 10 %. ' +
        'Close what else is running and run again.',
      widthPercent: 12,
    });
    expect(noiseOf(figure(9.4, 10.6), [ratio(1.8, 2.6)], 0.1)).toMatchObject({
      sentence: expect.stringContaining('the 95 % interval of the ratio to floor is 40 % of it'),
      widthPercent: 40,
    });
  });

  test('leaves ratios alone that are close all the same', () => {
    const close = noiseOf(figure(5, 15), [ratio(1.98, 2.02)], 0.1);
    expect(close!.sentence).toContain('of the median is 100 % of it wide');
    expect(close!.sentence).toContain(' The ratios are close all the same. ');
    for (const ratios of [[], [ratio(1.5, 2.5)]])
      expect(noiseOf(figure(5, 15), ratios, 0.1)!.sentence).not.toContain('all the same');
  });

  test('is put down to the clock where that is coarse', () => {
    expect(noiseOf(figure(5, 15), [], 42)!.sentence).toMatch(/^The clock here is too coarse/);
  });

  test('stands in the result of a run whose samples differ, and in no other', async () => {
    const noisy = fake((call) => sample(call, 9 + 9 * (call.instance % 3)));
    const [result] = await noisy.bench.run(params('?samples=15&contender=actors/handler'));
    expect(result!.noise!.widthPercent).toBeGreaterThan(50);
    // A ring without laps is only built, and that is what is noisy then.
    const building = fake((call) => sample(call, 9 + 9 * (call.instance % 3)));
    const [built] = await building.bench.run(params('?samples=15&laps=0&contender=actors/handler'));
    expect(built!.noise!.widthPercent).toBeGreaterThan(50);
    const quiet = fake(steady);
    const [other] = await quiet.bench.run(params('?samples=15&contender=actors/handler'));
    expect(other!.noise).toBeNull();
  });
});
