import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { commit } from './tools/commit.mjs';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'));

/** The command line tool: the page's engine, bundled for Node, with the wasm beside it. */
export default defineConfig({
  define: {
    __RINGSPAWN_VERSION__: JSON.stringify(version),
    __RINGSPAWN_COMMIT__: JSON.stringify(commit()),
  },
  publicDir: false,
  plugins: [wasmBeside(), workersBeside()],
  // Whatever it imports comes along, so that it runs where nothing is installed.
  ssr: { noExternal: true },
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'build/node',
    emptyOutDir: true,
    rolldownOptions: {
      input: Object.fromEntries(
        ['main', 'worker', 'leader', 'pool-worker', 'watcher'].map((name) => [
          name,
          here(`www/node/${name}.ts`),
        ]),
      ),
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
});

function wasmBeside(): Plugin {
  return {
    name: 'wasm-beside',
    generateBundle() {
      for (const path of ['pkg/ringspawn_bg.wasm', 'pkg-threads/ringspawn_threads_bg.wasm'])
        this.emitFile({
          type: 'asset',
          fileName: basename(path),
          source: readFileSync(here(`www/${path}`)),
        });
    },
  };
}

/**
 * Workers that a module starts by address. Vite sees to them in builds for browsers only; Node has no such workers,
 * but runtimes that take its place do.
 */
function workersBeside(): Plugin {
  const address = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g;
  return {
    name: 'workers-beside',
    // While the code still is as it was written.
    enforce: 'pre',
    transform(code, id) {
      if (!id.startsWith(here('www/contenders/'))) return null;
      return code.replace(address, (_, name: string) => {
        const fileName = `${name}.mjs`;
        this.emitFile({ type: 'chunk', id: join(dirname(id), `${name}.ts`), fileName });
        return `new URL('./${fileName}', import.meta.url)`;
      });
    },
  };
}
