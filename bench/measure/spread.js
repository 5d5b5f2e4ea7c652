/** Several measurements of one thing: the one in the middle, and how far the middle half of them is apart. */

/** From here on a spread is wide: a difference of this size says nothing. */
const WIDE = 0.15;

/**
 * @param {number[]} values
 * @returns {{ median: number, low: number, high: number, turns: number, isWide: boolean } | undefined} `low` and `high`
 * are the quartiles
 */
export function spreadOf(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const at = (part) => {
    const place = part * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return below + (above - below) * (place % 1);
  };
  const [low, median, high] = [at(0.25), at(0.5), at(0.75)];
  return { median, low, high, turns: sorted.length, isWide: high - low > WIDE * median };
}

export function medianOf(values) {
  return spreadOf(values)?.median;
}
