/** How many instances and samples a run takes, and when it is over. */

import { breathe } from './breathe';
import { isNarrow, type Track } from './figures';
import type { Params } from './params';
import { ratioOf } from './ratios';
import { relativeWidth } from './stats';

/**
 * Intervals from 3 fresh instances held the truth in 75 to 87 of 100 simulated runs (see tests/web/unit/stats.test.ts
 * for how), those from 5 in 93 and more.
 */
const FEWEST_INSTANCES = 5;
const SAMPLES_PER_INSTANCE = 3;

/**
 * Without a number of samples, instances are added until the intervals are so narrow. They are looked at so seldom since
 * whoever stops at the first narrow one of many has picked a lucky one (86 of 100 then hold the truth, with this 91).
 */
const LOOKS: readonly number[] = [FEWEST_INSTANCES, 10, 20];
const NARROW_ENOUGH = 0.04;
const NARROW_RATIO = 0.06;

/** Instances above the fewest are added for so long, for each contender. A coarse clock makes every sample longer. */
const RUN_MS = 4000;
const RUN_MS_WITH_COARSE_CLOCK = 12_000;
const COARSE_STEP_MS = 0.5;

export class Plan {
  readonly #params: Params;
  #looks = 0;
  #longestInstanceMs = 0;
  #limitMs: number;

  constructor(params: Params) {
    this.#params = params;
    this.#limitMs = RUN_MS * params.contenders.length;
  }

  /** A guess at how many samples an instance gives, before the first one has been used. */
  get samplesOfFirst(): number {
    return this.#params.contenders.length * (1 + SAMPLES_PER_INSTANCE + 4);
  }

  setClockStep(stepMs: number): void {
    const each = stepMs >= COARSE_STEP_MS ? RUN_MS_WITH_COARSE_CLOCK : RUN_MS;
    this.#limitMs = each * this.#params.contenders.length;
  }

  instanceTook(ms: number): void {
    this.#longestInstanceMs = Math.max(this.#longestInstanceMs, ms);
  }

  /** How many samples the next fresh instance has to give of each; 0 when all is done. */
  async nextShare(active: readonly Track[], elapsedMs: number): Promise<number> {
    if (active.length === 0) return 0;
    const used = active[0]!.instances.length;
    const wanted = this.#params.samples;
    if (wanted !== null) {
      const instances = Math.min(wanted, FEWEST_INSTANCES);
      const left = wanted - Math.max(...active.map((track) => track.kept));
      return Math.ceil(left / Math.max(1, instances - used));
    }
    if (used < FEWEST_INSTANCES) return SAMPLES_PER_INSTANCE;
    const isOver = elapsedMs + this.#longestInstanceMs > this.#limitMs;
    return isOver || (await this.#isSettled(active, used)) ? 0 : SAMPLES_PER_INSTANCE;
  }

  /** A guess: intervals are seldom narrow at the first look. */
  get instances(): number {
    const { samples } = this.#params;
    if (samples !== null) return Math.min(samples, FEWEST_INSTANCES);
    const next = LOOKS[Math.min(Math.max(1, this.#looks), LOOKS.length - 1)]!;
    const fitting = Math.floor(this.#limitMs / Math.max(1, this.#longestInstanceMs));
    return Math.max(FEWEST_INSTANCES, Math.min(next, fitting));
  }

  /** Are all intervals narrow, now that it is time to look at them, or have enough instances been used? */
  async #isSettled(active: readonly Track[], used: number): Promise<boolean> {
    const next = LOOKS[this.#looks];
    if (next === undefined) return true;
    if (used < next) return false;
    this.#looks++;
    return this.#looks === LOOKS.length || this.#isNarrow(active);
  }

  async #isNarrow(active: readonly Track[]): Promise<boolean> {
    const { workload } = this.#params;
    for (const [i, track] of active.entries()) {
      if (!isNarrow(track, workload, NARROW_ENOUGH)) return false;
      for (const other of active.slice(0, i)) {
        await breathe();
        const summary = ratioOf(track, other, workload);
        const { ratio, ci95 } = summary ?? { ratio: 1, ci95: null };
        if (ci95 === null || relativeWidth(ci95, ratio) > NARROW_RATIO) return false;
      }
    }
    return true;
  }
}
