/**
 * Rules about pages that need the whole site: repeated, in several sitemaps, in variants, or disallowed by robots.txt.
 */

import type { RobotsRules } from '../../robots/robots-rules.ts';
import { number } from '../../text/wording.ts';
import { parsedUrl } from '../../url.ts';
import type { EarlierListing, Site, SitemapSort } from '../known-site.ts';
import type { ListedUrl } from '../ordinary-url.ts';
import {
  type CheckedDocument,
  type CheckedEnd,
  type DocumentRule,
  oneOrMany,
  PAGE_KINDS,
  PROTOCOL,
  type Report,
  type RuleNames,
  type RuleRows,
  ruleRows,
} from '../rule.ts';
import { Form } from '../url-mark.ts';
import { Alternates } from './return-links.ts';

const LISTING = {
  severity: 'warning',
  about: 'urls',
  documents: PAGE_KINDS,
  source: PROTOCOL,
} as const;

export const LISTING_RULES: RuleRows<RuleNames['listings']> = ruleRows(LISTING, {
  'url-variants': {
    source: 'https://developers.google.com/search/docs/crawling-indexing/canonicalization',
    aggregated: true,
    what:
      'The same page is listed twice in two forms: with and without `www.`, as http and https, with and ' +
      'without a slash at the end, as `/` and `/index.html`, or in capitals and small letters.',
    why: 'A sitemap should name the one canonical address of a page. Two forms contradict each other.',
    fix: 'Choose one form, redirect the other to it, and list only the first.',
    bad: '<loc>https://example.org/shoes</loc> … <loc>https://example.org/shoes/</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-repeated': {
    what: 'A sitemap lists a URL that it has listed before.',
    why: 'The second entry adds nothing, counts towards the limit of 50,000, and may contradict the first.',
    fix: 'List each page once.',
    bad: '<loc>https://example.org/shoes</loc> … <loc>https://example.org/shoes</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-in-several-sitemaps': {
    severity: 'info',
    documents: ['site'],
    aggregated: true,
    what:
      'A page is listed in two sitemaps of the same sort. A plain sitemap and one for news, images or ' +
      'videos may both list a page, and so may a feed.',
    why:
      'It does no harm by itself, but counts of indexed pages per sitemap become useless, and dates may ' +
      'contradict.',
    fix: 'List each page in one sitemap.',
    bad: 'https://example.org/shoes in products.xml and in sale.xml',
    good: 'https://example.org/shoes in products.xml',
  },
  'page-blocked': {
    about: 'site',
    severity: 'error',
    source: 'https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt',
    aggregated: true,
    what:
      'A page is listed, but the robots.txt of its host forbids fetching it, for Googlebot or the agent ' +
      'of `--agent`.',
    why:
      'The sitemap lists a page that robots.txt forbids to fetch. The page is not crawled, and appears in search ' +
      'results without its content at best.',
    fix: 'Allow the page, or do not list it.',
    bad: 'Disallow: /internal/\n<loc>https://example.org/internal/page</loc>',
    good: 'Disallow: /internal/\n<loc>https://example.org/page</loc>',
  },
});

/** Pages that another document lists, too, until the sort of this sitemap is known. */
interface SharedPages extends Pick<Report, 'offset' | 'position'> {
  readonly url: string;
  count: number;
}

/** @param documentNumber - the number of the document in the site */
export function pageListings(site: Site, documentNumber: number): DocumentRule {
  return (document) => {
    const listings = new PageListings(site, documentNumber, document);
    const { alternates } = listings;
    return {
      startTags: {
        'sitemap:url': () => alternates.start(),
        'news:news': () => listings.shows('news'),
        'image:image': () => listings.shows('image'),
        'video:video': () => listings.shows('video'),
      },
      link: (link) => alternates.link(link),
      location(page, offset) {
        if (document.kind !== 'index-xml' && document.kind !== 'robots-txt') listings.add(page, offset);
      },
      end: (end) => listings.end(end),
    };
  };
}

class PageListings {
  readonly alternates: Alternates;
  readonly #site: Site;
  readonly #number: number;
  readonly #document: CheckedDocument;
  /** By the number of the other document. */
  readonly #shared = new Map<number, SharedPages>();
  #sort: SitemapSort = 'plain';

  constructor(site: Site, number: number, document: CheckedDocument) {
    this.#site = site;
    this.#number = number;
    this.#document = document;
    this.alternates = new Alternates(site, document.url);
  }

  /** Notes that an entry has an extension. */
  shows(sort: SitemapSort): void {
    if (this.#sort === 'plain' || sort === 'news') this.#sort = sort;
  }

  add(page: ListedUrl, offset: number): void {
    const { url, key } = page;
    const { mark, urls } = this.#site;
    mark.take(key);
    const earlier = urls.add(mark, this.#number);
    if (earlier?.isSame !== true) this.#site.distinctPages++;
    if (earlier !== undefined) this.#again(url, key, offset, earlier);
    this.alternates.endEntry();
    const robots = this.#site.robotsFor(key);
    if (robots !== undefined) this.#judgeRobots(robots, page, offset);
  }

  end({ kind, truncated }: CheckedEnd): void {
    const entry = this.#site.documents[this.#number]!;
    if (kind === 'pages-rss' || kind === 'pages-atom') this.#sort = 'feed';
    entry.sort = this.#sort;
    entry.isComplete = !truncated && kind !== 'invalid' && kind !== undefined;
    entry.firstSet = this.alternates.firstSet;
    entry.lastSet = this.alternates.lastSet;
    for (const [other, shared] of this.#shared) this.#reportShared(other, shared);
  }

  #judgeRobots(robots: RobotsRules, { url, key, isOrdinary, origin }: ListedUrl, offset: number): void {
    const line = robots.disallowing(key, isOrdinary ? url.slice(origin.length - 1) : undefined);
    if (line === undefined) return;
    const robotsTxt = `${new URL(key).origin}/robots.txt`;
    const cause = `${robotsTxt} ${line.line}`;
    if (this.#document.isOnlyCounted('page-blocked', cause)) return;
    const { agent } = this.#site.robots;
    const why = `for ${agent} by "Disallow: ${line.pattern}" (line ${line.line} of ${robotsTxt})`;
    const message = `The page is disallowed ${why}: ${url}`;
    this.#document.report({
      rule: 'page-blocked',
      cause,
      message,
      total: oneOrMany(message, (many) => `${many} pages are disallowed ${why}; the first is ${url}`),
      offset,
      page: url,
      related: [{ document: robotsTxt, line: line.line, column: 1, message: `Disallow: ${line.pattern}` }],
    });
  }

  /** Reports a page that was listed before, somewhere in the site. */
  #again(url: string, key: string, offset: number, earlier: EarlierListing): void {
    if (!earlier.isSame) this.#variant(url, key, offset, earlier);
    else if (earlier.document !== this.#number) this.#share(url, offset, earlier.document);
    else if (!this.#document.isOnlyCounted('url-repeated')) {
      const message = `The page was listed before in this document: ${url}`;
      this.#document.report({ rule: 'url-repeated', message, offset, page: url });
    }
  }

  #share(url: string, offset: number, other: number): void {
    const shared = this.#shared.get(other);
    if (shared !== undefined) shared.count++;
    else this.#shared.set(other, { url, offset, position: this.#document.place(offset), count: 1 });
  }

  #variant(url: string, key: string, offset: number, earlier: EarlierListing): void {
    const { form } = this.#site.mark;
    const differs = form ^ earlier.form;
    const difference = DIFFERENCES.find(([bit]) => (differs & bit) !== 0);
    // Two paths that both have capitals, at different letters, may be two pages: names of a wiki, keys of videos.
    if (difference === undefined) return;
    const parsed = parsedUrl(key);
    // An invalid URL has no other form.
    if (parsed === undefined) return;
    const [, cause, words] = difference;
    const other =
      differs === Form.capitals
        ? 'in another case'
        : (differs & Form.index) !== 0
          ? `${(form & Form.index) !== 0 ? 'without' : 'with'} the name of its index file`
          : `as ${inForm(parsed, form, earlier.form)}`;
    const isHere = earlier.document === this.#number;
    const name = isHere ? undefined : (this.#site.documents[earlier.document]?.name ?? '');
    const where = name === undefined ? '' : ` in ${name}`;
    const message = `The page is listed ${other} too${where}: ${url}`;
    this.#document.report({
      rule: 'url-variants',
      cause,
      message,
      total: oneOrMany(
        message,
        (many) =>
          `${many} pages are listed in two forms, ${words}; ` +
          `the first is ${url}, which is listed ${other} too${where}.`,
      ),
      offset,
      page: url,
      related: name === undefined ? undefined : [{ document: name }],
    });
  }

  #reportShared(other: number, { url, count, offset, position }: SharedPages): void {
    const { name, sort } = this.#site.documents[other]!;
    if (sort !== this.#sort) return;
    const where = `also listed in ${name}`;
    const message =
      count === 1
        ? `The page is ${where}: ${url}`
        : `${number(count)} pages are ${where}; the first is ${url}`;
    const related = [{ document: name }];
    const rule = 'url-in-several-sitemaps';
    const cause = String(other);
    this.#document.report({ rule, cause, message, offset, position, page: url, count, related });
  }
}

const DIFFERENCES: readonly (readonly [bit: number, cause: string, words: string])[] = [
  [Form.http, 'scheme', 'as http and as https'],
  [Form.www, 'www', 'with and without "www."'],
  [Form.index, 'index', 'as a folder and as its index file'],
  [Form.slash, 'slash', 'with and without a slash at the end'],
  [Form.capitals, 'case', 'with and without capitals'],
];

/** A URL in another form; its case stays. */
function inForm(url: URL, form: number, targetForm: number): string {
  const differs = form ^ targetForm;
  const other = new URL(url);
  if ((differs & Form.http) !== 0) other.protocol = (targetForm & Form.http) !== 0 ? 'http:' : 'https:';
  if ((differs & Form.www) !== 0) {
    other.hostname = (targetForm & Form.www) !== 0 ? `www.${other.hostname}` : other.hostname.slice(4);
  }
  if ((differs & Form.slash) !== 0) {
    other.pathname = (targetForm & Form.slash) !== 0 ? `${other.pathname}/` : other.pathname.slice(0, -1);
  }
  return other.href;
}
