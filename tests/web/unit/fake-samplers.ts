/** The measuring engine over samplers that make samples up. Every result that comes out is held to the schema. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { Bench, type BenchOptions, type Sampler } from '../../../www/measure';
import {
  CONTENDERS,
  type ContenderName,
  isRing,
  readAddress,
  unitsOf,
  WORKLOADS,
  type Workload,
} from '../../../www/params';
import type { About } from '../../../www/protocol';
import type { Environment, Result, RingMeasures } from '../../../www/result';
import type { RawSample, SampleProgress } from '../../../www/sample';

const schemaFile = new URL('../../../www/result.schema.json', import.meta.url);
const validate = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  strictTypes: false,
}).compile(JSON.parse(readFileSync(schemaFile, 'utf8')));

/** As it comes out of a file again. */
export function assertValid(result: unknown): void {
  expect(validate(JSON.parse(JSON.stringify(result))), JSON.stringify(validate.errors)).toBe(true);
}

export const ENVIRONMENT: Environment = {
  browser: { name: 'Chromium', version: '156.0' },
  engine: 'V8',
  cores: 2,
  isolated: true,
  hiddenSeconds: 0,
  hints: null,
  build: { version: '0.1.0', commit: 'abc1234', wasmBytes: null },
};

export const BYTES = Object.fromEntries(
  WORKLOADS.map((workload) => [
    workload,
    Object.fromEntries(CONTENDERS.map((contender) => [contender, contender === 'floor' ? 16 : 64])),
  ]),
) as unknown as About['bytesPerActor'];

export const ONE_THREAD: About['threads'] = { asked: 1, granted: 1, reason: null };

/** All but the one that can do 100 actors at most. */
export const UNLIMITED = CONTENDERS.filter((contender) => contender !== 'workers/postmessage');

export interface Call {
  readonly instance: number;
  readonly contender: ContenderName;
  /** Counted for this contender, from 0, in this instance. */
  readonly index: number;
  readonly workload: Workload;
  readonly onProgress: (progress: SampleProgress) => void;
}

export type Answer = (call: Call) => RawSample | Promise<RawSample>;

/** As if a round took 2 ns. */
export const calibrate = async (workNs: number): Promise<number> => workNs / 2;

/** Phase times that give `ns` for each unit. */
export function sample(
  { workload, contender }: Call,
  ns: number,
  changes: Partial<RawSample> = {},
): RawSample {
  const units = unitsOf(workload);
  const time = (count: number, each: number) => ({
    ms: (count * each) / 1e6,
    units: count,
    stretches: 1,
  });
  const phases: RawSample['phases'] =
    workload.name === 'skynet'
      ? { leaf: time(units, ns) }
      : isRing(workload)
        ? { spawn: time(workload.actors, 10 * ns), ...(units > 0 ? { hop: time(units, ns) } : {}) }
        : contender === 'floor'
          ? { spawnStop: time(units, ns) }
          : { spawn: time(units, ns), stop: time(units, ns / 2) };
  return {
    phases,
    ok: true,
    checks: [{ name: 'hops', expected: units, counted: units, ok: true }],
    failures: [],
    memory: contender === 'floor' ? null : 64,
    pool: null,
    ...changes,
  };
}

class ValidBench extends Bench {
  override async run(...args: Parameters<Bench['run']>): Promise<readonly Result[]> {
    const results = await super.run(...args);
    for (const result of results) assertValid(result);
    return results;
  }
}

/** Whatever opens the samplers: results are held to the schema all the same. */
export function fakeBench(options: Partial<BenchOptions> & Pick<BenchOptions, 'open'>): Bench {
  return new ValidBench({ observe: () => () => ENVIRONMENT, ...options });
}

export function fake(
  answer: Answer,
  changes: Partial<BenchOptions> & { stepMs?: number; calibrate?: Sampler['calibrate'] } = {},
) {
  const calls: Call[] = [];
  let opened = 0;
  let closed = 0;
  const open = async (): Promise<Sampler> => {
    const instance = opened++;
    const counts = new Map<ContenderName, number>();
    let reject: (error: Error) => void = () => {};
    return {
      about: {
        clockStepMs: changes.stepMs ?? 0.005,
        wasmBytes: 61_234,
        bytesPerActor: BYTES,
        threads: ONE_THREAD,
      },
      sample({ workload, contender }, onProgress) {
        const index = counts.get(contender) ?? 0;
        counts.set(contender, index + 1);
        const call: Call = { instance, contender, index, workload, onProgress };
        calls.push(call);
        return new Promise((resolve, fail) => {
          reject = fail;
          Promise.resolve(call).then(answer).then(resolve, fail);
        });
      },
      calibrate: changes.calibrate ?? calibrate,
      close() {
        closed++;
        reject(new Error('the worker was ended'));
      },
    };
  };
  const bench = fakeBench({ open, ...changes });
  return { bench, calls, opened: () => opened, closed: () => closed };
}

export function params(search: string) {
  const reading = readAddress(search);
  if (reading.params === null) throw new Error(reading.error);
  return reading.params;
}

export const hop = (result: Result) => (result.measures as RingMeasures).hop;
export const steady: Answer = (call) => sample(call, call.contender === 'floor' ? 3 : 9);

/** 30 ns at first, 9 ns from the second sample on. */
export const warming: Answer = (call) => sample(call, call.index === 0 ? 30 : 9);
