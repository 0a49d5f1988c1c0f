/** Runs on one page take turns, so that their times don't mix. */

let last: Promise<void> = Promise.resolve();
let waiting = 0;

/** Is a run on this page under way or waiting? */
export function isTurnTaken(): boolean {
  return waiting > 0;
}

/** Resolves when it is this caller's turn; call what comes back when it is over. */
export async function takeTurn(): Promise<() => void> {
  const before = last;
  let over = (): void => {};
  last = new Promise((resolve) => {
    over = resolve;
  });
  waiting++;
  await before;
  return () => {
    waiting--;
    over();
  };
}
