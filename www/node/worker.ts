/** A Node worker thread that owns one wasm instance and takes samples on it: what www/worker.ts is in a browser. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../protocol';
import { clockStep } from '../sample';
import { serveSamples } from '../sample-server';

/** The build puts it beside this file. */
const WASM_URL = new URL('./ringspawn_bg.wasm', import.meta.url);

/** Several times what it takes; little beside loading. */
const CLOCK_WARM_UP_MS = 10;

const port = parentPort;
if (port === null) throw new Error('this file is for a worker thread');

warmUpClock();

const answer = serveSamples({
  post: (message: FromWorker) => port.postMessage(message),
  loadWasm: () => load(WASM_URL),
});

port.on('message', (message: ToWorker) => answer(message));

/** As memory of its own: a small file's buffer may lie in one that others share. */
async function load(url: URL): Promise<ArrayBuffer> {
  const bytes = await readFile(fileURLToPath(url));
  return new Uint8Array(bytes).buffer;
}

/**
 * Node's clock ticks in nanoseconds, so its step is what one reading takes, and that is 20 times as much as long as
 * the code that measures it is interpreted. Samples would be as many times longer than they need be.
 */
function warmUpClock(): void {
  const start = performance.now();
  while (performance.now() - start < CLOCK_WARM_UP_MS) clockStep(() => performance.now());
}
