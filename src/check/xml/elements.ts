/** The elements that are open. */
import { isSame, type XmlName } from './names.ts';

/** libxml2 refuses deeper documents, and the parser of this library stops at the same depth. */
export const MOST_LEVELS = 256;

export class Elements {
  /** How many are open. */
  depth = 0;
  readonly #names: XmlName[] = [];
  readonly #offsets: Float64Array = new Float64Array(MOST_LEVELS + 1);

  push(name: XmlName, offset: number): void {
    this.#offsets[this.depth] = offset;
    this.#names[this.depth++] = name;
  }

  pop(): void {
    this.depth--;
  }

  /** Whether the innermost has this name. */
  isInnermost(bytes: Uint8Array, from: number, to: number): boolean {
    return this.depth > 0 && isSame(this.#names[this.depth - 1]!.bytes, bytes, from, to);
  }

  /** The innermost level with this name; -1 if there is none. */
  levelOf(name: string): number {
    let level = this.depth - 1;
    while (level >= 0 && this.#names[level]!.text !== name) level--;
    return level;
  }

  nameAt(level: number): string {
    return this.#names[level]!.text;
  }

  /** Where the start tag of a level is in the document. */
  offsetAt(level: number): number {
    return this.#offsets[level]!;
  }
}
