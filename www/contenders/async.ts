/**
 * js/async: each actor is an async function that awaits its mailbox's next message, as one would write actors in
 * JavaScript by hand. The scheduler is the engine's own queue of microtasks.
 */

import type { RingWorkload, SpawnWorkload } from '../params';
import type { Failure } from '../result';
import type { AsyncRun, RunReport } from '../sample';
import { EventLoop } from './event-loop';
import { failureOf } from './report';
import { hopsOf, RingTally, startOf, tokenFor } from './ring';
import { spawnReport } from './spawn';
import { endLap, type Token } from './token';

export function start(workload: RingWorkload | SpawnWorkload): AsyncRun {
  return workload.name === 'ring' ? new AsyncRing(workload) : new AsyncSpawn(workload);
}

const MOST_FAILURES = 64;

/** What all mailboxes of a run have counted. */
class Post {
  sent = 0;
  received = 0;
  queued = 0;
}

/** Has one reader. A message goes straight to a reader that waits, and lies in wait for one that doesn't. */
export class Mailbox<M> {
  readonly #post: Post;
  readonly #messages: M[] = [];
  #reader: ((message: M) => void) | null = null;

  constructor(post: Post) {
    this.#post = post;
  }

  send(message: M): void {
    this.#post.sent++;
    if (this.#reader === null) {
      this.#post.queued++;
      this.#messages.push(message);
    } else {
      const reader = this.#reader;
      this.#reader = null;
      this.#post.received++;
      reader(message);
    }
  }

  receive(): Promise<M> {
    return new Promise((resolve) => {
      if (this.#messages.length === 0) {
        this.#reader = resolve;
      } else {
        this.#post.queued--;
        this.#post.received++;
        resolve(this.#messages.shift()!);
      }
    });
  }
}

/** The actors of a run, their books, and when a slice of their work is over. */
class World {
  readonly post = new Post();
  readonly failures: Failure[] = [];
  ended = 0;
  /** Ends the rest under way. */
  finish: () => void = () => {};
  readonly #loop = new EventLoop();
  #goal = Number.POSITIVE_INFINITY;

  spawn<M>(actor: (mailbox: Mailbox<M>) => Promise<void>): Mailbox<M> {
    const mailbox = new Mailbox<M>(this.post);
    actor(mailbox).then(this.#end, this.#fail);
    return mailbox;
  }

  /**
   * While the actors work: until `finish` is called, until so many of them have ended, or at the latest until nothing
   * goes on by itself any more, since all microtasks have run. So what was lost can't keep a run waiting.
   */
  rest(ended = Number.POSITIVE_INFINITY): Promise<void> {
    this.#goal = ended;
    return new Promise((resolve) => {
      this.finish = resolve;
      this.#loop.turn().then(resolve);
    });
  }

  free(): void {
    this.#loop.close();
  }

  readonly #end = (): void => {
    this.ended++;
    if (this.ended === this.#goal) this.finish();
  };

  readonly #fail = (error: unknown): void => {
    if (this.failures.length < MOST_FAILURES) this.failures.push(failureOf('an actor', error));
    this.#end();
  };
}

type RingMessage =
  | Token
  /** Closes the ring. */
  | { readonly type: 'next'; readonly next: Mailbox<RingMessage> }
  /** Starts a token on its way; not a hop, since no actor sent it. */
  | { readonly type: 'launch'; readonly token: Token }
  /** Goes once round when the run is over: tell the tally what you have handled. */
  | { readonly type: 'report'; actorsLeft: number };

/** An actor of the ring, which knows the next one. */
async function node(
  mailbox: Mailbox<RingMessage>,
  ring: AsyncRing,
  place: number,
  next: Mailbox<RingMessage> | null,
): Promise<void> {
  ring.started++;
  let handled = 0;
  for (;;) {
    const message = await mailbox.receive();
    switch (message.type) {
      case 'token':
        handled++;
        ring.hops++;
        message.passes++;
        if (message.passes === message.lapEnd && endLap(message, place)) {
          ring.takeToken(message);
        } else {
          if (ring.hops >= ring.holdAt) await ring.hold();
          next?.send(message);
        }
        break;
      case 'launch':
        next?.send(message.token);
        break;
      case 'next':
        next = message.next;
        ring.world.finish();
        break;
      case 'report':
        ring.tally.takeShare(handled);
        if (--message.actorsLeft > 0) next?.send(message);
    }
  }
}

class AsyncRing implements AsyncRun {
  phase: string | undefined = 'spawn';
  readonly world = new World();
  readonly tally: RingTally;
  started = 0;
  hops = 0;
  /** After so many hops whoever has a token holds it, since microtasks alone would never let the event loop in. */
  holdAt = 0;
  readonly #workload: RingWorkload;
  #spawned = 0;
  #first: Mailbox<RingMessage> | null = null;
  #last: Mailbox<RingMessage> | null = null;
  /** Where the tokens start, last token first. */
  readonly #starts: Mailbox<RingMessage>[] = [];
  #held: (() => void)[] = [];
  #begun = false;

  constructor(workload: RingWorkload) {
    this.#workload = workload;
    this.tally = new RingTally(workload);
  }

  get done(): number {
    if (this.phase === 'spawn') return this.#spawned;
    return this.phase === 'hop' ? this.hops : this.tally.told;
  }

  get total(): number {
    return this.phase === 'hop' ? hopsOf(this.#workload) : this.#workload.actors;
  }

  slice(budget: number): Promise<boolean> {
    if (this.phase === 'spawn') return this.#spawn(budget);
    return this.phase === 'hop' ? this.#hop(budget) : this.#check();
  }

  report(): RunReport {
    const { world, started } = this;
    return this.tally.report(this.hops, { started, ...world.post, failures: world.failures });
  }

  free(): void {
    this.world.free();
  }

  takeToken(token: Token): void {
    this.tally.takeToken(token);
    if (this.tally.allTokens) this.world.finish();
  }

  /** Resolves when the next slice begins. */
  hold(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }

  async #spawn(budget: number): Promise<boolean> {
    const { actors, laps } = this.#workload;
    const end = Math.min(actors, this.#spawned + budget);
    while (this.#spawned < end) this.#spawnOne();
    if (this.#spawned === actors && this.#last !== null)
      this.#first?.send({ type: 'next', next: this.#last });
    await this.world.rest();
    if (this.#spawned < actors) return true;
    this.phase = laps > 0 ? 'hop' : 'check';
    return false;
  }

  /** The next actor is spawned before the others, so places count down to 0, where the first token starts. */
  #spawnOne(): void {
    const { actors, tokens } = this.#workload;
    const place = actors - ++this.#spawned;
    const next = this.#last;
    const mailbox = this.world.spawn<RingMessage>((own) => node(own, this, place, next));
    this.#first ??= mailbox;
    this.#last = mailbox;
    const token = tokens - 1 - this.#starts.length;
    if (token >= 0 && startOf(token, this.#workload) === place) this.#starts.push(mailbox);
  }

  async #hop(budget: number): Promise<boolean> {
    this.holdAt = this.hops + budget;
    if (this.#begun) this.#release();
    else this.#launch();
    await this.world.rest();
    if (this.#held.length > 0) return true;
    this.phase = 'check';
    return false;
  }

  #launch(): void {
    this.#begun = true;
    for (let k = 0; k < this.#workload.tokens; k++) {
      const token = tokenFor(startOf(k, this.#workload), this.#workload);
      this.#starts.pop()!.send({ type: 'launch', token });
    }
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const go of held) go();
  }

  async #check(): Promise<boolean> {
    this.#last?.send({ type: 'report', actorsLeft: this.#workload.actors });
    await this.world.rest();
    this.phase = undefined;
    return false;
  }
}

/** Waits for one message, and ends. */
async function wait(mailbox: Mailbox<'stop'>, run: AsyncSpawn): Promise<void> {
  run.started++;
  await mailbox.receive();
  run.stopsHandled++;
}

class AsyncSpawn implements AsyncRun {
  phase: string | undefined = 'spawn';
  started = 0;
  stopsHandled = 0;
  readonly #world = new World();
  readonly #actors: number;
  readonly #waiting: Mailbox<'stop'>[] = [];
  #spawned = 0;
  #mostAlive = 0;

  constructor(workload: SpawnWorkload) {
    this.#actors = workload.actors;
  }

  get done(): number {
    return this.phase === 'spawn' ? this.#spawned : this.#world.ended;
  }

  get total(): number {
    return this.#actors;
  }

  async slice(budget: number): Promise<boolean> {
    if (this.phase === 'spawn') return this.#spawnSome(budget);
    if (this.phase === 'stop') return this.#stopSome(budget);
    this.phase = undefined;
    return false;
  }

  report(): RunReport {
    const { started, stopsHandled } = this;
    const { post, ended: stopped, failures } = this.#world;
    return spawnReport(this.#actors, {
      spawned: this.#spawned,
      started,
      stopped,
      mostAlive: this.#mostAlive,
      stopsHandled,
      ...post,
      failures,
    });
  }

  free(): void {
    this.#world.free();
  }

  async #spawnSome(budget: number): Promise<boolean> {
    const end = Math.min(this.#actors, this.#spawned + budget);
    for (; this.#spawned < end; this.#spawned++)
      this.#waiting.push(this.#world.spawn<'stop'>((mailbox) => wait(mailbox, this)));
    if (this.#spawned < this.#actors) {
      await this.#world.rest();
      return true;
    }
    this.#mostAlive = this.started - this.#world.ended;
    this.phase = 'stop';
    return false;
  }

  async #stopSome(budget: number): Promise<boolean> {
    for (let left = budget; left > 0 && this.#waiting.length > 0; left--)
      this.#waiting.pop()?.send('stop');
    const hasMore = this.#waiting.length > 0;
    await this.#world.rest(hasMore ? undefined : this.#actors);
    if (!hasMore) this.phase = 'check';
    return hasMore;
  }
}
