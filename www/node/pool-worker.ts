/** One of a pool's workers, as a Node worker thread. */

import type { FromMember, ToMember } from '../protocol';
import { takePart } from '../threads/member';
import { work } from '../threads/work';
import { portOfThread } from './port';

const port = portOfThread();

const post = (message: FromMember): void => port.postMessage(message);

port.once('message', ({ leader }: ToMember) => takePart(leader, work, post));
post({ type: 'loaded' });
