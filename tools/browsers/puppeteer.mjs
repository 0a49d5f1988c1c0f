// Chromium (over CDP) and Firefox (over WebDriver BiDi, so no geckodriver).

import puppeteer from 'puppeteer-core';
import { endWithUs, temporaryFolder, within } from './cleanup.mjs';
import { locate } from './locate.mjs';

const START_MS = 60_000;

export function launchChromium([executablePath], options) {
  return launch(options, {
    browser: 'chrome',
    executablePath,
    args: [
      '--no-sandbox', // root, as in CI, can't use the sandbox
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
    ],
  });
}

export function launchFirefox([executablePath], options) {
  return launch(options, {
    browser: 'firefox',
    executablePath,
    extraPrefsFirefox: {
      'layout.css.prefers-color-scheme.content-override': options.colorScheme === 'dark' ? 0 : 1,
      // A page that is busy on purpose must not be interrupted by a question.
      'dom.max_script_run_time': 0,
    },
  });
}

async function launch({ name, colorScheme, timeout }, how) {
  const profile = temporaryFolder(name);
  let end = () => {};
  try {
    const browser = await puppeteer.launch({
      ...how,
      headless: true,
      userDataDir: profile.path,
      timeout: START_MS,
      protocolTimeout: timeout,
      // Ours end everything that was started, not this browser alone.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    end = endWithUs(browser.process());
    return await PuppeteerBrowser.of(browser, { name, colorScheme, timeout, end, profile });
  } catch (error) {
    end();
    profile.remove();
    throw new Error(`${name} didn't start: ${error.message}`, { cause: error });
  }
}

class PuppeteerBrowser {
  #browser;
  #page;
  #timeout;
  #cleanUp;
  #entries = [];
  #crash;

  static async of(browser, { name, colorScheme, timeout, end, profile }) {
    const self = new PuppeteerBrowser();
    self.name = name;
    self.version = (await browser.version()).replace(/^.*?\//, '');
    self.#browser = browser;
    self.#timeout = timeout;
    self.#cleanUp = () => {
      end();
      profile.remove();
    };
    self.#page = (await browser.pages())[0] ?? (await browser.newPage());
    self.#page.setDefaultTimeout(timeout);
    if (name === 'chromium') {
      await self.#page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colorScheme }]);
    }
    self.#listen();
    return self;
  }

  async open(url) {
    this.#entries.length = 0;
    await this.#page.goto(url, { waitUntil: 'load' });
  }

  async evaluate(fn, ...args) {
    const answer = this.#page.evaluate(fn, ...args);
    try {
      return await within(this.#timeout, `${this.name} didn't answer`, answer);
    } catch (error) {
      answer.catch(() => {}); // when it was late
      if (!this.#browser.connected) throw new Error(`${this.name} ended unexpectedly`);
      if (this.#crash !== undefined) throw new Error(`${this.name}: ${this.#crash}`);
      throw error;
    }
  }

  async click(selector, { times = 1 } = {}) {
    const { x, y } = await locate(this, selector);
    for (let i = 0; i < times; i++) await this.#page.mouse.click(x, y);
  }

  async press(key) {
    await this.#page.keyboard.press(key);
  }

  async resize(width, height) {
    await this.#page.setViewport({ width, height });
  }

  async screenshot(path) {
    await this.#page.screenshot({ path });
  }

  async console() {
    return [...this.#entries];
  }

  async close() {
    // Asked politely first, so that a profile is not being written when it goes.
    await within(5_000, 'did not close', this.#browser.close()).catch(() => {});
    this.#cleanUp();
  }

  #listen() {
    const add = (level, text) => this.#entries.push({ level, text });
    this.#page.on('console', (message) => {
      const url = message.location()?.url;
      add(levelOf(message.type()), url ? `${message.text()} (${url})` : message.text());
    });
    this.#page.on('pageerror', (error) => add('error', error?.stack ?? String(error)));
    this.#page.on('error', (error) => {
      this.#crash = `the page crashed: ${error.message}`;
      add('error', this.#crash);
    });
  }
}

function levelOf(type) {
  if (type === 'assert') return 'error';
  return type === 'warn' ? 'warning' : type;
}
