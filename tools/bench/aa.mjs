// Does the engine find a difference where there is none? Runs one contender
// against itself, again and again, and counts the intervals of the ratio that
// hold 1. `node tools/bench/aa.mjs --help` tells the options.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { BROWSERS, launch } from '../browsers/index.mjs';
import { serve } from '../serve.mjs';
import { loadParams } from './params.mjs';
import { report } from './same.mjs';

const HELP = `node tools/bench/aa.mjs [options]

Runs one contender twice in one run, interleaved as two contenders would be, and
prints how many 95 % intervals of their ratio hold 1, and how wide they are. The
machine should be quiet; the wasm must be built (npm run build).

  --pairs N           how many such runs; by default 20
  --browser NAME      ${BROWSERS.join(', ')}; by default chromium
  --contender NAME    by default actors/handler
  --workload NAME     ring or spawn, with its sizes: --actors N --laps N --tokens N
  --preset NAME       instead of a workload
  --samples N         exactly N kept samples of each
  --json FILE         writes the results, two for each run

Exit code: 0 when at least 17 of 20 hold 1, and each is at most 10 % wide or says
that the machine was too noisy; else 1; 2 when it couldn't run.
`;

const WORKLOAD_OPTIONS = ['workload', 'preset', 'actors', 'laps', 'tokens', 'samples', 'contender'];

/** Longer than any run that somebody waits twenty times for. */
const RUN_MS = 600_000;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    pairs: { type: 'string', default: '20' },
    browser: { type: 'string', default: 'chromium' },
    json: { type: 'string' },
    ...Object.fromEntries(WORKLOAD_OPTIONS.map((name) => [name, { type: 'string' }])),
  },
});

async function main() {
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const { readPairs, readWhole } = await loadParams();
  const given = { contender: 'actors/handler', ...options };
  const { params, error } = readPairs(
    WORKLOAD_OPTIONS.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
  if (error !== null) throw new Error(error);
  const { value: pairs, reason } = readWhole(options.pairs);
  if (!(pairs > 0)) throw new Error(`--pairs “${options.pairs}” ${reason ?? 'is too few'}`);

  const runs = await runAll(params, pairs);
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify(runs.flat(), null, 2)}\n`);
  }
  const { text, ok } = report(runs);
  console.log(`\n${text}`);
  return ok ? 0 : 1;
}

async function runAll(params, pairs) {
  const runs = [];
  const server = await serve({ root: await buildPage() });
  const browser = await launch(options.browser, { timeout: RUN_MS });
  try {
    await browser.open(server.url);
    for (let i = 1; i <= pairs; i++) {
      const start = Date.now();
      const results = await browser.evaluate((what) => globalThis.runAgainstItself(what), params);
      runs.push(results);
      const took = ((Date.now() - start) / 1000).toFixed(1);
      console.log(`${i} of ${pairs}: ${report([results]).lines[0]} (${took} s)`);
    }
  } finally {
    await browser.close();
    await server.close();
  }
  return runs;
}

/** Beside the site, never in it. */
async function buildPage() {
  const outDir = fileURLToPath(new URL('../../target/aa-site', import.meta.url));
  await build({
    root: fileURLToPath(new URL('aa', import.meta.url)),
    configFile: false,
    base: './',
    logLevel: 'error',
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0 },
  });
  return outDir;
}

process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 2;
});
