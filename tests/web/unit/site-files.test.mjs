import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { machinePaths, pathsOfThisMachine, wasmSizes } from '../../../tools/test/site.mjs';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringspawn-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'clean.js'), 'panicked at src/lib.rs');
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

it('wasm is weighed', async () => {
  const sizes = await wasmSizes(folder);
  expect(sizes.map(({ file }) => file)).toEqual([join('assets', 'x.wasm')]);
  expect(sizes[0].bytes).toBeGreaterThan(0);
});
