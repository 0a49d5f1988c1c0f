// What runs of one contender against itself say of the engine.

/** As for a 95 % interval, with room for chance: 17 of 20. */
const FEWEST_HOLDING = 0.85;
const WIDEST_PERCENT = 10;

/**
 * @param {object[][]} runs the two results of each
 * @returns {{ text: string, lines: string[], ok: boolean }}
 */
export function report(runs) {
  const found = runs.map(judge);
  const lines = found.map(({ line }) => line);
  const done = found.filter(({ width }) => width !== null);
  const holding = done.filter(({ holds }) => holds).length;
  const wide = done.filter(({ width, noise }) => width > WIDEST_PERCENT && noise === null).length;
  const noisy = found.filter(({ noise }) => noise !== null).length;
  const widths = done.map(({ width }) => width).sort((a, b) => a - b);
  const text = [
    `${holding} of ${runs.length} intervals hold 1`,
    widths.length === 0
      ? 'no run has an interval'
      : `widths: ${percent(widths[widths.length >> 1])} in the middle, ${percent(widths.at(-1))} at most`,
    `${noisy} of ${runs.length} say that they are not close; ${wide} are wider than ${WIDEST_PERCENT} % and don't say so`,
  ].join('\n');
  return { text, lines, ok: holding >= FEWEST_HOLDING * runs.length && wide === 0 };
}

/** Both results hold the same ratio, one of them the other way round: the first one counts. */
function judge([result, twin]) {
  const { ratio, ci95 } = result.ratios?.[0] ?? { ratio: null, ci95: null };
  const noise = result.noise ?? twin?.noise ?? null;
  if (ci95 === null) {
    return { line: result.message ?? 'no interval', width: null, holds: false, noise };
  }
  const [low, high] = ci95;
  // Rounded as the result rounds it, so that both call the same run noisy.
  const width = Number(((100 * (high - low)) / ratio).toPrecision(3));
  const holds = low <= 1 && 1 <= high;
  const samples = result.instances.reduce((sum, kept) => sum + kept, 0);
  const line =
    `ratio ${ratio.toFixed(3)}, ${low.toFixed(3)} to ${high.toFixed(3)} (${percent(width)} wide), ` +
    `${holds ? 'holds 1' : "doesn't hold 1"}, ${samples} samples from ${result.instances.length} instances` +
    `${noise === null ? '' : `; ${noise.sentence}`}`;
  return { line, width, holds, noise };
}

function percent(value) {
  return `${value.toPrecision(2)} %`;
}
