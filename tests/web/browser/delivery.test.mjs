import assert from 'node:assert/strict';
import { assertComplete, assertQuiet, checkOf, runAddress, shows } from './page.mjs';

const SMALL = '?workload=ring&actors=100&laps=3000&samples=1&contender=actors/handler';

export const tests = {
  'wasm runs whatever MIME type or encoding it is served with': async ({ browser, site }) => {
    for (const how of [
      { types: { '.wasm': 'application/octet-stream' } },
      { types: { '.wasm': 'text/plain' } },
      { types: { '.wasm': null } },
      { gzip: ['.wasm'] },
    ]) {
      const served = await site(how);
      const [result] = await runAddress(browser, served, SMALL);
      assertComplete(result);
      assert.equal(checkOf(result, 'hops').counted, 300_000);
      const count = (end) => served.requests.filter(({ path }) => end.test(path)).length;
      // One request for each worker, and at most one more.
      const workers = count(/before-worker\.js$/);
      assert.ok(workers > 0 && count(/\.wasm$/) <= workers + 1, JSON.stringify(how));
      await assertQuiet(browser);
    }
  },

  "a server's page in place of wasm is named with what came": async ({ browser, site }) => {
    const served = await site({
      types: { '.wasm': 'text/html' },
      rewrite: (path) => (path.endsWith('.wasm') ? '<!doctype html><p>no such page' : undefined),
    });
    await assert.rejects(runAddress(browser, served, SMALL), /the page says/);
    const complaint = await browser.evaluate(() => globalThis.ringspawn.error);
    for (const part of [/http:\S+\.wasm/i, /text\/html/, /<!doctype html>/]) {
      assert.match(complaint, part);
      await shows(browser, part);
    }
  },

  'the site works from any folder, with nothing missing': async ({ browser, site }) => {
    const served = await site({ base: '/blog/demo/' });
    const [result] = await runAddress(browser, served, SMALL);
    assertComplete(result);
    // A host sends the address without the last slash on.
    const [again] = await runAddress(browser, { url: served.url.replace(/\/$/, '') }, SMALL);
    assertComplete(again);
    const wrong = served.requests.filter(
      ({ path, status, type }) =>
        status >= 400 || (/\.(js|wasm)(\?|$)/.test(path) && /html/.test(type)),
    );
    assert.deepEqual(wrong, []);
    await assertQuiet(browser);
  },
};
