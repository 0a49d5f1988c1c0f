// What a driver starts, processes and folders, is ended with it: at close(), on
// a failure, on a signal, and when Node ends for any other reason.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What undoes each thing that is still there; run last to first. */
const undo = new Set();

/** A new folder that is removed with the returned function, or at the end. */
export function temporaryFolder(name) {
  const path = mkdtempSync(join(tmpdir(), `ringspawn-${name}-`));
  const remove = onEnd(() => {
    try {
      // A browser that was killed this moment may still be writing.
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    } catch (error) {
      console.error(`could not remove ${path}: ${error.message}`);
    }
  });
  return { path, remove };
}

/** Starts a program in a process group of its own, so that its children end with it. */
export function startProcess(command, args, { env, stdio = ['ignore', 'pipe', 'pipe'] } = {}) {
  const child = spawn(command, args, { env, stdio, detached: true });
  const failed = new Promise((_, reject) => child.once('error', reject));
  failed.catch(() => {});
  return { child, failed, end: endWithUs(child) };
}

/** Ends the group that `child` leads; the returned function does it now. */
export function endWithUs(child) {
  return onEnd(() => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  });
}

/** `promise`, or an Error with this sentence after `ms`. */
export async function within(ms, sentence, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${sentence} within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function onEnd(action) {
  listenOnce();
  const once = () => {
    if (undo.delete(once)) action();
  };
  undo.add(once);
  return once;
}

let listening = false;

function listenOnce() {
  if (listening) return;
  listening = true;
  process.on('exit', undoAll);
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ]) {
    process.on(signal, () => process.exit(128 + number)); // 'exit' undoes
  }
}

function undoAll() {
  for (const once of [...undo].reverse()) {
    try {
      once();
    } catch (error) {
      console.error(error);
    }
  }
}
