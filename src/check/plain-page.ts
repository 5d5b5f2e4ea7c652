/**
 * The page of an entry that is written as most are. Rules hear of millions of those: what several of them ask of the
 * URL is found out here once, from its bytes, and its text is made only where one of them has something to say.
 */
import type { PlainEntry } from '../parse/listener.ts';
import { writePlainDate } from '../parse/values/w3c-date.ts';
import { SIGN_BITS, signsOf } from '../robots/robots-rules.ts';
import { isOrdinary } from './url-key.ts';

const SLASH = 0x2f;
const DOT = 0x2e;
const PERCENT = 0x25;

const QUERY = signsOf('?');

/** The bits of the signs that are in ordinary URLs. */
const ORDINARY_SIGNS = signsOf("_-~!$&'()*+,;=:@?/.%");

/** The bits of those that are not ordinary everywhere. */
const PLACED_SIGNS = signsOf('/.%');

const DATE_ONLY = 0;

export class PlainPage {
  entry!: PlainEntry;
  /** Whether its URL is ordinary: see {@link isOrdinary}. */
  isOrdinary = false;
  /** Of an ordinary URL: its origin, with a slash at the end. */
  origin = '';
  /**
   * Of an ordinary URL: the bits of the signs in its path and query; where those are short, perhaps a dot or a hyphen
   * too many.
   */
  signs = 0;
  /** The bytes of the origin, four at a time; the last four may overlap with those before. */
  #originWords: readonly number[] = [];

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
    this.#originWords = wordsOf(new TextEncoder().encode(this.origin));
    this.#readPath(entry);
  }

  get url(): string {
    return this.entry.url;
  }

  get hasQuery(): boolean {
    return (this.signs & QUERY) !== 0;
  }

  /** Where the path of an ordinary URL begins, among the bytes of the entry. */
  get pathStart(): number {
    return this.entry.urlStart + this.origin.length - 1;
  }

  get hasTimeOfDay(): boolean {
    return this.entry.dateForm !== DATE_ONLY;
  }

  get dateText(): string {
    return writePlainDate(this.entry.time, this.entry.dateForm);
  }

  #startsWithOrigin({ view, urlStart, urlEnd }: PlainEntry): boolean {
    const words = this.#originWords;
    const { length } = this.origin;
    if (length === 0 || urlEnd - urlStart < length) return false;
    // From the end: hosts differ at their beginning, but the slash is nearly always elsewhere.
    let at = urlStart + length - 4;
    for (let index = words.length - 1; index >= 0; index--) {
      if (view.getInt32(at, true) !== words[index]) return false;
      at = urlStart + 4 * (index - 1);
    }
    return true;
  }

  /** Reads the path and the query; returns whether they are ordinary. */
  #readPath({ bytes, view, urlStart, urlEnd }: PlainEntry): boolean {
    const bits = SIGN_BITS;
    const start = urlStart + this.origin.length;
    let signs = bits[SLASH]!;
    // Four bytes at a time. The last four overlap with those before, which may be some of the host: its dots do no
    // harm.
    for (let at = start; at < urlEnd; at += 4) {
      const place = Math.min(at, urlEnd - 4);
      const word = view.getInt32(place, true);
      const four =
        bits[word & 255]! | bits[(word >>> 8) & 255]! | bits[(word >>> 16) & 255]! | bits[word >>> 24]!;
      signs |= four;
      if ((four & PLACED_SIGNS) !== 0 && !arePlaced(bytes, place, urlEnd)) return false;
    }
    this.signs = signs;
    return (signs & ~ORDINARY_SIGNS) === 0;
  }
}

/** Whether the slashes, dots and percent signs among four bytes are where they are in ordinary URLs. */
function arePlaced(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < start + 4; at++) {
    const byte = bytes[at]!;
    if (byte !== DOT && byte !== PERCENT && byte !== SLASH) continue;
    if (bytes[at - 1] === SLASH) return false;
    if (byte === PERCENT && !(at + 2 < end && isHex(bytes[at + 1]!) && isHex(bytes[at + 2]!))) return false;
  }
  return true;
}

function wordsOf(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: Math.ceil(bytes.length / 4) }, (_, index) =>
    view.getInt32(Math.min(4 * index, bytes.length - 4), true),
  );
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
