// Pages that can have no threads: one thread stands in, and says why.

import assert from 'node:assert/strict';
import { assertComplete, assertQuiet, openPage, runAddress } from './page.mjs';
import { openPools } from './pools.mjs';

const isThreadsPackage = ({ path }) =>
  /\/(leader|pool-worker|watcher|ringspawn_threads)[\w-]*\./.test(path);

export const tests = {
  'a page that isn’t isolated says so, and loads nothing for threads': async ({
    browser,
    site,
  }) => {
    const served = await site({ headers: {} });
    await openPage(browser, served);
    const [threads] = await openPools(browser, [2]);
    assert.equal(threads.asked, 2);
    assert.equal(threads.granted, 1);
    assert.match(
      threads.reason,
      /^this page is not isolated \(it needs the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp\), so threads are off$/,
    );
    const search = '?workload=ring&actors=100&laps=100&samples=1&threads=2';
    const [result] = await runAddress(browser, served, `${search}&contender=actors/threads`);
    assertComplete(result);
    assert.deepEqual(result.threads, { asked: 2, granted: 1, used: 1, reason: threads.reason });
    assert.equal(result.pool, null);
    assert.deepEqual(served.requests.filter(isThreadsPackage), []);
    await assertQuiet(browser);
  },

  'every start without SharedArrayBuffer ends in one thread, and the reason': async ({
    browser,
    site,
  }) => {
    const served = await site({
      before: {
        page: () => {
          delete globalThis.SharedArrayBuffer;
        },
      },
    });
    await openPage(browser, served);
    const outcomes = await openPools(browser, Array(5).fill(2));
    for (const { granted, reason } of outcomes) {
      assert.equal(granted, 1);
      assert.equal(reason, 'this browser has no SharedArrayBuffer, so threads are off');
    }
    assert.deepEqual(served.requests.filter(isThreadsPackage), []);
    await assertQuiet(browser);
  },

  'a browser that grants no shared memory is taken at its word': async ({ browser, site }) => {
    const served = await site({
      before: {
        page: () => {
          // Where there is none the reason is another one.
          globalThis.SharedArrayBuffer ??= ArrayBuffer;
          WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
            construct: () => {
              throw new RangeError('could not allocate memory');
            },
          });
        },
      },
    });
    await openPage(browser, served);
    const [{ granted, reason }] = await openPools(browser, [2]);
    assert.equal(granted, 1);
    assert.match(reason, /^no shared memory was granted.*256 MiB \(could not allocate memory\)/);
    await assertQuiet(browser);
  },
};
