/** Rules about the responses of pages, which are requested only with the option `requestPages`. */
import { type RuleNames, type RuleRows, ruleRows } from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing';

const PAGE = {
  severity: 'warning',
  about: 'pages',
  documents: ['site'],
  source: `${GOOGLE}/http-network-errors`,
} as const;

export const PAGE_RULES: RuleRows<RuleNames['pages']> = ruleRows(PAGE, {
  'page-missing': {
    severity: 'error',
    what: 'A page that was requested does not exist: 404 or 410.',
    why: 'A sitemap should list pages that exist. Search engines waste requests on the others.',
    fix: 'Remove the page from the sitemap, or bring it back.',
    bad: '<loc>https://example.org/gone</loc> responds with 404',
    good: '<loc>https://example.org/there</loc> responds with 200',
  },
  'page-error': {
    severity: 'error',
    what: 'The server responds with an error (500 to 599) when the page is requested.',
    why: 'Search engines slow down, and drop the page if this lasts.',
    fix: 'Fix the page or the server.',
    bad: '<loc>https://example.org/shoes</loc> responds with 500',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-redirected': {
    what: 'The page redirects to another one, which the message names.',
    why:
      'A sitemap should list the final addresses: a redirect costs a request, and the listed address is ' +
      'not indexed.',
    fix: 'List the page that it redirects to.',
    bad: '<loc>http://example.org/shoes</loc> redirects to https',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'page-refused': {
    what: 'The server refuses the page: 401, 403, 429, or another status from 400 to 499 than 404 and 410.',
    why: 'It may refuse it to search engines as well, or only to unknown clients. A check cannot tell which.',
    fix: 'Find out what crawlers get: in the server’s log, or with the URL inspection of Search Console.',
    bad: '<loc>https://example.org/members</loc> responds with 403',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-unreachable': {
    what:
      'There is no response for the page, or its head does not arrive: no connection, no name, a time limit (30 ' +
      'seconds at most), too many redirects.',
    why: 'Search engines cannot read the page either while this lasts.',
    fix: 'The message has the reason: correct the address, the redirect or the server.',
    bad: '<loc>https://old.example.org/shoes</loc>: the name does not resolve',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-noindex': {
    severity: 'error',
    source: `${GOOGLE}/block-indexing`,
    what: 'The page says `noindex`, in a robots meta tag or in the header `X-Robots-Tag`.',
    why: 'The sitemap asks to index a page that forbids it.',
    fix: 'Remove the page from the sitemap, or the `noindex` from the page.',
    bad: '<meta name="robots" content="noindex">',
    good: '<meta name="robots" content="index, follow">',
  },
  'page-canonical': {
    source: `${GOOGLE}/consolidate-duplicate-urls`,
    what:
      'The page names another page as its canonical one. A link with `hreflang`, `lang`, `media` or `type` does not ' +
      'count, as for Google.',
    why: 'Search engines index the other page. A sitemap should list canonical pages only.',
    fix: 'List the canonical page instead.',
    bad: '<link rel="canonical" href="https://example.org/shoes"> on https://example.org/shoes?color=red',
    good: '<link rel="canonical" href="https://example.org/shoes"> on https://example.org/shoes',
  },
});
