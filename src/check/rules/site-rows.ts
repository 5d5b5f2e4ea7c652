/** The rows of the rules about a site: its robots.txt, and how its sitemaps are declared and delivered. */
import { FETCH_PROBLEMS, type FetchProblemCode } from '../../problems/catalogue.ts';
import type { CheckedKind, RuleRow, RuleRows } from '../rule.ts';

const PROTOCOL = 'https://www.sitemaps.org/protocol.html';
const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap';
const GOOGLE_INDEX = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps';
const GOOGLE_ROBOTS = 'https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt';
const RFC = 'https://www.rfc-editor.org/rfc/rfc9309';
const DECLARING: readonly CheckedKind[] = ['index-xml', 'robots-txt'];

/** The rules of this file. */
export type SiteRule =
  | 'sitemap-unreadable'
  | 'sitemap-recursion'
  | 'sitemap-is-html'
  | 'sitemap-blocked'
  | 'page-blocked'
  | 'sitemap-redirected'
  | 'sitemap-other-host'
  | 'sitemap-outside-directory'
  | 'sitemap-repeated'
  | 'sitemap-not-declared'
  | 'no-robots-txt'
  | 'robots-txt-failed'
  | 'robots-over-500-kib'
  | 'robots-relative-sitemap'
  | 'content-type'
  | FetchProblemCode;

const SITE = { about: 'site', documents: ['site'], source: PROTOCOL } as const satisfies Partial<RuleRow>;

/** What fetching left on a document. */
function fetchRow(code: FetchProblemCode, severity: RuleRow['severity'], fix: string): RuleRow {
  return {
    ...SITE,
    severity,
    source: 'https://www.rfc-editor.org/rfc/rfc9110',
    explanation: {
      what: FETCH_PROBLEMS[code],
      why: 'Others get less of the document than is meant, or none of it.',
      fix,
    },
    bad: 'A response that is not what its headers say, or not complete',
    good: 'A complete response',
  };
}

const SERVER = 'Find out what ends the response: a time limit of the server, of a proxy, or of the program.';
const COMPRESSION =
  'Compress the file again, and look at what compresses responses on the way: only one should.';

export const SITE_RULES: RuleRows<SiteRule> = {
  'sitemap-unreadable': {
    ...SITE,
    severity: 'error',
    explanation: {
      what:
        'A sitemap that is declared cannot be fetched or read; the message has the reason. Not reported for ' +
        'what was not fetched by choice: because of a limit, a private network, or without a network.',
      why: 'All pages in it are missing from the site’s sitemaps.',
      fix: 'Mend the sitemap or its address, or remove the declaration.',
    },
    bad: 'Sitemap: https://example.org/old-sitemap.xml responds with 404',
    good: 'Sitemap: https://example.org/sitemap.xml responds with 200',
  },
  'sitemap-recursion': {
    ...SITE,
    severity: 'error',
    source: GOOGLE_INDEX,
    explanation: {
      what: 'A sitemap index lists itself or an index above it, directly or by a redirect.',
      why: 'Nothing is found that way. Search engines report an error.',
      fix: 'List the sitemaps that have pages.',
    },
    bad: 'In https://example.org/index.xml:\n<loc>https://example.org/index.xml</loc>',
    good: 'In https://example.org/index.xml:\n<loc>https://example.org/pages.xml</loc>',
  },
  'sitemap-is-html': {
    ...SITE,
    severity: 'error',
    explanation: {
      what: 'Instead of a sitemap there is an HTML page: an error page, a login form, a bot wall, the homepage.',
      why: 'All pages in the sitemap are missing.',
      fix: 'Open the address without cookies in a browser and see what comes. Let crawlers pass a bot wall.',
    },
    bad: 'https://example.org/sitemap.xml responds with <!doctype html>…',
    good: 'https://example.org/sitemap.xml responds with <urlset>…',
  },
  'sitemap-blocked': {
    ...SITE,
    severity: 'error',
    documents: DECLARING,
    source: GOOGLE_ROBOTS,
    explanation: {
      what: 'The robots.txt of the sitemap’s host disallows to fetch it, for Googlebot or the agent of `--agent`.',
      why: 'Search engines obey robots.txt and do not read the sitemap.',
      fix: 'Allow the address of the sitemap.',
    },
    bad: 'Disallow: /sitemap\nSitemap: https://example.org/sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'page-blocked': {
    ...SITE,
    severity: 'error',
    documents: ['pages-xml', 'pages-text', 'pages-rss', 'pages-atom'],
    source: GOOGLE_ROBOTS,
    aggregated: true,
    explanation: {
      what:
        'A page is listed, but the robots.txt of its host disallows to fetch it, for Googlebot or the agent ' +
        'of `--agent`.',
      why:
        'The sitemap asks for what robots.txt forbids. The page is not crawled, and appears in search ' +
        'results without its content at best.',
      fix: 'Allow the page, or do not list it.',
    },
    bad: 'Disallow: /internal/\n<loc>https://example.org/internal/page</loc>',
    good: 'Disallow: /internal/\n<loc>https://example.org/page</loc>',
  },
  'sitemap-redirected': {
    ...SITE,
    severity: 'warning',
    documents: DECLARING,
    explanation: {
      what: 'A sitemap is declared by an address that redirects.',
      why: 'It costs a request each time, and may end when the redirect is cleaned up.',
      fix: 'Declare the address that it redirects to.',
    },
    bad: 'Sitemap: http://example.org/sitemap.xml redirects to https',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'sitemap-other-host': {
    ...SITE,
    severity: 'warning',
    documents: ['index-xml'],
    source: GOOGLE_INDEX,
    explanation: {
      what: 'A sitemap index lists a sitemap on another host.',
      why: 'Search engines follow it only where both hosts are verified by the same owner.',
      fix: 'Put the sitemap on the host of the index, or declare it in robots.txt directly.',
    },
    bad: 'In https://example.org/index.xml:\n<loc>https://files.example.net/1.xml</loc>',
    good: 'In https://example.org/index.xml:\n<loc>https://example.org/1.xml</loc>',
  },
  'sitemap-outside-directory': {
    ...SITE,
    severity: 'warning',
    documents: ['index-xml'],
    source: GOOGLE_INDEX,
    explanation: {
      what: 'A sitemap index lists a sitemap that is not in its directory or below it.',
      why: 'Google asks for sitemaps in the directory of the index or below, and may ignore others.',
      fix: 'Put the index at the root of the site.',
    },
    bad: 'In https://example.org/maps/index.xml:\n<loc>https://example.org/1.xml</loc>',
    good: 'In https://example.org/index.xml:\n<loc>https://example.org/1.xml</loc>',
  },
  'sitemap-repeated': {
    ...SITE,
    severity: 'info',
    documents: DECLARING,
    explanation: {
      what: 'A sitemap is declared twice: in one index or robots.txt, or in two of them.',
      why: 'It does no harm, but hides which declaration counts.',
      fix: 'Declare each sitemap once. What an index lists need not be in robots.txt.',
    },
    bad: 'Sitemap: https://example.org/sitemap.xml\nSitemap: https://example.org/sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'sitemap-not-declared': {
    ...SITE,
    severity: 'info',
    source: `${PROTOCOL}#submit_robots`,
    explanation: {
      what: 'A sitemap was found at a known path or by a link of the homepage, and nothing declares it.',
      why: 'Search engines do not guess. Unless it was submitted to them by hand, they do not know it.',
      fix: 'Add a Sitemap line to robots.txt.',
    },
    bad: 'robots.txt without a Sitemap line, and a sitemap at /sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'no-robots-txt': {
    ...SITE,
    severity: 'info',
    source: RFC,
    explanation: {
      what: 'There is no robots.txt: the server responds with a status from 400 to 499, or with an HTML page.',
      why: 'Everything may be crawled, which is fine; but sitemaps cannot be declared.',
      fix: 'Add a robots.txt with a Sitemap line.',
    },
    bad: 'https://example.org/robots.txt responds with 404',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'robots-txt-failed': {
    ...SITE,
    severity: 'error',
    source: GOOGLE_ROBOTS,
    explanation: {
      what: 'robots.txt cannot be read: the server responds with an error (500 to 599, or 429), or not at all.',
      why: 'Google then treats the whole site as disallowed, and stops to crawl it.',
      fix: 'Mend the server; a status of 404 would be better than an error.',
    },
    bad: 'https://example.org/robots.txt responds with 503',
    good: 'https://example.org/robots.txt responds with 200',
  },
  'robots-over-500-kib': {
    ...SITE,
    severity: 'warning',
    documents: ['robots-txt'],
    source: RFC,
    explanation: {
      what: 'robots.txt has more than 512,000 bytes (500 KiB).',
      why: 'Google ignores what is behind that, Sitemap lines included.',
      fix: 'Shorten it, usually by patterns with `*` instead of lists.',
    },
    bad: 'robots.txt, 820,114 bytes',
    good: 'robots.txt, 2,114 bytes',
  },
  'robots-relative-sitemap': {
    ...SITE,
    severity: 'warning',
    documents: ['robots-txt'],
    source: `${PROTOCOL}#submit_robots`,
    explanation: {
      what: 'A Sitemap line of robots.txt has a relative URL.',
      why: 'It must be a whole URL. Search engines ignore the line.',
      fix: 'Write the whole URL, with https and the host.',
    },
    bad: 'Sitemap: /sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'content-type': {
    ...SITE,
    severity: 'info',
    source: GOOGLE,
    explanation: {
      what: 'The Content-Type of a sitemap is neither XML, nor plain text, nor gzip.',
      why: 'Search engines look at the content, so it does little harm; browsers and tools may not.',
      fix: 'Send `application/xml`, `text/plain` for a text sitemap, or `application/gzip` for a .gz file.',
    },
    bad: 'Content-Type: text/html',
    good: 'Content-Type: application/xml; charset=utf-8',
  },
  'changed-on-retry': fetchRow('changed-on-retry', 'warning', SERVER),
  'connection-broke': fetchRow('connection-broke', 'error', SERVER),
  'encoding-damaged': fetchRow('encoding-damaged', 'error', COMPRESSION),
  'gzip-bad-checksum': fetchRow('gzip-bad-checksum', 'error', COMPRESSION),
  'gzip-corrupt': fetchRow('gzip-corrupt', 'error', COMPRESSION),
  'gzip-trailing-bytes': fetchRow('gzip-trailing-bytes', 'warning', COMPRESSION),
  'gzip-truncated': fetchRow('gzip-truncated', 'error', COMPRESSION),
  'partial-content': fetchRow('partial-content', 'error', SERVER),
  'too-large': fetchRow(
    'too-large',
    'info',
    'Raise `maxSitemapBytes` to check all of it, or divide the sitemap.',
  ),
  'unknown-content-encoding': fetchRow('unknown-content-encoding', 'warning', COMPRESSION),
  'wrong-content-encoding': fetchRow('wrong-content-encoding', 'warning', COMPRESSION),
};
