/** Where a run took place, as far as a browser says it truly: never an architecture or a system guessed from its name. */

import type { Browser, Environment, Hints } from './result';

/** What this needs of `navigator`. */
export interface Agent {
  readonly userAgent: string;
  readonly userAgentData?:
    | {
        readonly brands: readonly { readonly brand: string; readonly version: string }[];
        getHighEntropyValues?(names: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
      }
    | undefined;
  readonly hardwareConcurrency?: number | undefined;
}

/** Written by the build; absent in the development server and in tests. */
declare const __RINGSPAWN_VERSION__: string | undefined;
declare const __RINGSPAWN_COMMIT__: string | undefined;

/** Tokens of user agent strings, the more special ones first: nearly all of them also say Chrome or Safari. */
const TOKENS: readonly (readonly [token: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['EdgA', 'Edge'],
  ['EdgiOS', 'Edge'],
  ['OPR', 'Opera'],
  ['Vivaldi', 'Vivaldi'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['FxiOS', 'Firefox'],
  ['Firefox', 'Firefox'],
  ['CriOS', 'Chrome'],
];

/** Brand names as user agent hints give them, where ours differ. */
const BRANDS: Readonly<Record<string, string>> = {
  'Google Chrome': 'Chrome',
  'Microsoft Edge': 'Edge',
  HeadlessChrome: 'Chromium',
};

export function detectBrowser(agent: Agent): Browser | null {
  const text = agent.userAgent;
  const own = ownBrand(agent);
  for (const [token, name] of TOKENS) {
    const version = versionOf(text, token);
    if (version !== null) return { name, version };
  }
  const chromium = versionOf(text, 'Chrome') ?? versionOf(text, 'HeadlessChrome');
  // Without hints (an insecure page) Chrome and Chromium can't be told apart; the string says Chrome.
  if (chromium !== null)
    return {
      name: own ?? (text.includes('HeadlessChrome') ? 'Chromium' : 'Chrome'),
      version: chromium,
    };
  const webkit = versionOf(text, 'Version');
  if (webkit !== null && text.includes('AppleWebKit/'))
    return { name: isApple(text) ? 'Safari' : 'WebKit', version: webkit };
  if (text.includes('AppleWebKit/'))
    return { name: 'WebKit', version: versionOf(text, 'AppleWebKit') };
  const node = versionOf(text, 'Node.js');
  return node === null ? null : { name: 'Node.js', version: node };
}

export function detectEngine(agent: Agent): string | null {
  const text = agent.userAgent;
  if (text.includes('Chrome/') || text.includes('Node.js/')) return 'V8';
  if (/iOS\/|AppleWebKit\//.test(text)) return 'JavaScriptCore';
  return text.includes('Gecko/') ? 'SpiderMonkey' : null;
}

/** Counts how long the page has been hidden, from now on; `disconnect` ends the counting. */
export class HiddenClock {
  readonly #page: Document;
  readonly #now: () => number;
  #ms = 0;
  #since: number | null = null;

  constructor(page: Document, now: () => number = () => performance.now()) {
    this.#page = page;
    this.#now = now;
    this.#look();
    page.addEventListener('visibilitychange', this.#look);
  }

  get ms(): number {
    return this.#ms + (this.#since === null ? 0 : this.#now() - this.#since);
  }

  disconnect(): void {
    this.#page.removeEventListener('visibilitychange', this.#look);
  }

  readonly #look = (): void => {
    if (this.#page.visibilityState === 'hidden') {
      this.#since ??= this.#now();
    } else if (this.#since !== null) {
      this.#ms += this.#now() - this.#since;
      this.#since = null;
    }
  };
}

const HINTS = ['platform', 'platformVersion', 'architecture', 'model'] as const;

/**
 * What the browser itself answers about its machine; null where it offers nothing or refuses. An empty answer (the
 * model of a desktop, mostly) is one that it doesn't give.
 */
export async function askHints(agent: Agent): Promise<Hints | null> {
  try {
    const answers = await agent.userAgentData?.getHighEntropyValues?.(HINTS);
    if (answers === undefined) return null;
    const [platform, platformVersion, architecture, model] = HINTS.map((name) => {
      const answer = answers[name];
      return typeof answer === 'string' && answer !== '' ? answer : null;
    }) as [string | null, string | null, string | null, string | null];
    return { platform, platformVersion, architecture, model };
  } catch {
    return null;
  }
}

export function describeEnvironment(
  agent: Agent,
  hiddenMs: number,
  hints: Hints | null = null,
): Environment {
  return {
    browser: detectBrowser(agent),
    engine: detectEngine(agent),
    cores: agent.hardwareConcurrency ?? null,
    isolated: globalThis.crossOriginIsolated ?? null,
    hiddenSeconds: Math.round(hiddenMs) / 1000,
    hints,
    build: {
      version: typeof __RINGSPAWN_VERSION__ === 'string' ? __RINGSPAWN_VERSION__ : null,
      commit: typeof __RINGSPAWN_COMMIT__ === 'string' ? __RINGSPAWN_COMMIT__ : null,
      wasmBytes: null,
    },
  };
}

/** The brand that is neither the common `Chromium` nor the made-up one that hints carry. */
function ownBrand(agent: Agent): string | null {
  const brands = agent.userAgentData?.brands.map(({ brand }) => brand) ?? [];
  const own = brands.find(
    (brand) => brand !== 'Chromium' && !/not.?a.?brand/i.test(brand.replace(/[^a-z]/gi, '')),
  );
  if (own !== undefined) return BRANDS[own] ?? own;
  return brands.includes('Chromium') ? 'Chromium' : null;
}

/** Major and minor: what follows is frozen or says nothing here. */
function versionOf(text: string, token: string): string | null {
  const found = new RegExp(`(?:^|[ (])${token.replace('.', '\\.')}/(\\d+(?:\\.\\d+)?)`).exec(text);
  return found?.[1] ?? null;
}

/** WebKit builds for other systems call themselves Safari too; only Apple's are. */
function isApple(text: string): boolean {
  return /Macintosh|iPhone|iPad|iPod/.test(text);
}
