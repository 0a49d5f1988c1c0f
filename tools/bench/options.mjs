// Reads the bench's arguments. Sizes and contenders follow the page's rules.

/** Options that the page's address knows too, under the same names. */
const PAGE_OPTIONS = [
  'preset',
  'workload',
  'actors',
  'laps',
  'tokens',
  'leaves',
  'work-ns',
  'contender',
  'threads',
  'samples',
];
const BENCH_OPTIONS = ['browsers', 'json'];
const SWITCHES = ['markdown', 'help'];

export class ArgumentError extends Error {}

/**
 * @param {string[]} args
 * @param {{ readPairs: Function, browsers: readonly string[] }} rules
 * @returns {{ help: boolean, browsers: string[] | null, json: string | null,
 *   markdown: boolean, params: object }} browsers is null when none are named
 * @throws {ArgumentError} with a sentence that names the value and what is allowed
 */
export function readOptions(args, { readPairs, browsers }) {
  const found = collect(args);
  const reading = readPairs(
    PAGE_OPTIONS.filter((name) => found.has(name)).map((name) => [name, found.get(name)]),
  );
  if (reading.error !== null) throw new ArgumentError(reading.error);
  return {
    help: found.has('help'),
    browsers: found.has('browsers') ? readBrowsers(found.get('browsers'), browsers) : null,
    json: jsonTarget(args),
    markdown: found.has('markdown'),
    params: reading.params,
  };
}

/** Where results go, found even among arguments that are wrong elsewhere. */
export function jsonTarget(args) {
  const inOne = args.find((argument) => argument.startsWith('--json='));
  if (inOne !== undefined) return inOne.slice('--json='.length) || null;
  const at = args.indexOf('--json');
  const next = args[at + 1];
  return at === -1 || next === undefined || next.startsWith('--') ? null : next;
}

function collect(args) {
  const found = new Map();
  for (let i = 0; i < args.length; i++) {
    const [, name, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(args[i]) ?? [];
    if (name === undefined) throw new ArgumentError(`“${args[i]}” is no option; ${known()}`);
    if (found.has(name)) throw new ArgumentError(`--${name} is given twice; give it once`);
    if (SWITCHES.includes(name)) {
      if (inline !== undefined)
        throw new ArgumentError(`--${name} takes no value, but has “${inline}”`);
      found.set(name, '');
    } else if (PAGE_OPTIONS.includes(name) || BENCH_OPTIONS.includes(name)) {
      // What follows is the value, whatever it looks like: -5 gets the sentence on numbers.
      const value = inline ?? args[++i];
      if (value === undefined || value === '' || (inline === undefined && value.startsWith('--'))) {
        throw new ArgumentError(`--${name} needs a value`);
      }
      found.set(name, value);
    } else {
      throw new ArgumentError(`unknown option --${name}; ${known()}`);
    }
  }
  return found;
}

function known() {
  const names = [...BENCH_OPTIONS, ...PAGE_OPTIONS, ...SWITCHES];
  return `known are ${names.map((name) => `--${name}`).join(', ')}`;
}

function readBrowsers(text, known) {
  const names = text.split(',');
  for (const [i, name] of names.entries()) {
    if (!known.includes(name)) {
      throw new ArgumentError(`unknown browser “${name}”; known are ${known.join(', ')}`);
    }
    if (names.indexOf(name) !== i) throw new ArgumentError(`browser “${name}” is given twice`);
  }
  return names;
}

export const HELP = `npm run bench -- [options]

Runs the built page in each browser in turn, headless, and prints one table. The
contenders of a run are interleaved in one page, so their ratios, to the floor and
to the fastest, can be compared where nanoseconds can't. Figures are medians;
behind each figure and each ratio stands its 95 % interval; "clock ±" is by how
much that browser's clock may have a sample wrong.

  --browsers NAMES    chromium, firefox, webkit (with SharedArrayBuffer, as Safari
                      has it), webkit-plain (without); by default the first three,
                      as far as they are installed
  --preset NAME       erlang-2007, armstrong-spawn, threads-2006, kilim-2009, tokens
  --workload NAME     ring (--actors N --laps N --tokens N), spawn (--actors N), skynet
                      (--leaves N) or work (as ring, with --work-ns N)
  --contender NAMES   actors/handler, actors/async, actors/mixed, actors/threads,
                      actors/threads-async, js/queue, js/async, workers/postmessage
                      (at most 100 actors; these three do ring and spawn only),
                      floor; by default actors/handler,floor
  --threads N         for contenders that use threads, 1 to 64; without it as many as
                      there are cores, at most 8
  --samples N         exactly N kept samples; without it at least 15, then more until
                      the intervals are narrow or the time is up
  --json FILE|-       writes a JSON array of results to the file, or alone to stdout;
                      www/result.schema.json describes them
  --markdown          the table as Markdown, fit for a post
  --help              prints this

Lists are separated by commas. Exit code: 0; 1 when a check failed; 2 when a named
browser or contender couldn't run or an argument is wrong. The file is written in
any case.
`;
