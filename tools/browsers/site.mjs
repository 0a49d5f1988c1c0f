// Serves a folder with scripts of a test put before the page's own, and before
// its workers', the same way for every engine: only this reaches into workers.

import { pathToFileURL } from 'node:url';
import { serve } from '../serve.mjs';
import { recorder } from './recorder.mjs';

const PAGE_SCRIPT = '/before-page.js';
const WORKER_SCRIPT = '/before-worker.js';

/**
 * serve(), with `before: { page, worker }`: functions without free variables, or
 * script texts, that run first in the page and in each worker. What comes back
 * also has `requests`, all of them so far, and `folder`, the root as a file: URL.
 */
export async function serveForTests({ before = {}, rewrite, base = '/', files = {}, ...options }) {
  const requests = [];
  const server = await serve({
    ...options,
    base,
    onRequest: (entry) => requests.push(entry),
    files: {
      ...files,
      [PAGE_SCRIPT]: [scriptOf(recorder), scriptOf(before.page)].join('\n'),
      [WORKER_SCRIPT]: [scriptOf(recorder), scriptOf(before.worker)].join('\n'),
    },
    rewrite: (path, body, request) => {
      const own = rewrite?.(path, body, request) ?? body;
      // By what asks for it: a worker's file has no name of its own.
      switch (request.headers['sec-fetch-dest']) {
        case 'document':
        case 'iframe':
          return insertScript(String(own), `${base}${PAGE_SCRIPT.slice(1)}`);
        case 'worker':
          return `import ${JSON.stringify(base + WORKER_SCRIPT.slice(1))};\n${own}`;
        default:
          return own;
      }
    },
  });
  return { ...server, requests, folder: String(pathToFileURL(options.root)) };
}

function insertScript(html, src) {
  return html.replace(/<head[^>]*>/i, (head) => `${head}<script src="${src}"></script>`);
}

function scriptOf(script) {
  if (script === undefined) return '';
  return typeof script === 'function' ? `(${script})();` : script;
}
