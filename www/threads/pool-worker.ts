/** One of a pool's workers, in a page. */

import type { FromMember, ToMember } from '../protocol';
import { takePart } from './member';
import { work } from './work';

const post = (message: FromMember): void => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<ToMember>) => {
  takePart(data.leader, work, (message) => {
    post(message);
    // By itself: browsers may let a worker that was ended from outside linger for seconds.
    close();
  });
});
post({ type: 'loaded' });
