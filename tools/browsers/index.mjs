// Three browser engines behind one small interface.
//
// launch(name, options) → Browser:
//   name, version            'firefox', '153.0'
//   open(url)                resolves when the page has loaded
//   evaluate(fn, ...args)    runs `fn` in the page; its promise is awaited;
//                            arguments and answer are plain data
//   click(selector, { times }) real mouse input at the middle of the element,
//                            which is also looked for in open shadow roots
//   press(key)               real key input: 'Enter', 'Tab', 'a', …
//   resize(width, height)    of the viewport, in CSS pixels
//   screenshot(path)         PNG of the viewport
//   console()                what was logged since open(), exceptions, unhandled
//                            rejections, policy violations and crashes included:
//                            [{ level: 'error' | 'warning' | 'info' | …, text }]
//   close()
//
// options: { colorScheme: 'light' | 'dark', timeout }, timeout in ms for each call.
//
// WebKit's driver has neither a console nor scripts that run before the page's:
// tools/browsers/site.mjs serves both with the page, alike for every engine.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { launchChromium, launchFirefox } from './puppeteer.mjs';
import { launchWebKit, MINI_BROWSER } from './webkit.mjs';

const ENGINES = {
  chromium: {
    programs: [['chromium', 'chromium-browser', 'google-chrome']],
    launch: launchChromium,
  },
  firefox: { programs: [['firefox-esr', 'firefox']], launch: launchFirefox },
  // Stands for Safari, which has SharedArrayBuffer; WebKitGTK hides it by default.
  webkit: {
    programs: [['WebKitWebDriver'], ['Xvfb'], [MINI_BROWSER]],
    launch: (programs, options) => launchWebKit(programs, { ...options, sharedMemory: true }),
  },
  'webkit-plain': {
    programs: [['WebKitWebDriver'], ['Xvfb'], [MINI_BROWSER]],
    launch: (programs, options) => launchWebKit(programs, { ...options, sharedMemory: false }),
  },
};

/** Every name that launch() takes. */
export const BROWSERS = Object.freeze(Object.keys(ENGINES));

/** Which of them this machine has. */
export function installed() {
  return BROWSERS.filter((name) => missing(name).length === 0);
}

/** Starts a browser with a new, empty profile. */
export async function launch(name, { colorScheme = 'light', timeout = 30_000 } = {}) {
  if (!(name in ENGINES)) {
    throw new Error(`there is no browser '${name}' here, only ${BROWSERS.join(', ')}`);
  }
  const lacking = missing(name);
  if (lacking.length > 0) {
    throw new Error(`${name} isn't installed: there is no ${lacking.join(' and no ')}`);
  }
  const { programs, launch: start } = ENGINES[name];
  const browser = await start(programs.map(find), { name, colorScheme, timeout });
  return browser;
}

function missing(name) {
  return ENGINES[name].programs
    .filter((alternatives) => find(alternatives) === undefined)
    .map((alternatives) => alternatives.join(' or '));
}

function find(alternatives) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return alternatives
    .flatMap((program) =>
      program.startsWith('/') ? [program] : folders.map((folder) => join(folder, program)),
    )
    .find(existsSync);
}
