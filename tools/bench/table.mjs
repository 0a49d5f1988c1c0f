// The bench's one table: a row for each browser and contender.

const COLUMNS = {
  ring: [
    ['hop', 'hop'],
    ['spawn', 'spawn'],
    ['memory', 'memory'],
  ],
  spawn: [
    ['spawn + stop', 'spawnStop'],
    ['spawn', 'spawn'],
    ['stop', 'stop'],
    ['memory', 'memory'],
  ],
};
const MAIN = { ring: 'hop', spawn: 'spawnStop' };
const NONE = '–';

/**
 * @param {{ browser: string, version: string | null, result: object }[]} rows
 *   all of one workload
 */
export function table(rows, { markdown = false } = {}) {
  if (rows.length === 0) return '';
  const [{ result }] = rows;
  const cells = [header(result.workload.name), ...rows.map((row) => line(row, rows))];
  const why = rows
    .filter(({ result }) => result.state !== 'complete')
    .map(
      ({ browser, result }) => `${browser}, ${result.contender}: ${result.message ?? result.state}`,
    );
  return [title(result), '', markdown ? inMarkdown(cells) : inColumns(cells), ...gap(why)].join(
    '\n',
  );
}

function title({ workload, preset }) {
  const { name, ...sizes } = workload;
  const words = Object.entries(sizes).map(
    ([what, value]) =>
      `${value.toLocaleString('en')} ${value === 1 ? what.replace(/s$/, '') : what}`,
  );
  return `${name}: ${words.join(', ')}${preset === null ? '' : ` (preset ${preset})`}`;
}

function header(workload) {
  const [[first], ...others] = COLUMNS[workload];
  const rest = others.map(([label]) => label);
  return [
    'browser',
    'contender',
    first,
    '95 % interval',
    '× floor',
    ...rest,
    'clock ±',
    'samples',
    'checks',
  ];
}

function line({ browser, version, result }, rows) {
  const { workload, measures, contender, clock } = result;
  const [[, first], ...others] = COLUMNS[workload.name];
  const main = measures[first];
  return [
    version === null ? browser : `${browser} ${version}`,
    contender,
    figure(main),
    main?.ci95 ? main.ci95.map(digits).join(' to ') : NONE,
    ratioToFloor(browser, result, rows),
    ...others.map(([, measure]) => figure(measures[measure])),
    clock.errorPercent === null ? NONE : `${digits(clock.errorPercent)} %`,
    main === null ? NONE : String(main.samples.length),
    verdict(result),
  ];
}

/** Only to the floor of the same run in the same browser: others prove nothing. */
function ratioToFloor(browser, { workload, measures, contender }, rows) {
  const of = MAIN[workload.name];
  const floor = rows.find((row) => row.browser === browser && row.result.contender === 'floor');
  const least = floor?.result.measures[of]?.median;
  const own = measures[of]?.median;
  if (!own || !least || contender === 'floor') return NONE;
  return (own / least).toFixed(2);
}

function figure(measure) {
  if (!measure) return NONE;
  return `${digits(measure.median)} ${measure.unit === 'bytes' ? 'B' : measure.unit}`;
}

function digits(value) {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function verdict({ state, checks }) {
  const failed = checks.items.filter(({ ok }) => !ok);
  if (failed.length > 0) {
    return failed
      .map(
        ({ name, expected, counted }) => `FAILED ${name}: expected ${expected}, counted ${counted}`,
      )
      .join('; ');
  }
  if (state !== 'complete') return state;
  return checks.ok ? 'ok' : 'FAILED';
}

function inMarkdown([head, ...body]) {
  const escaped = (cell) => cell.replaceAll('|', '\\|');
  const row = (cells) => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = head.map((_, i) => (isNumber(i, head) ? '---:' : '---'));
  return [row(head), row(rule), ...body.map(row)].join('\n');
}

function inColumns(cells) {
  const widths = cells[0].map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  return cells
    .map((row) =>
      row
        .map((cell, i) => (isNumber(i, row) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** All but the two names before and the verdict behind. */
function isNumber(column, row) {
  return column >= 2 && column < row.length - 1;
}

function gap(lines) {
  return lines.length === 0 ? [] : ['', ...lines];
}
