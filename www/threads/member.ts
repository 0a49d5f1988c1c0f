/** Members of a pool take part once they have heard of it from its leader, until it is ended. */

import { type FromMember, JOINED, type Pool } from '../protocol';
import { wasmSentence } from '../wasm-file';
import { MemberBoard } from './board';

/** Takes part in a pool by `work`, which calls `join` when it is about to, and blocks. */
export function takePart(
  leader: MessagePort,
  work: (pool: Pool, join: () => void) => void,
  post: (message: FromMember) => void,
): void {
  leader.onmessage = ({ data: pool }: MessageEvent<Pool>) => {
    const board = new MemberBoard(pool.board);
    let message = 'it was to end';
    try {
      work(pool, () => {
        board.join();
        leader.postMessage(JOINED);
      });
    } catch (error) {
      message = wasmSentence(error);
    }
    board.leave();
    leader.close();
    post({ type: 'left', message });
  };
}
