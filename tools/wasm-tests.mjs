// Runs the runtime's conformance cases as wasm in Node; browsers run the same
// package later. `node tools/wasm-tests.mjs`, after `cargo run -p xtask -- wasm-tests`.

import './node-version.mjs';

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './process.mjs';

const PACKAGE = join(ROOT, 'target/wasm-tests-pkg');

const script = await import(pathToFileURL(join(PACKAGE, 'ringspawn_wasm_tests.js')).href);
const bytes = await readFile(join(PACKAGE, 'ringspawn_wasm_tests_bg.wasm'));
script.initSync({ module: await WebAssembly.compile(bytes) });

const names = script.cases();
const failed = [];
for (const [index, name] of names.entries()) {
  const begun = Date.now();
  try {
    await script.run_case(index);
    console.log(`  ✓ ${name} (${Date.now() - begun} ms)`);
  } catch (error) {
    failed.push(name);
    console.log(`  ✗ ${name}: ${error instanceof Error ? error.message : error}`);
  }
}
console.log(`\n${names.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 || names.length === 0 ? 1 : 0;
