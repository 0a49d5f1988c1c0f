/** How nanoseconds become rounds, on machines whose clock moves by work alone. */

import { expect, test } from 'vitest';
import { roundsFor } from '../../../www/calibrate';

/** Rounds take `nsPerRound`, ten times as much at first, and every `odd`-th call is disturbed. */
function machine(nsPerRound: number, stepMs: number, odd = Number.POSITIVE_INFINITY) {
  let ms = 0;
  let calls = 0;
  let longest = 0;
  const compute = (rounds: number): void => {
    calls++;
    const each = ms < 20 ? 10 * nsPerRound : nsPerRound;
    longest = Math.max(longest, rounds);
    ms += (rounds * each) / 1e6 + (calls % odd === 0 ? 50 : 0);
  };
  const now = (): number => {
    ms += 0.0001;
    return Math.floor(ms / stepMs) * stepMs;
  };
  return { compute, clock: { now, stepMs }, spent: () => ms, longest: () => longest };
}

test.each([
  [0.0001, 50, 25],
  [0.005, 50, 25],
  [0.1, 50, 25],
  [0.005, 10_000, 5000],
  [0.005, 10_000_000, 5_000_000],
])('with a clock of steps of %f ms %i ns are %i rounds of 2 ns', (stepMs, workNs, rounds) => {
  const { compute, clock, spent } = machine(2, stepMs);
  const found = roundsFor(workNs, compute, clock);
  expect(found).toBeGreaterThanOrEqual(Math.floor(0.98 * rounds));
  expect(found).toBeLessThanOrEqual(Math.ceil(1.02 * rounds));
  expect(spent()).toBeLessThan(1000);
});

test.each([1, 16.7, 100])(
  'a clock of steps of %f ms gives the order, and takes no longer than its steps make it',
  (stepMs) => {
    const { compute, clock, spent } = machine(2, stepMs);
    const found = roundsFor(1000, compute, clock);
    expect(found).toBeGreaterThan(430);
    expect(found).toBeLessThan(580);
    expect(spent()).toBeLessThan(400 * stepMs);
  },
);

test('what disturbs some timings is left out', () => {
  const { compute, clock } = machine(2, 0.005, 3);
  expect(roundsFor(1000, compute, clock)).toBeCloseTo(500, -1);
});

test('no work is no round, and any work is at least one', () => {
  const { compute, clock, spent } = machine(100, 0.005);
  expect(roundsFor(0, compute, clock)).toBe(0);
  expect(spent()).toBe(0);
  expect(roundsFor(1, compute, clock)).toBe(1);
});

test('a clock that doesn’t see rounds pass ends the run in words', () => {
  const { compute, longest } = machine(2, 1);
  const stuck = { now: () => 5, stepMs: 1 };
  expect(() => roundsFor(50, compute, stuck)).toThrow('takes no time by this clock');
  expect(longest()).toBeLessThanOrEqual(1e9);
});

test('a clock that goes backwards from whatever moment gives rounds or ends the run in words', () => {
  const outcomes = new Set<string>();
  for (let turn = 1; turn < 200; turn++) {
    const { compute, clock } = machine(2, 0.005);
    let readings = 0;
    const now = (): number => (++readings < turn ? clock.now() : -clock.now());
    try {
      expect(roundsFor(1000, compute, { now, stepMs: 0.005 })).toBeGreaterThan(0);
      outcomes.add('rounds');
    } catch (error) {
      outcomes.add((error as Error).message);
    }
  }
  expect(outcomes).toEqual(
    new Set(['rounds', 'the work of a message takes no time by this clock']),
  );
});
