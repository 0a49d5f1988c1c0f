/** Owns one wasm instance and takes samples on it, one when told to. Knows nothing of the page. */

import { CONTENDERS, type ContenderName, WORKLOADS, type WorkloadName } from './params';
import { bytesPerActorEstimate, initSync, Run } from './pkg/ringspawn.js';
import type { About, FromWorker, ToWorker } from './protocol';
import { clockStep, SampleTaker } from './sample';

const WASM_URL = new URL('./pkg/ringspawn_bg.wasm', import.meta.url);

let taker: SampleTaker | null = null;

addEventListener('message', (event: MessageEvent<ToWorker>) => {
  const { workload, contender } = event.data;
  try {
    if (taker === null) throw new Error('the worker was asked for a sample before it was ready');
    const sample = taker.take(workload, contender, (progress) =>
      post({ type: 'progress', progress }),
    );
    post({ type: 'sampled', sample });
  } catch (error) {
    post({ type: 'failed', message: sentence(error) });
  }
});

open().then(
  (about) => post({ type: 'ready', about }),
  (error: unknown) => post({ type: 'failed', message: sentence(error) }),
);

async function open(): Promise<About> {
  if (typeof WebAssembly !== 'object') throw new Error('this browser has WebAssembly switched off');
  const bytes = await load(WASM_URL);
  initSync({ module: await compile(bytes) });
  const stepMs = clockStep(() => performance.now());
  taker = new SampleTaker(
    (workload, contender) => {
      const { laps, tokens } = workload.name === 'ring' ? workload : { laps: 0, tokens: 0 };
      return new Run(workload.name, contender, workload.actors, laps, tokens);
    },
    { now: () => performance.now(), stepMs },
  );
  return { clockStepMs: stepMs, wasmBytes: bytes.byteLength, bytesPerActor: estimates() };
}

/** One request and no streaming, so that a wrong MIME type or an encoding doesn't matter. */
async function load(url: URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  const bytes = await response.arrayBuffer();
  const head = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
  if (response.ok && String.fromCharCode(...head) === '\0asm') return bytes;
  const start = new TextDecoder().decode(bytes.slice(0, 40)).replace(/\s+/g, ' ');
  const type = response.headers.get('content-type') ?? 'no content type';
  throw new Error(
    `${url.href} is not a wasm file: the server answered ${response.status} (${type}), beginning “${start}”`,
  );
}

async function compile(bytes: ArrayBuffer): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice = /unsafe-eval|Content Security Policy|CSP/i.test(reason)
      ? "; the page's script-src needs 'wasm-unsafe-eval'"
      : '';
    throw new Error(`this browser would not compile the wasm: ${reason}${advice}`);
  }
}

function estimates(): About['bytesPerActor'] {
  const of = (workload: WorkloadName): Record<ContenderName, number> =>
    Object.fromEntries(
      CONTENDERS.map((contender) => [contender, bytesPerActorEstimate(workload, contender)]),
    ) as Record<ContenderName, number>;
  return Object.fromEntries(
    WORKLOADS.map((workload) => [workload, of(workload)]),
  ) as About['bytesPerActor'];
}

/** An instance that trapped says only `unreachable` or the like: the sentence says what that means. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof RangeError || error.name === 'InternalError')
    return `stack overflow: the wasm instance ended (${error.message})`;
  if (typeof WebAssembly === 'object' && error instanceof WebAssembly.RuntimeError) {
    return `out of memory or broken: the wasm instance ended (${error.message})`;
  }
  return error.message;
}

function post(message: FromWorker): void {
  postMessage(message);
}
