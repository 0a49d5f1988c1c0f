// Counts the threads on which the browsers that this process has started run
// workers, as the system sees them: a worker that nobody can reach any more, or
// that is deaf inside wasm, is counted too.

import { readdirSync, readFileSync } from 'node:fs';

/** How the engines name such threads; the kernel cuts names to 15 letters. */
const NAMES = ['DedicatedWorker', 'DOM Worker', 'WebCore: Worker'];

export function workerThreads() {
  return descendants(process.pid)
    .flatMap(threadNames)
    .filter((name) => NAMES.includes(name)).length;
}

/** @param {number} root */
function descendants(root) {
  const all = processes();
  const found = [root];
  // Grows while it is gone through.
  for (const parent of found)
    found.push(...all.filter((it) => it.parent === parent).map(({ pid }) => pid));
  return found.slice(1);
}

function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = textOf(`/proc/${name}/stat`);
      // The program's name, in parentheses, may have spaces.
      const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return stat === undefined ? [] : [{ pid: Number(name), parent }];
    });
}

/** @param {number} pid */
function threadNames(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(
      (id) => textOf(`/proc/${pid}/task/${id}/comm`)?.trim() ?? [],
    );
  } catch {
    return []; // it has ended meanwhile
  }
}

/** @param {string} file */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
