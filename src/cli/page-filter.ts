/** The filters of pages and sitemaps, and how many each leaves out. */
import type { AddAlternates } from '../filter/alternates.ts';
import {
  type LeftOut,
  type LeftOutPages,
  type PagePass,
  pageFilter,
  sitemapFilter,
} from '../filter/filter-pages.ts';
import type { SiteHosts } from '../filter/site-hosts.ts';
import type { RecurseCallback, RobotsVerdict, SitemapPage } from '../index.ts';
import { OPTIONS } from '../options/option-table.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { count, list } from '../text/wording.ts';
import { urlKey } from '../url.ts';
import { UsageError } from './endings.ts';
import type { PageFlags, SitemapFlags } from './program/flags.ts';

/** A page and the sitemap that lists it: the items of a stream, and what a tree is taken apart into. */
export interface PageAndSitemap {
  readonly page: SitemapPage;
  readonly sitemap: { readonly url: string };
}

/** Why a page is not listed, in the order in which it is reported. */
const WORDS: Readonly<Record<LeftOut | 'disallowed' | 'not-sampled', string>> = {
  'other-host': 'on other hosts (--hosts)',
  'not-included': 'not matched by --include',
  excluded: 'matched by --exclude',
  older: 'older than --since',
  newer: 'not older than --until',
  undated: 'without a date (--undated)',
  disallowed: 'disallowed by robots.txt (--only-allowed)',
  repeated: 'listed before (--unique)',
  'not-sampled': 'not in the sample (--sample)',
};

interface AgentFlags extends Pick<PageFlags, 'agent' | 'onlyAllowed'> {
  /** `--no-robots` makes it false. */
  readonly robots?: boolean | undefined;
  /** The URL is a sitemap: then robots.txt is not read. */
  readonly sitemap?: boolean | undefined;
}

/** @throws UsageError where nothing would be known of what an agent may fetch */
export function checkAgent({ agent, onlyAllowed = false, robots = true, sitemap = false }: AgentFlags): void {
  if (agent === undefined) {
    if (onlyAllowed) throw new UsageError('--only-allowed needs --agent NAME.');
    return;
  }
  if (!OPTIONS.robotsAgent.test(agent)) {
    throw new UsageError(
      '--agent is the name of a crawler, such as GPTBot, or a User-Agent that starts with it.',
    );
  }
  if (!robots) throw new UsageError('--agent needs robots.txt, which --no-robots leaves out.');
  if (sitemap) throw new UsageError('--agent needs robots.txt, which is not read with --sitemap.');
}

export class PageFilter {
  readonly #pass: PagePass | undefined;
  #whyNot: ReturnType<PagePass> | undefined;
  readonly #seen: SeenUrls | undefined;
  readonly #distinct: SeenUrls | undefined;
  readonly #maxPages: number;
  readonly #isOnlyAllowed: boolean;
  readonly #leftOut = new Map<string, number>();
  read = 0;
  kept = 0;

  /** @param seen - the URLs that were listed before, where each is listed once; shared by all sites */
  constructor(
    options: PageFlags,
    seen: SeenUrls | undefined,
    counting: { readonly distinct: boolean } = { distinct: false },
  ) {
    const { include, exclude, hosts, since, until, undated } = options;
    const { maxPages = Number.POSITIVE_INFINITY, onlyAllowed = false } = options;
    this.#pass = pageFilter({ include, exclude, hosts, since, until, undated });
    this.#seen = seen;
    this.#distinct = counting.distinct ? new SeenUrls() : undefined;
    this.#maxPages = maxPages;
    this.#isOnlyAllowed = onlyAllowed;
  }

  /** Whether the agent may fetch a page; set once the site is being read, and only where there is an agent. */
  verdictOf: ((url: string) => RobotsVerdict) | undefined;

  /** The hosts of the site; set once it is being read. */
  site: SiteHosts | undefined;

  /** The keys of the pages in the sample; each loses its key when it is listed. */
  sampleKeys: Set<string> | undefined;

  /** Adds the alternates of pages; set where they are listed, and not for a stream, which gives them itself. */
  addAlternates: AddAlternates | undefined;

  /** Whether every page is listed: then a tree can be written as it is. */
  get isOpen(): boolean {
    if (this.#pass !== undefined || this.#isOnlyAllowed || this.sampleKeys !== undefined) return false;
    if (this.addAlternates !== undefined) return false;
    return this.#seen === undefined && this.#maxPages === Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.kept >= this.#maxPages;
  }

  /** Listed pages with different URLs; all of them, where they are not counted. */
  get distinct(): number {
    return this.#distinct?.size ?? this.kept;
  }

  /** The sentences about pages that users may miss. */
  get leftOutSentences(): readonly string[] {
    return leftOutSentences(Object.fromEntries(this.#leftOut));
  }

  /** Pages of a sitemap with their alternates, where these are listed. */
  keepPages(batch: readonly SitemapPage[]): readonly SitemapPage[] {
    return this.keep(this.addAlternates?.(batch) ?? batch, (page) => page);
  }

  keep<Item>(batch: readonly Item[], pageOf: (item: Item) => SitemapPage): readonly Item[] {
    const items = this.isOpen ? batch : this.#wanted(batch, pageOf);
    this.read += batch.length;
    this.kept += items.length;
    if (this.#distinct !== undefined) for (const item of items) this.#distinct.add(pageOf(item).url);
    return items;
  }

  /** Pages behind the limit are not looked at: another input may list them, and must find them unseen. */
  #wanted<Item>(batch: readonly Item[], pageOf: (item: Item) => SitemapPage): readonly Item[] {
    const items: Item[] = [];
    for (const item of batch) {
      if (this.kept + items.length >= this.#maxPages) break;
      if (this.#wants(pageOf(item))) items.push(item);
    }
    return items;
  }

  #wants(page: SitemapPage): boolean {
    this.#whyNot ??= this.#pass?.(this.site);
    const why = this.#whyNot?.(page) ?? this.#whyNotByUrl(page.url);
    if (why !== undefined) countOne(this.#leftOut, why);
    return why === undefined;
  }

  #whyNotByUrl(url: string): 'disallowed' | 'repeated' | 'not-sampled' | undefined {
    if (this.#isOnlyAllowed && this.verdictOf?.(url).allowed === false) return 'disallowed';
    // Before it counts as listed: another site may have it in its sample.
    if (this.sampleKeys?.delete(urlKey(url)) === false) return 'not-sampled';
    return this.#seen?.add(url) === false ? 'repeated' : undefined;
  }

  /** What was left out and why: `3 pages not matched by --include and 1 page without a date (--undated)`. */
  get leftOutReasons(): string {
    return describeLeftOut(this.#leftOut, 'page', WORDS);
  }
}

/** `3 pages on other hosts were left out (--hosts).`: what is said without --verbose, since users may miss these. */
export function leftOutSentences(leftOut: LeftOutPages): readonly string[] {
  const sentences: readonly (readonly [LeftOut, string, string])[] = [
    ['other-host', 'on other hosts', ' (--hosts).'],
    ['undated', 'without a date', '; --undated keep lists them.'],
  ];
  return sentences.flatMap(([why, words, rest]) => {
    const pages = leftOut[why] ?? 0;
    const were = pages === 1 ? 'was' : 'were';
    return pages === 0 ? [] : [`${count(pages, 'page')} ${words} ${were} left out${rest}`];
  });
}

function countOne(counts: Map<string, number>, why: string): void {
  counts.set(why, (counts.get(why) ?? 0) + 1);
}

function describeLeftOut(
  leftOut: ReadonlyMap<string, number>,
  what: string,
  words: Readonly<Record<string, string>>,
): string {
  const many = Object.keys(words).filter((why) => leftOut.has(why));
  return list(many.map((why) => `${count(leftOut.get(why) ?? 0, what)} ${words[why]}`));
}

const MOST_NAMES = 3;

const SITEMAP_WORDS = {
  'not-included': 'not matched by --sitemap-include',
  excluded: 'matched by --sitemap-exclude',
  older: 'declared older than --since',
} as const;

export class SitemapFilter {
  readonly #whyNot: ReturnType<typeof sitemapFilter>;
  readonly #leftOut = new Map<string, number>();
  readonly #names: string[] = [];
  count = 0;

  constructor(flags: SitemapFlags) {
    this.#whyNot = sitemapFilter(flags);
  }

  /** For the library; undefined where nothing is filtered. */
  get callback(): RecurseCallback | undefined {
    const whyNot = this.#whyNot;
    if (whyNot === undefined) return undefined;
    return (url, _level, _parents, { entry }) => {
      const why = whyNot(entry);
      if (why === undefined) return true;
      countOne(this.#leftOut, why);
      if (++this.count <= MOST_NAMES) this.#names.push(url);
      return false;
    };
  }

  /** Whether an index may have been left out because `--sitemap-include` does not match it. */
  get hasUnmatched(): boolean {
    return this.#leftOut.has('not-included');
  }

  get leftOutReasons(): string {
    const names = this.#names.join(', ') + (this.count > MOST_NAMES ? ', …' : '');
    return `${describeLeftOut(this.#leftOut, 'sitemap', SITEMAP_WORDS)} (${names})`;
  }
}
