/**
 * What to fetch next: one document after the other into a tree of nodes, whatever a node is. A tree makes node
 * objects, a stream makes nothing and hands on pages.
 *
 * Each document is shared by all places that declare it (documents.ts). Everything that depends on the place
 * (ancestors, level, callbacks, limits) is decided there, so the shape of the tree never depends on the order in which
 * responses arrive. A stream walks the same places as a tree, so that both have the same pages.
 */
import { SitemapException } from '../errors.ts';
import type { DocumentFetcher } from '../fetch/fetch-document.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { SubSitemap } from '../parse/model/item.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { NodeFactory, NodePlace } from '../read/node-factory.ts';
import {
  type DocumentPlace,
  type IndexOutcome,
  type InvalidOutcome,
  type Outcome,
  recursion,
  tooManySitemaps,
} from '../read/outcome.ts';
import { documentKey } from '../url.ts';
import { Documents, type DocumentsParts } from './documents.ts';
import { chosenChildren } from './filters.ts';
import { Limits } from './limits.ts';
import type { Lineage } from './lineage.ts';
import { Progress } from './progress.ts';

/** What a crawl is made of. */
export interface CrawlParts<Node> extends Pick<DocumentsParts, 'fetcher' | 'reader' | 'keepsDocuments'> {
  readonly nodes: NodeFactory<Node>;
}

/** One call's crawl. */
export class Crawl<Node> {
  readonly options: ResolvedOptions;
  readonly limits: Limits;
  readonly progress: Progress;
  /** The URLs that were declared below what was crawled so far, filtered ones too, and those they redirect to. */
  readonly declared: Set<string> = new Set();
  readonly #parts: CrawlParts<Node>;
  readonly #documents: Documents;
  readonly #noted = new WeakSet<readonly SubSitemap[]>();
  readonly #lifetime = new AbortController();
  #isComplete = true;

  constructor(options: ResolvedOptions, makeParts: (progress: Progress) => CrawlParts<Node>) {
    this.options = options;
    this.progress = new Progress(options);
    this.limits = new Limits(options);
    this.#parts = makeParts(this.progress);
    const { progress, declared } = this;
    this.#documents = new Documents({ ...this.#parts, progress, declared, deadline: this.limits.deadline });
  }

  get fetcher(): DocumentFetcher {
    return this.#parts.fetcher;
  }

  /** Whether documents are kept; see {@link DocumentsParts}. */
  get keepsDocuments(): boolean {
    return this.#parts.keepsDocuments;
  }

  /** Whether nothing that was declared was unreadable, unfetched or cut. */
  get isComplete(): boolean {
    return this.#isComplete && this.limits.stopped === undefined;
  }

  /** Fetches a URL and reads what it is; the same URL is never requested twice. */
  outcome(place: DocumentPlace): Promise<Outcome> {
    return this.#documents.outcome(place);
  }

  /**
   * The sitemap at a place and all that is below it; undefined where the tree is full.
   *
   * @param lineage - the ancestors of the place
   */
  async subtree(place: NodePlace, lineage: Lineage): Promise<Node | undefined> {
    const { url } = place;
    if (!this.limits.takeNode()) return undefined;
    if (lineage.has(url)) return this.#invalid(place, recursion(url, 'it is one of its own ancestors'));
    if (lineage.level > this.options.maxDepth) {
      const reason = `${url} was not fetched: it is nested more than ${this.options.maxDepth} levels deep (maxDepth).`;
      return this.#invalid(place, { type: 'invalid', code: 'max-depth', reason, option: 'maxDepth' });
    }
    return this.node(place, lineage, await this.outcome({ ...place, parentUrls: lineage.urls }));
  }

  /** Makes the node of an outcome, and everything below it. */
  async node(place: NodePlace, lineage: Lineage, outcome: Outcome): Promise<Node> {
    if (outcome.type === 'invalid') return this.#invalid(place, outcome);
    if (outcome.redirected) {
      this.declared.add(documentKey(outcome.url));
      if (lineage.has(outcome.url)) {
        return this.#invalid(
          place,
          recursion(place.url, `it redirects to ${outcome.url}, one of its own ancestors`),
        );
      }
    }
    if (outcome.truncated) this.#isComplete = false;
    if (outcome.type === 'pages') return this.#parts.nodes.pages(place, outcome);
    const { children, problems } = await this.#children(place, lineage, outcome);
    return this.#parts.nodes.index(place, outcome, children, problems);
  }

  async #children(
    place: NodePlace,
    lineage: Lineage,
    index: IndexOutcome,
  ): Promise<{ children: readonly Node[]; problems: readonly Problem[] }> {
    this.#noteDeclared(index.entries);
    const below = lineage.below(index.url, place.url);
    // A few indexes that list each other make a tree without end: once it is full, nothing is looked into any more.
    const chosen = this.limits.isFull
      ? index.entries
      : await chosenChildren(index, lineage, below, this.options, this.#lifetime.signal);
    const subtrees: Promise<Node | undefined>[] = [];
    for (const entry of chosen) {
      if (this.limits.isFull) break;
      subtrees.push(this.subtree(placeOf(entry), below));
    }
    const children: Node[] = [];
    for (const child of await Promise.all(subtrees)) if (child !== undefined) children.push(child);
    const leftOut = chosen.length - subtrees.length + index.leftOut;
    if (leftOut === 0) return { children, problems: [] };
    this.limits.noteFull();
    return { children, problems: [tooManySitemaps(leftOut, chosen.length + index.leftOut)] };
  }

  #noteDeclared(entries: readonly SubSitemap[]): void {
    if (this.#noted.has(entries)) return;
    this.#noted.add(entries);
    for (const { url } of entries) this.declared.add(documentKey(url));
  }

  #invalid(place: NodePlace, outcome: InvalidOutcome): Node {
    this.#isComplete = false;
    return this.#parts.nodes.invalid(place, outcome);
  }

  /** Ends everything that is open. */
  async close(): Promise<void> {
    this.#lifetime.abort(new SitemapException('The call is over.', { code: 'closed' }));
    this.limits.close();
    await this.#parts.fetcher.close();
  }
}

function placeOf({ url, lastModified }: SubSitemap): NodePlace {
  return { url, lastModified };
}
