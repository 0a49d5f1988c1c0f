import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ArgumentError, HELP, jsonTarget, readOptions } from '../../../tools/bench/options.mjs';
import { completed, exitCode, failedResult } from '../../../tools/bench/outcome.mjs';
import { report } from '../../../tools/bench/same.mjs';
import { table } from '../../../tools/bench/table.mjs';
import { CONTENDERS, defaultParams, PRESETS, readPairs, WORKLOADS } from '../../../www/params';
import type { Measure, Ratio, Result } from '../../../www/result';

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

  it('give skynet and work their sizes, and threads', () => {
    const tree = read('--workload', 'skynet', '--leaves', '1e5', '--threads', '2').params;
    expect(tree).toMatchObject({ workload: { name: 'skynet', leaves: 100_000 }, threads: 2 });
    const work = read('--workload', 'work', '--laps', '1', '--work-ns', '10000').params;
    expect(work.workload).toMatchObject({ name: 'work', laps: 1, workNs: 10_000 });
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
    [['--workload', 'skynet', '--actors', '9'], /skynet has no actors/],
    [['--work-ns', '9'], /ring has no work-ns/],
    [['--threads', '65'], /threads .65.*1 to 64/],
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

  it('is 2 when a contender can not do that size, or the clock was of no use', () => {
    for (const message of [
      'workers/postmessage can do at most 100 actors; 1,000 were asked',
      'too short for this clock',
      'the clock was set back during 3 samples in a row',
    ]) {
      // What was counted until then was right.
      const { checks } = ringResult('floor', 2);
      const result = ringResult('floor', 2, {
        state: 'failed',
        message,
        checks: { ok: false, items: message.startsWith('workers') ? [] : checks.items },
      });
      expect(exitCode([ringResult('actors/handler', 8), result])).toBe(2);
    }
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
  const to = (contender: Result['contender'], ratio: number): Ratio => ({
    to: contender,
    of: 'hop',
    ratio,
    ci95: [ratio * 0.98, ratio * 1.02],
  });
  const environment: Result['environment'] = {
    browser: { name: 'Chromium', version: '156.0' },
    engine: 'V8',
    cores: 2,
    isolated: true,
    hiddenSeconds: 0,
    hints: null,
    build: { version: '0.1.0', commit: 'abc1234', wasmBytes: 1 },
  };
  const handler = ringResult('actors/handler', 8.456, {
    at: '2026-12-01T09:30:00Z',
    environment,
    instances: [3, 3, 3, 3, 3],
    ratios: [to('actors/async', 0.7), to('floor', 3.38)],
  });
  const async = ringResult('actors/async', 12, {
    environment,
    ratios: [to('actors/handler', 1.43), { ...to('floor', 4.8), ci95: null }],
  });
  const floor = ringResult('floor', 2.5, {
    environment,
    ratios: [to('actors/handler', 0.3), to('actors/async', 0.21)],
  });
  const alone = ringResult('actors/handler', 9, {
    environment: {
      ...environment,
      browser: { name: 'Firefox', version: '153.0' },
      isolated: false,
    },
    clock: { stepMs: 1, errorPercent: 1.9 },
    ratios: [],
  });
  const rows = [
    { browser: 'chromium', version: '156.0.1', result: handler },
    { browser: 'chromium', version: '156.0.1', result: async },
    { browser: 'chromium', version: '156.0.1', result: floor },
    { browser: 'firefox', version: '153.0', result: alone },
  ];

  it('has a row for each browser and contender, with ratios of the same run and their intervals', () => {
    const lines = table(rows).split('\n');
    expect(lines[0]).toBe('ring: 1,000 actors, 1,000 laps, 1 token');
    expect(lines[2]).toMatch(
      /^browser +contender +hop +95 % interval +× floor +× fastest +spawn +bytes per actor +clock ± +samples +instances +checks$/,
    );
    expect(lines[3]).toMatch(
      /^Chromium 156\.0\.1 +actors\/handler +8\.46 ns +8\.37 to 8\.54 +3\.38 \(3\.31 to 3\.45\) +fastest +23\.5 ns +64 +0\.42 % +3 +5 +ok$/,
    );
    expect(lines[4]).toMatch(/actors\/async +12 ns .* 4\.80 +1\.43 \(1\.40 to 1\.46\) /);
    // The floor is in no race, and a row without a floor in its run has no ratio to another browser's.
    expect(lines[5]).toMatch(/floor +2\.5 ns +2\.48 to 2\.53 +– +– /);
    expect(lines[6]).toMatch(/^Firefox 153\.0 +actors\/handler +9 ns +8\.91 to 9\.09 +– +fastest /);
  });

  it('gives long times in units that can be read', () => {
    for (const [ns, shown] of [
      [9999, '10,000 ns +9,900 to 10,100'],
      [53_100, '53.1 µs +52.6 to 53.6 µs'],
      [18_300_000, '18.3 ms +18.1 to 18.5 ms'],
    ] as const) {
      const result = ringResult('actors/handler', ns, { ratios: [] });
      const [, , , row] = table([{ browser: 'firefox', version: '153', result }]).split('\n');
      expect(row).toMatch(new RegExp(`handler +${shown} `));
    }
  });

  it('tells threads beside the contenders that use them, and why there was one', () => {
    const reason = 'this page is not isolated, so threads are off';
    const of = (contender: Result['contender'], change: Partial<Result> = {}) => ({
      browser: 'chromium',
      version: '156',
      result: ringResult(contender, 8, change),
    });
    const two = { asked: 2, granted: 2, used: 2, reason: null };
    const pair = [of('actors/threads', { threads: two }), of('actors/handler')];
    expect(table(pair).split('\n')[2]).toMatch(/contender +threads +hop/);
    expect(table(pair)).toMatch(/actors\/threads +2 +8 ns/);
    expect(table(pair)).toMatch(/actors\/handler +– +8 ns/);
    const one = of('actors/threads', { threads: { asked: 4, granted: 1, used: 1, reason } });
    expect(table([one], { markdown: true })).toContain(
      `- Chromium 156: actors/threads ran on one thread, because ${reason}.`,
    );
    expect(table([of('actors/handler')]).split('\n')[2]).not.toContain('threads');
  });

  it('names the work of a message, and the rounds that each browser made of it', () => {
    const workload = { ...ringResult('floor', 8).workload, name: 'work', workNs: 50, rounds: 25 };
    const result = { ...ringResult('floor', 8), workload, measures: { hop: null } } as Result;
    const text = table([{ browser: 'chromium', version: null, result }]);
    expect(text.split('\n')[0]).toMatch(/^work: .* actors, .* laps, 1 token, 50 ns of work$/);
    expect(text.split('\n').at(-1)).toContain('50 ns of work are 25 rounds');
    const tree = { ...result, workload: { name: 'skynet', leaves: 1 }, measures: { leaf: null } };
    const [title] = table([{ browser: 'chromium', version: null, result: tree }]).split('\n');
    expect(title).toBe('skynet: 1 leaf');
  });

  it('has no column of ratios that no row has', () => {
    const [, , head] = table([{ browser: 'firefox', version: '153', result: alone }]).split('\n');
    expect(head).not.toMatch(/×/);
    const pair = [rows[0]!, rows[2]!];
    expect(table(pair).split('\n')[2]).toMatch(/× floor +spawn/);
  });

  it('of spawn begins with the sum, and of a ring without laps with the building of it', () => {
    const spawn = failedResult({
      browser: 'chromium',
      params: readPairs([['workload', 'spawn']]).params!,
      contender: 'floor',
      message: 'no',
    });
    const [, , head] = table([{ browser: 'chromium', version: null, result: spawn }]).split('\n');
    expect(head).toMatch(/contender +spawn \+ stop +95 % interval +spawn +stop/);
    const built = ringResult('floor', 1, {
      workload: { name: 'ring', actors: 10, laps: 0, tokens: 1 },
      measures: { hop: null, spawn: measure(3), memory: null },
    });
    const lines = table([{ browser: 'chromium', version: null, result: built }]).split('\n');
    expect(lines[3]).toMatch(/floor +3 ns +2\.97 to 3\.03/);
  });

  it('is followed by when and with what it was measured, and each browser’s clock', () => {
    expect(table(rows).split('\n').at(-1)).toBe(
      'Measured 2026-12-01 by Ringspawn 0.1.0 (commit abc1234). ' +
        'Chromium 156.0.1: isolated, clock in steps of 5 µs, 2 cores reported; ' +
        'Firefox 153.0: not isolated, clock in steps of 1 ms, 2 cores reported.',
    );
  });

  it('can be Markdown', () => {
    const lines = table(rows, { markdown: true }).split('\n');
    expect(lines[0]).toBe('**ring: 1,000 actors, 1,000 laps, 1 token**');
    expect(lines[3]).toMatch(/^\| --- \| --- \| ---: \|.* --- \|$/);
    expect(lines[4]).toMatch(/^\| Chromium 156\.0\.1 \| actors\/handler \| 8\.46 ns \|/);
    const bars = (line: string) => line.split('|').length;
    expect(new Set(lines.slice(2, 8).map(bars)).size).toBe(1);
    expect(lines.at(-1)).toMatch(/^- Measured 2026-12-01 by Ringspawn/);
  });

  it('says below when a machine was noisy or samples did not settle', () => {
    const noisy = {
      ...handler,
      noise: { sentence: 'The machine was too noisy for it.', widthPercent: 30 },
      warmUp: { samples: 3, agreed: false, values: null },
    };
    const noisier = { ...async, noise: { sentence: 'Far too noisy.', widthPercent: 90 } };
    const text = table(
      [noisy, noisier, { ...floor, warmUp: noisy.warmUp }].map((result) => ({
        browser: 'chromium',
        version: '156',
        result,
      })),
    );
    expect(text.split('\n').slice(7, -1)).toEqual([
      'Chromium 156, actors/async: Far too noisy.',
      'Chromium 156: samples of actors/handler, floor did not settle within the time for warm-up.',
    ]);
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
      browser: 'webkit-plain',
      params: defaultParams(),
      contender: 'floor',
      message: 'no | driver\n*here*',
    });
    const row = { browser: 'webkit-plain', version: null, result: refused };
    expect(table([row])).toContain('WebKit without SharedArrayBuffer, floor: no | driver');
    expect(table([row], { markdown: true })).toContain('no \\| driver \\*here\\*');
    expect(table([row])).toContain('did not run');
  });
});

describe('the help', () => {
  it('names every browser, preset, workload and contender', () => {
    for (const name of [...rules.browsers, ...PRESETS, ...WORKLOADS, ...CONTENDERS])
      expect(HELP).toContain(name);
  });
});

describe('one contender against itself', () => {
  const run = (low: number, high: number, noise: Result['noise'] = null) => {
    const ratios: Ratio[] = [{ to: 'floor', of: 'hop', ratio: 1, ci95: [low, high] }];
    const result = ringResult('floor', 3, { ratios, noise, instances: [3, 3, 3, 3, 3] });
    return [result, result];
  };
  const noise = { sentence: 'Too noisy.', widthPercent: 30 };

  it('is right when 17 of 20 intervals hold 1 and none is wide without saying so', () => {
    const good = new Array(17).fill(run(0.98, 1.01));
    const off = new Array(3).fill(run(1.01, 1.02));
    expect(report([...good, ...off])).toMatchObject({ ok: true });
    expect(report([...good, ...off]).text).toMatch(/^17 of 20 intervals hold 1\n/);
    expect(report([...good.slice(1), ...off, run(1.01, 1.02)]).ok).toBe(false);
    expect(report([...good, run(0.9, 1.2), ...off.slice(1)]).ok).toBe(false);
    expect(report([...good, run(0.9, 1.2, noise), ...off.slice(1)]).ok).toBe(true);
  });

  it('that has no interval holds nothing', () => {
    const failed = ringResult('floor', 3, { state: 'failed', message: 'boom', ratios: null });
    expect(report([[failed, failed]])).toMatchObject({ ok: false, lines: ['boom'] });
  });
});
