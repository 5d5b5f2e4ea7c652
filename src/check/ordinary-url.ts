/**
 * URLs as rules look at them: which are ordinary, what they are compared by. Of one URL several rules ask the same: that
 * is found out here once, from its bytes, and without a string for any of millions of URLs.
 */
import type { Attributes, PlainEntry, TagAttribute } from '../parse/listener.ts';
import { asciiString, isPlainWord, repeatedString, TextBytes, wordOf } from '../parse/values/text.ts';
import { writePlainDate } from '../parse/values/w3c-date.ts';
import { SIGN_BITS, signsOf } from '../robots/robots-rules.ts';
import { parsedUrl } from '../url.ts';
import { UrlMark } from './url-mark.ts';

// What `new URL` leaves as it is: a lower-case host with a letter in its last part, which is not a number as `0x7f` is,
// no port, no dot segments, no character that it would encode. Some URLs that are ordinary as well fail the test; they
// only take longer.
const HOST = /(?:[a-z0-9-]+\.)*(?!0x)[a-z0-9-]*[a-z][a-z0-9-]*/.source;
const REST = /(?:[\w\-~!$&'()*+,;=:@?]|\/(?![.%/])|(?<!\/)\.|(?<!\/)%[0-9A-Fa-f]{2})*/.source;
const ORDINARY = new RegExp(`^https?://${HOST}/(?!/)${REST}$`);

/** Whether a URL is its own key and has nothing in it that rules about its characters look for, but for a query. */
function isOrdinary(url: string): boolean {
  return ORDINARY.test(url);
}

/**
 * What URLs are compared by: `new URL(url).href` without its fragment. What is not a URL is its own key. The usual URL
 * is found to be ordinary, since this is asked of every URL of a site.
 */
export function urlKey(url: string): string {
  if (isOrdinary(url)) return url;
  const parsed = parsedUrl(url);
  if (parsed === undefined) return url;
  parsed.hash = '';
  return parsed.href;
}

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
    // Not every host with `xn--` is one.
    if (parsedUrl(text) === undefined) return false;
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

const DATE_ONLY = 0;

/**
 * The page of an entry that is written as most are. Rules hear of millions of those: the text of its URL is made only
 * where one of them has something to say.
 */
export class PlainPage extends OrdinaryUrl {
  entry!: PlainEntry;

  take(entry: PlainEntry): void {
    this.entry = entry;
    this.read(entry.bytes, entry.view, entry.urlStart, entry.urlEnd);
  }

  get hasTimeOfDay(): boolean {
    return this.entry.dateForm !== DATE_ONLY;
  }

  get dateText(): string {
    return writePlainDate(this.entry.time, this.entry.dateForm);
  }
}

const AMPERSAND = signsOf('&');
const [HREF, LANG] = [wordOf('href'), wordOf('lang')];
const [ALTE, RNAT, LETTER_E] = [wordOf('alte'), wordOf('rnat'), 0x65];
const REL = wordOf('rel=');

/**
 * An `xhtml:link`, of which two rules ask nearly the same. Most are written alike, with a language and an ordinary URL:
 * those are read from their bytes.
 */
export class AlternateLink extends OrdinaryUrl {
  /** Whether it has nothing but `rel="alternate"`, a language and an ordinary URL, each once. */
  isPlain = false;
  /** Its language, as written; undefined where it is not an alternate, but a link for another device for instance. */
  code: string | undefined;
  /** Where that is written. */
  codeOffset = 0;
  /** Of one that is not plain: its address, as written. */
  href = '';
  /** Of a plain one: the fingerprint of its URL. */
  readonly mark: UrlMark = new UrlMark();

  take(attributes: Attributes): void {
    this.isPlain = attributes.view !== undefined && this.#readPlain(attributes, attributes.view);
    if (this.isPlain) this.markWith(this.mark);
    else this.#readList(attributes.list());
  }

  /** The key of the page that it names as an alternate; undefined where it names none. */
  key(base: string | undefined): string | undefined {
    if (this.isPlain) return this.url;
    if (!this.code || this.href === '') return undefined;
    if (/^https?:/.test(this.href)) return urlKey(this.href);
    const whole = parsedUrl(this.href, base);
    return whole === undefined ? undefined : urlKey(whole.href);
  }

  /** The parser reads attributes in whatever case, too. */
  #readList(attributes: readonly TagAttribute[]): void {
    this.code = undefined;
    this.href = '';
    let rel = '';
    for (const { name, value, offset } of attributes) {
      const text = value.trim();
      switch (name.toLowerCase()) {
        case 'rel':
          rel = text.toLowerCase();
          break;
        case 'hreflang':
          this.code = text;
          this.codeOffset = offset;
          break;
        case 'href':
          this.href = text;
          break;
      }
    }
    if (rel !== 'alternate') this.code = undefined;
  }

  #readPlain(attributes: Attributes, view: DataView): boolean {
    if (attributes.count !== 3) return false;
    const { bytes } = attributes;
    let hrefStart = 0;
    let hrefEnd = 0;
    let codeStart = 0;
    let codeEnd = 0;
    let hasRel = false;
    for (let at = 0; at < 12; at += 4) {
      const name = attributes.edge(at);
      const start = attributes.edge(at + 2);
      const end = attributes.edge(at + 3);
      // Their names differ in their lengths, so three of them are one of each.
      switch (attributes.edge(at + 1) - name) {
        case 3:
          if (view.getInt32(name, true) !== REL || !isAlternate(view, start, end)) return false;
          hasRel = true;
          break;
        case 4:
          if (view.getInt32(name, true) !== HREF) return false;
          hrefStart = start;
          hrefEnd = end;
          break;
        case 8:
          if (view.getInt32(name, true) !== HREF || view.getInt32(name + 4, true) !== LANG) return false;
          codeStart = start;
          codeEnd = end;
          break;
        default:
          return false;
      }
    }
    if (!hasRel || codeStart === codeEnd || !isPlainWord(bytes, codeStart, codeEnd)) return false;
    this.read(bytes, view, hrefStart, hrefEnd);
    if (!this.isOrdinary || (this.signs & AMPERSAND) !== 0) return false;
    this.code = repeatedString(bytes, codeStart, codeEnd);
    this.codeOffset = attributes.base + codeStart;
    return true;
  }
}

function isAlternate(view: DataView, start: number, end: number): boolean {
  return (
    end - start === 9 &&
    view.getInt32(start, true) === ALTE &&
    view.getInt32(start + 4, true) === RNAT &&
    view.getUint8(start + 8) === LETTER_E
  );
}
