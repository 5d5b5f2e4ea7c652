/** The limits of the sitemap protocol: how many entries and bytes a document may have, and its charset. */
import { PROTOCOL_LIMITS } from '../protocol-limits.ts';
import {
  type DocumentRule,
  PROTOCOL,
  type Report,
  type RuleNames,
  type RuleRows,
  ruleRows,
} from '../rule.ts';

const PAGES = ['pages-xml', 'pages-text'] as const;
const ALL = ['pages-xml', 'pages-text', 'index-xml', 'pages-rss', 'pages-atom'] as const;
const NEWS_NAMESPACE = /\/schemas\/sitemap-news\//;

const LIMIT = {
  severity: 'error',
  about: 'limits',
  documents: PAGES,
  source: `${PROTOCOL}#index`,
} as const;

export const LIMITS_RULES: RuleRows<RuleNames['limits']> = ruleRows(LIMIT, {
  'over-50000-urls': {
    what: 'The sitemap has more than 50,000 entries, counted as written: a repeated URL counts again.',
    why: 'Search engines refuse the whole sitemap, or read the first 50,000 entries and ignore the rest.',
    fix: 'Divide it into several sitemaps of at most 50,000 entries, and list those in a sitemap index.',
    bad: '<urlset> 50,001 times <url>…</url> </urlset>',
    good:
      '<sitemapindex>\n  <sitemap><loc>https://example.org/1.xml</loc></sitemap>\n' +
      '  <sitemap><loc>https://example.org/2.xml</loc></sitemap>\n</sitemapindex>',
  },
  'over-50-mib': {
    documents: ALL,
    what: 'The document has more than 52,428,800 bytes (50 MiB), counted after decompression.',
    why: 'Search engines do not read a larger document, or not to its end.',
    fix: 'Divide it into several sitemaps and list those in a sitemap index. Compression does not help.',
    bad: 'sitemap.xml, 61,203,455 bytes',
    good: 'sitemap-1.xml, 30,601,728 bytes, and sitemap-2.xml, 30,601,727 bytes',
  },
  'index-over-50000': {
    documents: ['index-xml'],
    what: 'The sitemap index lists more than 50,000 sitemaps, counted as written.',
    why: 'Search engines refuse the index, or ignore what follows the first 50,000 entries.',
    fix: 'Divide it into several indexes, and declare each in robots.txt.',
    bad: '<sitemapindex> 50,001 times <sitemap>…</sitemap> </sitemapindex>',
    good: 'Sitemap: https://example.org/index-1.xml\nSitemap: https://example.org/index-2.xml',
  },
  'empty-sitemap': {
    severity: 'warning',
    source: `${PROTOCOL}#xmlTagDefinitions`,
    documents: ['pages-xml', 'index-xml'],
    what: 'The sitemap or index has no entry at all. For a news sitemap this is an info, since there may be no news.',
    why: 'It usually means that the program that writes it has failed. Search engines report it as an error.',
    fix: 'Find out why nothing was written. A sitemap that is meant to be empty should not be declared.',
    bad: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>',
    good: [
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      '  <url><loc>https://example.org/</loc></url>',
      '</urlset>',
    ].join('\n'),
  },
  'not-utf-8': {
    source: `${PROTOCOL}#escaping`,
    documents: [...ALL, 'robots-txt'],
    what:
      'The bytes of the document are not UTF-8, whatever its label says. A byte order mark is fine. For a feed in ' +
      'the charset that it names, which is allowed, it is an info.',
    why: 'The protocol requires UTF-8. Other programs read wrong characters, or refuse the document.',
    fix: 'Save or send the document in UTF-8.',
    bad: '<?xml version="1.0" encoding="ISO-8859-1"?> with é as the one byte E9',
    good: '<?xml version="1.0" encoding="UTF-8"?> with é as the two bytes C3 A9',
  },
});

const CHARSET_PROBLEMS: ReadonlySet<string> = new Set(['invalid-bytes', 'wrong-charset', 'unknown-charset']);

export const limits: DocumentRule = (document) => {
  let entries = 0;
  let isNews = false;
  /** Whether the bytes contradict the charset that is declared. */
  let isMislabelled = false;
  let root: Pick<Report, 'offset' | 'position'> | undefined;
  const over = (rule: 'over-50000-urls' | 'index-over-50000', what: string, offset: number): void => {
    if (++entries !== PROTOCOL_LIMITS.entries + 1) return;
    const message = `There are more than 50,000 ${what}; this is the first one over the limit.`;
    document.report({ rule, message, offset });
  };
  return {
    root(_name, offset, attributes) {
      root = { offset, position: document.place(offset) };
      isNews = attributes.some(({ name, value }) => name.startsWith('xmlns:') && NEWS_NAMESPACE.test(value));
    },
    startTags: {
      'sitemap:url': (offset) => over('over-50000-urls', '<url>', offset),
      'sitemap:sitemap': (offset) => over('index-over-50000', '<sitemap>', offset),
    },
    location(_url, offset) {
      if (document.kind === 'pages-text') over('over-50000-urls', 'URLs', offset);
      else if (entries === 0) entries = 1;
    },
    problem({ code }) {
      if (CHARSET_PROBLEMS.has(code)) isMislabelled = true;
      // All invalid bytes together are one finding.
      return code === 'invalid-bytes';
    },
    end({ kind, bytes, charset, isUtf8, invalidAt, invalidPosition }) {
      if (kind === undefined || kind === 'invalid') return;
      if (bytes > PROTOCOL_LIMITS.bytes && kind !== 'robots-txt') {
        const message = `The document has ${bytes.toLocaleString('en')} bytes; 52,428,800 (50 MiB) are allowed.`;
        document.report({ rule: 'over-50-mib', message });
      }
      if (entries === 0 && (kind === 'pages-xml' || kind === 'index-xml')) {
        const message = kind === 'pages-xml' ? 'The sitemap has no <url>.' : 'The index has no <sitemap>.';
        document.report({
          rule: 'empty-sitemap',
          message,
          ...root,
          severity: isNews ? 'info' : undefined,
        });
      }
      // A feed may be in any charset that it names: only sitemaps have to be in UTF-8.
      const isFeed = kind === 'pages-rss' || kind === 'pages-atom';
      const severity = isFeed && charset !== 'utf-8' && !isMislabelled ? 'info' : undefined;
      if (charset.startsWith('utf-16') || charset.startsWith('utf-32')) {
        const message = `The document is in ${charset.slice(0, 6).toUpperCase()}; the protocol requires UTF-8.`;
        document.report({ rule: 'not-utf-8', message, severity });
      } else if (!isUtf8) {
        const charsetNote = charset === 'utf-8' ? '' : `; it was read as ${charset}`;
        const message = `The document has bytes that are not UTF-8${charsetNote}.`;
        document.report({
          rule: 'not-utf-8',
          message,
          offset: invalidAt,
          position: invalidPosition,
          severity,
        });
      }
    },
  };
};
