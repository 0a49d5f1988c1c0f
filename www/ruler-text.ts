/** The ruler as an SVG file of its own: its colours inside, light and dark. */

import { type RulerLayout, type Shape, STYLES, type Style } from './ruler-shapes';

const DARK: Partial<Record<Style, string>> = {
  strip: 'fill:#2a2723;stroke:#d8d2c6',
  tick: 'stroke:#d8d2c6',
  mark: 'fill:#ece7dc',
  runLeader: 'stroke:#ff8a6b',
  runDot: 'fill:#ff8a6b;stroke:#191714',
  contenderDot: 'fill:#ece7dc;stroke:#191714',
  historyDot: 'fill:#191714;stroke:#a59e92',
  runFigure: 'fill:#ff8a6b',
  runText: 'fill:#ece7dc',
  detailText: 'fill:#a59e92',
  contenderText: 'fill:#ece7dc',
  historyText: 'fill:#a59e92',
};

export function svgText(layout: RulerLayout, title: string): string {
  const dark = Object.entries(DARK).map(([style, css]) => `.${style}{${css}}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${layout.width} ${layout.height}" width="${layout.width}" height="${layout.height}" role="img" font-family="system-ui, sans-serif">`,
    `<title>${escapeText(title)}</title>`,
    `<style>.historyText{font-style:italic}@media (prefers-color-scheme:dark){${dark.join('')}}</style>`,
    ...layout.shapes.map(shapeText),
    '</svg>',
  ].join('\n');
}

function shapeText(shape: Shape): string {
  const { fill, stroke } = STYLES[shape.style];
  const look = `class="${shape.style}" fill="${fill}" stroke="${stroke}"`;
  switch (shape.shape) {
    case 'line':
      return `<line ${look} stroke-width="${shape.style === 'runLeader' ? 2 : 1}" x1="${n(shape.at.x1)}" y1="${n(shape.at.y1)}" x2="${n(shape.at.x2)}" y2="${n(shape.at.y2)}"/>`;
    case 'rect':
      return `<rect ${look} x="${n(shape.at.x)}" y="${n(shape.at.y)}" width="${n(shape.at.width)}" height="${n(shape.at.height)}" rx="2"/>`;
    case 'dot':
      return `<circle ${look} stroke-width="1.5" cx="${n(shape.x)}" cy="${n(shape.y)}" r="${shape.r}"/>`;
    case 'text': {
      const weight = shape.style === 'runFigure' ? ' font-weight="700"' : '';
      const text = shape.runs.map((run) => escapeText(run.text)).join('');
      return `<text ${look}${weight} x="${n(shape.x)}" y="${n(shape.y)}" font-size="${shape.size}" text-anchor="${shape.anchor}">${text}</text>`;
    }
  }
}

function n(value: number): string {
  return value.toFixed(1);
}

function escapeText(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}
