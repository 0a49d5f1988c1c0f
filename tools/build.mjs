// npm run build: set-up, the wasm packages, the static site in dist/, and the
// command line tool in build/node/. What is up to date is left alone.
// `node tools/build.mjs node` builds the tool alone, and of the rest only what it
// lacks.

import './node-version.mjs';

import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commit } from './commit.mjs';
import { command, Refusal, ROOT, run, seconds } from './process.mjs';
import { setUp } from './setup.mjs';
import { digest, readStamp, writeStamp } from './stamp.mjs';

/** Everything that vite reads. */
const SITE_INPUTS = [
  'index.html',
  'measuring.html',
  'docs/measuring.md',
  'www',
  'vite.config.ts',
  'tsconfig.json',
  'tsconfig.worker.json',
  'package.json',
  'package-lock.json',
];
const SITE_STAMP = 'target/site.stamp';

/** The same for the command line tool. */
const NODE_INPUTS = [
  'www',
  'tools/bench',
  'vite.node.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];
const NODE_OUTPUT = 'build/node';
const NODE_STAMP = 'target/node.stamp';

/** For one thread, and for many. */
const WASM = ['www/pkg/ringspawn_bg.wasm', 'www/pkg-threads/ringspawn_threads_bg.wasm'];
const VITE = 'node_modules/vite/bin/vite.js';

/** Builds what isn't up to date, without set-up. */
export async function build() {
  await buildPackages();
  await buildSite();
  await buildNode();
}

/** The wasm that the page and the command line tool run. */
export function buildPackages() {
  return buildWasm('wasm', WASM);
}

/**
 * @param {'wasm' | 'wasm-tests'} verb of the xtask
 * @param {string[]} files that it makes
 */
export async function buildWasm(verb, files) {
  const code = await run('cargo', ['run', '-q', '-p', 'xtask', '--', verb], {
    waiting: 'compiling wasm (the first time takes two to six minutes)',
  });
  if (code !== 0) throw new Refusal('The wasm package could not be built: see above.');
  for (const file of files) await mustCompile(file);
}

/** The oldest engine that is supported has to understand the wasm: Node 20's. @param {string} file */
async function mustCompile(file) {
  try {
    await WebAssembly.compile(await readFile(join(ROOT, file)));
  } catch (error) {
    throw new Refusal(
      `${file} can't be compiled by Node ${process.versions.node}: ${error.message}.`,
    );
  }
}

export async function buildSite() {
  const settings = [commit(), process.env.RINGSPAWN_PUBLIC_ADDRESS ?? null, process.versions.node];
  // Taken before the build, so that what changes during one counts as new.
  const madeOf = await digest(settings, SITE_INPUTS);
  // dist is in it too: a site that was changed or removed by hand is built again.
  const stamp = async () => `${madeOf} ${await digest(null, ['dist'])}`;
  if ((await readStamp(SITE_STAMP)) === (await stamp())) {
    console.log('dist is up to date');
    return;
  }
  const begun = Date.now();
  const code = await run(process.execPath, [join(ROOT, VITE), 'build', '--logLevel', 'warn']);
  if (code !== 0) throw new Refusal('The site could not be built: see above.');
  await mkdir(join(ROOT, 'target'), { recursive: true });
  await writeStamp(SITE_STAMP, await stamp());
  console.log(`dist is built (${seconds(Date.now() - begun)})`);
}

export async function buildNode() {
  if (await nodeIsUpToDate()) {
    console.log(`${NODE_OUTPUT} is up to date`);
    return;
  }
  const begun = Date.now();
  const madeOf = await nodeIsMadeOf();
  const options = ['--config', 'vite.node.config.ts', '--logLevel', 'warn'];
  const code = await run(process.execPath, [join(ROOT, VITE), 'build', ...options]);
  if (code !== 0) throw new Refusal('The command line tool could not be built: see above.');
  await mkdir(join(ROOT, 'target'), { recursive: true });
  await writeStamp(NODE_STAMP, await nodeStamp(madeOf));
  console.log(`${NODE_OUTPUT} is built (${seconds(Date.now() - begun)})`);
}

/** Quick, since the tool itself asks at each start. */
export async function nodeIsUpToDate() {
  return (await readStamp(NODE_STAMP)) === (await nodeStamp(await nodeIsMadeOf()));
}

const nodeIsMadeOf = () => digest([commit()], NODE_INPUTS);
const nodeStamp = async (madeOf) => `${madeOf} ${await digest(null, [NODE_OUTPUT])}`;

async function buildNodeAlone() {
  if (![VITE, ...WASM].every((file) => existsSync(join(ROOT, file)))) {
    await setUp('start');
    await buildPackages();
  }
  await buildNode();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  command(async () => {
    if (process.argv[2] === 'node') return buildNodeAlone();
    await setUp('start');
    await build();
  });
}
