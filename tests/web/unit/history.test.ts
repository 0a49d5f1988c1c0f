import { expect, test } from 'vitest';
import { AMBIGUITY_2006, HISTORY, historyNs, POSTS } from '../../../www/history';
import { historyTable } from '../../../www/history-view';

const find = (part: string, year: number) =>
  HISTORY.filter((row) => row.year === year && row.system.includes(part));
const ns = (part: string, year: number) =>
  find(part, year).map((row) => Math.round(historyNs(row) * 10) / 10);

test('all 30 figures of the four posts are there, each with its source', () => {
  expect(HISTORY).toHaveLength(30);
  expect(POSTS.map(({ year, rows }) => [year, rows.length])).toEqual([
    [2007, 6],
    [2012, 6],
    [2006, 7],
    [2009, 11],
  ]);
  for (const row of HISTORY) expect(row.source).not.toBe('');
});

test('ns for each are what the reported times give', () => {
  expect(ns('Erlang', 2007)).toEqual([966.7]);
  expect(ns('fork', 2007)).toEqual([32_000]);
  expect(ns('fastthread', 2007)).toEqual([280_000, 5_800_000]);
  expect(ns('Go', 2012)).toEqual([10_367.7, 8600.2, 7516.6]);
  expect(ns('Scala', 2009)).toEqual([100_000, 1217.1, 15_750]);
  expect(ns('Erlang R12B', 2009)).toEqual([2000, 773.5, 6000]);
  expect(ns('Erlang', 2006)).toEqual([295.3]);
});

test('every figure is finite and positive', () => {
  for (const row of HISTORY) expect(historyNs(row)).toBeGreaterThan(0);
});

test('the open reading of the 2006 post is said, and marked on the ruler', () => {
  expect(POSTS.find(({ year }) => year === 2006)?.note).toBe(AMBIGUITY_2006);
  expect(AMBIGUITY_2006).toContain('3,000 hops');
  const labels = HISTORY.filter(({ year, label }) => year === 2006 && label !== null).map(
    ({ label }) => label,
  );
  expect(labels.length).toBeGreaterThan(0);
  for (const label of labels) expect(label).toMatch(/\?$/);
});

test('the table that the build writes holds every figure, and no markup of the posts', () => {
  const table = historyTable();
  expect(table.match(/<th scope="row">/g)).toHaveLength(30);
  expect(table.match(/<tbody>/g)).toHaveLength(4);
  expect(table).toContain('<td>30,000 × 1,000</td><td>29 s</td><td>967 ns a hop</td>');
  expect(table).toContain(
    '<td>100,000 actors</td><td>15.58 µs an actor</td><td>15.6 µs an actor</td>',
  );
  for (const { system } of HISTORY) expect(table).toContain(system.replaceAll('&', '&amp;'));
  const tags = new Set(table.match(/<\/?[a-z]+/g));
  const own = ['table', 'caption', 'thead', 'tbody', 'tr', 'th', 'td', 'span', 'br'];
  expect([...tags].filter((tag) => !own.includes(tag.replace(/<\/?/, '')))).toEqual([]);
});
