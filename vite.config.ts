import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { marked } from 'marked';
import { type Plugin, runnerImport } from 'vite';
import { defineConfig } from 'vitest/config';
import { commit } from './tools/commit.mjs';
import { ISOLATION_HEADERS } from './tools/serve.mjs';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'));

export default defineConfig({
  // Relative, so that the site works from any folder of any static host.
  base: './',
  define: {
    __RINGSPAWN_VERSION__: JSON.stringify(version),
    __RINGSPAWN_COMMIT__: JSON.stringify(commit()),
    __PUBLIC_ADDRESS__: JSON.stringify(process.env.RINGSPAWN_PUBLIC_ADDRESS || null),
  },
  publicDir: 'www/public',
  plugins: [staticText(), styledFromFiles(), elementStyles()],
  build: {
    target: 'es2022',
    // Every file by its own address: the loader checks what comes back for it, and
    // a strict Content-Security-Policy forbids data: and blob: ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: { index: here('index.html'), measuring: here('measuring.html') } },
  },
  worker: { format: 'es' },
  server: { headers: ISOLATION_HEADERS, watch: { ignored: ['**/target/**'] } },
  preview: { headers: ISOLATION_HEADERS },
  test: {
    include: ['tests/web/unit/**/*.test.{ts,mjs}'],
  },
});

/** What can be read without scripts, and so from a file too, is written into the pages. */
function staticText(): Plugin {
  const texts: Readonly<Record<string, () => Promise<string>>> = {
    'posts of www/history.ts': async () => {
      const { module } = await runnerImport<typeof import('./www/history-view')>(
        here('www/history-view.ts'),
      );
      return module.historyTable();
    },
    // No line ends between a number and its unit.
    'docs/measuring.md': async () =>
      (await marked.parse(readFileSync(here('docs/measuring.md'), 'utf8'))).replace(
        /(\d)\s(?=%|µ?s\b|[mn]s\b)/g,
        '$1\u00a0',
      ),
  };
  return {
    name: 'static-text',
    async transformIndexHtml(html) {
      let page = html;
      for (const [name, text] of Object.entries(texts)) {
        const place = `<!-- ${name} -->`;
        if (!page.includes(place)) continue;
        const content = await text();
        page = page.replace(place, () => content);
      }
      return page;
    },
  };
}

/** Vite marks style sheets as cross-origin, and browsers refuse those when the page is a file. */
function styledFromFiles(): Plugin {
  return {
    name: 'styled-from-files',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace(/(<link rel="stylesheet") crossorigin/g, '$1'),
    },
  };
}

/** The element's own styles as a file, for browsers whose shadow roots take no others under the page's policy. */
function elementStyles(): Plugin {
  return {
    name: 'element-styles',
    async generateBundle() {
      const { module } = await runnerImport<typeof import('./www/styles')>(here('www/styles.ts'));
      const source = module.styles.map(({ cssText }) => cssText).join('\n');
      this.emitFile({ type: 'asset', fileName: 'ring-spawn.css', source });
    },
  };
}
