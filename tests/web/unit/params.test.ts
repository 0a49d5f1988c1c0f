import { describe, expect, test } from 'vitest';
import { CONTENDER_NOTES } from '../../../www/contender-notes';
import { DEFAULT_FIELDS, fieldsFromPairs, readFields, withPreset } from '../../../www/fields';
import {
  CONTENDERS,
  DEFAULT_WORKLOADS,
  doesWorkload,
  estimateBytes,
  LIMITS,
  largestCount,
  MAX_HOPS,
  MEMORY_LIMIT_BYTES,
  mostActors,
  PRESETS,
  readAddress,
  readWhole,
  refusalOf,
  toSearch,
  WORKLOADS,
} from '../../../www/params';

function read(search: string) {
  const { params, error } = readAddress(search);
  if (params === null) throw new Error(error);
  return params;
}

function refusal(search: string): string {
  const { params, error } = readAddress(search);
  expect(params).toBeNull();
  return error ?? '';
}

describe('a number as people write it', () => {
  test.each([
    '1e6',
    '1E6',
    '1,000,000',
    '1.000.000',
    '1 000 000',
    '1_000_000',
    '1\u00a0000\u00a0000',
    '1\u202f000\u202f000',
    "1'000'000",
    '10,00,000',
    '1000000',
    ' 1000000 ',
    '1.0e6',
  ])('%j is 1000000', (text) => {
    expect(readWhole(text)).toEqual({ value: 1_000_000 });
  });

  test.each([
    '',
    ' ',
    '-5',
    '1.5',
    'NaN',
    'Infinity',
    '0x10',
    '4,0',
    '1,000,100.01',
    '1,00',
    '1,0000',
    '1e-3',
    '१०',
    '1 2',
    ',000',
    '1,,000',
    '1,000.000',
    '1e',
    'e6',
    '--1',
    '+5',
  ])('%j is refused with a reason', (text) => {
    expect(readWhole(text)).toHaveProperty('reason');
  });

  test.each(['1,000', '1.000', '10,000'])(
    '%j can be read in two ways, so it is refused',
    (text) => {
      const reading = readWhole(text);
      expect(reading).toMatchObject({ reason: expect.stringContaining('two ways') });
    },
  );

  test('a space never is a decimal point: 10 000 is ten thousand', () => {
    expect(readWhole('10 000')).toEqual({ value: 10_000 });
  });

  test.each([
    '',
    '0',
    '-5',
    '1.5',
    'NaN',
    'Infinity',
    '0x10',
    '99999999999999999999',
    '1e400',
    '100000001',
  ])('actors=%j is refused with a sentence that names value and range', (text) => {
    const sentence = refusal(`?actors=${encodeURIComponent(text)}`);
    expect(sentence).toContain(`“${text}”`);
    expect(sentence).toContain('from 1 to 100,000,000');
  });

  test.each(['de', 'fr', 'hi', 'en-IN', 'de-CH', 'pl'])(
    'what %s writes for a million is read right or refused, never as 1 or 1000',
    (language) => {
      const reading = readWhole((1_000_000).toLocaleString(language));
      if ('value' in reading) expect(reading.value).toBe(1_000_000);
    },
  );
});

describe('an address', () => {
  test('without anything gives the defaults of the ring', () => {
    expect(read('')).toEqual({
      workload: { name: 'ring', actors: 1000, laps: 1000, tokens: 1 },
      preset: null,
      contenders: ['actors/handler', 'floor'],
      threads: null,
      samples: null,
      autostart: false,
    });
  });

  test('with everything gives all of it, frozen', () => {
    const params = read(
      '?workload=ring&actors=30&laps=20&tokens=4&contender=actors/async,floor&threads=2&samples=15&autostart=1',
    );
    expect(params).toEqual({
      workload: { name: 'ring', actors: 30, laps: 20, tokens: 4 },
      preset: null,
      contenders: ['actors/async', 'floor'],
      threads: 2,
      samples: 15,
      autostart: true,
    });
    expect(
      Object.isFrozen(params) &&
        Object.isFrozen(params.workload) &&
        Object.isFrozen(params.contenders),
    ).toBe(true);
  });

  test('spawn has 100,000 actors and nothing else', () => {
    expect(read('?workload=spawn').workload).toEqual({ name: 'spawn', actors: 100_000 });
    expect(refusal('?workload=spawn&laps=3')).toContain('laps');
  });

  test.each([
    ['erlang-2007', { name: 'ring', actors: 30_000, laps: 1000, tokens: 1 }, null],
    ['armstrong-spawn', { name: 'spawn', actors: 100_000 }, null],
    ['threads-2006', { name: 'ring', actors: 500, laps: 3000, tokens: 1 }, 13],
    ['kilim-2009', { name: 'ring', actors: 100, laps: 1_000_000, tokens: 1 }, null],
    ['tokens', { name: 'ring', actors: 10_000, laps: 20, tokens: 64 }, null],
  ])('the preset %s has the sizes of its post', (preset, workload, samples) => {
    expect(read(`?preset=${preset}`)).toMatchObject({ preset, workload, samples });
  });

  test('skynet has a million leaves, work a ring of messages of 50 ns', () => {
    expect(read('?workload=skynet').workload).toEqual({ name: 'skynet', leaves: 1_000_000 });
    expect(read('?workload=skynet&leaves=7').workload).toEqual({ name: 'skynet', leaves: 7 });
    const work = { name: 'work', actors: 10_000, laps: 20, tokens: 64, workNs: 50, rounds: null };
    expect(read('?workload=work').workload).toEqual(work);
    expect(read('?workload=work&work-ns=0&laps=3').workload).toEqual({
      ...work,
      laps: 3,
      workNs: 0,
    });
  });

  test.each(['actors=5', 'laps=5', 'tokens=1', 'leaves=5', 'work-ns=5', 'workload=ring'])(
    'a preset together with %s is an error',
    (size) => {
      expect(refusal(`?preset=tokens&${size}`)).toContain(size);
    },
  );

  test('samples may stand beside a preset', () => {
    expect(read('?preset=threads-2006&samples=5').samples).toBe(5);
  });

  test.each([
    ['?colour=red', 'colour'],
    ['?__proto__=1', '__proto__'],
    ['?workload=rings', 'rings'],
    ['?workload=skynet&actors=5', 'the workload skynet has no actors; leave actors=5 out'],
    ['?workload=ring&leaves=5', 'the workload ring has no leaves'],
    ['?workload=work&leaves=5', 'the workload work has no leaves'],
    ['?work-ns=5', 'the workload ring has no work-ns'],
    ['?workload=work&rounds=5', 'unknown parameter “rounds”'],
    ['?workload=skynet&leaves=0', 'from 1 to 100,000,000'],
    ['?workload=work&work-ns=10000001', 'from 0 to 10,000,000'],
    ['?workload=work&work-ns=1.5', 'not a whole number'],
    ['?workload=work&actors=5&tokens=6', 'from 1 to 5'],
    ['?workload=work&actors=100000000&laps=1000000000', 'hops'],
    ['?contender=', 'no contender'],
    ['?contender=floor,', '“”'],
    ['?contender=floor,floor', 'twice'],
    ['?contender=FLOOR', 'FLOOR'],
    ['?preset=erlang', 'erlang'],
    ['?actors=5&actors=6', 'twice'],
    ['?autostart=yes', 'yes'],
    ['?threads=65', 'from 1 to 64'],
    ['?threads=0', 'from 1 to 64'],
    ['?samples=0', 'from 1 to 1,000'],
    ['?samples=1001', 'from 1 to 1,000'],
    ['?laps=-1', 'from 0 to 1,000,000,000'],
    ['?laps=1000000001', 'from 0 to 1,000,000,000'],
    ['?actors=5&tokens=6', 'from 1 to 5'],
    ['?tokens=0', 'no more tokens than actors'],
  ])('%s is refused, and the sentence says %j', (search, part) => {
    expect(refusal(search)).toContain(part);
  });

  test('a very long value is cut in the sentence', () => {
    expect(refusal(`?actors=${'9'.repeat(100_000)}`).length).toBeLessThan(200);
  });

  test('hops end at 2^53 - 1, counted exactly', () => {
    expect(MAX_HOPS).toBe(2 ** 53 - 1);
    expect(refusal('?actors=100000000&laps=1000000000')).toContain('100,000,000,000,000,000 hops');
    expect(read('?actors=9007199&laps=1000000000').workload).toMatchObject({
      actors: 9_007_199,
    });
    expect(refusal('?actors=9007200&laps=1000000000')).toContain('9,007,199,254,740,991');
  });

  test('0 laps, 1 actor and 2 actors are fine', () => {
    expect(read('?laps=0').workload).toMatchObject({ laps: 0 });
    expect(read('?actors=1').workload).toMatchObject({ actors: 1 });
    expect(read('?actors=2&tokens=2').workload).toMatchObject({ actors: 2, tokens: 2 });
  });

  test.each([
    '',
    '?workload=spawn&actors=7',
    '?workload=skynet&leaves=7&contender=actors/threads,actors/threads-async&threads=64',
    '?workload=work&actors=30&laps=2&tokens=5&work-ns=1000',
    '?preset=threads-2006',
    '?preset=threads-2006&samples=2',
    '?workload=ring&actors=3&laps=4&tokens=2&contender=floor,actors/mixed&threads=3&samples=9',
  ])('%j comes back the same through its own link', (search) => {
    const params = read(search);
    expect(read(toSearch(params))).toEqual(params);
  });

  test('numbers in links are plain digits', () => {
    expect(toSearch(read('?actors=1e6&laps=1000'))).toContain('actors=1000000&');
  });
});

describe('the memory of a page', () => {
  const ring = { name: 'ring', actors: 100_000_000, laps: 1, tokens: 1 } as const;

  test('100,000,000 actors of 64 bytes are refused, with estimate, limit and the largest number', () => {
    const sentence = refusalOf(ring, 'actors/handler', 64) ?? '';
    expect(sentence).toContain('100,000,000 actors of about 64 bytes need about 5.96 GiB');
    expect(sentence).toContain('3.75 GiB');
    expect(sentence).toContain('62,914,560');
  });

  test('the largest number itself is not refused', () => {
    const actors = largestCount(64);
    expect(refusalOf({ name: 'spawn', actors }, 'actors/handler', 64)).toBeNull();
    expect(refusalOf({ name: 'spawn', actors: actors + 1 }, 'actors/handler', 64)).not.toBeNull();
  });

  test('tokens need memory too', () => {
    expect(estimateBytes({ ...ring, tokens: 1000 }, 0)).toBeGreaterThan(
      estimateBytes({ ...ring, tokens: 1 }, 0),
    );
  });

  test('of threads is what they share, and a tree counts by its leaves', () => {
    const leaves = { name: 'skynet', leaves: 20_000_000 } as const;
    expect(refusalOf(leaves, 'actors/handler', 100)).toBeNull();
    const sentence = refusalOf(leaves, 'actors/threads', 100) ?? '';
    expect(sentence).toContain('20,000,000 leaves of about 100 bytes need about 1.86 GiB');
    expect(sentence).toContain('0.94 GiB that threads may share');
    expect(sentence).toContain('the largest number here is 10,066,329 leaves');
    expect(mostActors('actors/threads', 100)).toBe(10_066_329);
    const most = { ...leaves, leaves: 10_066_329 };
    expect(refusalOf(most, 'actors/threads', 100)).toBeNull();
  });

  test('no estimate lets through more than the page takes', () => {
    expect(largestCount(0)).toBe(LIMITS.actors.max);
    expect(largestCount(1)).toBe(LIMITS.actors.max);
    expect(MEMORY_LIMIT_BYTES).toBeLessThan(2 ** 32);
  });
});

describe('a contender that is not in the wasm', () => {
  test.each([
    ['js/queue', 5_000_000, '5,000,000', '5,000,001'],
    ['js/async', 1_000_000, '1,000,000', '1,000,001'],
    ['workers/postmessage', 100, '100', '101'],
  ] as const)('%s does at most %d actors, and says so', (contender, most, text, more) => {
    for (const workload of [
      { name: 'spawn', actors: most },
      { name: 'ring', actors: most, laps: 1, tokens: most },
    ] as const) {
      expect(refusalOf(workload, contender, null)).toBeNull();
      expect(refusalOf({ ...workload, actors: most + 1 }, contender, null)).toBe(
        `${contender} can do at most ${text} actors; ${more} were asked`,
      );
    }
    expect(mostActors(contender, null)).toBe(most);
  });

  test.each(['js/queue', 'js/async', 'workers/postmessage'] as const)(
    '%s does ring and spawn, and refuses the others in words',
    (contender) => {
      expect(WORKLOADS.filter((name) => doesWorkload(contender, name))).toEqual(['ring', 'spawn']);
      for (const name of ['skynet', 'work'] as const)
        expect(refusalOf(DEFAULT_WORKLOADS[name], contender, null)).toBe(
          `${contender} can't do the workload ${name}; it does ring and spawn`,
        );
    },
  );

  test('has a name that addresses take, and a sentence on what it stands for', () => {
    expect(read(`?contender=${CONTENDERS.join(',')}`).contenders).toEqual(CONTENDERS);
    for (const contender of CONTENDERS) expect(CONTENDER_NOTES[contender]).toMatch(/^[A-Z].*\.$/);
  });

  test('leaves the limit of the others to their memory', () => {
    expect(mostActors('actors/handler', 64)).toBe(largestCount(64));
  });
});

describe('the form', () => {
  test('as it stands first, reads as the defaults', () => {
    expect(readFields(DEFAULT_FIELDS).params).toEqual(read(''));
  });

  test.each(PRESETS)('with the preset %s reads as its address does', (preset) => {
    expect(readFields(withPreset(DEFAULT_FIELDS, preset)).params).toEqual(
      read(`?preset=${preset}`),
    );
  });

  test('keeps what a faulty address said, so that it can be put right', () => {
    const fields = fieldsFromPairs([...new URLSearchParams('?actors=1,000&laps=7')]);
    expect(fields.sizes.ring).toMatchObject({ actors: '1,000', laps: '7' });
    expect(readFields(fields)).toMatchObject({ params: null, field: 'actors' });
  });

  test('without a contender is refused', () => {
    expect(readFields({ ...DEFAULT_FIELDS, contenders: [] }).error).toContain('no contender');
  });
});
