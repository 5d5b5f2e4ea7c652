import { documentKey } from '../url.ts';

/**
 * The place of a sitemap in the tree: its ancestors and its level. The recursion rules and the callbacks use it.
 *
 * URLs are compared as `new URL(u).href` without the fragment. An ancestor counts under the URL it was declared by
 * and under the one that responded, so that neither a child nor a redirect leads back to it.
 */
export class Lineage {
  /** The level of a sitemap with these ancestors; robots.txt and known paths are level 0. */
  readonly level: number;
  /** The URLs of the ancestors, as their nodes have them. */
  readonly urls: ReadonlySet<string>;
  readonly #keys: ReadonlySet<string>;

  private constructor(level: number, urls: ReadonlySet<string>, keys: ReadonlySet<string>) {
    this.level = level;
    this.urls = urls;
    this.#keys = keys;
  }

  static readonly top: Lineage = new Lineage(0, new Set(), new Set());

  has(url: string): boolean {
    return this.hasKey(documentKey(url));
  }

  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Adds ancestors that a sitemap had in the earlier tree, so that a link back to them counts as recursion. */
  withAncestors(keys: ReadonlySet<string>): Lineage {
    return new Lineage(this.level, this.urls, new Set([...this.#keys, ...keys]));
  }

  /** The lineage of a child of a sitemap with this lineage. */
  below(url: string, declaredUrl: string): Lineage {
    return new Lineage(
      this.level + 1,
      new Set([...this.urls, url]),
      new Set([...this.#keys, documentKey(url), documentKey(declaredUrl)]),
    );
  }
}

/** The URLs that are declared below an undeclared sitemap, at any depth: none of them gives a node at a known path. */
export class DeclaredBelow {
  readonly #placed = new Set<string>();
  readonly #leftOut = new Set<string>();
  #isCut = false;

  /** It has a place below the sitemap. */
  place(key: string): void {
    this.#placed.add(key);
  }

  /** A callback, or another filter, has left it out. */
  leaveOut(key: string): void {
    this.#leftOut.add(key);
  }

  /** Something has no place there, because of a limit: so what has one may lack something below it. */
  cut(): void {
    this.#isCut = true;
  }

  has(key: string): boolean {
    return this.#leftOut.has(key) || (!this.#isCut && this.#placed.has(key));
  }

  keys(): readonly string[] {
    return [...this.#leftOut, ...(this.#isCut ? [] : this.#placed)];
  }
}
