import assert from 'node:assert/strict';
import {
  assertComplete,
  assertQuiet,
  checkOf,
  fieldValue,
  fill,
  finish,
  openPage,
  runAddress,
  shows,
  until,
} from './page.mjs';
import { withMemoryLimit } from './wasm-patch.mjs';

const MIB_64 = 1024;

const isOn = () =>
  !document.querySelector('ring-spawn').shadowRoot.querySelector('#threads').disabled;

export const tests = {
  'a bad address gets a sentence, and nothing runs': async ({ browser, site }) => {
    const served = await site();
    for (const [search, sentence] of [
      ['?actors=-5&laps=7', /actors .-5.*1 to 100,000,000/],
      ['?actors=1e3x', /actors .1e3x.*1 to 100,000,000/],
      ['?actors=0', /actors .0.*1 to 100,000,000/],
      ['?preset=erlang-2007&actors=3', /erlang-2007.*actors=3/],
      ['?preset=erlang-1907', /erlang-1907.*erlang-2007/],
      ['?contender=actors/nope', /actors\/nope.*actors\/handler/],
      ['?speed=9', /speed.*workload/],
      ['?workload=ring&tokens=5&actors=4', /tokens .5.*1 to 4/],
      ['?workload=skynet&actors=4', /the workload skynet has no actors/],
      ['?contender=actors/threads&threads=65', /threads .65.*1 to 64/],
    ]) {
      await openPage(browser, served, `${search}&autostart=1`);
      await until(browser, () => globalThis.ringspawn.state === 'error');
      assert.match(await browser.evaluate(() => globalThis.ringspawn.error), sentence);
      await shows(browser, new RegExp(sentence.source, 'i'));
      assert.deepEqual(await browser.evaluate(() => globalThis.ringspawn.results), []);
      // A script that waits for the run isn't left waiting.
      await browser.evaluate(async () => {
        await globalThis.ringspawn.done;
      });
    }
    await assertQuiet(browser);
  },

  'what a bad address said stays in the form, to be put right': async ({ browser, site }) => {
    const served = await site();
    await openPage(browser, served, '?actors=-5&laps=70000&samples=1&contender=floor');
    await shows(browser, /actors .-5/i);
    assert.equal(await fieldValue(browser, '#actors'), '-5');
    assert.equal(await fieldValue(browser, '#laps'), '70000');
    await fill(browser, '#actors', '5');
    await browser.click('#run');
    await until(browser, () => globalThis.ringspawn.results.length === 1);
    const [result] = await finish(browser);
    assertComplete(result);
    assert.equal(checkOf(result, 'hops').counted, 350_000);
    await assertQuiet(browser);
  },

  'a bad field gets a sentence, and what was typed and measured stays': async ({
    browser,
    site,
  }) => {
    const served = await site();
    const search = '?workload=ring&actors=300&laps=1000&samples=1&contender=floor';
    await runAddress(browser, served, search);
    await shows(browser, /message hop/);
    for (const [typed, sentence] of [
      ['1.5', /actors .1\.5.*1 to 100,000,000/i],
      ['', /actors .*empty.*1 to 100,000,000/i],
      ['99999999999999999999', /actors .9+.*1 to 100,000,000/i],
    ]) {
      await fill(browser, '#actors', typed);
      await browser.click('#run');
      await shows(browser, sentence);
      assert.equal(await fieldValue(browser, '#actors'), typed);
      await shows(browser, /message hop/);
    }
    assert.equal(await browser.evaluate(() => globalThis.ringspawn.results.length), 1);
    await fill(browser, '#actors', '20');
    await browser.press('Enter');
    await until(browser, () => globalThis.ringspawn.results.length === 2);
    assertComplete((await finish(browser))[1]);
    await assertQuiet(browser);
  },

  'the number of threads can be set where contenders use them, and the form says why not': async ({
    browser,
    site,
  }) => {
    const isOff = () =>
      document.querySelector('ring-spawn').shadowRoot.querySelector('#threads').disabled;
    const served = await site();
    await openPage(browser, served, '?workload=spawn&actors=100&samples=1&contender=floor');
    await shows(browser, /only threaded actors use them/);
    assert.equal(await browser.evaluate(isOff), true);
    await browser.click('#contender-actors-threads');
    const hasThreads = await browser.evaluate(
      () => globalThis.crossOriginIsolated && 'SharedArrayBuffer' in globalThis,
    );
    if (hasThreads) {
      await until(browser, isOn);
      await fill(browser, '#threads', '99');
      await browser.click('#run');
      await shows(browser, /threads .99.*1 to 64/i);
      assert.equal(await fieldValue(browser, '#threads'), '99');
      // It can be taken away, whatever else is chosen.
      await browser.click('#contender-actors-threads');
      assert.equal(await browser.evaluate(isOff), false);
      await fill(browser, '#threads', '');
      await until(browser, () => !location.search.includes('actors/threads'));
      assert.equal(await browser.evaluate(isOff), true);
      await browser.click('#contender-actors-threads');
      await until(browser, isOn);
      await fill(browser, '#threads', '2');
      assert.match(await browser.evaluate(() => location.search), /threads=2/);
    }
    const plain = await site({ headers: {} });
    await openPage(browser, plain, '?contender=actors/threads');
    await shows(browser, /run on one thread here, because this page is not isolated/);
    assert.equal(await browser.evaluate(isOff), true);
    await assertQuiet(browser);
  },

  'a size for phones is one press away': async ({ browser, site }) => {
    await openPage(browser, await site(), '?workload=skynet&contender=floor&samples=1');
    assert.equal(await fieldValue(browser, '#leaves'), '1000000');
    await browser.click('#size-choices button');
    assert.equal(await fieldValue(browser, '#leaves'), '100000');
    await browser.click('#run');
    await until(browser, () => globalThis.ringspawn.results.length === 1);
    const [result] = await finish(browser);
    assertComplete(result);
    assert.deepEqual(result.workload, { name: 'skynet', leaves: 100_000 });
    await assertQuiet(browser);
  },

  'more actors than memory can hold are refused in words': async ({ browser, site }) => {
    const served = await site();
    for (const [workload, contender] of [
      ['spawn', 'actors/async'],
      ['ring', 'actors/handler'],
    ]) {
      const search = `?workload=${workload}&actors=100000000&samples=1&contender=${contender}`;
      const [result] = await runAddress(browser, served, search);
      assert.equal(result.state, 'failed');
      assert.match(result.message, /100,000,000 actors.* largest .*[\d,]{9,} actors/);
      await shows(browser, /largest number here is [\d,]{9,} actors/);
      await fill(browser, '#actors', '1000');
      await browser.click('#run');
      await until(browser, () => globalThis.ringspawn.results.length === 2);
      assertComplete((await finish(browser))[1]);
    }
    await assertQuiet(browser);
  },

  'memory that ends in the middle of a run is counted, and the next run is right': async ({
    browser,
    site,
  }) => {
    const served = await site({
      rewrite: (path, body) => (path.endsWith('.wasm') ? withMemoryLimit(body, MIB_64) : undefined),
    });
    for (const contender of ['actors/handler', 'actors/async', 'floor']) {
      const search = `?workload=spawn&actors=3000000&samples=1&contender=${contender}`;
      const [result] = await runAddress(browser, served, search);
      assert.equal(result.state, 'failed');
      if (contender === 'floor') {
        // It has no books and no way back: the sentence is all there is.
        assert.match(result.message, /out of memory/);
      } else {
        const [, count] = /^out of memory after ([\d,]+) actors$/.exec(result.message) ?? [];
        assert.ok(count, `“${result.message}” gives no count`);
        const actors = Number(count.replaceAll(',', ''));
        assert.ok(actors > 50_000 && actors < 3_000_000, `${actors} can't be right`);
      }
      await shows(browser, /out of memory/);
      await fill(browser, '#actors', '1000');
      await browser.click('#run');
      await until(browser, () => globalThis.ringspawn.results.length === 2);
      assertComplete((await finish(browser))[1]);
    }
    await assertQuiet(browser);
  },
};
