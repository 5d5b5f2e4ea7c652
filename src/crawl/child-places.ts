/**
 * The sitemaps that one index lists, while they become nodes. There may be fifty thousand of them, and most of the time
 * most of them only wait: a place in line is one small object, without a promise or a closure of its own.
 */
import type { SitemapEntry } from '../parse/model/item.ts';
import type { Outcome } from '../read/outcome.ts';
import { ignorable } from '../runtime/time.ts';
import { documentKey } from '../url.ts';
import type { OutcomeListener, WantedDocument } from './documents.ts';

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

  /** The same place, of something that was below other ancestors once: what leads back to them leads in a circle. */
  knowing(keys: ReadonlySet<string>): Lineage {
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

/** What is declared below a sitemap that nothing declares, at any depth: none of it gives a node at a known path. */
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

export interface FoundChildren<Node> {
  readonly nodes: readonly Node[];
  readonly isAnyReadable: boolean;
}

interface ChildrenParts<Node> {
  readonly lineage: Lineage;
  /** Whether the index that lists them was read by this call. */
  readonly isCurrent: boolean;
  /** Called for each child when its document is under way. */
  readonly onStarted: (place: ChildPlace<Node>, outcome: Promise<Outcome>) => void;
}

export class Children<Node> {
  readonly parts: ChildrenParts<Node>;
  /** Resolves once every child that was placed has its node, after {@link close}; rejects as soon as one has failed. */
  readonly found: Promise<FoundChildren<Node>>;
  readonly #nodes: (Node | undefined)[] = [];
  #resolve: (found: FoundChildren<Node>) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #isAnyReadable = false;
  // One more than the children that have no node, until all of them were placed.
  #missing = 1;

  constructor(parts: ChildrenParts<Node>) {
    this.parts = parts;
    this.found = ignorable(
      new Promise((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
      }),
    );
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** The place of the next child. @param url - as it is shown */
  place(url: string, listed: SitemapEntry): ChildPlace<Node> {
    this.#missing++;
    return new ChildPlace(this, this.#nodes.push(undefined) - 1, url, listed);
  }

  close(): void {
    this.#settle();
  }

  set(index: number, node: Node, isReadable: boolean): void {
    this.#nodes[index] = node;
    this.#isAnyReadable ||= isReadable;
    this.#settle();
  }

  fail(reason: unknown): void {
    this.#reject(reason);
  }

  #settle(): void {
    if (--this.#missing > 0) return;
    const nodes = this.#nodes.filter((node) => node !== undefined);
    this.#resolve({ nodes, isAnyReadable: this.#isAnyReadable });
  }
}

export class ChildPlace<Node> implements WantedDocument, OutcomeListener {
  readonly url: string;
  readonly #children: Children<Node>;
  readonly #index: number;
  readonly #listed: SitemapEntry;

  constructor(children: Children<Node>, index: number, url: string, listed: SitemapEntry) {
    this.url = url;
    this.#children = children;
    this.#index = index;
    this.#listed = listed;
  }

  get origin(): 'declared' {
    return 'declared';
  }

  get lastModified(): Date | undefined {
    return this.#listed.lastModified;
  }

  get lastModifiedText(): string | undefined {
    return this.#listed.lastModifiedText;
  }

  get isCurrent(): boolean {
    return this.#children.parts.isCurrent;
  }

  get parentUrls(): ReadonlySet<string> {
    return this.lineage.urls;
  }

  get lineage(): Lineage {
    return this.#children.parts.lineage;
  }

  started(outcome: Promise<Outcome>): void {
    this.#children.parts.onStarted(this, outcome);
  }

  found(node: Node, isReadable: boolean): void {
    this.#children.set(this.#index, node, isReadable);
  }

  failed(reason: unknown): void {
    this.#children.fail(reason);
  }
}
