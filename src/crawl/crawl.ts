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
import type { DocumentReader } from '../read/document-reader.ts';
import type { NodeFactory } from '../read/node-factory.ts';
import { type IndexOutcome, type InvalidOutcome, type Outcome, recursion } from '../read/outcome.ts';
import { documentKey } from '../url.ts';
import { Documents, type WantedDocument } from './documents.ts';
import { ChildFilter } from './filters.ts';
import { Limits } from './limits.ts';
import type { Lineage } from './lineage.ts';
import { CrawlProgress } from './progress.ts';

/** What a crawl is made of. */
export interface CrawlParts<Node> {
  readonly fetcher: DocumentFetcher;
  readonly reader: DocumentReader;
  readonly nodes: NodeFactory<Node>;
}

/** A sitemap whose children were all asked for. Its node is complete once they are. */
export interface Begun<Node> {
  readonly node: Promise<Node>;
}

/** One call's crawl. */
export class Crawl<Node> {
  readonly options: ResolvedOptions;
  readonly limits: Limits;
  readonly progress: CrawlProgress;
  /** The keys of the URLs that were declared so far, filtered ones too, and of those that they redirect to. */
  readonly declared: Set<string> = new Set();
  readonly #parts: CrawlParts<Node>;
  readonly #documents: Documents;
  readonly #filter: ChildFilter;
  readonly #noted = new WeakSet<readonly SubSitemap[]>();
  readonly #lifetime = new AbortController();
  #isComplete = true;

  constructor(options: ResolvedOptions, makeParts: (progress: CrawlProgress) => CrawlParts<Node>) {
    this.options = options;
    this.progress = new CrawlProgress(options);
    this.limits = new Limits(options);
    this.#filter = new ChildFilter(options, this.limits, this.#lifetime.signal);
    this.#parts = makeParts(this.progress);
    const { progress, declared } = this;
    const { fetcher, reader } = this.#parts;
    this.#documents = new Documents({ fetcher, reader, progress, declared, deadline: this.limits.deadline });
  }

  get fetcher(): DocumentFetcher {
    return this.#parts.fetcher;
  }

  /** Whether documents may be fetched before it is known whether they are wanted. */
  get mayFetchAhead(): boolean {
    return !this.#filter.isActive;
  }

  /** Whether nothing that was declared was unreadable, not fetched or truncated. */
  get isComplete(): boolean {
    return this.#isComplete && this.limits.stopped === undefined;
  }

  /** Fetches a URL and reads what it is; the same URL is never requested twice. */
  outcome(wanted: WantedDocument): Promise<Outcome> {
    return this.#documents.outcome(wanted);
  }

  /** Everything that is declared is known: a stream may read what it requested at known paths. */
  readKnownPaths(): void {
    this.#documents.readKnownPaths();
  }

  /**
   * The sitemap that is declared at a place, and everything below it; undefined where the tree is full.
   *
   * @param lineage - the ancestors of the place
   */
  async subtree(declared: SubSitemap, lineage: Lineage): Promise<Node | undefined> {
    const { url, lastModified } = declared;
    if (!this.limits.takeNode()) return undefined;
    if (lineage.has(url)) return this.#invalid(declared, recursion(url, 'it is one of its own ancestors'));
    if (lineage.level > this.options.maxDepth) {
      const reason = `${url} was not fetched: it is nested more than ${this.options.maxDepth} levels deep (maxDepth).`;
      return this.#invalid(declared, { type: 'invalid', code: 'max-depth', reason, option: 'maxDepth' });
    }
    const wanted = { url, lastModified, parentUrls: lineage.urls, origin: 'declared' } as const;
    return this.node(declared, lineage, await this.outcome(wanted));
  }

  /** Makes the node of an outcome, and everything below it. */
  async node(declared: SubSitemap, lineage: Lineage, outcome: Outcome): Promise<Node> {
    const { node } = await this.begin(declared, lineage, outcome);
    return node;
  }

  /** The same, but resolves as soon as all children were asked for: what is asked for then comes behind them. */
  async begin(declared: SubSitemap, lineage: Lineage, outcome: Outcome): Promise<Begun<Node>> {
    const { nodes } = this.#parts;
    const made = (node: Node): Begun<Node> => ({ node: Promise.resolve(node) });
    if (outcome.type === 'invalid') return made(this.#invalid(declared, outcome));
    if (outcome.redirected) {
      this.declared.add(documentKey(outcome.url));
      if (lineage.has(outcome.url)) {
        const why = `it redirects to ${outcome.url}, one of its own ancestors`;
        return made(this.#invalid(declared, recursion(declared.url, why)));
      }
    }
    if (outcome.truncated) this.#isComplete = false;
    if (outcome.type === 'pages') return made(nodes.pages(declared, outcome));
    const { children, problems, filteredUrls } = await this.#askForChildren(declared, lineage, outcome);
    return { node: children.then((found) => nodes.index(declared, outcome, found, problems, filteredUrls)) };
  }

  async #askForChildren(
    declared: SubSitemap,
    lineage: Lineage,
    index: IndexOutcome,
  ): Promise<{
    children: Promise<readonly Node[]>;
    problems: readonly Problem[];
    filteredUrls: readonly string[];
  }> {
    this.#noteDeclared(index.entries);
    const below = lineage.below(index.url, declared.url);
    // A few indexes that list each other make a tree without end: once it is full, no callback is asked any more.
    const { chosen, undecided } = this.limits.isFull
      ? { chosen: index.entries, undecided: 0 }
      : await this.#filter.choose(index, lineage, below);
    const subtrees: Promise<Node | undefined>[] = [];
    for (const entry of chosen) {
      if (this.limits.isFull) break;
      subtrees.push(this.subtree(entry, below));
    }
    const children = Promise.all(subtrees).then((found) => found.filter((child) => child !== undefined));
    // A rejection is seen by what waits for the node; where nothing does any more, it must not end the process.
    children.catch(() => {});
    const noRoom = chosen.length - subtrees.length + index.leftOut;
    const problems: Problem[] = [];
    if (noRoom > 0) problems.push(this.limits.leaveOut(noRoom, index.entries.length + index.leftOut));
    if (undecided > 0) problems.push(this.limits.leaveUndecided(undecided));
    return { children, problems, filteredUrls: notChosen(index.entries, chosen) };
  }

  #noteDeclared(entries: readonly SubSitemap[]): void {
    if (this.#noted.has(entries)) return;
    this.#noted.add(entries);
    for (const { url } of entries) this.declared.add(documentKey(url));
  }

  #invalid(declared: SubSitemap, outcome: InvalidOutcome): Node {
    this.#isComplete = false;
    return this.#parts.nodes.invalid(declared, outcome);
  }

  /** Ends everything that is open. */
  async close(): Promise<void> {
    this.#lifetime.abort(new SitemapException('The call is over.', { code: 'closed' }));
    this.limits.close();
    await this.#parts.fetcher.close();
  }
}

/** The children that a callback did not choose: a later comparison must not take them for undeclared. */
function notChosen(entries: readonly SubSitemap[], chosen: readonly SubSitemap[]): readonly string[] {
  if (chosen === entries) return [];
  const isChosen = new Set(chosen);
  return entries.filter((entry) => !isChosen.has(entry)).map(({ url }) => url);
}
