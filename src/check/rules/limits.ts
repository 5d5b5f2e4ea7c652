/** The limits of the sitemap protocol: how many entries and bytes a document may have. */
import type { CheckedKind, DocumentListener, DocumentRule, RuleRows } from '../rule.ts';

const PROTOCOL = 'https://www.sitemaps.org/protocol.html';
const MOST_URLS = 50_000;
const PAGES: readonly CheckedKind[] = ['pages-xml', 'pages-text'];

/** The rules of this file. */
export type LimitsRule = 'over-50000-urls';

export const LIMITS_RULES: RuleRows<LimitsRule> = {
  'over-50000-urls': {
    severity: 'error',
    about: 'limits',
    documents: PAGES,
    explanation: {
      what: 'The sitemap has more than 50,000 entries, counted as written: a repeated URL counts again.',
      why: 'Search engines refuse the whole sitemap, or read the first 50,000 entries and ignore the rest.',
      fix: 'Divide it into several sitemaps of at most 50,000 entries, and list those in a sitemap index.',
    },
    bad: '<urlset> … 50,001 × <url> … </urlset>',
    good: '<sitemapindex><sitemap><loc>https://example.org/1.xml</loc></sitemap> … </sitemapindex>',
    source: `${PROTOCOL}#index`,
  },
};

/** The rules of limits for one document. */
export const limits: DocumentRule<LimitsRule> = (document): DocumentListener => {
  let entries = 0;
  return {
    startTags: {
      'sitemap:url': (offset) => {
        entries++;
        if (entries !== MOST_URLS + 1) return;
        document.report({
          rule: 'over-50000-urls',
          message: 'The sitemap has more than 50,000 <url>; this is the first one over the limit.',
          offset,
        });
      },
    },
  };
};
