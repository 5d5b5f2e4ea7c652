/** The values of filters, checked and parsed: patterns of URLs, and points in time. */

import { timeOfDate } from '../parse/values/date.ts';
import { parseW3cDate } from '../parse/values/w3c-date.ts';
import { type Accepted, BOOLEAN, wholeNumber } from '../problems/arguments.ts';
import { badOption, SitemapException } from '../problems/errors.ts';
import type {
  PageFilterOptions,
  SitemapFilterOptions,
  SitePageOptions,
  UrlPattern,
} from './filter-options.ts';

export type UrlMatcher = (url: string) => boolean;

/**
 * Compiles a pattern. Case counts, as it does in URLs.
 *
 * @throws SitemapException with code `bad-option` for an empty pattern, or a regular expression that does not compile
 */
export function parsePattern(pattern: UrlPattern): UrlMatcher {
  if (pattern instanceof RegExp) {
    // A copy without `g` and `y`, with which a result depends on the URL before.
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

// Not a regular expression with `.*`: this is linear in the URL, however many stars there are. A `?` means itself,
// since many URLs have one.
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
      const partAt = url.indexOf(part, at);
      if (partAt === -1 || partAt + part.length > end) return false;
      at = partAt + part.length;
    }
    return true;
  };
}

/** @throws SitemapException with code `bad-option` if a value is not a pattern */
export function matchersOf(patterns: unknown): readonly UrlMatcher[] {
  if (patterns === undefined) return [];
  return (Array.isArray(patterns) ? patterns : [patterns]).map(parsePattern);
}

// Points in time as people write them. A time without a zone is UTC, as in sitemaps, so that the same words give the
// same pages on any machine.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }),
);

/**
 * Milliseconds since 1970 of a date (`2024`, `2024-05`, `2024-05-06`, `2024-05-06T08:00+02:00`), of a time before now
 * (`90m`, `24h`, `7d`, `2w`), or of the beginning of `today` or `yesterday`; `undefined` for anything else.
 */
export function parseWhen(text: string, now: number): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'today') return startOfDay(now);
  if (word === 'yesterday') return startOfDay(now) - DAY;
  const ago = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(word);
  const time =
    ago === null ? parseW3cDate(text.trim()) : now - Number(ago[1]) * (UNITS.get(ago[2] ?? '') ?? 0);
  return Number.isNaN(new Date(time).getTime()) ? undefined : time;
}

function startOfDay(time: number): number {
  return Math.floor(time / DAY) * DAY;
}

/** Milliseconds since 1970 of a value of `since` or `until`; undefined for an invalid value. */
export function timeOf(when: unknown, now: number): number | undefined {
  const time = typeof when === 'string' ? parseWhen(when, now) : timeOfDate(when);
  return Number.isNaN(time) ? undefined : time;
}

const WHEN: Accepted = {
  type: '`Date` or `string`',
  accepts: 'a Date, a date such as 2024-05-06, a time before now such as 24h or 7d, today or yesterday',
  test: (value) => timeOf(value, Date.now()) !== undefined,
};

const PATTERNS: Accepted = {
  type: '`string` or `RegExp`, or an array of these',
  accepts: 'a pattern, or an array of patterns',
  // For an invalid pattern `matchersOf` throws, and says what is wrong.
  test: (value) => matchersOf(value).length >= 0,
};

/** The filters of pages. */
export const PAGE_FILTERS: Readonly<Record<keyof PageFilterOptions, Accepted>> = {
  since: WHEN,
  until: WHEN,
  undated: {
    type: "`'keep'` or `'drop'`",
    accepts: 'keep or drop',
    test: (value) => value === 'keep' || value === 'drop',
  },
  include: PATTERNS,
  exclude: PATTERNS,
  unique: BOOLEAN,
};

export const HOSTS: readonly NonNullable<SitePageOptions['hosts']>[] = ['any', 'same', 'subdomains'];

/** The filters of pages that need the site. */
export const SITE_PAGE_FILTERS: Readonly<Record<keyof SitePageOptions, Accepted>> = {
  ...PAGE_FILTERS,
  hosts: {
    type: HOSTS.map((word) => `\`'${word}'\``).join(', '),
    accepts: 'any, same or subdomains',
    test: (value) => HOSTS.some((word) => word === value),
  },
  sample: wholeNumber(1),
  listAlternates: BOOLEAN,
};

/** The filters of sitemaps. */
export const SITEMAP_FILTERS: Readonly<Record<keyof SitemapFilterOptions, Accepted>> = {
  sitemapInclude: PATTERNS,
  sitemapExclude: PATTERNS,
};
