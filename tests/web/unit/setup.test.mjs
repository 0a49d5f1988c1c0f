import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  DEBIAN_BROWSERS,
  DEBIAN_CLIPPY,
  DEBIAN_COMPILER,
  isDebian,
  notInstalled,
  npmIsStale,
  olderThan,
  rustupAnswered,
} from '../../../tools/setup/needs.mjs';
import { purposeOf, setUp } from '../../../tools/setup.mjs';

const RUSTUP = { source: 'rustup', words: "rustup's toolchain" };
const DEBIAN = { source: 'debian', words: "Debian's package" };
const NONE = { source: null, words: 'no compiler' };

/** A machine that lacks nothing, but for what `differs`; it records what is done to it. */
function machine(differs = {}) {
  const done = [];
  const does =
    (what, works = true) =>
    async (...args) => {
      done.push([what, ...args.flat()].join(' '));
      return works;
    };
  const lock = { packages: { 'node_modules/a': { version: '1.0.0' } } };
  return {
    done,
    said: [],
    say(line) {
      this.said.push(line);
    },
    npmLock: async () => lock,
    npmInstalled: async () => lock,
    installNpm: does('npm'),
    rustWanted: async () => '1.95',
    rustVersion: async () => '1.95.0',
    hasLinker: async () => true,
    missingComponents: async () => [],
    addComponents: does('component'),
    wasmCompiler: async () => RUSTUP,
    hasRustup: async () => true,
    installRustup: does('rustup'),
    rustupHasClippy: async () => true,
    isDebian: async () => true,
    isRoot: () => true,
    missingPackages: async () => [],
    installPackages: does('apt'),
    missingBrowsers: async () => [],
    ...differs,
  };
}

/** Answers `first` once, then `later`: what is missing until it is installed. */
function once(first, later) {
  let calls = 0;
  return async () => {
    calls += 1;
    return calls === 1 ? first : later;
  };
}

describe('set-up', () => {
  it('does nothing where nothing is missing', async () => {
    for (const purpose of ['start', 'test']) {
      const there = machine();
      await setUp(purpose, there);
      expect(there.done).toEqual([]);
    }
  });

  it('installs npm packages, the compiler by rustup, and no browser for start', async () => {
    const fresh = machine({
      npmInstalled: async () => null,
      wasmCompiler: once(NONE, RUSTUP),
      missingPackages: async (wanted) => wanted,
    });
    await setUp('start', fresh);
    expect(fresh.done).toEqual(['npm', 'rustup']);
  });

  it('falls back to the Debian package where rustup reaches no server', async () => {
    const fresh = machine({
      wasmCompiler: once(NONE, DEBIAN),
      installRustup: async () => false,
      missingPackages: async (wanted) => wanted,
    });
    await setUp('start', fresh);
    expect(fresh.done).toEqual([`apt ${DEBIAN_COMPILER.join(' ')}`]);
  });

  it('adds browsers and the linter for wasm for tests', async () => {
    const fresh = machine({
      wasmCompiler: async () => DEBIAN,
      missingPackages: async (wanted) => wanted,
    });
    await setUp('test', fresh);
    expect(fresh.done).toEqual([
      `apt ${DEBIAN_CLIPPY.join(' ')}`,
      `apt ${DEBIAN_BROWSERS.join(' ')}`,
    ]);
  });

  it('installs only those packages that are missing', async () => {
    const fresh = machine({
      missingPackages: async (wanted) => wanted.filter((n) => n === 'xvfb'),
    });
    await setUp('test', fresh);
    expect(fresh.done).toEqual(['apt xvfb']);
  });

  it('adds rustfmt and clippy for tests alone', async () => {
    const differs = { missingComponents: async () => ['rustfmt', 'clippy'] };
    const forStart = machine(differs);
    await setUp('start', forStart);
    expect(forStart.done).toEqual([]);
    const forTest = machine(differs);
    await setUp('test', forTest);
    expect(forTest.done).toEqual(['component rustfmt clippy']);
  });

  it('names missing browsers where it cannot install them, and goes on', async () => {
    const mac = machine({
      isDebian: async () => false,
      missingBrowsers: async () => ['webkit', 'webkit-plain'],
    });
    await setUp('test', mac);
    expect(mac.said.at(-1)).toContain('webkit, webkit-plain');
    expect(mac.done).toEqual([]);
  });
});

describe('set-up ends in one sentence', () => {
  const cases = {
    'npm without a network': [
      { npmInstalled: async () => null, installNpm: async () => false },
      /npm packages could not be installed.*network/,
    ],
    'no Rust': [{ rustVersion: async () => null }, /no Rust here.*rustup\.rs/],
    'old Rust': [{ rustVersion: async () => '1.94.1' }, /needs Rust 1\.95.*this is 1\.94\.1/],
    'no linker, no Debian': [
      { hasLinker: async () => false, isDebian: async () => false },
      /C compiler/,
    ],
    'not root': [
      {
        isRoot: () => false,
        wasmCompiler: async () => NONE,
        hasRustup: async () => false,
        missingPackages: async (wanted) => wanted,
      },
      /only root.*sudo apt-get install --no-install-recommends rustc-web cargo-web rust-web-src lld-22/,
    ],
    'no network, on Debian': [
      {
        wasmCompiler: async () => NONE,
        installRustup: async () => false,
        missingPackages: async (wanted) => wanted,
        installPackages: async () => false,
      },
      /packages could not be installed.*network/,
    ],
    'no apt and no network': [
      {
        isDebian: async () => false,
        wasmCompiler: async () => NONE,
        installRustup: async () => false,
      },
      /No compiler can be had.*rustup toolchain install 1\.96\.0/,
    ],
    'what was installed is no good': [{ wasmCompiler: async () => NONE }, /won't do: no compiler/],
  };
  for (const [name, [differs, sentence]] of Object.entries(cases)) {
    it(name, async () => {
      const message = await setUp('test', machine(differs)).then(
        () => 'nothing was refused',
        (error) => error.message,
      );
      expect(message).toMatch(sentence);
      expect(message).not.toContain('\n');
      expect(message).toMatch(/[.?]$/);
    });
  }
});

describe('what is there', () => {
  const lock = {
    packages: {
      '': { version: '0.1.0' },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/other-platform': { version: '2.0.0', optional: true },
    },
  };

  it('node_modules is stale when a package is absent or of another version', () => {
    const installed = (packages) => ({ packages });
    expect(npmIsStale(lock, null)).toBe(true);
    expect(npmIsStale(lock, installed({}))).toBe(true);
    expect(npmIsStale(lock, installed({ 'node_modules/a': { version: '1.0.1' } }))).toBe(true);
    expect(npmIsStale(lock, installed({ 'node_modules/a': { version: '1.0.0' } }))).toBe(false);
  });

  it('an optional package may be absent, not of another version', () => {
    const a = { version: '1.0.0' };
    const other = { version: '2.0.1', optional: true };
    const packages = { 'node_modules/a': a, 'node_modules/other-platform': other };
    expect(npmIsStale(lock, { packages })).toBe(true);
  });

  it('versions compare by number', () => {
    expect(olderThan('1.95.0', '1.95')).toBe(false);
    expect(olderThan('1.100.0', '1.95')).toBe(false);
    expect(olderThan('1.94.9', '1.95')).toBe(true);
    expect(olderThan('0.99.0', '1.0')).toBe(true);
  });

  it('a package that was removed or half installed is missing', () => {
    const report = 'a installed\nb config-files\nc half-configured\n';
    expect(notInstalled(['a', 'b', 'c', 'd'], report)).toEqual(['b', 'c', 'd']);
  });

  it('Debian is told from its relatives', () => {
    expect(isDebian('NAME="Debian GNU/Linux"\nID=debian\n')).toBe(true);
    expect(isDebian('ID=ubuntu\nID_LIKE=debian\n')).toBe(false);
    expect(isDebian('')).toBe(false);
  });

  it('rustup has answered once it names a release, not while it still tries', () => {
    expect(rustupAnswered('info: syncing channel updates for 1.96.0')).toBe(false);
    expect(rustupAnswered('info: latest update on 2026-05-28 for version 1.96.0')).toBe(true);
  });

  it('the purpose is start unless told', () => {
    expect(purposeOf([])).toBe('start');
    expect(purposeOf(['--for', 'test'])).toBe('test');
    expect(() => purposeOf(['--for', 'fun'])).toThrow(/usage/);
    expect(() => purposeOf(['test'])).toThrow(/usage/);
  });
});

it('package-lock.json names versions and checksums, and no address to download from', async () => {
  const url = new URL('../../../package-lock.json', import.meta.url);
  expect(await readFile(url, 'utf8')).not.toContain('"resolved"');
});
