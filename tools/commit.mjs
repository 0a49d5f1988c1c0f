import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a result says it was measured with; 'unknown' outside git. */
export function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
