/** Owns one wasm instance and takes samples on it, one when told to. Knows nothing of the page. */

import { openOneThread } from './one-thread';
import type { FromWorker, ToWorker } from './protocol';
import { serveSamples } from './sample-server';
import { loadWasm } from './wasm-file';

const WASM_URL = new URL('./pkg/ringspawn_bg.wasm', import.meta.url);

const answer = serveSamples({
  post: (message: FromWorker) => postMessage(message),
  open: async () => openOneThread(await loadWasm(WASM_URL)),
});

addEventListener('message', (event: MessageEvent<ToWorker>) => answer(event.data));
