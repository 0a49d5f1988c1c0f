import assert from 'node:assert/strict';
import { assertComplete, finish, openPage, runAddress, until } from './page.mjs';

const SHORT = '?workload=ring&actors=100&laps=1&samples=1&contender=actors/handler';
const LONGER = '?workload=ring&actors=1000&laps=2000&samples=1&contender=actors/handler';

/** WebKit without shared memory does nothing else here. */
export const browsers = ['chromium', 'firefox', 'webkit'];

export const tests = {
  'a run too short for a coarse clock has no figure': async ({ browser, site }) => {
    const served = await site({ before: { worker: inSteps1 } });
    const [result] = await runAddress(browser, served, SHORT);
    assert.equal(result.state, 'failed');
    assert.match(result.message, /too short for this clock/);
    assert.equal(result.measures.hop, null);
  },

  'a coarse clock is measured, and its error stands with the figure': async ({ browser, site }) => {
    for (const [step, worker] of [
      [1, inSteps1],
      [0.1, inTenths],
    ]) {
      const served = await site({ before: { worker } });
      const [result] = await runAddress(browser, served, LONGER);
      assertComplete(result);
      assert.ok(Math.abs(result.clock.stepMs - step) < step / 100, `${result.clock.stepMs} ms`);
      assert.ok(result.clock.errorPercent > 0 && result.clock.errorPercent <= 10);
      assert.equal(result.measures.hop.ci95, null, 'one sample has no interval');
    }
  },

  'a clock in steps of 100 ms ends with an honest statement': async ({ browser, site }) => {
    const served = await site({ before: { worker: inSteps100 } });
    const [result] = await runAddress(browser, served, LONGER);
    if (result.state === 'complete') {
      assertComplete(result);
      assert.ok(result.clock.errorPercent > 1 && result.clock.errorPercent <= 100);
    } else {
      assert.match(result.message, /too short for this clock/);
    }
  },

  'a clock that stands still is told': async ({ browser, site }) => {
    const served = await site({
      before: {
        worker: () => {
          performance.now = () => 5;
        },
      },
    });
    await openPage(browser, served, `${SHORT}&autostart=1`);
    await until(browser, () => globalThis.ringspawn.state === 'error');
    const error = await browser.evaluate(() => String(globalThis.ringspawn.error));
    assert.match(error, /clock does not advance/);
  },

  'a clock that is set back once costs a sample': async ({ browser, site }) => {
    const served = await site({ before: { worker: setBackOnce } });
    const [result] = await runAddress(browser, served, LONGER);
    assertComplete(result);
    assert.equal(result.measures.hop.samples.length, 1);
  },

  'a clock that is set back again and again ends the run in words': async ({ browser, site }) => {
    const served = await site({ before: { worker: setBackAlways } });
    await openPage(browser, served, `${LONGER}&autostart=1`);
    const [result] = await finish(browser);
    assert.equal(result.state, 'failed');
    assert.match(result.message, /clock was set back/);
    assert.equal(result.measures.hop, null);
  },
};

// These run in the worker, before its own script.

function inSteps100() {
  const now = performance.now.bind(performance);
  performance.now = () => Math.floor(now() / 100) * 100;
}

function inSteps1() {
  const now = performance.now.bind(performance);
  performance.now = () => Math.floor(now());
}

function inTenths() {
  const now = performance.now.bind(performance);
  performance.now = () => Math.floor(now() * 10) / 10;
}

/** By an hour, after the first reading of the first sample. */
function setBackOnce() {
  const now = performance.now.bind(performance);
  let isSampling = false;
  let back = 0;
  addEventListener('message', () => {
    isSampling = true;
  });
  performance.now = () => {
    const at = now() - back;
    if (isSampling) back = 3_600_000;
    return at;
  };
}

/** By another hour in each sample, after its first reading. */
function setBackAlways() {
  const now = performance.now.bind(performance);
  let isFirst = false;
  let back = 0;
  addEventListener('message', () => {
    isFirst = true;
  });
  performance.now = () => {
    const at = now() - back;
    if (isFirst) back += 3_600_000;
    isFirst = false;
    return at;
  };
}
