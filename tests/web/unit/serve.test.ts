import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ISOLATION_HEADERS, serve } from '../../../tools/serve.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ringspawn-serve-'));
const root = join(folder, 'site');
mkdirSync(join(root, 'sub'), { recursive: true });
writeFileSync(join(folder, 'secret.txt'), 'secret');
writeFileSync(join(root, 'index.html'), '<p>page');
writeFileSync(join(root, 'sub', 'index.html'), '<p>sub');
writeFileSync(join(root, 'a.wasm'), '\0asm');
symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'));
afterAll(() => rmSync(folder, { recursive: true }));

type Options = Omit<Parameters<typeof serve>[0], 'root'>;

async function withServer<T>(
  options: Options,
  use: (url: string, port: number) => Promise<T>,
): Promise<T> {
  const server = await serve({ root, ...options });
  try {
    return await use(server.url, server.port);
  } finally {
    await server.close();
  }
}

/** As a client that doesn't tidy addresses up before it sends them. */
function rawStatus(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', (data) => {
      resolve(Number(String(data).split(' ')[1]));
      socket.destroy();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
}

describe('the static server', () => {
  it('sends the four isolation headers with every response, or none of them', async () => {
    await withServer({}, async (url) => {
      for (const path of ['', 'a.wasm', 'nothing', 'sub']) {
        const { headers } = await fetch(url + path, { redirect: 'manual' });
        for (const [name, value] of Object.entries(ISOLATION_HEADERS)) {
          expect(headers.get(name), `${name} of /${path}`).toBe(value);
        }
      }
    });
    await withServer({ headers: {} }, async (url) => {
      const { headers } = await fetch(url);
      for (const name of Object.keys(ISOLATION_HEADERS)) expect(headers.get(name)).toBeNull();
    });
  });

  it('never leaves its folder', async () => {
    await withServer({}, async (_, port) => {
      for (const path of [
        '/../secret.txt',
        '/sub/../../secret.txt',
        '/%2e%2e/secret.txt',
        '/..%2fsecret.txt',
        '/link.txt',
        '//etc/passwd',
      ]) {
        expect(await rawStatus(port, path), path).toBe(404);
      }
      expect(await rawStatus(port, '/%zz')).toBe(400);
      expect(await rawStatus(port, '/%00')).toBe(400);
    });
  });

  it('gives types, other types, none, and gzip', async () => {
    const typeOf = (options: Options) =>
      withServer(options, async (url) => {
        const response = await fetch(`${url}a.wasm`);
        expect(await response.text()).toBe('\0asm');
        return response.headers.get('content-type');
      });
    expect(await typeOf({})).toBe('application/wasm');
    expect(await typeOf({ types: { '.wasm': 'text/plain' } })).toBe('text/plain');
    expect(await typeOf({ types: { '.wasm': null } })).toBeNull();
    expect(await typeOf({ gzip: ['.wasm'] })).toBe('application/wasm');
  });

  it('serves from a sub-folder, with and without the last slash', async () => {
    await withServer({ base: '/blog/demo/' }, async (url, port) => {
      expect(await (await fetch(url)).text()).toBe('<p>page');
      const bare = await fetch(`${url.slice(0, -1)}?a=1`);
      expect(bare.url).toBe(`${url}?a=1`);
      expect(await (await fetch(`${url}sub`)).text()).toBe('<p>sub');
      expect(await rawStatus(port, '/index.html')).toBe(404);
    });
  });

  it('says in a sentence what is missing and which port is taken', async () => {
    await withServer({}, async (url, port) => {
      const missing = await fetch(`${url}no/such.js`);
      expect(missing.status).toBe(404);
      expect(missing.headers.get('content-type')).toMatch(/^text\/plain/);
      await expect(serve({ root, port })).rejects.toThrow(
        `port ${port} on 127.0.0.1 is already in use`,
      );
    });
    await expect(serve({ root: join(folder, 'nowhere') })).rejects.toThrow('there is no folder');
  });
});
