// Pools of workers where there can be threads: how they start, fail and end.

import assert from 'node:assert/strict';
import { workerThreads } from '../../../tools/browsers/worker-threads.mjs';
import { assertComplete, assertQuiet, finish, openPage, runAddress, shows } from './page.mjs';
import { assertLeavesNone, openPools } from './pools.mjs';

/** Whole in the soak, a tenth in each test run. */
const LOADS = process.env.RINGSPAWN_SOAK ? 100 : 10;
/** Far more than one takes. */
const LOAD_MS = 9000;

/** Well below what a pool that doesn't start is waited for. */
const AT_ONCE_MS = 2500;

/** WebKit without shared memory has none: see threads-off.test.mjs. */
export const browsers = ['chromium', 'firefox', 'webkit'];

export const tests = {
  'every load of the page can start a pool of as many threads as are asked for': inAsManyLoads(
    async ({ browser, site }) => {
      const served = await site();
      const sizes = Array.from({ length: LOADS }, (_, i) => [2, 1, 2, 4][i % 4]);
      await assertLeavesNone(async () => {
        for (const asked of sizes) {
          await openPage(browser, served);
          const [{ ms: _, ...threads }] = await openPools(browser, [asked]);
          assert.deepEqual(threads, { asked, granted: asked, reason: null });
          await assertQuiet(browser);
        }
      });
    },
  ),

  'a pool has a worker for each thread, a leader and a watcher, and none is left when it is closed':
    async ({ browser, site }) => {
      await openPage(browser, await site());
      await assertLeavesNone(async (before) => {
        await openPool(browser, 3);
        assert.equal(workerThreads() - before, 5);
        await browser.evaluate(() => globalThis.pool.close());
      });
    },

  'samples are taken on pools, and 20 of them leave no worker behind': async ({
    browser,
    site,
  }) => {
    await openPage(browser, await site());
    await assertLeavesNone(async () => {
      const samples = await browser.evaluate(async () => {
        const job = {
          workload: { name: 'ring', actors: 100, laps: 100, tokens: 4 },
          contender: 'actors/threads',
        };
        const samples = [];
        for (let i = 0; i < 20; i++) {
          const pool = await document.querySelector('ring-spawn').open(2);
          samples.push(await pool.sample(job, () => {}));
          pool.close();
        }
        return samples;
      });
      assert.equal(samples.length, 20);
      for (const { ok, checks } of samples) {
        assert.ok(ok);
        assert.equal(checks.find(({ name }) => name === 'hops').counted, 40_000);
      }
    });
    await assertQuiet(browser);
  },

  'every workload runs on threads in both styles, every check right': async ({ browser, site }) => {
    const served = await site();
    for (const search of [
      '?workload=ring&actors=1000&laps=20&tokens=4',
      '?workload=spawn&actors=3000',
      '?workload=skynet&leaves=3000',
      '?workload=work&actors=500&laps=5&tokens=8&work-ns=50',
    ]) {
      const address = `${search}&samples=1&threads=2&contender=actors/threads,actors/threads-async`;
      const results = await runAddress(browser, served, address);
      assert.equal(results.length, 2);
      for (const result of results) {
        assertComplete(result);
        const { used, ...threads } = result.threads;
        assert.deepEqual(threads, { asked: 2, granted: 2, reason: null });
        assert.ok(used === 1 || used === 2, `${used} were used`);
        assert.equal(result.pool.hopsPerWorker.length, 2);
      }
    }
    await assertQuiet(browser);
  },

  'a run compares one thread and many, each with its own wasm': async ({ browser, site }) => {
    const served = await site();
    const search =
      '?workload=work&actors=1000&laps=20&tokens=64&samples=3&threads=2&contender=actors/threads,actors/handler';
    await assertLeavesNone(async () => {
      const [threads, handler] = await runAddress(browser, served, search);
      for (const result of [threads, handler]) assertComplete(result);
      assert.equal(threads.threads.granted, 2);
      assert.equal(handler.threads.granted, 1);
      assert.equal(handler.pool, null);
      assert.equal(threads.workload.rounds, handler.workload.rounds);
      assert.ok(threads.environment.build.wasmBytes > handler.environment.build.wasmBytes);
      assert.equal(threads.ratios[0].to, 'actors/handler');
    });
    await assertQuiet(browser);
  },

  'Stop ends a run on threads at once and says how far it got': async ({ browser, site }) => {
    const search = '?workload=ring&actors=1000&laps=1000000000&tokens=4&samples=1&threads=2';
    await openPage(browser, await site(), `${search}&contender=actors/threads`);
    await assertLeavesNone(async () => {
      await browser.click('#run');
      await shows(browser, /hops [\d,]{4,} of 4,000,000,000,000/);
      const ms = await browser.evaluate(async () => {
        const start = performance.now();
        const { shadowRoot } = document.querySelector('ring-spawn');
        shadowRoot.querySelector('#stop').click();
        await globalThis.ringspawn.done;
        return performance.now() - start;
      });
      assert.ok(ms < 500, `it took ${ms} ms`);
      const [result] = await finish(browser);
      assert.equal(result.state, 'stopped');
      assert.match(result.message, /^stopped at [\d,]{4,} hops of 4,000,000,000,000/);
      assert.equal(result.threads.granted, 2);
    });
    await assertQuiet(browser);
  },

  'a worker whose script isn’t there is known at once, and one thread stands in': async ({
    browser,
    site,
  }) => {
    for (const [name, words] of [
      ['ringspawn pool', /^a worker of the pool could not be loaded/],
      ['ringspawn leader', /^the worker that leads the pool could not be loaded/],
      ['ringspawn watcher', /^the watcher of the pool could not be loaded/],
    ]) {
      const page = `(${loseScript})(${JSON.stringify(name)})`;
      await openPage(browser, await site({ before: { page } }));
      await assertLeavesNone(async () => {
        const [{ asked, granted, reason, ms }] = await openPools(browser, [2]);
        assert.deepEqual([asked, granted], [2, 1]);
        assert.match(reason, words);
        assert.match(reason, /, so threads are off$/);
        assert.ok(ms < AT_ONCE_MS, `it took ${ms} ms`);
      });
    }
  },

  'a server’s page in place of the wasm for threads is named, and one thread stands in': async ({
    browser,
    site,
  }) => {
    const served = await site({
      rewrite: (path) => (/threads_bg.*\.wasm$/.test(path) ? '<!doctype html>' : undefined),
    });
    await openPage(browser, served);
    await assertLeavesNone(async () => {
      const [{ granted, reason, ms }] = await openPools(browser, [2]);
      assert.equal(granted, 1);
      assert.match(reason, /http:\S+\.wasm is not a wasm file.*<!doctype html>/);
      assert.ok(ms < AT_ONCE_MS, `it took ${ms} ms`);
    });
  },

  'a pool whose leader waits for ever gives way to one thread after 5 s': async ({
    browser,
    site,
  }) => {
    const before = { page: shortenFiveSeconds, worker: joinInWordsOnly };
    await openPage(browser, await site({ before }));
    await assertLeavesNone(async () => {
      const [{ granted, reason, ms }] = await openPools(browser, [2]);
      assert.equal(granted, 1);
      assert.equal(reason, 'a pool of 2 threads did not start within 5 s, so threads are off');
      assert.ok(ms >= 500, `it took only ${ms} ms`);
    });
  },

  'a run on threads tells how far it is four times a second, and ends by itself when stopped':
    async ({ browser, site }) => {
      await openPage(browser, await site());
      let outcome;
      const ms = await assertLeavesNone(async () => {
        outcome = await browser.evaluate(async () => {
          const pool = await document.querySelector('ring-spawn').open(2);
          const workload = { name: 'ring', actors: 1000, laps: 1_000_000_000, tokens: 4 };
          const told = [];
          const sampling = pool.sample({ workload, contender: 'actors/threads' }, (progress) =>
            told.push(progress),
          );
          await new Promise((resolve) => setTimeout(resolve, 2000));
          pool.close();
          return { told, rejection: await sampling.catch((error) => error.message) };
        });
      });
      // Chromium takes 2 s to end workers that don't end by themselves.
      assert.ok(ms < 2000, `its workers took ${ms} ms to end`);
      const { told, rejection } = outcome;
      assert.equal(rejection, 'the pool was ended');
      assert.ok(told.length >= 4 && told.length <= 10, `it told ${told.length} times`);
      const last = told.at(-1);
      assert.equal(last.phase, 'hop');
      assert.equal(last.total, 4e12);
      assert.ok(last.done > told[0].done && last.done < last.total, JSON.stringify(told));
      assert.ok(last.phaseMs > 1000 && last.phaseMs < 10_000, `${last.phaseMs} ms`);
    },

  'a pool ends when its page is left': async ({ browser, site }) => {
    const served = await site();
    await openPage(browser, served);
    await assertLeavesNone(async () => {
      await openPool(browser, 4);
      await browser.open(`${served.url}measuring.html`);
    });
  },

  'what threads need loads when a contender runs on them': async ({ browser, site }) => {
    const served = await site();
    const loaded = () => served.requests.filter(({ path }) => /leader-|threads_bg/.test(path));
    const search = '?workload=ring&actors=10&laps=100&samples=1&contender=actors/handler,floor';
    for (const result of await runAddress(browser, served, search)) assertComplete(result);
    assert.deepEqual(loaded(), []);
    await openPools(browser, [1]);
    assert.equal(loaded().length, 2);
    await assertQuiet(browser);
  },
};

/** A test that may take longer the more loads it has. */
function inAsManyLoads(test) {
  return Object.assign(test, { timeout: LOADS * LOAD_MS });
}

/** Leaves the pool in the page, as `pool`. */
async function openPool(browser, threads) {
  await browser.evaluate(async (count) => {
    await customElements.whenDefined('ring-spawn');
    globalThis.pool = await document.querySelector('ring-spawn').open(count);
  }, threads);
}

/** In the page: the script of workers of this name is at an address where nothing is. */
function loseScript(name) {
  globalThis.Worker = new Proxy(globalThis.Worker, {
    construct: (Worker, [url, options]) =>
      new Worker(options?.name === name ? 'no-such-worker.js' : url, options),
  });
}

/** In the page: a deadline of 5 s is over after half of one. */
function shortenFiveSeconds() {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (action, ms, ...rest) =>
    setTimeout(action, ms === 5000 ? 500 : ms, ...rest);
}

/** In a worker of a pool: says that it has joined, and does nothing. */
function joinInWordsOnly() {
  if (self.name !== 'ringspawn pool') return;
  addEventListener(
    'message',
    (event) => {
      event.stopImmediatePropagation();
      const { leader } = event.data;
      leader.onmessage = () => leader.postMessage('joined');
    },
    true,
  );
}
