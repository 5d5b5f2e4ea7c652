/**
 * Where a document is: before its root, inside of it, or behind it. There may be more than one, and one inside
 * another.
 */
import type { StructureProblems } from './structure-problems.ts';

const Place = { before: 0, inside: 1, after: 2 } as const;

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

  /** The root that detection has found. */
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
