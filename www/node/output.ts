/** Where results go: a stream, or a file that is there whatever happens. */

import { writeFileSync } from 'node:fs';
import type { Result } from '../result';
import { ArgumentError } from './options';

/** A reader that has gone away (`| head`) is no error, and no reason to end before files are written. */
export function outliveReaders(streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams)
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
}

/** What else goes wrong in a write is told to whoever asked for it. */
function ignore(): void {}

/** Resolves when the text is written, or when nobody reads it any more. */
export function print(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error == null || isBrokenPipe(error)) resolve();
      else reject(new Error(`what was measured can't be printed: ${error.message}`));
    });
  });
}

function isBrokenPipe(error: Error): boolean {
  const code = 'code' in error ? error.code : null;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

export function inJson(results: readonly Result[]): string {
  return `${JSON.stringify(results, null, 2)}\n`;
}

/** Writes the array anew; what is for stdout waits for the end. */
export function writeJson(target: string | null, results: readonly Result[]): void {
  if (target === null || target === '-') return;
  try {
    writeFileSync(target, inJson(results));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ArgumentError(`--json “${target}” can't be written: ${why}`);
  }
}
