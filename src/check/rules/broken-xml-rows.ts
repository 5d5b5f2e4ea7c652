/** The rows of what the parser notices and an XML parser would refuse. */
import type { RuleRows } from '../rule.ts';
import { ALL, BREAKING, XML } from './problem-row.ts';

/** The rules of this file. */
export type BrokenXmlRule =
  | 'bare-ampersand'
  | 'literal-less-than'
  | 'control-character'
  | 'unclosed-tag'
  | 'mis-nested-tag'
  | 'tag-cut-short'
  | 'text-before-root'
  | 'junk-after-root'
  | 'second-root'
  | 'entry-without-root'
  | 'truncated'
  | 'inside-html'
  | 'undeclared-prefix';

export const BROKEN_XML_RULES: RuleRows<BrokenXmlRule> = {
  'bare-ampersand': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'An `&` is not the start of an entity.',
      why: 'XML parsers stop here: everything behind it is lost on others.',
      fix: 'Write `&amp;`.',
    },
    bad: '<loc>https://example.org/?a=1&b=2</loc>',
    good: '<loc>https://example.org/?a=1&amp;b=2</loc>',
  },
  'literal-less-than': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'A `<` in text is not the start of a tag.',
      why: 'XML parsers stop here: everything behind it is lost on others.',
      fix: 'Write `&lt;`.',
    },
    bad: '<news:title>1 < 2</news:title>',
    good: '<news:title>1 &lt; 2</news:title>',
  },
  'control-character': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'A value has control characters that XML forbids.',
      why: 'XML parsers stop here: everything behind it is lost on others.',
      fix: 'Remove them from the text, usually where it comes from a database.',
    },
    bad: '<image:caption>one\u0008two</image:caption>',
    good: '<image:caption>one two</image:caption>',
  },
  'unclosed-tag': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'A tag is never closed, or is inside itself.',
      why: 'XML parsers stop here: everything behind it is lost on others.',
      fix: 'Close the tag, or remove the one that is too many.',
    },
    bad: '<url><loc>https://example.org/</url>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'mis-nested-tag': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'A closing tag closes nothing that is open.',
      why: 'XML parsers stop here: everything behind it is lost on others.',
      fix: 'Remove it, or correct its spelling.',
    },
    bad: '<loc>https://example.org/</lco>',
    good: '<loc>https://example.org/</loc>',
  },
  'tag-cut-short': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'A tag ends without its `>`.',
      why: 'XML parsers stop here: everything behind it is lost on others.',
      fix: 'Write the missing `>`.',
    },
    bad: '<loc>https://example.org/</loc <lastmod>2024-05-06</lastmod>',
    good: '<loc>https://example.org/</loc><lastmod>2024-05-06</lastmod>',
  },
  'text-before-root': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'There is text before the root.',
      why:
        'XML parsers stop here: the whole sitemap is lost on others. It is often a warning of a programming ' +
        'language.',
      fix: 'Find out what prints the text, and stop it.',
    },
    bad: 'Warning: undefined variable\n<urlset>…</urlset>',
    good: '<urlset>…</urlset>',
  },
  'junk-after-root': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'Something follows the end of the root.',
      why: 'XML parsers refuse such a document, though some use what they have read before.',
      fix: 'Remove what follows the root.',
    },
    bad: '<urlset>…</urlset>\n<!DOCTYPE html>',
    good: '<urlset>…</urlset>',
  },
  'second-root': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'A second root follows the first.',
      why: 'XML parsers stop at the second root: its entries are lost on others.',
      fix: 'Put all entries into one root, or write two files.',
    },
    bad: '<urlset>…</urlset><urlset>…</urlset>',
    good: '<urlset>… …</urlset>',
  },
  'entry-without-root': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'Entries are outside of the root, or there is no root.',
      why: 'XML parsers refuse the document: all its entries are lost on others.',
      fix: 'Put all entries into one `<urlset>` or `<sitemapindex>`.',
    },
    bad: '<url><loc>https://example.org/</loc></url>',
    good: '<urlset>\n  <url><loc>https://example.org/</loc></url>\n</urlset>',
  },
  truncated: {
    ...BREAKING,
    documents: ALL,
    explanation: {
      what: 'The document ends before it is complete.',
      why: 'What follows is missing. XML parsers refuse the document as a whole.',
      fix: 'Find out what cut it off: a time limit of the program that writes it, a full disk, a proxy.',
    },
    bad: '<urlset><url><loc>https://exam',
    good: '<urlset><url><loc>https://example.org/</loc></url></urlset>',
  },
  'inside-html': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'The sitemap is inside an HTML page.',
      why: 'Search engines see an HTML page and refuse it.',
      fix: 'Send the XML alone. Often a browser’s view was saved, or a page template is around it.',
    },
    bad: '<html><body><urlset>…</urlset></body></html>',
    good: '<urlset>…</urlset>',
  },
  'undeclared-prefix': {
    ...BREAKING,
    documents: XML,
    explanation: {
      what: 'A prefix is used that is declared nowhere.',
      why: 'XML parsers that know namespaces refuse the document.',
      fix: 'Declare the prefix on the root.',
    },
    bad: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n  <url><image:image>…',
    good:
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"\n' +
      '  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">',
  },
};
