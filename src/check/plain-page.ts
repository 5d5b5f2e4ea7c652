/**
 * The page of an entry that is written as most are. Rules hear of millions of those: what several of them ask of the
 * URL is found out here once, from its bytes, and its text is made only where one of them has something to say.
 */
import type { PlainEntry } from '../parse/listener.ts';
import { writePlainDate } from '../parse/values/plain-date.ts';
import { isOrdinary } from './url-key.ts';

/** A bit for each sign of ASCII that is neither a letter nor a digit; there are 32 of them. */
const SIGN_BITS: Int32Array = signBits();

/** The bit of the question mark. */
const QUERY = bitOf('?');

// What a byte of a path or query can be, where the URL is to be ordinary.
const OTHER = 0;
const PLAIN = 1;
const SLASH = 2;
const DOT = 3;
const PERCENT = 4;
const PATH_CLASS: Uint8Array = pathClasses();

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
    const classes = PATH_CLASS;
    const bits = SIGN_BITS;
    const start = urlStart + this.#originBytes.length;
    let signs = bits[0x2f]!;
    for (let at = start; at < urlEnd; at++) {
      const byte = bytes[at]!;
      signs |= bits[byte]!;
      const sort = classes[byte]!;
      if (sort === PLAIN) continue;
      const isBehindSlash = bytes[at - 1] === 0x2f;
      if (sort === SLASH) continue;
      if (sort === OTHER || isBehindSlash) return false;
      if (sort === PERCENT && !(isHex(bytes[at + 1]!) && isHex(bytes[at + 2]!) && at + 2 < urlEnd))
        return false;
    }
    this.signs = signs;
    return true;
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
  return bits;
}

function pathClasses(): Uint8Array {
  const classes = new Uint8Array(256);
  for (let code = 0x21; code < 0x7f; code++) {
    if (/[\w\-~!$&'()*+,;=:@?]/.test(String.fromCharCode(code))) classes[code] = PLAIN;
  }
  classes[0x2f] = SLASH;
  classes[0x2e] = DOT;
  classes[0x25] = PERCENT;
  return classes;
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
