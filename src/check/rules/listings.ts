/** The pages of one document among those of the whole site: repeated, in several sitemaps, in variants, blocked. */

import type { RobotsRules } from '../../robots/robots-rules.ts';
import type { EarlierListing, Site, SitemapSort } from '../known-site.ts';
import type { PlainPage } from '../plain-page.ts';
import {
  type CheckedDocument,
  type CheckedEnd,
  type DocumentListener,
  oneOrMany,
  PAGE_KINDS,
  PROTOCOL,
  type Report,
  type Rows,
  ruleRows,
} from '../rule.ts';
import { urlKey } from '../url-key.ts';
import { Form } from '../url-mark.ts';
import type { Alternates } from './return-links.ts';

const LISTING = {
  severity: 'warning',
  about: 'urls',
  documents: PAGE_KINDS,
  source: PROTOCOL,
} as const;

export const LISTING_RULES: Rows = ruleRows(LISTING, {
  'url-variants': {
    source: 'https://developers.google.com/search/docs/crawling-indexing/canonicalization',
    aggregated: true,
    what:
      'The same page is listed twice in two forms: with and without `www.`, as http and https, with and ' +
      'without a slash at the end, as `/` and `/index.html`, or in capitals and small letters.',
    why: 'A sitemap should name the one canonical address of a page. Two forms contradict each other.',
    fix: 'Choose one form, redirect the other to it, and list the one.',
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
      'The sitemap asks for what robots.txt forbids. The page is not crawled, and appears in search ' +
      'results without its content at best.',
    fix: 'Allow the page, or do not list it.',
    bad: 'Disallow: /internal/\n<loc>https://example.org/internal/page</loc>',
    good: 'Disallow: /internal/\n<loc>https://example.org/page</loc>',
  },
});

const QUESTION = 0x3f;

/** Pages that another document lists too, until it is known what sort of sitemap this one is. */
interface Shared {
  readonly first: Report;
  count: number;
}

export class PageListings implements DocumentListener {
  readonly #site: Site;
  readonly #number: number;
  readonly #document: CheckedDocument;
  readonly #alternates: Alternates;
  readonly #shared = new Map<number, Shared>();
  #sort: SitemapSort = 'plain';
  /** The origin of the last plain page, and its rules. */
  #origin = '';
  #robots: RobotsRules | undefined;

  readonly startTags: NonNullable<DocumentListener['startTags']>;

  /** @param number - of the document in the site */
  constructor(site: Site, number: number, document: CheckedDocument, alternates: Alternates) {
    this.#site = site;
    this.#number = number;
    this.#document = document;
    this.#alternates = alternates;
    const is = (sort: SitemapSort) => (): void => {
      if (this.#sort === 'plain' || sort === 'news') this.#sort = sort;
    };
    this.startTags = {
      'sitemap:url': () => alternates.start(),
      'xhtml:link': (_offset, attributes) => alternates.link(attributes),
      'news:news': is('news'),
      'image:image': is('image'),
      'video:video': is('video'),
    };
  }

  plainPage(page: PlainPage): void {
    const { entry, origin } = page;
    this.#alternates.start();
    if (!page.isOrdinary) {
      this.location(entry.url, entry.urlOffset);
      return;
    }
    if (origin !== this.#origin) {
      this.#origin = origin;
      this.#robots = this.#site.robotsFor(origin);
    }
    const { bytes, view, urlStart, urlEnd } = entry;
    const { mark, urls } = this.#site;
    const query = page.hasQuery ? bytes.indexOf(QUESTION, urlStart) : urlEnd;
    mark.takeParts(bytes, view, urlStart, page.pathStart, query, urlEnd);
    const earlier = urls.add(mark, this.#number);
    if (earlier !== undefined) this.#again(entry.url, entry.url, entry.urlOffset, earlier);
    if (this.#robots?.mayDisallow(page) === true)
      this.#blocked(this.#robots, entry.url, entry.url, entry.urlOffset);
  }

  location(url: string, offset: number): void {
    const { kind } = this.#document;
    if (kind === 'index-xml' || kind === 'robots-txt') return;
    const { mark, urls } = this.#site;
    const key = urlKey(url);
    const robots = this.#site.robotsFor(key);
    mark.take(key);
    const earlier = urls.add(mark, this.#number);
    if (earlier?.isSame !== true) this.#site.distinctPages++;
    if (earlier !== undefined) this.#again(url, key, offset, earlier);
    this.#alternates.endEntry(earlier === undefined || !earlier.isSame);
    if (robots !== undefined) this.#blocked(robots, url, key, offset);
  }

  #blocked(robots: RobotsRules, url: string, key: string, offset: number): void {
    const line = robots.disallowing(key);
    if (line === undefined) return;
    const robotsTxt = `${new URL(key).origin}/robots.txt`;
    const cause = `${robotsTxt} ${line.line}`;
    if (this.#document.counts('page-blocked', cause)) return;
    const { agent } = this.#site;
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

  end({ kind, truncated }: CheckedEnd): void {
    const known = this.#site.documents[this.#number]!;
    if (kind === 'pages-rss' || kind === 'pages-atom') this.#sort = 'feed';
    known.sort = this.#sort;
    known.isComplete = !truncated && kind !== 'invalid' && kind !== undefined;
    known.hasAlternates = this.#alternates.isUsed;
    for (const [number, { first, count }] of this.#shared) {
      const other = this.#site.documents[number]!;
      if (other.sort !== this.#sort) continue;
      const { page } = first;
      const where = `also listed in ${other.name}`;
      const message = oneOrMany(
        `The page is ${where}: ${page}`,
        (many) => `${many} pages are ${where}; the first is ${page}`,
      )(count);
      this.#document.report({ ...first, message, count, related: [{ document: other.name }] });
    }
  }

  /** A page that was listed before, somewhere in the site. */
  #again(url: string, key: string, offset: number, { document, form, isSame }: EarlierListing): void {
    if (!isSame) {
      this.#variant(url, key, offset, form, document);
    } else if (document === this.#number) {
      if (this.#document.counts('url-repeated')) return;
      const message = `The page is listed before in this document: ${url}`;
      this.#document.report({ rule: 'url-repeated', message, offset, page: url });
    } else {
      this.#share(url, offset, document);
    }
  }

  #share(url: string, offset: number, number: number): void {
    const known = this.#shared.get(number);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const position = this.#document.place(offset);
    const first: Report = {
      rule: 'url-in-several-sitemaps',
      cause: String(number),
      message: '',
      offset,
      position,
      page: url,
    };
    this.#shared.set(number, { first, count: 1 });
  }

  #variant(url: string, key: string, offset: number, earlierForm: number, number: number): void {
    const { form } = this.#site.mark;
    const differs = form ^ earlierForm;
    const difference = DIFFERENCES.find(([bit]) => (differs & bit) !== 0);
    // Two paths that both have capitals, at different letters, may be two pages: names of a wiki, keys of videos.
    if (difference === undefined) return;
    const [, cause, words] = difference;
    const other =
      differs === Form.capitals
        ? 'in another case'
        : (differs & Form.index) !== 0
          ? `${(form & Form.index) !== 0 ? 'without' : 'with'} the name of its index file`
          : `as ${inForm(key, form, earlierForm)}`;
    const where = number === this.#number ? '' : ` in ${this.#site.documents[number]?.name}`;
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
      related: number === this.#number ? undefined : [{ document: this.#site.documents[number]?.name ?? '' }],
    });
  }
}

const DIFFERENCES: readonly (readonly [bit: number, cause: string, words: string])[] = [
  [Form.http, 'scheme', 'as http and as https'],
  [Form.www, 'www', 'with and without "www."'],
  [Form.index, 'index', 'as a folder and as its index file'],
  [Form.slash, 'slash', 'with and without a slash at the end'],
  [Form.capitals, 'case', 'with and without capitals'],
];

/** A URL as it would be in another form; its case stays. */
function inForm(url: string, form: number, wanted: number): string {
  const differs = form ^ wanted;
  const parsed = new URL(url);
  if ((differs & Form.http) !== 0) parsed.protocol = (wanted & Form.http) !== 0 ? 'http:' : 'https:';
  if ((differs & Form.www) !== 0) {
    parsed.hostname = (wanted & Form.www) !== 0 ? `www.${parsed.hostname}` : parsed.hostname.slice(4);
  }
  if ((differs & Form.slash) !== 0) {
    parsed.pathname = (wanted & Form.slash) !== 0 ? `${parsed.pathname}/` : parsed.pathname.slice(0, -1);
  }
  return parsed.href;
}
