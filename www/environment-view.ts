/** Where a run took place, as far as it is known: what must be alike before two results can be compared. */

import { css, html, type TemplateResult } from 'lit';
import type { WorkWorkload } from './params';
import type { Result } from './result';
import { count, duration, percent, plural } from './words';

const UNKNOWN = 'unknown';

export function environmentView(result: Result): TemplateResult {
  return html`<details id="environment">
    <summary>Where this ran</summary>
    <dl>
      ${environmentRows(result).map(
        ([name, value]) => html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
      )}
    </dl>
  </details>`;
}

export function environmentRows(result: Result): (readonly [name: string, value: string])[] {
  const { environment, clock, coldToWarm, threads, workload, at } = result;
  const { browser, engine, cores, isolated, hiddenSeconds, hints, build } = environment;
  return [
    ['browser', words([browser?.name, browser?.version])],
    ['engine', engine ?? UNKNOWN],
    ['system, as the browser says', words([hints?.platform, hints?.platformVersion])],
    ['architecture, as the browser says', words([hints?.architecture, hints?.model])],
    ['cores reported', cores === null ? UNKNOWN : count(cores)],
    ['threads', threadsRow(threads)],
    ...(workload.name === 'work' ? [['work of a message', workRow(workload)] as const] : []),
    ['page isolated', isolated === null ? UNKNOWN : isolated ? 'yes' : 'no'],
    ['clock step', clock.stepMs === null ? UNKNOWN : duration(clock.stepMs * 1e6)],
    [
      'clock error of a sample',
      clock.errorPercent === null ? UNKNOWN : percent(clock.errorPercent),
    ],
    ['first, cold sample', coldToWarm === null ? UNKNOWN : `${count(coldToWarm)} times the median`],
    ['page hidden', hiddenSeconds === null ? UNKNOWN : `${hiddenSeconds.toFixed(1)} s`],
    ['build', words([build.version, build.commit])],
    ['wasm', build.wasmBytes === null ? UNKNOWN : `${count(build.wasmBytes)} bytes`],
    ['at', at],
  ];
}

function threadsRow({ asked, granted, used }: Result['threads']): string {
  return `${count(asked)} asked, ${count(granted)} granted, ${count(used)} used`;
}

function workRow({ workNs, rounds }: WorkWorkload): string {
  return `${duration(workNs)}${rounds === null ? '' : `, ${plural(rounds, 'round')} by calibration`}`;
}

function words(parts: readonly (string | null | undefined)[]): string {
  return (
    parts.filter((part) => part !== null && part !== undefined && part !== '').join(' ') || UNKNOWN
  );
}

export const environmentStyles = css`
  #environment dl { margin: 0.5rem 0 0; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
  #environment dl > div { display: grid; grid-template-columns: minmax(7rem, 2fr) minmax(0, 5fr); gap: 0 1rem; padding-block: 0.15rem; border-block-end: 1px solid var(--rs-rule); }
  #environment dt { color: var(--rs-muted); }
  #environment dd { margin: 0; overflow-wrap: anywhere; }
`;
