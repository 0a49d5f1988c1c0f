/** The command line: reads arguments, lets the measuring engine run in this process, and writes what came of it. */

import { table } from '../../tools/bench/table.mjs';
import { Bench, type Progress } from '../measure';
import { type Params, unitNameOf } from '../params';
import type { Environment, Result } from '../result';
import { help } from './help';
import { jsonTarget, readOptions, wants } from './options';
import { inJson, outliveReaders, print, writeJson } from './output';
import { ProgressLine, progressText } from './progress-line';
import { type EndingSignal, endLine, exitCodeOf, failedResult, SIGNALS } from './report';
import { describeRuntime } from './runtime';
import { openThread } from './thread-sampler';

/** Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  outliveReaders([process.stdout, process.stderr]);
  try {
    if (wants('help', args)) {
      await print(process.stdout, help());
      return 0;
    }
    if (wants('version', args)) {
      const { version, commit } = describeRuntime().build;
      await print(process.stdout, `ringspawn ${version} (${commit})\n`);
      return 0;
    }
    return await measure(args);
  } catch (error) {
    say(`ringspawn: ${messageOf(error)}`);
    return 2;
  }
}

async function measure(args: readonly string[]): Promise<number> {
  const bench = new Bench({ open: openThread, observe: () => describeRuntime });
  const interruption = new Interruption(() => bench.stop());
  const target = jsonTarget([...args]);
  let results: readonly Result[] = [];
  try {
    writeJson(target, results); // from the first moment, so that there is a file whatever happens
    const { params, markdown } = readOptions(args);
    results = await runAll(bench, params);
    writeJson(target, results);
    const stream = target === '-' ? process.stderr : process.stdout;
    await print(stream, `${table(rowsOf(results), { markdown })}\n`);
    return exitCodeOf(results, interruption.signal);
  } finally {
    interruption.disconnect();
    if (target === '-') await print(process.stdout, inJson(results));
  }
}

async function runAll(bench: Bench, params: Params): Promise<readonly Result[]> {
  const line = new ProgressLine(process.stderr);
  const unit = unitNameOf(params.workload);
  try {
    const results = await bench.run(params, {
      onProgress: (progress: Progress) => line.show(progressText(progress, unit)),
    });
    line.clear();
    tell(results, line.isShown);
    return results;
  } catch (error) {
    line.clear();
    const results = nothingStarted(params, messageOf(error), describeRuntime());
    tell(results, line.isShown);
    return results;
  }
}

/** On a terminal the table says what is well by itself. */
function tell(results: readonly Result[], isTerminal: boolean): void {
  for (const result of results)
    if (!isTerminal || result.state !== 'complete') say(endLine(result));
}

function nothingStarted(params: Params, message: string, environment: Environment): Result[] {
  return params.contenders.map((contender) =>
    failedResult(params, contender, message, environment),
  );
}

function rowsOf(
  results: readonly Result[],
): { browser: string; version: string | null; result: Result }[] {
  return results.map((result) => ({
    browser: result.environment.browser?.name ?? 'unknown',
    version: result.environment.browser?.version ?? null,
    result,
  }));
}

/** The first signal stops the run, which then ends by itself; a second one ends the process. */
class Interruption {
  signal: EndingSignal | null = null;
  readonly #stop: () => void;

  constructor(stop: () => void) {
    this.#stop = stop;
    for (const name of Object.keys(SIGNALS)) process.on(name, this.#onSignal);
  }

  disconnect(): void {
    for (const name of Object.keys(SIGNALS)) process.off(name, this.#onSignal);
  }

  readonly #onSignal = (signal: EndingSignal): void => {
    if (this.signal !== null) process.exit(SIGNALS[signal]);
    this.signal = signal;
    this.#stop();
  };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
