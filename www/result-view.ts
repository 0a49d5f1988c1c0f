/** Results in plain words, then as tables. A run that failed its checks shows both numbers and no figure. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { type Measure, mainMeasure, type Result } from './result';
import {
  CONTENDER_WORDS,
  count,
  duration,
  durationRange,
  percent,
  plural,
  rate,
  sizes,
} from './words';

type MeasureName = 'hop' | 'spawn' | 'stop' | 'spawnStop' | 'memory';

const MEASURE_WORDS: Readonly<Record<MeasureName, string>> = {
  hop: 'a message hop',
  spawn: 'spawning an actor',
  stop: 'stopping an actor',
  spawnStop: 'spawning and stopping an actor',
  memory: 'memory of a live actor',
};

/** The result that the page is about: the first that isn't the floor. */
export function headline(results: readonly Result[]): Result | undefined {
  return results.find(({ contender }) => contender !== 'floor') ?? results[0];
}

export function browserWords({ environment: { browser } }: Result): string {
  return browser === null
    ? 'this browser'
    : `${browser.name} ${browser.version?.split('.')[0] ?? ''}`.trim();
}

/** The measure that counts, in one sentence: also what is announced at the end. */
export function resultSentence(result: Result): string {
  const { name, measure } = mainMeasure(result);
  if (result.state === 'failed')
    return `${result.contender} failed: ${result.message ?? 'for an unknown reason'}.`;
  if (result.state === 'stopped') return `${result.contender} ${result.message ?? 'was stopped'}.`;
  if (measure === null) return `${result.contender}: nothing to time (0 hops).`;
  return `${MEASURE_WORDS[name]}: ${duration(measure.median)}, that is ${rate(measure.median)}`;
}

export function resultView(results: readonly Result[]): TemplateResult | typeof nothing {
  const first = headline(results);
  if (first === undefined) return nothing;
  const complete = results.filter(({ state }) => state === 'complete');
  const rest = results.filter(({ state }) => state !== 'complete');
  return html`
    <output id="result" aria-live="off">${headlineView(first, results)}</output>
    ${rest.map(failureView)}
    ${complete.length === 0 ? nothing : html`${measuresTable(complete)} ${sureView(complete)}`} ${checksView(results)}
  `;
}

function headlineView(first: Result, results: readonly Result[]): TemplateResult | typeof nothing {
  if (first.state !== 'complete') return nothing;
  const { name, measure } = mainMeasure(first);
  if (measure === null) return html`<p class="headline">${resultSentence(first)}</p>`;
  const floor = results.find(
    ({ contender, state }) => contender === 'floor' && state === 'complete',
  );
  const floorNs =
    floor === undefined || floor === first ? undefined : mainMeasure(floor).measure?.median;
  return html`<p class="headline">
      ${capital(MEASURE_WORDS[name])}: <strong>${duration(measure.median)}</strong>, that is ${rate(measure.median)}.
    </p>
    <p class="under">
      ${capital(CONTENDER_WORDS[first.contender].short)}, ${sizes(first.workload)}, in
      ${browserWords(first)}.${measure.ci95 === null ? '' : ` The 95 % interval is ${durationRange(measure.ci95)}.`}${
        floorNs === undefined
          ? ''
          : ` That is ${count(Number((measure.median / floorNs).toPrecision(2)))} times the floor.`
      }
    </p>`;
}

function failureView(result: Result): TemplateResult {
  return html`<div class="failure" data-state=${result.state} data-contender=${result.contender}>
    <p><strong>${CONTENDER_WORDS[result.contender].short}</strong> ${result.state === 'failed' ? `failed: ${result.message}` : result.message}.</p>
    ${partialView(result)}
  </div>`;
}

/** Whole samples kept before Stop are true figures, but not a whole run. */
function partialView(result: Result): TemplateResult | typeof nothing {
  const { name, measure } = mainMeasure(result);
  if (result.state !== 'stopped' || measure === null) return nothing;
  return html`<p class="hint">Until then ${MEASURE_WORDS[name]} took ${duration(measure.median)}; a stopped run is not a full result.</p>`;
}

function measuresTable(results: readonly Result[]): TemplateResult {
  return html`<table id="results">
    <caption class="unseen">
      Figures of this run
    </caption>
    <thead>
      <tr>
        <th scope="col"><span class="unseen">What</span></th>
        <th scope="col">median</th>
        <th scope="col">95 % interval</th>
        <th scope="col">first, cold</th>
      </tr>
    </thead>
    ${results.map(
      (result) => html`<tbody data-contender=${result.contender} data-state=${result.state}>
        <tr>
          <th scope="rowgroup" colspan="4">${CONTENDER_WORDS[result.contender].short} <span class="aside">${CONTENDER_WORDS[result.contender].long}</span></th>
        </tr>
        ${Object.entries(result.measures).map(([name, measure]) => measureRow(name as MeasureName, measure as Measure | null, result))}
      </tbody>`,
    )}
  </table>`;
}

function measureRow(name: MeasureName, measure: Measure | null, result: Result): TemplateResult {
  const words = MEASURE_WORDS[name];
  if (measure === null) {
    return html`<tr data-measure=${name}>
      <th scope="row">${words}</th>
      <td colspan="3" class="aside">${whyNull(name, result)}</td>
    </tr>`;
  }
  const show = (value: number): string =>
    measure.unit === 'ns' ? duration(value) : `${count(value)} bytes`;
  const interval =
    measure.ci95 === null
      ? 'n/a'
      : measure.unit === 'ns'
        ? durationRange(measure.ci95)
        : `${count(measure.ci95[0])} to ${count(measure.ci95[1])}`;
  return html`<tr data-measure=${name}>
    <th scope="row">${words}</th>
    <td><strong>${show(measure.median)}</strong></td>
    <td>${interval}</td>
    <td>${measure.cold === null ? '' : show(measure.cold)}</td>
  </tr>`;
}

function whyNull(name: MeasureName, { contender, workload }: Result): string {
  if (name === 'hop' && workload.name === 'ring' && workload.laps === 0)
    return 'n/a: no laps, no hops';
  if (contender === 'floor')
    return name === 'memory' ? 'the floor has no actors' : 'the floor has only the sum';
  return name === 'memory' ? 'not known' : 'too short for this clock';
}

function sureView(results: readonly Result[]): TemplateResult {
  const first = results[0]!;
  const { measure } = mainMeasure(first);
  const samples = measure?.samples.length ?? 0;
  const { stepMs, errorPercent } = first.clock;
  const { isolated, hiddenSeconds } = first.environment;
  const isCold = results.some(({ warmUp }) => warmUp?.agreed === false);
  return html`<p id="sure">
      <strong>How sure:</strong> ${plural(samples, 'sample')} from ${plural(first.instances?.length ?? 0, 'fresh instance')} of the
      wasm, after warm-up${first.coldToWarm === null ? '' : `; the first, cold sample took ${count(Number(first.coldToWarm.toPrecision(2)))} times as long as the median`}.
      ${stepMs === null ? '' : `The clock moves in steps of ${duration(stepMs * 1e6)}`}${errorPercent === null ? '.' : `, so a figure may be off by ${errorPercent < 0.01 ? 'less than 0.01 %' : `up to ${percent(errorPercent)}`}.`}
      ${isolated === false ? 'This page is not isolated, so the browser keeps its clock coarse.' : ''} ${isCold ? 'Samples did not settle within the time for warm-up.' : ''}
    </p>
    ${
      hiddenSeconds !== null && hiddenSeconds > 0
        ? html`<p id="hidden" class="warning">The page was hidden for ${count(hiddenSeconds)} s of this run: not comparable with a run in front.</p>`
        : nothing
    }`;
}

function checksView(results: readonly Result[]): TemplateResult | typeof nothing {
  const checked = results.filter(({ checks }) => checks.items.length > 0);
  if (checked.length === 0) return nothing;
  const isOk = checked.every(({ checks }) => checks.items.every(({ ok }) => ok));
  return html`<details id="checks" ?open=${!isOk}>
    <summary>${isOk ? `Verified: ${summaryOf(checked)}` : 'Not verified: the counters do not match'}</summary>
    <table>
      <caption class="unseen">
        What had to be counted, and what was
      </caption>
      <thead>
        <tr>
          <th scope="col">contender, check</th>
          <th scope="col">expected</th>
          <th scope="col">counted</th>
          <th scope="col"><span class="unseen">Verdict</span></th>
        </tr>
      </thead>
      <tbody>
        ${checked.flatMap(({ contender, checks }) =>
          checks.items.map(
            ({ name, expected, counted, ok }) => html`<tr data-check=${name} data-ok=${String(ok)}>
              <th scope="row">${CONTENDER_WORDS[contender].short}, ${name}</th>
              <td>${count(expected)}</td>
              <td>${count(counted)}</td>
              <td>${ok ? 'right' : 'wrong'}</td>
            </tr>`,
          ),
        )}
      </tbody>
    </table>
  </details>`;
}

/** The first check of each contender is the one that its workload is named for. */
function summaryOf(results: readonly Result[]): string {
  const first = headline(results)!.checks.items[0]!;
  const total = results.reduce((sum, { checks }) => sum + checks.items.length, 0);
  return `${count(first.counted)} of ${count(first.expected)} ${first.name} counted in each sample; ${plural(total, 'check')}, all right`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const resultStyles = css`
  output { display: block; }
  .headline { font-family: var(--rs-serif); font-size: clamp(1.25rem, 1rem + 1.6vw, 1.625rem); line-height: 1.3; margin: 0 0 0.35rem; text-wrap: balance; }
  .headline strong { color: var(--rs-accent); white-space: nowrap; }
  .under { margin: 0; color: var(--rs-muted); }
  .failure { border-inline-start: 3px solid var(--rs-accent); padding-inline-start: 0.75rem; overflow-wrap: anywhere; }
  .failure p { margin: 0 0 0.25rem; }
  .warning { border-inline-start: 3px solid var(--rs-accent); padding-inline-start: 0.75rem; }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 0.9375rem; }
  th, td { text-align: end; font-weight: 400; padding: 0.3rem 0 0.3rem 0.75rem; border-block-end: 1px solid var(--rs-rule); vertical-align: baseline; }
  td strong, td:last-child { white-space: nowrap; }
  th:first-child { text-align: start; padding-inline-start: 0; }
  thead th { color: var(--rs-muted); font-size: 0.8125rem; }
  th[scope='rowgroup'] { padding-block-start: 1rem; font-weight: 600; }
  @media (max-width: 30rem) {
    table { font-size: 0.8125rem; }
    th, td { padding-inline-start: 0.4rem; }
    thead th, .aside { font-size: 0.75rem; }
  }
  .aside { color: var(--rs-muted); font-weight: 400; font-size: 0.8125rem; }
  td.aside { text-align: end; }
  summary { cursor: pointer; }
  details table { margin-block-start: 0.5rem; }
`;
