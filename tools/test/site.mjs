// Checks of the built site that need no browser.

import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** What wasm may weigh when it is sent, in bytes: for many threads, and for one. */
const THREADS_LIMIT = 90_000;
const WASM_LIMIT = 40_000;

/**
 * Every place in a folder's files that names a path of the building machine:
 * `file: path` each.
 *
 * @param {string} folder
 * @param {string[]} paths
 */
export async function machinePaths(folder, paths) {
  const found = [];
  for (const file of await filesIn(folder)) {
    const text = await readFile(file, 'latin1');
    for (const path of paths) {
      if (text.includes(path)) found.push(`${relative(folder, file)}: ${path}`);
    }
  }
  return found;
}

/** Where this machine keeps the project, the user's files and a compiler's. @param {string} root */
export function pathsOfThisMachine(root) {
  const places = [
    root.replace(/[\\/]$/, ''),
    homedir(),
    '/rustlib/',
    '.cargo/registry',
    '/usr/src',
  ];
  // A home of `/` says nothing.
  return places.filter((path) => path.length > 1);
}

/**
 * Files that make addresses of what they hold themselves: the page's policy lets
 * nothing be loaded from those.
 *
 * @param {string} folder
 */
export async function blobAddresses(folder) {
  const found = [];
  for (const file of await filesIn(folder)) {
    const text = await readFile(file, 'latin1');
    if (/createObjectURL|\bblob:/.test(text)) found.push(relative(folder, file));
  }
  return found;
}

/**
 * Size of each wasm file in a folder, as a good host sends it, and what it may be.
 *
 * @param {string} folder
 * @returns {Promise<{ file: string, bytes: number, limit: number }[]>}
 */
export async function wasmSizes(folder) {
  const files = (await filesIn(folder)).filter((file) => file.endsWith('.wasm'));
  return Promise.all(
    files.map(async (file) => ({
      file: relative(folder, file),
      bytes: brotliCompressSync(await readFile(file)).length,
      limit: /_threads_bg/.test(file) ? THREADS_LIMIT : WASM_LIMIT,
    })),
  );
}

/** @param {string} folder @returns {Promise<string[]>} */
async function filesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const lists = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
  return (await Promise.all(lists)).flat();
}
