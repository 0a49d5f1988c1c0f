/** The leader of a pool, in a page. */

import type { FromLeader, ToLeader } from '../protocol';
import { loadWasm } from '../wasm-file';
import { leadPool } from './lead';

const WASM_URL = new URL('../pkg-threads/ringspawn_threads_bg.wasm', import.meta.url);

const answer = leadPool({
  post: (message: FromLeader) => postMessage(message),
  loadWasm: () => loadWasm(WASM_URL),
});

addEventListener('message', (event: MessageEvent<ToLeader>) => answer(event.data));
