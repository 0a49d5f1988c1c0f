// node tools/browsers/test.mjs [--browsers NAMES] [--grep TEXT] [--dist FOLDER]
//
// Runs tests/web/browser/*.test.mjs over the built page in every engine. A
// browser that isn't there fails; nothing is skipped. One test after the other,
// since some assert how soon the page answers.
//
// A test file exports `tests`: { 'name that is a claim': async (context) => … },
// with context = { browser, launch, site } (see below). It may export `browsers` too:
// those it runs in, if another leg of the same engine would show nothing else.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { within } from './cleanup.mjs';
import { BROWSERS, launch } from './index.mjs';
import { serveForTests } from './site.mjs';

const TESTS = fileURLToPath(new URL('../../tests/web/browser', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const OUTPUT = fileURLToPath(new URL('../../test-output', import.meta.url));

const TEST_MS = 90_000;

const { values: options } = parseArgs({
  options: {
    browsers: { type: 'string', default: BROWSERS.join(',') },
    grep: { type: 'string', default: '' },
    dist: { type: 'string', default: DIST }, // another build, to see tests fail
  },
});
const unknown = options.browsers.split(',').find((name) => !BROWSERS.includes(name));
if (unknown !== undefined) {
  console.error(`unknown browser “${unknown}”; known are ${BROWSERS.join(', ')}`);
  process.exit(2);
}

const tests = await load(options.grep);
const failures = [];
let passed = 0;
for (const name of options.browsers.split(',')) await runIn(name);

console.log(`\n${passed} passed, ${failures.length} failed`);
for (const failure of failures) console.log(`  failed: ${failure}`);
if (passed + failures.length === 0) console.log(`no test's name contains “${options.grep}”`);
process.exit(failures.length > 0 || passed === 0 ? 1 : 0);

async function load(grep) {
  const files = readdirSync(TESTS).filter((file) => file.endsWith('.test.mjs'));
  const modules = await Promise.all(
    files.sort().map((file) => import(pathToFileURL(join(TESTS, file)))),
  );
  return modules
    .flatMap(({ tests, browsers = BROWSERS }) =>
      Object.entries(tests).map(([name, test]) => ({ name, test, browsers })),
    )
    .filter(({ name }) => name.includes(grep));
}

/** All tests share one browser, until one fails: the next gets a new one. */
async function runIn(name) {
  console.log(`\n${name}`);
  let browser;
  for (const { name: claim, test } of tests.filter(({ browsers }) => browsers.includes(name))) {
    const start = Date.now();
    const things = [];
    const keep = (thing) => {
      things.push(thing);
      return thing;
    };
    try {
      browser ??= await launch(name);
      const context = {
        browser,
        /** Another browser of the same engine, closed with the test. */
        launch: async (how) => keep(await launch(name, how)),
        /** Serves the built page, or `root`, until the test is over. */
        site: async (how = {}) => keep(await serveForTests({ root: options.dist, ...how })),
      };
      await within(test.timeout ?? TEST_MS, 'the test was not over', test(context));
      passed++;
      console.log(`  ✓ ${claim} (${Date.now() - start} ms)`);
    } catch (error) {
      failures.push(`${name}: ${claim}`);
      console.log(`  ✗ ${claim} (${Date.now() - start} ms)`);
      console.log(indented(error));
      await report(browser, `${name}-${failures.length}`);
      await browser?.close();
      browser = undefined;
    } finally {
      for (const thing of things) await thing.close();
    }
  }
  await browser?.close();
}

/** What the page looked like and said when a test failed. */
async function report(browser, file) {
  if (browser === undefined) return;
  mkdirSync(OUTPUT, { recursive: true });
  const path = join(OUTPUT, `${file}.png`);
  try {
    const lines = await within(5_000, 'no console', browser.console());
    for (const { level, text } of lines) console.log(`      console ${level}: ${text}`);
    await within(5_000, 'no screenshot', browser.screenshot(path));
    console.log(`      screenshot: ${path}`);
  } catch (error) {
    console.log(`      ${error.message}`);
  }
}

function indented(error) {
  return String(error?.stack ?? error).replace(/^/gm, '      ');
}
