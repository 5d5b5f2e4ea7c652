/** Rules about the sitemaps that an index or a robots.txt declares. Findings have the place of the declaration. */

import { isIndexKind } from '../../parse/model/kinds.ts';
import { resolveUrl } from '../../parse/values/written-url.ts';
import { isNeverRequested } from '../../problems/catalogue.ts';
import { ROBOTS_LIMIT_BYTES } from '../../robots/robots-rules.ts';
import { clip } from '../../text/wording.ts';
import { documentKey, parsedUrl } from '../../url.ts';
import type { DeclaredSitemap, Site } from '../known-site.ts';
import {
  type DocumentRule,
  PROTOCOL,
  type RuleName,
  type RuleNames,
  type RuleRows,
  ruleRows,
} from '../rule.ts';

const GOOGLE_INDEX = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps';
const GOOGLE_ROBOTS = 'https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt';
const DECLARING = ['index-xml', 'robots-txt'] as const;

const SITE = { severity: 'warning', about: 'site', documents: ['site'], source: PROTOCOL } as const;

export const DECLARATION_RULES: RuleRows<RuleNames['declarations']> = ruleRows(SITE, {
  'sitemap-unreadable': {
    severity: 'error',
    what:
      'A sitemap that is declared cannot be fetched or read; the message has the reason. Not reported for a sitemap ' +
      'that was not requested: because of a limit, a private network, a proxy or a WARC file, or without a network.',
    why: 'All pages in it are missing from the site’s sitemaps.',
    fix: 'Fix the sitemap or its address, or remove the declaration.',
    bad: 'Sitemap: https://example.org/old-sitemap.xml responds with 404',
    good: 'Sitemap: https://example.org/sitemap.xml responds with 200',
  },
  'sitemap-recursion': {
    severity: 'error',
    source: GOOGLE_INDEX,
    what: 'A sitemap index lists itself or an index above it, directly or by a redirect.',
    why: 'Nothing is found that way. Search engines report an error.',
    fix: 'List the sitemaps that have pages.',
    bad: 'In https://example.org/index.xml:\n<loc>https://example.org/index.xml</loc>',
    good: 'In https://example.org/index.xml:\n<loc>https://example.org/pages.xml</loc>',
  },
  'sitemap-is-html': {
    severity: 'error',
    what: 'Instead of a sitemap there is an HTML page: an error page, a login form, a bot wall, the homepage.',
    why: 'All pages in the sitemap are missing.',
    fix: 'Open the address without cookies in a browser and see what comes. Let crawlers pass a bot wall.',
    bad: 'https://example.org/sitemap.xml responds with <!doctype html>…',
    good: 'https://example.org/sitemap.xml responds with <urlset>…',
  },
  'sitemap-blocked': {
    severity: 'error',
    documents: DECLARING,
    source: GOOGLE_ROBOTS,
    what: 'The robots.txt of the sitemap’s host forbids fetching it, for Googlebot or the agent of `--agent`.',
    why: 'Search engines obey robots.txt and do not read the sitemap.',
    fix: 'Allow the address of the sitemap.',
    bad: 'Disallow: /sitemap\nSitemap: https://example.org/sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'sitemap-redirected': {
    documents: DECLARING,
    what: 'A sitemap is declared by an address that redirects.',
    why: 'It costs a request each time, and may end when the redirect is cleaned up.',
    fix: 'Declare the address that it redirects to.',
    bad: 'Sitemap: http://example.org/sitemap.xml redirects to https',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'sitemap-other-host': {
    documents: ['index-xml'],
    source: GOOGLE_INDEX,
    what: 'A sitemap index lists a sitemap on another host.',
    why: 'Search engines follow it only if both hosts are verified by the same owner.',
    fix: 'Put the sitemap on the host of the index, or declare it in robots.txt directly.',
    bad: 'In https://example.org/index.xml:\n<loc>https://files.example.net/1.xml</loc>',
    good: 'In https://example.org/index.xml:\n<loc>https://example.org/1.xml</loc>',
  },
  'sitemap-outside-directory': {
    documents: ['index-xml'],
    source: GOOGLE_INDEX,
    what: 'A sitemap index lists a sitemap that is not in its directory or below it.',
    why: 'Google asks for sitemaps in the directory of the index or below, and may ignore others.',
    fix: 'Put the index at the root of the site.',
    bad: 'In https://example.org/maps/index.xml:\n<loc>https://example.org/1.xml</loc>',
    good: 'In https://example.org/index.xml:\n<loc>https://example.org/1.xml</loc>',
  },
  'sitemap-repeated': {
    severity: 'info',
    documents: DECLARING,
    what: 'A sitemap is declared twice: in one index or robots.txt, or in two of them.',
    why: 'It does no harm, but hides which declaration counts.',
    fix: 'Declare each sitemap once. A sitemap that an index lists need not be in robots.txt.',
    bad: 'Sitemap: https://example.org/sitemap.xml\nSitemap: https://example.org/sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'robots-over-500-kib': {
    documents: ['robots-txt'],
    source: 'https://www.rfc-editor.org/rfc/rfc9309',
    what: 'robots.txt has more than 512,000 bytes (500 KiB).',
    why: 'Google ignores the rest, including Sitemap lines.',
    fix: 'Shorten it, usually by patterns with `*` instead of lists.',
    bad: 'robots.txt, 820,114 bytes',
    good: 'robots.txt, 2,114 bytes',
  },
  'robots-relative-sitemap': {
    documents: ['robots-txt'],
    source: `${PROTOCOL}#submit_robots`,
    what: 'A Sitemap line of robots.txt has a relative URL.',
    why: 'It must be a whole URL. Search engines ignore the line.',
    fix: 'Write the whole URL, with https and the host.',
    bad: 'Sitemap: /sitemap.xml',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'nested-index': {
    about: 'limits',
    severity: 'error',
    source: `${PROTOCOL}#index`,
    what: 'A sitemap index lists another sitemap index.',
    why: 'The protocol allows sitemaps in an index, not indexes. Search engines do not read the inner one.',
    fix: 'List the sitemaps of the inner index in the outer one, or declare both indexes in robots.txt.',
    bad: '<sitemapindex>\n  <sitemap><loc>https://example.org/another-index.xml</loc></sitemap>\n</sitemapindex>',
    good: 'Sitemap: https://example.org/index.xml\nSitemap: https://example.org/another-index.xml',
  },
});

/** How many declarations are remembered; a tree has at most 50,000 nodes by default. */
const MOST_DECLARED = 500_000;

export type DeclaredSitemaps = ReadonlyMap<string, DeclaredSitemap>;

/** @param sitemaps - the results of the sitemaps that the document declares, as far as they are known */
export function declarations(site: Site, sitemaps: DeclaredSitemaps): DocumentRule {
  return (document) => {
    const documentUrl = document.url === undefined ? undefined : parsedUrl(document.url);
    const ownKey = document.url === undefined ? undefined : documentKey(document.url);
    let lastmod: { readonly text: string; readonly offset: number } | undefined;

    /** @param sitemap - the URL of the child that it is about, by which a baseline compares it */
    const report = (rule: RuleName, message: string, offset?: number, sitemap?: string): void =>
      document.report({ rule, message, offset, page: sitemap });

    const judgePlace = (url: string, offset: number): void => {
      const parsed = parsedUrl(url);
      if (documentUrl === undefined || parsed === undefined) return;
      const { host, pathname } = parsed;
      const directory = documentUrl.pathname.replace(/[^/]*$/, '');
      if (host !== documentUrl.host) {
        const message = `The sitemap is on ${host}, but the index is on ${documentUrl.host}: ${url}`;
        report('sitemap-other-host', message, offset, url);
      } else if (!pathname.startsWith(directory)) {
        const message = `The sitemap is not below ${directory}, where the index is: ${url}`;
        report('sitemap-outside-directory', message, offset, url);
      }
    };

    const rememberLastmod = (key: string, page: string): void => {
      if (lastmod === undefined) return;
      const { text, offset } = lastmod;
      const place = { document: document.name, offset, ...document.place(offset) };
      site.addPending(key, { text, page, place });
      lastmod = undefined;
    };

    const judgeRobots = (url: string, offset: number): void => {
      const line = site.robots.of(url)?.disallowing(url);
      if (line === undefined) return;
      const message =
        `The sitemap is disallowed for ${site.robots.agent} by "Disallow: ${line.pattern}" (line ${line.line} of ` +
        `robots.txt): ${url}`;
      report('sitemap-blocked', message, offset, url);
    };

    const judgeState = (url: string, { redirectedTo, failure }: DeclaredSitemap, offset: number): void => {
      if (redirectedTo !== undefined) {
        report('sitemap-redirected', `The sitemap redirects to ${redirectedTo}: ${url}`, offset, url);
      }
      const rule = failure === undefined ? undefined : failureRule(failure);
      if (failure !== undefined && rule !== undefined) report(rule, failure.reason, offset, url);
    };

    return {
      startTags: {
        'sitemap:sitemap': () => {
          lastmod = undefined;
        },
      },
      values: {
        'sitemap:lastmod': (value) => {
          if (document.kind !== 'pages-xml' && value.textLength > 0)
            lastmod = { text: value.text(), offset: value.offset };
        },
      },
      location({ url }, offset) {
        const { kind } = document;
        if (!isIndexKind(kind)) return;
        const key = documentKey(url);
        const state = sitemaps.get(key);
        if (kind === 'index-xml') {
          judgePlace(url, offset);
          // A sitemap that was not fetched has no pages to compare with.
          if (state !== undefined) rememberLastmod(key, url);
        }
        const isItself = kind === 'index-xml' && key === ownKey;
        if (isItself || state?.failure?.code === 'recursion') {
          const message = `The index leads back to itself, or to an index above it: ${url}`;
          report('sitemap-recursion', message, offset, url);
          return;
        }
        if (kind === 'index-xml' && state?.kind === 'index-xml') {
          report('nested-index', `The index lists another index: ${url}`, offset, url);
        }
        const earlier = site.declared.get(key);
        if (earlier === undefined) {
          if (site.declared.size < MOST_DECLARED) site.declared.set(key, document.name);
          judgeRobots(url, offset);
          if (state !== undefined) judgeState(url, state, offset);
        } else {
          const where = earlier === document.name ? 'before in this document' : `in ${earlier}`;
          report('sitemap-repeated', `The sitemap is also declared ${where}: ${url}`, offset, url);
        }
      },
      // A relative URL in robots.txt has a rule of its own.
      problem({ code, option, subject = '', offset }) {
        // If the robots.txt has no URL, for example because it is a file, a relative URL cannot be resolved.
        const isRelative = code === 'relative-url' || (code === 'unresolvable-url' && option === 'url');
        if (!isRelative || document.kind !== 'robots-txt') return false;
        const resolved = resolveUrl(subject, document.url);
        const what = resolved === undefined ? 'relative' : `relative, and was resolved to ${resolved}`;
        report(
          'robots-relative-sitemap',
          `The URL of a Sitemap line is ${what}: ${clip(subject, 200)}`,
          offset,
        );
        return true;
      },
      end({ kind, bytes }) {
        if (kind !== 'robots-txt' || bytes <= ROBOTS_LIMIT_BYTES) return;
        const size = bytes.toLocaleString('en');
        report('robots-over-500-kib', `robots.txt has ${size} bytes; Google reads the first 512,000.`);
      },
    };
  };
}

/** The rule for a sitemap that could not be read; undefined if it was not requested. */
export function failureRule({ code, isHtml }: { code: string; isHtml: boolean }): RuleName | undefined {
  if (isNeverRequested(code)) return undefined;
  if (code === 'recursion') return 'sitemap-recursion';
  return isHtml ? 'sitemap-is-html' : 'sitemap-unreadable';
}
