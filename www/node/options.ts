/** The tool's arguments. Sizes and contenders follow the page's rules, in the page's words. */

import { jsonTarget } from '../../tools/bench/options.mjs';
import { type Params, readPairs, SIZE_KEYS, WORKLOADS } from '../params';

export { jsonTarget };

export interface Options {
  readonly params: Params;
  /** A file's name, `-` for stdout, or null. */
  readonly json: string | null;
  readonly markdown: boolean;
}

/** A sentence that names the value and what is allowed. */
export class ArgumentError extends Error {}

/** Those that a page's address knows too. */
const PARAMETERS = ['workload', 'preset', ...SIZE_KEYS, 'contender', 'threads', 'samples'];
const SWITCHES = ['markdown', 'help', 'version'];
const KNOWN = [...PARAMETERS, 'json', ...SWITCHES].map((name) => `--${name}`).join(', ');

/** `--help` and `--version` count wherever they stand, whatever else is wrong. */
export function wants(what: 'help' | 'version', args: readonly string[]): boolean {
  return args.includes(`--${what}`) || (what === 'help' && args.includes('-h'));
}

export function readOptions(args: readonly string[]): Options {
  const { pairs, given } = collect(args);
  if (!pairs.some(([name]) => name === 'workload' || name === 'preset'))
    throw new ArgumentError(
      `say what to run: ${WORKLOADS.join(', ')} or --preset NAME; --help tells more`,
    );
  const reading = readPairs(pairs);
  if (reading.error !== null) throw new ArgumentError(reading.error);
  return {
    params: reading.params,
    json: jsonTarget([...args]),
    markdown: given.has('markdown'),
  };
}

interface Collected {
  readonly pairs: (readonly [string, string])[];
  readonly given: Set<string>;
}

function collect(args: readonly string[]): Collected {
  const pairs: (readonly [string, string])[] = [];
  const given = new Set<string>();
  for (let i = 0; i < args.length; i++) {
    const argument = args[i]!;
    const [, name, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (name === undefined) {
      pairs.push(['workload', readWorkload(argument, pairs)]);
    } else if (SWITCHES.includes(name)) {
      once(name, given);
      if (inline !== undefined)
        throw new ArgumentError(`--${name} takes no value, but has “${inline}”`);
    } else if (name === 'json' || PARAMETERS.includes(name)) {
      const value = inline ?? args[++i];
      // What follows is the value, whatever it looks like: -5 gets the sentence on numbers.
      if (value === undefined || value === '' || (inline === undefined && value.startsWith('--')))
        throw new ArgumentError(`--${name} needs a value`);
      if (name === 'json') once(name, given);
      else pairs.push([name, value]);
    } else {
      throw new ArgumentError(`unknown option --${name}; known are ${KNOWN}`);
    }
  }
  return { pairs, given };
}

/** The one argument without a name; a number there is a size that was meant as an option. */
function readWorkload(argument: string, pairs: Collected['pairs']): string {
  if (argument.startsWith('-'))
    throw new ArgumentError(`“${argument}” is no option; known are ${KNOWN}`);
  if (pairs.some(([name]) => name === 'workload'))
    throw new ArgumentError(
      `“${argument}” is one argument too many; after the workload come options, such as --actors 1000`,
    );
  return argument;
}

function once(name: string, given: Set<string>): void {
  if (given.has(name)) throw new ArgumentError(`--${name} is given twice; give it once`);
  given.add(name);
}
