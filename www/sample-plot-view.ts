/** Draws the strips of a run's samples with Lit, and the same figures in a table. */

import { css, html, nothing, type SVGTemplateResult, svg, type TemplateResult } from 'lit';
import type { Result } from './result';
import {
  layoutPlot,
  type MarkKind,
  type PlotData,
  plotData,
  plotRows,
  plotWords,
} from './sample-plot';

/** Two strips side by side from here on; the text of one is never smaller for it. */
const TWO_COLUMNS_FROM = 720;
const COLUMN_GAP = 32;

export function samplePlots(
  results: readonly Result[],
  width: number,
): TemplateResult | typeof nothing {
  const data = results.flatMap((result) => plotData(result) ?? []);
  if (data.length === 0 || width === 0) return nothing;
  const isPaired = data.length > 1 && width >= TWO_COLUMNS_FROM;
  const own = isPaired ? Math.floor((width - COLUMN_GAP) / 2) : width;
  return html`<figure id="samples-plot">
    <figcaption>
      <strong>The samples, in the order taken:</strong> ${key('cold', 'the first, cold one')}, ${key('warmUp', 'warm-up')},
      ${key('kept', 'kept')}, by fresh instance. The line is their median, the band its 95 % interval. Each strip has a
      logarithmic scale of its own.
    </figcaption>
    <div class=${isPaired ? 'strips paired' : 'strips'}>${data.map((each, i) => stripView(each, own, i === 0))}</div>
    <details id="samples-table">
      <summary>The samples in figures</summary>
      ${tableView(data)}
    </details>
  </figure>`;
}

function stripView(data: PlotData, width: number, isFirst: boolean): TemplateResult {
  const layout = layoutPlot(data, width);
  const { band, keptFrom, keptTo, medianY, axisX, radius } = layout;
  return html`<div class=${isFirst ? 'samples first' : 'samples'} data-contender=${data.contender}>
    <p>${data.label}</p>
    <svg viewBox="0 0 ${layout.width} ${layout.height}" width=${layout.width} height=${layout.height} role="img" aria-label=${plotWords(data)}>
      ${band === null ? nothing : svg`<rect class="band" x=${n(keptFrom)} y=${n(band.top)} width=${n(keptTo - keptFrom)} height=${n(Math.max(1, band.bottom - band.top))}></rect>`}
      <line class="median" x1=${n(keptFrom)} x2=${n(keptTo)} y1=${n(medianY)} y2=${n(medianY)}></line>
      ${layout.ticks.map((y) => svg`<line class="axis" x1=${n(axisX - 4)} x2=${n(axisX)} y1=${n(y)} y2=${n(y)}></line>`)}
      <line class="axis" x1=${n(axisX)} x2=${n(axisX)} y1=${n(Math.min(...layout.ticks))} y2=${n(Math.max(...layout.ticks))}></line>
      ${layout.groups.map(({ from, to }) => svg`<line class="axis" x1=${n(from)} x2=${n(to)} y1=${n(layout.groupY)} y2=${n(layout.groupY)}></line>`)}
      ${layout.marks.map(({ kind, x, y }) => markView(kind, x, y, radius))}
      ${layout.labels.map(({ text, x, y, anchor, isFigure }) => svg`<text class=${isFigure ? 'figure' : 'note'} x=${n(x)} y=${n(y)} text-anchor=${anchor}>${text}</text>`)}
    </svg>
  </div>`;
}

function markView(kind: MarkKind, x: number, y: number, radius: number): SVGTemplateResult {
  return svg`<circle class="mark ${kind}" cx=${n(x)} cy=${n(y)} r=${n(radius)}></circle>`;
}

function key(kind: MarkKind, words: string): TemplateResult {
  return html`<span class="key"><svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">${markView(kind, 6, 6, 4)}</svg> ${words}</span>`;
}

function tableView(data: readonly PlotData[]): TemplateResult {
  return html`<table>
    <caption class="unseen">
      All samples, in the order taken
    </caption>
    ${data.map(
      (each) => html`<tbody data-contender=${each.contender}>
        <tr>
          <th scope="rowgroup" colspan="2">${each.label}</th>
        </tr>
        ${plotRows(each).map(
          ({ name, figures }) => html`<tr>
            <th scope="row">${name}</th>
            <td>${figures.map((figure, i) => html`${i === 0 ? '' : ', '}<span class="number">${figure}</span>`)}</td>
          </tr>`,
        )}
      </tbody>`,
    )}
  </table>`;
}

function n(value: number): string {
  return value.toFixed(1);
}

export const samplePlotStyles = css`
  #samples-plot { margin-inline: 0; }
  #samples-plot figcaption { font-size: 0.875rem; color: var(--rs-muted); margin-block-end: 0.75rem; max-width: 42rem; }
  #samples-plot figcaption strong { color: var(--rs-ink); font-weight: 600; }
  .key { white-space: nowrap; }
  .key svg { vertical-align: -0.05em; }
  .strips { display: grid; gap: 1rem 32px; }
  .strips.paired { grid-template-columns: 1fr 1fr; }
  .samples p { margin: 0; font-size: 0.875rem; font-weight: 600; }
  .samples svg { display: block; max-width: 100%; height: auto; font-family: var(--rs-sans); font-size: 12px; font-variant-numeric: tabular-nums; }
  .samples .axis { stroke: var(--rs-rule); }
  .samples .band { fill: var(--rs-strip); stroke: var(--rs-rule); stroke-width: 0.5; }
  .samples .median { stroke: var(--mark); stroke-width: 1; }
  .samples .note { fill: var(--rs-muted); }
  .samples .figure { fill: var(--mark); font-weight: 600; }
  .samples { --mark: var(--rs-ink); }
  .samples.first { --mark: var(--rs-accent); }
  .mark { fill: var(--mark, var(--rs-ink)); stroke: none; }
  .mark.cold { fill: var(--rs-paper); stroke: var(--mark, var(--rs-ink)); stroke-width: 1.5; }
  .mark.warmUp { fill-opacity: 0.35; }
  #samples-table table td { white-space: normal; overflow-wrap: anywhere; }
  #samples-table { font-size: 0.9375rem; margin-block-start: 0.75rem; }
`;
