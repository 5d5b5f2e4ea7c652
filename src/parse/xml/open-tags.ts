/**
 * What is open, outermost first: at most one entry, its groups, and one value. It stays short on any document, since a
 * group that is opened again ends the one before it.
 */
import { OpenRole } from './roles.ts';

export class OpenTags {
  /** Behind the sentinel in front, which says that nothing is open. */
  readonly #roles: OpenRole[] = [OpenRole.nothing];
  readonly #tags: number[] = [0];
  #last = 0;
  /** What is open innermost. */
  role: OpenRole = OpenRole.nothing;
  /** The number of its tag; 0 where it has none that the format knows. */
  tag = 0;

  get isInEntry(): boolean {
    const outermost = this.#outermost;
    return outermost === OpenRole.entry || outermost === OpenRole.locEntry;
  }

  get isInLocEntry(): boolean {
    return this.#outermost === OpenRole.locEntry;
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

  get #outermost(): OpenRole {
    return this.#last === 0 ? OpenRole.nothing : this.#roles[1]!;
  }
}
