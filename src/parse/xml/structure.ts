/**
 * What is open in an XML document, where its roots are, and the problems of a structure that is not as it should be.
 */
import type { ParseProblemCode } from '../../problems/catalogue.ts';
import type { ProblemList } from '../../problems/problem-list.ts';
import { reportTextProblems } from '../reported-values.ts';
import { OpenRole } from './entry-format.ts';
import type { Value } from './value.ts';

/** How deep tags may be nested before that is a problem. */
export const MAX_DEPTH = 256;

export class StructureProblems {
  readonly #problems: ProblemList;
  #otherEntries = 0;
  #otherEntryOffset = 0;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  doctype(offset: number): void {
    this.#addOnce('doctype', 'A DOCTYPE was skipped; its entities are never expanded.', offset);
  }

  nestedRoot(offset: number): void {
    this.#add('nested-root', 'A root is inside the root; its entries are read as the outer one’s.', offset);
  }

  secondRoot(offset: number): void {
    this.#add('second-root', 'A second root follows the first; its entries are read too.', offset);
  }

  junkAfterRoot(offset: number): void {
    this.#addOnce('junk-after-root', 'Something follows the end of the root; it was ignored.', offset);
  }

  entryWithoutRoot(offset: number): void {
    this.#addOnce(
      'entry-without-root',
      'Entries are outside of a root; they were read all the same.',
      offset,
    );
  }

  locOutsideEntry(offset: number): void {
    this.#add('loc-outside-entry', 'A loc is outside of any entry; it was read as one of its own.', offset);
  }

  /** An entry of the other kind; they are counted, and {@link end} reports them. */
  otherEntry(offset: number): void {
    if (this.#otherEntries++ === 0) this.#otherEntryOffset = offset;
  }

  doubledTag(offset: number): void {
    this.#add('unclosed-tag', 'A tag is inside itself; they were read as one.', offset);
  }

  unclosed(offset: number): void {
    this.#add('unclosed-tag', 'A tag was never closed; it was closed where the next one starts.', offset);
  }

  misNested(offset: number): void {
    this.#add('mis-nested-tag', 'A closing tag closes nothing that is open; it was ignored.', offset);
  }

  tooDeep(offset: number): void {
    this.#addOnce('nesting-too-deep', `Tags are nested more than ${MAX_DEPTH} deep.`, offset);
  }

  valueTooLong(offset: number): void {
    this.#add('value-too-long', 'A value of more than 64 KiB was truncated there.', offset);
  }

  text(value: Value): void {
    reportTextProblems(value.decoding, this.#problems, value.offset);
  }

  truncated(isInEntry: boolean, offset: number): void {
    const what = isInEntry
      ? 'inside an entry, which was dropped unless its address was complete'
      : 'before its root was closed';
    this.#add('truncated', `The document ends ${what}; what came before was kept.`, offset);
  }

  /** Something the scanner had to put right. */
  ofScanner(code: ParseProblemCode, message: string, offset: number): void {
    this.#add(code, message, offset);
  }

  end(): void {
    const count = this.#otherEntries;
    if (count === 0) return;
    const [are, were] = count === 1 ? ['entry is', 'was'] : ['entries are', 'were'];
    this.#add(
      'other-entry-kind',
      `${count} ${are} of the other kind (sitemaps in a urlset, or pages in an index) and ${were} not followed.`,
      this.#otherEntryOffset,
    );
  }

  #add(code: ParseProblemCode, message: string, offset: number): void {
    this.#problems.add(code, message, offset);
  }

  #addOnce(code: ParseProblemCode, message: string, offset: number): void {
    this.#problems.addOnce(code, message, offset);
  }
}

/**
 * What is open, outermost first: at most one entry, its groups, and one value. It stays short on any document, since a
 * group that is opened again ends the one before it.
 */
export class OpenTags {
  /** Behind the sentinel in front, which says that nothing is open. */
  readonly #roles: OpenRole[] = [OpenRole.nothing];
  readonly #tags: number[] = [0];
  #last = 0;
  role: OpenRole = OpenRole.nothing;
  /** The number of its tag; 0 where it has none that the format knows. */
  tag = 0;

  get isInEntry(): boolean {
    const outermost = this.#outermost();
    return outermost === OpenRole.entry || outermost === OpenRole.locEntry;
  }

  get isInLocEntry(): boolean {
    return this.#outermost() === OpenRole.locEntry;
  }

  has(tag: number): boolean {
    for (let at = this.#last; at > 0; at--) if (this.#tags[at] === tag) return true;
    return false;
  }

  push(role: OpenRole, tag: number): void {
    this.#last++;
    this.#roles[this.#last] = role;
    this.#tags[this.#last] = tag;
    this.role = role;
    this.tag = tag;
  }

  pop(): void {
    this.#last--;
    this.role = this.#roles[this.#last]!;
    this.tag = this.#tags[this.#last]!;
  }

  #outermost(): OpenRole {
    return this.#last === 0 ? OpenRole.nothing : this.#roles[1]!;
  }
}

const Place = { before: 0, inside: 1, after: 2 } as const;

/**
 * Where a document is: before its root, inside of it, or behind it. There may be more than one, and one inside
 * another.
 */
export class Roots {
  readonly #problems: StructureProblems;
  #place: 0 | 1 | 2 = Place.before;
  #nested = 0;
  #entriesAfter = 0;

  constructor(problems: StructureProblems) {
    this.#problems = problems;
  }

  get isBefore(): boolean {
    return this.#place === Place.before;
  }

  get isInside(): boolean {
    return this.#place === Place.inside;
  }

  /** Whether there were entries behind the root: then their values are read, too. */
  get hasEntriesAfter(): boolean {
    return this.#entriesAfter > 0;
  }

  get isAfter(): boolean {
    return this.#place === Place.after;
  }

  openFirst(isEmpty: boolean): void {
    this.#place = isEmpty ? Place.after : Place.inside;
  }

  open(isEmpty: boolean, offset: number): void {
    if (this.isInside) {
      this.#problems.nestedRoot(offset);
      if (!isEmpty) this.#nested++;
      return;
    }
    this.#problems.secondRoot(offset);
    this.#place = isEmpty ? Place.after : Place.inside;
  }

  /** An entry that is not inside a root. */
  entryOutside(offset: number): void {
    if (this.isAfter) this.#entriesAfter++;
    this.#problems.entryWithoutRoot(offset);
  }

  close(offset: number): void {
    if (this.#nested > 0) this.#nested--;
    else if (this.isInside) this.#place = Place.after;
    else this.#problems.misNested(offset);
  }
}
