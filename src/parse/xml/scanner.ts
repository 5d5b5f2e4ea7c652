/**
 * A tolerant, streaming scanner of XML over UTF-8 bytes: chunks in, events out, never throws.
 *
 * It follows the tokens of XML 1.0 (tags, CDATA sections, comments, processing instructions, DOCTYPE) and
 * departs from them only where a document is not well-formed anyway:
 *
 * - `<` that no name, `/`, `!` or `?` follows is text.
 * - A tag ends at its `>`, or just before a `<` that starts another token, even inside a quoted value:
 *   XML allows no `<` there, so only a tag that lost its `>` or its quote can contain one.
 * - `<?xml …` and `<?xml-stylesheet …` end at `?>`, at `>`, or before the next `<`. Other processing
 *   instructions may contain anything up to `?>`, but no more than 64 KiB.
 * - A DOCTYPE is skipped, its internal subset included, and never interpreted.
 *
 * It works in linear time on any input, however it is cut: a token that a chunk ends within is carried
 * over, and the search for its end goes on where it stopped. What it carries is bounded: text and CDATA
 * are handed on in pieces, comments and instructions are dropped as they pass, and a tag over 64 KiB is
 * truncated there. Names are not interpreted here; see tag-names.ts.
 *
 * Nearly every value of every document is one element that holds nothing but text. Such an element is
 * handed on in one piece. Whatever a chunk cuts, whatever is nested, long or unusual is handed on by the events of its
 * parts, from the same place.
 */
import { notPlainBits } from '../values/text.ts';
import type { Attributes } from './attributes.ts';
import { firstByte, isSpace } from './attributes.ts';
import { type RawTag, type RawTags, rawTags } from './raw-tags.ts';

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
  /** A run of text, entities not decoded; one text may come in several runs. */
  text(start: number, end: number): void;
  /** A run of the inside of a CDATA section. */
  cdata(start: number, end: number): void;
  doctype(start: number): void;
  /** Something the scanner had to put right. */
  problem(
    code: 'literal-less-than' | 'tag-cut-short' | 'value-too-long',
    message: string,
    start: number,
  ): void;
  /** The chunk is done: {@link Scanner.bytes} is about to change. */
  chunkEnd(): void;
}

/** What handlers say of a DOCTYPE. */
export const DOCTYPE_SKIPPED = 'A DOCTYPE was skipped; its entities are never expanded.';

/** How much of a value, a tag or an instruction is looked at. */
export const MAX_VALUE_BYTES: number = 64 * 1024;

/** As a word of four bytes. */
export const FOUR_SPACES = 0x20202020;

const NOTHING = new Uint8Array(0);
const NO_VIEW = new DataView(NOTHING.buffer);
const LF = 0x0a;
const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const EQUALS = 0x3d;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const DASH = 0x2d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

const COMMENT_START = bytesOf('<!--');
const CDATA_START = bytesOf('<![CDATA[');
const DOCTYPE_START = bytesOf('<!DOCTYPE');

const State = {
  text: 0,
  tag: 1,
  tagOverflow: 2,
  comment: 3,
  cdata: 4,
  declaration: 5,
  instruction: 6,
  doctype: 7,
  bogus: 8,
} as const;
type State = (typeof State)[keyof typeof State];

/** Scans one document; see the head of this file. */
export class Scanner {
  /** What is being scanned: the carried bytes and the chunk behind them. */
  bytes: Uint8Array = NOTHING;
  /** The same bytes, to be read by words. */
  view: DataView = NO_VIEW;
  readonly attributes: Attributes;
  readonly #handler: ScannerHandler;
  /** The offset in the document of `bytes[0]`. */
  #base: number;
  #state: State = State.text;
  /** Where the search for a carried token's end goes on, from the token's start. */
  #resume = 0;
  #quote = 0;
  #afterEquals = false;
  /** How much of the token was dropped as it passed. */
  #passed = 0;
  #declarationOffset = 0;
  #inSubset = false;
  #inSubsetComment = false;
  /** The last three bytes inside a DOCTYPE, as one number: its comments are told by them. */
  #recent = 0;
  /** Where carried bytes live, so that callers may use their chunks again. */
  #storage: Uint8Array = NOTHING;
  /** Where in the storage the carried bytes begin. */
  #carriedFrom = 0;
  /** Where the handler takes whole elements. */
  readonly #rawTags: RawTags | undefined;
  #lastTag: RawTag | undefined;
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

  /** For {@link ScannerHandler.readOn}: it is asked again when the next chunk is here, and nothing is scanned before. */
  waitForMore(): void {
    this.#isWaiting = true;
  }

  write(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#append(chunk);
    const kept = this.#run(false);
    this.#handler.chunkEnd();
    this.#keepFrom(kept);
  }

  /** Ends the document; returns whether it ended inside a token. */
  end(): boolean {
    const kept = this.#run(true);
    const cut = this.#state !== State.text || kept < this.bytes.length;
    this.#handler.chunkEnd();
    this.#keepFrom(this.bytes.length);
    this.#release();
    return cut;
  }

  // A parser that is kept must not keep its document.
  #release(): void {
    this.view = NO_VIEW;
    this.#storage = NOTHING;
    this.attributes.release();
  }

  // Chunks are scanned where they are; only behind a carried token is one copied, into storage that
  // doubles, so that a token fed byte by byte is not copied again for each byte.
  #append(chunk: Uint8Array): void {
    const carried = this.bytes;
    if (carried.length === 0) {
      this.bytes = chunk;
      return;
    }
    const length = carried.length + chunk.length;
    if (this.#carriedFrom + length > this.#storage.length) {
      const roomy =
        length <= this.#storage.length ? this.#storage : new Uint8Array(Math.max(length * 2, 1024));
      roomy.set(carried);
      this.#storage = roomy;
      this.#carriedFrom = 0;
    }
    this.#storage.set(chunk, this.#carriedFrom + carried.length);
    this.bytes = this.#storage.subarray(this.#carriedFrom, this.#carriedFrom + length);
  }

  #keepFrom(place: number): void {
    this.#base += place;
    const kept = this.bytes.subarray(place);
    if (kept.length === 0) {
      this.bytes = NOTHING;
    } else if (kept.buffer === this.#storage.buffer) {
      this.#carriedFrom += place;
      this.bytes = kept;
    } else {
      if (this.#storage.length < kept.length) this.#storage = new Uint8Array(Math.max(kept.length * 2, 1024));
      this.#storage.set(kept);
      this.#carriedFrom = 0;
      this.bytes = this.#storage.subarray(0, kept.length);
    }
  }

  /** Scans as far as it can; returns from where bytes must be kept. */
  #run(final: boolean): number {
    const bytes = this.bytes;
    const end = bytes.length;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, end);
    this.attributes.base = this.#base;
    let at = this.#isWaiting ? this.#readOn(0, final) : 0;
    while (at < end && !this.#isWaiting) {
      const next = this.#step(bytes, at, end, final);
      if (next === -1) return at;
      at = next;
    }
    return at;
  }

  /** One token or piece of one from `at`; returns where the next begins, or -1 where more bytes are needed. */
  #step(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    switch (this.#state) {
      case State.text:
        return this.#text(bytes, at, end, final);
      case State.tag:
        return this.#tag(bytes, at, end);
      case State.tagOverflow:
        return this.#tagOverflow(bytes, at, end);
      case State.comment:
        return this.#comment(bytes, at, end, final);
      case State.cdata:
        return this.#cdata(bytes, at, end, final);
      case State.declaration:
        return this.#declaration(bytes, at, end, final);
      case State.instruction:
        return this.#instruction(bytes, at, end, final);
      case State.doctype:
        return this.#doctype(bytes, at, end);
      case State.bogus:
        return this.#bogus(bytes, at, end);
    }
  }

  #text(bytes: Uint8Array, from: number, end: number, final: boolean): number {
    const { view } = this;
    const handler = this.#handler;
    let at = from;
    // The loop of the whole parser: text, `<`, name, `>`, over and over, without leaving this function.
    for (;;) {
      let lt = skipSpace(bytes, view, at, end);
      const isSpaceOnly = lt < end && bytes[lt] === LT;
      if (!isSpaceOnly) lt = indexOfLt(bytes, view, lt, end);
      if (lt > at && !(isSpaceOnly && handler.ignoresSpace === true)) handler.text(at, lt);
      if (lt === end) return end;
      if (lt + 1 === end) {
        if (!final) return this.#waitAt(lt, from);
        handler.text(lt, end);
        return end;
      }
      const guess = this.#lastTag?.next;
      if (guess !== undefined && lt + guess.length < end && guess.isAt(view, lt)) {
        const next = this.#rawTag(bytes, lt, end, guess, final);
        if (next !== -1) {
          at = next;
          if (at === end || this.#isWaiting) return at;
          continue;
        }
      }
      const first = bytes[lt + 1]!;
      const closing = first === SLASH;
      if (!closing && !isNameStart(first)) {
        if (first === BANG || first === QUESTION) return this.#markup(bytes, lt, end, final, first, from);
        handler.problem('literal-less-than', 'A "<" that starts no tag was read as text.', lt);
        handler.text(lt, lt + 1);
        at = lt + 1;
        continue;
      }
      const nameStart = closing ? lt + 2 : lt + 1;
      let nameEnd = nameStart;
      while (nameEnd < end && bytes[nameEnd]! > 0x20 && !endsName(bytes[nameEnd]!)) nameEnd++;
      const tag = nameEnd < end ? this.#rawTags?.get(bytes, view, lt, nameEnd + 1) : undefined;
      if (tag !== undefined && tag !== guess) {
        if (this.#lastTag !== undefined) this.#lastTag.next = tag;
        const next = this.#rawTag(bytes, lt, end, tag, final);
        if (next !== -1) {
          at = next;
          if (at === end || this.#isWaiting) return at;
          continue;
        }
      }
      this.#lastTag = undefined;
      if (nameEnd < end && bytes[nameEnd] === GT && nameEnd - lt < MAX_VALUE_BYTES) {
        this.attributes.clear();
        at = nameEnd + 1;
        if (closing) {
          handler.closeTag(nameStart, nameEnd);
          at = this.#readOn(at, final);
        } else handler.openTag(nameStart, nameEnd, TagEnd.open, lt, at);
        if (at === end || this.#isWaiting) return at;
        continue;
      }
      this.#state = State.tag;
      this.#resume = nameStart - lt;
      this.#quote = 0;
      this.#afterEquals = false;
      return lt;
    }
  }

  /** Hands on what begins with a tag that was there before; returns where that ends, or -1 where it is unusual. */
  #rawTag(bytes: Uint8Array, lt: number, end: number, tag: RawTag, final: boolean): number {
    const at = lt + tag.length;
    if (tag.hasAttributes) return tag.isEnd ? -1 : this.#tagWithAttributes(bytes, lt, end, tag);
    this.#lastTag = tag;
    this.attributes.clear();
    if (tag.isEnd) {
      this.#handler.closeTag(lt + 2, at - 1, tag);
      return this.#readOn(at, final);
    }
    const behind = this.#element(bytes, lt, at, end, tag);
    if (behind !== -1) return behind;
    this.#handler.openTag(lt + 1, at - 1, TagEnd.open, lt, at, tag);
    return at;
  }

  #tagWithAttributes(bytes: Uint8Array, lt: number, end: number, tag: RawTag): number {
    const nameEnd = lt + tag.length - 1;
    const gt = this.attributes.readWhole(bytes, this.view, nameEnd, Math.min(end, lt + MAX_VALUE_BYTES));
    if (gt === -1) return -1;
    this.#lastTag = tag;
    const how = bytes[gt - 1] === SLASH ? TagEnd.selfClosing : TagEnd.open;
    if (how === TagEnd.open) {
      const behind = this.#element(bytes, lt, gt + 1, end, tag);
      if (behind !== -1) return behind;
    }
    this.#handler.openTag(lt + 1, nameEnd, how, lt, gt, tag);
    return gt + 1;
  }

  /** Hands on an element whose start tag ends at `from`; returns where it ends, or -1 where it is unusual. */
  #element(bytes: Uint8Array, lt: number, from: number, end: number, tag: RawTag): number {
    const { view } = this;
    const limit = Math.min(end, from + MAX_VALUE_BYTES);
    let start = from;
    const found = endOfText(bytes, view, start, limit);
    let content: Content = found < 0 ? Content.text : Content.plain;
    let textEnd = found < 0 ? ~found : found;
    let behind = textEnd;
    if (textEnd === start && isCdataStart(view, start, limit)) {
      content = Content.cdata;
      start += CDATA_START.length;
      textEnd = indexOfCdataEnd(bytes, view, start, limit);
      if (textEnd === -1) return -1;
      behind = textEnd + CDATA_END_LENGTH;
    }
    const endTag = tag.end!;
    if (behind + endTag.length > end || !endTag.isAt(view, behind)) return -1;
    return this.#handler.element?.(tag, lt, start, textEnd, content) === true ? behind + endTag.length : -1;
  }

  #readOn(at: number, final: boolean): number {
    this.#isWaiting = false;
    const next = this.#handler.readOn?.(at) ?? at;
    // Only where something was read before it, so that no byte waits twice.
    if (final || next === at) this.#isWaiting = false;
    return next;
  }

  // `-1` keeps all bytes of this step, which is right only where the step has reported nothing yet.
  #waitAt(place: number, from: number): number {
    return place === from ? -1 : place;
  }

  #markup(bytes: Uint8Array, lt: number, end: number, final: boolean, first: number, from: number): number {
    if (first === BANG) {
      const start = matchStart(bytes, lt, end);
      if (start === undefined && !final) return this.#waitAt(lt, from);
      this.#passed = 0;
      if (start === COMMENT_START) this.#state = State.comment;
      else if (start === CDATA_START) this.#state = State.cdata;
      else if (start === DOCTYPE_START) {
        this.#handler.doctype(lt);
        this.#state = State.doctype;
        this.#quote = 0;
        this.#inSubset = false;
        this.#inSubsetComment = false;
        this.#recent = 0;
      } else {
        this.#state = State.bogus;
        return lt + 2;
      }
      return Math.min(lt + start.length, end);
    }
    // `<?xml ` and `<?xml-stylesheet` are declarations whose shape is known; six bytes tell.
    if (lt + 6 > end && !final) return this.#waitAt(lt, from);
    const isDeclaration =
      lt + 6 <= end &&
      (bytes[lt + 2]! | 0x20) === 0x78 &&
      (bytes[lt + 3]! | 0x20) === 0x6d &&
      (bytes[lt + 4]! | 0x20) === 0x6c &&
      (isSpace(bytes[lt + 5]!) || bytes[lt + 5] === DASH);
    this.#state = isDeclaration ? State.declaration : State.instruction;
    this.#declarationOffset = this.#base + lt;
    this.#passed = 0;
    return lt + 2;
  }

  #tag(bytes: Uint8Array, at: number, end: number): number {
    // Exactly so many bytes, however the input is cut: the result must not depend on that.
    const limit = Math.min(end, at + MAX_VALUE_BYTES);
    const found = this.#findTagEnd(bytes, at + this.#resume, limit);
    if (found !== -1) {
      this.#state = State.text;
      if (bytes[found] === GT) {
        this.#emitTag(bytes, at, found, TagEnd.open);
        return found + 1;
      }
      this.#emitTag(bytes, at, found, TagEnd.cutShort);
      return found;
    }
    const searched = this.#searchedTo(bytes, limit);
    this.#resume = searched - at;
    if (limit - at < MAX_VALUE_BYTES) return -1;
    this.#handler.problem('value-too-long', 'A tag of more than 64 KiB was truncated there.', at);
    this.#emitTag(bytes, at, searched, TagEnd.open);
    this.#state = State.tagOverflow;
    return searched;
  }

  #tagOverflow(bytes: Uint8Array, at: number, end: number): number {
    const found = this.#findTagEnd(bytes, at, end);
    if (found === -1) {
      const searched = this.#searchedTo(bytes, end);
      return searched > at ? searched : -1;
    }
    this.#state = State.text;
    return bytes[found] === GT ? found + 1 : found;
  }

  // Whether a `<` inside a quoted value ends the tag depends on the byte behind it: the last one waits.
  #searchedTo(bytes: Uint8Array, end: number): number {
    return bytes[end - 1] === LT ? end - 1 : end;
  }

  /** The place of the `>` that ends a tag, or of the `<` that cuts it short; -1 where it is not here yet. */
  #findTagEnd(bytes: Uint8Array, from: number, end: number): number {
    let quote = this.#quote;
    let afterEquals = this.#afterEquals;
    let at = from;
    let found = -1;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === LT) {
        if (quote === 0) {
          found = at;
          break;
        }
        if (at + 1 < end && startsToken(bytes[at + 1]!)) {
          found = at;
          break;
        }
      } else if (quote !== 0) {
        if (byte === quote) quote = 0;
      } else if (byte === GT) {
        found = at;
        break;
      } else if (byte === EQUALS) {
        afterEquals = true;
      } else if (afterEquals && !isSpace(byte)) {
        afterEquals = false;
        if (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE) quote = byte;
      }
    }
    this.#quote = quote;
    this.#afterEquals = afterEquals;
    return found;
  }

  #emitTag(bytes: Uint8Array, start: number, end: number, how: TagEnd): void {
    const closing = bytes[start + 1] === SLASH;
    const nameStart = start + (closing ? 2 : 1);
    let nameEnd = nameStart;
    while (nameEnd < end && bytes[nameEnd]! > 0x20 && !endsName(bytes[nameEnd]!)) nameEnd++;
    if (closing) {
      if (how === TagEnd.cutShort) this.#cutShort(start);
      this.#handler.closeTag(nameStart, nameEnd);
      return;
    }
    this.attributes.read(bytes, nameEnd, end);
    if (how === TagEnd.open && end > nameEnd && bytes[end - 1] === SLASH) {
      this.#handler.openTag(nameStart, nameEnd, TagEnd.selfClosing, start, end);
      return;
    }
    if (how === TagEnd.cutShort) this.#cutShort(start);
    this.#handler.openTag(nameStart, nameEnd, how, start, end);
  }

  #cutShort(start: number): void {
    this.#handler.problem('tag-cut-short', 'A tag without its ">" was ended by the next "<".', start);
  }

  #comment(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    const gt = indexOfEnd(bytes, at, DASH);
    if (gt === -1) return dropAllBut2(at, end, final);
    this.#state = State.text;
    return gt + 1;
  }

  #cdata(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    const gt = indexOfEnd(bytes, at, BRACKET_CLOSE);
    const next = gt === -1 ? dropAllBut2(at, end, final) : gt + 1;
    const last = gt === -1 ? next : gt - 2;
    if (last > at) this.#handler.cdata(at, last);
    if (gt !== -1) this.#state = State.text;
    return next;
  }

  #declaration(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    for (let place = at; place < end; place++) {
      const byte = bytes[place];
      if (byte !== GT && byte !== LT) continue;
      this.#state = State.text;
      const proper = byte === GT && bytes[place - 1] === QUESTION && place > at;
      if (!proper) {
        const start = this.#declarationOffset - this.#base;
        this.#handler.problem('tag-cut-short', 'A declaration "<?xml" was not ended with "?>".', start);
      }
      return byte === GT ? place + 1 : place;
    }
    return final ? end : dropAllBut1(at, end);
  }

  #instruction(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    const limit = at + MAX_VALUE_BYTES - this.#passed;
    for (let place = at + 1; place < end && place < limit; place++) {
      if (bytes[place] === GT && bytes[place - 1] === QUESTION) {
        this.#state = State.text;
        return place + 1;
      }
    }
    if (limit <= end) return this.#giveUp(limit, 'A processing instruction');
    const next = final ? end : dropAllBut1(at, end);
    if (next !== -1) this.#passed += next - at;
    return next;
  }

  #doctype(bytes: Uint8Array, at: number, end: number): number {
    const limit = at + MAX_VALUE_BYTES - this.#passed;
    for (let place = at; place < end && place < limit; place++) {
      const byte = bytes[place]!;
      this.#recent = ((this.#recent << 8) | byte) & 0xffffff;
      if (this.#inSubsetComment) {
        if (this.#recent === 0x2d2d3e) this.#inSubsetComment = false;
      } else if (this.#inSubset) {
        if (this.#quote !== 0) {
          if (byte === this.#quote) this.#quote = 0;
        } else if (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE) this.#quote = byte;
        else if (byte === BRACKET_CLOSE) this.#inSubset = false;
        else if (this.#recent === 0x212d2d) this.#inSubsetComment = true;
      } else if (byte === BRACKET_OPEN) {
        this.#inSubset = true;
      } else if (byte === GT || byte === LT) {
        this.#state = State.text;
        return byte === GT ? place + 1 : place;
      }
    }
    if (limit <= end) return this.#giveUp(limit, 'A DOCTYPE');
    this.#passed += end - at;
    return end;
  }

  #giveUp(limit: number, what: string): number {
    this.#handler.problem('value-too-long', `${what} of more than 64 KiB was ended there.`, limit);
    this.#state = State.text;
    return limit;
  }

  #bogus(bytes: Uint8Array, at: number, end: number): number {
    for (let place = at; place < end; place++) {
      if (bytes[place] === GT || bytes[place] === LT) {
        this.#state = State.text;
        return bytes[place] === GT ? place + 1 : place;
      }
    }
    return end;
  }
}

/** Where the next `<` is, or `end`. Four bytes at a time. */
export function indexOfLt(bytes: Uint8Array, view: DataView, from: number, end: number): number {
  let at = from;
  for (const last = end - 4; at <= last; at += 4) {
    const word = view.getInt32(at, true) ^ 0x3c3c3c3c;
    const found = (word - 0x01010101) & ~word & 0x80808080;
    if (found !== 0) return at + firstByte(found);
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
    const found = (lt - 0x01010101) & ~lt & 0x80808080;
    if (found !== 0) {
      // Only of the bytes before it.
      notPlain |= bits & ((found & -found) - 1);
      at += firstByte(found);
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

/** Where the `>` of the next `-->` or `]]>` is, or -1. */
function indexOfEnd(bytes: Uint8Array, from: number, mark: number): number {
  let gt = bytes.indexOf(GT, from + 2);
  while (gt !== -1 && (bytes[gt - 1] !== mark || bytes[gt - 2] !== mark)) gt = bytes.indexOf(GT, gt + 1);
  return gt;
}

function dropAllBut1(at: number, end: number): number {
  return end - at > 1 ? end - 1 : -1;
}

function dropAllBut2(at: number, end: number, final: boolean): number {
  if (final) return end;
  return end - at > 2 ? end - 2 : -1;
}

/** Which of `<!--`, `<![CDATA[` and `<!DOCTYPE` is here; undefined while it could still become one. */
function matchStart(bytes: Uint8Array, at: number, end: number): Uint8Array | undefined {
  let open = false;
  for (const start of [COMMENT_START, CDATA_START, DOCTYPE_START]) {
    let matched = 0;
    while (matched < start.length && at + matched < end) {
      const byte = bytes[at + matched]!;
      const wanted = start[matched]!;
      // Only DOCTYPE is written in any case in the wild; the other two are matched as they are.
      if (byte !== wanted && (start !== DOCTYPE_START || (byte & 0xdf) !== wanted)) break;
      matched++;
    }
    if (matched === start.length) return start;
    if (at + matched === end) open = true;
  }
  return open ? undefined : BOGUS_START;
}

const BOGUS_START = bytesOf('<!');

function isNameStart(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte >= 0x80 || byte === 0x5f || byte === 0x3a;
}

function startsToken(byte: number): boolean {
  return isNameStart(byte) || byte === SLASH || byte === BANG || byte === QUESTION;
}

function endsName(byte: number): boolean {
  return byte === GT || byte === SLASH || byte === LT;
}

function bytesOf(ascii: string): Uint8Array {
  return Uint8Array.from(ascii, (character) => character.charCodeAt(0));
}
