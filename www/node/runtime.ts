/** Where the tool runs: Node, or another runtime that takes its place. */

import { availableParallelism } from 'node:os';
import { describeEnvironment } from '../environment';
import type { Environment } from '../result';

/** Of `process.versions`; each of the others says `node` too, and means what it stands in for. */
const RUNTIMES = [
  ['bun', 'Bun', 'JavaScriptCore'],
  ['deno', 'Deno', 'V8'],
  ['node', 'Node.js', 'V8'],
] as const;

export function describeRuntime(
  versions: Readonly<Record<string, string | undefined>> = process.versions,
): Environment {
  const found = RUNTIMES.find(([key]) => versions[key] !== undefined);
  const agent = { userAgent: '', hardwareConcurrency: availableParallelism() };
  const environment = describeEnvironment(agent, 0);
  if (found === undefined) return environment;
  const [key, name, engine] = found;
  // Major and minor, as of browsers.
  const version = /^\d+\.\d+/.exec(versions[key] ?? '')?.[0] ?? null;
  return { ...environment, browser: { name, version }, engine };
}
