// Knows whether a build's output still stems from its inputs, by content.

import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './process.mjs';

/**
 * A digest of settings and of every file at or below the given paths.
 *
 * @param {unknown} settings anything that JSON can hold
 * @param {string[]} paths from the root of the checkout; what isn't there counts as absent
 */
export async function digest(settings, paths) {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const path of paths) {
    for (const file of await filesIn(path)) {
      const bytes = await readFile(join(ROOT, file)).catch(() => null);
      hash.update(`\0${file}\0${bytes?.length ?? 'absent'}\0`).update(bytes ?? '');
    }
  }
  return hash.digest('hex');
}

/** @param {string} path from the root of the checkout */
export async function readStamp(path) {
  return readFile(join(ROOT, path), 'utf8').catch(() => null);
}

/** @param {string} path @param {string} stamp */
export async function writeStamp(path, stamp) {
  await writeFile(join(ROOT, path), stamp);
}

/** @param {string} path @returns {Promise<string[]>} */
async function filesIn(path) {
  const entries = await readdir(join(ROOT, path), { withFileTypes: true }).catch(() => null);
  if (entries === null) return [path];
  const names = entries.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name }) => name);
  return (await Promise.all(names.map((name) => filesIn(`${path}/${name}`)))).flat();
}
