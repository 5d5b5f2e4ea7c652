/**
 * Reads dates from their bytes, and remembers those that were read lately: the days of a sitemap repeat, and so does
 * the moment at which a site was built. Pages with the same date share its text.
 */
import { parseDate } from './values/date.ts';
import { parsePlainDate } from './values/date-bytes.ts';
import { asciiString } from './values/text.ts';

const SLOTS = 512;
const MAX_LENGTH = 32;

/** The dates of one document. */
export class RecentDates {
  /** The text of the date found last. */
  text = '';
  /** The time of the date found last, in milliseconds. */
  time = 0;
  readonly #days: string[] = new Array<string>(SLOTS).fill('');
  readonly #times = new Float64Array(SLOTS);

  /** Finds a date that stands in bytes; false where the bytes are not plainly a date. */
  find(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (length === 10) return this.#findDay(bytes, start, end);
    if (length > MAX_LENGTH) return false;
    // Times hardly ever repeat but at once: all pages were built in one moment.
    return isSame(this.text, bytes, start, length) || this.#read(bytes, start, end);
  }

  #findDay(bytes: Uint8Array, start: number, end: number): boolean {
    // Year, month and day by their last digits; all of it is compared below.
    const slot =
      (bytes[start + 3]! * 131 +
        bytes[start + 5]! * 67 +
        bytes[start + 6]! * 31 +
        bytes[start + 8]! * 11 +
        bytes[start + 9]!) &
      (SLOTS - 1);
    const known = this.#days[slot]!;
    if (isSame(known, bytes, start, 10)) {
      this.text = known;
      this.time = this.#times[slot]!;
      return true;
    }
    if (!this.#read(bytes, start, end)) return false;
    this.#days[slot] = this.text;
    this.#times[slot] = this.time;
    return true;
  }

  #read(bytes: Uint8Array, start: number, end: number): boolean {
    let time = parsePlainDate(bytes, start, end);
    const isUsual = !Number.isNaN(time);
    if (!isUsual && !isPlain(bytes, start, end)) return false;
    const text = asciiString(bytes, start, end);
    if (!isUsual) time = parseDate(text);
    if (Number.isNaN(time)) return false;
    this.text = text;
    this.time = time;
    return true;
  }
}

function isSame(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  // From the end, where dates differ first; but zones are the same, and seconds stand before them.
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
