/**
 * What all rings of the browser's own contenders share: the token, where tokens start, and the tally that is told at
 * the end. The ring and its checks are those of the workload in Rust, under the same names.
 */

import type { RingWorkload } from '../params';
import type { RunReport } from '../sample';
import { type Books, bookCheck, check, reportOf } from './report';
import { TEXT, type Token } from './token';

/** Token k starts at actor ⌊k · actors / tokens⌋. */
export function startOf(k: number, { actors, tokens }: RingWorkload): number {
  return Math.floor((k * actors) / tokens);
}

export function tokenFor(home: number, { actors, laps }: RingWorkload): Token {
  return {
    type: 'token',
    passes: 0,
    lapEnd: actors,
    actors,
    lapsLeft: laps,
    goodLaps: 0,
    home,
    text: TEXT,
  };
}

export function hopsOf({ actors, laps, tokens }: RingWorkload): number {
  return actors * laps * tokens;
}

/** What came back from a ring, token by token and actor by actor. */
export class RingTally {
  readonly #workload: RingWorkload;
  /** Actors that have told their share. */
  told = 0;
  tokens = 0;
  #passes = 0;
  #goodLaps = 0;
  #wholeTexts = 0;
  #handled = 0;
  #fairShares = 0;

  constructor(workload: RingWorkload) {
    this.#workload = workload;
  }

  get allTokens(): boolean {
    return this.tokens === this.#workload.tokens;
  }

  takeToken(token: Token): void {
    this.tokens++;
    this.#passes += token.passes;
    this.#goodLaps += token.goodLaps;
    if (token.text === TEXT) this.#wholeTexts++;
  }

  takeShare(handled: number): void {
    this.told++;
    this.#handled += handled;
    if (handled === this.#workload.laps * this.#workload.tokens) this.#fairShares++;
  }

  report(hops: number, books: Books): RunReport {
    const { actors, laps, tokens } = this.#workload;
    const expected = hopsOf(this.#workload);
    const back = laps > 0 ? tokens : 0;
    return reportOf(
      [
        check('hops', expected, hops),
        check('handled by actors', expected, this.#handled),
        check('passes of tokens', expected, this.#passes),
        check('laps that ended at home', laps * tokens, this.#goodLaps),
        check('texts whole', back, this.#wholeTexts),
        check('tokens back', back, this.tokens),
        check('actors with their share', actors, this.#fairShares),
        check('started', actors, books.started),
        check('failed', 0, books.failures.length),
        bookCheck(books),
      ],
      { spawn: actors, ...(expected > 0 ? { hop: expected } : {}) },
      books,
    );
  }
}
