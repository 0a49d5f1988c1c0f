/** Every figure of the posts, as they gave it and as it stands on the ruler. */

import { html, type TemplateResult } from 'lit';
import { type HistoryRow, historyNs, POSTS } from './history';
import { count, duration } from './words';

export function historyView(): TemplateResult {
  return html`<table class="history">
    <caption class="unseen">
      Figures of the four posts
    </caption>
    <thead>
      <tr>
        <th scope="col">system</th>
        <th scope="col">sizes</th>
        <th scope="col">reported</th>
        <th scope="col">for each</th>
      </tr>
    </thead>
    ${POSTS.map(
      ({ year, source, machine, note, rows }) => html`<tbody>
        <tr>
          <th scope="rowgroup" colspan="4">${year}, “${source}”${machine === null ? '' : `; ${machine}`}${note === null ? '' : html`<br /><span class="aside">${note}</span>`}</th>
        </tr>
        ${rows.map((row) => rowView({ year, source, ...row }))}
      </tbody>`,
    )}
  </table>`;
}

function rowView(row: HistoryRow): TemplateResult {
  return html`<tr>
    <th scope="row">${row.system} <span class="aside">${row.model}${row.note === null ? '' : `; ${row.note}`}</span></th>
    <td>${count(row.actors)}${row.laps === null ? ' actors' : ` × ${count(row.laps)}`}</td>
    <td>${reportedWords(row)}</td>
    <td>${duration(historyNs(row))} ${row.workload === 'ring' ? 'a hop' : 'an actor'}</td>
  </tr>`;
}

function reportedWords({ reported }: HistoryRow): string {
  if ('seconds' in reported) return `${reported.seconds} s`;
  if ('milliseconds' in reported) return `${reported.milliseconds.toLocaleString('en')} ms`;
  return `${reported.microsecondsPerActor} µs an actor`;
}
