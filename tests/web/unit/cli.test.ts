import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { failedResult as failedInBrowser } from '../../../tools/bench/outcome.mjs';
import type { Progress } from '../../../www/measure';
import { help } from '../../../www/node/help';
import { main } from '../../../www/node/main';
import { ProgressLine, progressText } from '../../../www/node/progress-line';
import { endLine, exitCodeOf, failedResult } from '../../../www/node/report';
import { describeRuntime } from '../../../www/node/runtime';
import { CONTENDERS, defaultParams, PRESETS, SIZE_KEYS, unitNameOf } from '../../../www/params';
import type { Result } from '../../../www/result';
import schema from '../../../www/result.schema.json';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = 'bin/ringspawn.mjs';
const WASM = 'www/pkg/ringspawn_bg.wasm';
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Another runtime in Node's place, to find out what holds there: `RINGSPAWN_RUNTIME="deno run -A"`. */
const [RUNTIME, ...RUNTIME_ARGS] = process.env.RINGSPAWN_RUNTIME?.split(' ') ?? [process.execPath];

/** Large enough for every phase to be sure at once, small enough to take no time. */
const SMALL = ['--actors', '3000', '--laps', '5'];

const BUILD_MS = 300_000;
const RUN_MS = 60_000;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(args: readonly string[], root = ROOT): ChildProcess {
  return spawn(RUNTIME!, [...RUNTIME_ARGS, join(root, BIN), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function ended(child: ChildProcess): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout!.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

const run = (...args: string[]): Promise<Ended> => ended(start(args));

/** The same in this process, without what the start of one costs. */
async function runHere(...args: string[]): Promise<Ended> {
  const [out, err] = [process.stdout, process.stderr].map((stream) => {
    const spy = vi.spyOn(stream, 'write');
    return spy.mockImplementation((_text, ...rest) => {
      const done = rest.find((argument) => typeof argument === 'function');
      done?.();
      return true;
    });
  });
  const textOf = (spy: typeof out): string => spy!.mock.calls.map(([text]) => text).join('');
  try {
    const code = await main(args);
    return { code, out: textOf(out), err: textOf(err) };
  } finally {
    out!.mockRestore();
    err!.mockRestore();
  }
}

const validate = new Ajv2020({ strict: false, validateFormats: false }).compile<Result[]>({
  type: 'array',
  items: schema,
});

/** What a file or stream holds, if it is nothing but valid results. */
function resultsIn(json: string): Result[] {
  const results: unknown = JSON.parse(json);
  if (!validate(results)) throw new Error(JSON.stringify(validate.errors, null, 2));
  return results;
}

const inFile = (name: string): string => readFileSync(join(folder, name), 'utf8');
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

let folder = tmpdir();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringspawn-cli-'));
  const built = await run('--version');
  if (built.code !== 0) throw new Error(built.err);
}, BUILD_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('help and version', () => {
  it('are printed whatever else is wrong, and nothing runs', async () => {
    for (const args of [['--help'], ['-h'], ['rings', '--speed', '--help']])
      expect(await runHere(...args)).toEqual({ code: 0, out: help(), err: '' });
    const { code, out, err } = await run('ring', '--version');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^ringspawn \S+ \(\w+\)\n$/);
    expect(out).toContain(` ${version} `);
  });

  it('name every option, preset, contender and exit code, in lines that fit', () => {
    const options = [...SIZE_KEYS, 'preset', 'contender', 'threads', 'samples'];
    for (const option of [...options, 'json', 'markdown', 'help', 'version'])
      expect(help()).toContain(`--${option}`);
    for (const name of [...PRESETS, ...CONTENDERS]) expect(help()).toContain(`  ${name} `);
    for (const code of ['0', '1', '2', '130'])
      expect(help()).toMatch(new RegExp(`^ {2}${code} +\\S`, 'm'));
    expect(lines(help()).filter((line) => line.length > 90)).toEqual([]);
  });
});

describe('arguments', () => {
  it.each([
    [[], /say what to run: ring, spawn, skynet, work or --preset NAME/],
    [['--samples', '3'], /say what to run/],
    [['rings'], /unknown workload “rings”; known are ring, spawn/],
    [['ring', 'spawn'], /“spawn” is one argument too many/],
    [['ring', '1000'], /“1000” is one argument too many.*--actors 1000/],
    [['ring', '--workload', 'spawn'], /workload is given twice/],
    [['ring', '--actors', '-5'], /actors “-5” is not a whole number.*1 to 100,000,000/],
    [['ring', '--actors=0'], /actors “0” is out of range.*1 to 100,000,000/],
    [['ring', '--actors', '1.5'], /actors “1\.5” is not a whole number/],
    [['ring', '--actors', '3', '--actors', '4'], /actors is given twice/],
    [['ring', '--actors'], /--actors needs a value/],
    [['ring', '--actors', '--laps'], /--actors needs a value/],
    [['ring', '--actors', '1e8', '--laps', '1e9'], /hops; give sizes of at most/],
    [['ring', '--actors', '3', '--tokens', '4'], /tokens “4” is more than there are actors/],
    [['spawn', '--laps', '3'], /spawn has no laps/],
    [['--preset', 'erlang-2008'], /unknown preset “erlang-2008”; known are erlang-2007/],
    [['ring', '--preset', 'tokens'], /preset tokens fixes the workload.*workload=ring/],
    [['--preset', 'tokens', '--actors', '3'], /preset tokens fixes the workload.*actors=3/],
    [['ring', '--contender', 'actors/handler,nope'], /unknown contender “nope”.*actors\/handler/],
    [['ring', '--threads', '65'], /threads “65” is out of range; .*1 to 64/],
    [['ring', '--samples', '0'], /samples “0” is out of range; .*1 to 1,000/],
    [['ring', '--json'], /--json needs a value/],
    [['ring', '--markdown=1'], /--markdown takes no value, but has “1”/],
    [['ring', '--autostart', '1'], /unknown option --autostart; known are --workload/],
    [['ring', '-5'], /“-5” is no option; known are --workload/],
  ] as [string[], RegExp][])('%j are refused in one sentence', async (args, sentence) => {
    const { code, out, err } = await runHere(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^ringspawn: .+\n$/);
    expect(err).toMatch(sentence);
  });

  it('that are wrong end the process with the code', async () => {
    const { code, out, err } = await run('ring', '--json', 'a.json', '--json', 'b.json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe('ringspawn: --json is given twice; give it once\n');
  });

  it('that are wrong still leave a file, and an array on stdout, without results', async () => {
    writeFileSync(join(folder, 'earlier.json'), '[{ "of": "an earlier run" }]');
    const toFile = await run('ring', '--actors', '0', '--json', 'earlier.json');
    expect(toFile).toMatchObject({ code: 2, out: '' });
    expect(resultsIn(inFile('earlier.json'))).toEqual([]);
    const toStdout = await run('rings', '--json', '-');
    expect(toStdout).toMatchObject({ code: 2, out: '[]\n' });
  });

  it('name a file that can be written, before anything runs', async () => {
    const { code, out, err } = await run('ring', '--json', 'no/such/folder/out.json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^ringspawn: --json “no\/such\/folder\/out\.json” can't be written: .+\n$/);
  });
});

describe('a run', { timeout: RUN_MS }, () => {
  it('counts every hop, and writes results beside a table', async () => {
    const contenders = ['actors/handler', 'js/queue', 'js/async', 'floor'];
    const sizes = [...SMALL, '--tokens', '2', '--samples', '3'];
    const { code, out, err } = await run(
      ...['ring', ...sizes, '--contender', contenders.join(','), '--json', 'out.json'],
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    const results = resultsIn(inFile('out.json'));
    expect(results.map(({ contender }) => contender)).toEqual(contenders);
    for (const result of results) {
      expect(result).toMatchObject({
        state: 'complete',
        message: null,
        workload: { name: 'ring', actors: 3000, laps: 5, tokens: 2 },
        instances: [1, 1, 1],
        environment: {
          browser: { name: expect.stringMatching(/^(Node\.js|Bun|Deno)$/) },
          cores: expect.any(Number),
          build: { version, wasmBytes: readFileSync(join(ROOT, WASM)).length },
        },
      });
      expect(result.checks.items).toContainEqual(
        expect.objectContaining({ name: 'hops', expected: 30_000, counted: 30_000, ok: true }),
      );
      expect(out).toContain(result.contender);
    }
    // Its output is no terminal: a plain line for each contender, and nothing that is rewritten.
    expect(lines(err)).toHaveLength(contenders.length);
    for (const [i, line] of lines(err).entries())
      expect(line).toMatch(new RegExp(`^${contenders[i]}: [\\d.]+ ns per hop, .*checks ok$`));
    expect(err).not.toContain('\r');
  });

  it('of a preset to stdout prints nothing there but JSON', async () => {
    const { code, out, err } = await run(
      ...['--preset', 'threads-2006', '--samples', '1', '--contender', 'floor', '--json', '-'],
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    const results = resultsIn(out);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ preset: 'threads-2006', workload: { actors: 500 } });
    expect(err).toContain('preset threads-2006');
  });

  it('of the workload spawn prints Markdown when told to', async () => {
    const { code, out } = await run(
      ...['spawn', '--actors', '1e4', '--samples', '1', '--contender', 'floor', '--markdown'],
    );
    expect(code).toBe(0);
    const table = lines(out).filter((line) => line.startsWith('|'));
    expect(table[1]).toMatch(/^\| --- \|/);
    expect(table[2]).toMatch(/\| floor \|.*\d ns \|.*\| ok \|$/);
  });

  it('outlives a reader that has gone away', async () => {
    const child = start(['ring', ...SMALL, '--samples', '1', '--contender', 'floor']);
    child.stdout!.destroy();
    const { code, err } = await ended(child);
    expect({ code, lines: lines(err) }).toEqual({
      code: 0,
      lines: [expect.stringMatching(/^floor: .*checks ok$/)],
    });
  });

  it('of more actors than fit is a failed result that names the number that does', async () => {
    const { code, out, err } = await run(
      ...['ring', '--actors', '1e8', '--laps', '1', '--contender', 'actors/async'],
      ...['--json', 'refused.json'],
    );
    expect(code).toBe(2);
    const [result] = resultsIn(inFile('refused.json'));
    expect(result).toMatchObject({ state: 'failed', checks: { ok: false, items: [] } });
    expect(result!.message).toMatch(/the largest number here is [\d,]{9,} actors/);
    expect(lines(err)).toEqual([`actors/async: ${result!.message}`]);
    expect(out).toContain('failed');
  });

  it.skipIf(RUNTIME !== process.execPath)('goes on when a contender needs a browser', async () => {
    const { code } = await run(
      ...['ring', '--actors', '100', '--laps', '500', '--samples', '1', '--json', 'mixed.json'],
      ...['--contender', 'workers/postmessage,floor'],
    );
    expect(code).toBe(2);
    const [workers, floor] = resultsIn(inFile('mixed.json'));
    expect(workers).toMatchObject({ contender: 'workers/postmessage', state: 'failed' });
    expect(workers!.message).toMatch(/workers\/postmessage/);
    expect(floor).toMatchObject({ contender: 'floor', state: 'complete' });
  });

  it('stopped by Ctrl+C says how far it got, and writes that', async () => {
    const child = start(['--preset', 'kilim-2009', '--json', 'stopped.json']);
    const end = ended(child);
    while (!existsSync(join(folder, 'stopped.json'))) await sleep(20);
    await sleep(500);
    child.kill('SIGINT');
    const { code, out, err } = await end;
    expect(code).toBe(130);
    const results = resultsIn(inFile('stopped.json'));
    expect(results.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    expect(results[0]!.message).toMatch(/^stopped at [\d,]+ hops/);
    expect(lines(err)).toHaveLength(2);
    expect(out).toContain('stopped');
  });
});

describe('the package', { timeout: RUN_MS }, () => {
  let root = '';

  beforeAll(async () => {
    root = join(folder, 'package');
    const pack = spawn('npm', ['pack', '--dry-run', '--json'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    const [{ files }] = JSON.parse((await ended(pack)).out);
    for (const { path } of files as { path: string }[]) {
      cpSync(join(ROOT, path), join(root, path));
    }
  }, RUN_MS);

  it('runs without the checkout and without what its development needs', async () => {
    expect(existsSync(join(root, 'tools'))).toBe(false);
    const args = ['ring', ...SMALL, '--samples', '1', '--contender', 'actors/async'];
    const { code, out, err } = await ended(start(args, root));
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('actors/async');
  });

  it('with a damaged wasm gives failed results that say so', async () => {
    const damaged = join(folder, 'damaged');
    cpSync(root, damaged, { recursive: true });
    const wasm = join(damaged, 'build/node/ringspawn_bg.wasm');
    writeFileSync(wasm, readFileSync(wasm).subarray(0, 1000));
    const { code, err } = await ended(start(['ring', '--json', 'damaged.json'], damaged));
    expect(code).toBe(2);
    const results = resultsIn(inFile('damaged.json'));
    expect(results.map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(results[0]!.message).toMatch(/would not compile the wasm/);
    expect(err).toContain(results[0]!.message);
    expect(err).not.toMatch(/^ +at /m);
  });

  it('without its worker says what is missing', async () => {
    const broken = join(folder, 'broken');
    cpSync(root, broken, { recursive: true });
    rmSync(join(broken, 'build/node/worker.mjs'));
    const { code, out } = await ended(start(['ring', '--json', '-'], broken));
    expect(code).toBe(2);
    expect(resultsIn(out)[0]!.message).toMatch(/worker thread failed: .*worker\.mjs/s);
  });
});

describe('exit codes', () => {
  const params = defaultParams();
  const failed = failedResult(params, 'floor', 'it would not start', describeRuntime());
  const complete: Result = { ...failed, state: 'complete', message: null };
  const miscounted: Result = {
    ...failed,
    checks: { ok: false, items: [{ name: 'hops', expected: 9, counted: 8, ok: false }] },
  };
  const panicked: Result = {
    ...failed,
    failures: [{ actor: 'actor 3', message: 'boom', place: null }],
  };

  it('tell a failed check from a contender that could not run', () => {
    expect(exitCodeOf([complete], null)).toBe(0);
    expect(exitCodeOf([complete, failed], null)).toBe(2);
    expect(exitCodeOf([miscounted, failed], null)).toBe(1);
    expect(exitCodeOf([complete, panicked], null)).toBe(1);
  });

  it('after a signal are what a shell gives, whatever was found', () => {
    expect(exitCodeOf([complete], 'SIGINT')).toBe(130);
    expect(exitCodeOf([miscounted], 'SIGTERM')).toBe(143);
  });

  it('go with failed results of the same shape as those of browsers', () => {
    expect(validate([failed]), JSON.stringify(validate.errors)).toBe(true);
    const other = failedInBrowser({ browser: 'chromium', params, contender: 'floor', message: '' });
    expect(Object.keys(failed)).toEqual(Object.keys(other));
  });
});

describe('end lines', () => {
  const measure = {
    unit: 'ns',
    cold: null,
    median: 1234.5,
    ci95: [1200, 1300],
    min: 1200,
    max: 1300,
    samples: [1200, 1300],
  } as const;
  const base = failedResult(defaultParams(), 'floor', 'why it failed', describeRuntime());

  it('give the figure with its interval, or why there is none', () => {
    const complete: Result = {
      ...base,
      state: 'complete',
      measures: { hop: measure, spawn: null, memory: null },
    };
    expect(endLine(complete)).toBe(
      'floor: 1.23 µs per hop (95 % interval 1.2 to 1.3 µs), 2 samples, checks ok',
    );
    expect(endLine(base)).toBe('floor: why it failed');
    const threads = { ...complete, contender: 'actors/threads' } as const;
    const two = { asked: 2, granted: 2, used: 2, reason: null };
    expect(endLine({ ...threads, threads: two })).toContain('2 samples, on 2 threads, checks ok');
    const reason = 'the pool took too long, so threads are off';
    expect(endLine({ ...threads, threads: { ...two, granted: 1, used: 1, reason } })).toContain(
      `2 samples, on one thread, checks ok; one thread, because ${reason}`,
    );
  });

  it('of a ring of 0 laps give what an actor cost', () => {
    const workload = { name: 'ring', actors: 3, laps: 0, tokens: 1 } as const;
    expect(unitNameOf(workload)).toBe('actor');
    const complete: Result = {
      ...base,
      state: 'complete',
      workload,
      measures: { hop: null, spawn: { ...measure, ci95: null }, memory: null },
    };
    expect(endLine(complete)).toBe('floor: 1.23 µs per actor, 2 samples, checks ok');
  });
});

describe('the progress line', () => {
  const progress: Progress = {
    contender: 'actors/handler',
    stage: 'warm-up',
    phase: 'hop',
    done: 1,
    total: 2,
    instance: 1,
    kept: 0,
    share: 0.428,
    nsSoFar: 13.84,
  };

  function screen(changes: { isTTY?: boolean; columns?: number } = {}) {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    return { isTTY: true, columns: 40, write, written, ...changes };
  }

  it('names contender, stage, percent and the figure so far', () => {
    expect(progressText(progress, 'hop')).toBe(
      'actors/handler: warm-up, 42 %, 13.8 ns per hop so far',
    );
    expect(progressText({ ...progress, nsSoFar: null }, 'hop')).toBe(
      'actors/handler: warm-up, 42 %',
    );
  });

  it('is rewritten in place at most ten times a second, and never longer than a line', () => {
    const terminal = screen();
    let now = 0;
    const line = new ProgressLine(terminal, () => now);
    for (; now < 1000; now += 10) line.show(now === 0 ? 'x'.repeat(100) : `at ${now}`);
    expect(terminal.written).toHaveLength(10);
    expect(terminal.written[0]).toBe(`\r${'x'.repeat(39)}`);
    expect(terminal.written[1]).toBe(`\rat 100${' '.repeat(33)}`);
    line.clear();
    expect(terminal.written.at(-1)).toMatch(/^\r +\r$/);
  });

  it('is not there when nobody watches', () => {
    const file = screen({ isTTY: false });
    const line = new ProgressLine(file);
    line.show('at 10');
    line.clear();
    expect(file.written).toEqual([]);
  });
});

describe('the runtime', () => {
  it.each([
    [{ node: '20.20.2', v8: '11.3' }, { name: 'Node.js', version: '20.20' }, 'V8'],
    [{ node: '24.3.0', bun: '1.4.5' }, { name: 'Bun', version: '1.4' }, 'JavaScriptCore'],
    [{ node: '24.2.0', deno: '2.9.6' }, { name: 'Deno', version: '2.9' }, 'V8'],
    [{}, null, null],
  ])('%j is named by itself, never by what it stands in for', (versions, browser, engine) => {
    const environment = describeRuntime(versions);
    expect(environment).toMatchObject({ browser, engine, isolated: null, hiddenSeconds: 0 });
    expect(environment.cores).toBeGreaterThan(0);
  });
});
