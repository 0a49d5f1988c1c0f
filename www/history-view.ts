/**
 * Every figure of the posts, as they gave it and as it stands on the ruler. Text, not a template: the build writes it
 * into the page, so that it can be read from a file and without scripts too.
 */

import { type HistoryRow, historyNs, POSTS } from './history';
import { count, duration } from './words';

export function historyTable(): string {
  return `<table class="history">
<caption class="unseen">Figures of the four posts</caption>
<thead>
<tr><th scope="col">system</th><th scope="col">sizes</th><th scope="col">reported</th><th scope="col">for each</th></tr>
</thead>
${POSTS.map(postText).join('\n')}
</table>`;
}

function postText({ year, source, machine, note, rows }: (typeof POSTS)[number]): string {
  const title = `${year}, “${source}”${machine === null ? '' : `; ${machine}`}`;
  const aside = note === null ? '' : `<br><span class="aside">${escaped(note)}</span>`;
  return `<tbody>
<tr><th scope="rowgroup" colspan="4">${escaped(title)}${aside}</th></tr>
${rows.map((row) => rowText({ year, source, ...row })).join('\n')}
</tbody>`;
}

function rowText(row: HistoryRow): string {
  const aside = `${row.model}${row.note === null ? '' : `; ${row.note}`}`;
  const cells = [
    `${count(row.actors)}${row.laps === null ? ' actors' : ` × ${count(row.laps)}`}`,
    reportedWords(row),
    `${duration(historyNs(row))} ${row.workload === 'ring' ? 'a hop' : 'an actor'}`,
  ];
  return `<tr><th scope="row">${escaped(row.system)} <span class="aside">${escaped(aside)}</span></th>${cells
    .map((text) => `<td>${escaped(text)}</td>`)
    .join('')}</tr>`;
}

function reportedWords({ reported }: HistoryRow): string {
  if ('seconds' in reported) return `${reported.seconds} s`;
  if ('milliseconds' in reported) return `${reported.milliseconds.toLocaleString('en')} ms`;
  return `${reported.microsecondsPerActor} µs an actor`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
