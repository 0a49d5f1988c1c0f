// node tools/bench/floor-twin.mjs [SAMPLES]
//
// How long the floor takes beside its twin in plain JavaScript, in this Node:
// medians of samples taken in turns, and their ratio. The twin is a check on the
// floor; for spawn the twin leaves its cells to the garbage collector.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEFAULT_SAMPLES = 31;
/** The engine's first tiers are of no interest here. */
const WARM_UP = 5;

const WORKLOADS = [
  { name: 'ring', actors: 503, laps: 4000, tokens: 1 },
  { name: 'ring', actors: 30_000, laps: 70, tokens: 1 },
  { name: 'spawn', actors: 100_000 },
];

const samples = Number(process.argv[2] ?? DEFAULT_SAMPLES);
if (!Number.isInteger(samples) || samples < 1) {
  console.error(`“${process.argv[2]}” is no number of samples; give a whole number from 1`);
  process.exit(2);
}

const { SampleTaker, clockStep } = await load('/www/sample.ts');
const twin = await load('/www/contenders/floor-twin.ts');
const { initSync, Run } = await import('../../www/pkg/ringspawn.js');
initSync({ module: await readFile(new URL('../../www/pkg/ringspawn_bg.wasm', import.meta.url)) });

const now = () => performance.now();
const clock = { now, stepMs: clockStep(now) };
const floor = new SampleTaker((workload) => new Run('floor', workload), clock);
const twinFloor = new SampleTaker(twin.start, clock);

for (const workload of WORKLOADS) {
  const times = { floor: [], twin: [] };
  for (let i = 0; i < WARM_UP + samples; i++) {
    // Who goes first changes, since whoever does may find the caches colder.
    const turns = [
      () => times.floor.push(nsOf(floor.take(workload, 'floor', () => {}))),
      () => times.twin.push(nsOf(twinFloor.take(workload, 'floor', () => {}))),
    ];
    if (i % 2 === 1) turns.reverse();
    for (const turn of turns) turn();
  }
  const [a, b] = [times.floor, times.twin].map((all) => median(all.slice(WARM_UP)));
  const sizes = Object.entries(workload)
    .map(([key, value]) => (key === 'name' ? value : `${key} ${value}`))
    .join(', ');
  console.log(
    `${sizes}: floor ${a.toFixed(2)} ns, twin ${b.toFixed(2)} ns, floor ÷ twin ${(a / b).toFixed(2)}`,
  );
}

function load(path) {
  return runnerImport(path, { root: ROOT, configFile: false, logLevel: 'error' }).then(
    ({ module }) => module,
  );
}

function nsOf({ ok, checks, phases }) {
  if (!ok) throw new Error(`the checks failed: ${JSON.stringify(checks)}`);
  const { ms, units } = phases.hop ?? phases.spawnStop;
  return (ms * 1e6) / units;
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
