/** Figures in plain words, the same everywhere on the page. */

import type { ContenderName, Workload } from './params';

/** Three significant digits and the unit that fits: 8.4 ns, 1.22 µs, 7.5 ms. */
export function duration(ns: number): string {
  const steps = [
    [1, 'ns'],
    [1e3, 'µs'],
    [1e6, 'ms'],
    [1e9, 's'],
  ] as const;
  const [size, unit] = steps.findLast(([size]) => Number(ns.toPrecision(3)) >= size) ?? steps[0];
  return `${digits(ns / size)} ${unit}`;
}

/** The numbers of a range with the unit once: 8.7 to 9.0 ns. */
export function durationRange([low, high]: readonly [number, number]): string {
  const [lowNumber, lowUnit] = duration(low).split(' ');
  const highText = duration(high);
  return highText.endsWith(` ${lowUnit}`)
    ? `${lowNumber} to ${highText}`
    : `${lowNumber} ${lowUnit} to ${highText}`;
}

/** 119 million a second. */
export function rate(ns: number): string {
  const perSecond = 1e9 / ns;
  if (perSecond >= 1e9) return `${digits(perSecond / 1e9)} billion a second`;
  if (perSecond >= 1e6) return `${digits(perSecond / 1e6)} million a second`;
  return `${count(Number(perSecond.toPrecision(3)))} a second`;
}

export function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}

export function percent(value: number): string {
  return `${digits(value)} %`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** 30,000 actors, 1,000 laps. */
export function sizes(workload: Workload): string {
  if (workload.name === 'spawn') return plural(workload.actors, 'actor');
  const tokens = workload.tokens === 1 ? '' : `, ${plural(workload.tokens, 'token')}`;
  return `${plural(workload.actors, 'actor')}, ${plural(workload.laps, 'lap')}${tokens}`;
}

export const CONTENDER_WORDS: Readonly<
  Record<ContenderName, { readonly short: string; readonly long: string }>
> = {
  'actors/handler': {
    short: 'handler actors',
    long: 'a type with a receive method, run to completion',
  },
  'actors/async': { short: 'async actors', long: 'an async block that awaits its mailbox' },
  'actors/mixed': { short: 'mixed actors', long: 'handler and async in turns' },
  floor: { short: 'floor', long: 'a bare wasm loop: the least that could be called a hop' },
};

function digits(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', {
    maximumSignificantDigits: 3,
    useGrouping: false,
  });
}
