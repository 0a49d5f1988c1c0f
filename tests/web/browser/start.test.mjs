import assert from 'node:assert/strict';
import { until, visibleText } from './page.mjs';

const AT_ONCE = { timeout: 2000 };

export const tests = {
  'without WebAssembly the page says so, with a way out': async ({ browser, site }) => {
    const served = await site({
      before: {
        page: () => {
          delete globalThis.WebAssembly;
        },
      },
    });
    await assertSays(browser, served.url, /WebAssembly.*Lockdown Mode.*another browser/s);
    await assertSays(browser, `${served.url}?autostart=1`, /WebAssembly.*Lockdown Mode/s);
    assert.equal(await browser.evaluate(() => globalThis.ringspawn.state), 'error');
    // What others measured can be read all the same.
    const posts = await browser.evaluate(() => document.body.textContent);
    assert.ok(posts.includes('Kilim'), 'the posts are gone');
  },

  'a worker without WebAssembly is named': async ({ browser, site }) => {
    const served = await site({
      before: {
        worker: () => {
          delete globalThis.WebAssembly;
        },
      },
    });
    await assertSays(browser, served.url, /WebAssembly/);
  },

  'a browser without module workers is told which it takes': async ({ browser, site }) => {
    for (const page of [throwAtModuleWorkers, failModuleWorkers, haveNoWorkers]) {
      const served = await site({ before: { page } });
      await assertSays(browser, served.url, /module workers.*Firefox 114/s);
      await assertSays(browser, `${served.url}?autostart=1`, /module workers.*Firefox 114/s);
      assert.equal(await browser.evaluate(() => globalThis.ringspawn.state), 'error');
    }
  },

  'opened from a file the page gives the command for a server': async ({ browser, site }) => {
    const { folder } = await site();
    await assertSays(browser, `${folder}/index.html`, /npx vite preview|python3 -m http\.server/);
  },

  'without scripts there is a text': async ({ browser, site }) => {
    // A frame without permission for scripts shows what a browser without them does,
    // and can still be looked into.
    const served = await site({
      files: { '/host.html': '<!doctype html><head></head><body></body>' },
    });
    await browser.open(`${served.url}host.html`);
    const text = await browser.evaluate(async () => {
      const frame = document.createElement('iframe');
      frame.sandbox = 'allow-same-origin';
      frame.src = './';
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      document.body.append(frame);
      await loaded;
      // biome-ignore lint/performance/useDomNodeTextContent: only what can be seen counts
      return frame.contentDocument.body.innerText;
    });
    assert.match(text, /turn them on|enable JavaScript/i);
  },
};

async function assertSays(browser, url, pattern) {
  await browser.open(url);
  const end = Date.now() + AT_ONCE.timeout;
  let text = await visibleText(browser);
  while (!pattern.test(text) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    text = await visibleText(browser);
  }
  assert.ok(pattern.test(text), `the page doesn't say ${pattern}`);
  // Nothing turns for ever.
  await until(
    browser,
    () => !document.querySelector('ring-spawn')?.shadowRoot?.querySelector('progress'),
  );
}

function throwAtModuleWorkers() {
  globalThis.Worker = new Proxy(globalThis.Worker, {
    construct: (Worker, [url, options]) => {
      if (options?.type === 'module') throw new TypeError('module scripts are not supported here');
      return new Worker(url, options);
    },
  });
}

/** As Firefox did before 114: a worker is there, and its script fails. */
function failModuleWorkers() {
  globalThis.Worker = new Proxy(globalThis.Worker, {
    construct: (Worker, [url, options]) => {
      const isModule = options?.type === 'module';
      return new Worker(isModule ? 'no-such-worker.js' : url, isModule ? {} : options);
    },
  });
}

function haveNoWorkers() {
  delete globalThis.Worker;
}
