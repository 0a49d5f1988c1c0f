import { allHold } from './wasm.test.mjs';

const PACKAGE = new URL('../../../target/wasm-tests-threads-pkg', import.meta.url);
const THREADS = 3;

/** WebKit without shared memory has no threads. */
export const browsers = ['chromium', 'firefox', 'webkit'];

export const tests = {
  "the core's cases hold in wasm on many threads": ({ browser, site }) =>
    allHold(browser, site, PACKAGE, `?threads=${THREADS}`),
};
