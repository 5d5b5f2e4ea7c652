/**
 * The place of a sitemap in the tree: its ancestors and its level. The recursion rules and the callbacks use it.
 *
 * URLs are compared as `new URL(u).href` without the fragment. An ancestor counts under the URL it was declared by
 * and under the one that responded, so that neither a child nor a redirect leads back to it.
 */
import { documentKey } from '../url.ts';

/** The ancestors of a sitemap. */
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

  /** The lineage of what is directly below the top. */
  static readonly top: Lineage = new Lineage(0, new Set(), new Set());

  /** Whether a URL is that of an ancestor. */
  has(url: string): boolean {
    return this.#keys.has(documentKey(url));
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
