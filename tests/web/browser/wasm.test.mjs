import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from './page.mjs';

const PACKAGE = fileURLToPath(new URL('../../../target/wasm-tests-pkg', import.meta.url));

const own = (name) => readFileSync(new URL(`wasm-cases/${name}`, import.meta.url), 'utf8');

export const tests = {
  "the core's cases hold in wasm": async ({ browser, site }) => {
    assert.ok(existsSync(PACKAGE), 'build them first: cargo run -p xtask -- wasm-tests');
    const { url } = await site({
      root: PACKAGE,
      files: Object.fromEntries(
        ['index.html', 'main.js', 'worker.js'].map((name) => [`/${name}`, own(name)]),
      ),
    });
    await browser.open(`${url}index.html`);
    await until(browser, () => globalThis.over, { timeout: 80_000 });
    const outcomes = await browser.evaluate(() => globalThis.outcomes);
    const failed = outcomes.filter(({ error }) => error !== null);
    assert.deepEqual(failed, [], `${failed.length} of ${outcomes.length} cases failed`);
    assert.ok(outcomes.length > 0, 'there were no cases');
  },
};
