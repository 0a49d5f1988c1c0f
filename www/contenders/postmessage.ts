/**
 * workers/postmessage: each actor is a Web Worker, and a message is posted from worker to worker, without this one in
 * between. What is measured is what browsers have for a process.
 *
 * Here a slice has no budget: it lasts until something is heard from a worker.
 */

import type { RingWorkload, SpawnWorkload } from '../params';
import type { AsyncRun, RunReport } from '../sample';
import type { ActorCounts, FromActor, RingPorts, ToActor } from './postmessage-actor';
import { hopsOf, RingTally, startOf, tokenFor } from './ring';
import { spawnReport } from './spawn';

export function start(workload: RingWorkload | SpawnWorkload): AsyncRun {
  if (typeof Worker !== 'function')
    throw new Error(
      'workers/postmessage needs workers that can start workers, and there are none here',
    );
  return workload.name === 'ring' ? new WorkerRing(workload) : new WorkerSpawn(workload);
}

/** Nothing heard for so long means that something may be lost: the workers of a ring tell of laps far more often. */
const QUIET_MS = 1000;

/** After so many quiet spells without a change a phase is given up, and the checks say what is missing. */
const PATIENCE = 5;
/** A hundred workers that load over a slow line take their time. */
const STARTING_PATIENCE = 20;

interface Waiting {
  isOver(): boolean;
  /** A number that changes as long as the phase gets on. */
  mark(): number;
  readonly patience: number;
  onQuiet?(): void;
}

/** The workers of a run. Nobody else has them, so that `endAll` leaves none. */
class Crew {
  readonly #workers = new Map<number, Worker>();
  readonly #hear: (place: number, message: FromActor) => void;
  #wake: (isHeard: boolean) => void = () => {};
  #failure: Error | null = null;
  #quietSpells = 0;

  constructor(hear: (place: number, message: FromActor) => void) {
    this.#hear = hear;
  }

  start(place: number, ring: RingPorts | null): void {
    const worker = new Worker(new URL('./postmessage-actor.ts', import.meta.url), {
      type: 'module',
      name: `actor ${place}`,
    });
    this.#workers.set(place, worker);
    worker.onmessage = ({ data }: MessageEvent<FromActor>) => {
      this.#hear(place, data);
      this.#wake(true);
    };
    worker.onmessageerror = () => this.#fail(`a message of actor ${place} could not be read`);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(`the worker of actor ${place} failed: ${event.message || 'it could not start'}`);
    };
    const message: ToActor = { type: 'start', ring };
    worker.postMessage(message, ring === null ? [] : [ring.previous, ring.next]);
  }

  tell(place: number, message: ToActor): void {
    this.#workers.get(place)?.postMessage(message);
  }

  tellAll(message: ToActor): void {
    for (const worker of this.#workers.values()) worker.postMessage(message);
  }

  /** A slice: until something is heard. False when the phase is over, or isn't worth waiting for any more. */
  async slice({ isOver, mark, patience, onQuiet }: Waiting): Promise<boolean> {
    const before = mark();
    const isHeard = isOver() || (await this.#news());
    if (this.#failure !== null) throw this.#failure;
    if (mark() !== before) this.#quietSpells = 0;
    if (!isHeard) {
      this.#quietSpells++;
      onQuiet?.();
    }
    const hasMore = !isOver() && this.#quietSpells < patience;
    if (!hasMore) this.#quietSpells = 0;
    return hasMore;
  }

  end(place: number): void {
    this.#workers.get(place)?.terminate();
    this.#workers.delete(place);
  }

  endAll(): void {
    for (const place of [...this.#workers.keys()]) this.end(place);
  }

  #news(): Promise<boolean> {
    return new Promise((resolve) => {
      const quiet = setTimeout(() => resolve(false), QUIET_MS);
      this.#wake = (isHeard) => {
        clearTimeout(quiet);
        resolve(isHeard);
      };
    });
  }

  #fail(message: string): void {
    this.#failure ??= new Error(message);
    this.#wake(true);
  }
}

class WorkerRing implements AsyncRun {
  phase: string | undefined = 'spawn';
  readonly #workload: RingWorkload;
  readonly #tally: RingTally;
  readonly #crew = new Crew((place, message) => this.#hear(place, message));
  readonly #laps = new Map<number, number>();
  readonly #counts = new Map<number, ActorCounts>();
  #begun = false;
  #up = 0;
  #launched = 0;
  #round = 0;

  constructor(workload: RingWorkload) {
    this.#workload = workload;
    this.#tally = new RingTally(workload);
  }

  get done(): number {
    if (this.phase === 'spawn') return this.#up;
    return this.phase === 'hop' ? this.#hopsKnown() : this.#tally.told;
  }

  get total(): number {
    return this.phase === 'hop' ? hopsOf(this.#workload) : this.#workload.actors;
  }

  async slice(): Promise<boolean> {
    if (!this.#begun) this.#begin();
    this.#begun = await this.#crew.slice(this.#waiting());
    if (!this.#begun) this.phase = this.#nextPhase();
    return this.#begun;
  }

  report(): RunReport {
    const counts = [...this.#counts.values()];
    const handled = sum(counts.map((count) => count.handled));
    return this.#tally.report(handled, {
      started: this.#up,
      sent: this.#launched + sum(counts.map((count) => count.sent)),
      received: handled + sum(counts.map((count) => count.launched)) + this.#tally.tokens,
      queued: 0,
      failures: [],
    });
  }

  free(): void {
    this.#crew.endAll();
  }

  #begin(): void {
    if (this.phase === 'spawn') this.#start();
    else if (this.phase === 'hop') this.#launch();
    else this.#ask();
  }

  #waiting(): Waiting {
    const { actors } = this.#workload;
    switch (this.phase) {
      case 'spawn':
        return {
          isOver: () => this.#up === actors,
          mark: () => this.#up,
          patience: STARTING_PATIENCE,
        };
      case 'hop':
        return {
          isOver: () => this.#tally.allTokens,
          mark: () => this.#hopsKnown() + this.#tally.tokens,
          patience: PATIENCE,
          onQuiet: () => this.#ask(),
        };
      default:
        return {
          isOver: () => this.#tally.told === actors,
          mark: () => this.#tally.told,
          patience: PATIENCE,
        };
    }
  }

  #nextPhase(): string | undefined {
    if (this.phase === 'check') return undefined;
    return this.phase === 'spawn' && this.#workload.laps > 0 ? 'hop' : 'check';
  }

  #start(): void {
    const { actors } = this.#workload;
    const toNext = Array.from({ length: actors }, () => new MessageChannel());
    for (let place = 0; place < actors; place++) {
      const previous = toNext[(place + actors - 1) % actors]!.port2;
      this.#crew.start(place, { place, previous, next: toNext[place]!.port1 });
    }
  }

  #launch(): void {
    for (let k = 0; k < this.#workload.tokens; k++) {
      const home = startOf(k, this.#workload);
      this.#crew.tell(home, { type: 'launch', token: tokenFor(home, this.#workload) });
      this.#launched++;
    }
  }

  #ask(): void {
    this.#round++;
    this.#crew.tellAll({ type: 'count', round: this.#round });
  }

  #hear(place: number, message: FromActor): void {
    switch (message.type) {
      case 'up':
        this.#up++;
        break;
      case 'laps':
        this.#laps.set(place, message.laps);
        break;
      case 'home':
        this.#tally.takeToken(message.token);
        break;
      case 'counts':
        this.#counts.set(place, message.counts);
        // An answer to an earlier question has its say in the progress alone.
        if (this.phase === 'check' && message.round === this.#round)
          this.#tally.takeShare(message.counts.handled);
    }
  }

  /** What the workers have told so far, of laps or when they were asked. */
  #hopsKnown(): number {
    const laps = sum([...this.#laps.values()]);
    const handled = sum([...this.#counts.values()].map((count) => count.handled));
    return Math.max(laps * this.#workload.actors, handled);
  }
}

class WorkerSpawn implements AsyncRun {
  phase: string | undefined = 'spawn';
  readonly #actors: number;
  readonly #crew = new Crew((place, message) => this.#hear(place, message));
  #begun = false;
  #spawned = 0;
  #up = 0;
  #mostAlive = 0;
  #stopped = 0;

  constructor(workload: SpawnWorkload) {
    this.#actors = workload.actors;
  }

  get done(): number {
    return this.phase === 'spawn' ? this.#up : this.#stopped;
  }

  get total(): number {
    return this.#actors;
  }

  async slice(): Promise<boolean> {
    if (this.phase === 'check') {
      this.phase = undefined;
      return false;
    }
    const isSpawning = this.phase === 'spawn';
    if (!this.#begun && isSpawning) this.#start();
    else if (!this.#begun) this.#crew.tellAll({ type: 'end' });
    this.#begun = await this.#crew.slice({
      isOver: () => this.done === this.#actors,
      mark: () => this.done,
      patience: isSpawning ? STARTING_PATIENCE : PATIENCE,
    });
    if (this.#begun) return true;
    if (isSpawning) this.#mostAlive = this.#up;
    this.phase = isSpawning ? 'stop' : 'check';
    return false;
  }

  report(): RunReport {
    return spawnReport(this.#actors, {
      spawned: this.#spawned,
      started: this.#up,
      stopped: this.#stopped,
      mostAlive: this.#mostAlive,
      stopsHandled: this.#stopped,
      sent: 2 * this.#spawned,
      received: this.#up + this.#stopped,
      queued: 0,
      failures: [],
    });
  }

  free(): void {
    this.#crew.endAll();
  }

  #start(): void {
    for (; this.#spawned < this.#actors; this.#spawned++) this.#crew.start(this.#spawned, null);
  }

  #hear(place: number, { type }: FromActor): void {
    if (type === 'up') this.#up++;
    if (type !== 'ended') return;
    this.#crew.end(place);
    this.#stopped++;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
