import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  assertComplete,
  assertQuiet,
  fieldValue,
  openPage,
  runAddress,
  shows,
  until,
  visibleText,
} from './page.mjs';

const SMALL = '?workload=ring&actors=300&laps=1000&contender=actors/handler,floor&samples=7';
const ONE = '?workload=ring&actors=300&laps=1000&contender=floor&samples=1';

/** WebKit without shared memory does nothing else here. */
export const browsers = ['chromium', 'firefox', 'webkit'];

export const tests = {
  'every sample has its mark, and the words beside the picture name them': async ({
    browser,
    site,
  }) => {
    const results = await runAddress(browser, await site(), SMALL);
    for (const result of results) {
      assertComplete(result);
      const { hop } = result.measures;
      const { kinds, words, rows } = await browser.evaluate(readStrip, result.contender);
      const warmUps = result.warmUp.values?.length ?? 0;
      assert.deepEqual(kinds, { cold: 1, warmUp: warmUps, kept: hop.samples.length });
      assert.match(words, /^Samples of (handler actors|floor) in the order taken: /);
      assert.match(
        words,
        new RegExp(`; 7 kept samples from ${result.instances.length} fresh inst`),
      );
      if (warmUps > 0) assert.match(words, new RegExp(`; ${warmUps} warm-up samples?,`));
      // The table has each of them as a figure.
      const figures = rows.flat();
      assert.equal(figures.length, 1 + warmUps + hop.samples.length);
      assert.ok(
        figures.every((text) => /^[\d.]+ (ns|µs|ms|s)$/.test(text)),
        figures.join(),
      );
    }
    await assertQuiet(browser);
  },

  'a sentence says how sure the figure is, and ratios have their interval': async ({
    browser,
    site,
  }) => {
    const [handler] = await runAddress(browser, await site(), SMALL);
    const sure = await browser.evaluate(textOf, '#sure');
    assert.match(
      sure,
      /How sure: [\d.]+ [nµ]s a hop: half of 7 samples from \d fresh instances were below, and we are 95 % sure .*; the clock may be off by [\d.]+ %\./,
    );
    const { ratio, ci95 } = handler.ratios.find(({ to }) => to === 'floor');
    const row = await browser.evaluate(textOf, '[data-contender="actors/handler"] [data-ratio-to]');
    assert.ok(row.includes('× floor'), row);
    assert.ok(row.includes(String(Number(ratio.toPrecision(3)))), `${row} lacks ${ratio}`);
    assert.match(row, /[\d.]+ to [\d.]+/);
    assert.equal(row.includes('no difference shown'), ci95[0] <= 1 && ci95[1] >= 1);
    await assertQuiet(browser);
  },

  'a run with the page hidden is marked': async ({ browser, site }) => {
    const served = await site({
      before: {
        page: () => {
          Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
        },
      },
    });
    const [result] = await runAddress(browser, served, ONE);
    assert.ok(result.environment.hiddenSeconds > 0);
    const seconds = result.environment.hiddenSeconds.toFixed(1);
    await shows(browser, new RegExp(`page was hidden for ${seconds} s, not comparable`));
    await assertQuiet(browser);
  },

  'nothing stands between Run and the run but the browser’s own answer': async ({
    browser,
    site,
  }) => {
    const served = await site({
      before: {
        page: () => {
          // One that asks its user, who isn't there.
          Object.defineProperty(navigator, 'userAgentData', {
            value: { brands: [], getHighEntropyValues: () => new Promise(() => {}) },
          });
        },
      },
    });
    const [result] = await runAddress(browser, served, ONE);
    assertComplete(result);
    assert.equal(result.environment.hints, null);
    await assertQuiet(browser);
  },

  'hints are the browser’s own, or there are none': async ({ browser, site }) => {
    const [result] = await runAddress(browser, await site(), ONE);
    const offered = await browser.evaluate(
      async () =>
        (await navigator.userAgentData?.getHighEntropyValues(['platform', 'architecture'])) ?? null,
    );
    const { hints } = result.environment;
    assert.equal(hints?.platform, offered?.platform);
    assert.equal(hints?.architecture ?? '', offered?.architecture ?? '');
    await assertQuiet(browser);
  },

  'the page on measuring opens from the page, and leads back': async ({ browser, site }) => {
    await runAddress(browser, await site({ base: '/some/folder/' }), ONE);
    await browser.click('#sure a');
    await arrives(browser, () => location.pathname.endsWith('/some/folder/measuring.html'));
    const text = await shows(browser, /How it is measured/);
    for (const part of ['Kalibera', 'interleaved', 'workers/postmessage', 'Known limits'])
      assert.ok(text.includes(part), `it doesn't speak of ${part}`);
    const { font, overflow } = await browser.evaluate(() => ({
      font: getComputedStyle(document.querySelector('h1')).fontFamily,
      overflow: document.documentElement.scrollWidth > innerWidth,
    }));
    assert.match(font, /Charter/, 'it has no style');
    assert.equal(overflow, false);
    await assertQuiet(browser);
    await browser.click('main a');
    await arrives(browser, () => globalThis.ringspawn?.state === 'idle');
  },

  'the posts’ figures are there once': async ({ browser, site }) => {
    await openPage(browser, await site());
    assert.equal(await browser.evaluate(countRows), 30);
    assert.equal(await browser.evaluate(() => document.querySelectorAll('table').length), 1);
  },

  'the posts’ figures can be read from a file': async ({ browser, site }) => {
    const { folder } = await site();
    await browser.open(`${folder}/index.html`);
    await browser.click('#posts ~ details summary');
    const text = await visibleText(browser);
    assert.match(text, /Kilim.*100 × 1,000,000.*78,390 ms.*784 ns a hop/s);
    assert.equal(await browser.evaluate(countRows), 30);
    // With the page's style: a plain table would fill its width with nothing.
    assert.equal(
      await browser.evaluate(() => getComputedStyle(document.querySelector('td')).textAlign),
      'end',
    );
  },

  'the posts’ figures can be read without scripts': async ({ browser, site }) => {
    const served = await site({
      files: { '/host.html': '<!doctype html><head></head><body></body>' },
    });
    await browser.open(`${served.url}host.html`);
    const { text, scripts } = await browser.evaluate(async () => {
      const frame = document.createElement('iframe');
      frame.sandbox = 'allow-same-origin';
      frame.src = './';
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      document.body.append(frame);
      await loaded;
      const { body } = frame.contentDocument;
      body.querySelector('#posts ~ details').open = true;
      // biome-ignore lint/performance/useDomNodeTextContent: only what can be seen counts
      return { text: body.innerText, scripts: frame.contentWindow.ringspawn !== undefined };
    });
    assert.equal(scripts, false, 'scripts ran');
    assert.match(text, /Kilim.*100 × 1,000,000.*78,390 ms.*784 ns a hop/s);
  },

  'a worker for each of many actors is advised against, and set only when pressed': async ({
    browser,
    site,
  }) => {
    await openPage(browser, await site(), '?actors=1000&contender=workers/postmessage');
    await shows(browser, /worker for each of 1,000 actors.*20 show/is);
    assert.equal(await fieldValue(browser, '#actors'), '1000');
    await browser.click('#set-few-workers');
    await until(browser, () => location.search.includes('actors=20&'));
    assert.equal(await fieldValue(browser, '#actors'), '20');
    const state = await browser.evaluate(() => {
      const root = document.querySelector('ring-spawn').shadowRoot;
      return { focus: root.activeElement?.id, advice: root.querySelector('#few-workers') !== null };
    });
    assert.deepEqual(state, { focus: 'actors', advice: false });
    await assertQuiet(browser);
  },

  'a browser whose shadow roots adopt no style sheets shows the element styled': async ({
    browser,
    site,
  }) => {
    const served = await site({
      before: {
        page: () => {
          delete Document.prototype.adoptedStyleSheets;
          delete CSSStyleSheet.prototype.replace;
        },
      },
    });
    await openPage(browser, served, ONE);
    await until(browser, () => {
      const run = document.querySelector('ring-spawn').shadowRoot?.querySelector('#run');
      return run != null && getComputedStyle(run).fontWeight === '600';
    });
    await assertQuiet(browser);
  },

  'after a run nothing is wider than a narrow screen': async ({ browser, site }) => {
    await runAddress(browser, await site(), SMALL);
    await browser.resize(320, 700);
    try {
      await until(browser, () => {
        const root = document.querySelector('ring-spawn').shadowRoot;
        for (const details of root.querySelectorAll('details')) details.open = true;
        const widest = Math.max(
          ...[...root.querySelectorAll('.samples svg, table, dl, p, figcaption')].map(
            (element) => element.getBoundingClientRect().right,
          ),
        );
        return widest <= innerWidth && document.documentElement.scrollWidth <= innerWidth;
      });
    } finally {
      await browser.resize(1280, 800);
    }
    await assertQuiet(browser);
  },
};

/** As `until`, while one page gives way to another. */
async function arrives(browser, condition) {
  for (const end = Date.now() + 10_000; ; ) {
    if (await browser.evaluate(condition).catch(() => false)) {
      await until(browser, () => document.readyState === 'complete');
      return;
    }
    if (Date.now() > end) throw new Error(`not within 10 s: ${condition}`);
    await sleep(50);
  }
}

function readStrip(contender) {
  const root = document.querySelector('ring-spawn').shadowRoot;
  const strip = root.querySelector(`.samples[data-contender="${contender}"]`);
  const count = (kind) => strip.querySelectorAll(`.mark.${kind}`).length;
  const rows = root.querySelectorAll(`#samples-table [data-contender="${contender}"] td`);
  return {
    kinds: { cold: count('cold'), warmUp: count('warmUp'), kept: count('kept') },
    words: strip.querySelector('svg[role="img"]').getAttribute('aria-label'),
    rows: [...rows].map((row) => [...row.querySelectorAll('.number')].map((n) => n.textContent)),
  };
}

function textOf(selector) {
  const element = document.querySelector('ring-spawn').shadowRoot.querySelector(selector);
  return element.textContent.replace(/\s+/g, ' ').trim();
}

function countRows() {
  return document.querySelectorAll('.history th[scope="row"]').length;
}
