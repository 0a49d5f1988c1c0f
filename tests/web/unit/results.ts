/** A whole result for tests that show one, with what a test cares for replaced. */

import type { Measure, Result } from '../../../www/result';

export const HOP: Measure = {
  unit: 'ns',
  cold: 14.2,
  median: 8.8,
  ci95: [8.7, 9],
  min: 8.7,
  max: 9,
  samples: [8.8, 8.7, 9, 8.8, 8.7, 8.9],
};

export function resultOf(change: Partial<Result> = {}): Result {
  return {
    schema: 'ringspawn.result/1',
    at: '2026-12-01T09:30:00Z',
    state: 'complete',
    message: null,
    workload: { name: 'ring', actors: 30_000, laps: 1000, tokens: 1 },
    preset: 'erlang-2007',
    contender: 'actors/handler',
    threads: { asked: 1, granted: 1, used: 1, reason: null },
    measures: { hop: HOP, spawn: null, memory: null },
    ratios: [],
    noise: null,
    coldToWarm: 1.6,
    checks: { ok: true, items: [] },
    failures: [],
    stoppedAt: null,
    instances: [2, 2, 2],
    warmUp: { samples: 3, agreed: true, values: [9.1] },
    clock: { stepMs: 0.005, errorPercent: 0.004 },
    pool: null,
    environment: {
      browser: { name: 'Chromium', version: '156.0' },
      engine: 'V8',
      cores: 2,
      isolated: true,
      hiddenSeconds: 0,
      hints: null,
      build: { version: '0.1.0', commit: 'abc1234', wasmBytes: 61_234 },
    },
    ...change,
  };
}
