/** One line on a terminal that shows how far a run is, and gives way to the lines that stay. */

import type { Progress } from '../measure';
import { duration } from '../words';

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Ten times a second: as fast as one reads figures that change. */
const REDRAW_MS = 100;
const USUAL_COLUMNS = 80;

export class ProgressLine {
  readonly #screen: Screen;
  readonly #now: () => number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #length = 0;

  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
  }

  get isShown(): boolean {
    return this.#screen.isTTY === true;
  }

  /** Drops what comes sooner than it could be read. */
  show(text: string): void {
    const now = this.#now();
    if (!this.isShown || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#draw(text);
  }

  clear(): void {
    if (this.#length > 0) this.#draw('');
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }

  /** Blanks instead of a control sequence, which not every terminal knows; a full line would wrap. */
  #draw(text: string): void {
    const cut = text.slice(0, Math.max(0, (this.#screen.columns || USUAL_COLUMNS) - 1));
    const rest = ' '.repeat(Math.max(0, this.#length - cut.length));
    this.#screen.write(`\r${cut}${rest}${cut === '' ? '\r' : ''}`);
    this.#length = cut.length;
  }
}

/** `actors/handler: warm-up, 42 %, 13.8 ns per hop so far`. */
export function progressText(progress: Progress, per: string): string {
  const { contender, stage, share, nsSoFar } = progress;
  const percent = `${Math.floor(share * 100)} %`;
  const soFar = nsSoFar === null ? [] : [`${duration(nsSoFar)} per ${per} so far`];
  return `${contender}: ${[stage, percent, ...soFar].join(', ')}`;
}
