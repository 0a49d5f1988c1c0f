// What set-up asks of the machine and does to it. setup.mjs decides; its tests
// put another machine in this one's place.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, ROOT, read, run, runQuietly } from '../process.mjs';
import { isDebian, notInstalled, RUSTUP_INSTALL, rustupAnswered } from './needs.mjs';

/** rustup's server answers within moments; where nothing can be reached it may try for minutes. */
const RUSTUP_ANSWERS_MS = 30_000;
const RUSTUP_ENDS_MS = 15 * 60_000;

const APT = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=600', '-o', 'Acquire::Retries=3'];
const APT_ENV = { DEBIAN_FRONTEND: 'noninteractive' };
const APT_UPDATE_TRIES = 12;

/** @typedef {typeof thisMachine} Machine */
export const thisMachine = {
  say: (line) => console.log(line),

  npmLock: async () => JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')),

  npmInstalled: async () => {
    const record = await textOf(join(ROOT, 'node_modules/.package-lock.json'));
    return record === null ? null : JSON.parse(record);
  },

  installNpm: async () => (await runNpm(['ci'], 'installing npm packages')) === 0,

  /** The release that Cargo.toml asks for. */
  rustWanted: async () => {
    const manifest = await readFile(join(ROOT, 'Cargo.toml'), 'utf8');
    return /^rust-version = "([^"]+)"/m.exec(manifest)?.[1] ?? '1.85';
  },

  rustVersion: async () => {
    const { code, out } = await read('cargo', ['--version']);
    return code === 0 ? (/\d+\.\d+\.\d+/.exec(out)?.[0] ?? null) : null;
  },

  /** Only Unix links by `cc`; elsewhere rustup has seen to it. */
  hasLinker: async () =>
    process.platform === 'win32' || (await read('cc', ['--version'])).code === 0,

  missingComponents: async () => {
    const there = async (tool) => (await read('cargo', [tool, '--version'])).code === 0;
    const missing = [];
    if (!(await there('fmt'))) missing.push('rustfmt');
    if (!(await there('clippy'))) missing.push('clippy');
    return missing;
  },

  addComponents: async (names) =>
    (await run('rustup', ['component', 'add', ...names]).catch(() => 1)) === 0,

  /**
   * As the wasm build itself finds it, so that the two never disagree.
   *
   * @returns {Promise<{ source: 'rustup' | 'debian' | null, words: string }>}
   */
  wasmCompiler: async () => {
    await buildXtask();
    const { code, out, err } = await read('cargo', ['run', '-q', '-p', 'xtask', '--', 'compiler']);
    const words = out.trim();
    if (code === 3) return { source: null, words };
    if (code !== 0) throw new Refusal(`The build's own tool failed: ${err.trim() || words}`);
    return { source: words.startsWith('Debian') ? 'debian' : 'rustup', words };
  },

  hasRustup: async () => (await read('rustup', ['--version'])).code === 0,

  installRustup,

  rustupHasClippy: async () =>
    (await read('rustup', ['run', '1.96.0', 'cargo', 'clippy', '--version'])).code === 0,

  isDebian: async () => isDebian((await textOf('/etc/os-release')) ?? ''),

  isRoot: () => process.getuid?.() === 0,

  missingPackages: async (wanted) => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own placeholders
    const format = '--showformat=${Package} ${db:Status-Status}\\n';
    const { out } = await read('dpkg-query', ['--show', format, ...wanted]);
    return notInstalled(wanted, out);
  },

  installPackages: async (names) => {
    if (!(await updateAptLists())) return false;
    const args = [...APT, '--no-install-recommends', 'install', ...names];
    return runQuietly('apt-get', args, { env: APT_ENV, waiting: 'installing packages' });
  },

  missingBrowsers: async () => {
    const { BROWSERS, installed } = await import('../browsers/index.mjs');
    const there = installed();
    return BROWSERS.filter((name) => !there.includes(name));
  },
};

/** @param {string} path */
function textOf(path) {
  return readFile(path, 'utf8').catch(() => null);
}

/** npm as it was started, where it was: its own program may not be in PATH. @param {string[]} args @param {string} waiting */
function runNpm(args, waiting) {
  const own = process.env.npm_execpath;
  return own?.endsWith('npm-cli.js')
    ? run(process.execPath, [own, ...args], { waiting })
    : run('npm', args, { waiting });
}

/** Shows cargo's progress the first time; later a build takes a moment and says nothing. */
async function buildXtask() {
  const built = join(ROOT, 'target/debug', process.platform === 'win32' ? 'xtask.exe' : 'xtask');
  const quiet = existsSync(built) ? ['-q'] : [];
  if (quiet.length === 0) console.log('Set-up: compiling the tool that builds wasm (once).');
  const code = await run('cargo', ['build', ...quiet, '-p', 'xtask'], {
    waiting: 'compiling the build tool',
  });
  if (code !== 0) {
    throw new Refusal(
      'The tool that builds wasm could not be compiled: cargo names the reason above; is there a network?',
    );
  }
}

/** @returns {Promise<boolean>} whether rustup could do it in time */
function installRustup() {
  return new Promise((resolve) => {
    // A backtrace of rustup's would hide what it says.
    const env = { ...process.env, RUST_BACKTRACE: '0' };
    const child = spawn('rustup', RUSTUP_INSTALL, { env, stdio: ['ignore', 'inherit', 'pipe'] });
    const stop = () => child.kill();
    const silence = setTimeout(stop, RUSTUP_ANSWERS_MS);
    const end = setTimeout(stop, RUSTUP_ENDS_MS);
    child.stderr.on('data', (words) => {
      process.stderr.write(words);
      if (rustupAnswered(String(words))) clearTimeout(silence);
    });
    const finish = (done) => {
      clearTimeout(silence);
      clearTimeout(end);
      resolve(done);
    };
    child.once('error', () => finish(false));
    child.once('close', (code) => finish(code === 0));
  });
}

/** apt waits for the lock of packages by itself, but not for the one of its lists. */
async function updateAptLists() {
  for (let tries = 1; ; tries += 1) {
    const { code, err } = await read('apt-get', [...APT, 'update'], APT_ENV);
    if (code === 0) return true;
    if (!/lock/.test(err) || tries === APT_UPDATE_TRIES) {
      process.stderr.write(err);
      return false;
    }
    console.log('… another program is using apt, waiting for it');
    await sleep(10_000);
  }
}
