// What a bench makes of its results: those that failed before they began, and
// the exit code.

const NAMES = {
  chromium: { name: 'Chromium', engine: 'V8' },
  firefox: { name: 'Firefox', engine: 'SpiderMonkey' },
  webkit: { name: 'WebKit', engine: 'JavaScriptCore' },
  'webkit-plain': { name: 'WebKit', engine: 'JavaScriptCore' },
};

const MEASURES = {
  ring: ['hop', 'spawn', 'memory'],
  spawn: ['spawn', 'stop', 'spawnStop', 'memory'],
  skynet: ['leaf'],
  work: ['hop'],
};

/** The result of a contender that never ran in this browser: all is null but why. */
export function failedResult({
  browser,
  version = null,
  params,
  contender,
  message,
  at = new Date(),
}) {
  const { workload, preset, threads } = params;
  const { name, engine } = NAMES[browser];
  return {
    schema: 'ringspawn.result/1',
    at: at.toISOString(),
    state: 'failed',
    message,
    workload,
    preset,
    contender,
    threads: { asked: threads ?? 1, granted: 1, used: 1, reason: null },
    measures: Object.fromEntries(MEASURES[workload.name].map((measure) => [measure, null])),
    ratios: null,
    noise: null,
    coldToWarm: null,
    checks: { ok: false, items: [] },
    failures: [],
    stoppedAt: null,
    instances: null,
    warmUp: null,
    clock: { stepMs: null, errorPercent: null },
    pool: null,
    environment: {
      browser: { name, version },
      engine,
      cores: null,
      isolated: null,
      hiddenSeconds: null,
      hints: null,
      build: { version: null, commit: null, wasmBytes: null },
    },
  };
}

/** The page's results, and a failed one for each contender that it gave none for. */
export function completed(results, { browser, version, params, message }) {
  return params.contenders.map(
    (contender) =>
      results.find((result) => result.contender === contender) ??
      failedResult({ browser, version, params, contender, message }),
  );
}

/** 1 when a check failed, else 2 when something couldn't run, else 0. */
export function exitCode(results) {
  if (results.some(hasFailedCheck)) return 1;
  return results.some(({ state }) => state !== 'complete') ? 2 : 0;
}

/** A wrong count, or an actor that panicked; not a size that was refused. */
function hasFailedCheck({ checks, failures }) {
  return checks.items.some(({ ok }) => !ok) || (failures ?? []).length > 0;
}
