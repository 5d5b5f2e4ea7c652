/** The problems of the structure of an XML document that is not as it should be. */
import type { ProblemList } from '../../problems/problem-list.ts';
import { reportTextProblems } from '../formats/text-problems.ts';
import type { Value } from './value.ts';

/** How deep tags may be nested before that is a problem. */
export const MAX_DEPTH = 256;

/** The problems of one document's structure, each in its words. */
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

  /** What is wrong with a value, if anything. */
  value(value: Value): void {
    if (value.overflowed) {
      this.#add('value-too-long', 'A value of more than 64 KiB was truncated there.', value.offset);
    }
    reportTextProblems(value.decoding, this.#problems, value.offset);
  }

  truncated(isInEntry: boolean, offset: number): void {
    const what = isInEntry
      ? 'inside an entry, which was dropped unless its address was complete'
      : 'before its root was closed';
    this.#add('truncated', `The document ends ${what}; what came before was kept.`, offset);
  }

  /** Something the scanner had to put right. */
  ofScanner(code: string, message: string, offset: number): void {
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

  #add(code: string, message: string, offset: number): void {
    this.#problems.add(code, message, offset);
  }

  #addOnce(code: string, message: string, offset: number): void {
    this.#problems.addOnce(code, message, offset);
  }
}
