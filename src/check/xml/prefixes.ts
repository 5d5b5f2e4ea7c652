/** The namespace prefixes that are declared where the reader is. */

interface Declared {
  readonly depth: number;
  readonly prefix: string;
  readonly uri: string;
}

export class Prefixes {
  readonly #declared: Declared[] = [];
  /** What was looked up last, by its bytes: nearly all prefixed names of a document share one or two prefixes. */
  readonly #known = new Map<string, boolean>();
  readonly #reported = new Set<string>();

  declare(depth: number, prefix: string, uri: string): void {
    this.#declared.push({ depth, prefix, uri });
    this.#known.clear();
  }

  /** Forgets what elements deeper than this have declared. */
  leave(depth: number): void {
    if ((this.#declared.at(-1)?.depth ?? -1) <= depth) return;
    while ((this.#declared.at(-1)?.depth ?? -1) > depth) this.#declared.pop();
    this.#known.clear();
  }

  isDeclared(prefix: string): boolean {
    const known = this.#known.get(prefix);
    if (known !== undefined) return known;
    const found = this.uriOf(prefix) !== undefined;
    // A hostile document can use any number of them.
    if (this.#known.size < 100) this.#known.set(prefix, found);
    return found;
  }

  uriOf(prefix: string): string | undefined {
    if (prefix === 'xml') return 'http://www.w3.org/XML/1998/namespace';
    for (let at = this.#declared.length - 1; at >= 0; at--) {
      const { prefix: name, uri } = this.#declared[at]!;
      if (name === prefix) return uri === '' ? undefined : uri;
    }
    return undefined;
  }

  /** Whether an undeclared prefix is new: each is reported once, since one missing declaration is one mistake. */
  isNew(prefix: string): boolean {
    if (this.#reported.has(prefix) || this.#reported.size >= 1000) return false;
    this.#reported.add(prefix);
    return true;
  }
}
