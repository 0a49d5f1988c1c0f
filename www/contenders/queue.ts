/**
 * js/queue: actors are plain objects with a receive method, and all their messages go through one queue. This is the
 * whole of the idea, and how one would write it by hand: nothing is looked up, since whoever sends has the object.
 */

import type { RingWorkload, SpawnWorkload } from '../params';
import type { Failure } from '../result';
import type { Run, RunReport } from '../sample';
import { failureOf } from './report';
import { hopsOf, RingTally, startOf, tokenFor } from './ring';
import { spawnReport } from './spawn';
import { endLap, type Token } from './token';

export function start(workload: RingWorkload | SpawnWorkload): Run {
  return workload.name === 'ring' ? new QueueRing(workload) : new QueueSpawn(workload);
}

interface Actor<M> {
  receive(message: M): void;
}

/** So many actors are spawned before they get to start, as the workloads in Rust have it. */
const SPAWN_BATCH = 256;

/** In places of the circle, two for each message; a power of two. */
const FIRST_PLACES = 2048;
const MOST_FAILURES = 64;

/**
 * A circle of places that doubles when it is full: each message stands behind its receiver, so a send allocates
 * nothing. An object for each message takes up to five times as long, two circles side by side a little longer.
 */
export class MessageQueue<M> {
  sent = 0;
  received = 0;
  readonly failures: Failure[] = [];
  #circle: unknown[] = new Array(FIRST_PLACES).fill(undefined);
  #head = 0;
  #tail = 0;

  get length(): number {
    return ((this.#tail - this.#head) & (this.#circle.length - 1)) / 2;
  }

  send(to: Actor<M>, message: M): void {
    const circle = this.#circle;
    const at = this.#tail;
    circle[at] = to;
    circle[at + 1] = message;
    this.#tail = (at + 2) & (circle.length - 1);
    this.sent++;
    if (this.#tail === this.#head) this.#grow();
  }

  /** Hands out at most `budget` messages, in their order; says whether more are waiting. */
  run(budget: number): boolean {
    for (let left = budget; left > 0; ) {
      const before = this.received;
      try {
        this.#handOut(left);
        break;
      } catch (error) {
        if (this.failures.length < MOST_FAILURES) this.failures.push(failureOf('an actor', error));
        left -= this.received - before;
      }
    }
    return this.#head !== this.#tail;
  }

  #handOut(budget: number): void {
    for (let left = budget; left > 0 && this.#head !== this.#tail; left--) {
      const circle = this.#circle;
      const at = this.#head;
      const to = circle[at] as Actor<M>;
      const message = circle[at + 1] as M;
      // What has been handled must not be kept alive from here.
      circle[at] = undefined;
      circle[at + 1] = undefined;
      this.#head = (at + 2) & (circle.length - 1);
      this.received++;
      to.receive(message);
    }
  }

  /** Straightens the full circle, and gives it as much room again. */
  #grow(): void {
    const circle = this.#circle;
    const full = circle.length;
    this.#circle = [
      ...circle.slice(this.#head),
      ...circle.slice(0, this.#head),
      ...new Array(full).fill(undefined),
    ];
    this.#head = 0;
    this.#tail = full;
  }
}

type RingMessage =
  | Token
  | { readonly type: 'start' }
  /** Closes the ring. */
  | { readonly type: 'next'; readonly next: Node }
  /** Starts a token on its way; not a hop, since no actor sent it. */
  | { readonly type: 'launch'; readonly token: Token }
  /** Goes once round when the run is over: tell the tally what you have handled. */
  | { readonly type: 'report'; actorsLeft: number };

const START = { type: 'start' } as const;

/** An actor of the ring, which knows the next one. */
class Node implements Actor<RingMessage> {
  readonly #ring: QueueRing;
  readonly #queue: MessageQueue<RingMessage>;
  readonly #place: number;
  #next: Node | null;
  #handled = 0;

  constructor(ring: QueueRing, place: number, next: Node | null) {
    this.#ring = ring;
    this.#queue = ring.queue;
    this.#place = place;
    this.#next = next;
  }

  receive(message: RingMessage): void {
    switch (message.type) {
      case 'token':
        this.#handled++;
        message.passes++;
        if (message.passes === message.lapEnd && endLap(message, this.#place))
          this.#ring.tally.takeToken(message);
        else this.#pass(message);
        break;
      case 'launch':
        this.#pass(message.token);
        break;
      case 'start':
        this.#ring.started++;
        break;
      case 'next':
        this.#next = message.next;
        break;
      case 'report':
        this.#ring.tally.takeShare(this.#handled);
        if (--message.actorsLeft > 0) this.#pass(message);
    }
  }

  #pass(message: RingMessage): void {
    if (this.#next !== null) this.#queue.send(this.#next, message);
  }
}

class QueueRing implements Run {
  phase: string | undefined = 'spawn';
  readonly queue = new MessageQueue<RingMessage>();
  readonly tally: RingTally;
  started = 0;
  readonly #workload: RingWorkload;
  #spawned = 0;
  #first: Node | null = null;
  #last: Node | null = null;
  /** Where the tokens start, last token first. */
  readonly #starts: Node[] = [];
  #begun = false;
  #handledBefore = 0;
  #hops = 0;

  constructor(workload: RingWorkload) {
    this.#workload = workload;
    this.tally = new RingTally(workload);
  }

  get done(): number {
    if (this.phase === 'spawn') return this.#spawned;
    return this.phase === 'hop' ? this.#hops : this.tally.told;
  }

  get total(): number {
    return this.phase === 'hop' ? hopsOf(this.#workload) : this.#workload.actors;
  }

  slice(budget: number): boolean {
    if (this.phase === 'spawn') return this.#spawn(budget);
    return this.phase === 'hop' ? this.#hop(budget) : this.#check(budget);
  }

  report(): RunReport {
    const { queue, started } = this;
    const { sent, received, length: queued, failures } = queue;
    return this.tally.report(this.#hops, { started, sent, received, queued, failures });
  }

  free(): void {}

  #spawn(budget: number): boolean {
    const { actors, laps } = this.#workload;
    const end = Math.min(actors, this.#spawned + budget);
    while (this.#spawned < end) {
      const batch = Math.min(end, this.#spawned + SPAWN_BATCH);
      while (this.#spawned < batch) this.#spawnOne();
      this.queue.run(2 * SPAWN_BATCH);
    }
    if (this.#spawned < actors) return true;
    if (this.#first !== null && this.#last !== null)
      this.queue.send(this.#first, { type: 'next', next: this.#last });
    this.#first = null;
    if (this.queue.run(budget)) return true;
    this.phase = laps > 0 ? 'hop' : 'check';
    return false;
  }

  /** The next actor is spawned before the others, so places count down to 0, where the first token starts. */
  #spawnOne(): void {
    const { actors, tokens } = this.#workload;
    const place = actors - ++this.#spawned;
    const node = new Node(this, place, this.#last);
    this.queue.send(node, START);
    this.#first ??= node;
    this.#last = node;
    const token = tokens - 1 - this.#starts.length;
    if (token >= 0 && startOf(token, this.#workload) === place) this.#starts.push(node);
  }

  #hop(budget: number): boolean {
    if (!this.#begun) {
      this.#begun = true;
      this.#handledBefore = this.queue.received;
      this.#launch();
    }
    const hasMore = this.queue.run(budget);
    // The launches are messages, but no hops.
    const handled = this.queue.received - this.#handledBefore;
    this.#hops = Math.max(0, handled - this.#workload.tokens);
    if (hasMore) return true;
    this.#begun = false;
    this.phase = 'check';
    return false;
  }

  #launch(): void {
    for (let k = 0; k < this.#workload.tokens; k++) {
      const token = tokenFor(startOf(k, this.#workload), this.#workload);
      this.queue.send(this.#starts.pop()!, { type: 'launch', token });
    }
  }

  #check(budget: number): boolean {
    if (!this.#begun) {
      this.#begun = true;
      const message: RingMessage = { type: 'report', actorsLeft: this.#workload.actors };
      if (this.#last !== null) this.queue.send(this.#last, message);
    }
    const hasMore = this.queue.run(budget);
    if (!hasMore) this.phase = undefined;
    return hasMore;
  }
}

type WaiterMessage = 'start' | 'stop';

/** Waits for one message. When it has ended, nothing refers to it any more. */
class Waiter implements Actor<WaiterMessage> {
  readonly #spawn: QueueSpawn;

  constructor(spawn: QueueSpawn) {
    this.#spawn = spawn;
  }

  receive(message: WaiterMessage): void {
    if (message === 'start') this.#spawn.started++;
    else this.#spawn.stopped++;
  }
}

class QueueSpawn implements Run {
  phase: string | undefined = 'spawn';
  started = 0;
  stopped = 0;
  readonly #queue = new MessageQueue<WaiterMessage>();
  readonly #actors: number;
  readonly #waiting: Waiter[] = [];
  #spawned = 0;
  #mostAlive = 0;

  constructor(workload: SpawnWorkload) {
    this.#actors = workload.actors;
  }

  get done(): number {
    return this.phase === 'spawn' ? this.#spawned : this.stopped;
  }

  get total(): number {
    return this.#actors;
  }

  slice(budget: number): boolean {
    if (this.phase === 'spawn') return this.#spawnSome(budget);
    if (this.phase === 'stop') return this.#stopSome(budget);
    this.phase = undefined;
    return false;
  }

  report(): RunReport {
    const { started, stopped } = this;
    const { sent, received, length: queued, failures } = this.#queue;
    return spawnReport(this.#actors, {
      spawned: this.#spawned,
      started,
      stopped,
      mostAlive: this.#mostAlive,
      stopsHandled: received - started,
      sent,
      received,
      queued,
      failures,
    });
  }

  free(): void {}

  #spawnSome(budget: number): boolean {
    const end = Math.min(this.#actors, this.#spawned + budget);
    while (this.#spawned < end) {
      const batch = Math.min(end, this.#spawned + SPAWN_BATCH);
      for (; this.#spawned < batch; this.#spawned++) {
        const waiter = new Waiter(this);
        this.#waiting.push(waiter);
        this.#queue.send(waiter, 'start');
      }
      this.#queue.run(2 * SPAWN_BATCH);
    }
    if (this.#spawned < this.#actors || this.#queue.run(budget)) return true;
    this.#mostAlive = this.started - this.stopped;
    this.phase = 'stop';
    return false;
  }

  #stopSome(budget: number): boolean {
    for (let left = budget; left > 0 && this.#waiting.length > 0; left -= SPAWN_BATCH) {
      for (let batch = Math.min(left, SPAWN_BATCH); batch > 0; batch--) {
        const waiter = this.#waiting.pop();
        if (waiter !== undefined) this.#queue.send(waiter, 'stop');
      }
      this.#queue.run(2 * SPAWN_BATCH);
    }
    if (this.#waiting.length > 0 || this.#queue.run(budget)) return true;
    this.phase = 'check';
    return false;
  }
}
