/** Checks a tree: one that is fetched for the check, one from an archive, or one of local files. */

import { Limits, TIME_IS_UP } from '../crawl/limits.ts';
import { homepageOf } from '../crawl/site.ts';
import { fetcherWithOwnNetwork } from '../fetch/network.ts';
import { PageChoice } from '../filter/page-choice.ts';
import type { SitemapOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve.ts';
import { pieces } from '../parse/given-input.ts';
import { isIndexKind } from '../parse/model/kinds.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { checkSignal } from '../problems/arguments.ts';
import { badOption, forOneLoop } from '../problems/errors.ts';
import { checkIsPlain, checkNames } from '../problems/option-names.ts';
import { type AgentRules, RobotsText, robotsOrigins } from '../robots/robots-rules.ts';
import { FairShare } from '../runtime/time.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import type { Stopped } from '../sitemap/node-fields.ts';
import { AsyncBatchItems } from '../sitemap/page-list.ts';
import {
  checkIsSitemap,
  internalsOf,
  type Sitemap,
  type SitemapPlace,
  walkTree,
} from '../sitemap/sitemap.ts';
import { sitemapTreeForHomepage } from '../tree.ts';
import { documentKey, parsedUrl, webUrl } from '../url.ts';
import { type JudgedPage, judgePages, type PlacedPage, sampleRule } from './check-pages.ts';
import { ABORTED, PageResults, SummaryCounter } from './check-summary.ts';
import type { DocumentCheck, DocumentObserver } from './document-check.ts';
import type { CheckSummary, Finding } from './finding.ts';
import type { DeclaredSitemap } from './known-site.ts';
import { RULES } from './rule-table.ts';
import { type DeclaredSitemaps, failureRule } from './rules/declarations.ts';
import { checkResponse } from './rules/delivery.ts';
import { returnLinks, withoutReturn } from './rules/return-links.ts';
import {
  CHECK_OPTIONS,
  type CheckOptions,
  type ResolvedCheckOptions,
  resolveCheckOptions,
  SiteCheck,
  type SiteDocument,
} from './site-check.ts';
import { checkTop, coverageOf } from './site-top.ts';

const PAGE_TIMEOUT_MS = 30_000;

/** Options of {@link checkTree}. */
export interface CheckTreeOptions extends CheckOptions {
  /** The names of sitemaps that were read from files, for findings and the report. @default their URLs */
  readonly names?: ReadonlyMap<Sitemap, string> | undefined;
  /**
   * Request this many of the pages, or all of them: the same pages every time, one of each sitemap first. They are
   * requested with the politeness, the guard and the limits of sitemaps.
   * @default 0
   */
  readonly requestPages?: number | 'all' | undefined;
  /** How pages are requested: the options of a crawl. `maxTimeMs` limits all requests together. @default {} */
  readonly network?: SitemapOptions | undefined;
  /** The site that pages are requested of, with the user and password that it needs. @default the URL of the tree */
  readonly site?: string | URL | undefined;
  /** Ends the check, which then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** The names of the options of {@link checkTree}. @internal */
export const CHECK_TREE_OPTIONS: readonly (keyof CheckTreeOptions)[] = [
  ...CHECK_OPTIONS,
  'names',
  'requestPages',
  'network',
  'site',
  'signal',
];

/**
 * Checks a tree: each of its documents, and all of them together. The check reads the tree again, so the tree must stay
 * open. Several trees, as of several files, are checked as one site.
 *
 * @example
 * ```ts
 * const check = checkTree(await loadTree('site.warc.gz'));
 * for await (const { document, line, message } of check) console.log(document, line, message);
 * console.log(check.summary.counts.error, 'errors');
 * ```
 *
 * @throws SitemapException with code `bad-input` if it is not a tree, or `bad-option`
 */
export function checkTree(tree: Sitemap | readonly Sitemap[], options: CheckTreeOptions = {}): TreeCheck {
  const trees = isList(tree) ? tree : [tree];
  for (const each of trees.length === 0 ? [undefined] : trees) checkIsSitemap(each, 'checkTree');
  checkNames(options, CHECK_TREE_OPTIONS);
  const resolved = resolveCheckTreeOptions(options);
  const { requestPages = 0 } = options;
  const requestOnce = forOneLoop(
    'check-used',
    'A check that requests pages can be iterated over once; call checkTree again.',
  );
  return findingsOf((begin) => {
    if (requestPages !== 0) requestOnce();
    return begin(new TreeRun(trees, resolved, options)).findings();
  });
}

/**
 * The findings of a tree. Each loop over them starts a new check. A check that requests pages can be iterated over
 * once: a second loop throws (`check-used`).
 */
export interface TreeCheck extends AsyncIterable<Finding> {
  /** The summary of the last iteration; complete once that has ended. */
  readonly summary: CheckSummary;
}

/** @param start - begins a run, whose summary counts from then on */
function findingsOf(start: (begin: (run: TreeRun) => TreeRun) => ReturnType<TreeRun['findings']>): TreeCheck {
  let last: Pick<TreeRun, 'summary'> = new SummaryCounter();
  const begin = (run: TreeRun): TreeRun => {
    last = run;
    return run;
  };
  return {
    get summary() {
      return last.summary;
    },
    [Symbol.asyncIterator]: () => new AsyncBatchItems(start(begin)),
  };
}

/** Options of {@link checkSite}: those of a crawl, and those of a check. */
export interface CheckSiteOptions
  extends SitemapOptions,
    CheckOptions,
    Pick<CheckTreeOptions, 'requestPages'> {}

/**
 * Fetches all sitemaps of a site and checks them, its robots.txt included.
 *
 * @example
 * ```ts
 * const check = checkSite('https://example.org/');
 * for await (const { severity, document, line, message } of check) console.log(severity, document, line, message);
 * if (check.summary.counts.error > 0) process.exitCode = 1;
 * ```
 *
 * @throws SitemapException for a homepage that is not http(s), or an option that does not exist or has a wrong value;
 * when it is iterated over, what `sitemapTreeForHomepage` throws
 */
export function checkSite(homepage: string | URL, options: CheckSiteOptions = {}): SiteFindings {
  checkIsPlain(options);
  const { now, robotsAgent, rules, adjust, requestPages, ...network } = options;
  const resolved = resolveCheckTreeOptions({ now, robotsAgent, rules, adjust, requestPages, network });
  homepageOf(homepage, resolveOptions(network, 'tree'));
  const { signal } = network;
  const fetchOnce = forOneLoop(
    'check-used',
    'The check of a site can be iterated once; call checkSite again, or checkTree for its tree.',
  );
  return findingsOf(async function* (begin) {
    fetchOnce();
    const tree = await sitemapTreeForHomepage(homepage, network);
    try {
      yield* begin(
        new TreeRun([tree], resolved, { requestPages, network, site: homepage, signal }),
      ).findings();
    } finally {
      tree.close();
    }
  });
}

/** The findings of a site. They can be iterated over once: a second loop throws (`check-used`). */
export interface SiteFindings extends TreeCheck {}

interface CheckObserver {
  /** Gets the pages of a document while it is checked. */
  readonly documentObserver?: (sitemap: Sitemap) => DocumentObserver | undefined;
  /** Called with each page that was requested. */
  readonly onPage?: (page: JudgedPage) => void;
}

/** @internal */
export class TreeRun {
  readonly check: SiteCheck;
  readonly #trees: readonly Sitemap[];
  /** The documents, each once, in the order of the trees. */
  #documents: readonly TreeDocument[] = [];
  readonly #now: number | undefined;
  readonly #share = new FairShare();
  readonly #pace: Pace;
  readonly #options: CheckTreeOptions;
  readonly #choice: PageChoice<PlacedPage> | undefined;
  /** The limit that ended the requests of pages. */
  #stopped: Stopped | undefined;
  readonly #observer: CheckObserver;

  constructor(
    trees: readonly Sitemap[],
    resolved: ResolvedCheckOptions,
    options: CheckTreeOptions,
    observer: CheckObserver = {},
  ) {
    const { requestPages = 0 } = options;
    this.#observer = observer;
    this.#options = options;
    this.#pace = { share: this.#share, signal: options.signal };
    this.#choice =
      typeof requestPages === 'number' && requestPages > 0 ? new PageChoice(requestPages) : undefined;
    this.#trees = trees;
    this.#now = resolved.now;
    const isWhole = trees.some(
      (tree) => tree.kind === 'website' && tree.complete && coverageOf(tree).declarations,
    );
    this.check = new SiteCheck(resolved, isWhole);
  }

  get summary(): CheckSummary {
    return this.check.counter.summary;
  }

  async *findings(): AsyncGenerator<readonly Finding[], void, undefined> {
    try {
      yield* this.#steps();
    } catch (error) {
      if (this.#options.signal?.aborted === true) this.check.counter.stopped = ABORTED;
      throw error;
    }
  }

  async *#steps(): AsyncGenerator<readonly Finding[], void, undefined> {
    const { check } = this;
    const { names } = this.#options;
    for (const tree of this.#trees) {
      const documents = await documentsOf(tree, names?.get(tree), this.#pace);
      this.#documents = this.#documents.concat(documents);
    }

    // 1. The trees as a whole, and the rules of every robots.txt that was read.
    this.#checkTops();
    await this.#readRobots();
    yield check.take();

    // 2. Each document by itself, and compared with those before it.
    for (const document of this.#documents) yield* this.#document(document);

    // 3. Return links, which need all documents.
    yield* this.#returnLinks();

    // 4. The pages themselves, if the option asks for that.
    yield* this.#requestPages();

    const { counter } = check;
    const stopped = this.#stopped ?? this.#trees.find((tree) => tree.stopped !== undefined)?.stopped;
    counter.complete = this.#stopped === undefined && this.#trees.every(isComplete);
    counter.stopped = stopped;
  }

  #checkTops(): void {
    const { names } = this.#options;
    const { check } = this;
    for (const tree of this.#trees) {
      if (tree.kind === 'website') checkTop(tree, (...about) => check.report(...about));
      const rule = tree.kind === 'invalid' ? failureRule(tree) : undefined;
      if (tree.kind === 'invalid' && rule !== undefined) {
        check.report(rule, names?.get(tree) ?? tree.url, tree.reason);
      }
    }
  }

  async #readRobots(): Promise<void> {
    for (const { sitemap } of this.#documents) {
      const isFile = sitemap.kind === 'robots-txt' && webUrl(sitemap.url) === undefined;
      await addRobots(this.check.site.robots, sitemap, isFile ? await this.#firstPage() : undefined);
    }
  }

  async #firstPage(): Promise<string | undefined> {
    for (const { sitemap } of this.#documents) {
      for await (const { url } of sitemap.pages) return url;
    }
    return undefined;
  }

  async *#document(document: TreeDocument): AsyncGenerator<readonly Finding[], void, undefined> {
    const { check } = this;
    const { sitemap, name } = document;
    const head = await document.document.head();
    const { problems } = internalsOf(sitemap);
    const isExplained = checkResponse({ name, url: sitemap.url, problems, head }, (...about) =>
      check.report(...about),
    );
    const choiceRules = this.#choice === undefined ? [] : [sampleRule(this.#choice)];
    const sitemaps = await declaredSitemaps(sitemap, this.#pace);
    const checked = this.#siteDocument(document, sitemaps, isExplained);
    const run = check.begin(checked, choiceRules, this.#observer.documentObserver?.(sitemap));
    for await (const _ of this.#read(document, run)) yield check.take();
  }

  async *#returnLinks(): AsyncGenerator<readonly Finding[], void, undefined> {
    const { check } = this;
    for (const number of withoutReturn(check.site)) {
      const document = this.#documents[number]!;
      const run = check.again(this.#siteDocument(document), returnLinks(check.site));
      for await (const _ of this.#read(document, run)) yield check.take();
    }
  }

  async *#requestPages(): AsyncGenerator<readonly Finding[], void, undefined> {
    const { network, requestPages = 0 } = this.#options;
    if (requestPages === 0) return;
    const pages = this.#choice?.pages ?? this.#allPages();
    const { check } = this;
    const resolved = resolveOptions({ ...network, signal: this.#options.signal ?? network?.signal }, 'tree');
    // A sitemap may take minutes to arrive; a page need not.
    const options = { ...resolved, sitemapTimeoutMs: Math.min(resolved.sitemapTimeoutMs, PAGE_TIMEOUT_MS) };
    const treeUrl = this.#trees.map(({ url }) => url).find((url) => /^https?:/.test(url));
    // Without a site no private network may be requested.
    const site = new URL(this.#options.site ?? treeUrl ?? 'https://none.invalid/');
    const fetcher = fetcherWithOwnNetwork(site, options);
    const limits = new Limits(options);
    const results = new PageResults(check.site.distinctPages);
    check.counter.requestedPages = results;
    try {
      const { concurrency } = options;
      for await (const page of judgePages(pages, fetcher, check.site.robots, {
        concurrency,
        signal: limits.deadline,
      })) {
        results.add(page.result);
        this.#observer.onPage?.(page);
        for (const { rule, message } of page.reports) {
          check.add({ rule, severity: RULES[rule].severity, message, ...page.place, page: page.url });
        }
        yield check.take();
      }
    } catch (error) {
      if (error !== TIME_IS_UP) throw error;
      this.#stopped = limits.stopped;
    } finally {
      limits.close();
      await fetcher.close();
    }
  }

  /** Every page once, with its place. The documents are read again, so that no pages are kept in memory. */
  async *#allPages(): AsyncGenerator<PlacedPage, void, undefined> {
    const seen = new SeenUrls();
    let pages: PlacedPage[] = [];
    const take = (): typeof pages => {
      const batch = pages;
      pages = [];
      return batch;
    };
    for (const document of this.#documents) {
      const run = this.check.again(this.#siteDocument(document), (checked) => ({
        location: ({ url, key }, offset) => {
          const { kind, name } = checked;
          if (isIndexKind(kind) || !seen.add(key)) return;
          pages.push({ url, place: { document: name, offset, ...checked.place(offset) } });
        },
        // Problems were reported when the document was checked.
        problem: () => true,
      }));
      for await (const _ of this.#read(document, run)) yield* take();
    }
  }

  /** Reads a document, and gives the rest of the process its turns. Yields after each piece, and after the end. */
  async *#read({ document }: TreeDocument, run: DocumentCheck): AsyncGenerator<void, void, undefined> {
    for await (const chunk of document.chunksAsync()) {
      for (const piece of pieces(chunk)) {
        if (this.#share.isUsedUp) await this.#share.turn();
        this.#options.signal?.throwIfAborted();
        run.write(piece);
        yield;
      }
    }
    run.end(document.truncatedBy !== undefined);
    yield;
  }

  /** @param sitemaps - the results of the sitemaps that it declares, for rules about them */
  #siteDocument(
    document: TreeDocument,
    sitemaps: DeclaredSitemaps = new Map(),
    isExplained = false,
  ): SiteDocument {
    const { name, keys } = document;
    const { options, requestedAt } = document.document;
    return {
      name,
      options,
      now: requestedAt ?? this.#now ?? Date.now(),
      isFetched: requestedAt !== undefined || this.#now !== undefined,
      declaredBy: document.declaredBy,
      keys,
      sitemaps,
      isExplained,
    };
  }
}

/** @internal */
export interface TreeDocument {
  readonly sitemap: Sitemap;
  readonly document: KeptDocument;
  /** Its name in findings. */
  readonly name: string;
  /** The keys of the URLs that lead to it, each once. */
  readonly keys: readonly string[];
  /** The hosts and the origins whose robots.txt declares it, or an index above it. */
  readonly declaredBy: ReadonlySet<string>;
}

/** A document while the tree is walked. There may be 50,000 of them: they share the set of their hosts. */
interface ListedDocument extends TreeDocument {
  readonly keys: string[];
  declaredBy: ReadonlySet<string>;
}

const NO_HOSTS: ReadonlySet<string> = new Set();

/** Gives the rest of the process its turns: a tree may have 50,000 documents. */
interface Pace {
  readonly share: FairShare;
  readonly signal: AbortSignal | undefined;
}

/** @internal The documents of a tree, each once, in order. */
export async function documentsOf(
  top: Sitemap,
  topName: string | undefined,
  { share, signal }: Pace,
): Promise<TreeDocument[]> {
  const documents = new Map<KeptDocument | string, ListedDocument>();
  /** The hosts above the children of each node that has children. */
  const below = new Map<Sitemap, ReadonlySet<string>>();
  const add = ({ sitemap, parent }: SitemapPlace): void => {
    const hosts = (parent === undefined ? undefined : below.get(parent)) ?? NO_HOSTS;
    if (sitemap.subSitemaps.length > 0) below.set(sitemap, hostsBelow(sitemap, hosts));
    const document = internalsOf(sitemap).facts?.document;
    if (document === undefined) return;
    const key = sitemap.url === '' ? document : documentKey(sitemap.url);
    const name = (sitemap === top ? topName : undefined) ?? sitemap.url;
    const entry = documents.get(key) ?? { sitemap, document, name, keys: [], declaredBy: hosts };
    documents.set(key, entry);
    for (const url of [sitemap.url, sitemap.declaredUrl]) if (url) addKey(entry.keys, documentKey(url));
    if (entry.declaredBy !== hosts) entry.declaredBy = new Set([...entry.declaredBy, ...hosts]);
  };
  await share.forEach(walkTree(top), add, signal);
  return [...documents.values()];
}

/**
 * @internal Adds the rules of a sitemap that is a robots.txt. If it is a file, the rules are for the origins of the
 * sitemaps that it declares and of `near`, another URL of the site.
 */
export async function addRobots(rules: AgentRules, sitemap: Sitemap, near?: string): Promise<void> {
  const document = internalsOf(sitemap).facts?.document;
  if (sitemap.kind !== 'robots-txt' || document === undefined) return;
  const { url, declaredUrl, subSitemaps } = sitemap;
  const ofFile = [near ?? '', ...subSitemaps.map((child) => child.url)];
  const origins =
    webUrl(url) === undefined
      ? ofFile.flatMap((each) => webUrl(each)?.origin ?? [])
      : robotsOrigins(url, declaredUrl);
  rules.add(origins, await RobotsText.of(document.chunksAsync()));
}

function addKey(keys: string[], key: string): void {
  if (!keys.includes(key)) keys.push(key);
}

function hostsBelow(sitemap: Sitemap, inherited: ReadonlySet<string>): ReadonlySet<string> {
  if (sitemap.kind !== 'robots-txt') return inherited;
  const urls = [sitemap.url, sitemap.declaredUrl].flatMap((url) => parsedUrl(url ?? '') ?? []);
  return new Set([...inherited, ...urls.flatMap(({ host, origin }) => [host, origin])]);
}

async function declaredSitemaps(
  { subSitemaps }: Sitemap,
  { share, signal }: Pace,
): Promise<DeclaredSitemaps> {
  const declared = new Map<string, DeclaredSitemap>();
  const add = (child: Sitemap): void => {
    const { kind, url, declaredUrl } = child;
    const failure = child.kind === 'invalid' ? child : undefined;
    const redirectedTo = declaredUrl === undefined ? undefined : url;
    declared.set(documentKey(declaredUrl ?? url), { kind, redirectedTo, failure });
  };
  await share.forEach(subSitemaps, add, signal);
  return declared;
}

function isList(tree: Sitemap | readonly Sitemap[]): tree is readonly Sitemap[] {
  return Array.isArray(tree);
}

/** Checks the options of {@link checkTree}. @throws SitemapException with code `bad-option` @internal */
export function resolveCheckTreeOptions(options: CheckTreeOptions): ResolvedCheckOptions {
  const resolved = resolveCheckOptions(options);
  const { names, requestPages = 0, network, site, signal } = options;
  if (names !== undefined && !(names instanceof Map))
    throw badOption('The option "names" must be a Map.', 'names');
  if (network !== undefined) resolveOptions(network, 'tree');
  checkSignal(signal);
  if (requestPages !== 'all' && !(Number.isSafeInteger(requestPages) && requestPages >= 0))
    throw badOption('The option "requestPages" must be a whole number from 0 on, or "all".', 'requestPages');
  if (site !== undefined && !/^https?:/.test(parsedUrl(String(site))?.protocol ?? ''))
    throw badOption('The option "site" must be an http or https URL.', 'site');
  return resolved;
}

/** @internal Whether a tree, or a single sitemap, was read to its end. */
export function isComplete(tree: Sitemap): boolean {
  return tree.complete ?? (tree.kind !== 'invalid' && !tree.truncated);
}
