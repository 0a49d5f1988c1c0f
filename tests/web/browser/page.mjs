// What the tests know of the built page: how to open it, run it and read it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';

export const CONTENDERS = ['actors/handler', 'actors/async', 'actors/mixed', 'floor'];

const validate = new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(
  JSON.parse(readFileSync(new URL('../../../www/result.schema.json', import.meta.url), 'utf8')),
);

/** Opens the page at `search` and waits until it is ready, or has said why not. */
export async function openPage(browser, site, search = '') {
  await browser.open(`${site.url}${search}`);
  await until(browser, () => globalThis.ringspawn !== undefined);
}

/** Runs what the address says, and gives the results: valid ones, or it throws. */
export async function runAddress(browser, site, search, { timeout = 60_000 } = {}) {
  await openPage(browser, site, `${search}&autostart=1`);
  return finish(browser, { timeout });
}

/** Waits for the end of the run under way; throws when it couldn't even start. */
export async function finish(browser, { timeout = 60_000 } = {}) {
  await until(browser, () => ['done', 'error'].includes(globalThis.ringspawn.state), { timeout });
  const error = await browser.evaluate(() => globalThis.ringspawn.error);
  if (error) throw new Error(`the page says: ${error}`);
  const results = await browser.evaluate(() => globalThis.ringspawn.results);
  for (const result of results) assertValid(result);
  return results;
}

export function assertValid(result) {
  assert.ok(
    validate(result),
    `the result doesn't fit www/result.schema.json: ${JSON.stringify(validate.errors)}`,
  );
}

/** Complete, every check right, and every figure a positive number. */
export function assertComplete(result) {
  assert.equal(result.state, 'complete', result.message ?? '');
  assert.equal(result.checks.ok, true);
  assert.ok(result.checks.items.length > 0, 'nothing was checked');
  for (const { name, expected, counted, ok } of result.checks.items) {
    assert.ok(ok && expected === counted, `${name}: expected ${expected}, counted ${counted}`);
  }
  for (const [name, measure] of Object.entries(result.measures)) {
    if (measure === null) continue;
    for (const figure of [measure.median, ...measure.samples]) {
      assert.ok(Number.isFinite(figure) && figure > 0, `${name} is ${figure}`);
    }
  }
}

export function checkOf(result, name) {
  const item = result.checks.items.find((check) => check.name === name);
  assert.ok(item, `there is no check '${name}' among ${result.checks.items.map((c) => c.name)}`);
  return item;
}

/** No error, no warning, nothing uncaught, nothing that the policy forbids. */
export async function assertQuiet(browser) {
  const complaints = (await browser.console()).filter(({ level }) =>
    ['error', 'warning'].includes(level),
  );
  assert.deepEqual(complaints, [], 'the console has complaints');
}

/** Replaces what stands in a field of the element, as typing does. */
export async function fill(browser, selector, text) {
  await browser.click(selector);
  await browser.evaluate((wanted) => {
    document.querySelector('ring-spawn').shadowRoot.querySelector(wanted).select();
  }, selector);
  await browser.press('Backspace');
  for (const character of text) await browser.press(character);
}

export function fieldValue(browser, selector) {
  return browser.evaluate(
    (wanted) => document.querySelector('ring-spawn').shadowRoot.querySelector(wanted).value,
    selector,
  );
}

/** All text that can be seen on the page, shadow roots included. */
export function visibleText(browser) {
  return browser.evaluate(() => {
    // biome-ignore-start lint/performance/useDomNodeTextContent: only what can be seen counts
    const texts = [document.body.innerText];
    const visit = (root) => {
      for (const element of root.querySelectorAll('*')) {
        if (!element.shadowRoot) continue;
        for (const child of element.shadowRoot.children) texts.push(child.innerText ?? '');
        visit(element.shadowRoot);
      }
    };
    // biome-ignore-end lint/performance/useDomNodeTextContent: only what can be seen counts
    visit(document);
    return texts.join('\n');
  });
}

/** Waits until the page shows what `pattern` matches. */
export async function shows(browser, pattern, { timeout = 10_000 } = {}) {
  const end = Date.now() + timeout;
  for (;;) {
    const text = await visibleText(browser);
    if (pattern.test(text)) return text;
    if (Date.now() > end) throw new Error(`the page doesn't show ${pattern}`);
    await sleep(50);
  }
}

/** Polls `condition` in the page until it is true. */
export async function until(browser, condition, { timeout = 10_000, args = [] } = {}) {
  const end = Date.now() + timeout;
  while (!(await browser.evaluate(condition, ...args))) {
    if (Date.now() > end) throw new Error(`not within ${timeout / 1000} s: ${condition}`);
    await sleep(50);
  }
}
