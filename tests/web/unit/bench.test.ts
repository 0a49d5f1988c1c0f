import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ArgumentError, jsonTarget, readOptions } from '../../../tools/bench/options.mjs';
import { completed, exitCode, failedResult } from '../../../tools/bench/outcome.mjs';
import { table } from '../../../tools/bench/table.mjs';
import { defaultParams, readPairs } from '../../../www/params';
import type { Measure, Result } from '../../../www/result';

const rules = { readPairs, browsers: ['chromium', 'firefox', 'webkit', 'webkit-plain'] };
const read = (...args: string[]) => readOptions(args, rules);

function refusal(...args: string[]): string {
  try {
    read(...args);
  } catch (error) {
    expect(error).toBeInstanceOf(ArgumentError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

const measure = (median: number, unit: 'ns' | 'bytes' = 'ns'): Measure => ({
  unit,
  cold: null,
  median,
  ci95: [median * 0.99, median * 1.01],
  min: median,
  max: median,
  samples: [median, median, median],
});

function ringResult(
  contender: Result['contender'],
  hop: number,
  changes: Partial<Result> = {},
): Result {
  const failed = failedResult({
    browser: 'chromium',
    params: defaultParams(),
    contender,
    message: '',
  }) as Result;
  return {
    ...failed,
    state: 'complete',
    message: null,
    measures: {
      hop: measure(hop),
      spawn: measure(23.456),
      memory: contender === 'floor' ? null : measure(64, 'bytes'),
    },
    checks: {
      ok: true,
      items: [{ name: 'hops', expected: 1_000_000, counted: 1_000_000, ok: true }],
    },
    clock: { stepMs: 0.005, errorPercent: 0.42 },
    ...changes,
  };
}

const badCount = {
  ok: false,
  items: [{ name: 'hops', expected: 1_000_000, counted: 1000, ok: false }],
};

describe('arguments', () => {
  it('are the address parameters, with the same defaults', () => {
    expect(read()).toEqual({
      help: false,
      browsers: null,
      json: null,
      markdown: false,
      params: defaultParams(),
    });
    const { params } = read(
      '--workload',
      'ring',
      '--actors=503',
      '--laps',
      '20',
      '--contender',
      'actors/async,floor',
      '--samples',
      '7',
    );
    expect(params.workload).toEqual({ name: 'ring', actors: 503, laps: 20, tokens: 1 });
    expect(params.contenders).toEqual(['actors/async', 'floor']);
    expect(params.samples).toBe(7);
  });

  it('name browsers, a file and a preset', () => {
    const options = read(
      '--browsers',
      'firefox,webkit',
      '--json',
      'out.json',
      '--preset',
      'erlang-2007',
      '--markdown',
    );
    expect(options).toMatchObject({
      browsers: ['firefox', 'webkit'],
      json: 'out.json',
      markdown: true,
    });
    expect(options.params.preset).toBe('erlang-2007');
  });

  it.each([
    [['--actors', '-5'], /actors .-5.*1 to 100,000,000/],
    [['--actors', '0'], /actors .0.*1 to 100,000,000/],
    [['--actors', '1.5'], /actors .1\.5.*whole number/],
    [['--contender', 'actors/handler,nope'], /nope.*actors\/handler/],
    [['--preset', 'erlang-2007', '--actors', '3'], /erlang-2007.*actors=3/],
    [['--browsers', 'chromium,lynx'], /lynx.*chromium, firefox, webkit/],
    [['--browsers', 'chromium,chromium'], /chromium.*twice/],
    [['--workload'], /--workload needs a value/],
    [['--workload', '--json'], /--workload needs a value/],
    [['--speed', '9'], /--speed.*--browsers/],
    [['ring'], /ring.*--browsers/],
    [['--actors', '1', '--actors', '2'], /--actors is given twice/],
    [['--markdown=yes'], /--markdown.*yes/],
  ])('%j get a sentence', (args, sentence) => {
    expect(refusal(...args)).toMatch(sentence);
  });

  it('say where results go even when others are wrong', () => {
    expect(jsonTarget(['--actors', 'x', '--json', 'a.json'])).toBe('a.json');
    expect(jsonTarget(['--json=-', '--nope'])).toBe('-');
    expect(jsonTarget(['--json', '--actors'])).toBeNull();
    expect(jsonTarget([])).toBeNull();
  });
});

describe('the exit code', () => {
  it('is 0 when every check of every contender is right', () => {
    expect(exitCode([ringResult('actors/handler', 8), ringResult('floor', 2)])).toBe(0);
  });

  it('is 1 when a count is wrong or an actor panicked, whatever else failed', () => {
    const refused = failedResult({
      browser: 'firefox',
      params: defaultParams(),
      contender: 'floor',
      message: 'not installed',
    });
    expect(exitCode([ringResult('floor', 2, { state: 'failed', checks: badCount })])).toBe(1);
    expect(exitCode([refused, ringResult('floor', 2, { state: 'failed', checks: badCount })])).toBe(
      1,
    );
    const failures = [{ actor: '7.0', message: 'boom', place: 'ring.rs:3' }];
    expect(
      exitCode([
        ringResult('actors/handler', 2, {
          state: 'failed',
          checks: { ok: false, items: [] },
          failures,
        }),
      ]),
    ).toBe(1);
  });

  it('is 2 when a browser or a contender could not run', () => {
    const refused = failedResult({
      browser: 'firefox',
      params: defaultParams(),
      contender: 'floor',
      message: 'not installed',
    });
    expect(exitCode([ringResult('actors/handler', 8), refused])).toBe(2);
  });
});

describe('a contender without a result', () => {
  it('gets a failed one that says why and has every field', () => {
    const results = completed([ringResult('floor', 2)], {
      browser: 'webkit',
      version: '2.50.6',
      params: defaultParams(),
      message: "webkit didn't start",
    });
    expect(results.map(({ contender, state }) => [contender, state])).toEqual([
      ['actors/handler', 'failed'],
      ['floor', 'complete'],
    ]);
    expect(results[0]).toMatchObject({ message: "webkit didn't start", checks: { ok: false } });

    const schema = JSON.parse(
      readFileSync(new URL('../../../www/result.schema.json', import.meta.url), 'utf8'),
    );
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    expect(validate(results[0]), JSON.stringify(validate.errors)).toBe(true);
    const spawn = readPairs([['workload', 'spawn']]).params!;
    const other = failedResult({
      browser: 'chromium',
      params: spawn,
      contender: 'floor',
      message: 'no',
    });
    expect(validate(other), JSON.stringify(validate.errors)).toBe(true);
  });
});

describe('the table', () => {
  const rows = [
    { browser: 'chromium', version: '156', result: ringResult('actors/handler', 8.456) },
    { browser: 'chromium', version: '156', result: ringResult('floor', 2.5) },
    { browser: 'firefox', version: '153', result: ringResult('actors/handler', 9) },
  ];

  it('has a row for each browser and contender, and the ratio to the floor of the same run', () => {
    const lines = table(rows).split('\n');
    expect(lines[0]).toBe('ring: 1,000 actors, 1,000 laps, 1 token');
    expect(lines[2]).toMatch(
      /^browser +contender +hop +95 % interval +× floor +spawn +memory +clock ± +samples +checks$/,
    );
    expect(lines[3]).toMatch(
      /^chromium 156 +actors\/handler +8\.46 ns +8\.37 to 8\.54 +3\.38 +23\.5 ns +64 B +0\.42 % +3 +ok$/,
    );
    expect(lines[4]).toMatch(/floor +2\.5 ns .* – +23\.5 ns +– /);
    // Firefox had no floor in its run: Chromium's must not stand in for it.
    expect(lines[5]).toMatch(/^firefox 153 +actors\/handler +9 ns +8\.91 to 9\.09 +– /);
  });

  it('can be Markdown', () => {
    const lines = table(rows, { markdown: true }).split('\n');
    expect(lines[3]).toMatch(/^\| --- \| --- \| ---: \|.* --- \|$/);
    expect(lines[4]).toMatch(/^\| chromium 156 \| actors\/handler \| 8\.46 ns \|/);
  });

  it('shows both numbers of a failed check, and why others did not run', () => {
    const failed = ringResult('actors/handler', 8, {
      state: 'failed',
      message: 'hops: expected 1000000, counted 1000',
      measures: { hop: null, spawn: null, memory: null },
      checks: badCount,
    });
    const text = table([{ browser: 'chromium', version: null, result: failed }]);
    expect(text).toContain('FAILED hops: expected 1000000, counted 1000');
    const refused = failedResult({
      browser: 'webkit',
      params: defaultParams(),
      contender: 'floor',
      message: 'no driver',
    });
    expect(table([{ browser: 'webkit', version: null, result: refused }])).toContain(
      'webkit, floor: no driver',
    );
  });
});
