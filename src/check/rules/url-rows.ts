/** The rows of the rules about URLs; urls.ts and site-urls.ts have what they do. */
import type { CheckedKind, RuleRow, RuleRows } from '../rule.ts';

const PROTOCOL = 'https://www.sitemaps.org/protocol.html';
const PAGES: readonly CheckedKind[] = ['pages-xml', 'pages-text', 'pages-rss', 'pages-atom'];
const LISTS: readonly CheckedKind[] = [...PAGES, 'index-xml', 'robots-txt'];

/** The rules of this file. */
export type UrlRule =
  | 'url-too-long'
  | 'url-not-public'
  | 'url-other-host'
  | 'url-other-scheme'
  | 'url-outside-directory'
  | 'url-not-encoded'
  | 'url-not-ascii'
  | 'url-fragment'
  | 'url-tracking-parameter'
  | 'url-variants'
  | 'url-repeated'
  | 'url-in-several-sitemaps';

const URL_RULE = { about: 'urls', documents: PAGES, source: PROTOCOL } as const satisfies Partial<RuleRow>;
const LOCATION = { ...URL_RULE, source: `${PROTOCOL}#location`, aggregated: true } as const;

export const URL_RULES: RuleRows<UrlRule> = {
  'url-too-long': {
    ...URL_RULE,
    severity: 'error',
    source: `${PROTOCOL}#locdef`,
    documents: LISTS,
    explanation: {
      what: 'A URL has more than 2,048 characters.',
      why: 'The protocol requires fewer. Search engines ignore the entry, and many servers refuse the request.',
      fix: 'Give the page a shorter address, usually by leaving out parameters.',
    },
    bad: '<loc>https://example.org/?filter=… 2,100 characters</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-not-public': {
    ...URL_RULE,
    severity: 'error',
    documents: LISTS,
    explanation: {
      what:
        'A URL is on localhost or on an address of a private network, or it contains a user name or a ' +
        'password. Not reported where the sitemap itself is on that host, as on a developer’s machine.',
      why: 'No search engine can fetch it. A password in a sitemap is known to everybody.',
      fix: 'Use the public address of the site. It is often a setting of the program that writes the sitemap.',
    },
    bad: '<loc>http://localhost:3000/about</loc>',
    good: '<loc>https://example.org/about</loc>',
  },
  'url-other-host': {
    ...LOCATION,
    severity: 'warning',
    explanation: {
      what:
        'A URL is on another host than the sitemap; `www.example.org` and `example.org` are two hosts. Not ' +
        'reported where the robots.txt of that host declares the sitemap, or an index above it.',
      why: 'Search engines ignore URLs of other hosts, unless those hosts have agreed.',
      fix: 'List the URLs of the sitemap’s own host, or declare the sitemap in the robots.txt of the other host.',
    },
    bad: 'In https://example.org/sitemap.xml:\n<loc>https://shop.example.org/shoes</loc>',
    good: 'In https://example.org/sitemap.xml:\n<loc>https://example.org/shoes</loc>',
  },
  'url-other-scheme': {
    ...LOCATION,
    severity: 'warning',
    explanation: {
      what:
        'A URL is http where the sitemap is https, or the other way round. Not reported where the robots.txt ' +
        'of its own scheme declares the sitemap, or an index above it.',
      why: 'The protocol counts them as two sites. Such URLs usually redirect, which costs a request for each page.',
      fix: 'Write the URLs with https.',
    },
    bad: 'In https://example.org/sitemap.xml:\n<loc>http://example.org/shoes</loc>',
    good: 'In https://example.org/sitemap.xml:\n<loc>https://example.org/shoes</loc>',
  },
  'url-outside-directory': {
    ...LOCATION,
    severity: 'info',
    explanation: {
      what:
        'A URL is not below the directory of the sitemap. Not reported where robots.txt declares the ' +
        'sitemap, or an index above it.',
      why:
        'By the protocol, a sitemap in `/catalog/` may list pages in `/catalog/` only. A declaration in ' +
        'robots.txt lifts that.',
      fix: 'Declare the sitemap in robots.txt, or move it to the root of the site.',
    },
    bad: 'In https://example.org/catalog/sitemap.xml:\n<loc>https://example.org/about</loc>',
    good: 'In https://example.org/sitemap.xml:\n<loc>https://example.org/about</loc>',
  },
  'url-not-encoded': {
    ...URL_RULE,
    severity: 'warning',
    documents: LISTS,
    source: `${PROTOCOL}#escaping`,
    explanation: {
      what:
        'A URL has an ASCII character that URLs must not contain, as a space, or a `%` without two ' +
        'hexadecimal digits behind it.',
      why: 'Programs mend such URLs in different ways, so they may request different pages.',
      fix: 'Percent-encode the character: a space is `%20`, a `%` is `%25`.',
    },
    bad: '<loc>https://example.org/red shoes</loc>',
    good: '<loc>https://example.org/red%20shoes</loc>',
  },
  'url-not-ascii': {
    ...URL_RULE,
    severity: 'info',
    documents: LISTS,
    source: `${PROTOCOL}#escaping`,
    aggregated: true,
    explanation: {
      what: 'A URL has characters beyond ASCII.',
      why: 'The protocol asks for percent-encoding (RFC 3986). Search engines read both.',
      fix: 'Percent-encode the characters as UTF-8: `é` is `%C3%A9`.',
    },
    bad: '<loc>https://example.org/café</loc>',
    good: '<loc>https://example.org/caf%C3%A9</loc>',
  },
  'url-fragment': {
    ...URL_RULE,
    severity: 'warning',
    source: 'https://developers.google.com/search/docs/crawling-indexing/url-structure',
    explanation: {
      what: 'A URL has a fragment, the part behind `#`.',
      why: 'Search engines drop it: the page behind it is not an own page to them.',
      fix: 'List the URL without the fragment, once.',
    },
    bad: '<loc>https://example.org/faq#delivery</loc>',
    good: '<loc>https://example.org/faq</loc>',
  },
  'url-tracking-parameter': {
    ...URL_RULE,
    severity: 'warning',
    source: 'https://developers.google.com/search/docs/crawling-indexing/url-structure',
    aggregated: true,
    explanation: {
      what: 'A URL has a parameter that only tells where a visitor comes from: `utm_…`, `gclid`, `fbclid` and others.',
      why: 'It names a copy of the page. Visits are counted wrongly, and search engines crawl the page twice.',
      fix: 'List the URL without the parameter.',
    },
    bad: '<loc>https://example.org/shoes?utm_source=sitemap</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-variants': {
    ...URL_RULE,
    severity: 'warning',
    source: 'https://developers.google.com/search/docs/crawling-indexing/canonicalization',
    aggregated: true,
    explanation: {
      what:
        'The same page is listed twice in two forms: with and without `www.`, as http and https, with and ' +
        'without a slash at the end, or in capitals and small letters.',
      why: 'A sitemap should name the one canonical address of a page. Two forms contradict each other.',
      fix: 'Choose one form, redirect the other to it, and list the one.',
    },
    bad: '<loc>https://example.org/shoes</loc> … <loc>https://example.org/shoes/</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-repeated': {
    ...URL_RULE,
    severity: 'warning',
    explanation: {
      what: 'A sitemap lists a URL that it has listed before.',
      why: 'The second entry adds nothing, counts towards the limit of 50,000, and may contradict the first.',
      fix: 'List each page once.',
    },
    bad: '<loc>https://example.org/shoes</loc> … <loc>https://example.org/shoes</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-in-several-sitemaps': {
    ...URL_RULE,
    severity: 'info',
    documents: ['site'],
    aggregated: true,
    explanation: {
      what:
        'A page is listed in two sitemaps of the same sort. A plain sitemap and one for news, images or ' +
        'videos may both list a page, and so may a feed.',
      why:
        'It does no harm by itself, but counts of indexed pages per sitemap become useless, and dates may ' +
        'contradict.',
      fix: 'List each page in one sitemap.',
    },
    bad: 'https://example.org/shoes in products.xml and in sale.xml',
    good: 'https://example.org/shoes in products.xml',
  },
};
