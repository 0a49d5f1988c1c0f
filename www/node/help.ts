/** What `--help` says. */

import { CONTENDER_NOTES } from '../contender-notes';
import { CONTENDERS, LIMITS, PRESET_TABLE, PRESETS } from '../params';
import { MOST_UNASKED } from '../threads/capability';
import { count, sizes } from '../words';

const WIDTH = 80;

const range = ({ min, max }: { min: number; max: number }): string =>
  `${count(min)} to ${count(max)}`;

export function help(): string {
  return `ringspawn WORKLOAD [options]
ringspawn --preset NAME [options]

Measures what a message between two actors and an actor cost, with the engine and
the WebAssembly of the Ringspawn page, but in Node.

Workloads:
  ring     builds a ring of actors and passes tokens round it
             --actors N    ${range(LIMITS.actors)} (1,000 unless said)
             --laps N      ${range(LIMITS.laps)} (1,000)
             --tokens N    1 to the number of actors (1)
           hops = actors × laps × tokens
  spawn    spawns actors and stops them all
             --actors N    ${range(LIMITS.actors)} (100,000)
  skynet   grows a tree of actors, ten to a node, and sums its leaves upwards
             --leaves N    ${range(LIMITS.leaves)} (1,000,000)
  work     a ring, as above, whose every message computes for some time
             --work-ns N   ${range(LIMITS['work-ns'])} ns (50); one calibration makes
                           rounds of it, the same for all contenders of the run
             --actors N, --laps N, --tokens N  as for ring (10,000, 20, 64)

Presets, each a workload with its sizes as others have measured it:
${PRESETS.map(presetLine).join('\n')}

Options:
  --contender A,B   the ways to run it, measured by turns (actors/handler,floor)
  --threads N       ${range(LIMITS.threads)}, for contenders that use threads; without it as many
                    as there are cores, at most ${MOST_UNASKED}
  --samples N       exactly N kept samples, ${range(LIMITS.samples)}; without it at least 15, then
                    until the interval is narrow or the time is up
  --json FILE       writes the results to FILE, failed ones too, as one JSON array;
                    - is stdout, and then the table goes to stderr
  --markdown        prints the table as Markdown
  --help, -h        prints this
  --version         prints version and commit

Contenders:
${CONTENDERS.map(contenderLines).join('\n')}

Units: a hop, a spawn, a stop and a leaf are wall time in nanoseconds (ns) for each
hop, actor or leaf, with threads too; memory is in bytes for each actor alive. A
figure is the median of samples from at least 5 fresh instances, with its 95 %
interval; "clock ±" is how far the clock's step may put it wrong. One run and one
machine: compare the ratios.

The table goes to stdout; progress (one line, on a terminal) and everything else
that is said go to stderr. Ctrl+C stops and still writes what there is.

Exit codes:
  0    all contenders ran to the end and every check was right
  1    a check failed: something was counted wrong, or an actor panicked
  2    a contender couldn't run, an argument is wrong, or a file can't be written
  130  stopped by Ctrl+C (143: by SIGTERM); results are marked as stopped

Runtimes: Node 20.19 or later, where workers/postmessage can't run. Bun 1.4 and
Deno 2.9 (deno run -A) were tried on Linux: there all contenders run and count
right, but js/async in a ring fails its checks in Deno.

Examples:
  ringspawn ring
  ringspawn ring --actors 503 --laps 20000 --contender actors/handler,actors/async,floor
  ringspawn spawn --actors 1e6 --samples 30
  ringspawn skynet --leaves 100000 --threads 2 --contender actors/handler,actors/threads
  ringspawn --preset erlang-2007 --json results.json
  ringspawn ring --json - | jq '.[] | [.contender, .measures.hop.median]'
`;
}

function presetLine(name: (typeof PRESETS)[number]): string {
  const { workload, samples } = PRESET_TABLE[name];
  const kept = samples === null ? '' : `, ${samples} samples`;
  return `  ${name.padEnd(16)}  ${workload.name} of ${sizes(workload)}${kept}`;
}

function contenderLines(name: (typeof CONTENDERS)[number]): string {
  return wrap(`  ${name.padEnd(22)}`, CONTENDER_NOTES[name]);
}

/** The text beside its head, broken between words. */
function wrap(head: string, text: string): string {
  const lines = [head];
  const indent = ' '.repeat(head.length);
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    const longer = line.length === head.length ? `${line}${word}` : `${line} ${word}`;
    if (longer.length <= WIDTH || line.length === head.length) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${word}`);
  }
  return lines.join('\n');
}
