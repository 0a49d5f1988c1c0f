/** Figures in plain words, the same everywhere on the page. */

import type { ContenderName, Workload } from './params';
import { type MainName, type Measure, mainMeasure, type Ratio, type Result } from './result';
import { FEWEST_FOR_INTERVAL } from './stats';
import { usesThreads } from './threads/capability';

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

/** The numbers of a range with the unit once, and as many decimals in both: 8.7 to 9.0 ns. */
export function durationRange([low, high]: readonly [number, number], joint = 'to'): string {
  const [lowNumber, lowUnit] = duration(low).split(' ') as [string, string];
  const [highNumber, highUnit] = duration(high).split(' ') as [string, string];
  if (lowUnit !== highUnit) return `${lowNumber} ${lowUnit} ${joint} ${highNumber} ${highUnit}`;
  const [from, to] = alike(lowNumber, highNumber);
  return `${from} ${joint} ${to} ${highUnit}`;
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

/** How many times another figure: 4.08, or 5,130. */
export function times(ratio: number): string {
  return Number(ratio.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 });
}

export function timesRange([low, high]: readonly [number, number]): string {
  // From 1,000 on there are no decimals to be made alike.
  const [from, to] = high < 999.5 ? alike(times(low), times(high)) : [times(low), times(high)];
  return `${from} to ${to}`;
}

/** An interval that holds 1 can't say which of the two is faster. */
export function showsNoDifference({ ci95 }: Ratio): boolean {
  return ci95 !== null && ci95[0] <= 1 && ci95[1] >= 1;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** 30,000 actors, 1,000 laps. */
export function sizes(workload: Workload): string {
  if (workload.name === 'spawn') return plural(workload.actors, 'actor');
  if (workload.name === 'skynet') return plural(workload.leaves, 'leaf', 'leaves');
  const tokens = workload.tokens === 1 ? '' : `, ${plural(workload.tokens, 'token')}`;
  const work = workload.name === 'work' ? `, ${duration(workload.workNs)} of work` : '';
  return `${plural(workload.actors, 'actor')}, ${plural(workload.laps, 'lap')}${tokens}${work}`;
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
  'actors/threads': {
    short: 'threaded actors',
    long: 'handler actors in strands, which workers share',
  },
  'actors/threads-async': {
    short: 'threaded async actors',
    long: 'async actors in strands, which workers share',
  },
  'js/queue': { short: 'JS queue', long: 'plain objects and one queue for all of them' },
  'js/async': { short: 'JS promises', long: 'async functions that await their mailbox' },
  'workers/postmessage': { short: 'Web Workers', long: 'one worker for each actor, postMessage' },
  floor: { short: 'floor', long: 'a bare wasm loop: the least that could be called a hop' },
};

const PER: Readonly<Record<MainName, string>> = {
  hop: 'a hop',
  spawn: 'an actor spawned',
  spawnStop: 'an actor spawned and stopped',
  leaf: 'a leaf',
};

/** A clock that may be off by more than this is worth a sentence of its own. */
const COARSE_PERCENT = 1;

/** How sure a figure is, in one sentence; what else stands against it is in `caveats`. */
export function sureSentence(result: Result): string {
  const { name, measure } = mainMeasure(result);
  if (result.state === 'failed') return 'There is no figure, since the run failed.';
  if (measure === null)
    return result.state === 'stopped'
      ? 'There is no figure: the run was stopped before a sample was kept.'
      : 'There is no figure: there was nothing to time.';
  const figure = `${duration(measure.median)} ${PER[name]}`;
  const samples = samplesWords(result, measure);
  if (result.state === 'stopped')
    return `${figure} is the median of ${samples} kept before the stop: no full result, so nothing is said of how sure it is.`;
  return measure.samples.length === 1
    ? `${figure}: ${samples}, and one says nothing of how far others would be from it; ${clockWords(result)}.`
    : `${figure}: half of ${samples} were below, ${intervalWords(measure)}; ${clockWords(result)}.`;
}

/** What a reader has to know before comparing figures of this run with others: whole sentences, none when all is well. */
export function caveats(results: readonly Result[]): readonly string[] {
  return [...new Set([...noiseSentences(results), ...results.flatMap(conditions)])];
}

/** Of the first result that speaks of noise: it is one machine, and the others would say the same of it. */
function noiseSentences(results: readonly Result[]): string[] {
  const noisy = results.find(({ noise }) => noise !== null);
  return noisy === undefined
    ? []
    : [`${capital(CONTENDER_WORDS[noisy.contender].short)}: ${noisy.noise!.sentence}`];
}

/** Beside the figure of a contender that uses threads: on 2 threads; null of the others. */
export function threadsWords({ contender, threads }: Result): string | null {
  if (!usesThreads(contender)) return null;
  const { granted, used } = threads;
  if (granted === 1) return 'on one thread';
  return used === granted
    ? `on ${plural(used, 'thread')}`
    : `on ${count(used)} of ${plural(granted, 'thread')}`;
}

/** What the workers of a pool did in the kept samples; null of a run without one. */
export function poolSentence({ pool }: Result): string | null {
  if (pool === null) return null;
  const { hopsPerWorker, crossStrand, steals, parks } = pool;
  const hops = hopsPerWorker.reduce((sum, each) => sum + each, 0);
  const shares = hopsPerWorker.map((each) => percent(hops === 0 ? 0 : (100 * each) / hops));
  return (
    `${plural(hops, 'message')} received in the kept samples, worker by worker ${shares.join(', ')}; ` +
    `${count(crossStrand)} went from strand to strand; ${plural(steals, 'steal')}, ${plural(parks, 'park')}.`
  );
}

function conditions(result: Result): string[] {
  const { contender, environment, clock, threads, warmUp } = result;
  const { stepMs, errorPercent } = clock;
  const hidden = environment.hiddenSeconds ?? 0;
  const isCoarse = stepMs !== null && errorPercent !== null && errorPercent > COARSE_PERCENT;
  return [
    ...(threads.reason !== null
      ? [
          `${capital(CONTENDER_WORDS[contender].short)} ran on one thread, because ${threads.reason}.`,
        ]
      : []),
    ...(warmUp?.agreed === false
      ? [
          'Samples had not settled when the time for warm-up was over, so slower code may be among those kept.',
        ]
      : []),
    ...(isCoarse
      ? [
          `The clock moves in steps of ${duration(stepMs * 1e6)}${environment.isolated === false ? ', since this page is not isolated' : ''}, which is coarse for samples of this length.`,
        ]
      : []),
    ...(hidden > 0 ? [`The page was hidden for ${hidden.toFixed(1)} s, not comparable.`] : []),
  ];
}

function samplesWords({ instances }: Result, { samples }: Measure): string {
  const from = instances === null ? '' : ` from ${plural(instances.length, 'fresh instance')}`;
  return `${plural(samples.length, 'sample')}${from}`;
}

function intervalWords({ samples, ci95, median }: Measure): string {
  if (ci95 === null)
    return samples.length < FEWEST_FOR_INTERVAL
      ? `and fewer than ${FEWEST_FOR_INTERVAL} samples say nothing of how sure that is`
      : 'and how sure that is isn’t known';
  const [low, high] = ci95.map(duration);
  return low === high && low === duration(median)
    ? 'and we are 95 % sure of the median in all its digits'
    : `and we are 95 % sure that the median lies between ${durationRange(ci95, 'and')}`;
}

function clockWords({ clock: { errorPercent } }: Result): string {
  return errorPercent === null
    ? 'how far the clock may be off isn’t known'
    : `the clock may be off by ${percent(Number(errorPercent.toPrecision(errorPercent < 0.1 ? 1 : 2)))}`;
}

/** 8.7 and 9 as 8.7 and 9.0: numbers of one size are read as equally exact, but no digit is made up. */
function alike(low: string, high: string): [string, string] {
  const [lowWhole, lowPart = ''] = low.split('.') as [string, string?];
  const [highWhole, highPart = ''] = high.split('.') as [string, string?];
  if (lowWhole.length !== highWhole.length) return [low, high];
  const decimals = Math.max(lowPart.length, highPart.length);
  const padded = (text: string, whole: string): string =>
    Number(text).toFixed(whole === '0' ? decimals : Math.min(decimals, 3 - whole.length));
  return [padded(low, lowWhole), padded(high, highWhole)];
}

function digits(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', {
    maximumSignificantDigits: 3,
    useGrouping: false,
  });
}
