// A static server for one folder. The bench and the browser tests use it to
// serve the built site as a good host would, or as a bad one does: with other
// headers, MIME types, encodings, or from a sub-folder.

import { readFile, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** With these four the page is isolated on top and, in Chromium, in any frame. */
export const ISOLATION_HEADERS = Object.freeze({
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Document-Isolation-Policy': 'isolate-and-require-corp',
});

export const TYPES = Object.freeze({
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
});

/**
 * Serves the folder `root` until `close()`.
 *
 * @param {object} options
 * @param {string} options.root folder to serve
 * @param {number} [options.port] 0, the default, takes a free one
 * @param {string} [options.host]
 * @param {Record<string, string>} [options.headers] sent with every response,
 *   errors included; `{}` sends none of the isolation headers
 * @param {Record<string, string | null>} [options.types] MIME type by file
 *   extension, beside or instead of the usual one; null sends no type
 * @param {string} [options.base] path under which the folder appears
 * @param {string[]} [options.gzip] extensions that are sent gzip-encoded
 * @param {Record<string, string>} [options.files] texts served beside the folder's,
 *   by path under `base`
 * @param {(path: string, body: Buffer, request: import('node:http').IncomingMessage)
 *   => Buffer | string | undefined} [options.rewrite] may replace a body
 * @param {(entry: { method: string, path: string, status: number, type: string | null })
 *   => void} [options.onRequest]
 * @returns {Promise<{ url: string, port: number, close(): Promise<void> }>}
 */
export async function serve({
  root,
  port = 0,
  host = '127.0.0.1',
  headers = ISOLATION_HEADERS,
  types = {},
  base = '/',
  gzip = [],
  files = {},
  rewrite,
  onRequest,
}) {
  const folder = await realpath(root).catch(() => {
    throw new Error(`there is no folder ${root} to serve`);
  });
  const site = { folder, headers, types: { ...TYPES, ...types }, base, gzip, files, rewrite };
  const server = createServer(async (request, response) => {
    const answer = await answerTo(request, site).catch((error) =>
      text(500, `${request.url}: ${error.message}`),
    );
    send(request, response, answer, headers);
    onRequest?.({
      method: request.method,
      path: request.url,
      status: answer.status,
      type: answer.headers['Content-Type'] ?? null,
    });
  });
  await listen(server, port, host);
  const bound = server.address().port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${bound}${base}`,
    port: bound,
    close: () => close(server),
  };
}

async function answerTo(request, site) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return text(405, `${request.method} is not offered here, only GET and HEAD`, {
      Allow: 'GET, HEAD',
    });
  }
  const path = decodedPath(request.url);
  if (path === undefined) return text(400, 'this address is not well formed');
  const query = request.url.replace(/^[^?]*/, '');
  if (`${path}/` === site.base) return redirect(site.base + query);
  if (!path.startsWith(site.base)) return notFound(path);

  const name = path.slice(site.base.length);
  if (Object.hasOwn(site.files, `/${name}`)) {
    return ok(`/${name}`, Buffer.from(site.files[`/${name}`]), site);
  }
  const file = await fileFor(name, site.folder);
  if (file === undefined) return notFound(path);
  if (file === 'folder') return redirect(`${encodeURI(path)}/${query}`);
  return found(request, file, site);
}

function decodedPath(url) {
  try {
    // Not `new URL`: it would resolve `..` away before it can be refused.
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0]);
    return path.startsWith('/') && !path.includes('\0') ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The file that `path` names inside `folder`: never one outside, by `..` or by link. */
async function fileFor(path, folder) {
  const wanted = resolve(folder, `.${sep}${path}`);
  if (!inside(wanted, folder)) return undefined;
  try {
    const isFolder = (await stat(wanted)).isDirectory();
    if (isFolder && path !== '' && !path.endsWith('/')) return 'folder';
    if (!isFolder && path.endsWith('/')) return undefined;
    const file = await realpath(isFolder ? join(wanted, 'index.html') : wanted);
    return inside(file, folder) ? file : undefined;
  } catch {
    return undefined;
  }
}

function inside(path, folder) {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function found(request, file, site) {
  const path = file.slice(site.folder.length).replaceAll(sep, '/');
  const original = await readFile(file);
  return ok(path, Buffer.from(site.rewrite?.(path, original, request) ?? original), site);
}

function ok(path, content, { types, gzip }) {
  const extension = extname(path).toLowerCase();
  const type = extension in types ? types[extension] : 'application/octet-stream';
  const headers = { 'Cache-Control': 'no-cache' };
  if (type !== null) headers['Content-Type'] = type;
  if (!gzip.includes(extension)) return { status: 200, headers, body: content };
  headers['Content-Encoding'] = 'gzip';
  return { status: 200, headers, body: gzipSync(content) };
}

function send(request, response, { status, headers, body }, everywhere) {
  response.writeHead(status, { ...everywhere, ...headers, 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function text(status, sentence, headers = {}) {
  const body = Buffer.from(`${sentence}\n`);
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body };
}

const notFound = (path) => text(404, `there is nothing at ${path}`);

const redirect = (Location) => text(301, `this is at ${Location}`, { Location });

function listen(server, port, host) {
  return new Promise((settled, failed) => {
    server.once('error', (error) => failed(listenError(error, port, host)));
    server.listen(port, host, settled);
  });
}

function listenError(error, port, host) {
  const reasons = {
    EADDRINUSE: `port ${port} on ${host} is already in use: stop what listens there or set PORT to another one`,
    EACCES: `port ${port} on ${host} may not be used by this user: set PORT to one above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
  };
  return new Error(reasons[error.code] ?? `cannot listen on ${host}:${port}: ${error.message}`, {
    cause: error,
  });
}

function close(server) {
  return new Promise((closed) => {
    server.close(() => closed());
    server.closeAllConnections();
  });
}
