// node tools/browsers/screenshots.mjs OUTDIR [--browsers NAMES] [--address '?preset=…']
//
// The built page before and after a run, at 1280 and 360 pixels, light and dark:
// OUTDIR/chromium-1280-light-before.png and so on.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serve } from '../serve.mjs';
import { within } from './cleanup.mjs';
import { launch } from './index.mjs';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const RUN_MS = 120_000;

/** Small enough for three engines twice, large enough to be a true figure. */
const ADDRESS = '?preset=erlang-2007&contender=actors/handler,actors/async,floor&samples=6';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    browsers: { type: 'string', default: 'chromium,firefox,webkit' },
    address: { type: 'string', default: ADDRESS },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('give the folder that the pictures go to');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });

const server = await serve({ root: DIST });
for (const name of values.browsers.split(',')) {
  for (const colorScheme of ['light', 'dark']) {
    const browser = await launch(name, { colorScheme });
    try {
      await pictures(browser, colorScheme);
    } finally {
      await browser.close();
    }
  }
}
await server.close();

async function pictures(browser, colorScheme) {
  await browser.open(server.url + values.address);
  await atEachWidth(browser, `${colorScheme}-before`);
  await browser.click('#run');
  await within(RUN_MS, 'the run was not over', over(browser));
  await atEachWidth(browser, `${colorScheme}-after`);
}

async function over(browser) {
  for (;;) {
    const { state, error } = await browser.evaluate(() => {
      const { state, error } = globalThis.ringspawn;
      return { state, error };
    });
    if (state === 'done') return;
    if (state === 'error') throw new Error(`${browser.name}: ${error}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function atEachWidth(browser, when) {
  for (const width of [1280, 360]) {
    // As high as the page, since a viewport shows but its upper part.
    await browser.resize(width, 800);
    const height = await browser.evaluate(() => document.documentElement.scrollHeight);
    await browser.resize(width, Math.min(2400, Math.max(800, height)));
    await browser.evaluate(() => scrollTo(0, 0));
    await new Promise((resolve) => setTimeout(resolve, 300)); // the ruler follows the width
    const file = join(folder, `${browser.name}-${width}-${when}.png`);
    await browser.screenshot(file);
    console.log(file);
  }
}
