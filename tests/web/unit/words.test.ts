import { expect, test } from 'vitest';
import { duration, durationRange, rate, sizes } from '../../../www/words';

test.each([
  [8.4, '8.4 ns'],
  [8.796, '8.8 ns'],
  [0.51, '0.51 ns'],
  [999.4, '999 ns'],
  [999.6, '1 µs'],
  [1217.1, '1.22 µs'],
  [320_000, '320 µs'],
  [7.5e6, '7.5 ms'],
  [2.5e9, '2.5 s'],
  [123_456e9, '123000 s'],
])('%d ns are %s', (ns, words) => {
  expect(duration(ns)).toBe(words);
});

test('a range names its unit once when both ends have it', () => {
  expect(durationRange([8.7, 9])).toBe('8.7 to 9.0 ns');
  expect(durationRange([990, 1200])).toBe('990 ns to 1.2 µs');
});

test.each([
  [8.4, '119 million a second'],
  [0.4, '2.5 billion a second'],
  [7.5e6, '133 a second'],
  [30_000, '33,300 a second'],
])('%d ns each are %s', (ns, words) => {
  expect(rate(ns)).toBe(words);
});

test('sizes are said with the words of the glossary', () => {
  expect(sizes({ name: 'ring', actors: 30_000, laps: 1000, tokens: 1 })).toBe(
    '30,000 actors, 1,000 laps',
  );
  expect(sizes({ name: 'ring', actors: 1, laps: 1, tokens: 2 })).toBe('1 actor, 1 lap, 2 tokens');
  expect(sizes({ name: 'spawn', actors: 100_000 })).toBe('100,000 actors');
});
