/**
 * Collects the content of one element: nearly always one run of text or CDATA, which is only pointed at, and read where
 * it is. Runs with something between them are decoded as they come. A value holds at most 64 KiB.
 */
import { MAX_URL_LENGTH, type ReportedValues } from '../reported-values.ts';
import type { SeenUrls } from '../seen-urls.ts';
import { SPACE } from '../values/byte-codes.ts';
import { parseDigits } from '../values/number.ts';
import {
  asciiString,
  decodeCdata,
  decodeText,
  isPlainText,
  repeatedString,
  TextDecoding,
} from '../values/text.ts';
import { type DateForm, PlainDate } from '../values/w3c-date.ts';
import { isPlainHttpUrl } from '../values/written-url.ts';
import { isSpace } from './attributes.ts';
import { Content, MAX_VALUE_BYTES } from './scanner.ts';

export class Value {
  /** How its text is decoded; its problems add up here, once it is asked for. */
  readonly decoding: TextDecoding = new TextDecoding();
  /** How the runs so far were decoded. */
  readonly #runs = new TextDecoding();
  /** Whether what is made of it is kept by anyone. */
  isKept = true;
  /** How many tags of the entry it is inside of; 0 where it is the entry's own. */
  level = 0;
  /** Where its start tag begins. */
  #tagOffset = 0;
  /** Where its text begins, white space not counted; -1 while there is nothing else. */
  #textOffset = -1;
  /** Whether there was more than 64 KiB of it. */
  overflowed = false;
  /** How the date that {@link time} has read is written: as one of the usual shapes, or in its own words. */
  dateText: string | DateForm = '';
  /** The one run that is all of it, and has not been decoded: `#bytes` from `#start` to `#end`. */
  #isWhole = false;
  #isCdata = false;
  #bytes: Uint8Array = NOTHING;
  #view: DataView = NO_VIEW;
  #start = 0;
  #end = 0;
  /** Whether it is one run of bytes that are their own text; undefined until that is asked. */
  #plain: boolean | undefined = false;
  /** The text that was decoded so far. */
  #decoded = '';
  #length = 0;

  constructor(dropsUnknownEntities: boolean) {
    this.decoding.dropsUnknownEntities = dropsUnknownEntities;
    this.#runs.dropsUnknownEntities = dropsUnknownEntities;
  }

  /** `offset` is where its start tag begins. */
  begin(offset: number): void {
    this.#tagOffset = offset;
    this.#textOffset = -1;
    this.overflowed = false;
    this.decoding.problems = 0;
    this.#runs.problems = 0;
    this.#isWhole = false;
    this.#plain = false;
    if (this.#decoded !== '') this.#decoded = '';
    this.#length = 0;
  }

  /**
   * Begins with all of its content: one run of text or CDATA of at most 64 KiB, from `start` to `end`; `base` is where
   * in the document the bytes begin.
   */
  beginWhole(
    offset: number,
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    base: number,
    content: Content,
  ): void {
    this.begin(offset);
    let from = start;
    while (from < end && isLineSpace(bytes[from]!)) from++;
    let to = end;
    while (to > from && isLineSpace(bytes[to - 1]!)) to--;
    this.#length = end - start;
    this.#isWhole = true;
    this.#isCdata = content === Content.cdata;
    this.#bytes = bytes;
    this.#view = view;
    this.#start = from;
    this.#end = to;
    this.#plain = content === Content.plain ? true : undefined;
    if (from === to) return;
    if (bytes[from]! > SPACE) this.#textOffset = base + from;
    else this.#findText(bytes, from, to, base + from);
  }

  #isPlain(): boolean {
    this.#plain ??= isPlainText(this.#view, this.#start, this.#end);
    return this.#plain;
  }

  /** How long its text is. */
  get textLength(): number {
    return this.#isPlain() ? this.#end - this.#start : this.text().length;
  }

  /** Whether its bytes are an absolute URL that nothing is wrong with. */
  #isPlainUrl(): boolean {
    const start = this.#start;
    const bytes = this.#bytes;
    return this.#isPlain() && this.#end - start <= MAX_URL_LENGTH && isPlainHttpUrl(bytes, start, this.#end);
  }

  /** The URL that it is, to be kept; undefined, with a problem, where it is not one. */
  url(values: ReportedValues): string | undefined {
    if (!this.#isPlainUrl()) return values.url(this.text(), this.offset);
    return values.absolute(this.keptText(), this.offset);
  }

  /** Takes the fingerprint of the URL that its bytes are; returns false where they are not one. */
  markUrl(seen: SeenUrls): boolean {
    return this.#isPlainUrl() && seen.markBytes(this.#bytes, this.#start, this.#end);
  }

  /** The milliseconds since 1970 that it means; NaN, with a problem, where it is not a date. */
  time(values: ReportedValues): number {
    if (this.#isPlain() && DATE.readAny(this.#view, this.#start, this.#end)) {
      this.dateText = DATE.form;
      return DATE.time;
    }
    this.dateText = this.text();
    return values.date(this.dateText, this.offset);
  }

  /** The number that it is, from 0 on; undefined, with a problem, where it is not one. */
  number(name: string, highest: number, values: ReportedValues): number | undefined {
    const digits = this.#isPlain() ? parseDigits(this.#bytes, this.#start, this.#end) : Number.NaN;
    return digits <= highest ? digits : values.number(this.text(), name, highest, this.offset);
  }

  /** Reads a W3C date in one of the usual shapes; returns false where it is not in one. */
  plainDate(date: PlainDate): boolean {
    return this.#isPlain() && date.read(this.#view, this.#start, this.#end);
  }

  /** Its text, where many values have the same. */
  repeatedText(): string {
    return this.#isPlain() ? repeatedString(this.#bytes, this.#start, this.#end) : this.text();
  }

  /** Where its text begins; where it has none, its start tag. */
  get offset(): number {
    return this.#textOffset === -1 ? this.#tagOffset : this.#textOffset;
  }

  /** Whether there is nothing but white space in it so far. */
  get isBlank(): boolean {
    return this.#textOffset === -1;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Adds a run of text, or of the inside of a CDATA section; `offset` is where in the document it begins. */
  add(content: Content, bytes: Uint8Array, start: number, end: number, offset: number): void {
    if (this.#textOffset === -1) this.#findText(bytes, start, end, offset);
    const room = MAX_VALUE_BYTES - this.#length;
    const isCut = end - start > room;
    this.overflowed ||= isCut;
    this.#length += isCut ? room : end - start;
    const last = isCut ? endOfCut(bytes, start, start + room) : end;
    const decode = content === Content.cdata ? decodeCdata : decodeText;
    if (last > start) this.#decoded += decode(bytes, start, last, this.#runs);
  }

  #findText(bytes: Uint8Array, start: number, end: number, offset: number): void {
    let at = start;
    while (at < end && isSpace(bytes[at]!)) at++;
    if (at < end) this.#textOffset = offset + at - start;
  }

  #decode(): void {
    const { decoding } = this;
    if (this.#isWhole) {
      this.#decoded = this.#isCdata
        ? decodeCdata(this.#bytes, this.#start, this.#end, decoding)
        : decodeText(this.#bytes, this.#start, this.#end, decoding, this.#view);
    }
    this.#isWhole = false;
    decoding.problems |= this.#runs.problems;
    this.#decoded = this.#decoded.trim();
  }

  /** The text for a caller that only keeps it: without {@link isKept} it is made only if something may be wrong with it. */
  keptText(): string {
    return this.isKept || !this.#isPlain() ? this.text() : '';
  }

  /** The whole content, decoded, without white space around it.  */
  text(): string {
    if (this.#isPlain()) return asciiString(this.#bytes, this.#start, this.#end);
    if (this.#isWhole || this.#length > 0) this.#decode();
    return this.#decoded;
  }
}

const NOTHING = new Uint8Array(0);
const NO_VIEW = new DataView(NOTHING.buffer);
const DATE = new PlainDate();

/** White space that no problem is reported of. */
function isLineSpace(byte: number): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Where what was cut at a byte ends, without the beginning of a character or of a reference (`&am`). */
function endOfCut(bytes: Uint8Array, start: number, end: number): number {
  if (end === start) return end;
  let last = end - 1;
  while (last > start && end - last < 4 && (bytes[last]! & 0xc0) === 0x80) last--;
  const lead = bytes[last]!;
  const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const whole = last + length > end ? last : end;
  for (let at = whole - 1; at > Math.max(start, whole - LONGEST_REFERENCE) && bytes[at] !== 0x3b; at--) {
    if (bytes[at] === 0x26) return at;
  }
  return whole;
}

const LONGEST_REFERENCE = 34;
