/** workers/postmessage: one actor, which is a worker of its own. Knows whoever started it, and the next in the ring. */

import { endLap, type Token } from './token';

export type ToActor =
  /** The start handler. Alone it waits to be ended; in a ring it has one port from the one before and one to the next. */
  | { readonly type: 'start'; readonly ring: RingPorts | null }
  /** Starts a token on its way; not a hop, since no actor sent it. */
  | { readonly type: 'launch'; readonly token: Token }
  | { readonly type: 'count'; readonly round: number }
  | { readonly type: 'end' };

export interface RingPorts {
  readonly place: number;
  readonly previous: MessagePort;
  readonly next: MessagePort;
}

export interface ActorCounts {
  /** Tokens, each of them one hop. */
  readonly handled: number;
  readonly launched: number;
  /** Tokens to the next actor, and home. */
  readonly sent: number;
}

export type FromActor =
  | { readonly type: 'up' }
  /** Laps that have ended here so far, told now and then. */
  | { readonly type: 'laps'; readonly laps: number }
  | { readonly type: 'home'; readonly token: Token }
  | { readonly type: 'counts'; readonly round: number; readonly counts: ActorCounts }
  | { readonly type: 'ended' };

const TELL_EVERY_MS = 100;

let place = 0;
let next: MessagePort | null = null;
let handled = 0;
let launched = 0;
let sent = 0;
let laps = 0;
let told = 0;

addEventListener('message', ({ data }: MessageEvent<ToActor>) => {
  switch (data.type) {
    case 'start':
      if (data.ring !== null) join(data.ring);
      tell({ type: 'up' });
      break;
    case 'launch':
      launched++;
      pass(data.token);
      break;
    case 'count':
      tell({ type: 'counts', round: data.round, counts: { handled, launched, sent } });
      break;
    case 'end':
      tell({ type: 'ended' });
  }
});

function join(ring: RingPorts): void {
  place = ring.place;
  next = ring.next;
  ring.previous.onmessage = ({ data }: MessageEvent<Token>) => take(data);
}

function take(token: Token): void {
  handled++;
  token.passes++;
  if (token.passes === token.lapEnd && isHome(token)) {
    sent++;
    tell({ type: 'home', token });
  } else {
    pass(token);
  }
}

/** Ends a lap, and says whether it was the last. */
function isHome(token: Token): boolean {
  laps++;
  const now = performance.now();
  if (now - told >= TELL_EVERY_MS) {
    told = now;
    tell({ type: 'laps', laps });
  }
  return endLap(token, place);
}

function pass(token: Token): void {
  sent++;
  next?.postMessage(token);
}

function tell(message: FromActor): void {
  postMessage(message);
}
