// Brings in what a fresh checkout lacks: npm packages, a compiler for wasm and,
// for tests, the browsers. It looks first, so it takes a second when nothing is
// missing. `node tools/setup.mjs [--for start|test]`

import './node-version.mjs';

import { pathToFileURL } from 'node:url';
import { command, Refusal } from './process.mjs';
import { thisMachine } from './setup/machine.mjs';
import {
  DEBIAN_BROWSERS,
  DEBIAN_CLIPPY,
  DEBIAN_COMPILER,
  DEBIAN_LINKER,
  npmIsStale,
  olderThan,
  RUSTUP_INSTALL,
} from './setup/needs.mjs';

/**
 * @param {'start' | 'test'} purpose
 * @param {import('./setup/machine.mjs').Machine} machine
 */
export async function setUp(purpose, machine = thisMachine) {
  await setUpNpm(machine);
  await setUpRust(purpose, machine);
  await setUpWasmCompiler(purpose, machine);
  if (purpose === 'test') await setUpBrowsers(machine);
}

async function setUpNpm(machine) {
  if (!npmIsStale(await machine.npmLock(), await machine.npmInstalled())) return;
  machine.say('Set-up: installing npm packages from package-lock.json.');
  if (!(await machine.installNpm())) {
    throw new Refusal(
      'The npm packages could not be installed: npm names the reason above; is there a network?',
    );
  }
}

async function setUpRust(purpose, machine) {
  const wanted = await machine.rustWanted();
  const version = await machine.rustVersion();
  if (version === null) {
    throw new Refusal(
      `There is no Rust here: install it from rustup.rs (stable, ${wanted} or later), then start again.`,
    );
  }
  if (olderThan(version, wanted)) {
    throw new Refusal(
      `Ringspawn needs Rust ${wanted} or later, and this is ${version}: run \`rustup update stable\`, then start again.`,
    );
  }
  if (!(await machine.hasLinker())) {
    const refusal =
      'Rust needs a C compiler to link with (`cc`), and there is none: install gcc or clang.';
    await installDebian(machine, DEBIAN_LINKER, 'the linker that Rust needs', refusal);
  }
  if (purpose !== 'test') return;
  const missing = await machine.missingComponents();
  if (missing.length === 0) return;
  machine.say(`Set-up: adding ${missing.join(' and ')} to Rust, for the checks.`);
  if (!(await machine.addComponents(missing))) {
    throw new Refusal(
      `The checks need ${missing.join(' and ')}: run \`rustup component add ${missing.join(' ')}\`.`,
    );
  }
}

/**
 * The compiler that builds the standard library for wasm. rustup's first: it
 * leaves the system alone and needs no root. Debian's package is the same
 * release, for where rustup's server can't be reached.
 */
async function setUpWasmCompiler(purpose, machine) {
  let compiler = await machine.wasmCompiler();
  if (compiler.source === null) {
    await installWasmCompiler(machine);
    compiler = await machine.wasmCompiler();
    if (compiler.source === null)
      throw new Refusal(`What was installed won't do: ${compiler.words}.`);
  }
  machine.say(`Set-up: wasm is built by ${compiler.words}.`);
  if (purpose !== 'test') return;
  if (compiler.source === 'debian') {
    await installDebian(machine, DEBIAN_CLIPPY, 'the linter for wasm');
  } else if (!(await machine.rustupHasClippy()) && !(await machine.installRustup())) {
    throw new Refusal(
      `The linter for wasm is missing: run \`rustup ${RUSTUP_INSTALL.join(' ')}\`.`,
    );
  }
}

async function installWasmCompiler(machine) {
  if (await machine.hasRustup()) {
    machine.say(
      'Set-up: installing rustc 1.96.0 with its library’s source by rustup, to build a standard library for wasm that unwinds.',
    );
    if (await machine.installRustup()) return;
    machine.say('Set-up: rustup can’t provide it here.');
  }
  const refusal = `No compiler can be had that builds wasm: connect to the network and run \`rustup ${RUSTUP_INSTALL.join(' ')}\`.`;
  await installDebian(machine, DEBIAN_COMPILER, 'a compiler for wasm', refusal);
}

async function setUpBrowsers(machine) {
  if (await machine.isDebian()) {
    await installDebian(machine, DEBIAN_BROWSERS, 'the browsers to test in, three engines');
    return;
  }
  const missing = await machine.missingBrowsers();
  if (missing.length > 0) {
    machine.say(
      `Set-up: not installed here, and not by this step on this system: ${missing.join(', ')}.`,
    );
  }
}

/**
 * @param {string} [refusal] what to say where Debian's packages don't exist
 */
async function installDebian(machine, wanted, what, refusal) {
  if (!(await machine.isDebian())) throw new Refusal(refusal ?? `This system lacks ${what}.`);
  const missing = await machine.missingPackages(wanted);
  if (missing.length === 0) return;
  const install = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  if (!machine.isRoot()) {
    throw new Refusal(
      `Missing is ${what}, and only root may install packages: run \`sudo apt-get update && sudo ${install}\`, then start again.`,
    );
  }
  machine.say(`Set-up: installing ${what} from Debian: ${missing.join(' ')}.`);
  if (!(await machine.installPackages(missing))) {
    throw new Refusal(
      `Debian's packages could not be installed: apt names the reason above; is there a network? To try by hand: \`apt-get update && ${install}\`.`,
    );
  }
}

/** @param {string[]} args @returns {'start' | 'test'} */
export function purposeOf(args) {
  if (args.length === 0) return 'start';
  const [option, purpose] = args;
  if (args.length === 2 && option === '--for' && (purpose === 'start' || purpose === 'test')) {
    return purpose;
  }
  throw new Refusal('usage: node tools/setup.mjs [--for start|test]');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  command(async () => {
    await setUp(purposeOf(process.argv.slice(2)));
    console.log('Set-up: everything is there.');
  });
}
