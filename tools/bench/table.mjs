// The bench's one table: a row for each browser and contender, then what has to
// be known to compare them. As Markdown it can go into a post as it is.

const MEASURES = {
  hop: 'hop',
  leaf: 'leaf',
  spawnStop: 'spawn + stop',
  spawn: 'spawn',
  stop: 'stop',
  memory: 'bytes per actor',
};
const ONE = { actors: 'actor', laps: 'lap', tokens: 'token', leaves: 'leaf' };
const NONE = '–';

/**
 * @param {{ browser: string, version: string | null, result: object }[]} rows
 *   all of one workload
 */
export function table(rows, { markdown = false } = {}) {
  if (rows.length === 0) return '';
  const columns = columnsOf(rows);
  const cells = [
    columns.map(({ label }) => label),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
  ];
  const title = titleOf(rows[0].result);
  const notes = [...notesOf(rows), conditionsOf(rows)];
  return [
    markdown ? `**${title}**` : title,
    '',
    markdown ? inMarkdown(cells, columns) : inColumns(cells, columns),
    '',
    // A list, since Markdown would run lines together.
    ...notes.map((note) => (markdown ? `- ${escaped(note)}` : note)),
  ].join('\n');
}

function titleOf({ workload, preset }) {
  const { name, workNs, rounds: _, ...sizes } = workload;
  const words = Object.entries(sizes).map(
    ([what, value]) => `${value.toLocaleString('en')} ${value === 1 ? ONE[what] : what}`,
  );
  if (workNs !== undefined) words.push(`${workNs.toLocaleString('en')} ns of work`);
  return `${name}: ${words.join(', ')}${preset === null ? '' : ` (preset ${preset})`}`;
}

/** What the workload is run for comes first: a ring without laps is only built. */
function measuresOf(workload) {
  if (workload.name === 'spawn') return ['spawnStop', 'spawn', 'stop', 'memory'];
  if (workload.name === 'skynet') return ['leaf'];
  if (workload.name === 'work') return ['hop'];
  return workload.laps === 0 ? ['spawn', 'memory'] : ['hop', 'spawn', 'memory'];
}

function columnsOf(rows) {
  const [main, ...others] = measuresOf(rows[0].result.workload);
  const of = (name) => ({
    label: MEASURES[name],
    isNumber: true,
    cell: ({ result }) => figure(result.measures[name]),
  });
  const columns = [
    { label: 'browser', cell: nameOf },
    { label: 'contender', cell: ({ result }) => result.contender },
    { label: 'threads', isNumber: true, cell: ({ result }) => threadsOf(result) },
    of(main),
    {
      label: '95 % interval',
      isNumber: true,
      cell: ({ result }) => interval(result.measures[main]),
    },
    { label: '× floor', isNumber: true, cell: ({ result }) => ratio(result, 'floor') },
    { label: '× fastest', isNumber: true, cell: (row) => toFastest(row, rows, main) },
    ...others.map(of),
    { label: 'clock ±', isNumber: true, cell: ({ result }) => share(result.clock.errorPercent) },
    { label: 'samples', isNumber: true, cell: ({ result }) => samples(result.measures[main]) },
    { label: 'instances', isNumber: true, cell: ({ result }) => count(result.instances) },
    { label: 'checks', cell: ({ result }) => verdict(result) },
  ];
  // Without a floor, with one contender beside it, or without threads, there is nothing to say.
  const isTold = ({ label, cell }) =>
    !(label.startsWith('×') || label === 'threads') || rows.some((row) => /\d/.test(cell(row)));
  return columns.filter(isTold);
}

/** The version is the driver's: what a page is told of it may be frozen. */
function nameOf({ browser, version, result }) {
  const name = result.environment.browser?.name ?? browser;
  const leg = browser === 'webkit-plain' ? ' without SharedArrayBuffer' : '';
  return `${name}${version === null ? '' : ` ${version}`}${leg}`;
}

/** Of the contenders that can use more than one. */
function threadsOf({ contender, threads: { granted, used } }) {
  if (!contender.startsWith('actors/threads')) return NONE;
  return used === granted ? String(used) : `${used} of ${granted}`;
}

/** From one run in one browser: others prove nothing. */
function ratio({ ratios }, to) {
  const found = ratios?.find((candidate) => candidate.to === to);
  if (found === undefined) return NONE;
  const { ratio, ci95 } = found;
  return ci95 === null ? fixed(ratio) : `${fixed(ratio)} (${ci95.map(fixed).join(' to ')})`;
}

/** The floor, which does no actor's work, is not in the race. */
function toFastest({ browser, result }, rows, main) {
  if (result.state !== 'complete' || result.contender === 'floor') return NONE;
  const [fastest] = rows
    .filter((row) => row.browser === browser && row.result.contender !== 'floor')
    .map((row) => row.result)
    .filter(({ state, measures }) => state === 'complete' && measures[main])
    .sort((a, b) => a.measures[main].median - b.measures[main].median);
  return fastest === result ? 'fastest' : ratio(result, fastest?.contender);
}

function figure(measure) {
  if (!measure) return NONE;
  if (measure.unit === 'bytes') return digits(measure.median);
  const { name, ns } = unitOf(measure.median);
  return `${digits(measure.median / ns)} ${name}`;
}

/** In the unit of the figure; nanoseconds need none beside it. */
function interval(measure) {
  if (!measure?.ci95) return NONE;
  const { name, ns } = unitOf(measure.median);
  const ends = measure.ci95.map((end) => digits(end / ns)).join(' to ');
  return ns === 1 ? ends : `${ends} ${name}`;
}

/** Below 10,000 ns figures of one table are easier to compare in one unit. */
function unitOf(ns) {
  if (ns < 1e4) return { name: 'ns', ns: 1 };
  return ns < 1e7 ? { name: 'µs', ns: 1e3 } : { name: 'ms', ns: 1e6 };
}

function share(percent) {
  return percent === null ? NONE : `${digits(percent)} %`;
}

function samples(measure) {
  return measure ? String(measure.samples.length) : NONE;
}

function count(list) {
  return list === null ? NONE : String(list.length);
}

function digits(value) {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function fixed(value) {
  return value < 10 ? value.toFixed(2) : digits(value);
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

/** Why there is no figure, or why it is not to be trusted to the last digit. */
function notesOf(rows) {
  const failed = rows
    .filter(({ result }) => result.state !== 'complete')
    .map((row) => `${nameOf(row)}, ${row.result.contender}: ${row.result.message ?? 'failed'}`);
  const browsers = [...new Set(rows.map(({ browser }) => browser))];
  const each = browsers.map((name) => rows.filter(({ browser }) => browser === name));
  return [
    ...failed,
    ...each.flatMap(oneThreadNote),
    ...each.flatMap(noiseNote),
    ...each.flatMap(warmUpNote),
  ];
}

/** The same reason for all of one browser. */
function oneThreadNote(rows) {
  const short = rows.filter(({ result }) => (result.threads?.reason ?? null) !== null);
  if (short.length === 0) return [];
  const names = short.map(({ result }) => result.contender).join(' and ');
  return [
    `${nameOf(short[0])}: ${names} ran on one thread, because ${short[0].result.threads.reason}.`,
  ];
}

/** One for each browser, the worst: it is one machine, and the others would say the same of it. */
function noiseNote(rows) {
  const [worst] = rows
    .filter(({ result }) => result.noise !== null)
    .sort((a, b) => b.result.noise.widthPercent - a.result.noise.widthPercent);
  if (worst === undefined) return [];
  return [`${nameOf(worst)}, ${worst.result.contender}: ${worst.result.noise.sentence}`];
}

function warmUpNote(rows) {
  const cold = rows.filter(({ result }) => result.warmUp?.agreed === false);
  if (cold.length === 0) return [];
  const names = cold.map(({ result }) => result.contender).join(', ');
  return [`${nameOf(cold[0])}: samples of ${names} did not settle within the time for warm-up.`];
}

/** When, with what, and how well each browser can tell the time. */
function conditionsOf(rows) {
  const builds = rows.map(({ result }) => result.environment.build);
  const { version, commit } = builds.find((build) => build.version !== null) ?? builds[0];
  const by = version === null ? '' : ` by Ringspawn ${version}`;
  const at = commit === null ? '' : ` (commit ${commit})`;
  // Of each browser one row, one that ran if there is any.
  const browsers = new Map(rows.map((row) => [row.browser, row]));
  for (const row of rows) if (row.result.clock.stepMs !== null) browsers.set(row.browser, row);
  const each = [...browsers.values()].map((row) => `${nameOf(row)}: ${conditionOf(row.result)}`);
  return `Measured ${rows[0].result.at.slice(0, 10)}${by}${at}. ${each.join('; ')}.`;
}

/** Rounds are each browser's own. */
function conditionOf({ workload, clock, environment }) {
  const { stepMs } = clock;
  const { isolated, cores, hiddenSeconds } = environment;
  const { workNs, rounds } = workload;
  if (stepMs === null) return 'did not run';
  return [
    ...(isolated === null ? [] : [isolated ? 'isolated' : 'not isolated']),
    `clock in steps of ${stepMs < 1 ? `${digits(stepMs * 1000)} µs` : `${digits(stepMs)} ms`}`,
    ...(cores === null ? [] : [`${cores} ${cores === 1 ? 'core' : 'cores'} reported`]),
    ...(rounds
      ? [`${workNs.toLocaleString('en')} ns of work are ${rounds.toLocaleString('en')} rounds`]
      : []),
    ...(hiddenSeconds ? [`hidden for ${digits(hiddenSeconds)} s, so not comparable`] : []),
  ].join(', ');
}

function inMarkdown([head, ...body], columns) {
  const row = (cells) => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = `| ${columns.map(({ isNumber }) => (isNumber ? '---:' : '---')).join(' | ')} |`;
  return [row(head), rule, ...body.map(row)].join('\n');
}

/** Messages may hold anything, a page's included: as text, on one line. */
function escaped(text) {
  return text.replace(/\s+/g, ' ').replace(/[\\|`*_<>[\]]/g, (sign) => `\\${sign}`);
}

function inColumns(cells, columns) {
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  return cells
    .map((row) =>
      row
        .map((cell, i) => (columns[i].isNumber ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
