import assert from 'node:assert/strict';
import {
  assertComplete,
  assertQuiet,
  CONTENDERS,
  checkOf,
  finish,
  openPage,
  runAddress,
  shows,
} from './page.mjs';

const THREADED = ['actors/threads', 'actors/threads-async'];

/** Two threads that did something, or one and the reason; whoever uses none has none. */
function assertThreads({ contender, threads, pool }) {
  const { asked, granted, used, reason } = threads;
  assert.equal(asked, 2);
  if (!THREADED.includes(contender)) {
    assert.deepEqual(
      { granted, used, reason, pool },
      { granted: 1, used: 1, reason: null, pool: null },
    );
  } else if (granted === 1) {
    assert.match(reason, /, so threads are off$/);
    assert.equal(pool, null);
  } else {
    assert.equal(reason, null);
    assert.ok(used >= 1 && used <= 2, `${used} used`);
    assert.equal(pool.hopsPerWorker.length, 2);
    assert.ok(pool.hopsPerWorker[0] + pool.hopsPerWorker[1] > 0, 'nobody did anything');
  }
}

const ALL = `contender=${CONTENDERS.join(',')}`;

export const tests = {
  'ring runs with every contender and every check holds': async ({ browser, site }) => {
    const served = await site();
    const search = `?workload=ring&actors=100&laps=1000&tokens=3&samples=3&${ALL}`;
    const results = await runAddress(browser, served, search);
    assert.deepEqual(
      results.map(({ contender }) => contender),
      CONTENDERS,
    );
    for (const result of results) {
      assertComplete(result);
      assert.deepEqual(Object.keys(result.measures).sort(), ['hop', 'memory', 'spawn']);
      assert.equal(checkOf(result, 'hops').expected, 100 * 1000 * 3);
      assert.equal(result.measures.hop.samples.length, 3);
      assert.ok(result.measures.hop, 'there is no hop');
      assert.equal(result.measures.memory === null, result.contender === 'floor');
    }
    await assertQuiet(browser);
  },

  'spawn runs with every contender and every check holds': async ({ browser, site }) => {
    const served = await site();
    const search = `?workload=spawn&actors=5000&samples=3&${ALL}`;
    const results = await runAddress(browser, served, search);
    assert.deepEqual(
      results.map(({ contender }) => contender),
      CONTENDERS,
    );
    for (const result of results) {
      assertComplete(result);
      const keys = Object.keys(result.measures).sort();
      assert.deepEqual(keys, ['memory', 'spawn', 'spawnStop', 'stop']);
      assert.ok(result.measures.spawnStop, 'there is no spawnStop');
      if (result.contender === 'floor') {
        assert.equal(result.measures.spawn, null);
        assert.equal(result.measures.stop, null);
        continue;
      }
      for (const name of ['started', 'stopped']) assert.equal(checkOf(result, name).counted, 5000);
    }
    await assertQuiet(browser);
  },

  'skynet and work run with every contender, on threads too, and every check holds': async ({
    browser,
    site,
  }) => {
    const served = await site();
    const contenders = [...CONTENDERS, ...THREADED];
    for (const [sizes, measure, check, units] of [
      ['workload=skynet&leaves=5000', 'leaf', 'sum of the leaves', (5000 * 4999) / 2],
      ['workload=work&actors=300&laps=40&tokens=7&work-ns=100', 'hop', 'hops', 300 * 40 * 7],
    ]) {
      const search = `?${sizes}&threads=2&samples=3&contender=${contenders.join(',')}`;
      const results = await runAddress(browser, served, search);
      assert.deepEqual(
        results.map(({ contender }) => contender),
        contenders,
      );
      for (const result of results) {
        assertComplete(result);
        assert.deepEqual(Object.keys(result.measures), [measure]);
        assert.equal(result.measures[measure].samples.length, 3);
        assert.equal(checkOf(result, check).counted, units);
        assertThreads(result);
      }
      const rounds = new Set(results.map(({ workload }) => workload.rounds));
      assert.equal(rounds.size, 1, 'all compute the same');
      if (measure === 'hop') assert.ok([...rounds][0] > 0, `${[...rounds][0]} rounds`);
    }
    await shows(browser, /a message with 100 ns of work/i);
    await assertQuiet(browser);
  },

  'rings of one and of two, and one of no laps, give their counts': async ({ browser, site }) => {
    const served = await site();
    for (const [actors, laps, hops] of [
      [1, 300_000, 300_000],
      [2, 100_000, 200_000],
      [5000, 0, 0],
    ]) {
      const search = `?workload=ring&actors=${actors}&laps=${laps}&samples=1&${ALL}`;
      const results = await runAddress(browser, served, search);
      for (const result of results) {
        assertComplete(result);
        assert.equal(checkOf(result, 'hops').counted, hops);
        if (laps === 0) assert.equal(result.measures.hop, null);
      }
    }
    await assertQuiet(browser);
  },

  'the preset of 2007 finishes at full size and is verified': async ({ browser, site }) => {
    const served = await site();
    const search = '?preset=erlang-2007&contender=actors/handler&samples=1';
    const [result] = await runAddress(browser, served, search, { timeout: 80_000 });
    assertComplete(result);
    assert.equal(result.preset, 'erlang-2007');
    assert.deepEqual(result.workload, { name: 'ring', actors: 30_000, laps: 1000, tokens: 1 });
    assert.equal(checkOf(result, 'hops').counted, 30_000_000);
    await assertQuiet(browser);
  },

  'window.ringspawn and the events are there for scripts': async ({ browser, site }) => {
    const served = await site({
      before: {
        page: () => {
          globalThis.events = [];
          document.addEventListener('ringspawn:result', ({ detail }) => {
            globalThis.events.push(detail);
          });
        },
      },
      files: { '/probe.js': 'globalThis.atModuleStart = { ...globalThis.ringspawn };' },
      // Modules run in their order, so this one sees what the page's own will.
      rewrite: (path, body) =>
        path === '/index.html'
          ? String(body).replace(
              '<script type="module"',
              '<script type="module" src="probe.js"></script>$&',
            )
          : undefined,
    });
    await openPage(browser, served, '?workload=ring&actors=300&laps=1000&samples=1');
    const before = await browser.evaluate(() => {
      const { schema, state, error, results, done } = globalThis.atModuleStart;
      return { schema, state, error, results, hasDone: 'then' in (done ?? {}) };
    });
    assert.equal(before.schema, 'ringspawn.result/1');
    assert.equal(before.state, 'idle');
    assert.equal(before.error ?? null, null);
    assert.deepEqual(before.results, []);

    const search = '?workload=ring&actors=300&laps=1000&samples=1';
    await openPage(browser, served, `${search}&autostart=1`);
    await browser.evaluate(async () => {
      await globalThis.ringspawn.done;
    });
    const results = await finish(browser);
    assert.equal(await browser.evaluate(() => globalThis.ringspawn.state), 'done');
    assert.equal(results.length, 2);
    const events = await browser.evaluate(() => globalThis.events);
    assert.deepEqual(events, results, 'an event for each result, with it as detail');
    // Plain copies: what a script does to them reaches nothing else.
    const own = await browser.evaluate(() => {
      globalThis.ringspawn.results[0].workload.actors = -1;
      return document.querySelector('ring-spawn').results[0].workload.actors;
    });
    assert.equal(own, 300);
    await assertQuiet(browser);
  },

  'the page is isolated, and the result says so': async ({ browser, site }) => {
    const search = '?workload=ring&actors=300&laps=3000&samples=1&contender=floor';
    const [isolated] = await runAddress(browser, await site(), search);
    assert.equal(isolated.environment.isolated, true);
    const [plain] = await runAddress(browser, await site({ headers: {} }), search);
    assert.equal(plain.environment.isolated, false);
    assertComplete(plain);
    const names = { chromium: 'Chromium', firefox: 'Firefox' };
    assert.equal(plain.environment.browser.name, names[browser.name] ?? 'WebKit');
    assert.ok(plain.environment.browser.version, 'the browser has no version');
    assert.ok(isolated.clock.stepMs <= plain.clock.stepMs, 'isolation makes the clock finer');
    await assertQuiet(browser);
  },
};
