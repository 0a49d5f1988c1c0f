// The page of tools/bench/aa.mjs: the measuring engine and its workers, and nothing else.

import { Bench } from '../../../www/measure';
import { openWorker } from '../../../www/worker-sampler';

/** The tool knows where it runs; its figures are compared with themselves only. */
const NOWHERE = {
  browser: null,
  engine: null,
  cores: navigator.hardwareConcurrency ?? null,
  isolated: globalThis.crossOriginIsolated,
  hiddenSeconds: null,
  hints: null,
  build: { version: null, commit: null, wasmBytes: null },
};

const bench = new Bench({ open: openWorker, observe: () => () => NOWHERE });

/** Runs the first contender of `params` twice in one run, as if it were two. */
globalThis.runAgainstItself = (params) =>
  bench.run({ ...params, contenders: [params.contenders[0], params.contenders[0]] });
