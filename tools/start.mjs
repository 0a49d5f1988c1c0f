// npm start: sets up what is missing, builds what is stale, serves the site.

import './node-version.mjs';

import { join } from 'node:path';
import { build } from './build.mjs';
import { command, Refusal, ROOT } from './process.mjs';
import { serve } from './serve.mjs';
import { setUp } from './setup.mjs';

const DEFAULT_PORT = 4173;

command(async () => {
  const port = portOf(process.env.PORT);
  await setUp('start');
  await build();
  const server = await serve({ root: join(ROOT, 'dist'), port, host: '127.0.0.1' }).catch(
    (error) => {
      throw new Refusal(`${sentence(error.message)}`);
    },
  );
  console.log(`\nRingspawn is at ${server.url} (Ctrl+C ends it)`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await server.close();
      process.exit(0);
    });
  }
});

/** @param {string | undefined} text */
function portOf(text) {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Refusal(
    `PORT is '${text}', and it must be a whole number from 0 (any free one) to 65535.`,
  );
}

/** @param {string} words */
function sentence(words) {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
