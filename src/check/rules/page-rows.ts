/** The rows of the rules about the pages themselves, which are requested only where that is asked for. */
import type { RuleRow, RuleRows } from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing';

/** The rules of this file. */
export type PageRule =
  | 'page-missing'
  | 'page-error'
  | 'page-redirected'
  | 'page-refused'
  | 'page-unreachable'
  | 'page-noindex'
  | 'page-canonical';

const PAGE = {
  about: 'pages',
  documents: ['site'],
  source: `${GOOGLE}/http-network-errors`,
} as const satisfies Partial<RuleRow>;

export const PAGE_RULES: RuleRows<PageRule> = {
  'page-missing': {
    ...PAGE,
    severity: 'error',
    explanation: {
      what: 'A page that was requested does not exist: 404 or 410.',
      why: 'A sitemap should list pages that exist. Search engines waste requests on the others.',
      fix: 'Remove the page from the sitemap, or bring it back.',
    },
    bad: '<loc>https://example.org/gone</loc> responds with 404',
    good: '<loc>https://example.org/there</loc> responds with 200',
  },
  'page-error': {
    ...PAGE,
    severity: 'error',
    explanation: {
      what: 'The server responds with an error (500 to 599) when the page is requested.',
      why: 'Search engines slow down, and drop the page if it stays so.',
      fix: 'Mend the page or the server.',
    },
    bad: '<loc>https://example.org/shoes</loc> responds with 500',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-redirected': {
    ...PAGE,
    severity: 'warning',
    explanation: {
      what: 'The page redirects to another one, which the message names.',
      why:
        'A sitemap should list the final addresses: a redirect costs a request, and the listed address is ' +
        'not indexed.',
      fix: 'List the page that it redirects to.',
    },
    bad: '<loc>http://example.org/shoes</loc> redirects to https',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'page-refused': {
    ...PAGE,
    severity: 'warning',
    explanation: {
      what: 'The server refuses the page to us: 401, 403, 429, or another status from 400 to 499 than 404 and 410.',
      why: 'It may refuse it to search engines as well, or only to unknown clients; this cannot be told from here.',
      fix: 'See in the server’s log, or with the URL inspection of Search Console, what crawlers get.',
    },
    bad: '<loc>https://example.org/members</loc> responds with 403',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-unreachable': {
    ...PAGE,
    severity: 'warning',
    explanation: {
      what: 'There is no response for the page: no connection, no name, a time limit, too many redirects.',
      why: 'Search engines cannot read the page either, if it stays so.',
      fix: 'Look at the reason in the message.',
    },
    bad: '<loc>https://old.example.org/shoes</loc>: the name does not resolve',
    good: '<loc>https://example.org/shoes</loc> responds with 200',
  },
  'page-noindex': {
    ...PAGE,
    severity: 'error',
    source: `${GOOGLE}/block-indexing`,
    explanation: {
      what: 'The page says `noindex`, in a robots meta tag or in the header `X-Robots-Tag`.',
      why: 'The sitemap asks to index what the page forbids to index.',
      fix: 'Remove the page from the sitemap, or the `noindex` from the page.',
    },
    bad: '<meta name="robots" content="noindex">',
    good: '<meta name="robots" content="index, follow">',
  },
  'page-canonical': {
    ...PAGE,
    severity: 'warning',
    source: `${GOOGLE}/consolidate-duplicate-urls`,
    explanation: {
      what: 'The page names another page as its canonical one.',
      why: 'Search engines index the other one. A sitemap should list canonical pages only.',
      fix: 'List the canonical page instead.',
    },
    bad: '<link rel="canonical" href="https://example.org/shoes"> on https://example.org/shoes?color=red',
    good: '<link rel="canonical" href="https://example.org/shoes"> on https://example.org/shoes',
  },
};
