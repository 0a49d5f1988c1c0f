/**
 * How many rounds take so long here: what a message of the workload `work` has to compute. Pure apart from the clock
 * and the code that is timed.
 */

import { type Clock, STEPS_PER_SAMPLE } from './sample';

/** For the engine to enter its better code. */
const WARM_UP_MS = 50;
const FIRST_ROUNDS = 1000;

/** Some are longer than they should be, since a machine does other things too: the median leaves them out. */
const TIMINGS = 7;
/** Short beside a turn on a busy machine. */
const SHORTEST_MS = 2;
/** By a coarse clock a timing lasts longer, up to so long, or so many of its steps. */
const LONGEST_MS = 30;
const FEWEST_STEPS = 10;

/** Grows to this at most: a clock that says that any number takes no time is of no use. */
const MOST_ROUNDS = 1e9;

const NO_TIME = 'the work of a message takes no time by this clock';

export function roundsFor(workNs: number, compute: (rounds: number) => void, clock: Clock): number {
  if (workNs === 0) return 0;
  const time = (rounds: number): number => {
    const start = clock.now();
    compute(rounds);
    return clock.now() - start;
  };
  const start = clock.now();
  let rounds = FIRST_ROUNDS;
  const longEnough = timingMs(clock.stepMs);
  for (;;) {
    // Both, since one may be long by chance.
    const isLong = Math.min(time(rounds), time(rounds)) >= longEnough;
    if (isLong && clock.now() - start >= WARM_UP_MS) break;
    if (!isLong) rounds *= 2;
    if (rounds > MOST_ROUNDS) throw new Error(NO_TIME);
  }
  const timings = Array.from({ length: TIMINGS }, () => time(rounds)).sort((a, b) => a - b);
  const nsPerRound = (timings[TIMINGS >> 1]! * 1e6) / rounds;
  if (!(nsPerRound > 0)) throw new Error(NO_TIME);
  return Math.max(1, Math.round(workNs / nsPerRound));
}

function timingMs(stepMs: number): number {
  const longest = Math.max(LONGEST_MS, FEWEST_STEPS * stepMs);
  return Math.min(longest, Math.max(SHORTEST_MS, STEPS_PER_SAMPLE * stepMs));
}
