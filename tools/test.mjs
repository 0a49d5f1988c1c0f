// npm test: set-up, then every check there is. `npm test -- NAME…` runs only
// those, `npm run soak` (--soak) runs the long tests whole instead of a tenth.

import './node-version.mjs';

import { join } from 'node:path';
import { buildPackages, buildSite, buildWasm } from './build.mjs';
import { command, Refusal, ROOT, run, seconds } from './process.mjs';
import { setUp } from './setup.mjs';
import { blobAddresses, machinePaths, pathsOfThisMachine, wasmSizes } from './test/site.mjs';

/** The sanitizer's runtime comes with the toolchain on this platform. */
const ASAN_TARGET = 'x86_64-unknown-linux-gnu';
const hasAsan = process.platform === 'linux' && process.arch === 'x64';

const LOOM_TESTS = 'ringspawn-loom-tests';

/** The feature, in each package that has it. */
const THREADS = 'ringspawn/threads,ringspawn-wasm-tests/threads';
const WITH_THREADS = ['--features', THREADS];
/** What may not compile is asked of the whole runtime, so these tests always have them. */
const WITHOUT_THREADS = ['--exclude', 'ringspawn-compile-tests'];

const soak = process.argv.includes('--soak');
const cargo = (...args) => passes('cargo', args);
const node = (...args) => passes(process.execPath, args);
const clippy = (...args) =>
  cargo('clippy', '--workspace', '--all-targets', ...args, '--', '-D', 'warnings');
const rustTests = (...args) => cargo('test', ...args, ...(soak ? ['--release'] : []));
const xtask = (verb) => cargo('run', '-q', '-p', 'xtask', '--', verb);

/**
 * In this order: what is quick and what others build on comes first. Each runs
 * even when an earlier one failed, so that one run tells all.
 *
 * @type {Record<string, () => Promise<boolean>>}
 */
const CHECKS = {
  fmt: () => cargo('fmt', '--all', '--check'),
  biome: () => node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  clippy: async () => (await clippy(...WITHOUT_THREADS)) && clippy(...WITH_THREADS),
  doc: () =>
    passes('cargo', ['doc', '--workspace', '--no-deps', '--document-private-items'], {
      RUSTDOCFLAGS: '-D warnings',
    }),
  rust: async () =>
    (await rustTests('--workspace', '--exclude', LOOM_TESTS, ...WITHOUT_THREADS)) &&
    rustTests('--workspace', '--exclude', LOOM_TESTS, ...WITH_THREADS),
  // Optimised: they go through every order of events.
  loom: () => cargo('test', '--release', '-p', LOOM_TESTS),
  address: addressSanitizer,
  wasm: () => builds(buildPackages),
  'wasm-clippy': () => xtask('wasm-clippy'),
  'wasm-tests': wasmTests,
  tsc: typeCheck,
  vitest: () => node('node_modules/vitest/vitest.mjs', 'run'),
  site: () => builds(buildSite),
  'site-files': siteFiles,
  browsers: () => node('tools/browsers/test.mjs'),
};

command(async () => {
  const names = chosen(process.argv.slice(2).filter((arg) => arg !== '--soak'));
  if (soak) process.env.RINGSPAWN_SOAK = '1';
  const begun = Date.now();
  await setUp('test');
  const results = [];
  for (const name of names) results.push(await check(name));
  report(results, Date.now() - begun);
});

/** @param {string[]} args */
function chosen(args) {
  const known = Object.keys(CHECKS);
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown !== undefined) {
    throw new Refusal(`There is no check '${unknown}': there are ${known.join(', ')}.`);
  }
  return args.length > 0 ? known.filter((name) => args.includes(name)) : known;
}

/** @param {string} name */
async function check(name) {
  console.log(`\n=== ${name}`);
  const begun = Date.now();
  const ok = await CHECKS[name]().catch((error) => {
    console.error(error instanceof Refusal ? error.message : error);
    return false;
  });
  const ms = Date.now() - begun;
  console.log(`=== ${name}: ${ok ? 'passed' : 'FAILED'} (${seconds(ms)})`);
  return { name, ok, ms };
}

/** @param {{ name: string, ok: boolean, ms: number }[]} results @param {number} ms */
function report(results, ms) {
  console.log(`\nAll checks, ${seconds(ms)}:`);
  for (const { name, ok, ms: took } of results) {
    console.log(`  ${ok ? '✓' : '✗'} ${name.padEnd(12)} ${seconds(took)}`);
  }
  const failed = results.filter(({ ok }) => !ok);
  if (failed.length > 0) {
    console.log(`Failed: ${failed.map(({ name }) => name).join(', ')}`);
    process.exitCode = 1;
  }
  console.log(`\n${results.length - failed.length} passed, ${failed.length} failed`);
}

/** @param {string} program @param {string[]} args @param {Record<string, string>} [env] */
async function passes(program, args, env) {
  return (await run(program, args, { env, waiting: 'still at it' })) === 0;
}

/** @param {() => Promise<void>} build that throws what it can't do */
async function builds(build) {
  await build();
  return true;
}

/**
 * The tests that reach unsafe code, under the address sanitizer; a folder of its
 * own, since the flags differ.
 */
async function addressSanitizer() {
  if (!hasAsan) {
    console.log(`Not run: needs ${ASAN_TARGET}, and this is ${process.platform} ${process.arch}.`);
    return !process.env.CI;
  }
  const target = ['--target', ASAN_TARGET, '--target-dir', 'target/address'];
  // Optimised a little: without, the sanitized tests take twenty times as long.
  const profile = [
    ...['--config', 'profile.dev.package.ringspawn.opt-level=1'],
    ...['--config', 'profile.dev.debug="line-tables-only"'],
  ];
  const packages = ['-p', 'ringspawn', '-p', 'ringspawn-wasm-tests', '--features', THREADS];
  const args = [...profile, 'test', ...packages, '--lib', '--tests', ...target];
  return passes('cargo', args, {
    RUSTC_BOOTSTRAP: '1',
    RUSTFLAGS: '-Zsanitizer=address',
  });
}

async function wasmTests() {
  const folders = ['target/wasm-tests-pkg', 'target/wasm-tests-threads-pkg'];
  await buildWasm(
    'wasm-tests',
    folders.map((folder) => `${folder}/ringspawn_wasm_tests_bg.wasm`),
  );
  return node('tools/wasm-tests.mjs');
}

/** The page has a DOM, the worker has none, the command line tool has Node, and so have tests. */
async function typeCheck() {
  let ok = true;
  for (const name of ['', '.worker', '.node-cli', '.tools']) {
    const project = `tsconfig${name}.json`;
    console.log(project);
    ok = (await node('node_modules/typescript/bin/tsc', '-p', project)) && ok;
  }
  return ok;
}

async function siteFiles() {
  const dist = join(ROOT, 'dist');
  const paths = await machinePaths(dist, pathsOfThisMachine(ROOT));
  for (const path of paths) console.log(`a path of this machine in dist: ${path}`);
  const blobs = await blobAddresses(dist);
  for (const file of blobs) console.log(`a blob: address, which the policy forbids, in ${file}`);
  const sizes = await wasmSizes(dist);
  for (const { file, bytes, limit } of sizes) {
    console.log(`${file}: ${bytes} bytes in brotli, of at most ${limit}`);
  }
  const isSmall = sizes.length === 2 && sizes.every(({ bytes, limit }) => bytes <= limit);
  return paths.length === 0 && blobs.length === 0 && isSmall;
}
