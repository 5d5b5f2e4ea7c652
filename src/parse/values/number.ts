/**
 * Numbers as XML Schema's `xs:decimal` has them: digits, one point, a sign. JavaScript's own reading would
 * also take `''` for 0, `0x1`, `1e-1` and `Infinity`, none of which a sitemap can mean.
 */

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/**
 * A finite decimal number, or NaN.
 *
 * @example
 * parseNumber(' -12.50 ') // -12.5
 * parseNumber('1,000')    // NaN: a thousand, or one?
 */
export function parseNumber(text: string): number {
  const trimmed = text.trim();
  if (!DECIMAL.test(trimmed)) return Number.NaN;
  const value = Number(trimmed);
  // Adding 0 makes -0 an ordinary 0, which is how it is printed and compared.
  return Number.isFinite(value) ? value + 0 : Number.NaN;
}

/** The number that up to nine digits in bytes make, or NaN: {@link parseNumber} says the same of their text. */
export function parseDigits(bytes: Uint8Array, start: number, end: number): number {
  if (start === end || end - start > 9) return Number.NaN;
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! ^ 0x30;
    if (digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** A page's priority, 0 to 1, or NaN. */
export function parsePriority(text: string): number {
  const value = parseNumber(text);
  return value >= 0 && value <= 1 ? value : Number.NaN;
}

/**
 * A page's priority that is written with one digit in bytes, as nearly all are, `0.0` to `1.0`; or NaN. A digit
 * divided by 10 is the very double that `0.8` is.
 */
export function parseTenths(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== 3) return Number.NaN;
  const tenths = bytes[start + 2]! - 0x30;
  if (bytes[start + 1] !== 0x2e || tenths < 0 || tenths > 9) return Number.NaN;
  if (bytes[start] === 0x30) return tenths / 10;
  return bytes[start] === 0x31 && tenths === 0 ? 1 : Number.NaN;
}
