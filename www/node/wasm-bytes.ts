/** Reads a wasm file, which the build puts beside the code. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** As memory of its own: a small file's buffer may lie in one that others share. */
export async function wasmBytes(name: string): Promise<ArrayBuffer> {
  const bytes = await readFile(fileURLToPath(new URL(`./${name}`, import.meta.url)));
  return new Uint8Array(bytes).buffer;
}
