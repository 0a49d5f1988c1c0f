/** A run under way: a bar, what is being done, and each contender's figure so far. */

import { css, html, type TemplateResult } from 'lit';
import type { Progress } from './measure';
import type { ContenderName } from './params';
import { CONTENDER_WORDS, count, duration } from './words';

const PHASE_WORDS: Readonly<Record<string, string>> = {
  spawn: 'actors',
  hop: 'hops',
  stop: 'stops',
  spawnStop: 'actors',
  leaf: 'leaves',
  check: 'checking',
};

export function progressView(
  isWaiting: boolean,
  progress: Progress | null,
  soFar: ReadonlyMap<ContenderName, number>,
): TemplateResult {
  const words = isWaiting
    ? 'Another run on this page goes first; this one waits'
    : phaseWords(progress);
  const figures = [...soFar].map(
    ([contender, ns]) => `${CONTENDER_WORDS[contender].short} ${duration(ns)}`,
  );
  return html`<div class="progress">
    <label for="progress" id="phase">${words}</label>
    <progress id="progress" max="1" .value=${progress?.share ?? 0}></progress>
    <span id="figure">${figures.length === 0 ? '' : `So far: ${figures.join(', ')}`}</span>
  </div>`;
}

function phaseWords(progress: Progress | null): string {
  if (progress === null) return 'Starting';
  const stage = {
    loading: 'loading the wasm',
    cold: 'the first, cold sample',
    'warm-up': 'warming up',
    sample: `sample ${progress.kept + 1}`,
  }[progress.stage];
  const phase =
    progress.phase === null
      ? ''
      : `, ${PHASE_WORDS[progress.phase] ?? progress.phase} ${count(progress.done)} of ${count(progress.total)}`;
  return `${CONTENDER_WORDS[progress.contender].short}: ${stage}${phase}`;
}

export const progressStyles = css`
  .progress { display: grid; gap: 0.3rem; margin-block: 1rem 0; font-size: 0.875rem; color: var(--rs-muted); font-variant-numeric: tabular-nums; }
  progress { width: 100%; height: 0.5rem; accent-color: var(--rs-accent); }
  #figure { min-height: 1.5em; color: var(--rs-ink); }
`;
