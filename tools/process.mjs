// Running other programs, and ending with a sentence when something can't be done.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The checkout; every command runs in it, wherever it was started from. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** How long a step may be silent before a line says that it is still at work. */
const TICK_MS = 20_000;

/** Something that the reader can act on: shown as one sentence, without a stack. */
export class Refusal extends Error {}

/**
 * Runs a program with its output passed through; resolves to its exit code.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {object} [options]
 * @param {Record<string, string>} [options.env] added to this process's
 * @param {string} [options.waiting] what the line says that shows life on long steps
 * @returns {Promise<number>}
 */
export function run(program, args, { env = {}, waiting } = {}) {
  return new Promise((resolve, reject) => {
    const stop = waiting === undefined ? () => {} : tick(waiting);
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: needsShell(program),
    });
    child.once('error', (error) => {
      stop();
      reject(new Refusal(`${program} can't be run (${error.message}).`));
    });
    child.once('close', (code, signal) => {
      stop();
      resolve(code ?? (signal === null ? 1 : 128));
    });
  });
}

/**
 * Runs a program whose output interests only when it fails.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, waiting: string }} options
 * @returns {Promise<boolean>} whether it ended well
 */
export async function runQuietly(program, args, { env = {}, waiting }) {
  const stop = tick(waiting);
  const { code, out, err } = await read(program, args, env);
  stop();
  if (code !== 0) process.stderr.write(`${out}${err}\n`);
  return code === 0;
}

/**
 * Runs a program for its output. Never throws: a program that isn't there has code -1.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<{ code: number, out: string, err: string }>}
 */
export function read(program, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: needsShell(program),
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.once('error', (error) => resolve({ code: -1, out, err: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, out, err }));
  });
}

/**
 * Runs `main`; a refusal ends the process with its sentence and code 1.
 *
 * @param {() => Promise<void>} main
 */
export async function command(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** @param {number} ms */
export function seconds(ms) {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/** Says now and then that a long step is still at work; returns what ends that. @param {string} waiting */
function tick(waiting) {
  const begun = Date.now();
  const timer = setInterval(
    () => console.log(`… ${waiting}, ${seconds(Date.now() - begun)} so far`),
    TICK_MS,
  );
  return () => clearInterval(timer);
}

/** npm's programs are scripts on Windows, and only a shell runs those. @param {string} program */
function needsShell(program) {
  return process.platform === 'win32' && program === 'npm';
}
