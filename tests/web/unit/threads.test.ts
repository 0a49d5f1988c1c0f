import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Sampler } from '../../../www/measure';
import type { FromLeader, FromMember, ToLeader, ToMember } from '../../../www/protocol';
import type { Listener, Role, StartWorker } from '../../../www/remote-sampler';
import type { PoolNumbers, SampleProgress } from '../../../www/sample';
import { sumOfPools } from '../../../www/sample';
import {
  LeaderBoard,
  MemberBoard,
  makeBoard,
  PageBoard,
  WatcherBoard,
} from '../../../www/threads/board';
import {
  grantMemory,
  makeSharedMemory,
  obstacle,
  reasonAgainst,
  type Surroundings,
  threadsFor,
  usesThreads,
  withoutThreads,
} from '../../../www/threads/capability';
import { endAllPools, openPool } from '../../../www/threads/pool-sampler';
import { BYTES } from './fake-samplers';

const FINE: Surroundings = {
  isIsolated: true,
  hasSharedMemory: true,
  hasModuleWorkers: true,
  // A small one, so that tests take no address space.
  makeMemory: () => makeSharedMemory({ initial: 1, maximum: 1 }),
};

describe('whether there can be threads', () => {
  test('nothing is in the way of an isolated page with shared memory and module workers', () => {
    expect(obstacle(FINE)).toBeNull();
    expect(reasonAgainst(FINE)).toBeNull();
  });

  test.each([
    [{ isIsolated: false }, /not isolated.*Cross-Origin-Opener-Policy: same-origin.*require-corp/],
    [{ hasSharedMemory: false }, /no SharedArrayBuffer/],
    [{ hasModuleWorkers: false }, /no module workers/],
    // The first reason is the one that somebody can do something about.
    [{ isIsolated: false, hasSharedMemory: false }, /not isolated/],
  ])('%o is said in words, and no memory is tried', (changes, words) => {
    const makeMemory = vi.fn(FINE.makeMemory);
    const reason = reasonAgainst({ ...FINE, ...changes, makeMemory });
    expect(reason).toMatch(words);
    expect(reason).toMatch(/, so threads are off$/);
    expect(makeMemory).not.toHaveBeenCalled();
  });

  const refusingAbove =
    (most: number, tried: number[]): Surroundings['makeMemory'] =>
    ({ maximum }) => {
      tried.push(maximum);
      if (maximum > most) throw new RangeError('could not allocate memory');
      return FINE.makeMemory({ initial: 1, maximum: 1 });
    };

  test.each([
    [16_384, [16_384]],
    [8192, [16_384, 8192]],
    [4096, [16_384, 8192, 4096]],
  ])('the largest memory of the ladder that is granted is taken: of %d pages', (most, sizes) => {
    const tried: number[] = [];
    expect(grantMemory(refusingAbove(most, tried))).toBeInstanceOf(WebAssembly.Memory);
    expect(tried).toEqual(sizes);
    expect(reasonAgainst({ ...FINE, makeMemory: refusingAbove(most, []) })).toBeNull();
  });

  test('when none is granted, the least and what the browser said are named', () => {
    const tried: number[] = [];
    expect(() => grantMemory(refusingAbove(0, tried))).toThrow(/no shared memory.*256 MiB/);
    expect(tried).toHaveLength(3);
    const reason = reasonAgainst({ ...FINE, makeMemory: refusingAbove(0, []) });
    expect(reason).toMatch(
      /^no shared memory.*256 MiB \(could not allocate memory\), so threads are off$/,
    );
  });

  test('whatever goes wrong becomes a reason', () => {
    expect(withoutThreads(new Error('no luck'))).toBe('no luck, so threads are off');
    expect(withoutThreads('none')).toBe('none, so threads are off');
  });

  test('threads are as many as cores when nobody said, and at most 8', () => {
    expect([null, 1, 2, 8, 9, 128].map(threadsFor)).toEqual([1, 1, 2, 8, 8, 8]);
  });

  test('contenders on threads are known by their names', () => {
    const names = ['actors/threads', 'actors/threads-async', 'actors/async', 'floor'];
    expect(names.map(usesThreads)).toEqual([true, true, false, false]);
  });
});

describe('a board', () => {
  const COUNTS = 1024;
  const STOP = 8192;

  function boards() {
    const memory = makeSharedMemory({ initial: 1, maximum: 2 });
    const buffer = makeBoard();
    const count = (worker: number, messages: bigint) => {
      new BigUint64Array(memory.buffer)[(COUNTS + 64 * worker) / 8] = messages;
    };
    return {
      memory,
      page: new PageBoard(buffer),
      leader: new LeaderBoard(buffer, memory),
      watcher: new WatcherBoard(buffer, memory),
      member: new MemberBoard(buffer),
      words: new Int32Array(memory.buffer),
      count,
    };
  }

  test('shows how far the phase under way is, by what all workers received in it', () => {
    const { page, leader, watcher, count } = boards();
    expect(page.progress()).toBeNull();
    leader.showRun({ counts: COUNTS, stop: STOP });
    watcher.look();
    expect(page.progress()).toBeNull();
    leader.beginPhase('spawn', 100);
    expect(page.progress()).toMatchObject({ phase: 'spawn', done: 0, total: 100 });
    count(0, 40n);
    count(63, 20n);
    watcher.look();
    expect(page.progress()).toMatchObject({ phase: 'spawn', done: 60 });
    leader.beginPhase('hop', 1e15);
    expect(page.progress()).toMatchObject({ phase: 'hop', done: 0, total: 1e15 });
    count(63, 2n ** 40n);
    watcher.look();
    const { done, phaseMs } = page.progress()!;
    expect(done).toBe(2 ** 40 - 20);
    expect(phaseMs).toBeGreaterThanOrEqual(0);
    expect(phaseMs).toBeLessThan(10_000);
    leader.hideRun();
    expect(page.progress()).toBeNull();
  });

  test('never shows more than there is to do', () => {
    const { page, leader, watcher, count } = boards();
    leader.showRun({ counts: COUNTS, stop: STOP });
    leader.beginPhase('leaf', 100);
    count(0, 111n);
    watcher.look();
    expect(page.progress()).toMatchObject({ done: 100, total: 100 });
  });

  test('stops the run that is shown, and tells the leader', () => {
    const { page, leader, watcher, words } = boards();
    leader.showRun({ counts: COUNTS, stop: STOP });
    expect(leader.isStopped).toBe(false);
    page.stop();
    expect(leader.isStopped).toBe(true);
    // Returns, since it was told to.
    watcher.watch();
    expect(words[STOP / 4]).toBe(1);
  });

  test('writes nowhere in the memory of a leader without a run', () => {
    const { page, leader, watcher, words } = boards();
    leader.showRun({ counts: COUNTS, stop: STOP });
    leader.hideRun();
    page.stop();
    watcher.watch();
    expect(leader.isStopped).toBe(true);
    expect(words.every((word) => word === 0)).toBe(true);
  });

  test('reaches what is beyond the former end of a memory', () => {
    const { memory, page, leader, watcher } = boards();
    expect(memory.buffer.byteLength).toBe(65_536);
    memory.grow(1);
    leader.showRun({ counts: 65_536, stop: 131_068 });
    leader.beginPhase('hop', 10);
    new BigUint64Array(memory.buffer)[65_536 / 8] = 5n;
    watcher.look();
    expect(page.progress()).toMatchObject({ done: 5 });
    watcher.stopRun();
    expect(new Int32Array(memory.buffer)[131_068 / 4]).toBe(1);
  });

  test('tells when all that were in the pool have left it', () => {
    const { page, member } = boards();
    expect(page.isLeft).toBe(true);
    member.join();
    member.join();
    member.leave();
    expect(page.isLeft).toBe(false);
    member.leave();
    expect(page.isLeft).toBe(true);
  });
});

/** Workers that do as a test says. */
class FakeWorkers {
  readonly started: Role[] = [];
  ended = 0;
  leader: Listener<FromLeader> | null = null;
  readonly told: ToLeader[] = [];
  readonly members: Listener<FromMember>[] = [];
  board: SharedArrayBuffer | null = null;
  onStart = (_: Role): void => {};
  /** What the leader does once it has all that it needs; by default the pool starts. */
  onStarting = (): void => this.ready(this.leader!);
  /** What all do when the pool is to end. */
  onEnd = (): void => {
    for (const member of this.members) member.hear({ type: 'left', message: 'unreachable' });
    this.leader!.hear({ type: 'ended' });
  };
  /** Do they leave the pool at once when it is to end? */
  leaves = true;

  readonly start: StartWorker = (role, listener) => {
    this.onStart(role);
    this.started.push(role);
    const end = () => {
      this.ended++;
      return undefined;
    };
    if (role === 'leader') {
      const leader = listener as Listener<FromLeader>;
      this.leader = leader;
      queueMicrotask(() => leader.hear({ type: 'loaded' }));
      return { post: (message) => this.#lead(message as ToLeader), end };
    }
    if (role === 'one-thread') {
      queueMicrotask(() => this.ready(listener as Listener<FromLeader>));
      return { post: () => {}, end };
    }
    const member = listener as Listener<FromMember>;
    this.members.push(member);
    queueMicrotask(() => member.hear({ type: 'loaded' }));
    return { post: (message) => (message as ToMember).leader.close(), end };
  };

  #lead(message: ToLeader): void {
    this.told.push(message);
    if (message.type === 'lead') {
      this.board = message.board;
      const member = new MemberBoard(message.board);
      for (const port of [...message.workers, message.watcher]) {
        port.close();
        member.join();
      }
      queueMicrotask(() => {
        this.leader!.hear({ type: 'starting' });
        this.onStarting();
      });
    }
    if (message.type !== 'end') return;
    if (this.leaves) for (const _ of this.members) new MemberBoard(this.board!).leave();
    queueMicrotask(() => this.onEnd());
  }

  ready(listener: Listener<FromLeader>): void {
    const about = { clockStepMs: 0.005, wasmBytes: 1, bytesPerActor: BYTES };
    listener.hear({ type: 'ready', about });
  }

  get toldTypes(): string[] {
    return this.told.map(({ type }) => type);
  }
}

const JOB = {
  workload: { name: 'ring', actors: 10, laps: 10, tokens: 1 },
  contender: 'actors/handler',
} as const;

describe('a pool', () => {
  let workers: FakeWorkers;
  const open = (threads = 3, reason: string | null = null): Promise<Sampler> =>
    openPool(workers.start, reason, threads);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    workers = new FakeWorkers();
  });
  afterEach(async () => {
    endAllPools();
    await vi.runOnlyPendingTimersAsync();
    vi.useRealTimers();
  });

  test('has a leader, as many workers as were asked for, and a watcher', async () => {
    const { about } = await open(3);
    expect(about.threads).toEqual({ asked: 3, granted: 3, reason: null });
    expect(workers.started).toEqual(['leader', 'pool', 'pool', 'pool', 'watcher']);
    expect(workers.toldTypes).toEqual(['lead']);
  });

  test('is not tried where there can be none: no worker is made but the one that stands in', async () => {
    const { about } = await open(2, 'not here');
    expect(about.threads).toEqual({ asked: 2, granted: 1, reason: 'not here' });
    expect(workers.started).toEqual(['one-thread']);
  });

  test('that never starts gives way to one thread after 5 s, and none of its workers is left', async () => {
    workers.onStarting = () => {};
    workers.onEnd = () => {};
    const opening = open(3);
    let isOpen = false;
    opening.then(() => {
      isOpen = true;
    });
    await vi.advanceTimersByTimeAsync(4900);
    expect(isOpen).toBe(false);
    await vi.advanceTimersByTimeAsync(600);
    const { about } = await opening;
    expect(about.threads).toEqual({
      asked: 3,
      granted: 1,
      reason: 'a pool of 3 threads did not start within 5 s, so threads are off',
    });
    expect(workers.started.at(-1)).toBe('one-thread');
    expect(workers.ended).toBe(5);
  });

  test('a worker that can’t be loaded is known at once, and one thread stands in', async () => {
    workers.onStarting = () => workers.members[1]!.fail(new Error('no such file'));
    const opening = open(2);
    // What ends by itself does so at once.
    await vi.advanceTimersByTimeAsync(10);
    const { about } = await opening;
    expect(about.threads).toMatchObject({
      granted: 1,
      reason: 'no such file, so threads are off',
    });
    expect(workers.ended).toBe(4);
  });

  test('a leader that can’t be loaded, and workers that can’t be made, likewise', async () => {
    workers.onStart = (role) => {
      if (role === 'pool') throw new Error('no more workers');
    };
    const { about } = await open();
    expect(about.threads.reason).toBe('no more workers, so threads are off');
    expect(workers.ended).toBe(1);

    workers = new FakeWorkers();
    workers.onStarting = () => workers.leader!.fail(new Error('no leader'));
    const opening = open(2);
    await vi.advanceTimersByTimeAsync(400);
    expect((await opening).about.threads.reason).toBe('no leader, so threads are off');
    expect(workers.ended).toBe(4);
  });

  test('a member that breaks during a sample ends it, in words', async () => {
    for (const [member, words] of [
      [1, 'a worker of the pool ended: stack overflow'],
      [2, 'the watcher of the pool ended: stack overflow'],
    ] as const) {
      workers = new FakeWorkers();
      const pool = await open(2);
      const sampling = pool.sample(JOB, () => {});
      workers.members[member]!.hear({ type: 'left', message: 'stack overflow' });
      await expect(sampling).rejects.toThrow(words);
      pool.close();
      await vi.advanceTimersByTimeAsync(300);
    }
  });

  test('that is closed ends by itself, is then ended, and the next one waits for it', async () => {
    const pool = await open(2);
    const sampling = pool.sample(JOB, () => {});
    pool.close();
    expect(workers.ended).toBe(0);
    await expect(sampling).rejects.toThrow('the pool was ended');
    const next = open(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(workers.ended).toBe(4);
    expect(workers.toldTypes).toContain('end');
    await next;
  });

  test('that doesn’t end by itself is ended after 300 ms', async () => {
    workers.onEnd = () => {};
    const pool = await open(2);
    pool.close();
    await vi.advanceTimersByTimeAsync(299);
    expect(workers.ended).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(workers.ended).toBe(4);
  });

  test('ends on the spot when its page is left, once its workers have left it', async () => {
    const pool = await open(2);
    const sampling = pool.sample(JOB, () => {});
    endAllPools();
    expect(workers.toldTypes.at(-1)).toBe('end');
    expect(workers.ended).toBe(4);
    await expect(sampling).rejects.toThrow();
  });

  test('holds up who leaves its page for no longer than 300 ms', async () => {
    workers.leaves = false;
    await open(2);
    const start = performance.now();
    endAllPools();
    const ms = performance.now() - start;
    expect(ms).toBeGreaterThanOrEqual(299);
    expect(ms).toBeLessThan(2000);
    expect(workers.ended).toBe(4);
  });

  /** A run of the pool's leader, as its watcher sees it. */
  function run() {
    const memory = makeSharedMemory({ initial: 1, maximum: 1 });
    const leader = new LeaderBoard(workers.board!, memory);
    const watcher = new WatcherBoard(workers.board!, memory);
    leader.showRun({ counts: 1024, stop: 8192 });
    leader.beginPhase('hop', 1000);
    return (received: number) => {
      new BigUint64Array(memory.buffer)[128] = BigInt(received);
      watcher.look();
    };
  }

  test('tells how far a run is four times a second, and at last when it is stopped', async () => {
    const pool = await open(2);
    const told: SampleProgress[] = [];
    const sampling = pool.sample(JOB, (progress) => told.push(progress));
    sampling.catch(() => {});
    const receive = run();
    for (let second = 1; second <= 2; second++) {
      receive(100 * second);
      await vi.advanceTimersByTimeAsync(1000);
      expect(told).toHaveLength(4 * second);
      expect(told.at(-1)).toMatchObject({ phase: 'hop', done: 100 * second, total: 1000 });
    }
    receive(250);
    pool.close();
    expect(told.at(-1)).toMatchObject({ done: 250 });
    expect(new MemberBoard(workers.board!).isStopped).toBe(true);
  });

  test('a run that gets on is not taken for stuck, one that doesn’t is', async () => {
    const pool = await open(1);
    const outcome = vi.fn();
    pool.sample(JOB, () => {}).catch(outcome);
    const receive = run();
    for (let second = 0; second < 60; second++) {
      receive(second);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(outcome).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(outcome.mock.calls[0]![0].message).toMatch(/said nothing for 30 s/);
  });
});

describe('what a pool’s workers did', () => {
  const numbers: PoolNumbers = {
    hopsPerWorker: [1, 2],
    crossStrand: 3,
    steals: 4,
    parks: 5,
    used: 1,
  };

  test('is summed over runs', () => {
    expect(sumOfPools(numbers, { ...numbers, used: 2 })).toEqual({
      hopsPerWorker: [2, 4],
      crossStrand: 6,
      steals: 8,
      parks: 10,
      used: 2,
    });
    expect(sumOfPools(null, numbers)).toEqual(numbers);
    expect(sumOfPools(numbers, null)).toEqual(numbers);
    expect(sumOfPools(null, null)).toBeNull();
  });
});
