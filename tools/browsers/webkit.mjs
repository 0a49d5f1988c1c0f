// WebKitGTK's MiniBrowser through WebKitWebDriver, on a virtual screen.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, temporaryFolder, within } from './cleanup.mjs';
import { locate } from './locate.mjs';

export const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

const START_MS = 30_000;

export async function launchWebKit([driver, xvfb, miniBrowser], options) {
  const { name, colorScheme, timeout, sharedMemory } = options;
  const home = temporaryFolder(name);
  const started = [];
  const cleanUp = () => {
    for (const program of started.reverse()) program.end();
    home.remove();
  };
  try {
    const display = await startScreen(xvfb, started);
    const env = environment(home.path, { display, colorScheme, sharedMemory });
    const base = await startDriver(driver, { env, started });
    return await WebKitBrowser.of({ name, base, miniBrowser, timeout, cleanUp });
  } catch (error) {
    cleanUp();
    throw new Error(`${name} didn't start: ${error.message}`, { cause: error });
  }
}

async function startScreen(xvfb, started) {
  const args = ['-displayfd', '3', '-screen', '0', '2560x2560x24', '-nolisten', 'tcp'];
  const screen = startProcess(xvfb, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  started.push(screen);
  const number = new Promise((settled, failed) => {
    screen.child.stdio[3].once('data', (data) => settled(String(data).trim()));
    screen.child.once('exit', (code) => failed(new Error(`Xvfb ended with code ${code}`)));
  });
  return within(START_MS, 'Xvfb gave no display', Promise.race([number, screen.failed]));
}

function environment(home, { display, colorScheme, sharedMemory }) {
  const run = join(home, 'run');
  mkdirSync(run, { mode: 0o700 });
  const settings = join(home, '.config', 'gtk-3.0');
  mkdirSync(settings, { recursive: true });
  // The toolbar would keep the window from getting narrower than 447 pixels.
  writeFileSync(
    join(settings, 'gtk.css'),
    '* { min-width: 0; min-height: 0; padding: 0; margin: 0; border: 0; font-size: 1px; }\n',
  );
  const env = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: home,
    XDG_RUNTIME_DIR: run,
    DISPLAY: `:${display}`,
    GDK_BACKEND: 'x11',
    GTK_THEME: colorScheme === 'dark' ? 'Adwaita:dark' : 'Adwaita',
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', // root has no user namespaces in CI
  };
  if (sharedMemory) env.JSC_useSharedArrayBuffer = '1';
  return env;
}

async function startDriver(driver, { env, started }) {
  const port = await freePort(); // this driver can't pick one itself
  const program = startProcess(driver, [`--port=${port}`], { env, stdio: 'ignore' });
  started.push(program);
  const base = `http://127.0.0.1:${port}`;
  const ready = async () => {
    for (;;) {
      if (program.child.exitCode !== null) {
        throw new Error(`WebKitWebDriver ended with code ${program.child.exitCode}`);
      }
      const answer = await fetch(`${base}/status`).catch(() => undefined);
      if (answer?.ok) return base;
      await sleep(50);
    }
  };
  return within(START_MS, 'WebKitWebDriver was not ready', Promise.race([ready(), program.failed]));
}

function freePort() {
  return new Promise((settled, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => settled(port));
    });
  });
}

class WebKitBrowser {
  #base;
  #timeout;
  #cleanUp;

  static async of({ name, base, miniBrowser, timeout, cleanUp }) {
    const self = new WebKitBrowser();
    self.name = name;
    self.#base = base;
    self.#timeout = timeout;
    self.#cleanUp = cleanUp;
    const session = await self.#send('POST', '/session', {
      capabilities: {
        alwaysMatch: {
          browserName: 'MiniBrowser',
          'webkitgtk:browserOptions': { binary: miniBrowser, args: ['--automation'] },
          timeouts: { script: timeout, pageLoad: timeout },
        },
      },
    });
    self.version = session.capabilities.browserVersion;
    self.#base = `${base}/session/${session.sessionId}`;
    await self.resize(1280, 800);
    return self;
  }

  async open(url) {
    await this.#send('POST', '/url', { url });
  }

  async evaluate(fn, ...args) {
    const { answer, thrown } = await this.#send('POST', '/execute/async', {
      script: `const [args, settled] = arguments;
        Promise.resolve().then(() => (${fn})(...JSON.parse(args))).then(
          (answer) => settled({ answer }),
          (error) => settled({ thrown: String(error?.stack ? error + '\\n' + error.stack : error) }))`,
      // As text: the protocol would take some plain objects for elements.
      args: [JSON.stringify(args)],
    });
    if (thrown) throw new Error(thrown);
    return answer ?? undefined;
  }

  async click(selector, { times = 1 } = {}) {
    const { x, y } = await locate(this, selector);
    const click = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#act('pointer', { parameters: { pointerType: 'mouse' } }, [
      { type: 'pointerMove', duration: 0, origin: 'viewport', x, y },
      ...Array(times).fill(click).flat(),
    ]);
  }

  async press(key) {
    const value = KEYS[key] ?? key;
    await this.#act('key', {}, [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
  }

  async resize(width, height) {
    // The window also holds a toolbar, so its size follows from the viewport's.
    let rect = { width, height };
    for (let attempt = 0; attempt < 5; attempt++) {
      await this.#send('POST', '/window/rect', rect);
      await sleep(100);
      const [w, h] = await this.evaluate(() => [innerWidth, innerHeight]);
      if (w === width && h === height) return;
      rect = { width: rect.width + width - w, height: rect.height + height - h };
    }
    throw new Error(`${this.name}: the viewport can't be made ${width} × ${height}`);
  }

  async screenshot(path) {
    // What changed last is drawn by the second frame from now.
    await this.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    writeFileSync(path, Buffer.from(await this.#send('GET', '/screenshot'), 'base64'));
  }

  async console() {
    return (await this.evaluate(() => globalThis.__recordedConsole ?? [])) ?? [];
  }

  async close() {
    await within(5_000, 'did not close', this.#send('DELETE', '')).catch(() => {});
    this.#cleanUp();
  }

  async #act(type, source, actions) {
    await this.#send('POST', '/actions', {
      actions: [{ type, id: type, ...source, actions }],
    });
  }

  async #send(method, path, body) {
    const response = await fetch(this.#base + path, {
      method,
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(this.#timeout + 5_000), // the driver's own comes first
    }).catch((error) => {
      throw new Error(`${this.name} didn't answer ${method} ${path}: ${error.message}`);
    });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${this.name}: ${value.error}: ${value.message}`);
    return value;
  }
}

/** WebDriver's names for keys that are no characters. */
const KEYS = {
  Enter: '\uE007',
  Tab: '\uE004',
  Escape: '\uE00C',
  Backspace: '\uE003',
  Space: ' ',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
};
