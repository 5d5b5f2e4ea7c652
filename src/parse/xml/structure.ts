/**
 * What is open in an XML document, where its roots are, and the problems of a structure that is not as it should be.
 */
import { PARSE_PROBLEMS, type ParseProblemCode } from '../../problems/catalogue.ts';
import type { ProblemList } from '../../problems/problem-list.ts';
import { OpenRole } from './entry-format.ts';

/** How deep tags may be nested before that is a problem. */
export const MAX_DEPTH = 256;

/** What is true of a document, not of a place. */
const ONCE: ReadonlySet<string> = new Set(['entry-without-root', 'junk-after-root', 'nesting-too-deep']);

/** Reports a code with its standard sentence. */
export type ReportStructure = (code: ParseProblemCode, offset: number) => void;

export function structureReporter(problems: ProblemList): ReportStructure {
  return (code, offset) => {
    if (ONCE.has(code)) problems.addOnce(code, PARSE_PROBLEMS[code], offset);
    else problems.add(code, PARSE_PROBLEMS[code], offset);
  };
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

/**
 * Where a document is: before its root, inside of it, or behind it. There may be more than one, and one inside
 * another.
 */
export class Roots {
  readonly #report: ReportStructure;
  place: 'before' | 'inside' | 'after' = 'before';
  #nested = 0;
  #entriesAfter = 0;

  constructor(report: ReportStructure) {
    this.#report = report;
  }

  /** Whether there were entries behind the root: then their values are read, too. */
  get hasEntriesAfter(): boolean {
    return this.#entriesAfter > 0;
  }

  openFirst(isEmpty: boolean): void {
    this.place = isEmpty ? 'after' : 'inside';
  }

  open(isEmpty: boolean, offset: number): void {
    if (this.place === 'inside') {
      this.#report('nested-root', offset);
      if (!isEmpty) this.#nested++;
      return;
    }
    this.#report('second-root', offset);
    this.place = isEmpty ? 'after' : 'inside';
  }

  /** An entry that is not inside a root. */
  entryOutside(offset: number): void {
    if (this.place === 'after') this.#entriesAfter++;
    this.#report('entry-without-root', offset);
  }

  close(offset: number): void {
    if (this.#nested > 0) this.#nested--;
    else if (this.place === 'inside') this.place = 'after';
    else this.#report('mis-nested-tag', offset);
  }
}
