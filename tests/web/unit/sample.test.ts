import { describe, expect, test } from 'vitest';
import { actorsOf, type Workload } from '../../../www/params';
import {
  type AsyncRun,
  AsyncSampleTaker,
  clockErrorPercent,
  clockStep,
  type Run,
  type RunReport,
  SampleTaker,
} from '../../../www/sample';

const ring: Workload = { name: 'ring', actors: 10, laps: 100, tokens: 1 };
const spawn: Workload = { name: 'spawn', actors: 1000 };

/** A clock that only work moves, seen in steps. */
class FakeClock {
  ms = 0;
  readonly stepMs: number;
  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }
  now(): number {
    return Math.floor(this.ms / this.stepMs) * this.stepMs;
  }
}

interface Plan {
  readonly phases: readonly (readonly [name: string, units: number, msPerUnit: number])[];
  readonly report?: Partial<RunReport>;
}

class FakeRun implements Run {
  #index = 0;
  done = 0;
  readonly budgets: number[] = [];
  readonly #plan: Plan;
  readonly #clock: FakeClock;
  constructor(plan: Plan, clock: FakeClock) {
    this.#plan = plan;
    this.#clock = clock;
  }
  get phase(): string | undefined {
    return this.#plan.phases[this.#index]?.[0];
  }
  get total(): number {
    return this.#plan.phases[this.#index]?.[1] ?? 0;
  }
  slice(budget: number): boolean {
    const [, units, msPerUnit] = this.#plan.phases[this.#index]!;
    const work = Math.min(budget, units - this.done);
    this.budgets.push(budget);
    this.#clock.ms += work * msPerUnit;
    this.done += work;
    if (this.done < units) return true;
    this.#index++;
    this.done = 0;
    return false;
  }
  report(): RunReport {
    const units = Object.fromEntries(this.#plan.phases.map(([name, count]) => [name, count]));
    return { ok: true, checks: [], units, memory: 64, failures: [], ...this.#plan.report };
  }
  free(): void {}
}

function ringPlan(workload: Workload, hopMs: number, spawnMs: number): Plan {
  const { actors, laps } =
    workload.name === 'ring' ? workload : { actors: actorsOf(workload), laps: 0 };
  return {
    phases: [
      ['spawn', actors, spawnMs],
      ['hop', actors * laps, hopMs],
      ['check', 1, 0.01],
    ],
  };
}

describe('the step of a clock', () => {
  test.each([0.005, 0.1, 1, 100])('of %d ms is found', (step) => {
    let time = 0;
    const now = (): number => {
      time += step / 7;
      return Math.floor(time / step) * step;
    };
    expect(clockStep(now)).toBeCloseTo(step, 6);
  });

  test('that stands still is said, not waited for', () => {
    expect(() => clockStep(() => 42)).toThrow('clock does not advance');
  });
});

describe('the error of the clock', () => {
  test('is one step for one stretch and grows with the root of their number', () => {
    expect(clockErrorPercent({ ms: 10, units: 1, stretches: 1 }, 0.1)).toBeCloseTo(1);
    expect(clockErrorPercent({ ms: 10, units: 1, stretches: 4 }, 0.1)).toBeCloseTo(2);
  });

  test('is unknown when nothing was seen', () => {
    expect(clockErrorPercent({ ms: 0, units: 1, stretches: 3 }, 0.1)).toBeNull();
  });
});

describe('a sample', () => {
  test('that is long enough is one run', () => {
    const clock = new FakeClock(0.005);
    let runs = 0;
    const taker = new SampleTaker((workload) => {
      if (workload.name === 'ring' && workload.laps > 0) runs++;
      return new FakeRun(ringPlan(workload, 0.01, 1), clock);
    }, clock);
    const sample = taker.take(ring, 'actors/handler', () => {});
    expect(runs).toBe(1);
    expect(sample.phases['hop']).toMatchObject({ units: 1000, stretches: 1 });
    expect(sample.phases['hop']!.ms).toBeCloseTo(10, 1);
  });

  test('too short for the clock is repeated until its error is 1 %', () => {
    const clock = new FakeClock(0.1);
    const taker = new SampleTaker(
      (workload) => new FakeRun(ringPlan(workload, 0.00131, 0.01), clock),
      clock,
    );
    const { phases } = taker.take(ring, 'actors/handler', () => {});
    expect(phases['hop']!.stretches).toBeGreaterThan(10);
    expect(clockErrorPercent(phases['hop']!, 0.1)).toBeLessThanOrEqual(1);
    expect(phases['hop']!.units).toBe(1000 * phases['hop']!.stretches);
  });

  test('of a ring repeats the building alone when only that is too short', () => {
    const clock = new FakeClock(0.1);
    const laps: number[] = [];
    const taker = new SampleTaker((workload) => {
      laps.push(workload.name === 'ring' ? workload.laps : -1);
      return new FakeRun(
        {
          ...ringPlan(workload, 0.05, 0.0123),
          phases: ringPlan(workload, 0.05, 0.0123).phases.filter(([name]) => name !== 'check'),
        },
        clock,
      );
    }, clock);
    const { phases } = taker.take(ring, 'actors/handler', () => {});
    expect(laps[0]).toBe(100);
    expect(laps.slice(1).every((n) => n === 0)).toBe(true);
    expect(phases['spawn']!.stretches).toBe(laps.length);
    expect(phases['hop']!.stretches).toBe(1);
  });

  test('with a very coarse clock ends all the same, and its error is known', () => {
    const clock = new FakeClock(100);
    const taker = new SampleTaker(
      (workload) => new FakeRun(ringPlan(workload, 0.01, 0), clock),
      clock,
    );
    const { phases } = taker.take(ring, 'actors/handler', () => {});
    expect(clock.ms).toBeLessThan(4000);
    expect(clockErrorPercent(phases['hop']!, 100) ?? 100).toBeGreaterThan(1);
  });

  test('sums spawn and stop over the same repetitions', () => {
    const clock = new FakeClock(0.1);
    const taker = new SampleTaker(
      () =>
        new FakeRun(
          {
            phases: [
              ['spawn', 1000, 0.001],
              ['stop', 1000, 0.0005],
            ],
          },
          clock,
        ),
      clock,
    );
    const { phases } = taker.take(spawn, 'actors/handler', () => {});
    expect(phases['spawn']!.stretches).toBe(phases['stop']!.stretches);
    expect(phases['spawn']!.ms / phases['stop']!.ms).toBeCloseTo(2, 0);
  });

  test('ends at the first run whose checks fail, and reports that one', () => {
    const clock = new FakeClock(1);
    let runs = 0;
    const bad = [{ name: 'hops', expected: 1000, counted: 10, ok: false }];
    const taker = new SampleTaker(
      (workload) =>
        new FakeRun(
          {
            ...ringPlan(workload, 0.0001, 0),
            report: ++runs === 3 ? { ok: false, checks: bad } : {},
          },
          clock,
        ),
      clock,
    );
    expect(taker.take(ring, 'actors/handler', () => {})).toMatchObject({ ok: false, checks: bad });
    expect(runs).toBe(3);
  });

  test('with a panic is not right, whatever its checks say', () => {
    const clock = new FakeClock(0.005);
    const failures = [{ actor: 'actor 3', message: 'boom', place: 'src/ring.rs:12' }];
    const taker = new SampleTaker(
      (workload) => new FakeRun({ ...ringPlan(workload, 1, 1), report: { failures } }, clock),
      clock,
    );
    expect(taker.take(ring, 'actors/handler', () => {})).toMatchObject({ ok: false, failures });
  });

  test('tells how far it is at most ten times a second', () => {
    const clock = new FakeClock(0.005);
    const taker = new SampleTaker(
      (workload) => new FakeRun(ringPlan(workload, 0.00001, 0), clock),
      clock,
    );
    const told: number[] = [];
    taker.take({ ...ring, laps: 10_000_000 }, 'actors/handler', () => told.push(clock.ms));
    expect(told.length).toBeGreaterThan(3);
    for (let i = 1; i < told.length; i++)
      expect(told[i]! - told[i - 1]!).toBeGreaterThanOrEqual(99.9);
  });

  test('works in slices of about 20 ms', () => {
    const clock = new FakeClock(0.005);
    const runs: FakeRun[] = [];
    const taker = new SampleTaker((workload) => {
      runs.push(new FakeRun(ringPlan(workload, 0.00001, 0), clock));
      return runs.at(-1)!;
    }, clock);
    taker.take({ ...ring, laps: 10_000_000 }, 'actors/handler', () => {});
    expect(runs[0]!.budgets.at(-2)! * 0.00001).toBeCloseTo(20, 0);
  });

  test('frees its runs, also when one throws', () => {
    const clock = new FakeClock(0.005);
    let freed = 0;
    const taker = new SampleTaker((workload) => {
      const run = new FakeRun(ringPlan(workload, 0.01, 1), clock);
      run.free = () => freed++;
      run.slice = () => {
        throw new Error('out of memory after 7 actors');
      };
      return run;
    }, clock);
    expect(() => taker.take(ring, 'actors/handler', () => {})).toThrow(
      'out of memory after 7 actors',
    );
    expect(freed).toBe(1);
  });

  test('of 0 laps has no time for hops', () => {
    const clock = new FakeClock(0.005);
    const taker = new SampleTaker(
      (workload) => new FakeRun(ringPlan(workload, 0.01, 1), clock),
      clock,
    );
    expect(
      taker.take({ ...ring, laps: 0 }, 'actors/handler', () => {}).phases['hop'],
    ).toBeUndefined();
  });
});

describe('a sample of runs that go on by themselves', () => {
  /** Works a moment later, as a promise does. */
  class LaterRun implements AsyncRun {
    readonly #run: FakeRun;
    constructor(run: FakeRun) {
      this.#run = run;
    }
    get phase() {
      return this.#run.phase;
    }
    get done() {
      return this.#run.done;
    }
    get total() {
      return this.#run.total;
    }
    async slice(budget: number): Promise<boolean> {
      await Promise.resolve();
      return this.#run.slice(budget);
    }
    report() {
      return this.#run.report();
    }
    free(): void {}
  }

  test('is the same as one of synchronous runs', async () => {
    for (const workload of [ring, { ...ring, laps: 0 }, spawn]) {
      const plan = ringPlan(workload, 0.01, 0.0123);
      const [one, other] = [new FakeClock(0.1), new FakeClock(0.1)];
      const start = new SampleTaker(() => new FakeRun(plan, one), one);
      const startLater = new AsyncSampleTaker(() => new LaterRun(new FakeRun(plan, other)), other);
      const sample = start.take(workload, 'actors/handler', () => {});
      expect(await startLater.take(workload, 'js/async', () => {})).toEqual(sample);
    }
  });

  test('tells how far it is', async () => {
    const clock = new FakeClock(0.005);
    const taker = new AsyncSampleTaker(
      (workload) => new LaterRun(new FakeRun(ringPlan(workload, 0.01, 0), clock)),
      clock,
    );
    const told: number[] = [];
    await taker.take({ ...ring, laps: 10_000 }, 'js/async', ({ done }) => told.push(done));
    expect(told.length).toBeGreaterThan(3);
  });

  test('frees its run when a slice rejects, and rejects with the same words', async () => {
    const clock = new FakeClock(0.005);
    let freed = 0;
    const taker = new AsyncSampleTaker(
      () =>
        Object.assign(new LaterRun(new FakeRun(ringPlan(ring, 1, 1), clock)), {
          slice: () => Promise.reject(new Error('the worker of actor 3 failed')),
          free: () => freed++,
        }),
      clock,
    );
    await expect(taker.take(ring, 'js/async', () => {})).rejects.toThrow(
      'the worker of actor 3 failed',
    );
    expect(freed).toBe(1);
  });
});

test('a synchronous sample is never waited for', () => {
  const clock = new FakeClock(0.005);
  const taker = new SampleTaker(() => {
    const run = new FakeRun(ringPlan(ring, 1, 1), clock);
    return Object.assign(run, { slice: (() => Promise.resolve(false)) as never });
  }, clock);
  expect(() => taker.take(ring, 'actors/handler', () => {})).toThrow('had to be waited for');
});
