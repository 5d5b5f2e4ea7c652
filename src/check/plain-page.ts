/**
 * The page of an entry that is written as most are. Rules hear of millions of those: what several of them ask of the
 * URL is found out here once, from its bytes, and its text is made only where one of them has something to say.
 */
import type { PlainEntry } from '../parse/listener.ts';
import { writePlainDate } from '../parse/values/plain-date.ts';
import { isOrdinary } from './url-key.ts';

const SLASH = 0x2f;
const DOT = 0x2e;
const PERCENT = 0x25;
const DELETE = 0x7f;

/** A bit for each sign of ASCII that is neither a letter nor a digit; there are 32 of them. */
const SIGN_BITS: Int32Array = signBits();

/** The bit of the question mark. */
const QUERY = bitOf('?');

/** The bits of the signs that are in ordinary URLs. */
const ORDINARY_SIGNS = signsOf("_-~!$&'()*+,;=:@?/.%");

const DATE_ONLY = 0;

/** The page that rules are hearing of. */
export class PlainPage {
  /** The entry that it is in. */
  entry!: PlainEntry;
  /** Whether its URL is ordinary: see {@link isOrdinary}. */
  isOrdinary = false;
  /** Of an ordinary URL: its origin, with a slash at the end. */
  origin = '';
  /** Of an ordinary URL: the bits of the signs in its path and query. */
  signs = 0;
  #originBytes: Uint8Array = new Uint8Array(0);

  /** Takes the next entry. */
  take(entry: PlainEntry): void {
    this.entry = entry;
    if (this.#startsWithOrigin(entry)) {
      this.isOrdinary = this.#readPath(entry);
      return;
    }
    const { url } = entry;
    this.isOrdinary = isOrdinary(url);
    if (!this.isOrdinary) return;
    this.origin = url.slice(0, url.indexOf('/', 8) + 1);
    this.#originBytes = new TextEncoder().encode(this.origin);
    this.#readPath(entry);
  }

  get url(): string {
    return this.entry.url;
  }

  /** Whether it has a query. */
  get hasQuery(): boolean {
    return (this.signs & QUERY) !== 0;
  }

  /** Where the path of an ordinary URL begins, among the bytes of the entry. */
  get pathStart(): number {
    return this.entry.urlStart + this.origin.length - 1;
  }

  /** Whether it has a date with a time of day. */
  get hasTimeOfDay(): boolean {
    return this.entry.dateForm !== DATE_ONLY;
  }

  /** Its date as it is written. */
  get dateText(): string {
    return writePlainDate(this.entry.time, this.entry.dateForm);
  }

  #startsWithOrigin({ bytes, urlStart, urlEnd }: PlainEntry): boolean {
    const origin = this.#originBytes;
    const { length } = origin;
    if (length === 0 || urlEnd - urlStart < length) return false;
    // From the end: hosts differ at their beginning, but the slash is nearly always elsewhere.
    for (let at = length - 1; at >= 0; at--) if (bytes[urlStart + at] !== origin[at]) return false;
    return true;
  }

  /** Reads the path and the query; returns whether they are ordinary. */
  #readPath({ bytes, urlStart, urlEnd }: PlainEntry): boolean {
    const bits = SIGN_BITS;
    const start = urlStart + this.#originBytes.length;
    let signs = bits[SLASH]!;
    for (let at = start; at < urlEnd; at++) {
      const byte = bytes[at]!;
      signs |= bits[byte]!;
      if (byte !== DOT && byte !== PERCENT) continue;
      if (bytes[at - 1] === SLASH) return false;
      if (byte === PERCENT && !(at + 2 < urlEnd && isHex(bytes[at + 1]!) && isHex(bytes[at + 2]!)))
        return false;
    }
    this.signs = signs;
    return (signs & ~ORDINARY_SIGNS) === 0;
  }
}

/** The bits of all signs in a text. */
export function signsOf(text: string): number {
  let signs = 0;
  for (let at = 0; at < text.length; at++) signs |= SIGN_BITS[text.charCodeAt(at)] ?? 0;
  return signs;
}

function bitOf(sign: string): number {
  return SIGN_BITS[sign.charCodeAt(0)]!;
}

function signBits(): Int32Array {
  const bits = new Int32Array(256);
  let count = 0;
  for (let code = 0x21; code < 0x7f; code++) {
    if (!/[0-9A-Za-z]/.test(String.fromCharCode(code))) bits[code] = 1 << count++;
  }
  // All bits are taken. No more than a "<" is it in an ordinary URL.
  bits[DELETE] = bits[0x3c]!;
  return bits;
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
