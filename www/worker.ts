/** Owns one wasm instance and takes samples on it, one when told to. Knows nothing of the page. */

import type { FromWorker, ToWorker } from './protocol';
import { serveSamples } from './sample-server';

const WASM_URL = new URL('./pkg/ringspawn_bg.wasm', import.meta.url);

const answer = serveSamples({
  post: (message: FromWorker) => postMessage(message),
  loadWasm: () => load(WASM_URL),
});

addEventListener('message', (event: MessageEvent<ToWorker>) => answer(event.data));

/** One request and no streaming, so that a wrong MIME type or an encoding doesn't matter. */
async function load(url: URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  const bytes = await response.arrayBuffer();
  const head = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
  if (response.ok && String.fromCharCode(...head) === '\0asm') return bytes;
  const start = new TextDecoder().decode(bytes.slice(0, 40)).replace(/\s+/g, ' ');
  const type = response.headers.get('content-type') ?? 'no content type';
  throw new Error(
    `${url.href} is not a wasm file: the server answered ${response.status} (${type}), beginning “${start}”`,
  );
}
