/**
 * Remembers dates that were read lately: the dates of a sitemap repeat, so most are recognised in their bytes and
 * neither decoded nor computed again. Pages with the same date also share its text.
 */
import { parseDate } from './values/date.ts';
import { asciiString } from './values/text.ts';

const SLOTS = 1024;
const MAX_LENGTH = 32;

/** A small memory of dates by their bytes. */
export class RecentDates {
  /** The text of the date found last. */
  text = '';
  /** The time of the date found last, in milliseconds. */
  time = 0;
  readonly #texts: string[] = new Array<string>(SLOTS).fill('');
  readonly #times = new Float64Array(SLOTS);

  /** Finds a date that stands in bytes; false where the bytes are not plainly a date. */
  find(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (length < 4 || length > MAX_LENGTH) return false;
    // Where days, hours, minutes and seconds stand in the usual shapes; all of it is compared below.
    const slot =
      (bytes[start + 3]! * 5 +
        bytes[start + (length > 9 ? 6 : 0)]! * 11 +
        bytes[start + (length > 9 ? 8 : 1)]! * 37 +
        bytes[start + (length > 9 ? 9 : 2)]! * 101 +
        bytes[start + (length > 18 ? 12 : 0)]! * 211 +
        bytes[start + (length > 18 ? 15 : 0)]! * 307 +
        bytes[start + (length > 18 ? 18 : 0)]! * 401) &
      (SLOTS - 1);
    const known = this.#texts[slot]!;
    if (isSame(known, bytes, start, length)) {
      this.text = known;
      this.time = this.#times[slot]!;
      return true;
    }
    if (!isPlain(bytes, start, end)) return false;
    const text = asciiString(bytes, start, end);
    const time = parseDate(text);
    if (Number.isNaN(time)) return false;
    this.#texts[slot] = text;
    this.#times[slot] = time;
    this.text = text;
    this.time = time;
    return true;
  }
}

function isSame(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  // From the end, where times differ first.
  for (let at = length - 1; at >= 0; at--) if (text.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}

// Digits, letters, `+-./:,` and spaces: no `&`, nothing beyond ASCII.
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte < 0x20 || byte > 0x7a || byte === 0x26) return false;
  }
  return true;
}
