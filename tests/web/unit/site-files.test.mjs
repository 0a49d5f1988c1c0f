import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  blobAddresses,
  machinePaths,
  pathsOfThisMachine,
  wasmSizes,
} from '../../../tools/test/site.mjs';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringspawn-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'clean.js'), 'panicked at src/lib.rs');
  await writeFile(join(folder, 'assets/worker.js'), 'new Worker(URL.createObjectURL(code))');
  await writeFile(join(folder, 'assets/x_threads_bg.wasm'), 'as good as any');
  await writeFile(join(folder, 'assets/x.wasm'), 'panicked at /home/ann/ringspawn/src/lib.rs');
});

afterAll(() => rm(folder, { recursive: true }));

it('a path of the building machine is found, in sub-folders too', async () => {
  expect(await machinePaths(folder, ['/home/ann'])).toEqual([
    `${join('assets', 'x.wasm')}: /home/ann`,
  ]);
  expect(await machinePaths(folder, ['/home/bob'])).toEqual([]);
});

it('the project and the home count as such paths', () => {
  expect(pathsOfThisMachine('/home/ann/ringspawn/')).toContain('/home/ann/ringspawn');
});

it('a script that makes an address of itself is found', async () => {
  expect(await blobAddresses(folder)).toEqual([join('assets', 'worker.js')]);
});

it('wasm is weighed, that for threads by a scale of its own', async () => {
  const [one, threads] = (await wasmSizes(folder)).sort((a, b) => a.limit - b.limit);
  expect([one, threads].map(({ file }) => file)).toEqual(
    ['x.wasm', 'x_threads_bg.wasm'].map((name) => join('assets', name)),
  );
  expect(one.bytes).toBeGreaterThan(0);
  expect(threads.limit).toBeGreaterThan(one.limit);
});
