/** What each contender stands for, in one sentence, for the page and for whoever reads a result. */

import type { ContenderName } from './params';

export const CONTENDER_NOTES: Readonly<Record<ContenderName, string>> = {
  'actors/handler':
    'Actors of this runtime, each a type with a receive method that is called for each message and returns.',
  'actors/async':
    'Actors of this runtime, each an async block that awaits its mailbox, as an Erlang process or a goroutine does.',
  'actors/mixed': 'Actors of this runtime in both styles, by turns round the ring.',
  'actors/threads':
    'Handler actors of this runtime on several threads, in groups (strands) that workers take up and steal from each other.',
  'actors/threads-async': 'Async actors of this runtime on several threads, in the same way.',
  'js/queue':
    'Plain JavaScript objects and one queue for all their messages: what a reader of the 2007 post proposed instead of processes.',
  'js/async':
    'JavaScript async functions, each awaiting its mailbox’s next promise: how a browser’s own language waits for a message.',
  'workers/postmessage':
    'One Web Worker for each actor, which passes the token on with postMessage: what a process costs in a browser.',
  floor:
    'No actors at all but a bare WebAssembly loop that calls one function for each cell, the least that could be called a hop.',
};
