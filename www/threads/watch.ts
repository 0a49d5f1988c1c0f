/** What a pool's watcher does: see board.ts. */

import type { Pool } from '../protocol';
import { WatcherBoard } from './board';

export function watch({ memory, board }: Pool, join: () => void): void {
  join();
  new WatcherBoard(board, memory).watch();
}
