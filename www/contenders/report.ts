/** Reports as the wasm gives them: checks with both numbers, and what each phase's time is divided by. */

import type { Check, Failure } from '../result';
import type { RunReport } from '../sample';

/** What a contender has counted of its messages and actors. */
export interface Books {
  readonly started: number;
  readonly sent: number;
  readonly received: number;
  /** Sent and neither received nor dropped. */
  readonly queued: number;
  readonly failures: readonly Failure[];
}

export function check(name: string, expected: number, counted: number): Check {
  return { name, expected, counted, ok: expected === counted };
}

/** Nothing here drops a message, but the check is the same one. */
export function bookCheck({ sent, received, queued }: Books): Check {
  return check('sent = received + queued + dropped', sent, received + queued);
}

/** What a runtime has reserved can't be known here, so there are no bytes per actor. */
export function reportOf(
  checks: readonly Check[],
  units: Readonly<Record<string, number>>,
  { failures }: Pick<Books, 'failures'>,
): RunReport {
  return { ok: checks.every(({ ok }) => ok), checks, units, memory: null, failures };
}

export function failureOf(actor: string, error: unknown): Failure {
  return { actor, message: error instanceof Error ? error.message : String(error), place: null };
}
