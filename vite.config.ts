import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { commit } from './tools/commit.mjs';
import { ISOLATION_HEADERS } from './tools/serve.mjs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

export default defineConfig({
  // Relative, so that the site works from any folder of any static host.
  base: './',
  define: {
    __RINGSPAWN_VERSION__: JSON.stringify(version),
    __RINGSPAWN_COMMIT__: JSON.stringify(commit()),
    __PUBLIC_ADDRESS__: JSON.stringify(process.env.RINGSPAWN_PUBLIC_ADDRESS || null),
  },
  publicDir: 'www/public',
  build: {
    target: 'es2022',
    // Every file by its own address: the loader checks what comes back for it, and
    // a strict Content-Security-Policy forbids data: and blob: ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' },
  server: { headers: ISOLATION_HEADERS, watch: { ignored: ['**/target/**'] } },
  preview: { headers: ISOLATION_HEADERS },
  test: {
    include: ['tests/web/unit/**/*.test.{ts,mjs}'],
  },
});
