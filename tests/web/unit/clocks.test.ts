/** The whole engine, sampling included, on a machine whose time passes by work alone and whose clock is as bad as can be. */

import { describe, expect, test, vi } from 'vitest';
import type { Sampler } from '../../../www/measure';
import { actorsOf, type ReadyWorkload, unitsOf } from '../../../www/params';
import type { Result } from '../../../www/result';
import { mainMeasure } from '../../../www/result';
import { clockStep, type Run, SampleTaker } from '../../../www/sample';
import { BYTES, calibrate, fakeBench, hop, ONE_THREAD, params } from './fake-samplers';

// A busy machine may need far longer for them than a second or two.
vi.setConfig({ testTimeout: 60_000 });

const NS_PER_UNIT = 9;
const NS_PER_SPAWN = 25;
const START_RUN_MS = 0.05;
const OPEN_MS = 100;

interface Make {
  readonly stepMs: number;
  /** By how much one sample may be slower than another. */
  readonly noise?: number;
  /** After how many readings the clock is set back, and by how much, again and again if it is `always`. */
  readonly setBack?: { readonly afterReads: number; readonly ms: number; readonly always: boolean };
  /** What it costs to read the clock, and to post a message. */
  readonly readMs?: number;
  readonly postMs?: number;
}

class Machine {
  ms = 1e6;
  reads = 0;
  posts = 0;
  /** Spent in slices, and nowhere else. */
  workMs = 0;
  readonly #make: Make;
  #random = 1;

  constructor(make: Make) {
    this.#make = make;
  }

  readonly now = (): number => {
    const { stepMs, readMs = Math.min(0.001, stepMs / 50), setBack } = this.#make;
    this.reads++;
    this.ms += readMs;
    const { afterReads, ms, always } = setBack ?? { afterReads: 0, ms: 0, always: false };
    const times = setBack === undefined ? 0 : Math.floor(this.reads / afterReads);
    return Math.floor((this.ms - ms * (always ? times : Math.min(1, times))) / stepMs) * stepMs;
  };

  readonly start = (workload: ReadyWorkload): Run => {
    this.ms += START_RUN_MS;
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    const slower = 1 + ((this.#make.noise ?? 0) * this.#random) / 2_147_483_647;
    const hops = workload.name === 'ring' ? unitsOf(workload) : 0;
    const names =
      workload.name === 'spawn' ? ['spawn', 'stop'] : ['spawn', ...(hops ? ['hop'] : [])];
    const totals = names.map((name) => (name === 'hop' ? hops : actorsOf(workload)));
    let at = 0;
    let done = 0;
    const self = this;
    return {
      get phase() {
        return names[at];
      },
      get done() {
        return done;
      },
      get total() {
        return totals[at] ?? 0;
      },
      slice(budget) {
        const units = Math.min(budget, totals[at]! - done);
        const ns = names[at] === 'spawn' ? NS_PER_SPAWN : NS_PER_UNIT;
        const ms = (units * ns * slower) / 1e6;
        self.ms += ms;
        self.workMs += ms;
        done += units;
        if (done < totals[at]!) return true;
        at++;
        done = 0;
        return false;
      },
      report: () => ({
        ok: true,
        checks: [
          { name: names.at(-1)!, expected: totals.at(-1)!, counted: totals.at(-1)!, ok: true },
        ],
        units: Object.fromEntries(names.map((name, i) => [name, totals[i]!])),
        memory: 64,
        failures: [],
      }),
      free() {},
    };
  };

  readonly open = async (): Promise<Sampler> => {
    this.ms += OPEN_MS;
    const stepMs = clockStep(this.now);
    const taker = new SampleTaker(this.start, { now: this.now, stepMs });
    return {
      about: { clockStepMs: stepMs, wasmBytes: 1, bytesPerActor: BYTES, threads: ONE_THREAD },
      sample: async ({ workload, contender }, onProgress) =>
        taker.take(workload, contender, (progress) => {
          this.post();
          onProgress(progress);
        }),
      calibrate,
      close() {},
    };
  };

  post(): void {
    this.posts++;
    this.ms += this.#make.postMs ?? 0;
  }
}

async function measure(make: Make, search: string): Promise<{ result: Result; seconds: number }> {
  const machine = new Machine(make);
  const before = machine.ms;
  const bench = fakeBench({ open: machine.open, now: machine.now });
  const [result] = await bench.run(params(`${search}&contender=actors/handler`));
  return { result: result!, seconds: (machine.ms - before) / 1000 };
}

const RING = '?workload=ring&actors=1000&laps=1000';
const SPAWN = '?workload=spawn&actors=100000';

describe('a standard run of one contender', () => {
  test.each([
    { stepMs: 0.005, noise: 0, most: 5 },
    { stepMs: 0.005, noise: 0.5, most: 5 },
    { stepMs: 0.02, noise: 0.5, most: 5 },
    { stepMs: 0.1, noise: 0, most: 5 },
    { stepMs: 0.1, noise: 0.5, most: 5 },
    { stepMs: 1, noise: 0, most: 15 },
    { stepMs: 1, noise: 0.5, most: 15 },
  ])(
    'with a step of $stepMs ms and noise of $noise is over within $most s',
    async ({ most, ...make }) => {
      for (const search of [RING, SPAWN]) {
        const { result, seconds } = await measure(make, search);
        expect(seconds, search).toBeLessThan(most);
        expect(result.state).toBe('complete');
        expect(mainMeasure(result).measure!.samples.length).toBeGreaterThanOrEqual(15);
        expect(result.clock.errorPercent).toBeLessThanOrEqual(make.stepMs < 1 ? 1 : 5);
        if (make.noise === 0) expect(result.noise).toBeNull();
      }
    },
  );

  test('finds what a hop costs, whatever the step', async () => {
    for (const stepMs of [0.005, 0.1, 1]) {
      const { result } = await measure({ stepMs }, RING);
      expect(Math.abs(hop(result)!.median / NS_PER_UNIT - 1)).toBeLessThan(0.01);
    }
  });

  test('with a step of 100 ms ends, and says by how much it may be off', async () => {
    const { result, seconds } = await measure({ stepMs: 100 }, RING);
    expect(seconds).toBeLessThan(60);
    expect(result.state).toBe('complete');
    expect(result.clock.stepMs).toBe(100);
    expect(result.clock.errorPercent).toBeGreaterThan(5);
    const { median } = mainMeasure(result).measure!;
    expect(Math.abs(median / NS_PER_UNIT - 1)).toBeLessThan(result.clock.errorPercent! / 100);
  });

  test('with a step of 100 ms ends without a figure that might be off by as much as itself', async () => {
    const { result, seconds } = await measure({ stepMs: 100 }, SPAWN);
    expect(seconds).toBeLessThan(60);
    expect(result).toMatchObject({ state: 'failed', message: 'too short for this clock' });
    expect(result.clock).toEqual({ stepMs: 100, errorPercent: expect.any(Number) });
    expect(result.clock.errorPercent).toBeGreaterThan(100);
    expect(mainMeasure(result).measure).toBeNull();
  });
});

describe('a run too short for its clock', () => {
  test.each([0.1, 1, 100])(
    'with a step of %d ms gives no 0, no NaN and no infinity',
    async (stepMs) => {
      const { result } = await measure({ stepMs }, '?actors=100&laps=1&samples=1');
      expect(JSON.stringify(result)).not.toMatch(/NaN|Infinity/);
      if (result.state === 'complete') {
        expect(hop(result)).toMatchObject({ ci95: null, median: expect.any(Number) });
        expect(hop(result)!.median).toBeGreaterThan(0);
        expect(result.clock.errorPercent).toBeGreaterThan(0);
      } else {
        expect(result).toMatchObject({ state: 'failed', message: 'too short for this clock' });
      }
    },
  );

  test('with a clock that stands still is none', async () => {
    const machine = new Machine({ stepMs: 1 });
    const bench = fakeBench({
      open: async () => {
        clockStep(() => 42);
        return machine.open();
      },
    });
    await expect(bench.run(params(RING))).rejects.toThrow('clock does not advance');
  });
});

describe('a clock that is set back', () => {
  // By less than a sample lasts, which leaves its time positive, and by an hour.
  test.each([5, 3_600_000])('once by %d ms costs a sample, and no figure shows it', async (ms) => {
    const setBack = { afterReads: 2000, ms, always: false };
    const { result } = await measure({ stepMs: 0.005, setBack }, `${RING}&samples=15`);
    expect(result.state).toBe('complete');
    const { min, max, samples } = hop(result)!;
    expect(samples).toHaveLength(15);
    expect(min).toBeGreaterThan(0.99 * NS_PER_UNIT);
    expect(max).toBeLessThan(1.01 * NS_PER_UNIT);
  });

  test('again and again fails the run in words, soon', async () => {
    const setBack = { afterReads: 60, ms: 40, always: true };
    const { result, seconds } = await measure({ stepMs: 0.005, setBack }, RING);
    expect(result).toMatchObject({
      state: 'failed',
      message: 'the clock was set back during 3 samples in a row',
    });
    expect(seconds).toBeLessThan(5);
  });
});

describe('the engine itself', () => {
  /** A second of hops: what it reads and posts besides is the engine's own doing. */
  function longSample(make: Make): { machine: Machine; share: number } {
    const machine = new Machine(make);
    const taker = new SampleTaker(machine.start, { now: machine.now, stepMs: make.stepMs });
    // So many actors that building needn't be repeated.
    const workload: ReadyWorkload = { name: 'ring', actors: 100_000, laps: 1111, tokens: 1 };
    taker.take(workload, 'actors/handler', () => machine.post()); // learns how long a slice is
    machine.reads = machine.posts = machine.workMs = 0;
    const { hop, spawn } = taker.take(workload, 'actors/handler', () => machine.post()).phases;
    return { machine, share: (hop!.ms + spawn!.ms) / machine.workMs - 1 };
  }

  test('reads the clock once per slice of 20 ms, and posts ten messages a second at most', () => {
    const { machine } = longSample({ stepMs: 0.005 });
    // And a few times around the phases.
    expect(machine.reads).toBeLessThan(1000 / 20 + 10);
    expect(machine.posts).toBeLessThanOrEqual(10);
    expect(machine.posts).toBeGreaterThanOrEqual(8);
  });

  test('takes less than 1 % of a sample, even where a reading takes 50 µs and a message 500 µs', () => {
    const { share } = longSample({ stepMs: 0.005, readMs: 0.05, postMs: 0.5 });
    expect(share).toBeLessThan(0.01);
    expect(share).toBeGreaterThan(0);
  });
});
