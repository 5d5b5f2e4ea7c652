/** What the rows of the parser's problems have in common. */
import type { CheckedKind, RuleRow } from '../rule.ts';

/** Documents in XML. */
export const XML: readonly CheckedKind[] = ['pages-xml', 'index-xml', 'pages-rss', 'pages-atom'];
export const ALL: readonly CheckedKind[] = [...XML, 'pages-text', 'robots-txt'];

type Shared = Pick<RuleRow, 'severity' | 'about' | 'source'>;

/** A problem that breaks well-formedness. */
export const BREAKING: Shared = { severity: 'error', about: 'xml', source: 'https://www.w3.org/TR/xml/' };

/** Any other problem. */
export const OTHER: Shared = {
  severity: 'warning',
  about: 'xml',
  source: 'https://www.sitemaps.org/protocol.html',
};
