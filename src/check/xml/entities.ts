/** The general entities that a document's own DTD declares. Nothing is ever expanded: their sizes are computed. */

/** One that was declared. */
export interface Entity {
  /** What it stands for, character references resolved; undefined for an external one. */
  readonly value?: string | undefined;
  readonly isUnparsed?: boolean;
}

/** More than this many characters, ten times what the document has, is a bomb: XML parsers refuse it. */
const LARGEST_EXPANSION = 1_000_000;
const REFERENCE = /&([^#;&\s][^;&\s]*);/g;

export class Entities {
  readonly #declared = new Map<string, Entity>();
  readonly #sizes = new Map<string, number>();
  #expanded = 0;
  /** Whether some declarations were not read: an external subset, or a reference to a parameter entity. */
  isIncomplete = false;

  declare(name: string, entity: Entity): void {
    // The first declaration is binding (XML 1.0, section 4.2).
    if (!this.#declared.has(name)) this.#declared.set(name, entity);
  }

  get(name: string): Entity | undefined {
    return this.#declared.get(name);
  }

  /** Counts a reference; false once the document would expand to far more than it has. */
  use(name: string, offset: number): boolean {
    this.#expanded += this.#sizeOf(name, new Set());
    return this.#expanded <= LARGEST_EXPANSION || this.#expanded <= 10 * offset;
  }

  /** Whether an entity refers to itself, directly or not. */
  isRecursive(name: string): boolean {
    return this.#sizeOf(name, new Set()) === Number.POSITIVE_INFINITY;
  }

  #sizeOf(name: string, above: Set<string>): number {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    if (above.has(name)) return Number.POSITIVE_INFINITY;
    const value = this.#declared.get(name)?.value ?? '';
    // As deep as anyone means to nest them; beyond it the stack would be ours.
    if (above.size > 500) return Number.POSITIVE_INFINITY;
    above.add(name);
    let size = value.length;
    for (const [whole, inner] of value.matchAll(REFERENCE)) {
      size += this.#sizeOf(inner!, above) - whole.length;
    }
    above.delete(name);
    this.#sizes.set(name, size);
    return size;
  }
}
