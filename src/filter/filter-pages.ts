/** Which pages are wanted, by their dates and URLs: what `--since`, `--include` and `--exclude` do, for programs. */
import { badInput, SitemapException } from '../errors.ts';
import { badOption, checkIterable, checkNames } from '../options/names.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { endOfDate, timeOfDate } from '../parse/values/date.ts';
import { parseW3cDate } from '../parse/values/w3c-date.ts';

/** A part of the URL; with a `*`, a glob over the whole URL; after `re:` or as a `RegExp`, a regular expression. */
export type UrlPattern = string | RegExp;

export type UrlMatcher = (url: string) => boolean;

/**
 * What a pattern matches. Case counts, as it does in URLs.
 *
 * @throws SitemapException with code `bad-option` for an empty pattern, or a regular expression that does not compile
 */
export function parsePattern(pattern: UrlPattern): UrlMatcher {
  if (pattern instanceof RegExp) {
    // A copy without `g` and `y`, which would make the result depend on the URL before.
    const expression = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
    return (url) => expression.test(url);
  }
  if (typeof pattern !== 'string') throw badOption('A pattern must be a text or a RegExp.');
  if (pattern === '' || pattern === 're:') throw badOption('A pattern must not be empty.');
  if (pattern.startsWith('re:')) return regularExpression(pattern.slice('re:'.length));
  if (pattern.includes('*')) return glob(pattern.split('*'));
  return (url) => url.includes(pattern);
}

export function anyMatches(matchers: readonly UrlMatcher[], url: string): boolean {
  return matchers.some((matches) => matches(url));
}

function regularExpression(source: string): UrlMatcher {
  try {
    const expression = new RegExp(source);
    return (url) => expression.test(url);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SitemapException(`The pattern re:${source} is not a regular expression: ${why}.`, {
      code: 'bad-option',
      cause,
    });
  }
}

// Not an expression of `.*`: this is linear in the URL, however many stars there are. A `?` is itself, since URLs are
// full of them.
function glob(parts: readonly string[]): UrlMatcher {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  const middle = parts.slice(1, -1);
  return (url) => {
    if (url.length < first.length + last.length || !url.startsWith(first) || !url.endsWith(last))
      return false;
    const end = url.length - last.length;
    let at = first.length;
    for (const part of middle) {
      const found = url.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

/** Which pages {@link filterPages} keeps. */
export interface PageFilterOptions {
  /**
   * Only pages that changed then or later. A text is a date (`2024-05-06`, `2024-05-06T08:00Z`), a time before now
   * (`90m`, `24h`, `7d`, `2w`), `today` or `yesterday`, in UTC. A page dated without a time covers its day. The date
   * of a page is its `lastModified`, else the publication date of its news story. @default none
   */
  readonly since?: Date | string | undefined;
  /** Only pages that changed before then. @default none */
  readonly until?: Date | string | undefined;
  /** What to do with pages that have no date, where `since` or `until` is set. @default 'drop' */
  readonly undated?: 'keep' | 'drop' | undefined;
  /** Only pages whose URL matches one of these. @default all */
  readonly include?: UrlPattern | readonly UrlPattern[] | undefined;
  /** No pages whose URL matches one of these. @default none */
  readonly exclude?: UrlPattern | readonly UrlPattern[] | undefined;
}

const NO_PAGES = 'filterPages needs pages, as a tree or a stream has them.';

/** Why a page is left out. */
export type LeftOut = 'not-included' | 'excluded' | 'undated' | 'older' | 'newer';

/** A page, or a page with its sitemap, as a stream yields them. */
export type PageItem = SitemapPage | { readonly page: SitemapPage };

/**
 * The pages that match, as they come: of a tree, a sitemap or a stream. Sync where the pages are, async where they are.
 *
 * @example
 * ```ts
 * for (const page of filterPages(tree.allPages(), { since: '7d', include: '/blog/' })) console.log(page.url);
 *
 * const pages = filterPages(streamPages('https://example.org/'), { exclude: ['*.pdf', /\/tag\//] });
 * for await (const { page } of pages) console.log(page.url);
 * ```
 *
 * @throws SitemapException with code `bad-option`, or `bad-input` for what are not pages
 */
export function filterPages<Item extends PageItem>(
  pages: Iterable<Item>,
  options: PageFilterOptions,
): Iterable<Item>;
export function filterPages<Item extends PageItem>(
  pages: AsyncIterable<Item>,
  options: PageFilterOptions,
): AsyncIterable<Item>;
export function filterPages<Item extends PageItem>(
  pages: Iterable<Item> | AsyncIterable<Item>,
  options: PageFilterOptions,
): Iterable<Item> | AsyncIterable<Item> {
  const whyNot = pageFilter(options);
  checkIterable(pages, NO_PAGES);
  const isWanted = (item: Item): boolean => whyNot(pageOf(item)) === undefined;
  // The pages of a tree are both: they stay so, and each loop takes what it needs.
  const kept: Partial<Iterable<Item> & AsyncIterable<Item>> = {};
  if (Symbol.iterator in pages) {
    kept[Symbol.iterator] = function* () {
      for (const item of pages) if (isWanted(item)) yield item;
    };
  }
  if (Symbol.asyncIterator in pages) {
    kept[Symbol.asyncIterator] = async function* () {
      for await (const item of pages) if (isWanted(item)) yield item;
    };
  }
  return kept as Iterable<Item> | AsyncIterable<Item>;
}

function pageOf(item: PageItem): SitemapPage {
  const isWithSitemap = typeof item === 'object' && item !== null && 'page' in item;
  return isWithSitemap ? item.page : item;
}

/**
 * The decision behind {@link filterPages}, for one page at a time: why it is left out, or `undefined` where it is kept.
 *
 * @throws SitemapException with code `bad-option`
 */
export function pageFilter(options: PageFilterOptions): (page: SitemapPage) => LeftOut | undefined {
  checkNames(options, ['since', 'until', 'undated', 'include', 'exclude']);
  const { undated = 'drop' } = options;
  const now = Date.now();
  const since = timeOf('since', options.since, now);
  const until = timeOf('until', options.until, now);
  const include = matchersOf(options.include);
  const exclude = matchersOf(options.exclude);
  if (undated !== 'keep' && undated !== 'drop') {
    throw badOption('The option "undated" must be keep or drop.', 'undated');
  }
  return (page) => {
    const { url } = Object(page) as Partial<SitemapPage>;
    if (typeof url !== 'string') throw badInput(NO_PAGES);
    if (include.length > 0 && !anyMatches(include, url)) return 'not-included';
    if (anyMatches(exclude, url)) return 'excluded';
    if (since === undefined && until === undefined) return undefined;
    // A news sitemap dates its stories, not its pages.
    const { lastModified } = page;
    const date = lastModified ?? page.newsStory?.publishDate;
    if (date === undefined) return undated === 'keep' ? undefined : 'undated';
    const text = lastModified === undefined ? page.newsStory?.publishDateText : page.lastModifiedText;
    if (since !== undefined && !isSince(date, text, since)) return 'older';
    return until !== undefined && date.getTime() >= until ? 'newer' : undefined;
  };
}

function timeOf(option: string, when: Date | string | undefined, now: number): number | undefined {
  if (when === undefined) return undefined;
  const time = typeof when === 'string' ? parseWhen(when, now) : timeOfDate(when);
  if (time !== undefined && !Number.isNaN(time)) return time;
  throw badOption(
    `The option "${option}" must be a Date, a date such as 2024-05-06, a time before now such as 24h or ` +
      '7d, today or yesterday.',
    option,
  );
}

function matchersOf(patterns: UrlPattern | readonly UrlPattern[] | undefined): readonly UrlMatcher[] {
  if (patterns === undefined) return [];
  const list = Array.isArray(patterns) ? patterns : [patterns];
  return list.map(parsePattern);
}

// Points in time as people write them. A time without a zone is UTC, as in sitemaps, so that the same words give the
// same pages on any machine.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/**
 * Milliseconds since 1970 of a date (`2024`, `2024-05`, `2024-05-06`, `2024-05-06T08:00+02:00`), of a time before now
 * (`90m`, `24h`, `7d`, `2w`), or of the beginning of `today` or `yesterday`; `undefined` for anything else.
 */
export function parseWhen(text: string, now: number): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'today') return startOfDay(now);
  if (word === 'yesterday') return startOfDay(now) - DAY;
  const ago = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(word);
  const time = ago === null ? parseW3cDate(text.trim()) : now - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0);
  return Number.isNaN(new Date(time).getTime()) ? undefined : time;
}

function startOfDay(time: number): number {
  return Math.floor(time / DAY) * DAY;
}

/**
 * Whether something that changed at `date` may have changed at `since` or later. A date without a time covers its day
 * (a month its month, a year its year): what is dated today changed some time today.
 *
 * @param text - the date as written, where it is known; otherwise midnight counts as a date without a time
 */
export function isSince(date: Date, text: string | undefined, since: number): boolean {
  return endOfDate(date.getTime(), text) > since;
}
