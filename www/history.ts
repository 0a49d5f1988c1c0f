/**
 * What the four posts that started this project reported, as they reported it. Hardware and years are theirs: history
 * to stand beside a live run, never a comparison on one machine.
 */

export interface HistoryRow {
  readonly year: number;
  readonly source: string;
  readonly system: string;
  readonly model: string;
  readonly workload: 'ring' | 'spawn';
  readonly actors: number;
  readonly laps: number | null;
  /** The figure as published: all of the run, or one actor of it. */
  readonly reported:
    | { readonly seconds: number }
    | { readonly milliseconds: number }
    | { readonly microsecondsPerActor: number };
  /** Short name for the ruler, on the rows that stand there. */
  readonly label: string | null;
  readonly note: string | null;
}

interface Post {
  readonly year: number;
  readonly source: string;
  readonly machine: string | null;
  readonly note: string | null;
  readonly rows: readonly Omit<HistoryRow, 'year' | 'source'>[];
}

/** The post doesn't say whether its 3,000 messages are laps of the ring or all there are. */
export const AMBIGUITY_2006 =
  'The 2006 post exchanges “3000 messages” between 500 threads and does not say whether that is per lap or in all. ' +
  'Read as 3,000 laps it is 1,500,000 hops, and the figures here are for that; read as 3,000 hops each figure would be 500 times larger.';

export const POSTS: readonly Post[] = [
  {
    year: 2007,
    source: 'Erlang Message Passing',
    machine: null,
    note: null,
    rows: [
      {
        system: 'Erlang',
        model: 'process',
        workload: 'ring',
        actors: 30000,
        laps: 1000,
        reported: { seconds: 29 },
        label: 'Erlang, 2007',
        note: 'process limit shown: 32768; spawn time is outside the timed part',
      },
      {
        system: 'Ruby, fork',
        model: 'OS process',
        workload: 'ring',
        actors: 100,
        laps: 10000,
        reported: { seconds: 32 },
        label: 'Ruby fork, 2007',
        note: null,
      },
      {
        system: 'Ruby, Thread (standard library)',
        model: 'interpreter thread',
        workload: 'ring',
        actors: 100,
        laps: 1000,
        reported: { seconds: 32 },
        label: '100 Ruby threads, 2007',
        note: null,
      },
      {
        system: 'Ruby, Thread (standard library)',
        model: 'interpreter thread',
        workload: 'ring',
        actors: 1000,
        laps: 4,
        reported: { seconds: 30 },
        label: '1,000 Ruby threads, 2007',
        note: 'creating the 1000 threads took around 15 s more, i.e. about 15 ms each',
      },
      {
        system: 'Ruby, Thread (fastthread)',
        model: 'interpreter thread',
        workload: 'ring',
        actors: 100,
        laps: 1000,
        reported: { seconds: 28 },
        label: null,
        note: null,
      },
      {
        system: 'Ruby, Thread (fastthread)',
        model: 'interpreter thread',
        workload: 'ring',
        actors: 1000,
        laps: 5,
        reported: { seconds: 29 },
        label: null,
        note: null,
      },
    ],
  },
  {
    year: 2012,
    source: 'Erlang processes and goroutines: spawn and terminate',
    machine: 'laptop, 2 CPUs',
    note: 'Process limit in those runs: 500000. The Erlang clock stops when the last message has been sent, not when the last process has ended.',
    rows: [
      {
        system: 'Erlang R14A (erts 5.8)',
        model: 'process',
        workload: 'spawn',
        actors: 20000,
        laps: null,
        reported: { microsecondsPerActor: 13.35 },
        label: null,
        note: 'CPU time 13.0 µs per actor',
      },
      {
        system: 'Erlang R14A (erts 5.8)',
        model: 'process',
        workload: 'spawn',
        actors: 100000,
        laps: null,
        reported: { microsecondsPerActor: 15.58 },
        label: 'Erlang, 2012',
        note: 'CPU time 14.0 µs per actor',
      },
      {
        system: 'Erlang R14A (erts 5.8)',
        model: 'process',
        workload: 'spawn',
        actors: 200000,
        laps: null,
        reported: { microsecondsPerActor: 15.155 },
        label: null,
        note: 'CPU time 13.2 µs per actor',
      },
      {
        system: 'Go',
        model: 'goroutine, unbuffered channel',
        workload: 'spawn',
        actors: 20000,
        laps: null,
        reported: { microsecondsPerActor: 10.3677 },
        label: null,
        note: null,
      },
      {
        system: 'Go',
        model: 'goroutine, unbuffered channel',
        workload: 'spawn',
        actors: 100000,
        laps: null,
        reported: { microsecondsPerActor: 8.60024 },
        label: 'Go, 2012',
        note: null,
      },
      {
        system: 'Go',
        model: 'goroutine, unbuffered channel',
        workload: 'spawn',
        actors: 200000,
        laps: null,
        reported: { microsecondsPerActor: 7.516585 },
        label: null,
        note: null,
      },
    ],
  },
  {
    year: 2006,
    source: 'POSIX threading model vs. Erlang threads',
    machine: 'Intel Core Duo 3.4 GHz (run at 3.7 GHz), 2 GB, Debian Etch',
    note: AMBIGUITY_2006,
    rows: [
      {
        system: 'Erlang',
        model: 'process',
        workload: 'ring',
        actors: 500,
        laps: 3000,
        reported: { seconds: 0.443 },
        label: 'Erlang, 2006?',
        note: 'timed: whole program, best',
      },
      {
        system: 'C++, NPTL threads (program 1)',
        model: 'POSIX thread',
        workload: 'ring',
        actors: 500,
        laps: 3000,
        reported: { seconds: 4.374 },
        label: 'C++ threads, 2006?',
        note: 'timed: whole program, best',
      },
      {
        system: 'C++, NPTL threads (program 2, thread switch in assembler)',
        model: 'user-level thread',
        workload: 'ring',
        actors: 500,
        laps: 3000,
        reported: { seconds: 0.19 },
        label: 'user threads, 2006?',
        note: 'timed: whole program, best',
      },
      {
        system: 'C++, NPTL threads (program 1)',
        model: 'POSIX thread',
        workload: 'ring',
        actors: 500,
        laps: 3000,
        reported: { seconds: 5.083343 },
        label: null,
        note: 'timed: inside, mean of 13',
      },
      {
        system: 'C, NPTL threads',
        model: 'POSIX thread',
        workload: 'ring',
        actors: 500,
        laps: 3000,
        reported: { seconds: 4.821212 },
        label: null,
        note: 'timed: inside, mean of 13',
      },
      {
        system: 'C++, NPTL threads, -fomit-frame-pointer',
        model: 'POSIX thread',
        workload: 'ring',
        actors: 500,
        laps: 3000,
        reported: { seconds: 4.738057 },
        label: null,
        note: 'timed: inside, mean of 13',
      },
      {
        system: 'C, NPTL threads, -fomit-frame-pointer',
        model: 'POSIX thread',
        workload: 'ring',
        actors: 500,
        laps: 3000,
        reported: { seconds: 4.43001 },
        label: null,
        note: 'timed: inside, mean of 13',
      },
    ],
  },
  {
    year: 2009,
    source: 'Java Actors with Kilim',
    machine: null,
    note: "Readers asked for several tokens at once (at least 4), since one token can keep only one thread busy; one reader's two tokens multiplied each round, so token counts must be conserved and checked.",
    rows: [
      {
        system: 'Erlang R12B',
        model: 'process',
        workload: 'spawn',
        actors: 100,
        laps: null,
        reported: { milliseconds: 0.2 },
        label: null,
        note: null,
      },
      {
        system: 'Erlang R12B',
        model: 'process',
        workload: 'ring',
        actors: 100,
        laps: 1000000,
        reported: { milliseconds: 77354 },
        label: 'Erlang, 2009',
        note: null,
      },
      {
        system: 'Erlang R12B',
        model: 'process',
        workload: 'spawn',
        actors: 20000,
        laps: null,
        reported: { milliseconds: 120 },
        label: 'Erlang, 2009',
        note: null,
      },
      {
        system: 'Scala 2.7.3 actors, JDK 1.6',
        model: 'event-based actor',
        workload: 'spawn',
        actors: 100,
        laps: null,
        reported: { milliseconds: 10 },
        label: null,
        note: null,
      },
      {
        system: 'Scala 2.7.3 actors, JDK 1.6',
        model: 'event-based actor',
        workload: 'ring',
        actors: 100,
        laps: 1000000,
        reported: { milliseconds: 121712 },
        label: 'Scala, 2009',
        note: null,
      },
      {
        system: 'Scala 2.7.3 actors, JDK 1.6',
        model: 'event-based actor',
        workload: 'spawn',
        actors: 20000,
        laps: null,
        reported: { milliseconds: 315 },
        label: 'Scala, 2009',
        note: null,
      },
      {
        system: 'Kilim',
        model: 'task with typed mailbox',
        workload: 'spawn',
        actors: 100,
        laps: null,
        reported: { milliseconds: 3 },
        label: null,
        note: null,
      },
      {
        system: 'Kilim',
        model: 'task with typed mailbox',
        workload: 'ring',
        actors: 100,
        laps: 1000000,
        reported: { milliseconds: 78390 },
        label: 'Kilim, 2009',
        note: null,
      },
      {
        system: 'Kilim',
        model: 'task with typed mailbox',
        workload: 'spawn',
        actors: 20000,
        laps: null,
        reported: { milliseconds: 192 },
        label: 'Kilim, 2009',
        note: null,
      },
      {
        system: "Kilim, JIT cold (its author's comment, 2.4 GHz Mac Pro)",
        model: 'task with typed mailbox',
        workload: 'spawn',
        actors: 20000,
        laps: null,
        reported: { milliseconds: 225 },
        label: null,
        note: null,
      },
      {
        system: "Kilim, JIT warm (its author's comment, 2.4 GHz Mac Pro)",
        model: 'task with typed mailbox',
        workload: 'spawn',
        actors: 20000,
        laps: null,
        reported: { milliseconds: 51 },
        label: 'Kilim warm, 2009',
        note: null,
      },
    ],
  },
];

export const HISTORY: readonly HistoryRow[] = POSTS.flatMap(({ year, source, rows }) =>
  rows.map((row) => ({ year, source, ...row })),
);

/** ns per hop of a ring, ns per actor of a spawn. */
export function historyNs({ workload, actors, laps, reported }: HistoryRow): number {
  if ('microsecondsPerActor' in reported) return reported.microsecondsPerActor * 1e3;
  const ns = 'seconds' in reported ? reported.seconds * 1e9 : reported.milliseconds * 1e6;
  return ns / (workload === 'ring' ? actors * (laps ?? 1) : actors);
}
