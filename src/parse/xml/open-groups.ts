/** The groups of an entry that are open, each inside the one before it. */
import type { EntryFormat } from './entry-format.ts';

export class OpenGroups {
  readonly #format: EntryFormat;
  readonly #tags: number[] = [];

  constructor(format: EntryFormat) {
    this.#format = format;
  }

  get isEmpty(): boolean {
    return this.#tags.length === 0;
  }

  has(tag: number): boolean {
    return this.#tags.includes(tag);
  }

  isInnermost(tag: number): boolean {
    return this.#tags.at(-1) === tag;
  }

  open(tag: number): void {
    this.#tags.push(tag);
  }

  /** Ends a group and all that are inside of it; without a tag, all. */
  end(offset: number, tag?: number): void {
    for (let last = this.#tags.pop(); last !== undefined; last = this.#tags.pop()) {
      this.#format.endGroup(last, offset);
      if (last === tag) return;
    }
  }
}
