/**
 * What to fetch next: one document after the other into a tree of nodes, whatever a node is. A tree makes node
 * objects, a stream makes nothing and hands on pages.
 *
 * Each URL is requested once, and its outcome is shared by all places that declare it. Everything that depends on
 * the place (ancestors, level, callbacks, limits) is decided there, so the shape of the tree never depends on the
 * order in which responses arrive.
 */
import type { DocumentFetcher } from '../fetch/fetch-document.ts';
import type { ResolvedOptions } from '../options.ts';
import type { SubSitemap } from '../parse/item.ts';
import { documentKey } from '../parse/values/url.ts';
import type { Problem } from '../problem.ts';
import { chosenChildren } from './filters.ts';
import { Gate } from './gate.ts';
import { Limits, TIME_IS_UP } from './limits.ts';
import type { Lineage } from './lineage.ts';
import type {
  DocumentPlace,
  DocumentReader,
  IndexOutcome,
  InvalidOutcome,
  Outcome,
  PagesOutcome,
} from './outcome.ts';
import { Progress } from './progress.ts';

/** Where a node stands: how it was declared. */
export interface NodePlace {
  readonly url: string;
  readonly lastModified: Date | undefined;
}

/** Makes nodes of whatever kind the caller wants. */
export interface NodeMaker<Node> {
  index(
    place: NodePlace,
    outcome: IndexOutcome,
    children: readonly Node[],
    problems: readonly Problem[],
  ): Node;
  pages(place: NodePlace, outcome: PagesOutcome): Node;
  invalid(place: NodePlace, outcome: InvalidOutcome): Node;
}

/** What a crawl is made of. */
export interface CrawlParts<Node> {
  readonly fetcher: DocumentFetcher;
  readonly reader: DocumentReader;
  readonly maker: NodeMaker<Node>;
  /**
   * Whether documents are kept. Then one that is declared twice is shown at each place, and one may be fetched before
   * it is known whether it is wanted; a stream can do neither.
   */
  readonly keepsDocuments: boolean;
}

/**
 * So many documents are handed to the fetcher at once. It decides who goes first, for which it needs a choice; the
 * rest of an index of fifty thousand waits here, where waiting costs next to nothing.
 */
const MAX_STARTED = 1000;

/** One call's crawl. */
export class Crawl<Node> {
  readonly options: ResolvedOptions;
  readonly limits: Limits;
  readonly progress: Progress;
  /** The URLs that were declared below what was crawled so far, filtered ones too, and those they redirect to. */
  readonly declared: Set<string> = new Set();
  readonly #parts: CrawlParts<Node>;
  readonly #outcomes = new Map<string, Promise<Outcome>>();
  readonly #expanded = new Set<string>();
  readonly #gate = new Gate(MAX_STARTED);
  #isComplete = true;

  constructor(options: ResolvedOptions, makeParts: (progress: Progress) => CrawlParts<Node>) {
    this.options = options;
    this.progress = new Progress(options);
    this.limits = new Limits(options);
    this.#parts = makeParts(this.progress);
  }

  get fetcher(): DocumentFetcher {
    return this.#parts.fetcher;
  }

  /** Whether documents are kept; see {@link CrawlParts}. */
  get keepsDocuments(): boolean {
    return this.#parts.keepsDocuments;
  }

  /** Whether nothing that was declared was unreadable, unfetched or cut. */
  get isComplete(): boolean {
    return this.#isComplete && this.limits.stopped === undefined;
  }

  /** Fetches a URL and reads what it is; the same URL is never requested twice. */
  outcome(place: DocumentPlace): Promise<Outcome> {
    const key = documentKey(place.url);
    const known = this.#outcomes.get(key);
    if (known !== undefined) return known;
    if (place.isGuess !== true) this.progress.queued(place.url);
    const outcome = this.#gate.run(() => this.#fetch(place));
    // Whoever waits for it sees a rejection; if nobody does any more, it must not end the process.
    outcome.catch(() => {});
    this.#outcomes.set(key, outcome);
    return outcome;
  }

  async #fetch(place: DocumentPlace): Promise<Outcome> {
    const { url } = place;
    const { fetcher, reader } = this.#parts;
    try {
      this.limits.deadline.throwIfAborted();
      const document = await fetcher.fetch(url, {
        signal: this.limits.deadline,
        onStart: () => place.isGuess !== true && this.progress.started(url),
        onRetry: (retry) => this.progress.retried(url, retry),
        onBytes: (count) => this.progress.addBytes(url, count),
      });
      const outcome: Outcome = document.ok
        ? this.#shared(await reader.read(document, place), document.redirected)
        : {
            type: 'invalid',
            code: document.code,
            reason: document.reason,
            status: document.status,
            error: document.error,
          };
      this.#tell(place, outcome);
      return outcome;
    } catch (error) {
      if (error !== TIME_IS_UP) throw error;
      const reason = `${url} was not fetched: the time for the call was over (maxTimeMs).`;
      const outcome: InvalidOutcome = { type: 'invalid', code: 'limit', reason };
      this.#tell(place, outcome);
      return outcome;
    }
  }

  #tell({ url, isGuess }: DocumentPlace, outcome: Outcome): void {
    if (outcome.type !== 'invalid') {
      if (isGuess === true) this.progress.queued(url);
      this.progress.finished(url);
    } else if (isGuess !== true) {
      this.progress.failed(url, outcome.code, outcome.reason);
    }
  }

  // What a redirect led to need not be requested again when it is declared itself.
  #shared(outcome: Outcome, redirected: boolean): Outcome {
    if (!redirected || outcome.type === 'invalid') return outcome;
    const key = documentKey(outcome.url);
    if (!this.#outcomes.has(key)) this.#outcomes.set(key, Promise.resolve({ ...outcome, redirected: false }));
    return outcome;
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
      return this.#invalid(place, { type: 'invalid', code: 'max-depth', reason });
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
    if (outcome.type === 'pages') return this.#parts.maker.pages(place, outcome);
    const { children, problems } = await this.#children(place, lineage, outcome);
    return this.#parts.maker.index(place, outcome, children, problems);
  }

  async #children(
    place: NodePlace,
    lineage: Lineage,
    index: IndexOutcome,
  ): Promise<{ children: readonly Node[]; problems: readonly Problem[] }> {
    for (const { url } of index.entries) this.declared.add(documentKey(url));
    const key = documentKey(index.url);
    if (this.#expanded.has(key) && !this.keepsDocuments) return { children: [], problems: [] };
    this.#expanded.add(key);
    const below = lineage.below(index.url, place.url);
    // A few indexes that list each other make a tree without end: once it is full, nothing is looked into any more.
    const chosen = this.limits.isFull
      ? index.entries
      : await chosenChildren(index, lineage, below, this.options);
    const subtrees: Promise<Node | undefined>[] = [];
    for (const entry of chosen) {
      if (this.limits.isFull) break;
      subtrees.push(this.subtree(placeOf(entry), below));
    }
    const children: Node[] = [];
    for (const child of await Promise.all(subtrees)) if (child !== undefined) children.push(child);
    const leftOut = chosen.length - subtrees.length;
    if (leftOut === 0) return { children, problems: [] };
    this.limits.noteFull();
    const message = `${leftOut} of its ${chosen.length} sitemaps were left out: the tree is full (maxSitemaps).`;
    return { children, problems: [{ code: 'too-many-sitemaps', message }] };
  }

  #invalid(place: NodePlace, outcome: InvalidOutcome): Node {
    this.#isComplete = false;
    return this.#parts.maker.invalid(place, outcome);
  }

  /** Ends everything that is open. */
  async close(): Promise<void> {
    this.limits.close();
    await this.#parts.fetcher.close();
  }
}

function placeOf({ url, lastModified }: SubSitemap): NodePlace {
  return { url, lastModified };
}

function recursion(url: string, why: string): InvalidOutcome {
  return { type: 'invalid', code: 'recursion', reason: `${url} was not read again: ${why} (recursion).` };
}
