import { clockStep } from '../sample';

/** Several times what it takes; little beside loading. */
const CLOCK_WARM_UP_MS = 10;

/**
 * Node's clock ticks in nanoseconds, so its step is what one reading takes, and that is 20 times as much as long as
 * the code that measures it is interpreted. Samples would be as many times longer than they need be.
 */
export function warmUpClock(): void {
  const start = performance.now();
  while (performance.now() - start < CLOCK_WARM_UP_MS) clockStep(() => performance.now());
}
