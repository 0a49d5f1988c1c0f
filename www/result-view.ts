/** Results in plain words, then as tables. A run that failed its checks shows both numbers and no figure. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { environmentStyles, environmentView } from './environment-view';
import type { Workload } from './params';
import { type MainName, type Measure, mainMeasure, type Ratio, type Result } from './result';
import { samplePlotStyles, samplePlots } from './sample-plot-view';
import {
  CONTENDER_WORDS,
  capital,
  caveats,
  count,
  duration,
  durationRange,
  plural,
  poolSentence,
  rate,
  showsNoDifference,
  sizes,
  sureSentence,
  threadsWords,
  times,
  timesRange,
} from './words';

type MeasureName = MainName | 'stop' | 'memory';

const MEASURE_WORDS: Readonly<Record<MeasureName, string>> = {
  hop: 'a message hop',
  spawn: 'spawning an actor',
  stop: 'stopping an actor',
  spawnStop: 'spawning and stopping an actor',
  leaf: 'a leaf of the tree',
  memory: 'memory of a live actor',
};

function measureWords(name: MeasureName, workload: Workload): string {
  return name === 'hop' && workload.name === 'work'
    ? `a message with ${duration(workload.workNs)} of work`
    : MEASURE_WORDS[name];
}

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
  const threads = threadsWords(result);
  return `${measureWords(name, result.workload)}: ${duration(measure.median)}, that is ${rate(measure.median)}${threads === null ? '' : `, ${threads}`}`;
}

export function resultView(
  results: readonly Result[],
  width: number,
): TemplateResult | typeof nothing {
  const first = headline(results);
  if (first === undefined) return nothing;
  const complete = results.filter(({ state }) => state === 'complete');
  const rest = results.filter(({ state }) => state !== 'complete');
  return html`
    <output id="result" aria-live="off">${headlineView(first)}</output>
    ${sureView(first, results)} ${rest.map(failureView)}
    ${complete.length === 0 ? nothing : measuresTable(complete, first)} ${samplePlots(results, width)}
    ${checksView(results)} ${poolView(results)} ${environmentView(first)}
  `;
}

function headlineView(first: Result): TemplateResult | typeof nothing {
  if (first.state !== 'complete') return nothing;
  const { name, measure } = mainMeasure(first);
  if (measure === null) return html`<p class="headline">${resultSentence(first)}</p>`;
  const ratio = ratioTo(first, 'floor');
  const threads = threadsWords(first);
  return html`<p class="headline">
      ${capital(measureWords(name, first.workload))}: <strong>${duration(measure.median)}</strong>, that is ${rate(measure.median)}.
    </p>
    <p class="under">
      ${capital(CONTENDER_WORDS[first.contender].short)}, ${sizes(first.workload)}, in
      ${browserWords(first)}${threads === null ? '' : `, ${threads}`}.${ratio === null ? '' : showsNoDifference(ratio) ? ' No difference to the floor is shown.' : ` That is ${times(ratio.ratio)} times the floor.`}
    </p>`;
}

/** How sure the figure of the page is, and what stands against any figure of the run. */
function sureView(first: Result, results: readonly Result[]): TemplateResult | typeof nothing {
  const against = caveats([first, ...results]);
  return html`${first.state === 'failed' ? nothing : html`<p id="sure"><strong>How sure:</strong> ${unbroken(sureSentence(first))} <a href="./measuring.html">How it is measured</a></p>`}
    ${against.length === 0 ? nothing : html`<ul id="caveats" class="warning">${against.map((text) => html`<li>${unbroken(text)}</li>`)}</ul>`}`;
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
  return html`<p class="hint">Until then ${measureWords(name, result.workload)} took ${duration(measure.median)}; a stopped run is not a full result.</p>`;
}

function measuresTable(results: readonly Result[], first: Result): TemplateResult {
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
          <th scope="rowgroup" colspan="4">${CONTENDER_WORDS[result.contender].short} <span class="aside">${CONTENDER_WORDS[result.contender].long}${threadsAside(result)}</span></th>
        </tr>
        ${Object.entries(result.measures).map(([name, measure]) => measureRow(name as MeasureName, measure as Measure | null, result))}
        ${ratioRows(result, first)}
      </tbody>`,
    )}
  </table>`;
}

function measureRow(name: MeasureName, measure: Measure | null, result: Result): TemplateResult {
  const words = measureWords(name, result.workload);
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
  if (name === 'memory')
    return contender === 'floor' ? 'the floor has no actors' : 'browsers don’t tell';
  return contender === 'floor' && workload.name === 'spawn'
    ? 'the floor has only the sum'
    : 'too short for this clock';
}

/** To the floor, and to the contender that the page is about. */
function ratioRows(result: Result, first: Result): TemplateResult[] {
  const peers = ['floor', first.contender] as const;
  return [...new Set(peers)]
    .filter((to) => to !== result.contender)
    .flatMap((to) => ratioTo(result, to) ?? [])
    .map(
      (ratio) => html`<tr data-ratio-to=${ratio.to}>
        <th scope="row">× ${CONTENDER_WORDS[ratio.to].short}${showsNoDifference(ratio) ? html` <span class="aside">no difference shown</span>` : nothing}</th>
        <td><strong>${times(ratio.ratio)}</strong></td>
        <td>${ratio.ci95 === null ? 'n/a' : timesRange(ratio.ci95)}</td>
        <td></td>
      </tr>`,
    );
}

function ratioTo(result: Result, to: Result['contender']): Ratio | null {
  return result.ratios?.find((ratio) => ratio.to === to) ?? null;
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

function threadsAside(result: Result): string {
  const words = threadsWords(result);
  return words === null ? '' : `, here ${words}`;
}

function poolView(results: readonly Result[]): TemplateResult | typeof nothing {
  const pools = results.flatMap((result) => {
    const text = poolSentence(result);
    return text === null ? [] : [{ contender: result.contender, text }];
  });
  if (pools.length === 0) return nothing;
  return html`<details id="pool">
    <summary>What the threads did</summary>
    ${pools.map(({ contender, text }) => html`<p data-contender=${contender}><strong>${capital(CONTENDER_WORDS[contender].short)}:</strong> ${unbroken(text)}</p>`)}
  </details>`;
}

/** The first check of each contender is the one that its workload is named for. */
function summaryOf(results: readonly Result[]): string {
  const first = headline(results)!.checks.items[0]!;
  const total = results.reduce((sum, { checks }) => sum + checks.items.length, 0);
  return `${count(first.counted)} of ${count(first.expected)} ${first.name} counted in each sample; ${plural(total, 'check')}, all right`;
}

/** No line ends between a number and its unit; as marks, so that what is copied has plain spaces. */
function unbroken(text: string): (string | TemplateResult)[] {
  return text
    .split(/([\d.,]+ (?:%|[nµm]?s\b))/)
    .map((part, i) => (i % 2 === 1 ? html`<span class="number">${part}</span>` : part));
}

export const resultStyles = css`
  output { display: block; }
  .headline { font-family: var(--rs-serif); font-size: clamp(1.25rem, 1rem + 1.6vw, 1.625rem); line-height: 1.3; margin: 0 0 0.35rem; text-wrap: balance; }
  .headline strong { color: var(--rs-accent); white-space: nowrap; }
  .under { margin: 0; color: var(--rs-muted); }
  .failure { border-inline-start: 3px solid var(--rs-accent); padding-inline-start: 0.75rem; overflow-wrap: anywhere; }
  .failure p { margin: 0 0 0.25rem; }
  #caveats + .failure { margin-block-start: 1rem; }
  #caveats { margin: 0; list-style: none; }
  #caveats li + li { margin-block-start: 0.25rem; }
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
  #pool p { margin: 0.5rem 0 0; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
  details table { margin-block-start: 0.5rem; }
  ${samplePlotStyles} ${environmentStyles}
`;
