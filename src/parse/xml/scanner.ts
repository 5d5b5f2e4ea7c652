/**
 * A tolerant, streaming scanner of XML over UTF-8 bytes: chunks in, events out, never throws.
 *
 * It follows the tokens of XML 1.0 (tags, CDATA sections, comments, processing instructions, DOCTYPE) and departs from
 * them only where a document is not well-formed anyway:
 *
 * - `<` that no name, `/`, `!` or `?` follows is text.
 * - A tag ends at its `>`, or just before a `<` that starts another token, even inside a quoted value:
 *   XML allows no `<` there, so only a tag that lost its `>` or its quote can contain one.
 * - `<?xml …` and `<?xml-stylesheet …` end at `?>`, or at a `>` or before a `<` outside of their quotes. Other
 *   processing instructions may contain anything up to `?>`, but no more than 64 KiB.
 * - A DOCTYPE is skipped, its internal subset included, and never interpreted. One that does not end within 64 KiB ends
 *   before the first tag of a known root.
 *
 * Nothing is resumed in its middle: a token that is not all there waits, so what a document means cannot depend on how
 * it is cut. See window.ts. What waits is bounded: text and CDATA are handed on, and tags are truncated, at 64 KiB, and
 * comments are dropped as they pass. Names are not interpreted here; see tag-names.ts.
 *
 * Nearly every value of every document is one element that holds nothing but text. Such an element is handed on in one
 * piece. Whatever is nested, long or unusual is handed on by the events of its parts.
 */

import {
  BANG,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  DASH,
  DOUBLE_QUOTE,
  EQUALS,
  GT,
  LF,
  LT,
  QUESTION,
  SINGLE_QUOTE,
  SLASH,
} from '../values/byte-codes.ts';
import { asciiString, latin1String, notPlainBits } from '../values/text.ts';
import { Window } from '../window.ts';
import { type Attributes, firstByte, isSpace } from './attributes.ts';
import { isLocName, type RawTag, type RawTags, rawTags } from './raw-tags.ts';

export const TagEnd = { open: 0, selfClosing: 1, cutShort: 2 } as const;
export type TagEnd = (typeof TagEnd)[keyof typeof TagEnd];

/** What is known of the content of an element: `plain` are bytes that are their own text. */
export const Content = { text: 0, plain: 1, cdata: 2 } as const;
export type Content = (typeof Content)[keyof typeof Content];

/** What a scanner reports to. Ranges are into {@link Scanner.bytes} and hold only during the call. */
export interface ScannerHandler {
  /** A start tag from `<` at `start` to `end`; its attributes are in {@link Scanner.attributes}. */
  openTag(nameStart: number, nameEnd: number, how: TagEnd, start: number, end: number, tag?: RawTag): void;
  closeTag(nameStart: number, nameEnd: number, tag?: RawTag): void;
  /**
   * An element from `at` on, whose content is text or one CDATA section, from `start` to `end`, in one piece; its
   * attributes are in {@link Scanner.attributes}. Returns false where its parts are to be reported instead.
   */
  element?(tag: RawTag, at: number, start: number, end: number, content: Content): boolean;
  /** Whether white space between two tags has no meaning now. */
  readonly ignoresSpace?: boolean;
  /** Asked behind an end tag: where to go on, which is `at` unless the handler has read by itself what is there. */
  readOn?(at: number): number;
  /** A run of text up to the next `<`, entities not decoded; one of more than 64 KiB comes in several. */
  text(start: number, end: number): void;
  /** The inside of a CDATA section, or the first 64 KiB of it and one byte more. */
  cdata(start: number, end: number): void;
  doctype(start: number): void;
  /** Something the scanner had to put right. */
  problem(
    code: 'literal-less-than' | 'tag-cut-short' | 'value-too-long',
    message: string,
    start: number,
  ): void;
}

/** What handlers say of a DOCTYPE. */
export const DOCTYPE_SKIPPED = 'A DOCTYPE was skipped; its entities are never expanded.';

/** How much of a value, a tag or an instruction is looked at. */
export const MAX_VALUE_BYTES: number = 64 * 1024;

/** A run of so many bytes fills every value, and shows that there is more. */
const TOO_LONG = MAX_VALUE_BYTES + 1;

/** As a word of four bytes. */
export const FOUR_SPACES = 0x20202020;

const NOTHING = new Uint8Array(0);
const NO_VIEW = new DataView(NOTHING.buffer);

const COMMENT_START = '<!--';
const CDATA_START = '<![CDATA[';
const DOCTYPE_START = '<!DOCTYPE';
const BOGUS_START = '<!';

/** Scans one document; see the head of this file. */
export class Scanner {
  /** What is being scanned: the carried bytes and the chunk behind them. */
  bytes: Uint8Array = NOTHING;
  /** The bytes as words of 32 bits. */
  view: DataView = NO_VIEW;
  readonly attributes: Attributes;
  readonly #handler: ScannerHandler;
  /** The offset in the document of `bytes[0]`. */
  #base: number;
  /**
   * What is being skipped, by the byte that marks its end: `-` is a comment, `]` the rest of a CDATA section, `>` what
   * ends at a `>` or before a `<`; 0 is nothing.
   */
  #skipTo = 0;
  readonly #window = new Window();
  /** Where the handler takes whole elements. */
  readonly #rawTags: RawTags | undefined;
  #lastTag: RawTag | undefined;
  /** Whether the last tag, however it was read, is the start tag of a `loc`. */
  #isInLoc = false;
  /** Whether a DOCTYPE had no end. */
  #hasOpenDoctype = false;
  /** Whether the handler is to read on from where the carried bytes begin. */
  #isWaiting = false;

  /** `offset` is where in the document the first chunk begins. */
  constructor(handler: ScannerHandler, attributes: Attributes, offset = 0) {
    this.#handler = handler;
    this.attributes = attributes;
    this.#base = offset;
    this.#rawTags = handler.element === undefined ? undefined : rawTags();
  }

  /** Where in the document a place in {@link bytes} is. */
  offsetOf(place: number): number {
    return this.#base + place;
  }

  /** For {@link ScannerHandler.readOn}: it is asked again with the next chunk, and nothing is scanned before. */
  waitForMore(): void {
    this.#isWaiting = true;
  }

  write(chunk: Uint8Array): void {
    if (this.#window.add(chunk)) this.#keepFrom(this.#run(false));
  }

  /** Ends the document; returns whether it ended inside a token. */
  end(): boolean {
    const place = this.#run(true);
    const { length } = this.bytes;
    this.#keepFrom(length);
    return this.#skipTo !== 0 || place < length;
  }

  #keepFrom(place: number): void {
    this.#base += place;
    this.#window.keepFrom(place);
  }

  /** Scans as far as it can; returns from where bytes must be kept. */
  #run(final: boolean): number {
    const { bytes } = this.#window;
    const end = bytes.length;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, end);
    this.attributes.base = this.#base;
    let at = this.#isWaiting ? this.#readOn(0, final) : 0;
    for (;;) {
      if (this.#skipTo !== 0) at = this.#skip(bytes, at, end);
      if (this.#skipTo !== 0) return at;
      at = this.#tokens(bytes, at, end, final);
      if (this.#skipTo === 0) return at;
    }
  }

  /** The loop of the whole parser: text, `<`, name, `>`; returns where something begins that is not all there. */
  #tokens(bytes: Uint8Array, from: number, end: number, final: boolean): number {
    const { view } = this;
    const handler = this.#handler;
    let at = from;
    while (at < end && !this.#isWaiting) {
      let lt = skipSpace(bytes, view, at, end);
      const isSpaceOnly = lt < end && bytes[lt] === LT;
      if (!isSpaceOnly) {
        lt = indexOfLt(bytes, view, lt, Math.min(end, Math.max(lt, at + TOO_LONG)));
        if (lt === end && lt - at < TOO_LONG && !final) return at;
      }
      if (lt > at && !(isSpaceOnly && handler.ignoresSpace === true)) handler.text(at, lt);
      at = lt;
      if (at === end || bytes[at] !== LT) continue;
      const guess = this.#lastTag?.next;
      const isGuess = guess !== undefined && at + guess.length < end && guess.isAt(view, at);
      const next = isGuess
        ? this.#knownTag(bytes, at, end, guess, final)
        : this.#markup(bytes, at, end, final);
      if (next === -1) return at;
      at = next;
      if (this.#skipTo !== 0) return at;
    }
    return at;
  }

  /** What begins at `lt`; returns where it ends, or -1 where it is not all there. */
  #markup(bytes: Uint8Array, lt: number, end: number, final: boolean): number {
    const first = lt + 1 < end ? bytes[lt + 1]! : 0;
    if (lt + 1 === end && !final) return -1;
    if (first === BANG) return this.#declaration(bytes, lt, end, final);
    if (first === QUESTION) return this.#instruction(bytes, lt, end, final);
    if (first !== SLASH && !isNameStart(first)) {
      // At the very end it is the beginning of something.
      if (lt + 1 < end)
        this.#handler.problem('literal-less-than', 'A "<" that starts no tag was read as text.', lt);
      this.#handler.text(lt, lt + 1);
      return lt + 1;
    }
    const nameEnd = endOfName(bytes, first === SLASH ? lt + 2 : lt + 1, end);
    const tag = nameEnd < end ? this.#rawTags?.get(bytes, this.view, lt, nameEnd + 1) : undefined;
    if (tag === undefined) return this.#anyTag(bytes, lt, end);
    if (this.#lastTag !== undefined) this.#lastTag.next = tag;
    return this.#knownTag(bytes, lt, end, tag, final);
  }

  /** A tag that is remembered, and the element that it begins, if that is all text. */
  #knownTag(bytes: Uint8Array, lt: number, end: number, tag: RawTag, final: boolean): number {
    const nameEnd = lt + tag.length - 1;
    let behind = nameEnd + 1;
    let how: TagEnd = TagEnd.open;
    if (tag.hasAttributes) {
      const limit = Math.min(end, lt + MAX_VALUE_BYTES);
      const gt = tag.isEnd ? -1 : this.attributes.readWhole(bytes, this.view, nameEnd, limit);
      if (gt === -1) return this.#anyTag(bytes, lt, end);
      behind = gt + 1;
      if (bytes[gt - 1] === SLASH) how = TagEnd.selfClosing;
    } else this.attributes.clear();
    if (tag.isEnd) {
      this.#lastTag = tag;
      this.#isInLoc = false;
      this.#handler.closeTag(lt + 2, nameEnd, tag);
      return this.#readOn(behind, final);
    }
    if (how === TagEnd.open) {
      const next = this.#element(bytes, lt, behind, end, tag, final);
      if (next !== lt) return next;
    }
    this.#lastTag = tag;
    this.#isInLoc = tag.isLoc;
    this.#handler.openTag(lt + 1, nameEnd, how, lt, behind, tag);
    return behind;
  }

  /** Hands on an element whose start tag ends at `from`; returns where it ends, `lt` where it is unusual, or -1. */
  #element(bytes: Uint8Array, lt: number, from: number, end: number, tag: RawTag, final: boolean): number {
    const { view } = this;
    const limit = Math.min(end, from + MAX_VALUE_BYTES);
    const unusual = final || limit < end ? lt : -1;
    let start = from;
    const endOfRun = endOfText(bytes, view, start, limit);
    let content: Content = endOfRun < 0 ? Content.text : Content.plain;
    let textEnd = endOfRun < 0 ? ~endOfRun : endOfRun;
    let behind = textEnd;
    if (textEnd === start && isCdataStart(view, start, limit)) {
      content = Content.cdata;
      start += CDATA_START.length;
      textEnd = indexOfCdataEnd(bytes, view, start, limit);
      if (textEnd === -1) return unusual;
      if (tag.isLoc && indexOfLocEnd(bytes, start, textEnd) !== -1) return lt;
      behind = textEnd + CDATA_END_LENGTH;
    }
    const endTag = tag.end!;
    if (behind + endTag.length > end) return unusual;
    if (!endTag.isAt(view, behind)) return lt;
    this.#lastTag = tag;
    if (this.#handler.element?.(tag, lt, start, textEnd, content) !== true) return lt;
    this.#isInLoc = false;
    return behind + endTag.length;
  }

  #readOn(at: number, final: boolean): number {
    this.#isWaiting = false;
    const next = this.#handler.readOn?.(at) ?? at;
    // Only where something was read before it, so that no byte waits twice.
    if (final || next === at) this.#isWaiting = false;
    return next;
  }

  /** A tag that is written in any way, or is not remembered. */
  #anyTag(bytes: Uint8Array, lt: number, end: number): number {
    const limit = Math.min(end, lt + MAX_VALUE_BYTES);
    const tagEnd = findTagEnd(bytes, lt + 1, limit);
    if (tagEnd === -1 && limit - lt < MAX_VALUE_BYTES) return -1;
    this.#lastTag = undefined;
    if (tagEnd === -1) {
      this.#handler.problem('value-too-long', 'A tag of more than 64 KiB was truncated there.', lt);
      this.#skipTo = GT;
      this.#emitTag(bytes, lt, limit, TagEnd.open);
      return limit;
    }
    const isWhole = bytes[tagEnd] === GT;
    if (!isWhole)
      this.#handler.problem('tag-cut-short', 'A tag without its ">" was ended by the next "<".', lt);
    this.#emitTag(bytes, lt, tagEnd, isWhole ? TagEnd.open : TagEnd.cutShort);
    return isWhole ? tagEnd + 1 : tagEnd;
  }

  #emitTag(bytes: Uint8Array, start: number, end: number, how: TagEnd): void {
    const isClosing = bytes[start + 1] === SLASH;
    const nameStart = start + (isClosing ? 2 : 1);
    const nameEnd = endOfName(bytes, nameStart, end);
    this.#isInLoc = !isClosing && isLocName(bytes, nameStart, nameEnd);
    if (isClosing) {
      this.#handler.closeTag(nameStart, nameEnd);
      return;
    }
    this.attributes.read(bytes, nameEnd, end);
    const isEmpty = how === TagEnd.open && end > nameEnd && bytes[end - 1] === SLASH;
    this.#handler.openTag(nameStart, nameEnd, isEmpty ? TagEnd.selfClosing : how, start, end);
  }

  /** What begins with `<!`. */
  #declaration(bytes: Uint8Array, lt: number, end: number, final: boolean): number {
    const start = matchStart(bytes, lt, end);
    if (start === undefined && !final) return -1;
    const from = lt + (start ?? BOGUS_START).length;
    if (start === DOCTYPE_START) return this.#doctype(bytes, lt, from, end, final);
    if (start === CDATA_START) return this.#cdata(bytes, from, end);
    this.#skipTo = start === COMMENT_START ? DASH : GT;
    return from;
  }

  #cdata(bytes: Uint8Array, start: number, end: number): number {
    const limit = start + TOO_LONG;
    // The end of a section may begin below the limit and end behind it.
    const endLimit = limit + CDATA_END_LENGTH - 1;
    const cdataEnd = indexOfCdataEnd(bytes, this.view, start, Math.min(end, endLimit));
    if (this.#isInLoc) {
      // No address has an end tag in it: the section was never closed, and would take the next entries with it.
      const locEnd = indexOfLocEnd(bytes, start, cdataEnd === -1 ? Math.min(end, limit) : cdataEnd);
      if (locEnd !== -1) {
        const message = 'A CDATA section without its "]]>" was ended by </loc>.';
        this.#handler.problem('tag-cut-short', message, start);
        this.#handler.cdata(start, locEnd);
        return locEnd;
      }
    }
    if (cdataEnd === -1 && end < endLimit) return -1;
    const last = cdataEnd === -1 ? limit : cdataEnd;
    if (last > start) this.#handler.cdata(start, last);
    if (cdataEnd === -1) this.#skipTo = BRACKET_CLOSE;
    return cdataEnd === -1 ? last : last + CDATA_END_LENGTH;
  }

  /** What begins with `<?`. `<?xml ` and `<?xml-stylesheet` are declarations whose shape is known; six bytes tell. */
  #instruction(bytes: Uint8Array, lt: number, end: number, final: boolean): number {
    if (lt + 6 > end && !final) return -1;
    const isDeclaration = /^<\?xml[\t-\r -]$/i.test(asciiString(bytes, lt, Math.min(lt + 6, end)));
    const start = lt + 2;
    const limit = start + MAX_VALUE_BYTES;
    let hasLiterals = isDeclaration;
    for (let at = start; at < end && at < limit; at++) {
      const byte = bytes[at];
      if (byte === GT && bytes[at - 1] === QUESTION && at > start) return at + 1;
      if (hasLiterals && (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE)) {
        const close = endOfLiteral(bytes, at, Math.min(end, limit), QUESTION);
        if (close >= 0) at = close;
        else if (close === -1 && end < limit && !final) return -1;
        else hasLiterals = false;
        continue;
      }
      if (!isDeclaration || (byte !== GT && byte !== LT)) continue;
      this.#handler.problem('tag-cut-short', 'A declaration "<?xml" was not ended with "?>".', lt);
      return byte === GT ? at + 1 : at;
    }
    return limit <= end ? this.#giveUp(limit, 'A processing instruction') : -1;
  }

  #doctype(bytes: Uint8Array, lt: number, start: number, end: number, final: boolean): number {
    const limit = start + MAX_VALUE_BYTES;
    const last = Math.min(end, limit);
    let doctypeEnd = this.#hasOpenDoctype
      ? indexOfTagEnd(bytes, start, last)
      : endOfDoctype(bytes, start, last);
    if (doctypeEnd < 0 && !final && end < limit) return -1;
    this.#handler.doctype(lt);
    if (doctypeEnd < 0) {
      // The next one is not searched as far: there may be one every few bytes.
      this.#hasOpenDoctype = true;
      doctypeEnd = indexOfRoot(bytes, start, last);
    }
    // What is not a DOCTYPE at all, as `<!DOCTYPE don't>`.
    if (doctypeEnd < 0 && limit > end) doctypeEnd = indexOfTagEnd(bytes, start, last);
    if (doctypeEnd < 0) return limit <= end ? this.#giveUp(limit, 'A DOCTYPE') : -1;
    return bytes[doctypeEnd] === GT ? doctypeEnd + 1 : doctypeEnd;
  }

  #giveUp(limit: number, what: string): number {
    this.#handler.problem('value-too-long', `${what} of more than 64 KiB was ended there.`, limit);
    return limit;
  }

  /** Goes to the end of what is skipped, or as far as it can. */
  #skip(bytes: Uint8Array, from: number, end: number): number {
    const mark = this.#skipTo;
    const markEnd = mark === GT ? indexOfTagEnd(bytes, from, end) : indexOfEnd(bytes, from, mark);
    if (markEnd === -1) return mark === GT ? end : Math.max(from, end - 2);
    this.#skipTo = 0;
    return bytes[markEnd] === GT ? markEnd + 1 : markEnd;
  }
}

/** The place of the `>` that ends a tag, or of the `<` that cuts it short; -1 where it is not here. */
function findTagEnd(bytes: Uint8Array, from: number, end: number): number {
  let quote = 0;
  let isBehindEquals = false;
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === LT) {
      if (quote === 0 || (at + 1 < end && startsToken(bytes[at + 1]!))) return at;
    } else if (quote !== 0) {
      if (byte === quote) quote = 0;
    } else if (byte === GT) {
      return at;
    } else if (byte === EQUALS) {
      isBehindEquals = true;
    } else if (isBehindEquals && !isSpace(byte)) {
      isBehindEquals = false;
      if (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE) quote = byte;
    }
  }
  return -1;
}

/** Where the `>` of a DOCTYPE that XML allows is, or the `<` that cuts it short; -1 where more is needed. */
function endOfDoctype(bytes: Uint8Array, from: number, end: number): number {
  let isInSubset = false;
  let isInDeclaration = false;
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!;
    const isMarkup = !isInSubset || isInDeclaration;
    if (isMarkup && (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE)) {
      at = endOfLiteral(bytes, at, end, BRACKET_OPEN);
      if (at < 0) return at;
    } else if (isInDeclaration) isInDeclaration = byte !== GT;
    else if (!isInSubset) {
      if (byte === GT || byte === LT) return at;
      isInSubset = byte === BRACKET_OPEN;
    } else if (byte === BRACKET_CLOSE) isInSubset = false;
    else if (byte === LT) {
      const mark = bytes[at + 1] === QUESTION ? QUESTION : bytes[at + 2] === DASH ? DASH : 0;
      isInDeclaration = mark === 0;
      if (mark !== 0)
        at = mark === DASH ? indexOfEnd(bytes, at + 4, DASH) : indexOfMarkedGt(bytes, at + 3, QUESTION);
      if (at === -1 || at >= end) return -1;
    }
  }
  return -1;
}

/**
 * The quote that ends the literal whose quote is at `at`; -1 where more is needed, {@link MALFORMED} where that quote
 * is not followed by white space, `>`, `?` or `other`: then the literal was never closed, and this quote begins
 * another.
 */
function endOfLiteral(bytes: Uint8Array, at: number, end: number, other: number): number {
  const close = bytes.indexOf(bytes[at]!, at + 1);
  if (close === -1 || close + 1 >= end) return -1;
  const next = bytes[close + 1]!;
  const isEnd = isSpace(next) || next === GT || next === QUESTION || next === other;
  return isEnd ? close : MALFORMED;
}

const MALFORMED = -2;

const ROOTS = /<(?:[\w.-]+:)?(?:urlset|sitemapindex|rss|feed|rdf)[\s/>]/i;

/** Where the first tag of a known root is, or -1: there a DOCTYPE ends that has no end of its own. */
function indexOfRoot(bytes: Uint8Array, from: number, end: number): number {
  const rootAt = latin1String(bytes.subarray(from, end)).search(ROOTS);
  return rootAt === -1 ? -1 : from + rootAt;
}

/** Where the next `<` is, or `end`. Four bytes at a time. */
export function indexOfLt(bytes: Uint8Array, view: DataView, from: number, end: number): number {
  let at = from;
  for (const last = end - 4; at <= last; at += 4) {
    const word = view.getInt32(at, true) ^ 0x3c3c3c3c;
    const bits = (word - 0x01010101) & ~word & 0x80808080;
    if (bits !== 0) return at + firstByte(bits);
  }
  while (at < end && bytes[at] !== LT) at++;
  return at;
}

/** Like `indexOfLt`, but `~index` unless all bytes before it are plain text. This saves a second look at them. */
function endOfText(bytes: Uint8Array, view: DataView, from: number, end: number): number {
  let notPlain = 0;
  let at = from;
  for (const last = end - 4; at <= last; at += 4) {
    const word = view.getInt32(at, true);
    const bits = notPlainBits(word);
    const lt = word ^ 0x3c3c3c3c;
    const ltBits = (lt - 0x01010101) & ~lt & 0x80808080;
    if (ltBits !== 0) {
      // Only of the bytes before it.
      notPlain |= bits & ((ltBits & -ltBits) - 1);
      at += firstByte(ltBits);
      return (notPlain & 0x80808080) === 0 ? at : ~at;
    }
    notPlain |= bits;
  }
  while (at < end && bytes[at] !== LT) at++;
  return ~at;
}

/** Where white space ends: nearly always a line end, and spaces in front of the next tag. */
function skipSpace(bytes: Uint8Array, view: DataView, from: number, end: number): number {
  let at = from;
  if (at < end && bytes[at] === LF) at++;
  for (const last = end - 4; at <= last && view.getInt32(at, true) === FOUR_SPACES; ) at += 4;
  while (at < end && isSpace(bytes[at]!)) at++;
  return at;
}

const CDATA_END_LENGTH = 3;

// `<![C`, `DATA`, `[`.
function isCdataStart(view: DataView, at: number, end: number): boolean {
  return (
    at + CDATA_START.length <= end &&
    view.getInt32(at, true) === 0x435b213c &&
    view.getInt32(at + 4, true) === 0x41544144 &&
    view.getUint8(at + 8) === BRACKET_OPEN
  );
}

/** Where the next `]]>` is, or -1. */
function indexOfCdataEnd(bytes: Uint8Array, view: DataView, from: number, end: number): number {
  for (let at = from; ; at++) {
    // Four bytes at a time, as long as none of them is a `]`.
    for (const last = end - 4; at <= last; at += 4) {
      const word = view.getInt32(at, true) ^ 0x5d5d5d5d;
      if (((word - 0x01010101) & ~word & 0x80808080) !== 0) break;
    }
    while (at < end && bytes[at] !== BRACKET_CLOSE) at++;
    if (at + 2 >= end) return -1;
    if (bytes[at + 1] === BRACKET_CLOSE && bytes[at + 2] === GT) return at;
  }
}

/** Where the `</` of the next `</loc`, with or without a prefix, is before `end`; or -1. */
function indexOfLocEnd(bytes: Uint8Array, from: number, end: number): number {
  for (let lt = bytes.indexOf(LT, from); lt !== -1 && lt < end; lt = bytes.indexOf(LT, lt + 1)) {
    if (bytes[lt + 1] !== SLASH) continue;
    const nameEnd = endOfName(bytes, lt + 2, end);
    if (nameEnd < end && isLocName(bytes, lt + 2, nameEnd)) return lt;
  }
  return -1;
}

/** Where the `>` of the next `-->` or `]]>` is, or -1. */
function indexOfEnd(bytes: Uint8Array, from: number, mark: number): number {
  let gt = indexOfMarkedGt(bytes, from + 2, mark);
  while (gt !== -1 && bytes[gt - 2] !== mark) gt = indexOfMarkedGt(bytes, gt + 1, mark);
  return gt;
}

/** Where the next `>` behind a mark is, or -1. */
function indexOfMarkedGt(bytes: Uint8Array, from: number, mark: number): number {
  let gt = bytes.indexOf(GT, from);
  while (gt !== -1 && bytes[gt - 1] !== mark) gt = bytes.indexOf(GT, gt + 1);
  return gt;
}

/** Where the next `>` or `<` is, or -1. */
function indexOfTagEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== GT && bytes[at] !== LT) at++;
  return at === end ? -1 : at;
}

/** Which of `<!--`, `<![CDATA[` and `<!DOCTYPE` is here; undefined while it could still become one. */
function matchStart(bytes: Uint8Array, at: number, end: number): string | undefined {
  const keyword = asciiString(bytes, at, Math.min(end, at + DOCTYPE_START.length));
  for (const start of [COMMENT_START, CDATA_START, DOCTYPE_START]) {
    // Only DOCTYPE is written in any case in the wild; the other two are matched as they are.
    const here = start === DOCTYPE_START ? keyword.toUpperCase() : keyword;
    if (here.startsWith(start)) return start;
    if (start.startsWith(here)) return undefined;
  }
  return BOGUS_START;
}

function isNameStart(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte >= 0x80 || byte === 0x5f || byte === 0x3a;
}

function startsToken(byte: number): boolean {
  return isNameStart(byte) || byte === SLASH || byte === BANG || byte === QUESTION;
}

function endOfName(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at]! > 0x20 && bytes[at] !== GT && bytes[at] !== SLASH && bytes[at] !== LT) at++;
  return at;
}
