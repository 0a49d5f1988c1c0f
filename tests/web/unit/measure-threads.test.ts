/** What the engine does when contenders run on a pool of threads. */

import { describe, expect, test, vi } from 'vitest';
import type { Sampler } from '../../../www/measure';
import { failedResult } from '../../../www/node/report';
import type { ContenderName, Params } from '../../../www/params';
import type { Threads } from '../../../www/protocol';
import type { RawSample } from '../../../www/sample';
import {
  assertValid,
  BYTES,
  calibrate,
  ENVIRONMENT,
  fakeBench,
  ONE_THREAD,
  params,
  sample,
} from './fake-samplers';

const REASON = 'this page is not isolated, so threads are off';
const THREADS: ContenderName = 'actors/threads';

function paramsOf(contenders: readonly string[], changes: Partial<Params> = {}): Params {
  const search = '?workload=ring&actors=100&laps=1000&samples=6';
  return { ...params(search), contenders: contenders as ContenderName[], ...changes };
}

/** Samplers that log what they are asked for; `answers` are the pools', one for each that is opened. */
function fake(
  answers: (asked: number, pool: number) => Threads | Promise<Threads>,
  changes: Partial<RawSample> = {},
) {
  const log: { sampler: number; contender: ContenderName }[] = [];
  const asked: (number | undefined)[] = [];
  const openNow = new Set<number>();
  const open = vi.fn(async (threads?: number): Promise<Sampler> => {
    const number = asked.push(threads) - 1;
    openNow.add(number);
    const pools = asked.filter((it) => it !== undefined).length;
    const granted = threads === undefined ? ONE_THREAD : await answers(threads, pools - 1);
    return {
      about: { clockStepMs: 0.005, wasmBytes: 1, bytesPerActor: BYTES, threads: granted },
      sample: async ({ workload, contender }) => {
        expect(openNow).toContain(number);
        log.push({ sampler: number, contender });
        const call = { instance: 0, contender, index: 0, workload, onProgress: () => {} };
        return sample(call, contender === 'floor' ? 3 : 9, contender === THREADS ? changes : {});
      },
      calibrate,
      close: () => openNow.delete(number),
    };
  });
  return { bench: fakeBench({ open }), log, asked, openNow };
}

const grantAll = (asked: number): Threads => ({ asked, granted: asked, reason: null });

describe('contenders on threads', () => {
  test('have a sampler of their own in each instance, beside the others’, and samples alternate', async () => {
    const { bench, log, asked, openNow } = fake(grantAll);
    const results = await bench.run(paramsOf([THREADS, 'actors/handler', 'floor'], { threads: 3 }));
    expect(results.map(({ state }) => state)).toEqual(['complete', 'complete', 'complete']);
    expect(asked).toEqual([3, undefined, 3, undefined, 3, undefined, 3, undefined, 3, undefined]);
    for (const { sampler, contender } of log)
      expect(asked[sampler] === 3).toBe(contender === THREADS);
    // Cold samples first, each contender's in its turn.
    expect(log.slice(0, 3).map(({ contender }) => contender)).toEqual([
      THREADS,
      'actors/handler',
      'floor',
    ]);
    const lastOfFirst = log.filter(({ sampler }) => sampler < 2).at(-1)!;
    expect(log.indexOf(lastOfFirst)).toBeLessThan(log.findIndex(({ sampler }) => sampler >= 2));
    expect(openNow.size).toBe(0);
  });

  test('are no concern of a run without them', async () => {
    const { bench, asked } = fake(grantAll);
    await bench.run(paramsOf(['actors/handler', 'floor'], { threads: 3 }));
    expect(new Set(asked)).toEqual(new Set([undefined]));
  });

  test('need no other sampler when they are alone', async () => {
    const { bench, asked } = fake(grantAll);
    await bench.run(paramsOf([THREADS], { threads: 2 }));
    expect(new Set(asked)).toEqual(new Set([2]));
  });

  test('tell how many threads they had and used, and what the workers did in kept samples', async () => {
    const pool = { hopsPerWorker: [3, 4, 0], crossStrand: 5, steals: 1, parks: 2, used: 2 };
    const { bench } = fake(grantAll, { pool });
    const [threads, floor] = await bench.run(paramsOf([THREADS, 'floor'], { threads: 3 }));
    expect(threads!.threads).toEqual({ asked: 3, granted: 3, used: 2, reason: null });
    expect(threads!.pool).toEqual({
      hopsPerWorker: [18, 24, 0],
      crossStrand: 30,
      steals: 6,
      parks: 12,
    });
    expect(floor).toMatchObject({
      threads: { asked: 3, granted: 1, used: 1, reason: null },
      pool: null,
    });
  });

  test('that never ran tell how many threads they would have asked for', async () => {
    const result = failedResult(paramsOf([THREADS]), THREADS, 'no', ENVIRONMENT);
    expect(result.threads).toEqual({ asked: 2, granted: 1, used: 1, reason: null });
    assertValid(result);
  });

  test('get as many threads as there are cores when nobody said how many', async () => {
    const { bench, asked } = fake(grantAll);
    await bench.run(paramsOf([THREADS]));
    expect(new Set(asked)).toEqual(new Set([2]));
  });

  test('that got one thread instead are not tried again in the same run', async () => {
    const { bench, asked, log } = fake((it) => ({ asked: it, granted: 1, reason: REASON }));
    const [result] = await bench.run(paramsOf([THREADS], { threads: 4 }));
    expect(result!.state).toBe('complete');
    expect(result!.threads).toEqual({ asked: 4, granted: 1, used: 1, reason: REASON });
    expect(result!.pool).toBeNull();
    expect(asked).toEqual([4, undefined, undefined, undefined, undefined]);
    expect(log.every(({ contender }) => contender === THREADS)).toBe(true);
  });

  test('that had threads and then get none fail, since no median is of both', async () => {
    const { bench } = fake((asked, pool) =>
      pool < 2 ? grantAll(asked) : { asked, granted: 1, reason: REASON },
    );
    const [threads, floor] = await bench.run(paramsOf([THREADS, 'floor'], { threads: 2 }));
    expect(threads!.state).toBe('failed');
    expect(threads!.message).toBe(`instance 3 got 1 thread instead of 2, because ${REASON}`);
    expect(floor!.state).toBe('complete');
  });

  test('leave no sampler open when Stop comes while the second is being opened', async () => {
    let openPool = (): void => {};
    const { bench, openNow, asked } = fake(
      (threads) =>
        new Promise((resolve) => {
          openPool = () => resolve(grantAll(threads));
        }),
    );
    const running = bench.run(paramsOf(['floor', THREADS], { threads: 2 }));
    await vi.waitFor(() => expect(asked).toEqual([undefined, 2]));
    bench.stop();
    const results = await running;
    expect(results.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    openPool();
    await vi.waitFor(() => expect(openNow.size).toBe(0));
  });
});
