/** A pool's watcher, as a Node worker thread. */

import type { FromMember, ToMember } from '../protocol';
import { takePart } from '../threads/member';
import { watch } from '../threads/watch';
import { portOfThread } from './port';

const port = portOfThread();

const post = (message: FromMember): void => port.postMessage(message);

port.once('message', ({ leader }: ToMember) => takePart(leader, watch, post));
post({ type: 'loaded' });
