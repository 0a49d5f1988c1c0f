import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The page's own rules for parameters, so that bench and page never disagree:
 * the exports of www/params.ts, which Node 20 can't read by itself.
 */
export async function loadParams() {
  const { runnerImport } = await import('vite');
  const { module } = await runnerImport('/www/params.ts', {
    root: ROOT,
    configFile: false,
    logLevel: 'error',
  });
  return module;
}
