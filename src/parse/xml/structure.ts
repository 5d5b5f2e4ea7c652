/**
 * What is open in an XML document, where its roots are, and the problems of a structure that is not as it should be.
 */
import { PARSE_PROBLEMS, type ParseProblemCode } from '../../problems/catalogue.ts';
import type { ProblemList } from '../../problems/problem-list.ts';
import { OpenRole } from './entry-format.ts';

/** How deep tags may be nested before that is a problem. */
export const MAX_DEPTH = 256;

/** How many names of open tags are kept: memory, and the work for a closing tag that closes nothing, are bounded. */
const MOST_NAMES = 128;

/** Problems of the whole document, which are reported once. */
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
 * The tags that are open, outermost first. Those that mean something have a role: at most one entry, its groups, and
 * one value. They stay few on any document, since a group that is opened again ends the one before it. All others are
 * transparent, and only known by name: a closing tag closes the last of its name inside the innermost tag with a role.
 */
export class OpenTags {
  /** Behind the sentinel in front, which says that nothing is open. */
  readonly #roles: OpenRole[] = [OpenRole.nothing];
  readonly #tags: number[] = [0];
  readonly #depths: number[] = [-1];
  #last = 0;
  /** By depth; of tags deeper than {@link MOST_NAMES} only how many there are, by a part of the name. */
  readonly #names = new Int32Array(MOST_NAMES);
  readonly #deepNames = new Int32Array(64);
  /** How many tags are open. */
  depth = 0;
  role: OpenRole = OpenRole.nothing;
  /** The number of its tag; 0 where it has none that the format knows. */
  tag = 0;

  /** @param inside - how many tags stay open whatever is closed: the root */
  constructor(inside: number) {
    this.#depths[0] = inside - 1;
  }

  get isInEntry(): boolean {
    const outermost = this.#outermost();
    return outermost === OpenRole.entry || outermost === OpenRole.locEntry;
  }

  get isInLocEntry(): boolean {
    return this.#outermost() === OpenRole.locEntry;
  }

  /** Whether tags without a role are open inside the innermost one that has a role. */
  get hasInner(): boolean {
    return this.depth > this.#firstInner;
  }

  has(tag: number): boolean {
    for (let at = this.#last; at > 0; at--) if (this.#tags[at] === tag) return true;
    return false;
  }

  /** The tag with a role that a closing tag of this name means, where that is not known by itself; 0 if there is none. */
  tagNamed(name: number): number {
    for (let at = this.#last; at > 0; at--) {
      const depth = this.#depths[at]!;
      if (this.#tags[at] !== 0 && depth < MOST_NAMES && this.#names[depth] === name) return this.#tags[at]!;
    }
    return 0;
  }

  /** The depth of the last tag of this name inside the innermost one with a role; -1 if there is none. */
  innerNamed(name: number): number {
    const first = this.#firstInner;
    for (let at = Math.min(this.depth, MOST_NAMES) - 1; at >= first; at--)
      if (this.#names[at] === name) return at;
    return -1;
  }

  /** Whether a tag of this name is open around an entry without a tag of its own: it ends with that tag. */
  isAroundLocEntry(name: number): boolean {
    if (this.role !== OpenRole.locEntry) return false;
    const first = this.#depths[this.#last - 1]! + 1;
    for (let at = Math.min(this.#depths[this.#last]!, MOST_NAMES) - 1; at >= first; at--)
      if (this.#names[at] === name) return true;
    return false;
  }

  /** Takes a closing tag for that of the innermost tag, where names are not kept and one like this was opened. */
  takeDeep(name: number): number {
    if (this.depth <= MOST_NAMES || !this.hasInner || this.#deepNames[name & 63] === 0) return -1;
    this.#deepNames[name & 63]!--;
    return this.depth - 1;
  }

  /** A start tag, behind {@link push} where it has a role. */
  descend(name: number): void {
    if (this.depth < MOST_NAMES) this.#names[this.depth] = name;
    else {
      if (this.depth === MOST_NAMES) this.#deepNames.fill(0);
      if (this.#depths[this.#last] !== this.depth) this.#deepNames[name & 63]!++;
    }
    this.depth++;
  }

  push(role: OpenRole, tag: number): void {
    this.#last++;
    this.#roles[this.#last] = role;
    this.#tags[this.#last] = tag;
    this.#depths[this.#last] = this.depth;
    this.role = role;
    this.tag = tag;
  }

  /** Ends the innermost tag with a role, and all that is in it. */
  pop(): void {
    this.depth = this.#depths[this.#last]!;
    this.#last--;
    this.role = this.#roles[this.#last]!;
    this.tag = this.#tags[this.#last]!;
  }

  /** The depth of the first tag inside the innermost one with a role. An entry that a loc began has no tag itself. */
  get #firstInner(): number {
    return this.#depths[this.#last]! + (this.role === OpenRole.locEntry ? 0 : 1);
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

  /** @returns what is closed: a root that is inside another, the outermost one, or nothing */
  close(offset: number): 'nested' | 'last' | 'nothing' {
    if (this.#nested > 0) {
      this.#nested--;
      return 'nested';
    }
    if (this.place === 'inside') {
      this.place = 'after';
      return 'last';
    }
    this.#report('mis-nested-tag', offset);
    return 'nothing';
  }
}
