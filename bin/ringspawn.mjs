#!/usr/bin/env node
// The command `ringspawn`: the measuring engine and the wasm of the page, in Node.
// `ringspawn --help` tells the options. What runs is built from www/node; in a
// checkout this builds what is missing or out of date first. Keep to what Node 14
// understands, so that an old Node gets a sentence.

import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BUILT = new URL('../build/node/main.mjs', import.meta.url);
/** Not in the package: what is published is built. */
const BUILD_TOOL = new URL('../tools/build.mjs', import.meta.url);

const args = process.argv.slice(2);
process.exitCode = isTooOld() || !(await isBuilt()) ? 2 : await runBuilt();

function isTooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const offered = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (offered) return false;
  console.error(
    `ringspawn: this needs Node 20.19, 22.12 or later, and here is ${process.versions.node}; install a newer one from nodejs.org`,
  );
  return true;
}

async function runBuilt() {
  const { main } = await import(BUILT.href);
  return main(args);
}

/** In a checkout, makes it so; the build's words go to stderr, since stdout may be for JSON alone. */
async function isBuilt() {
  if (!existsSync(BUILD_TOOL)) return true;
  const { nodeIsUpToDate } = await import(BUILD_TOOL.href);
  if (await nodeIsUpToDate()) return true;
  const tool = [fileURLToPath(BUILD_TOOL), 'node'];
  const { status } = spawnSync(process.execPath, tool, { stdio: ['ignore', 2, 2] });
  if (status === 0) return true;
  console.error('ringspawn: it could not be built: see above');
  await leaveEmptyResults();
  return false;
}

/** So that nobody takes the results of an earlier run for this one's. */
async function leaveEmptyResults() {
  const { jsonTarget } = await import(new URL('../tools/bench/options.mjs', import.meta.url).href);
  const target = jsonTarget(args);
  try {
    if (target === '-') process.stdout.write('[]\n');
    else if (target !== null) writeFileSync(target, '[]\n');
  } catch (error) {
    console.error(`ringspawn: --json “${target}” can't be written: ${error.message}`);
  }
}
