import assert from 'node:assert/strict';
import {
  assertComplete,
  assertQuiet,
  checkOf,
  fill,
  finish,
  openPage,
  runAddress,
  shows,
  until,
} from './page.mjs';

/** Hours of hops: it only ends by Stop. */
const LONG = '?workload=ring&actors=1000&laps=1000000000&samples=1&contender=actors/handler';
const SMALL = '?workload=ring&actors=10&laps=30000&samples=1&contender=actors/handler';

const isRunning = () => globalThis.ringspawn.state === 'running';
const isOver = () => globalThis.ringspawn.state === 'done';

export const tests = {
  'Stop ends a long run at once and says how far it got': async ({ browser, site }) => {
    const served = await site();
    await openPage(browser, served, LONG);
    await browser.click('#run');
    await until(browser, isRunning);
    await browser.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      // From the press itself, not from when the driver was asked for it.
      addEventListener('pointerdown', () => (globalThis.pressed = performance.now()), true);
      globalThis.ringspawn.done.then(() => (globalThis.ended = performance.now()));
    });
    await browser.click('#stop');
    await until(browser, isOver);
    const ms = await browser.evaluate(() => globalThis.ended - globalThis.pressed);
    assert.ok(ms < 500, `it took ${ms} ms`);

    const [result] = await finish(browser);
    assert.equal(result.state, 'stopped');
    assert.match(result.message, /^stopped at [\d,]{4,} hops of 1,000,000,000,000/);
    assert.ok(result.stoppedAt.done > 0);
    assert.equal(result.measures.hop, null, 'what was stopped is no full result');
    await shows(browser, /stopped at [\d,]{4,} hops/);

    // The next one works, on the same page.
    await fill(browser, '#laps', '10');
    await browser.click('#run');
    await until(browser, () => globalThis.ringspawn.results.length === 2);
    const next = (await finish(browser))[1];
    assertComplete(next);
    assert.equal(checkOf(next, 'hops').counted, 10_000);
    await assertQuiet(browser);
  },

  'the page paints and hears keys during a long run': async ({ browser, site }) => {
    const served = await site();
    await openPage(browser, served, LONG);
    await browser.click('#run');
    await until(browser, isRunning);
    await browser.evaluate(() => {
      globalThis.gaps = [];
      let last = performance.now();
      const frame = () => {
        const now = performance.now();
        globalThis.gaps.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      addEventListener('keydown', ({ key }) => (globalThis.heard = key));
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await browser.press('a');
    await until(browser, () => globalThis.heard === 'a', { timeout: 1000 });
    const gaps = await browser.evaluate(() => globalThis.gaps);
    // A busy machine delays some frames; a busy page thread delays nearly all of them.
    const late = gaps.filter((gap) => gap > 150);
    assert.ok(gaps.length > 10, `only ${gaps.length} frames in 1.5 s`);
    assert.ok(late.length <= gaps.length / 4, `${late.length} of ${gaps.length} frames came late`);
    await shows(browser, /hops [\d,]+ of 1,000,000,000,000/);
    await browser.click('#stop');
    await until(browser, isOver);
    await assertQuiet(browser);
  },

  'five clicks on Run in a moment give one run': async ({ browser, site }) => {
    const served = await site();
    await openPage(browser, served, '?workload=ring&actors=1000&laps=2000&samples=3');
    await browser.click('#run', { times: 5 });
    await finish(browser);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const results = await finish(browser);
    assert.equal(results.length, 2, 'one for each contender');
    for (const result of results) assertComplete(result);
    await assertQuiet(browser);
  },

  'a second run during one is refused, and Enter in a field does nothing': async ({
    browser,
    site,
  }) => {
    const served = await site();
    await openPage(browser, served, LONG);
    const refused = await browser.evaluate(async () => {
      const element = document.querySelector('ring-spawn');
      element.run();
      return element.run().then(
        () => 'it ran',
        (error) => error.message,
      );
    });
    assert.equal(refused, 'already running');
    await browser.click('#actors');
    await browser.press('Enter');
    await until(browser, isRunning);
    await browser.click('#stop');
    await until(browser, isOver);
    const results = await finish(browser);
    assert.equal(results.length, 1);
    assert.equal(results[0].state, 'stopped');
    await assertQuiet(browser);
  },

  'two elements on one page take turns': async ({ browser, site }) => {
    const served = await site();
    await openPage(browser, served, '?workload=ring&actors=1000&laps=3000&samples=3');
    const outcome = await browser.evaluate(async () => {
      const first = document.querySelector('ring-spawn');
      const second = document.createElement('ring-spawn');
      second.address = '?workload=ring&actors=300&laps=1000&samples=1&contender=floor';
      first.after(second);
      const runs = [first.run(), second.run()];
      await new Promise((resolve) => setTimeout(resolve, 300));
      const waits = second.shadowRoot.textContent.includes('waits');
      const states = [first.state, second.state];
      const results = await Promise.all(runs);
      return { waits, states, ended: results.flat().map(({ state }) => state) };
    });
    assert.deepEqual(outcome.states, ['running', 'waiting']);
    assert.ok(outcome.waits, 'the second says that it waits');
    assert.deepEqual(outcome.ended, ['complete', 'complete', 'complete']);
    await assertQuiet(browser);
  },

  'a trapped instance is named in words, and the next run gets a new one': async ({
    browser,
    site,
  }) => {
    const served = await site({ before: { worker: trapWhenThirteen } });
    const [broken] = await runAddress(browser, served, SMALL.replace('actors=10', 'actors=13'));
    assert.equal(broken.state, 'failed');
    assert.doesNotMatch(broken.message, /^unreachable/);
    assert.match(broken.message, /instance ended/);
    await shows(browser, /instance ended/);

    await fill(browser, '#actors', '10');
    await browser.click('#run');
    await until(browser, () => globalThis.ringspawn.results.length === 2);
    const next = (await finish(browser))[1];
    assertComplete(next);
    assert.equal(checkOf(next, 'hops').counted, 300_000);
  },

  "an actor's panic is shown with its place, and the next run is right": async ({
    browser,
    site,
  }) => {
    // How wasm attributes a panic is among the core's cases; here, that the page tells it.
    const served = await site({ before: { worker: panicWhenThirteen } });
    const [broken] = await runAddress(browser, served, SMALL.replace('actors=10', 'actors=13'));
    assert.equal(broken.state, 'failed');
    assert.equal(broken.checks.ok, false);
    assert.deepEqual(broken.failures, [
      { actor: 'actor 7', message: 'boom', place: 'src/workload/ring.rs:10:5' },
    ]);
    await shows(browser, /boom.*src\/workload\/ring\.rs:10:5/);

    await fill(browser, '#actors', '10');
    await browser.click('#run');
    await until(browser, () => globalThis.ringspawn.results.length === 2);
    assertComplete((await finish(browser))[1]);
    await assertQuiet(browser);
  },
};

/** In a worker: an instance whose run of 13 actors ends as a trap does. */
function trapWhenThirteen() {
  WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
    construct: (Instance, args) => {
      const exports = { ...new Instance(...args).exports };
      const { run_new: create, run_slice: slice } = exports;
      let isThirteen = false;
      exports.run_new = (name, length, sizes) => {
        isThirteen = sizes.actors === 13;
        return create(name, length, sizes);
      };
      exports.run_slice = (...rest) => {
        if (isThirteen) throw new WebAssembly.RuntimeError('unreachable');
        return slice(...rest);
      };
      return { exports };
    },
  });
}

/** In a worker: a sample of 13 actors reports that one of them panicked. */
function panicWhenThirteen() {
  const post = globalThis.postMessage.bind(globalThis);
  let isThirteen = false;
  addEventListener('message', ({ data }) => {
    isThirteen = data.workload?.actors === 13;
  });
  globalThis.postMessage = (message) => {
    if (isThirteen && message.type === 'sampled') {
      const place = 'src/workload/ring.rs:10:5';
      message.sample.ok = false;
      message.sample.failures = [{ actor: 'actor 7', message: 'boom', place }];
    }
    post(message);
  };
}
