import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Mailbox, start as startAsync } from '../../../www/contenders/async';
import { start as startTwin } from '../../../www/contenders/floor-twin';
import { start as startWorkers } from '../../../www/contenders/postmessage';
import { MessageQueue, start as startQueue } from '../../../www/contenders/queue';
import { startOf } from '../../../www/contenders/ring';
import type { RingWorkload, SpawnWorkload } from '../../../www/params';
import { initSync, Run as WasmRun } from '../../../www/pkg/ringspawn.js';
import type { Check } from '../../../www/result';
import type { AsyncRun, Run, RunReport } from '../../../www/sample';

type Workload = RingWorkload | SpawnWorkload;
type Start = (workload: Workload) => Run | AsyncRun;

const CONTENDERS: readonly (readonly [string, Start])[] = [
  ['js/queue', startQueue],
  ['js/async', startAsync],
];

const ring = (actors: number, laps: number, tokens = 1): RingWorkload => ({
  name: 'ring',
  actors,
  laps,
  tokens,
});
const spawn = (actors: number): Workload => ({ name: 'spawn', actors });

/** Runs it slice by slice; no phase may take more slices than it has units, with some to spare. */
async function runAll(
  start: Start,
  workload: Workload,
  budget = 1_000_000,
): Promise<{ report: RunReport; phases: string[] }> {
  const run = start(workload);
  const phases: string[] = [];
  try {
    for (let phase = run.phase; phase !== undefined; phase = run.phase) {
      phases.push(phase);
      for (let slices = 0; await run.slice(budget); slices++) {
        expect(run.done).toBeLessThanOrEqual(run.total);
        if (slices > 100_000) throw new Error(`the phase ${phase} doesn't end`);
      }
    }
    return { report: run.report(), phases };
  } finally {
    run.free();
  }
}

function counts(report: RunReport): Record<string, number> {
  return Object.fromEntries(report.checks.map(({ name, counted }) => [name, counted]));
}

function wrong(report: RunReport): Check[] {
  return report.checks.filter(({ ok }) => !ok);
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe.each(CONTENDERS)('%s', (_, start) => {
  test.each([
    [1, 1, 1],
    [1, 1000, 1],
    [2, 1, 1],
    [2, 500, 2],
    [3, 4, 1],
    [3, 4, 2],
    [3, 4, 3],
    [7, 11, 5],
    [100, 10, 100],
    [100, 100, 1],
    [1000, 20, 64],
    [5000, 2, 1],
  ])('counts every hop of a ring of %d, %d laps, %d tokens', async (actors, laps, tokens) => {
    const { report, phases } = await runAll(start, ring(actors, laps, tokens));
    const hops = actors * laps * tokens;
    expect(wrong(report)).toEqual([]);
    expect(report).toMatchObject({ ok: true, failures: [], memory: null });
    expect(counts(report)).toMatchObject({
      hops,
      'handled by actors': hops,
      'passes of tokens': hops,
      'laps that ended at home': laps * tokens,
      'texts whole': tokens,
      'tokens back': tokens,
      'actors with their share': actors,
      started: actors,
      failed: 0,
    });
    expect(report.units).toEqual({ spawn: actors, hop: hops });
    expect(phases).toEqual(['spawn', 'hop', 'check']);
  });

  test.each([
    [1, 1],
    [2, 2],
    [1000, 3],
  ])('a ring of %d and no laps does no hops', async (actors, tokens) => {
    const { report, phases } = await runAll(start, ring(actors, 0, tokens));
    expect(wrong(report)).toEqual([]);
    expect(counts(report)).toMatchObject({ hops: 0, 'tokens back': 0, started: actors });
    expect(report.units).toEqual({ spawn: actors });
    expect(phases).toEqual(['spawn', 'check']);
  });

  test.each([1, 2, 3, 255, 256, 257, 10_000])('spawns and stops %d actors', async (actors) => {
    const { report, phases } = await runAll(start, spawn(actors));
    expect(wrong(report)).toEqual([]);
    expect(counts(report)).toMatchObject({
      spawned: actors,
      started: actors,
      'alive at once': actors,
      stopped: actors,
      'stop messages handled': actors,
      'alive at the end': 0,
    });
    expect(report.units).toEqual({ spawn: actors, stop: actors });
    expect(phases).toEqual(['spawn', 'stop', 'check']);
  });

  test.each([1, 2, 3, 7, 64, 1000])('counts the same in slices of %d', async (budget) => {
    for (const workload of [ring(10, 30), ring(10, 30, 4), ring(10, 30, 10), spawn(700)])
      expect(wrong((await runAll(start, workload, budget)).report)).toEqual([]);
  });

  test('tells how far it is between slices', async () => {
    const run = start(ring(100, 100));
    while (run.phase === 'spawn') await run.slice(1000);
    expect([await run.slice(1000), run.done, run.total]).toEqual([
      true,
      expect.any(Number),
      10_000,
    ]);
    expect(run.done).toBeGreaterThanOrEqual(900);
    expect(run.done).toBeLessThanOrEqual(1100);
    run.free();
  });
});

test('an actor that throws is a failure with its message, and the others go on', async () => {
  const send = MessageQueue.prototype.send;
  let sends = 0;
  vi.spyOn(MessageQueue.prototype, 'send').mockImplementation(function (
    this: MessageQueue<unknown>,
    ...args
  ) {
    // Ten starts, the ring's closing, two launches; then an actor's own send.
    if (sends++ === 20) throw new Error('boom');
    send.apply(this, args);
  });
  const { report } = await runAll(startQueue, ring(10, 100, 2));
  expect(report.failures).toEqual([{ actor: 'an actor', message: 'boom', place: null }]);
  expect(counts(report)).toMatchObject({ failed: 1, 'tokens back': 1 });
});

test('an async function that throws is a failure, and its actor has ended', async () => {
  const receive = Mailbox.prototype.receive;
  let receives = 0;
  vi.spyOn(Mailbox.prototype, 'receive').mockImplementation(function (this: Mailbox<unknown>) {
    if (receives++ === 5) throw new Error('boom');
    return receive.call(this);
  });
  const { report } = await runAll(startAsync, spawn(10));
  expect(report.failures).toEqual([{ actor: 'an actor', message: 'boom', place: null }]);
  expect(counts(report)).toMatchObject({
    failed: 1,
    stopped: 10,
    'stop messages handled': 9,
  });
});

test('slices of js/async let the event loop in', async () => {
  const { port1, port2 } = new MessageChannel();
  const run = startAsync(ring(10, 1000));
  while (run.phase === 'spawn') await run.slice(1000);
  let heard: number | null = null;
  port1.onmessage = () => {
    heard ??= run.done;
  };
  port2.postMessage('let me in');
  while (run.phase === 'hop') await run.slice(100);
  port1.close();
  run.free();
  expect(heard).toBeLessThan(1000);
});

test('where workers can start no workers, workers/postmessage says so', () => {
  vi.stubGlobal('Worker', undefined);
  expect(() => startWorkers(spawn(2))).toThrow('needs workers that can start workers');
});

test.each([
  [7, 3, [0, 2, 4]],
  [10, 10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  [5_000_000, 4_999_999, null],
])(
  'token k of a ring of %d with %d tokens starts at ⌊k · actors / tokens⌋',
  (actors, tokens, all) => {
    const workload = ring(actors, 1, tokens);
    const last = tokens - 1;
    expect(BigInt(startOf(last, workload))).toBe((BigInt(last) * BigInt(actors)) / BigInt(tokens));
    if (all !== null) expect(all.map((_, k) => startOf(k, workload))).toEqual(all);
  },
);

describe('a broken ring', () => {
  /** Lets so many messages through, and drops the next one; the one behind a lap is the 2nd lap's first. */
  function dropAfter(target: { send: (...args: never[]) => void }, sends: number): void {
    const send = target.send;
    let left = sends;
    vi.spyOn(target, 'send').mockImplementation(function (this: unknown, ...args: never[]) {
      if (left-- !== 0) send.apply(this, args);
    });
  }

  const BROKEN = [
    // Actors start by a message in js/queue; then come the ring's closing, the launch, and the first lap.
    ['js/queue', startQueue, MessageQueue.prototype, 10 + 1 + 1 + 10],
    ['js/async', startAsync, Mailbox.prototype, 1 + 1 + 10],
  ] as const;

  test.each(BROKEN)(
    'of %s that drops its token after lap 1 fails with both numbers',
    async (_, start, target, sends) => {
      dropAfter(target as never, sends);
      const { report } = await runAll(start, ring(10, 100));
      expect(report.ok).toBe(false);
      const bad = wrong(report);
      expect(bad).toContainEqual({ name: 'hops', expected: 1000, counted: 10, ok: false });
      expect(bad).toContainEqual({ name: 'tokens back', expected: 1, counted: 0, ok: false });
      expect(bad).toContainEqual({
        name: 'actors with their share',
        expected: 10,
        counted: 0,
        ok: false,
      });
    },
  );
});

describe('in the same run', () => {
  beforeAll(() => {
    const wasm = new URL('../../../www/pkg/ringspawn_bg.wasm', import.meta.url);
    initSync({ module: readFileSync(wasm) });
  });

  const inWasm =
    (contender: string): Start =>
    (workload) =>
      new WasmRun(contender, workload as RingWorkload | SpawnWorkload);

  const SIZES = [
    ring(1, 1),
    ring(1, 1000),
    ring(2, 500, 2),
    ring(3, 4, 2),
    ring(7, 11, 5),
    ring(503, 20),
    ring(1000, 5, 1000),
    ring(100, 0),
    spawn(1),
    spawn(2),
    spawn(10_000),
  ];

  test.each(SIZES)('the floor and its twin count the same: %o', async (workload) => {
    const floor = await runAll(inWasm('floor'), workload, 777);
    const twin = await runAll(startTwin, workload, 777);
    expect(twin.report.ok).toBe(true);
    expect(twin.report.checks).toEqual(floor.report.checks);
    expect(twin.report.units).toEqual(floor.report.units);
    expect(twin.phases).toEqual(floor.phases);
  });

  /** The runtime in Rust has one actor more, the tally, which JavaScript does without; the messages differ too. */
  const comparable = ({ checks }: RunReport): readonly Check[] =>
    checks.filter(({ name }) => name !== 'started' && !name.startsWith('sent'));

  test.each(SIZES)('the contenders in JavaScript count what actors do: %o', async (workload) => {
    const actors = await runAll(inWasm('actors/handler'), workload);
    for (const [, start] of CONTENDERS) {
      const { report, phases } = await runAll(start, workload);
      expect(comparable(report)).toEqual(comparable(actors.report));
      expect(report.checks.map(({ name }) => name)).toEqual(
        actors.report.checks.map(({ name }) => name),
      );
      expect(report.units).toEqual(actors.report.units);
      expect(phases).toEqual(actors.phases);
    }
  });
});
