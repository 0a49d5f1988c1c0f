import { describe, expect, test } from 'vitest';
import { HISTORY, historyNs } from '../../../www/history';
import { layoutRuler, rulerList, UPRIGHT_BELOW } from '../../../www/ruler';
import { textWidth } from '../../../www/ruler-label';
import type { Box, Line, RulerPoint } from '../../../www/ruler-shapes';
import { svgText } from '../../../www/ruler-text';

const WIDTHS = [288, 320, 328, 360, 480, 559, 560, 600, 700, 800, 960, 1024, 1280, 1920];

function history(workload: 'ring' | 'spawn'): RulerPoint[] {
  return HISTORY.filter((row) => row.workload === workload && row.label !== null).map((row) => ({
    kind: 'history',
    label: row.label!,
    ns: historyNs(row),
  }));
}

function now(...figures: number[]): RulerPoint[] {
  const names = ['handler actors', 'async actors', 'mixed actors', 'floor'];
  return figures.map((ns, i) =>
    i === 0
      ? {
          kind: 'run',
          label: 'handler actors, Samsung Internet 156',
          ns,
          detail: '8.71 to 9.02 ns, 114 million a second',
        }
      : { kind: 'contender', label: names[i]!, ns },
  );
}

/** A run, up to three contenders and some history, anywhere on the scale and beyond it. */
function randomPoints(seed: number): RulerPoint[] {
  let state = seed * 2_654_435_761;
  const random = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (state >>> 0) / 2 ** 32;
  };
  const ns = (): number => 10 ** (random() * 8 - 0.5);
  // Close together, as the contenders of one run and the figures of one post are.
  const near = ns();
  const jitter = (): number => near * (1 + random() * 0.3);
  const pick = (): number => (random() < 0.5 ? ns() : jitter());
  return [
    ...now(...Array.from({ length: 1 + Math.floor(random() * 4) }, pick)),
    ...Array.from(
      { length: Math.floor(random() * 11) },
      (_, i): RulerPoint => ({
        kind: 'history',
        label: `System ${'with a name '.repeat(Math.floor(random() * 2))}${i}, 20${10 + i}`,
        ns: pick(),
      }),
    ),
  ];
}

function crosses({ x1, y1, x2, y2 }: Line, { x, y, width, height }: Box): boolean {
  // Liang and Barsky: what of the line is left inside the box.
  let [from, to] = [0, 1];
  for (const [delta, low, high] of [
    [x2 - x1, x - x1, x + width - x1],
    [y2 - y1, y - y1, y + height - y1],
  ] as const) {
    if (delta === 0) {
      if (low >= 0 || high <= 0) return false;
    } else {
      const [a, b] = delta > 0 ? [low / delta, high / delta] : [high / delta, low / delta];
      from = Math.max(from, a);
      to = Math.min(to, b);
    }
  }
  return from < to;
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function faults(points: readonly RulerPoint[], width: number): string[] {
  const { labels, leaders, height } = layoutRuler(points, width);
  const found: string[] = [];
  labels.forEach((label, i) => {
    if (
      label.x < 0 ||
      label.y < 0 ||
      label.x + label.width > width ||
      label.y + label.height > height
    )
      found.push(`label ${i} leaves the picture at ${width}`);
    leaders.forEach((leader, j) => {
      if (crosses(leader, label)) found.push(`leader ${j} crosses label ${i} at ${width}`);
    });
    labels.slice(0, i).forEach((other, j) => {
      if (overlaps(label, other)) found.push(`labels ${i} and ${j} overlap at ${width}`);
    });
  });
  return found;
}

describe('no leader crosses a label, no label another', () => {
  test.each(WIDTHS)('with the real figures at %i px', (width) => {
    for (const points of [
      history('ring'),
      history('spawn'),
      [...now(8.8, 15.1, 12, 2.9), ...history('ring')],
      [...now(35, 60, 50, 20), ...history('spawn')],
      [...now(900, 960, 1000, 800), ...history('ring')],
    ]) {
      expect(faults(points, width)).toEqual([]);
    }
  });

  test.each(WIDTHS)('with figures anywhere at %i px', (width) => {
    for (let seed = 1; seed <= 60; seed++)
      expect(faults(randomPoints(seed), width), `seed ${seed}`).toEqual([]);
  });

  test('with the same figure many times', () => {
    const points: RulerPoint[] = Array.from({ length: 9 }, (_, i) => ({
      kind: 'history',
      label: `The same ${i}`,
      ns: 500,
    }));
    for (const width of WIDTHS) expect(faults(points, width)).toEqual([]);
  });

  test('and the proof can fail', () => {
    expect(crosses({ x1: 5, y1: 0, x2: 5, y2: 20 }, { x: 0, y: 5, width: 10, height: 5 })).toBe(
      true,
    );
    expect(crosses({ x1: 15, y1: 0, x2: 15, y2: 20 }, { x: 0, y: 5, width: 10, height: 5 })).toBe(
      false,
    );
    expect(crosses({ x1: 0, y1: 0, x2: 20, y2: 20 }, { x: 8, y: 8, width: 2, height: 2 })).toBe(
      true,
    );
    expect(overlaps({ x: 0, y: 0, width: 2, height: 2 }, { x: 1, y: 1, width: 2, height: 2 })).toBe(
      true,
    );
  });
});

test('upright leaders do not cross each other', () => {
  const cross = (a: Line, b: Line): boolean => Math.sign(a.y1 - b.y1) * Math.sign(a.y2 - b.y2) < 0;
  for (let seed = 1; seed <= 60; seed++) {
    const { leaders } = layoutRuler(randomPoints(seed), 320);
    for (const a of leaders) for (const b of leaders) expect(cross(a, b)).toBe(false);
  }
});

test('it stands upright where there is no room to lie', () => {
  expect(layoutRuler(history('ring'), UPRIGHT_BELOW - 1).upright).toBe(true);
  expect(layoutRuler(history('ring'), 700).upright).toBe(false);
});

test('a figure that is not finite or not positive stands nowhere', () => {
  for (const ns of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(layoutRuler(now(ns), 800).leaders).toEqual([]);
    expect(layoutRuler(now(ns), 320).leaders).toEqual([]);
  }
});

test('the list has the order of the picture', () => {
  const list = rulerList([...now(8.8, 15.1, 12, 2.9), ...history('ring')]);
  expect(list[0]).toBe('floor: 2.9 ns');
  expect(list[1]).toBe('handler actors, Samsung Internet 156: 8.8 ns');
  expect(list.at(-1)).toBe('1,000 Ruby threads, 2007: 7.5 ms (history)');
});

test('as a file of its own it has a name, its colours, and no markup from labels', () => {
  const points: RulerPoint[] = [
    { kind: 'run', label: '<img src=x onerror=alert(1)> & "co"', ns: 8.8 },
  ];
  const text = svgText(layoutRuler(points, 800), 'A <title>');
  expect(text).toContain('<title>A &lt;title&gt;</title>');
  expect(text).not.toContain('<img');
  expect(text).toContain('&lt;img');
  expect(text).toContain('prefers-color-scheme:dark');
  expect(text).not.toMatch(/NaN|undefined/);
});

test('wide letters are wider than narrow ones', () => {
  expect(textWidth('WWW', 10)).toBeGreaterThan(textWidth('iii', 10) * 3);
});
