/**
 * Whether a document is well-formed XML 1.0 with namespaces, and where it is not: what an XML parser would refuse.
 *
 * The parser of this library reads on over nearly everything; other programs do not. This reader is as strict as they
 * are. It takes the text as UTF-8 in chunks of any size, in linear time, and keeps no more of it than one tag or
 * DOCTYPE. After a fault it goes on, so that one `&` does not hide the next.
 *
 * Speed: programs write the same tags again and again, with plain text between them. A tag that was there before is
 * compared by words of four bytes, and so is plain text looked at; whatever else there is takes the slow path from the
 * same place.
 */
import { indexOfByte } from '../parse/values/text.ts';
import { type RawTag, RawTags } from '../parse/xml/raw-tags.ts';
import { FOUR_SPACES } from '../parse/xml/scanner.ts';
import {
  AMPERSAND,
  BRACKET,
  isXmlSpace,
  LESS_THAN,
  MORE,
  NAME_CLASS,
  nameEnd,
  PLAIN,
  plainTextEnd,
  skipSpace,
  startsWith,
  TEXT_CLASS,
  textOf,
  type XmlName,
  XmlNames,
} from './xml/characters.ts';
import { excerpt, type FaultCode, inWords, quoted, type ReportFault } from './xml/fault.ts';
import { readCharacter, readComment, readUntil, type SectionContext } from './xml/markup-sections.ts';
import { XmlProlog } from './xml/prolog.ts';
import {
  HeldBytes,
  MOST_LEVELS,
  OpenElements,
  reportCut,
  reportMismatch,
  reportUnfinished,
  type XmlSection,
} from './xml/reader-state.ts';
import { Entities, readReference } from './xml/references.ts';
import {
  AttributeList,
  checkPrefix,
  findTagEnd,
  Prefixes,
  plainAttributesEnd,
  readAttributes,
  type TagContext,
} from './xml/tag.ts';

/** A tag or DOCTYPE that is longer is refused; libxml2 refuses values of more than 10 million bytes. */
const LONGEST_TOKEN = 8 * 1024 * 1024;

const NO_VIEW = new DataView(new ArrayBuffer(0));
const GREATER = 0x3e;
const LESS = 0x3c;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const LINE_FEED = 0x0a;
const BRACKET_BYTE = 0x5d;
/** For what can be skipped whatever prefixes are declared. */
const ANY_SCOPE = 0;
/** The numbers that are kept of what can be skipped, however much is written at once. */
const MOST_SKIPS = 300_000;

type State = 'content' | XmlSection;

/** The tags that were there before, in this document or in others: those of a site are written by one program. */
let knownTags = new RawTags();

/** Reads one document: {@link write} its bytes, then {@link end}. Faults are reported as they are found. */
export class WellFormedReader implements TagContext, SectionContext {
  /** How many bytes of the document are before the first of the bytes that are read now. */
  base = 0;
  readonly entities: Entities;
  readonly prefixes: Prefixes = new Prefixes();
  readonly names: XmlNames = new XmlNames();
  readonly attributes: AttributeList = new AttributeList();
  isFinal = false;
  isAsciiOnly = false;
  readonly #report: ReportFault;
  readonly #elements = new OpenElements();
  /** What is read, to be looked at by words. */
  #view: DataView = NO_VIEW;
  readonly #tags: RawTags;
  /** The last start tag that was read by its words. */
  #lastTag: RawTag | undefined;
  readonly #isFragment: boolean;
  #state: State = 'content';
  /** Nothing more is read: the document cannot be understood from there on. */
  #isOver = false;
  #hasRoot = false;
  /** Whether text outside the root was reported, before and behind it. */
  #reportedBefore = false;
  #reportedBehind = false;
  readonly #held = new HeldBytes();
  readonly #prolog: XmlProlog;
  /**
   * Where what can be skipped begins and ends, and in which scope of the prefixes, in the order of the document; how much
   * of that is of these bytes, and which of them is next.
   */
  readonly #skips: number[] = [];
  #skipsEnd = 0;
  #nextSkip = 0;
  /** The first `]` that is not before the place where it was looked for last. */
  #bracketAt = -1;
  /** What is wrong with the entities that were looked at. */
  readonly #contents: Map<string, string | undefined>;

  /** @param outer - for the content of an entity, which has no root: the reader of its document */
  constructor(report: ReportFault, outer?: WellFormedReader) {
    this.#report = report;
    this.#isFragment = outer !== undefined;
    this.entities = outer?.entities ?? new Entities();
    // Shared, so that each entity is read once, however many others refer to it.
    this.#contents = outer === undefined ? new Map() : outer.#contents;
    this.#prolog = new XmlProlog(this);
    // One document with hundreds of tags must not slow down those after it.
    if (knownTags.isFull) knownTags = new RawTags();
    this.#tags = knownTags;
  }

  readonly fault: ReportFault = (code, worded, at, related) =>
    this.#report(code, worded, this.base + at, related);

  get depth(): number {
    return this.#elements.depth + 1;
  }

  /** The prefixes of an entity's content are those of the place where it is used. */
  #checksPrefixes(): boolean {
    return !this.#isFragment && !this.#prolog.mayDeclarePrefixes;
  }

  leaveSection(): void {
    this.#state = 'content';
  }

  /** Takes in the next bytes of the text, which begins behind a byte order mark. */
  write(chunk: Uint8Array): void {
    if (this.#isOver || chunk.length === 0) return;
    const held = this.#held;
    if (held.length === 0) this.#run(chunk, chunk.length);
    else {
      held.add(chunk);
      if (held.isReady) this.#run(held.bytes, held.length);
    }
    this.#skipsEnd = 0;
    this.#nextSkip = 0;
  }

  /**
   * Elements that are known to be whole and without a fault, from `from` to `to` in the bytes that are written next.
   * Between `before` and `from` there is white space.
   */
  skip(before: number, from: number, to: number): void {
    const last = this.#skipsEnd - 2;
    if (last > 0 && this.#skips[last] === before) this.#skips[last] = to;
    else this.#addSkip(from, to, ANY_SCOPE);
  }

  /** The same of an element without attributes, in which there is nothing but plain text and perhaps `]`. */
  skipElement(tag: RawTag, bytes: Uint8Array, start: number, end: number, base: number): void {
    // Before the root it is not known which prefixes there will be.
    if (this.#elements.depth === 0) return;
    const { scope } = this.prefixes;
    if (tag.soundIn !== scope) {
      const nameTo = start + tag.length - 1;
      if (nameEnd(bytes, start + 1, nameTo) !== nameTo) return;
      if (!this.#isKnown(this.names.at(bytes, start + 1, nameTo))) return;
      tag.soundIn = scope;
    }
    this.#addSkip(base + start, base + end, scope);
  }

  #addSkip(from: number, to: number, scope: number): void {
    const at = this.#skipsEnd;
    if (this.#isOver || at >= MOST_SKIPS) return;
    this.#skips[at] = from;
    this.#skips[at + 1] = to;
    this.#skips[at + 2] = scope;
    this.#skipsEnd = at + 3;
  }

  end(): void {
    if (this.#isOver) return;
    this.isFinal = true;
    this.#run(this.#held.bytes, this.#held.length);
    if (this.#isOver) return;
    this.#isOver = true;
    const state = this.#state;
    if (state !== 'content' || this.#elements.depth > 0) {
      reportUnfinished(this.fault, this.#elements, state === 'content' ? undefined : state, 0);
    } else if (!this.#hasRoot && !this.#isFragment) {
      this.#report('no-root', 'The document has no root element.', 0);
    }
  }

  #run(bytes: Uint8Array, end: number): void {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, end);
    this.#bracketAt = -1;
    let at = 0;
    while (at < end && !this.#isOver) {
      const next = this.#step(bytes, at, end);
      if (next === MORE) break;
      at = next;
    }
    this.#view = NO_VIEW;
    if (this.#isOver) {
      this.#held.clear();
      return;
    }
    this.base += at;
    const rest = end - at;
    this.#held.keep(bytes, at, end);
    if (rest > LONGEST_TOKEN)
      this.#stop('too-long', 'A tag or DOCTYPE of more than 8 MiB starts here: XML parsers refuse it.', 0);
  }

  #step(bytes: Uint8Array, at: number, end: number): number {
    switch (this.#state) {
      case 'content':
        return this.#content(bytes, at, end);
      case 'comment':
        return readComment(this, bytes, at, end);
      case 'cdata':
        return readUntil(this, bytes, at, end, ']]>');
      default:
        return readUntil(this, bytes, at, end, '?>');
    }
  }

  /** Text and tags, up to where something else begins. */
  #content(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    const classes = TEXT_CLASS;
    const view = this.#view;
    while (at < end) {
      if (this.#elements.depth === 0 && !this.#isFragment) {
        at = this.#outside(bytes, at, end);
        if (at === end) return at;
      } else {
        if (bytes[at] === LINE_FEED) at++;
        for (const last = end - 4; at <= last && view.getInt32(at, true) === FOUR_SPACES; ) at += 4;
        while (at < end && classes[bytes[at]!] === PLAIN) at++;
      }
      if (at === end) return at;
      let next: number;
      switch (classes[bytes[at]!]) {
        case LESS_THAN:
          next = this.#nextSkip === this.#skipsEnd ? at : this.#skipped(bytes, at);
          if (next === at) next = this.#knownMarkup(bytes, at, end);
          if (next === MORE) next = this.#markup(bytes, at, end);
          break;
        case AMPERSAND:
          next = readReference(this, bytes, at, end, 'text');
          break;
        case BRACKET:
          next = this.#bracket(bytes, at, end);
          break;
        default:
          next = readCharacter(this, bytes, at, end);
      }
      if (next === MORE) return at === from ? MORE : at;
      at = next;
      if (this.#state !== 'content' || this.#isOver) return at;
    }
    return at;
  }

  /** Where to go on from a tag: behind it and others, where those are known. */
  #skipped(bytes: Uint8Array, at: number): number {
    const skips = this.#skips;
    const end = this.#skipsEnd;
    const offset = this.base + at;
    let next = this.#nextSkip;
    while (next < end && skips[next]! < offset) next += 3;
    this.#nextSkip = next;
    if (next === end || skips[next] !== offset) return at;
    const { depth } = this.#elements;
    if (depth === 0 || depth + 2 > MOST_LEVELS) return at;
    const to = skips[next + 1]! - this.base;
    const scope = skips[next + 2];
    if (scope === ANY_SCOPE) return to;
    return scope === this.prefixes.scope && this.#bracketFrom(bytes, at) >= to ? to : at;
  }

  #bracketFrom(bytes: Uint8Array, at: number): number {
    if (this.#bracketAt < at) {
      const found = indexOfByte(bytes, BRACKET_BYTE, at);
      this.#bracketAt = found === -1 ? bytes.length : found;
    }
    return this.#bracketAt;
  }

  /** White space outside the root; other text there is reported once, and skipped up to the next `<`. */
  #outside(bytes: Uint8Array, from: number, end: number): number {
    let at = skipSpace(bytes, from, end);
    if (at === end || bytes[at] === LESS) return at;
    if (this.#hasRoot) {
      if (!this.#reportedBehind)
        this.fault('junk-after-root', 'Nothing but comments may follow the root element.', at);
      this.#reportedBehind = true;
    } else {
      const what = 'There is text, or a character that cannot be seen, before the root element: remove it.';
      if (!this.#reportedBefore) this.fault('text-before-root', what, at);
      this.#reportedBefore = true;
    }
    at = bytes.indexOf(LESS, at);
    return at === -1 || at > end ? end : at;
  }

  /**
   * Reads a tag that was there before, in the usual way of writing, and the plain text behind it: all of the element,
   * where that has nothing else. Returns where to go on; `MORE` where the tag must be looked at.
   */
  #knownMarkup(bytes: Uint8Array, at: number, end: number): number {
    const elements = this.#elements;
    if (elements.depth === 0 || elements.depth >= MOST_LEVELS) return MORE;
    const view = this.#view;
    const { endTag } = elements;
    if (endTag !== undefined && at + endTag.length <= end && endTag.isAt(view, at)) {
      this.#close();
      return at + endTag.length;
    }
    const tag = this.#knownTag(bytes, at, end);
    if (tag === undefined) return MORE;
    let from = at + tag.length;
    if (tag.hasAttributes) {
      from = plainAttributesEnd(this, bytes, view, from - 1, end);
      if (from === MORE || bytes[from - 2] === SLASH) return from;
    }
    const to = plainTextEnd(bytes, view, from, end);
    const close = tag.end!;
    if (to + close.length <= end && close.isAt(view, to)) return to + close.length;
    elements.push(this.names.at(bytes, at + 1, at + tag.length - 1), this.base + at, close);
    return to;
  }

  /** The start tag at a place; undefined where there is none, or its name must be looked at. */
  #knownTag(bytes: Uint8Array, at: number, end: number): RawTag | undefined {
    const view = this.#view;
    const last = this.#lastTag;
    let tag = last?.next;
    if (tag === undefined || at + tag.length > end || !tag.isAt(view, at)) {
      const to = nameEnd(bytes, at + 1, end);
      tag = to < end ? this.#tags.get(bytes, view, at, to + 1) : undefined;
      if (tag === undefined) return undefined;
      if (last !== undefined) last.next = tag;
    }
    const { scope } = this.prefixes;
    if (tag.scope !== scope) {
      tag.scope = scope;
      tag.meaning = this.#isKnown(this.names.at(bytes, at + 1, at + tag.length - 1)) ? 1 : 0;
    }
    if (tag.meaning === 0) return undefined;
    this.#lastTag = tag;
    return tag;
  }

  /** Whether there is nothing to say about a name, as long as no prefix is declared or forgotten. */
  #isKnown({ isValid, prefix, isQualified }: XmlName): boolean {
    if (!isValid || prefix === undefined || !this.#checksPrefixes()) return isValid;
    return isQualified && this.prefixes.uriOf(prefix) !== undefined;
  }

  #markup(bytes: Uint8Array, at: number, end: number): number {
    if (at + 1 === end && !this.isFinal) return MORE;
    const second = bytes[at + 1];
    if (at + 1 < end) {
      if (second === SLASH) return this.#endTag(bytes, at, end);
      if (NAME_CLASS[second!] === 1 || NAME_CLASS[second!] === 3) return this.#startTag(bytes, at, end);
      if (second === BANG) return this.#declaration(bytes, at, end);
      if (second === QUESTION) return this.#instruction(bytes, at, end);
    }
    this.fault('literal-less-than', 'This "<" must be written as "&lt;".', at);
    return at + 1;
  }

  #startTag(bytes: Uint8Array, at: number, end: number): number {
    const from = at + 1;
    const to = nameEnd(bytes, from, end);
    if (to < end && bytes[to] === GREATER) {
      this.#open(this.names.at(bytes, from, to), at);
      return to + 1;
    }
    const found = findTagEnd(bytes, to, end);
    if (found === undefined) return this.isFinal ? this.#cut(bytes, at, end) : MORE;
    const isEmpty = !found.isCut && bytes[found.at - 1] === SLASH;
    if (!isXmlSpace(bytes[to]) && !(isEmpty && to === found.at - 1) && !(found.isCut && to === found.at)) {
      this.fault(
        'bad-name',
        () => `${quoted(textOf(bytes, to, to + 1))} cannot be in the name of a tag.`,
        to,
      );
    }
    if (this.#elements.depth >= MOST_LEVELS) return this.#tooDeep(at);
    readAttributes(this, bytes, to, isEmpty ? found.at - 1 : found.at);
    if (found.isCut) reportCut(this.fault, textOf(bytes, from, to), at, found);
    this.#open(this.names.at(bytes, from, to), at);
    if (isEmpty) this.#close();
    return found.isCut ? found.at : found.at + 1;
  }

  #open(name: XmlName, at: number): void {
    if (this.#elements.depth >= MOST_LEVELS) {
      this.#tooDeep(at);
      return;
    }
    if (!name.isValid) {
      const message = () => `${quoted(name.text)} is not a name that a tag can have.`;
      this.fault('bad-name', message, at);
    }
    if (name.prefix !== undefined && this.#checksPrefixes()) checkPrefix(this, name, at + 1);
    if (this.#elements.depth === 0 && !this.#isFragment) {
      if (this.#hasRoot) {
        this.fault(
          'second-root',
          `<${excerpt(name.text)}> is a second root element: a document has one.`,
          at,
        );
      }
      this.#hasRoot = true;
    }
    this.#elements.push(name, this.base + at);
  }

  #tooDeep(at: number): number {
    this.#stop(
      'nesting-too-deep',
      `Tags are nested more than ${MOST_LEVELS} deep: XML parsers refuse that.`,
      at,
    );
    return at + 1;
  }

  #close(): void {
    this.#elements.pop();
    this.prefixes.leave(this.#elements.depth);
  }

  #endTag(bytes: Uint8Array, at: number, end: number): number {
    const from = at + 2;
    const to = nameEnd(bytes, from, end);
    const close = skipSpace(bytes, to, end);
    if (close >= end) return this.isFinal ? this.#cut(bytes, at, end) : MORE;
    if (to === from) {
      this.fault('bad-name', 'A closing tag needs a name: </loc>.', at);
      return bytes[close] === GREATER ? close + 1 : close;
    }
    let behind = close + 1;
    if (bytes[close] !== GREATER) {
      const name = textOf(bytes, from, to);
      if (bytes[close] === LESS) {
        this.fault('tag-cut-short', `The closing tag </${name}> has no ">".`, at);
        behind = close;
      } else {
        const found = findTagEnd(bytes, close, end);
        if (found === undefined) return this.isFinal ? this.#cut(bytes, at, end) : MORE;
        this.fault('attribute-syntax', `The closing tag </${name}> can have nothing but its name.`, close);
        behind = found.isCut ? found.at : found.at + 1;
      }
    }
    const elements = this.#elements;
    if (elements.isInnermost(bytes, from, to)) this.#close();
    else {
      const level = reportMismatch(this.fault, elements, textOf(bytes, from, to), at);
      if (level !== -1) while (elements.depth > level) this.#close();
    }
    return behind;
  }

  #cut(bytes: Uint8Array, at: number, end: number): number {
    const tag = quoted(textOf(bytes, at, Math.min(end, at + 100)));
    this.fault('truncated', `The document ends inside the tag ${tag}.`, at);
    return end;
  }

  #declaration(bytes: Uint8Array, at: number, end: number): number {
    if (startsWith(bytes, at, end, '<!--')) {
      this.#state = 'comment';
      return at + 4;
    }
    if (startsWith(bytes, at, end, '<![CDATA[')) {
      if (this.#elements.depth === 0 && !this.#isFragment)
        this.fault('cdata-outside-root', 'CDATA is only allowed inside the root element.', at);
      this.#state = 'cdata';
      return at + 9;
    }
    const isDoctype = startsWith(bytes, at, end, '<!DOCTYPE');
    if (!isDoctype && end - at < 9 && !this.isFinal) return MORE;
    if (!isDoctype) {
      this.fault('literal-less-than', 'This "<!" starts neither a comment nor CDATA.', at);
      return at + 2;
    }
    return this.#prolog.doctype(bytes, at, end, !this.#hasRoot && !this.#isFragment);
  }

  #instruction(bytes: Uint8Array, at: number, end: number): number {
    const prolog = this.#prolog;
    const to = nameEnd(bytes, at + 2, end);
    const isWhole = to < end || this.isFinal;
    if (isWhole && prolog.isDeclaration(bytes, at + 2, to)) return prolog.declaration(bytes, at, end);
    const behind = prolog.instruction(bytes, at, end, this.#hasRoot);
    if (behind !== MORE) this.#state = 'instruction';
    return behind;
  }

  content(name: string, value: string, isInAttribute: boolean): string | undefined {
    if (isInAttribute) return value.includes('<') ? 'it has a "<", which no attribute may have.' : undefined;
    if (!/[<&]/.test(value)) return undefined;
    if (this.#contents.has(name)) return this.#contents.get(name);
    let first: string | undefined;
    const inner = new WellFormedReader((_code, worded) => {
      first ??= inWords(worded);
    }, this);
    this.#contents.set(name, undefined);
    inner.write(new TextEncoder().encode(value));
    inner.end();
    this.#contents.set(name, first);
    return first;
  }

  #bracket(bytes: Uint8Array, at: number, end: number): number {
    if (at + 2 >= end && !this.isFinal && (at + 1 >= end || bytes[at + 1] === 0x5d)) return MORE;
    if (bytes[at + 1] === 0x5d && bytes[at + 2] === GREATER && at + 2 < end) {
      this.fault('cdata-end-in-text', '"]]>" is not allowed in text: write "]]&gt;".', at);
      return at + 3;
    }
    return at + 1;
  }

  #stop(code: FaultCode, message: string, at: number): void {
    this.fault(code, message, at);
    this.#isOver = true;
  }
}
