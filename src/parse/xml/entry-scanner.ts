/**
 * What all XML formats have in common: a root, entries in it, groups and values in those.
 *
 * This is where structure is recovered. Tags that a format does not know are transparent: they open and
 * close nothing, and their text belongs to the value around them. So a missing, stray or misspelt tag can
 * spoil its own value, its entry at most. A known tag says by itself where it belongs: the start of an
 * entry ends the entry before it, the start of a value ends the value before it.
 *
 * The format only sees whole values, groups and entries, in order.
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import type { FormatParser } from '../model/item.ts';
import { asciiString } from '../values/text.ts';
import { Attributes, isSpace } from './attributes.ts';
import type { EntryFormat, Prolog, TagRole } from './entry-format.ts';
import { Names } from './names.ts';
import { OpenGroups } from './open-groups.ts';
import { Roots } from './roots.ts';
import { Scanner, type ScannerHandler, TagEnd } from './scanner.ts';
import { MAX_DEPTH, StructureProblems } from './structure-problems.ts';
import { Value } from './value.ts';

/** Scans one document from its root on, for one format. */
export class EntryScanner implements ScannerHandler, FormatParser {
  readonly isConfirmed = true;
  readonly #format: EntryFormat;
  readonly #problems: StructureProblems;
  readonly #prolog: Prolog;
  readonly #scanner: Scanner;
  readonly #names: Names;
  readonly #roles: readonly (TagRole | undefined)[];
  readonly #value = new Value();
  readonly #ownText = new Value();
  readonly #roots: Roots;
  readonly #groups: OpenGroups;
  #depth = 0;
  #inEntry = false;
  #entryDepth = 0;
  #isImplicitEntry = false;
  #hasOwnText = false;
  #inOtherEntry = false;
  /** The tag whose value is being collected, or 0. */
  #valueTag = 0;
  /** Entry tags inside a value that is still empty: `<loc><url>…</url></loc>`. */
  #innerTags = 0;
  /** Unknown tags that are open inside the value. */
  #unknownInValue = 0;
  /** What stands in a script behind the root is no entry. */
  #inScript = false;
  #truncated = false;

  constructor(format: EntryFormat, problems: ProblemList, prolog: Prolog) {
    this.#format = format;
    this.#problems = new StructureProblems(problems);
    this.#roots = new Roots(this.#problems);
    this.#groups = new OpenGroups(format);
    this.#prolog = prolog;
    this.#roles = format.tags.roles;
    this.#names = new Names(format.tags.numbers, format.home, problems);
    this.#scanner = new Scanner(this, new Attributes(), prolog.rootOffset);
    this.#value.decoding.dropsUnknownEntities = prolog.hasDoctype;
    this.#ownText.decoding.dropsUnknownEntities = prolog.hasDoctype;
  }

  /** Whether the document ended too early; known once it {@link end}ed. */
  get truncated(): boolean {
    return this.#truncated;
  }

  write(chunk: Uint8Array): void {
    this.#scanner.write(chunk);
  }

  end(): void {
    const insideToken = this.#scanner.end();
    const offset = this.#scanner.offsetOf(0);
    const rootOpen = this.#prolog.hasRoot && this.#roots.isInside;
    // An implicit entry has no end tag to wait for.
    if (this.#inEntry && this.#isImplicitEntry && this.#valueTag === 0 && !insideToken)
      this.#endEntry(offset);
    if (this.#inEntry || rootOpen || (insideToken && !this.#roots.isAfter)) {
      this.#truncated = true;
      this.#problems.truncated(this.#inEntry, offset);
    }
    if (this.#inEntry) this.#format.cutEntry(offset);
    this.#problems.end();
  }

  // Scanner events

  openTag(nameStart: number, nameEnd: number, how: TagEnd, start: number, end: number): void {
    const scanner = this.#scanner;
    const offset = scanner.offsetOf(start);
    const hasAttributes = scanner.attributes.count > 0;
    if (hasAttributes) this.#names.declare(this.#scanner.attributes, this.#depth);
    if (this.#roots.isBefore && this.#prolog.hasRoot) {
      this.#firstRoot(nameStart, nameEnd, how, offset);
      return;
    }
    const tag = this.#names.find(scanner.bytes, nameStart, nameEnd, offset);
    if (tag === 0) {
      this.#openUnknown(nameStart, nameEnd, how, start, end);
      return;
    }
    const isEmpty = how === TagEnd.selfClosing;
    switch (this.#roles[tag]) {
      case 'value':
        this.#openValue(tag, isEmpty, offset, hasAttributes);
        break;
      case 'entry':
      case 'other-entry':
        this.#openEntry(tag, isEmpty, offset, hasAttributes);
        break;
      case 'group':
        this.#openGroup(tag, isEmpty, offset, hasAttributes);
        break;
      case 'empty':
        if (this.#inEntry && hasAttributes) this.#format.attributes(tag, this.#scanner.attributes, offset);
        break;
      case 'root':
        this.#finishEntry(offset);
        this.#roots.open(isEmpty, offset);
        break;
    }
    if (isEmpty) this.#names.leave(this.#depth);
    else this.#descend(offset);
  }

  closeTag(nameStart: number, nameEnd: number): void {
    const offset = this.#scanner.offsetOf(nameStart - 2);
    const tag = this.#names.find(this.#scanner.bytes, nameStart, nameEnd, offset);
    if (tag === 0) this.#closeUnknown(nameStart, nameEnd, offset);
    switch (this.#roles[tag]) {
      case 'value':
        if (this.#valueTag === tag) {
          // `<loc>https://<your-host>/</loc>`: the value is not what was written, so that is said.
          if (this.#unknownInValue > 0) this.#problems.unclosed(offset);
          this.#endValue();
        } else if (this.#inEntry) this.#problems.misNested(offset);
        break;
      case 'entry':
      case 'other-entry':
        this.#closeEntry(tag, offset);
        break;
      case 'group':
        this.#closeGroup(tag, offset);
        break;
      case 'root':
        this.#finishEntry(offset);
        this.#roots.close(offset);
        break;
    }
    if (this.#depth > 0) this.#names.leave(--this.#depth);
  }

  readOn(at: number): number {
    // Only between entries of the root, where nothing is open that what follows could belong to.
    if (this.#inEntry || !this.#roots.isInside || this.#inOtherEntry || this.#inScript) return at;
    if (this.#depth + 2 > MAX_DEPTH || !this.#names.isHomeUnprefixed) return at;
    return this.#format.plainEntries?.(this.#scanner.bytes, this.#scanner.view, at) ?? at;
  }

  text(start: number, end: number): void {
    if (this.#valueTag !== 0) {
      this.#value.addText(this.#scanner.bytes, start, end);
      return;
    }
    this.#textOutside(start, end, false);
  }

  cdata(start: number, end: number): void {
    if (this.#valueTag !== 0) this.#value.addCdata(this.#scanner.bytes, start, end);
    else this.#textOutside(start, end, true);
  }

  doctype(start: number): void {
    this.#problems.doctype(this.#scanner.offsetOf(start));
  }

  oddity(code: string, message: string, start: number): void {
    this.#problems.oddity(code, message, this.#scanner.offsetOf(start));
  }

  chunkEnd(): void {
    this.#value.detach();
    this.#ownText.detach();
  }

  // Whatever namespace it is in: detection has found it to be the root.
  #firstRoot(nameStart: number, nameEnd: number, how: TagEnd, offset: number): void {
    this.#names.enterRoot(asciiString(this.#scanner.bytes, nameStart, nameEnd), offset);
    const isEmpty = how === TagEnd.selfClosing;
    this.#roots.openFirst(isEmpty);
    if (!isEmpty) this.#descend(offset);
  }

  // Entries

  #openEntry(tag: number, isEmpty: boolean, offset: number, hasAttributes: boolean): void {
    if (this.#inScript) return;
    if (this.#valueTag !== 0 && this.#value.isBlank()) {
      if (!isEmpty) this.#innerTags++;
      return;
    }
    if (this.#inEntry) {
      this.#finishEntry(offset);
      // The tag's own namespaces were taken in as if it stood inside the entry that has just ended.
      this.#names.leave(this.#depth);
      if (hasAttributes) this.#names.declare(this.#scanner.attributes, this.#depth);
    }
    this.#inOtherEntry = false;
    if (!this.#roots.isInside) this.#problems.entryWithoutRoot(offset);
    if (this.#roles[tag] === 'other-entry') {
      this.#problems.otherEntry(offset);
      this.#inOtherEntry = !isEmpty;
      return;
    }
    this.#startEntry(offset, false);
    if (hasAttributes) this.#format.attributes(tag, this.#scanner.attributes, offset);
    if (isEmpty) this.#endEntry(offset);
  }

  #startEntry(offset: number, isImplicit: boolean): void {
    this.#inEntry = true;
    this.#isImplicitEntry = isImplicit;
    this.#entryDepth = this.#depth;
    this.#hasOwnText = false;
    this.#format.startEntry(offset);
  }

  #closeEntry(tag: number, offset: number): void {
    if (this.#inScript) return;
    if (this.#valueTag !== 0 && this.#innerTags > 0) {
      this.#innerTags--;
      return;
    }
    if (this.#roles[tag] === 'other-entry') {
      if (this.#inOtherEntry) this.#inOtherEntry = false;
      else this.#problems.misNested(offset);
      return;
    }
    if (!this.#inEntry || this.#isImplicitEntry) {
      this.#problems.misNested(offset);
      return;
    }
    if (this.#valueTag !== 0 || !this.#groups.isEmpty) this.#problems.unclosed(offset);
    this.#endEntry(offset);
    // The entry's own end tag is still to be counted.
    this.#depth++;
  }

  #endEntry(offset: number): void {
    if (this.#valueTag !== 0) this.#endValue();
    this.#groups.end(offset);
    if (this.#hasOwnText) {
      this.#format.ownText(this.#ownText);
      this.#problems.value(this.#ownText);
    }
    this.#inEntry = false;
    this.#format.endEntry(offset);
    // Whatever was left open inside is closed with it, namespaces included.
    this.#depth = this.#entryDepth;
    this.#names.leave(this.#depth + 1);
  }

  /** Ends the entry that is open because something else begins. */
  #finishEntry(offset: number): void {
    this.#inOtherEntry = false;
    if (!this.#inEntry) return;
    if (!this.#isImplicitEntry) this.#problems.unclosed(offset);
    this.#endEntry(offset);
  }

  // Groups

  #openGroup(tag: number, isEmpty: boolean, offset: number, hasAttributes: boolean): void {
    if (!this.#inEntry) return;
    if (this.#valueTag !== 0) {
      this.#problems.unclosed(offset);
      this.#endValue();
    }
    if (this.#groups.has(tag)) {
      this.#problems.unclosed(offset);
      this.#groups.end(offset, tag);
    }
    this.#format.startGroup(tag, offset);
    if (hasAttributes) this.#format.attributes(tag, this.#scanner.attributes, offset);
    if (isEmpty) this.#format.endGroup(tag, offset);
    else this.#groups.open(tag);
  }

  #closeGroup(tag: number, offset: number): void {
    if (!this.#groups.has(tag)) {
      if (this.#inEntry) this.#problems.misNested(offset);
      return;
    }
    if (this.#valueTag !== 0 || !this.#groups.isInnermost(tag)) this.#problems.unclosed(offset);
    if (this.#valueTag !== 0) this.#endValue();
    this.#groups.end(offset, tag);
  }

  // Values

  #openValue(tag: number, isEmpty: boolean, offset: number, hasAttributes: boolean): void {
    if (this.#inOtherEntry) return;
    if (!this.#inEntry) {
      if (tag !== this.#format.locTag || this.#roots.isAfter) return;
      this.#problems.locOutsideEntry(offset);
      this.#startEntry(offset, true);
    } else if (this.#valueTag !== 0) {
      // `<loc><loc>` doubles a tag; anything else was not closed.
      if (this.#valueTag === tag && this.#value.isBlank()) {
        this.#problems.doubledTag(offset);
        return;
      }
      this.#problems.unclosed(offset);
      this.#endValue();
    }
    this.#valueTag = tag;
    this.#innerTags = 0;
    this.#unknownInValue = 0;
    this.#value.begin(offset);
    if (hasAttributes) this.#format.attributes(tag, this.#scanner.attributes, offset);
    if (isEmpty) this.#endValue();
  }

  #endValue(): void {
    const tag = this.#valueTag;
    this.#valueTag = 0;
    this.#format.value(tag, this.#value);
    if (this.#value.overflowed || this.#value.decoding.oddities !== 0) this.#problems.value(this.#value);
  }

  // Text and unknown tags

  #textOutside(start: number, end: number, isCdata: boolean): void {
    const bytes = this.#scanner.bytes;
    let at = start;
    while (at < end && isSpace(bytes[at]!)) at++;
    if (at === end && !(this.#inEntry && this.#hasOwnText)) return;
    if (this.#inEntry) {
      if (!this.#groups.isEmpty || this.#format.locTag === 0) return;
      if (!this.#hasOwnText) {
        this.#hasOwnText = true;
        this.#ownText.begin(this.#scanner.offsetOf(at));
      }
      if (isCdata) this.#ownText.addCdata(bytes, start, end);
      else this.#ownText.addText(bytes, start, end);
    } else if (this.#roots.isAfter) {
      this.#junk(this.#scanner.offsetOf(at));
    }
  }

  #openUnknown(nameStart: number, nameEnd: number, how: TagEnd, start: number, end: number): void {
    const offset = this.#scanner.offsetOf(start);
    if (how === TagEnd.cutShort) {
      // `a<b c</loc>`: what looked like a tag was text.
      this.text(start, end);
      return;
    }
    if (this.#roots.isAfter && !this.#inEntry) {
      this.#junk(offset);
      this.#inScript ||= this.#isScript(nameStart, nameEnd);
    }
    if (how === TagEnd.selfClosing) {
      this.#names.leave(this.#depth);
    } else {
      this.#unknownInValue++;
      this.#descend(offset);
    }
  }

  #closeUnknown(nameStart: number, nameEnd: number, offset: number): void {
    if (this.#inScript && this.#isScript(nameStart, nameEnd)) this.#inScript = false;
    // `<loc>…</lco>`: in a value, what was not opened was misspelt.
    if (this.#valueTag !== 0 && --this.#unknownInValue < 0) {
      this.#unknownInValue = 0;
      this.#problems.misNested(offset);
    }
  }

  #isScript(nameStart: number, nameEnd: number): boolean {
    return (
      asciiString(this.#scanner.bytes, nameStart, Math.min(nameEnd, nameStart + 7)).toLowerCase() === 'script'
    );
  }

  #descend(offset: number): void {
    if (++this.#depth > MAX_DEPTH) this.#problems.tooDeep(offset);
  }

  #junk(offset: number): void {
    if (!this.#prolog.isInsideHtml) this.#problems.junkAfterRoot(offset);
  }
}
