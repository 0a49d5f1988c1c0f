/**
 * The ruler: a logarithmic scale from 1 ns to 10 ms as a strip with its marks inside, what was measured now on one side
 * of it, history on the other. Pure: points and a width become shapes; `ruler-view.ts` draws them, `ruler-text.ts`
 * writes them as a file of their own. No leader crosses a label, by construction.
 */

import { lieDown } from './ruler-lying';
import type { RulerLayout, RulerPoint } from './ruler-shapes';
import { standUpright } from './ruler-upright';
import { duration } from './words';

/** Below this width a lying ruler has no room for its marks. */
export const UPRIGHT_BELOW = 560;

export function layoutRuler(points: readonly RulerPoint[], width: number): RulerLayout {
  const sorted = points
    .filter(({ ns }) => Number.isFinite(ns) && ns > 0)
    .sort((a, b) => a.ns - b.ns);
  const lying = width < UPRIGHT_BELOW ? null : lieDown(sorted, width);
  return lying ?? standUpright(sorted, width);
}

/** The same order that the picture has, in words. */
export function rulerList(points: readonly RulerPoint[]): string[] {
  return [...points]
    .sort((a, b) => a.ns - b.ns)
    .map(
      ({ label, ns, kind }) => `${label}: ${duration(ns)}${kind === 'history' ? ' (history)' : ''}`,
    );
}
