/** The pages of one document among those of the whole site: repeated, in several sitemaps, in variants, blocked. */

import type { RobotsRules } from '../../robots/robots-rules.ts';
import { number } from '../../text/wording.ts';
import { parsedUrl } from '../../url.ts';
import type { EarlierListing, Site, SitemapSort } from '../known-site.ts';
import type { ListedUrl } from '../ordinary-url.ts';
import {
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

/** Pages that another document lists too, until it is known what sort of sitemap this one is. */
interface Shared extends Pick<Report, 'offset' | 'position'> {
  readonly url: string;
  count: number;
}

/** @param own - the number of the document in the site */
export function pageListings(site: Site, own: number): DocumentRule {
  return (document) => {
    const alternates = new Alternates(site, document.url);
    const shared = new Map<number, Shared>();
    let sort: SitemapSort = 'plain';

    const is = (found: SitemapSort) => (): void => {
      if (sort === 'plain' || found === 'news') sort = found;
    };

    const judgeRobots = (
      robots: RobotsRules,
      { url, key, isOrdinary, origin }: ListedUrl,
      offset: number,
    ): void => {
      const line = robots.disallowing(key, isOrdinary ? url.slice(origin.length - 1) : undefined);
      if (line === undefined) return;
      const robotsTxt = `${new URL(key).origin}/robots.txt`;
      const cause = `${robotsTxt} ${line.line}`;
      if (document.isOnlyCounted('page-blocked', cause)) return;
      const why = `for ${site.robots.agent} by "Disallow: ${line.pattern}" (line ${line.line} of ${robotsTxt})`;
      const message = `The page is disallowed ${why}: ${url}`;
      document.report({
        rule: 'page-blocked',
        cause,
        message,
        total: oneOrMany(message, (many) => `${many} pages are disallowed ${why}; the first is ${url}`),
        offset,
        page: url,
        related: [{ document: robotsTxt, line: line.line, column: 1, message: `Disallow: ${line.pattern}` }],
      });
    };

    const share = (url: string, offset: number, other: number): void => {
      const known = shared.get(other);
      if (known !== undefined) known.count++;
      else shared.set(other, { url, offset, position: document.place(offset), count: 1 });
    };

    const variant = (url: string, key: string, offset: number, earlier: EarlierListing): void => {
      const { form } = site.mark;
      const differs = form ^ earlier.form;
      const difference = DIFFERENCES.find(([bit]) => (differs & bit) !== 0);
      // Two paths that both have capitals, at different letters, may be two pages: names of a wiki, keys of videos.
      if (difference === undefined) return;
      const parsed = parsedUrl(key);
      // What is not a URL has no other form.
      if (parsed === undefined) return;
      const [, cause, words] = difference;
      const other =
        differs === Form.capitals
          ? 'in another case'
          : (differs & Form.index) !== 0
            ? `${(form & Form.index) !== 0 ? 'without' : 'with'} the name of its index file`
            : `as ${inForm(parsed, form, earlier.form)}`;
      const name = earlier.document === own ? undefined : (site.documents[earlier.document]?.name ?? '');
      const where = name === undefined ? '' : ` in ${name}`;
      const message = `The page is listed ${other} too${where}: ${url}`;
      document.report({
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
    };

    /** A page that was listed before, somewhere in the site. */
    const again = (url: string, key: string, offset: number, earlier: EarlierListing): void => {
      if (!earlier.isSame) variant(url, key, offset, earlier);
      else if (earlier.document !== own) share(url, offset, earlier.document);
      else if (!document.isOnlyCounted('url-repeated')) {
        const message = `The page is listed before in this document: ${url}`;
        document.report({ rule: 'url-repeated', message, offset, page: url });
      }
    };

    const listed = (page: ListedUrl, offset: number): void => {
      const { url, key } = page;
      const { mark, urls } = site;
      mark.take(key);
      const earlier = urls.add(mark, own);
      if (earlier?.isSame !== true) site.distinctPages++;
      if (earlier !== undefined) again(url, key, offset, earlier);
      alternates.endEntry();
      const robots = site.robotsFor(key);
      if (robots !== undefined) judgeRobots(robots, page, offset);
    };

    return {
      startTags: {
        'sitemap:url': () => alternates.start(),
        'news:news': is('news'),
        'image:image': is('image'),
        'video:video': is('video'),
      },
      link: (link) => alternates.link(link),
      location(page, offset) {
        if (document.kind !== 'index-xml' && document.kind !== 'robots-txt') listed(page, offset);
      },
      end({ kind, truncated }) {
        const known = site.documents[own]!;
        if (kind === 'pages-rss' || kind === 'pages-atom') sort = 'feed';
        known.sort = sort;
        known.isComplete = !truncated && kind !== 'invalid' && kind !== undefined;
        known.firstSet = alternates.firstSet;
        known.lastSet = alternates.lastSet;
        for (const [other, { url, count, offset, position }] of shared) {
          const { name, sort: otherSort } = site.documents[other]!;
          if (otherSort !== sort) continue;
          const where = `also listed in ${name}`;
          const message =
            count === 1
              ? `The page is ${where}: ${url}`
              : `${number(count)} pages are ${where}; the first is ${url}`;
          const related = [{ document: name }];
          const rule = 'url-in-several-sitemaps';
          document.report({
            rule,
            cause: String(other),
            message,
            offset,
            position,
            page: url,
            count,
            related,
          });
        }
      },
    };
  };
}

const DIFFERENCES: readonly (readonly [bit: number, cause: string, words: string])[] = [
  [Form.http, 'scheme', 'as http and as https'],
  [Form.www, 'www', 'with and without "www."'],
  [Form.index, 'index', 'as a folder and as its index file'],
  [Form.slash, 'slash', 'with and without a slash at the end'],
  [Form.capitals, 'case', 'with and without capitals'],
];

/** A URL as it would be in another form; its case stays. */
function inForm(url: URL, form: number, wanted: number): string {
  const differs = form ^ wanted;
  const other = new URL(url);
  if ((differs & Form.http) !== 0) other.protocol = (wanted & Form.http) !== 0 ? 'http:' : 'https:';
  if ((differs & Form.www) !== 0) {
    other.hostname = (wanted & Form.www) !== 0 ? `www.${other.hostname}` : other.hostname.slice(4);
  }
  if ((differs & Form.slash) !== 0) {
    other.pathname = (wanted & Form.slash) !== 0 ? `${other.pathname}/` : other.pathname.slice(0, -1);
  }
  return other.href;
}
