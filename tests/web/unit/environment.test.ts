import { describe, expect, test, vi } from 'vitest';
import {
  askHints,
  describeEnvironment,
  detectBrowser,
  detectEngine,
  HiddenClock,
} from '../../../www/environment';

const brands = (...names: string[]) => ({
  brands: names.map((brand) => ({ brand, version: '156' })),
});
const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';

describe('browsers', () => {
  test.each([
    ['Chromium 156.0', 'V8', chrome, brands('Chromium', 'Not;A=Brand')],
    ['Chromium 156.0', 'V8', chrome.replace('Chrome/', 'HeadlessChrome/'), undefined],
    [
      'Chromium 156.0',
      'V8',
      chrome.replace('Chrome/', 'HeadlessChrome/'),
      brands('HeadlessChrome', 'Chromium', 'Not)A;Brand'),
    ],
    ['Chrome 156.0', 'V8', chrome, brands('Not_A Brand', 'Chromium', 'Google Chrome')],
    ['Chrome 156.0', 'V8', chrome, undefined],
    ['Brave 156.0', 'V8', chrome, brands('Chromium', 'Not(A:Brand', 'Brave')],
    [
      'Edge 156.0',
      'V8',
      `${chrome} Edg/156.0.0.0`,
      brands('Chromium', 'Microsoft Edge', 'Not A;Brand'),
    ],
    ['Opera 120.0', 'V8', `${chrome} OPR/120.0.0.0`, brands('Chromium', 'Opera', 'Not A;Brand')],
    [
      'Firefox 153.0',
      'SpiderMonkey',
      'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
      undefined,
    ],
    [
      'Safari 26.1',
      'JavaScriptCore',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
      undefined,
    ],
    [
      'Safari 18.0',
      'JavaScriptCore',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      undefined,
    ],
    [
      'WebKit 60.5',
      'JavaScriptCore',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15',
      undefined,
    ],
    [
      'Chrome 150.0',
      'JavaScriptCore',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/150.0.1 Mobile/15E148 Safari/604.1',
      undefined,
    ],
    [
      'Firefox 150.1',
      'JavaScriptCore',
      'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/150.1 Mobile/15E148 Safari/605.1.15',
      undefined,
    ],
    ['Node.js 20', 'V8', 'Node.js/20', undefined],
  ])('%s (%s)', (name, engine, userAgent, userAgentData) => {
    const browser = detectBrowser({ userAgent, userAgentData });
    expect(`${browser?.name} ${browser?.version}`).toBe(name);
    expect(detectEngine({ userAgent, userAgentData })).toBe(engine);
  });

  test('one that says nothing known is unknown', () => {
    expect(detectBrowser({ userAgent: 'curl/8' })).toBeNull();
    expect(detectEngine({ userAgent: 'curl/8' })).toBeNull();
  });

  test('never an architecture or an operating system', () => {
    const userAgent =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15';
    const text = JSON.stringify(describeEnvironment({ userAgent, hardwareConcurrency: 8 }, 0));
    expect(text).not.toMatch(/intel|mac|10[._]15|x86|linux/i);
  });
});

describe('hints', () => {
  const mac =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
  const answers = {
    brands: [],
    mobile: false,
    platform: 'macOS',
    platformVersion: '26.1.0',
    architecture: 'arm',
    model: '',
  };
  const agentThat = (getHighEntropyValues: () => Promise<Record<string, unknown>>) => ({
    userAgent: mac,
    userAgentData: { ...brands('Chromium', 'Google Chrome'), getHighEntropyValues },
  });

  test('are what the browser answers for itself, and nothing of its user-agent string', async () => {
    const ask = vi.fn(async () => answers);
    const agent = agentThat(ask);
    const hints = await askHints(agent);
    expect(hints).toEqual({
      platform: 'macOS',
      platformVersion: '26.1.0',
      architecture: 'arm',
      model: null,
    });
    expect(ask).toHaveBeenCalledWith(['platform', 'platformVersion', 'architecture', 'model']);
    const text = JSON.stringify(describeEnvironment(agent, 0, hints));
    expect(text).toContain('arm');
    expect(text).not.toMatch(/intel|10[._]15/i);
  });

  test.each([
    ['offers none', { userAgent: mac }],
    ['has the older interface', { userAgent: mac, userAgentData: brands('Chromium') }],
    ['refuses', agentThat(() => Promise.reject(new DOMException('no', 'NotAllowedError')))],
    [
      'throws',
      agentThat(() => {
        throw new TypeError('no');
      }),
    ],
  ])('are null when the browser %s', async (_, agent) => {
    expect(await askHints(agent)).toBeNull();
    const text = JSON.stringify(describeEnvironment(agent, 0, await askHints(agent)));
    expect(text).not.toMatch(/intel|mac|10[._]15/i);
  });

  test('that aren’t text are left out', async () => {
    const odd = agentThat(async () => ({ platform: 7, platformVersion: null, architecture: {} }));
    expect(await askHints(odd)).toEqual({
      platform: null,
      platformVersion: null,
      architecture: null,
      model: null,
    });
  });
});

test('time with the page hidden is counted, also when it is hidden at the start and at the end', () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  let now = 1000;
  const clock = new HiddenClock(page as unknown as Document, () => now);
  const turn = (visibilityState: string, at: number): void => {
    now = at;
    page.visibilityState = visibilityState;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  turn('visible', 1500);
  expect(clock.ms).toBe(500);
  turn('hidden', 4000);
  now = 4250;
  expect(clock.ms).toBe(750);
  clock.disconnect();
  turn('visible', 5000);
  turn('hidden', 6000);
  expect(describeEnvironment({ userAgent: '' }, 5000).hiddenSeconds).toBe(5);
});
