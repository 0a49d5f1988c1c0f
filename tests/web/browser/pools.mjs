// Pools of workers in the built page, as the engine opens them.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerThreads } from '../../../tools/browsers/worker-threads.mjs';

/** A worker that has been ended may take so long to go: Chromium gives one that is busy 2 s, and is slow on busy machines. */
const GONE_MS = 15_000;

/** Opens a pool for each number of threads, one after the other, and closes it; what each said of its threads. */
export function openPools(browser, sizes) {
  return browser.evaluate(async (all) => {
    await customElements.whenDefined('ring-spawn');
    const element = document.querySelector('ring-spawn');
    const outcomes = [];
    for (const threads of all) {
      const start = performance.now();
      const pool = await element.open(threads);
      outcomes.push({ ...pool.about.threads, ms: performance.now() - start });
      pool.close();
    }
    return outcomes;
  }, sizes);
}

/**
 * Runs `action` and asserts that afterwards no worker is left that wasn't there before. What comes back is how long
 * that took, in ms.
 */
export async function assertLeavesNone(action) {
  const before = await restingWorkers();
  await action(before);
  const start = Date.now();
  let left = workerThreads() - before;
  while (left > 0 && Date.now() - start < GONE_MS) {
    await sleep(50);
    left = workerThreads() - before;
  }
  assert.ok(left <= 0, `${left} workers are left`);
  return Date.now() - start;
}

/** Workers of the browser's own: those by which a page looks what it can do are gone when their number rests. */
async function restingWorkers() {
  let count = workerThreads();
  for (let looks = 0; looks < 10; looks++) {
    await sleep(50);
    if (workerThreads() === count) continue;
    count = workerThreads();
    looks = 0;
  }
  return count;
}
