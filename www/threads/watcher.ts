/** A pool's watcher, in a page. */

import type { FromMember, ToMember } from '../protocol';
import { takePart } from './member';
import { watch } from './watch';

const post = (message: FromMember): void => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<ToMember>) => {
  takePart(data.leader, watch, (message) => {
    post(message);
    // By itself: browsers may let a worker that was ended from outside linger for seconds.
    close();
  });
});
post({ type: 'loaded' });
