/**
 * Decides what to fetch next, and makes nodes of documents. A tree makes node objects; a stream makes no nodes, and
 * passes pages on.
 *
 * Each document is shared by all places that declare it (documents.ts). Everything that depends on the place
 * (ancestors, level, callbacks, limits) is decided there, so the shape of the tree never depends on the order in which
 * responses arrive. A stream walks the same places as a tree, so that both have the same pages.
 */

import type { DocumentFetcher } from '../fetch/fetch-document.ts';
import { fetcherWithOwnNetwork, type Network } from '../fetch/network.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { SitemapEntry } from '../parse/model/item.ts';
import { SitemapException, withoutStack } from '../problems/errors.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { IndexOutcome, InvalidOutcome, NodeFactory, Outcome } from '../read/outcome.ts';
import { recursion } from '../read/outcome.ts';
import type { DocumentReader } from '../read/reader.ts';
import { Stop, unlessAborted } from '../runtime/abort.ts';
import { ignorable } from '../runtime/time.ts';
import { type EarlierDocument, Previous } from '../sitemap/previous.ts';
import { documentKey, shownUrl, withoutUserinfo } from '../url.ts';
import { CarryOver } from './carry-over.ts';
import type { WantedDocument } from './document-request.ts';
import { Documents } from './documents.ts';
import { ChildFilter, type Choice } from './filters.ts';
import { Limits } from './limits.ts';
import type { DeclaredBelow, Lineage } from './lineage.ts';
import { Listings } from './listed-sitemaps.ts';
import { CrawlProgress } from './progress.ts';
import { Revisit } from './revisit.ts';

interface CrawlContext<Node> {
  /** The network that the crawl shares with others. @default the crawl has its own */
  readonly network?: Network | undefined;
  readonly reader: DocumentReader;
  readonly nodes: NodeFactory<Node>;
  /** Called with the outcome of robots.txt, before anything that it declares is read. */
  readonly onRobots?: ((url: string, outcome: Outcome) => void) | undefined;
  /** Called with the URLs that the homepage and robots.txt redirect to, before any page is read. */
  readonly onSiteUrl?: ((url: string) => void) | undefined;
}

/** A sitemap whose children were all asked for. Its node is complete once they are. */
interface Begun<Node> {
  readonly node: Promise<Node>;
  /** Whether it could be read; for an index that is too old to be kept, whether any of its children could. */
  readonly isReadable: Promise<boolean>;
}

/** A child of an index, when everything below it was read. */
interface Child<Node> {
  readonly node: Node;
  readonly isReadable: boolean;
}

/** The children of an index, once all of them were asked for. */
interface AskedChildren<Node> {
  readonly children: Promise<ReadChildren<Node>>;
  readonly filteredUrls: readonly string[];
}

/** What is below an index, when all of it was read: its children, and the nodes that come behind them. */
interface ReadChildren<Node> {
  readonly nodes: readonly Node[];
  readonly problems: readonly Problem[];
  readonly isAnyReadable: boolean;
}

/** The nodes of an earlier tree that stay although nothing declares them, and problems about those that do not. */
export interface CarriedOver<Node> {
  readonly nodes: readonly Node[];
  readonly problems: readonly Problem[];
}

/** Nodes that come behind the children of an index, once these are known. */
type MoreChildren<Node> = (lineage: Lineage) => Promise<CarriedOver<Node>>;

export class Crawl<Node> {
  /** The homepage, or the one sitemap that the call is about, as results show it: without userinfo. */
  readonly url: string;
  readonly options: ResolvedOptions;
  readonly limits: Limits;
  readonly progress: CrawlProgress;
  /** The keys of the URLs that were declared so far, filtered ones too, and of those that they redirect to. */
  readonly declared: Set<string> = new Set();
  /** The keys of the URLs that give no node at a known path; complete when known paths are tried. */
  readonly excluded: Set<string> = new Set();
  /** Where the homepage and robots.txt redirect to: the site is there too. */
  readonly redirectedTo: Set<string> = new Set();
  readonly context: CrawlContext<Node>;
  readonly fetcher: DocumentFetcher;
  readonly documents: Documents;
  /** Absent where there is no earlier tree. */
  readonly revisit: Revisit | undefined;
  /** Absent where nothing is carried over. */
  readonly carryOver: CarryOver | undefined;
  readonly filter: ChildFilter;
  /** Sitemaps that are listed as pages. */
  readonly listings: Listings = new Listings();
  /** The earlier tree, where its documents are carried over. */
  readonly #previous: Previous | undefined;
  readonly #noted = new WeakSet<readonly SitemapEntry[]>();
  readonly #lifetime = new Stop();
  #below: DeclaredBelow | undefined;
  #isComplete = true;

  /** @param site - the homepage, or the one sitemap that the call is about; with its userinfo, which is for requests */
  constructor(
    site: URL,
    options: ResolvedOptions,
    makeParts: (progress: CrawlProgress) => CrawlContext<Node>,
  ) {
    // First of all: what is not a tree is refused before anything is started.
    const previous = options.previous === undefined ? undefined : new Previous(options.previous);
    this.url = withoutUserinfo(site).href;
    this.options = options;
    this.progress = new CrawlProgress(options);
    this.#previous = options.staleIfError ? previous : undefined;
    this.limits = new Limits(options, this.#previous?.places ?? 0);
    this.filter = new ChildFilter(options, this.limits, this.#lifetime);
    this.context = makeParts(this.progress);
    const { network, reader } = this.context;
    this.fetcher = network?.forSite(site, options) ?? fetcherWithOwnNetwork(site, options);
    const { fetcher, progress, declared, excluded, limits } = this;
    this.revisit = previous === undefined ? undefined : new Revisit(previous, options, reader);
    this.documents = new Documents({
      concurrency: options.concurrency,
      fetcher,
      reader,
      progress,
      limits,
      excluded,
      revisit: this.revisit,
    });
    if (this.revisit === undefined || !options.staleIfError) return;
    this.carryOver = new CarryOver(this.revisit, {
      isDeclared: (url) => declared.has(documentKey(url)),
      isRequested: (url) => this.documents.isRequested(url),
    });
  }

  /** Whether nothing that was declared was unreadable, not fetched or truncated. */
  get isComplete(): boolean {
    return this.#isComplete && this.limits.stopped === undefined;
  }

  /** The URLs that the earlier tree found without a declaration, if they are shown even if they are not found again. */
  get formerUrls(): readonly string[] {
    return this.#previous?.triedUrls ?? [];
  }

  noteSiteUrl(url: string): void {
    this.redirectedTo.add(url);
    this.context.onSiteUrl?.(url);
  }

  /** The homepage or robots.txt gave no response: where they led to earlier is the site. */
  noteFormerSiteUrls(): void {
    for (const url of this.#previous?.redirectedTo ?? []) this.noteSiteUrl(url);
  }

  /**
   * The sitemap that is declared at a place, and everything below it; undefined where the tree is full.
   *
   * @param lineage - the ancestors of the place
   */
  async subtree(
    declared: SitemapEntry,
    lineage: Lineage,
    addMore?: MoreChildren<Node>,
  ): Promise<Node | undefined> {
    const { lastModified } = declared;
    // The userinfo of a URL is never requested with it, and never shown.
    const url = shownUrl(declared.url);
    if (!this.takeNode(url)) return undefined;
    const refusal = this.refusalOf(url, lineage);
    const place = { url, lastModified, parentUrls: lineage.urls, origin: 'declared' } as const;
    if (refusal !== undefined) return this.#invalid(place, refusal);
    return this.node(place, lineage, await this.documents.outcome(place), addMore);
  }

  /** Whether the tree has room for a sitemap; if so, it is counted. Documents of the earlier tree go first. */
  takeNode(url: string): boolean {
    return this.limits.takeNode(this.#previous?.document(url) !== undefined);
  }

  /** Why a sitemap may not be fetched at a place, if it may not. */
  refusalOf(url: string, lineage: Lineage): InvalidOutcome | undefined {
    if (lineage.has(url)) return recursion(url, 'it is one of its own ancestors');
    if (lineage.level <= this.options.maxDepth) return undefined;
    const reason = `${url} was not fetched: it is nested more than ${this.options.maxDepth} levels deep (maxDepth).`;
    return { type: 'invalid', code: 'max-depth', reason, option: 'maxDepth' };
  }

  async node(
    declared: SitemapEntry,
    lineage: Lineage,
    outcome: Outcome,
    addMore?: MoreChildren<Node>,
  ): Promise<Node> {
    const { node } = await this.begin(declared, lineage, outcome, addMore);
    return node;
  }

  /** Notes what is declared below the sitemaps that `work` makes; no other work may go on meanwhile. */
  async noting(below: DeclaredBelow, work: () => Promise<void>): Promise<void> {
    this.#below = below;
    await work();
    this.#below = undefined;
  }

  /**
   * Begins the node of a sitemap. Resolves once all children were asked for, so that later requests are queued behind
   * them.
   */
  async begin(
    declared: SitemapEntry,
    lineage: Lineage,
    received: Outcome,
    addMore?: MoreChildren<Node>,
  ): Promise<Begun<Node>> {
    const { nodes } = this.context;
    const outcome = await this.#orRecursion(declared, lineage, received);
    this.carryOver?.note(declared.url, outcome, lineage);
    if (outcome.type === 'invalid') {
      const invalid = (): Node => this.#invalid(declared, outcome);
      return outcome.former === undefined
        ? complete(invalid(), { isReadable: false })
        : this.#beginFormer(declared, lineage, outcome.former, invalid, addMore);
    }
    if (outcome.redirected) {
      this.declared.add(documentKey(outcome.url));
      if (lineage.level > 0) this.#below?.place(documentKey(outcome.url));
    }
    if (outcome.truncated || outcome.freshness === 'stale') this.#isComplete = false;
    if (outcome.type === 'pages') {
      this.listings.note(declared, lineage, outcome);
      return complete(nodes.pages(declared, outcome), { isReadable: true });
    }
    const { children, filteredUrls } = await this.#askForChildren(declared, lineage, outcome, addMore);
    const node = children.then((read) =>
      nodes.index(declared, outcome, read.nodes, read.problems, filteredUrls),
    );
    return { node: ignorable(node), isReadable: Promise.resolve(true) };
  }

  /** A redirect to an ancestor is a failure like others: what the earlier tree has is shown instead. */
  async #orRecursion(declared: SitemapEntry, lineage: Lineage, outcome: Outcome): Promise<Outcome> {
    const leadsBack = outcome.type !== 'invalid' && outcome.redirected && lineage.has(outcome.url);
    if (!leadsBack) return outcome;
    const failed = recursion(declared.url, `it redirects to ${outcome.url}, one of its own ancestors`);
    const place = { ...declared, parentUrls: lineage.urls };
    const mayShow = async (): Promise<boolean> => {
      const earlier = this.revisit?.inEarlierTree(declared.url);
      return this.context.reader.keepsDocuments && earlier !== undefined && !lineage.has(earlier.url);
    };
    return (await this.revisit?.outcomeOrEarlier(failed, place, mayShow)) ?? failed;
  }

  /**
   * The nodes of documents that nothing declares any more and that are kept. To be called when everything was read.
   *
   * @param lineage - of the nodes
   * @param mayTry - whether the options let a URL be tried that nothing declares
   */
  async carriedOver(lineage: Lineage, mayTry: (url: string) => boolean): Promise<CarriedOver<Node>> {
    const nodes: Node[] = [];
    const problems = await this.carryOver?.end({
      isFull: this.limits.isFull,
      mayTry,
      show: async (earlier) => {
        const [url = earlier.url] = earlier.requestedUrls;
        const place = { url, lastModified: earlier.node.lastModified, parentUrls: lineage.urls };
        const outcome = await this.revisit?.undeclared(earlier, place);
        if (outcome === undefined || lineage.has(earlier.url)) return;
        for (const each of [url, earlier.url]) this.declared.add(documentKey(each));
        // One that is not in the tree is read below: two indexes may list each other.
        const former = [...(this.#previous?.ancestorsOf(earlier) ?? [])].filter((key) =>
          this.declared.has(key),
        );
        const node = await this.#undeclared(earlier, place, lineage.withAncestors(new Set(former)), outcome);
        if (node !== undefined) nodes.push(node);
      },
    });
    return { nodes, problems: problems ?? [] };
  }

  /** The node of a document that nothing declares any more; undefined for an index that ends. */
  async #undeclared(
    earlier: EarlierDocument,
    place: SitemapEntry,
    lineage: Lineage,
    outcome: Outcome,
  ): Promise<Node | undefined> {
    if (outcome.type !== 'index' || !this.revisit?.isTooOld(earlier))
      return this.node(place, lineage, outcome);
    this.carryOver?.note(place.url, outcome, lineage);
    const { node, isReadable } = await this.#beginFormer(place, lineage, outcome, () => undefined);
    if (!(await isReadable)) this.revisit.noteNotKept(earlier);
    return node;
  }

  /**
   * An index of the earlier tree that is too old to be kept: it is, as long as one of its children is there.
   *
   * @param otherwise - gives what comes in its place if no child is there
   */
  async #beginFormer<Other>(
    declared: SitemapEntry,
    lineage: Lineage,
    former: IndexOutcome,
    otherwise: () => Other,
    addMore?: MoreChildren<Node>,
  ): Promise<Begun<Node | Other>> {
    this.#isComplete = false;
    if (former.redirected && lineage.has(former.url)) return complete(otherwise(), { isReadable: false });
    const { children, filteredUrls } = await this.#askForChildren(declared, lineage, former, addMore);
    const node = children.then(({ nodes, problems, isAnyReadable }) =>
      isAnyReadable ? this.context.nodes.index(declared, former, nodes, problems, filteredUrls) : otherwise(),
    );
    const isReadable = children.then(({ isAnyReadable }) => isAnyReadable);
    return { node: ignorable(node), isReadable: ignorable(isReadable) };
  }

  /** Asks for the children of an index; resolves once all were asked for, which is before they have arrived. */
  async #askForChildren(
    declared: SitemapEntry,
    lineage: Lineage,
    index: IndexOutcome,
    addMore: MoreChildren<Node> | undefined,
  ): Promise<AskedChildren<Node>> {
    this.#noteDeclared(index.entries);
    const end = this.documents.declaring();
    const below = lineage.below(index.url, declared.url);
    const { chosen, undecided } = await this.#choose(index, lineage, below).finally(end);
    const isCurrent = index.freshness !== 'stale';
    const requests: Promise<Child<Node>>[] = [];
    for (const { url: listedUrl, lastModified, lastModifiedText } of chosen) {
      if (this.limits.isFull) break;
      const url = shownUrl(listedUrl);
      if (!this.takeNode(url)) continue;
      const { urls: parentUrls } = below;
      const place = {
        url,
        lastModified,
        lastModifiedText,
        isCurrent,
        parentUrls,
        origin: 'declared',
      } as const;
      requests.push(this.#askForChild(place, below));
    }
    const noRoom = chosen.length - requests.length + index.leftOut;
    const problems: Problem[] = [];
    if (noRoom + undecided > 0) this.#below?.cut();
    if (noRoom > 0) this.carryOver?.noteNoRoom(below);
    if (noRoom > 0) problems.push(this.limits.leaveOut(noRoom, chosen.length + index.leftOut));
    if (undecided > 0) problems.push(this.limits.leaveUndecided(undecided));
    const children = Promise.all(requests).then(async (each) => {
      const more = await addMore?.(below);
      const nodes = [...each.map(({ node }) => node), ...(more?.nodes ?? [])];
      const isAnyReadable = each.some(({ isReadable }) => isReadable) || nodes.length > each.length;
      return { nodes, problems: [...problems, ...(more?.problems ?? [])], isAnyReadable };
    });
    const filteredUrls = [...notChosen(index.entries, chosen), ...(index.elsewhere ?? []).map(shownUrl)];
    for (const url of filteredUrls) this.#below?.leaveOut(documentKey(url));
    return { children: ignorable(children), filteredUrls };
  }

  #askForChild(place: WantedDocument, lineage: Lineage): Promise<Child<Node>> {
    const refusal = this.refusalOf(place.url, lineage);
    if (refusal === undefined) {
      this.#below?.place(documentKey(place.url));
      return this.#child(place, lineage, this.documents.outcome(place));
    }
    // A sitemap that is refused as recursion is one of its ancestors, and has its place there.
    if (refusal.code === 'max-depth') this.#below?.cut();
    return Promise.resolve({ node: this.#invalid(place, refusal), isReadable: false });
  }

  async #child(place: WantedDocument, lineage: Lineage, outcome: Promise<Outcome>): Promise<Child<Node>> {
    const { node, isReadable } = await this.begin(place, lineage, await outcome);
    return { node: await node, isReadable: await isReadable };
  }

  async #choose(index: IndexOutcome, lineage: Lineage, below: Lineage): Promise<Choice> {
    // A few indexes that list each other make a tree without end: once it is full, no callback is asked any more.
    if (this.limits.isFull) return { chosen: index.entries, undecided: 0 };
    return this.filter.choose(index, lineage, below);
  }

  #noteDeclared(entries: readonly SitemapEntry[]): void {
    if (this.#noted.has(entries)) return;
    this.#noted.add(entries);
    for (const { url } of entries) this.declared.add(documentKey(url));
  }

  #invalid(declared: SitemapEntry, outcome: InvalidOutcome): Node {
    this.#isComplete = false;
    return this.context.nodes.invalid(declared, outcome);
  }

  async close(): Promise<void> {
    this.#lifetime.abort(withoutStack(() => new SitemapException('The call is over.', { code: 'closed' })));
    this.limits.close();
    this.revisit?.close();
    await this.fetcher.close();
  }
}

/** A sitemap without children. */
function complete<Node>(node: Node, { isReadable }: { readonly isReadable: boolean }): Begun<Node> {
  return { node: Promise.resolve(node), isReadable: Promise.resolve(isReadable) };
}

/** The children that a callback did not choose: a later comparison must not take them for undeclared. */
function notChosen(entries: readonly SitemapEntry[], chosen: readonly SitemapEntry[]): readonly string[] {
  if (chosen === entries) return [];
  const isChosen = new Set(chosen);
  return entries.filter((entry) => !isChosen.has(entry)).map(({ url }) => shownUrl(url));
}

/** Runs one call's crawl and leaves nothing behind, however it ends. */
export async function runCrawl<Node, Result>(
  crawl: Crawl<Node>,
  { signal }: ResolvedOptions,
  work: (crawl: Crawl<Node>) => Promise<Result>,
): Promise<Result> {
  try {
    signal?.throwIfAborted();
    return await unlessAborted(
      work(crawl),
      signal,
      (reason) => reason ?? new SitemapException('The call was aborted.', { code: 'aborted' }),
    );
  } finally {
    await crawl.close();
  }
}
