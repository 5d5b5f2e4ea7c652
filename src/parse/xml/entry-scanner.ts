/**
 * What all XML formats have in common: a root, entries in it, groups and values in those.
 *
 * This is where structure is recovered. Tags that a format does not know are transparent: they open and
 * close nothing, and their text belongs to the value around them. So a missing, stray or misspelt tag can
 * spoil its own value, its entry at most. A known tag says by itself where it belongs:
 *
 * - a start tag ends what it cannot be inside of, as the table in entry-format.ts says;
 * - an end tag ends all that is open down to its own start tag; without one it is ignored.
 *
 * The format only sees whole values, groups and entries, in order.
 */
import type { ParseProblemCode } from '../../problems/catalogue.ts';
import type { EndHandler, StartHandler, ValueHandler } from '../listener.ts';
import type { FormatParser } from '../model/item.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { reportTextProblems } from '../reported-values.ts';
import { asciiString } from '../values/text.ts';
import { Attributes, isSpace } from './attributes.ts';
import type { EntryFormat, Prolog, TagSet } from './entry-format.ts';
import { Effect, OpenRole } from './entry-format.ts';
import { nameNumber, type RawTag } from './raw-tags.ts';
import { Content, DOCTYPE_SKIPPED, Scanner, type ScannerHandler, TagEnd } from './scanner.ts';
import { MAX_DEPTH, OpenTags, type ReportStructure, Roots, structureReporter } from './structure.ts';
import { Names } from './tag-names.ts';
import { Value } from './value.ts';

export class EntryScanner implements ScannerHandler, FormatParser {
  readonly isConfirmed = true;
  readonly #format: EntryFormat;
  readonly #tags: TagSet;
  readonly #document: ParsedDocument;
  /** Listener callbacks, indexed by tag number. */
  readonly #starts: readonly (StartHandler | undefined)[];
  readonly #values: readonly (ValueHandler | undefined)[];
  readonly #ends: readonly (EndHandler | undefined)[];
  readonly #report: ReportStructure;
  readonly #prolog: Prolog;
  readonly #scanner: Scanner;
  readonly #names: Names;
  readonly #roots: Roots;
  readonly #open: OpenTags;
  readonly #value: Value;
  /** The text that is in the entry itself, outside of its tags. */
  readonly #ownText: Value;
  /** How many tags were opened since the entry began. */
  #tagsInEntry = 0;
  #entryDepth = 0;
  /** The name of the first root, as {@link nameNumber} has it. */
  #rootName: number | undefined;
  /** Whether the last tag is the closing tag of a root. */
  #isBehindRootEnd = false;
  #truncated = false;
  /** How many entries of the other kind there were, and where the first is. */
  #otherEntries = 0;
  #otherEntryOffset = 0;

  constructor(format: EntryFormat, document: ParsedDocument, prolog: Prolog) {
    this.#document = document;
    this.#format = format;
    this.#tags = format.tags;
    this.#report = structureReporter(document.problems);
    this.#roots = new Roots(this.#report);
    this.#prolog = prolog;
    this.#open = new OpenTags(prolog.hasRoot ? 1 : 0);
    this.#names = new Names(format.tags.numbers, format.home, document.problems);
    this.#scanner = new Scanner(this, new Attributes(), prolog.rootOffset);
    const { listener } = document;
    const { names } = format.tags;
    this.#starts = names.map((name) => listener?.startTag?.(name));
    this.#values = names.map((name) => listener?.value?.(name));
    this.#ends = names.map((name) => listener?.endTag?.(name));
    this.#value = new Value(prolog.hasDoctype);
    this.#value.isKept = document.wantsPages;
    this.#ownText = new Value(prolog.hasDoctype);
  }

  /** Whether the document ended too early; known once it {@link end}ed. */
  get truncated(): boolean {
    return this.#truncated;
  }

  write(chunk: Uint8Array): void {
    this.#scanner.write(chunk);
  }

  end(): void {
    const open = this.#open;
    const insideToken = this.#scanner.end();
    const offset = this.#scanner.offsetOf(0);
    const rootOpen = this.#prolog.hasRoot && this.#roots.place === 'inside';
    // What ends with the end of its root is all there, whatever was not closed before: what keeps documents unparsed
    // looks at their last bytes for the same.
    if (this.#isBehindRootEnd && !insideToken && (open.isInEntry || rootOpen)) {
      this.#report('unclosed-tag', offset);
      this.#endAll(offset);
      this.#roots.place = 'after';
    }
    // An entry that a loc began has no end tag to wait for.
    if (open.isInLocEntry && open.role !== OpenRole.value && !insideToken) this.#endAll(offset);
    if (
      open.isInEntry ||
      (rootOpen && this.#roots.place === 'inside') ||
      (insideToken && this.#roots.place !== 'after')
    ) {
      this.#truncated = true;
      const outcome = this.#format.keepsCutEntry === true ? 'kept' : 'dropped';
      const where = open.isInEntry ? `inside an entry, which was ${outcome}` : 'before its root was closed';
      const message = `The document ends ${where}; what came before was kept.`;
      this.#document.problems.add('truncated', message, offset);
    }
    if (open.isInEntry) this.#format.cutEntry(offset);
    if (this.#otherEntries > 0) this.#reportOtherEntries();
  }

  #reportOtherEntries(): void {
    const count = this.#otherEntries;
    const [are, were] = count === 1 ? ['entry is', 'was'] : ['entries are', 'were'];
    const kind = 'of the other kind (sitemaps in a urlset, or pages in an index)';
    const message = `${count} ${are} ${kind} and ${were} not followed.`;
    this.#document.problems.add('other-entry-kind', message, this.#otherEntryOffset);
  }

  #reportText(value: Value): void {
    reportTextProblems(value.decoding, this.#document.problems, value.offset);
  }

  // Scanner events

  openTag(nameStart: number, nameEnd: number, how: TagEnd, start: number, end: number, raw?: RawTag): void {
    const scanner = this.#scanner;
    const offset = scanner.offsetOf(start);
    this.#tagsInEntry++;
    this.#isBehindRootEnd = false;
    if (scanner.attributes.count > 0) this.#names.declare(scanner.attributes, this.#open.depth);
    if (this.#roots.place === 'before' && this.#prolog.hasRoot) {
      this.#firstRoot(nameStart, nameEnd, how, offset, raw);
      return;
    }
    const tag = this.#meaning(nameStart, nameEnd, offset, raw);
    if (tag === 0) {
      this.#openUnknown(nameStart, nameEnd, how, start, end, raw);
      return;
    }
    // Pages have no such tag: the tag that declared their namespace was never closed.
    if (this.#names.isInWebPage && !this.#names.isInPages(this.#tags.names[tag]!))
      this.#redeclare(() => this.#names.leaveWebPage());
    const isEmpty = how === TagEnd.selfClosing;
    const effect = this.#tags.effects[tag]![this.#open.role]!;
    if (effect === Effect.begin || this.#makeRoom(effect, tag, offset)) {
      this.#begin(tag, isEmpty, offset);
    }
    if (isEmpty) this.#names.leave(this.#open.depth);
    else this.#descend(nameStart, nameEnd, offset, raw);
  }

  closeTag(nameStart: number, nameEnd: number, raw?: RawTag): void {
    const open = this.#open;
    const offset = this.#scanner.offsetOf(nameStart - 2);
    const tag = this.#meaning(nameStart, nameEnd, offset, raw);
    this.#isBehindRootEnd = false;
    if (tag !== 0 && tag === open.tag && !open.hasInner) this.#closeInnermost(offset);
    else if (open.role === OpenRole.script) {
      if (this.#isScript(nameStart, nameEnd)) this.#closeInnermost(offset);
    } else this.#closeByName(this.#nameOf(nameStart, nameEnd, raw), tag, offset);
  }

  element(raw: RawTag, at: number, start: number, end: number, content: Content): boolean {
    const { role } = this.#open;
    // Only where a value begins inside of what is open, and nothing is reported of that.
    if ((role !== OpenRole.entry && role !== OpenRole.group) || this.#names.isInWebPage) return false;
    const scanner = this.#scanner;
    const { attributes } = scanner;
    if (attributes.count > 0 && attributes.declareNamespaces) return false;
    const offset = scanner.offsetOf(at);
    const tag = this.#meaning(at + 1, at + raw.length - 1, offset, raw);
    if (tag === 0) {
      // Transparent, and its text means nothing, unless it may be the address of the entry.
      if (role === OpenRole.entry && this.#format.locTag !== 0) return false;
      this.#tagsInEntry++;
      this.#hearUnknown(at + 1, at + raw.length - 1, offset);
      if (this.#open.depth >= MAX_DEPTH) this.#report('nesting-too-deep', offset);
      return true;
    }
    if (this.#tags.roles[tag] !== 'value') return false;
    this.#tagsInEntry++;
    if (this.#open.depth >= MAX_DEPTH) this.#report('nesting-too-deep', offset);
    this.#value.beginWhole(offset, scanner.bytes, scanner.view, start, end, scanner.offsetOf(0), content);
    this.#value.level = this.#open.depth - this.#entryDepth - 1;
    this.#starts[tag]?.(offset, attributes);
    if (attributes.count > 0) this.#format.attributes?.(tag, attributes, offset);
    this.#endValue(tag);
    return true;
  }

  get ignoresSpace(): boolean {
    return this.#open.role !== OpenRole.value && this.#ownText.isEmpty;
  }

  readOn(at: number): number {
    // Only between entries of the root, where nothing is open that what follows could belong to.
    if (this.#open.role !== OpenRole.nothing || this.#roots.place !== 'inside') return at;
    if (this.#open.depth + 2 > MAX_DEPTH || !this.#names.isHomeUnprefixed) return at;
    const next = this.#format.plainEntries?.(this.#scanner, at) ?? at;
    if (next !== at) this.#isBehindRootEnd = false;
    return next;
  }

  text(start: number, end: number): void {
    this.#addText(Content.text, start, end);
  }

  cdata(start: number, end: number): void {
    this.#addText(Content.cdata, start, end);
  }

  doctype(start: number): void {
    this.#document.problems.addOnce('doctype', DOCTYPE_SKIPPED, this.#scanner.offsetOf(start));
  }

  problem(code: ParseProblemCode, message: string, start: number): void {
    this.#document.problems.add(code, message, this.#scanner.offsetOf(start));
  }

  /** The number of the format's tag that a name means, or 0. */
  #meaning(nameStart: number, nameEnd: number, offset: number, raw: RawTag | undefined): number {
    const names = this.#names;
    if (raw === undefined) return names.find(this.#scanner.bytes, nameStart, nameEnd, offset);
    if (raw.scope !== names.scope) {
      raw.meaning = names.find(this.#scanner.bytes, nameStart, nameEnd, offset);
      raw.scope = names.scope;
    }
    return raw.meaning;
  }

  // Its namespace does not matter: detection has found it to be the root.
  #firstRoot(nameStart: number, nameEnd: number, how: TagEnd, offset: number, raw: RawTag | undefined): void {
    const name = asciiString(this.#scanner.bytes, nameStart, nameEnd);
    this.#document.listener?.root?.(name, offset, this.#scanner.attributes.list());
    this.#format.root?.(this.#scanner.attributes);
    this.#names.enterRoot(name, offset);
    this.#roots.openFirst(how === TagEnd.selfClosing);
    this.#rootName = this.#nameOf(nameStart, nameEnd, raw);
    this.#descend(nameStart, nameEnd, offset, raw);
  }

  #nameOf(nameStart: number, nameEnd: number, raw: RawTag | undefined): number {
    return raw?.name ?? nameNumber(this.#scanner.bytes, nameStart, nameEnd);
  }

  /** Forgets the namespaces of what has just ended. */
  #leave(): void {
    this.#names.leave(this.#open.depth);
  }

  /** The namespaces of a start tag were taken in as if it were inside of what it ends. */
  #redeclare(end: () => void): void {
    const { attributes } = this.#scanner;
    if (attributes.count > 0) this.#leave();
    end();
    this.#leave();
    if (attributes.count > 0) this.#names.declare(attributes, this.#open.depth);
  }

  // Start tags

  /** Ends what a start tag ends; returns whether the tag then begins something. */
  #makeRoom(effect: Effect, tag: number, offset: number): boolean {
    switch (effect) {
      case Effect.beginLocEntry:
        if (tag !== this.#format.locTag || (this.#roots.place === 'after' && !this.#roots.hasEntriesAfter))
          return false;
        // After the root, `entry-without-root` was reported already.
        if (this.#roots.place !== 'after') this.#report('loc-outside-entry', offset);
        this.#beginEntry(OpenRole.locEntry, 0);
        return true;
      case Effect.endValue:
        if (tag === this.#open.tag && this.#value.isBlank) {
          this.#document.problems.add(
            'unclosed-tag',
            'A tag is inside a tag of the same name; both were read as one.',
            offset,
          );
          return false;
        }
        this.#report('unclosed-tag', offset);
        this.#redeclare(() => this.#endInnermost(offset));
        return true;
      case Effect.endEntryOrWrap:
        if (this.#value.isBlank) return false;
        this.#redeclare(() => this.#finishEntry(offset));
        return true;
      case Effect.endEntry:
        this.#redeclare(() => this.#finishEntry(offset));
        return true;
      default:
        return false;
    }
  }

  #begin(tag: number, isEmpty: boolean, offset: number): void {
    switch (this.#tags.roles[tag]) {
      case 'value':
        this.#open.push(OpenRole.value, tag);
        this.#value.begin(offset);
        this.#value.level = this.#open.depth - this.#entryDepth - 1;
        break;
      case 'root':
        if (this.#roots.place === 'after')
          this.#redeclare(() => {
            this.#open.depth = 0;
          });
        this.#roots.open(isEmpty, offset);
        return;
      case 'other-entry':
        if (this.#roots.place !== 'inside') this.#report('entry-without-root', offset);
        if (this.#otherEntries++ === 0) this.#otherEntryOffset = offset;
        if (!isEmpty) this.#open.push(OpenRole.otherEntry, tag);
        return;
      case 'entry':
        if (this.#roots.place !== 'inside') this.#roots.entryOutside(offset);
        this.#beginEntry(OpenRole.entry, tag);
        break;
      case 'group':
        if (this.#open.has(tag)) {
          this.#report('unclosed-tag', offset);
          this.#redeclare(() => {
            while (this.#open.has(tag)) this.#endInnermost(offset);
          });
        }
        this.#open.push(OpenRole.group, tag);
        this.#format.startGroup?.(tag);
        break;
    }
    const { attributes } = this.#scanner;
    this.#starts[tag]?.(offset, attributes);
    if (attributes.count > 0) this.#format.attributes?.(tag, attributes, offset);
    if (isEmpty && this.#open.tag === tag) this.#endInnermost(offset);
  }

  #beginEntry(role: OpenRole, tag: number): void {
    this.#open.push(role, tag);
    this.#entryDepth = this.#open.depth;
    this.#tagsInEntry = 0;
    this.#format.startEntry();
  }

  // End tags

  #closeInnermost(offset: number): void {
    const { role } = this.#open;
    this.#endInnermost(offset);
    this.#leave();
    if (role === OpenRole.group) this.#leaveTag();
  }

  /** Tells the format that a tag of the entry was closed. */
  #leaveTag(): void {
    if (this.#open.isInEntry) this.#format.leaveTag?.(this.#open.depth - this.#entryDepth - 1);
  }

  /** A closing tag that is not the one that was due: it closes the last tag of its name, and what is inside of that. */
  #closeByName(name: number, tag: number, offset: number): void {
    const open = this.#open;
    const role = this.#tags.roles[tag];
    this.#isBehindRootEnd = role === 'root' || name === this.#rootName;
    const openTag = tag !== 0 && open.has(tag) ? tag : 0;
    if (openTag === 0 && open.isAroundLocEntry(name) && open.innerNamed(name) === -1)
      this.#endInnermost(offset);
    const deep = openTag === 0 && role !== 'root' ? open.takeDeep(name) : -1;
    const inner = deep === -1 && role !== 'root' ? open.innerNamed(name) : deep;
    if (inner !== -1) {
      this.#closeInner(inner, offset);
      return;
    }
    // By its name, where a namespace that was declared inside of it hides what it means.
    const closed = openTag === 0 ? open.tagNamed(name) : openTag;
    if (closed !== 0) this.#closeKnown(closed, offset);
    else if (this.#isBehindRootEnd) this.#closeRoot(name, offset);
    else if (tag !== 0 || this.#roots.place !== 'after' || open.isInEntry)
      this.#report('mis-nested-tag', offset);
    else this.#junk(offset);
  }

  /** Closes a tag without a role. */
  #closeInner(depth: number, offset: number): void {
    // `<loc>https://<your-host>/</loc>`: the value is not what was written, so that is a problem.
    if (depth < this.#open.depth - 1) this.#report('unclosed-tag', offset);
    this.#open.depth = depth;
    this.#leave();
    this.#leaveTag();
  }

  #closeKnown(tag: number, offset: number): void {
    const open = this.#open;
    this.#report('unclosed-tag', offset);
    while (open.tag !== tag) this.#endInnermost(offset);
    this.#closeInnermost(offset);
  }

  #closeRoot(name: number, offset: number): void {
    const open = this.#open;
    this.#finishEntry(offset);
    const closed = this.#roots.close(offset);
    const inner = closed === 'nested' ? open.innerNamed(name) : -1;
    if (inner !== -1) this.#closeInner(inner, offset);
    if (closed !== 'last') return;
    // What the root declares holds behind it, too: entries there are read like those before.
    if (open.depth > 1) this.#report('unclosed-tag', offset);
    open.depth = 1;
    this.#leave();
  }

  /** Ends the entry that is open because something else begins. */
  #finishEntry(offset: number): void {
    if (this.#open.isInEntry && !this.#open.isInLocEntry) this.#report('unclosed-tag', offset);
    this.#endAll(offset);
  }

  #endAll(offset: number): void {
    while (this.#open.role !== OpenRole.nothing) this.#endInnermost(offset);
  }

  #endInnermost(offset: number): void {
    const { role, tag } = this.#open;
    this.#open.pop();
    switch (role) {
      case OpenRole.value:
        this.#endValue(tag);
        break;
      case OpenRole.group:
        this.#format.endGroup?.(tag, offset);
        this.#ends[tag]?.(offset);
        break;
      case OpenRole.entry:
      case OpenRole.locEntry:
        this.#endEntry(offset);
        if (tag !== 0) this.#ends[tag]?.(offset);
        break;
    }
  }

  #endValue(tag: number): void {
    const value = this.#value;
    // Reported first, so that listeners know that later problems of this value follow from the cut.
    if (value.overflowed) this.#report('value-too-long', value.offset);
    this.#values[tag]?.(value);
    this.#format.value(tag, value);
    if (value.decoding.problems !== 0) this.#reportText(value);
  }

  #endEntry(offset: number): void {
    const isTextless = this.#ownText.isEmpty;
    if (!isTextless) {
      if (this.#ownText.overflowed) this.#report('value-too-long', this.#ownText.offset);
      this.#format.ownText?.(this.#ownText);
      this.#reportText(this.#ownText);
      this.#ownText.begin(offset);
    }
    // Browsers save `<url></url><loc>…</loc>` behind an early end of the root: the loc is the entry then.
    if (this.#roots.place === 'after' && this.#tagsInEntry === 0 && isTextless) this.#format.cutEntry(offset);
    else this.#format.endEntry(offset);
  }

  // Text and unknown tags

  #addText(content: Content, start: number, end: number): void {
    const { bytes } = this.#scanner;
    const offset = this.#scanner.offsetOf(start);
    const { role } = this.#open;
    if (role === OpenRole.value) {
      this.#value.add(content, bytes, start, end, offset);
      return;
    }
    let at = start;
    while (at < end && isSpace(bytes[at]!)) at++;
    if (at === end && this.#ownText.isEmpty) return;
    if ((role === OpenRole.entry || role === OpenRole.locEntry) && this.#format.locTag !== 0)
      this.#ownText.add(content, bytes, start, end, offset);
    else if (this.#roots.place === 'after' && !this.#open.isInEntry) this.#junk(offset + at - start);
  }

  #openUnknown(
    nameStart: number,
    nameEnd: number,
    how: TagEnd,
    start: number,
    end: number,
    raw: RawTag | undefined,
  ): void {
    const offset = this.#scanner.offsetOf(start);
    if (how === TagEnd.cutShort) {
      // `a<b c</loc>`: what looked like a tag was text, and declared no namespace.
      this.#leave();
      this.text(start, end);
      return;
    }
    if (this.#open.isInEntry && this.#open.role !== OpenRole.value)
      this.#hearUnknown(nameStart, nameEnd, offset);
    if (this.#roots.place === 'after' && !this.#open.isInEntry) {
      this.#junk(offset);
      // What a script behind the root contains is not an entry.
      if (this.#open.role !== OpenRole.script && this.#isScript(nameStart, nameEnd))
        this.#open.push(OpenRole.script, 0);
    }
    if (how === TagEnd.selfClosing) this.#leave();
    else this.#descend(nameStart, nameEnd, offset, raw);
  }

  #hearUnknown(nameStart: number, nameEnd: number, offset: number): void {
    const { listener } = this.#document;
    if (listener?.unknownTag === undefined) return;
    listener.unknownTag(
      asciiString(this.#scanner.bytes, nameStart, Math.min(nameEnd, nameStart + 64)),
      offset,
    );
  }

  #isScript(nameStart: number, nameEnd: number): boolean {
    return (
      asciiString(this.#scanner.bytes, nameStart, Math.min(nameEnd, nameStart + 7)).toLowerCase() === 'script'
    );
  }

  #descend(nameStart: number, nameEnd: number, offset: number, raw: RawTag | undefined): void {
    this.#open.descend(this.#nameOf(nameStart, nameEnd, raw));
    if (this.#open.depth > MAX_DEPTH) this.#report('nesting-too-deep', offset);
  }

  #junk(offset: number): void {
    if (!this.#prolog.isInsideHtml) this.#report('junk-after-root', offset);
  }
}
