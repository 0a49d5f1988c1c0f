/** A Node worker thread that owns one wasm instance and takes samples on it: what www/worker.ts is in a browser. */

import { openOneThread } from '../one-thread';
import type { FromWorker, ToWorker } from '../protocol';
import { serveSamples } from '../sample-server';
import { portOfThread } from './port';
import { warmUpClock } from './warm-clock';
import { wasmBytes } from './wasm-bytes';

const port = portOfThread();

warmUpClock();

const answer = serveSamples({
  post: (message: FromWorker) => port.postMessage(message),
  open: async () => openOneThread(await wasmBytes('ringspawn_bg.wasm')),
});

port.on('message', (message: ToWorker) => answer(message));
