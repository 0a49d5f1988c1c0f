// npm run bench: the built page in each browser in turn, and one table.
// `node tools/bench.mjs --help` tells the options.

import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ArgumentError, HELP, jsonTarget, readOptions } from './bench/options.mjs';
import { completed, exitCode } from './bench/outcome.mjs';
import { table } from './bench/table.mjs';
import { serve } from './serve.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = fileURLToPath(new URL('../dist', import.meta.url));

/** Long beside any slice or sample start, short beside a night. */
const STALLED_MS = 120_000;
/** Looking at the page costs it next to nothing, and nothing in its worker. */
const LOOK_EVERY_MS = 500;

/** By default all but the fallback leg of WebKit. */
const MAIN_BROWSERS = ['chromium', 'firefox', 'webkit'];

const say = (line) => process.stderr.write(`${line}\n`);

async function main(args) {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const results = [];
  const write = jsonWriter(jsonTarget(args));
  try {
    write(results); // from the first moment, so that there is a file whatever happens
    await setUp();
    const { BROWSERS, installed } = await import('./browsers/index.mjs');
    const { loadParams } = await import('./bench/params.mjs');
    const rules = await loadParams();
    const options = readOptions(args, { ...rules, browsers: BROWSERS });
    const browsers = options.browsers ?? present(installed());
    await build();
    const rows = await runAll(browsers, options.params, rules.toSearch, (row) => {
      results.push(row.result);
      write(results);
    });
    const printed = table(rows, { markdown: options.markdown });
    (options.json === '-' ? process.stderr : process.stdout).write(`${printed}\n`);
    return exitCode(results);
  } catch (error) {
    say(error instanceof ArgumentError ? error.message : `bench: ${error.message}`);
    return 2;
  } finally {
    if (jsonTarget(args) === '-') process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  }
}

/** Writes the array anew each time; for stdout it is written once, at the end. */
function jsonWriter(target) {
  if (target === null || target === '-') return () => {};
  return (results) => {
    try {
      writeFileSync(target, `${JSON.stringify(results, null, 2)}\n`);
    } catch (error) {
      throw new ArgumentError(`--json “${target}” can't be written: ${error.message}`);
    }
  };
}

function present(found) {
  for (const name of MAIN_BROWSERS) {
    if (!found.includes(name)) say(`${name}: not installed, left out`);
  }
  const browsers = MAIN_BROWSERS.filter((name) => found.includes(name));
  if (browsers.length === 0) throw new Error('no browser is installed');
  return browsers;
}

/** One browser after the other: two at once would disturb each other. */
async function runAll(browsers, params, toSearch, onRow) {
  const rows = [];
  const server = await serve({ root: DIST });
  try {
    for (const [i, browser] of browsers.entries()) {
      const label = `${browser} (${i + 1} of ${browsers.length})`;
      say(`${label}: running ${params.contenders.join(', ')} …`);
      const start = Date.now();
      const url = `${server.url}${toSearch(params)}&autostart=1`;
      const { version, results, message } = await runIn(browser, url);
      for (const result of completed(results, { browser, version, params, message })) {
        const row = { browser, version, result };
        rows.push(row);
        onRow(row);
        if (result.state !== 'complete') say(`${label}: ${result.contender}: ${result.message}`);
      }
      say(`${label}: done after ${((Date.now() - start) / 1000).toFixed(1)} s`);
    }
  } finally {
    await server.close();
  }
  return rows;
}

/** What the page in this browser says; never throws, since other browsers wait. */
async function runIn(name, url) {
  const { launch } = await import('./browsers/index.mjs');
  let browser;
  let version = null;
  try {
    browser = await launch(name);
    version = browser.version;
    await browser.open(url);
    const { results, error } = await finished(browser);
    return { version, results, message: error ?? 'the page gave no result for it' };
  } catch (error) {
    return { version, results: [], message: error.message };
  } finally {
    await browser?.close();
  }
}

/** Waits until the page's run is over, however long, as long as it gets on. */
async function finished(browser) {
  let last = '';
  let changed = Date.now();
  for (;;) {
    const { state, progress } = await browser.evaluate(look);
    if (state === 'done' || state === 'error') {
      return browser.evaluate(() => ({
        results: globalThis.ringspawn.results,
        error: globalThis.ringspawn.error && String(globalThis.ringspawn.error),
      }));
    }
    if (progress !== last) {
      last = progress;
      changed = Date.now();
    } else if (Date.now() - changed > STALLED_MS) {
      throw new Error(`${browser.name}: no progress for ${STALLED_MS / 1000} s (${state})`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** In the page: its state, and anything that changes while a run gets on. */
function look() {
  const texts = [];
  const visit = (root) => {
    for (const bar of root.querySelectorAll('progress')) {
      texts.push(bar.value, bar.parentElement?.textContent);
    }
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(document);
  return { state: globalThis.ringspawn?.state ?? 'not loaded', progress: texts.join(' ') };
}

/** On a fresh clone even the npm packages are missing. */
async function setUp() {
  if (!existsSync(new URL('../node_modules/puppeteer-core', import.meta.url))) {
    await runTool('setup.mjs');
  }
}

const build = () => runTool('build.mjs');

/** Their words go to stderr, since stdout may be for JSON alone. */
function runTool(name) {
  const tool = fileURLToPath(new URL(name, import.meta.url));
  return new Promise((settled, failed) => {
    const child = spawn(process.execPath, [tool], { cwd: ROOT, stdio: ['ignore', 2, 2] });
    child.once('error', failed);
    child.once('exit', (code, signal) =>
      code === 0
        ? settled()
        : failed(new Error(`tools/${name} failed (${signal ?? `exit ${code}`})`)),
    );
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main(process.argv.slice(2));
}
