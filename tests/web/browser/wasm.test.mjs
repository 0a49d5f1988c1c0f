import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from './page.mjs';

const PACKAGE = new URL('../../../target/wasm-tests-pkg', import.meta.url);

const OWN = [
  'index.html',
  'main.js',
  'member.js',
  'run-cases.js',
  'start-workers.js',
  'worker-threads.js',
  'worker.js',
];

const own = (name) => readFileSync(new URL(`wasm-cases/${name}`, import.meta.url), 'utf8');

export const tests = {
  "the core's cases hold in wasm": ({ browser, site }) => allHold(browser, site, PACKAGE, ''),
};

/** Of one package, which the page runs on so many threads. */
export async function allHold(browser, site, folder, query) {
  const root = fileURLToPath(folder);
  assert.ok(existsSync(root), 'build them first: cargo run -p xtask -- wasm-tests');
  const files = Object.fromEntries(OWN.map((name) => [`/${name}`, own(name)]));
  const { url } = await site({ root, files });
  await browser.open(`${url}index.html${query}`);
  await until(browser, () => globalThis.over, { timeout: 80_000 });
  const outcomes = await browser.evaluate(() => globalThis.outcomes);
  const failed = outcomes.filter(({ error }) => error !== null);
  assert.deepEqual(failed, [], `${failed.length} of ${outcomes.length} cases failed`);
  assert.ok(outcomes.length > 0, 'there were no cases');
}
