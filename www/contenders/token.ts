/** The token that goes round every ring: alone in its file, since workers load nothing else of the ring. */

/** What a token carries besides its count. */
export const TEXT = 'a message goes round a ring of actors';

/** Plain data, so that it can be posted to a worker too. Its counts stay exact: no run has more than 2^53 - 1 hops. */
export interface Token {
  readonly type: 'token';
  passes: number;
  /** The count of passes at which the current lap ends. */
  lapEnd: number;
  readonly actors: number;
  lapsLeft: number;
  /** Laps that ended at home with the text whole. */
  goodLaps: number;
  readonly home: number;
  readonly text: string;
}

/** Ends a lap; says whether it was the last. */
export function endLap(token: Token, place: number): boolean {
  if (place === token.home && token.text === TEXT) token.goodLaps++;
  token.lapEnd += token.actors;
  token.lapsLeft--;
  return token.lapsLeft === 0;
}
