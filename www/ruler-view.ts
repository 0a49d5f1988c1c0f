/** Draws a ruler's shapes with Lit, and the same in words for those who don't see it. */

import { css, html, type SVGTemplateResult, svg, type TemplateResult } from 'lit';
import { layoutRuler, rulerList } from './ruler';
import type { RulerPoint, Shape } from './ruler-shapes';

export function rulerView(
  points: readonly RulerPoint[],
  width: number,
  title: string,
  caption: string,
): TemplateResult {
  const layout = layoutRuler(points, width);
  return html`<figure class="ruler">
    <figcaption><strong>${title}</strong> ${caption}</figcaption>
    <svg viewBox="0 0 ${layout.width} ${layout.height}" width=${layout.width} height=${layout.height} aria-hidden="true" focusable="false">
      ${layout.shapes.map(drawShape)}
    </svg>
    <ol class="unseen" aria-label="${title}, from fast to slow">
      ${rulerList(points).map((text) => html`<li>${text}</li>`)}
    </ol>
  </figure>`;
}

function drawShape(shape: Shape): SVGTemplateResult {
  switch (shape.shape) {
    case 'line':
      return svg`<line class=${shape.style} x1=${n(shape.at.x1)} y1=${n(shape.at.y1)} x2=${n(shape.at.x2)} y2=${n(shape.at.y2)}></line>`;
    case 'rect':
      return svg`<rect class=${shape.style} x=${n(shape.at.x)} y=${n(shape.at.y)} width=${n(shape.at.width)} height=${n(shape.at.height)} rx="2"></rect>`;
    case 'dot':
      return svg`<circle class=${shape.style} cx=${n(shape.x)} cy=${n(shape.y)} r=${shape.r}></circle>`;
    case 'text':
      return svg`<text class=${shape.style} x=${n(shape.x)} y=${n(shape.y)} font-size=${shape.size} text-anchor=${shape.anchor}>${shape.runs.map(
        ({ text, part }) => svg`<tspan class=${part}>${text}</tspan>`,
      )}</text>`;
  }
}

function n(value: number): string {
  return value.toFixed(1);
}

export const rulerStyles = css`
  .ruler { margin: 0; }
  .ruler svg { display: block; max-width: 100%; height: auto; overflow: visible; font-family: var(--rs-sans); font-variant-numeric: tabular-nums; }
  .ruler figcaption { font-size: 0.875rem; color: var(--rs-muted); margin-block-end: 0.75rem; }
  .ruler figcaption strong { color: var(--rs-ink); font-weight: 600; }
  .strip { fill: var(--rs-strip); stroke: var(--rs-ink); stroke-width: 1; }
  .tick { stroke: var(--rs-ink); stroke-width: 1; }
  .mark { fill: var(--rs-ink); }
  .runLeader { stroke: var(--rs-accent); stroke-width: 2; }
  .contenderLeader { stroke: var(--rs-muted); }
  .historyLeader { stroke: var(--rs-rule); }
  .runDot { fill: var(--rs-accent); stroke: var(--rs-paper); stroke-width: 2; }
  .contenderDot { fill: var(--rs-ink); stroke: var(--rs-paper); stroke-width: 1.5; }
  .historyDot { fill: var(--rs-paper); stroke: var(--rs-muted); stroke-width: 1.5; }
  .runFigure { fill: var(--rs-accent); font-weight: 700; letter-spacing: -0.02em; }
  .runText, .contenderText { fill: var(--rs-ink); }
  .contenderText .value, .detailText, .historyText { fill: var(--rs-muted); }
  .historyText { font-style: italic; }
`;
