import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, temporaryFolder } from '../../../tools/browsers/cleanup.mjs';
import { assertComplete, assertQuiet, assertValid, checkOf, finish, openPage } from './page.mjs';

const JS = 'js/queue,js/async';
const WORKERS = 'workers/postmessage';

/** In each worker: tells the page which workers it starts and ends, and that it is alive. */
const watchWorkers = () => {
  const channel = new BroadcastChannel('workers');
  const isActor = self.name.startsWith('actor ');
  if (isActor) {
    const id = `${self.name} ${Math.random()}`;
    setInterval(() => channel.postMessage({ what: 'alive', id }), 50);
    return;
  }
  const Native = globalThis.Worker;
  globalThis.Worker = class extends Native {
    constructor(...args) {
      super(...args);
      channel.postMessage({ what: 'started' });
    }
    terminate() {
      channel.postMessage({ what: 'ended' });
      super.terminate();
    }
  };
};

/** In the page: counts what the workers tell. */
const countWorkers = () => {
  globalThis.workers = { started: 0, ended: 0, alive: 0 };
  new BroadcastChannel('workers').onmessage = ({ data }) => globalThis.workers[data.what]++;
};

/**
 * Runs the page and gives its results, its count of workers, and what it complained of. In Firefox any automation
 * session watches all workers, and workers that start workers then block each other for good (the browser's own
 * fault: it happens with two lines of script, and never without a session). So there the page runs in a Firefox of
 * its own, without a session, and tells the server what came out.
 */
async function run({ browser, site }, search, { before = {} } = {}) {
  const page = `(${countWorkers})();${scriptOf(before.page)}`;
  const worker = `(${watchWorkers})();${scriptOf(before.worker)}`;
  if (browser.name === 'firefox') {
    return runAlone(await site({ before: { page: `${page}(${report})();`, worker } }), search);
  }
  const served = await site({ before: { page, worker } });
  await openPage(browser, served, `${search}&autostart=1`);
  const results = await finish(browser, { timeout: 80_000 });
  await sleep(500);
  await browser.evaluate(() => (globalThis.workers.alive = 0));
  await sleep(500);
  await assertQuiet(browser);
  return { results, workers: await browser.evaluate(() => globalThis.workers) };
}

function scriptOf(script) {
  return script === undefined ? '' : `(${script})();`;
}

/** In the page: when the run is over, tells the server all of it, in pieces that fit into an address. */
const report = async () => {
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  while (!['done', 'error'].includes(globalThis.ringspawn?.state)) await wait(100);
  await wait(500);
  globalThis.workers.alive = 0;
  await wait(500);
  const { error, results } = globalThis.ringspawn;
  const { workers, __recordedConsole: lines } = globalThis;
  const text = encodeURIComponent(
    JSON.stringify({ error: error && String(error), results, workers, lines }),
  );
  const pieces = text.match(/.{1,4000}/g);
  for (const [i, piece] of pieces.entries()) await fetch(`outcome?${i}&${pieces.length}&${piece}`);
};

async function runAlone(served, search) {
  const profile = temporaryFolder('firefox-alone');
  writeFileSync(
    join(profile.path, 'user.js'),
    'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n',
  );
  const url = `${served.url}${search}&autostart=1`;
  const firefox = startProcess(
    program('firefox-esr', 'firefox'),
    ['--headless', '--no-remote', '--profile', profile.path, url],
    { env: process.env, stdio: 'ignore' },
  );
  try {
    const { error, results, workers, lines } = await Promise.race([
      outcome(served.requests),
      firefox.failed,
    ]);
    assert.equal(error, null);
    for (const result of results) assertValid(result);
    const complaints = lines.filter(({ level }) => ['error', 'warning'].includes(level));
    assert.deepEqual(complaints, [], 'the console has complaints');
    return { results, workers };
  } finally {
    firefox.end();
    profile.remove();
  }
}

function program(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const path = names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(existsSync);
  assert.ok(path, `there is no ${names.join(' and no ')}`);
  return path;
}

async function outcome(requests) {
  const end = Date.now() + 80_000;
  for (;;) {
    const pieces = new Map();
    let count = Number.POSITIVE_INFINITY;
    for (const { path } of requests) {
      const [, i, all, piece] = /outcome\?(\d+)&(\d+)&(.*)$/.exec(path) ?? [];
      if (i === undefined) continue;
      count = Number(all);
      pieces.set(Number(i), piece);
    }
    if (pieces.size >= count)
      return JSON.parse(
        decodeURIComponent(
          [...pieces.keys()]
            .sort((a, b) => a - b)
            .map((i) => pieces.get(i))
            .join(''),
        ),
      );
    if (Date.now() > end) throw new Error('the page told no outcome within 80 s');
    await sleep(100);
  }
}

/** WebKit without shared memory does nothing else here. */
export const browsers = ['chromium', 'firefox', 'webkit'];

export const tests = {
  'objects in a queue and promises run on the page, every check right': async ({
    browser,
    site,
  }) => {
    const served = await site();
    for (const search of [
      `?workload=ring&actors=100&laps=200&tokens=3&samples=2&contender=${JS}`,
      `?workload=spawn&actors=2000&samples=2&contender=${JS}`,
      `?workload=ring&actors=1&laps=20000&samples=1&contender=${JS}`,
      `?workload=ring&actors=2&laps=10000&tokens=2&samples=1&contender=${JS}`,
      `?workload=ring&actors=1000&laps=0&samples=1&contender=${JS}`,
    ]) {
      await openPage(browser, served, `${search}&autostart=1`);
      const results = await finish(browser);
      assert.equal(results.length, 2);
      for (const result of results) {
        assertComplete(result);
        const { name, actors, laps, tokens } = result.workload;
        if (name === 'ring') {
          assert.equal(checkOf(result, 'hops').counted, actors * laps * tokens);
          assert.equal(result.measures.hop === null, laps === 0);
        } else {
          assert.equal(checkOf(result, 'stopped').counted, actors);
          assert.ok(result.measures.spawnStop, 'there is no spawnStop');
        }
        assert.equal(result.measures.memory, null);
      }
    }
    await assertQuiet(browser);
  },

  'a ring of workers runs on the page, every check right': async (context) => {
    const search = `?workload=ring&actors=5&laps=20&tokens=2&samples=2&contender=${WORKERS}`;
    const { results } = await run(context, search);
    assertComplete(results[0]);
    assert.equal(checkOf(results[0], 'hops').counted, 5 * 20 * 2);
    assert.ok(results[0].measures.hop, 'there is no hop');
  },

  'rings of one worker and of two give their counts': async (context) => {
    for (const [actors, tokens] of [
      [1, 1],
      [2, 2],
    ]) {
      const search = `?workload=ring&actors=${actors}&laps=30&tokens=${tokens}&samples=1&contender=${WORKERS}`;
      const { results } = await run(context, search);
      assertComplete(results[0]);
      assert.equal(checkOf(results[0], 'hops').counted, actors * 30 * tokens);
    }
  },

  'workers are spawned and stopped, and 20 runs leave none behind': async (context) => {
    const search = `?workload=spawn&actors=3&samples=20&contender=${WORKERS}`;
    const { results, workers } = await run(context, search);
    assertComplete(results[0]);
    assert.equal(checkOf(results[0], 'stopped').counted, 3);
    assert.ok(results[0].measures.spawnStop, 'there is no spawnStop');
    assert.ok(workers.started >= 3 * 20, `only ${workers.started} workers were started`);
    assert.equal(workers.ended, workers.started);
    assert.equal(workers.alive, 0, 'a worker is still alive');
  },

  '20 runs of a ring of workers leave none behind': async (context) => {
    const search = `?workload=ring&actors=3&laps=10&samples=20&contender=${WORKERS}`;
    const { results, workers } = await run(context, search);
    assertComplete(results[0]);
    assert.ok(workers.started >= 3 * 20, `only ${workers.started} workers were started`);
    assert.equal(workers.ended, workers.started);
    assert.equal(workers.alive, 0, 'a worker is still alive');
  },

  'a ring of workers that loses its token after lap 1 fails with both numbers, and leaves none':
    async (context) => {
      const { results, workers } = await run(
        context,
        `?workload=ring&actors=4&laps=10&samples=1&contender=${WORKERS}`,
        {
          before: {
            worker: () => {
              const post = MessagePort.prototype.postMessage;
              MessagePort.prototype.postMessage = function (message, ...rest) {
                if (message?.passes !== 4) post.call(this, message, ...rest);
              };
            },
          },
        },
      );
      const [result] = results;
      assert.equal(result.state, 'failed');
      assert.deepEqual(checkOf(result, 'hops'), {
        name: 'hops',
        expected: 40,
        counted: 4,
        ok: false,
      });
      assert.match(result.message, /tokens back: expected 1, counted 0/);
      assert.equal(workers.ended, workers.started);
      assert.equal(workers.alive, 0, 'a worker is still alive');
    },

  'Stop in a ring of workers leaves none of them': async (context) => {
    const { results, workers } = await run(
      context,
      `?workload=ring&actors=5&laps=100000000&samples=1&contender=${WORKERS}`,
      {
        before: {
          page: () => {
            const stop = () => {
              const element = document.querySelector('ring-spawn');
              const isUnderWay = globalThis.workers.started >= 5 && globalThis.workers.alive > 20;
              if (isUnderWay) element.shadowRoot.querySelector('#stop').click();
              else setTimeout(stop, 100);
            };
            stop();
          },
        },
      },
    );
    assert.equal(results[0].state, 'stopped');
    assert.equal(workers.started, 5);
    assert.equal(workers.alive, 0, 'a worker is still alive');
  },

  'more actors than a contender can do give a failed result that names the number': async ({
    browser,
    site,
  }) => {
    const served = await site();
    const search = `?workload=spawn&actors=30000&samples=1&contender=${WORKERS},js/queue`;
    await openPage(browser, served, `${search}&autostart=1`);
    const [workers, queue] = await finish(browser);
    assert.equal(workers.state, 'failed');
    assert.match(workers.message, /^workers\/postmessage can do at most 100 actors; 30,000 were/);
    assertComplete(queue);
    await assertQuiet(browser);
  },

  'the code of a contender loads when it is chosen': async ({ browser, site }) => {
    const served = await site();
    const loaded = (name) => served.requests.some(({ path }) => path.includes(`/${name}-`));
    const open = async (contender) => {
      const search = `?workload=ring&actors=10&laps=100&samples=1&contender=${contender}`;
      await openPage(browser, served, `${search}&autostart=1`);
      await finish(browser);
    };
    await open('actors/handler,floor');
    for (const name of ['queue', 'async', 'postmessage']) assert.ok(!loaded(name), name);
    await open('js/queue');
    assert.ok(loaded('queue'));
    for (const name of ['async', 'postmessage']) assert.ok(!loaded(name), name);
  },
};
