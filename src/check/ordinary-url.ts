/**
 * A URL of which several rules ask the same: whether it is ordinary, its origin, the signs in it. That is found out here
 * once, from its bytes, and without a string for any of millions of URLs.
 */
import { TextBytes } from '../parse/text-bytes.ts';
import { asciiString } from '../parse/values/text.ts';
import { SIGN_BITS, signsOf } from '../robots/robots-rules.ts';
import { isOrdinary, urlKey } from './url-key.ts';
import type { UrlMark } from './url-mark.ts';

const SLASH = 0x2f;
const DOT = 0x2e;
const PERCENT = 0x25;
const QUESTION = 0x3f;

const HIGH_BITS = 0x80808080 | 0;

const QUERY = signsOf('?');

/** The bits of the signs that are in ordinary URLs. */
const ORDINARY_SIGNS = signsOf("_-~!$&'()*+,;=:@?/.%");

/** The bits of those that are not ordinary everywhere. */
const PLACED_SIGNS = signsOf('/.%');

/** How many origins are remembered: those of the languages of a site may be many. */
const MOST_ORIGINS = 16;

interface Origin {
  /** With a slash at the end. */
  readonly text: string;
  /** Its bytes, four at a time; the last four may overlap with those before. */
  readonly words: readonly number[];
}

const NO_ORIGIN: Origin = { text: '', words: [] };

export class OrdinaryUrl {
  /** Whether it is ordinary: see {@link isOrdinary}. */
  isOrdinary = false;
  /**
   * Of an ordinary URL: the bits of the signs in its path and query; where those are short, perhaps a dot or a hyphen
   * too many.
   */
  signs = 0;
  /** For those that are no bytes of a document. */
  readonly #scratch = new TextBytes();
  /** What it is read from: its bytes are those from `start` to `end`. */
  bytes: Uint8Array = this.#scratch.bytes;
  #view: DataView = this.#scratch.view;
  start = 0;
  end = 0;
  #text: string | undefined;
  #origin = NO_ORIGIN;
  readonly #origins: Origin[] = [];
  #next = 0;

  get url(): string {
    return this.#text ?? asciiString(this.bytes, this.start, this.end);
  }

  /** Of an ordinary URL: its origin, with a slash at the end. */
  get origin(): string {
    return this.#origin.text;
  }

  get hasQuery(): boolean {
    return (this.signs & QUERY) !== 0;
  }

  /** Where the path of an ordinary URL begins, among its bytes. */
  get pathStart(): number {
    return this.start + this.origin.length - 1;
  }

  /** Reads bytes, which the view shows too. */
  read(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    this.#text = undefined;
    this.#find(bytes, view, start, end);
  }

  readText(url: string): void {
    const { bytes, view, length } = this.#scratch.take(url);
    this.#text = url;
    this.#find(bytes, view, 0, length);
  }

  #find(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    this.bytes = bytes;
    this.#view = view;
    this.start = start;
    this.end = end;
    this.isOrdinary = (this.#startsWith(this.#origin) || this.#findOrigin()) && this.#readPath();
  }

  /** Takes the fingerprint of an ordinary URL. */
  markWith(mark: UrlMark): void {
    const bytes = this.bytes;
    const start = this.start;
    const query = this.hasQuery ? bytes.indexOf(QUESTION, start) : this.end;
    mark.takeParts(bytes, this.#view, start, this.pathStart, query, this.end);
  }

  #findOrigin(): boolean {
    const known = this.#origins.find((origin) => this.#startsWith(origin));
    if (known !== undefined) {
      this.#origin = known;
      return true;
    }
    const { url } = this;
    if (!isOrdinary(url)) return false;
    const text = url.slice(0, url.indexOf('/', 8) + 1);
    this.#origin = { text, words: wordsOf(new TextEncoder().encode(text)) };
    this.#origins[this.#next++ % MOST_ORIGINS] = this.#origin;
    return true;
  }

  #startsWith({ text, words }: Origin): boolean {
    const { length } = text;
    const start = this.start;
    if (length === 0 || this.end - start < length) return false;
    // From the end: hosts differ at their beginning, but the slash is nearly always elsewhere.
    let at = start + length - 4;
    for (let index = words.length - 1; index >= 0; index--) {
      if (this.#view.getInt32(at, true) !== words[index]) return false;
      at = start + 4 * (index - 1);
    }
    return true;
  }

  /** Reads the path and the query; returns whether they are ordinary. */
  #readPath(): boolean {
    const bits = SIGN_BITS;
    const view = this.#view;
    const end = this.end;
    let signs = bits[SLASH]!;
    let all = 0;
    // Four bytes at a time. The last four overlap with those before, which may be some of the host: its dots do no
    // harm.
    for (let at = this.start + this.origin.length; at < end; at += 4) {
      const place = Math.min(at, end - 4);
      const word = view.getInt32(place, true);
      const four =
        bits[word & 255]! | bits[(word >>> 8) & 255]! | bits[(word >>> 16) & 255]! | bits[word >>> 24]!;
      signs |= four;
      // The high bit of a byte that is not ASCII, a control or a space.
      all |= word | ((word - 0x21212121) & ~word);
      if ((four & PLACED_SIGNS) !== 0 && !arePlaced(this.bytes, place, end)) return false;
    }
    this.signs = signs;
    return (signs & ~ORDINARY_SIGNS) === 0 && (all & HIGH_BITS) === 0;
  }
}

/** What the URL is compared by: see {@link urlKey}. */
export function keyOf({ isOrdinary, url }: OrdinaryUrl): string {
  return isOrdinary ? url : urlKey(url);
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
