// What a checkout needs, and how to tell that it is there.

/** The same release as Debian's, so that either source compiles alike. */
export const RUSTUP_INSTALL = Object.freeze([
  'toolchain',
  'install',
  '1.96.0',
  '--profile',
  'minimal',
  '-c',
  'rust-src,clippy',
]);

export const DEBIAN_LINKER = Object.freeze(['gcc', 'libc6-dev']);

/** rustc, cargo, the standard library's source, and the linker for wasm. */
export const DEBIAN_COMPILER = Object.freeze(['rustc-web', 'cargo-web', 'rust-web-src', 'lld-22']);

export const DEBIAN_CLIPPY = Object.freeze(['rust-web-clippy']);

/** Three engines, and for WebKit's the display that it insists on. */
export const DEBIAN_BROWSERS = Object.freeze([
  'chromium',
  'chromium-driver',
  'firefox-esr',
  'webkit2gtk-driver',
  'xvfb',
  'xauth',
  'libgl1-mesa-dri',
  'libegl1',
  'fonts-dejavu-core',
]);

/**
 * Whether node_modules lacks something that the lock file names. `installed` is
 * npm's own record of what it put there.
 *
 * @typedef {{ packages?: Record<string, { version?: string, optional?: boolean }> }} Lock
 * @param {Lock} lock
 * @param {Lock | null} installed
 */
export function npmIsStale(lock, installed) {
  if (installed === null) return true;
  const there = installed.packages ?? {};
  return Object.entries(lock.packages ?? {}).some(([path, wanted]) => {
    if (path === '') return false; // the project itself
    const found = there[path];
    // Optional packages are those of other platforms, among others.
    return found === undefined ? !wanted.optional : found.version !== wanted.version;
  });
}

/** Compares `major.minor.patch`; what is left out counts as 0. @param {string} version @param {string} wanted */
export function olderThan(version, wanted) {
  const parts = (text) => text.split('.').map((part) => Number.parseInt(part, 10));
  const [a, b] = [parts(version), parts(wanted)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (a[i] || 0) - (b[i] || 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * Which of `wanted` dpkg doesn't report as installed whole.
 *
 * @param {readonly string[]} wanted
 * @param {string} report of dpkg-query with the format `${Package} ${db:Status-Status}\n`
 */
export function notInstalled(wanted, report) {
  const there = new Set(
    report
      .split('\n')
      .map((line) => line.trim().split(' '))
      .filter(([, status]) => status === 'installed')
      .map(([name]) => name),
  );
  return wanted.filter((name) => !there.has(name));
}

/** Debian itself; its relatives name other packages or other versions. @param {string} osRelease */
export function isDebian(osRelease) {
  return /^ID="?debian"?$/m.test(osRelease);
}

/** rustup has reached its server once it says what it found. @param {string} words */
export function rustupAnswered(words) {
  return /latest update on|downloading|installing|is up to date|unchanged/.test(words);
}
