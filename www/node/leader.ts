/** The leader of a pool, as a Node worker thread. */

import type { FromLeader, ToLeader } from '../protocol';
import { leadPool } from '../threads/lead';
import { portOfThread } from './port';
import { warmUpClock } from './warm-clock';
import { wasmBytes } from './wasm-bytes';

const port = portOfThread();

warmUpClock();

const answer = leadPool({
  post: (message: FromLeader) => port.postMessage(message),
  loadWasm: () => wasmBytes('ringspawn_threads_bg.wasm'),
});

port.on('message', (message: ToLeader) => answer(message));
