/** What the parser notices, as rules: one row for each of its problems. */
import type { CheckedKind, RuleRow, RuleRows } from '../rule.ts';

const PROTOCOL = 'https://www.sitemaps.org/protocol.html';
const XML_SPECIFICATION = 'https://www.w3.org/TR/xml/';
const XML: readonly CheckedKind[] = ['pages-xml', 'index-xml', 'pages-rss', 'pages-atom'];
const ALL: readonly CheckedKind[] = [...XML, 'pages-text', 'robots-txt'];

/** The rules of this file: the codes of problems that have no rule of another name. */
export type ProblemRule =
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
  | 'undeclared-prefix'
  | 'bad-change-frequency'
  | 'bad-date'
  | 'bad-number'
  | 'bad-priority'
  | 'doctype'
  | 'double-escaped-url'
  | 'empty-loc'
  | 'entity-dropped'
  | 'entry-without-loc'
  | 'line-not-a-url'
  | 'loc-outside-entry'
  | 'missing-namespace'
  | 'nested-root'
  | 'nesting-too-deep'
  | 'not-http-url'
  | 'other-entry-kind'
  | 'relative-url'
  | 'robots-line-skipped'
  | 'several-locs'
  | 'text-entry'
  | 'too-many-extensions'
  | 'unknown-charset'
  | 'unresolvable-url'
  | 'upper-case-tag'
  | 'value-too-long'
  | 'wrong-charset'
  | 'wrong-namespace';

/** A problem that breaks well-formedness: an XML parser would refuse the document. */
const BREAKING = {
  severity: 'error',
  about: 'xml',
  source: XML_SPECIFICATION,
} as const satisfies Partial<RuleRow>;
const OTHER = { severity: 'warning', about: 'xml', source: PROTOCOL } as const satisfies Partial<RuleRow>;

export const PROBLEM_RULES: RuleRows<ProblemRule> = {
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
      why: 'XML parsers stop here: the whole sitemap is lost on others. It is often a warning of a programming language.',
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
    good: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"\n  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">',
  },
  'bad-change-frequency': {
    ...OTHER,
    documents: ['pages-xml'],
    explanation: {
      what: 'A changefreq is not one of the seven words.',
      why: 'It is ignored; strict validators refuse it.',
      fix: 'Use always, hourly, daily, weekly, monthly, yearly or never; or leave it out, since Google ignores it.',
    },
    bad: '<changefreq>often</changefreq>',
    good: '<changefreq>daily</changefreq>',
  },
  'bad-date': {
    ...OTHER,
    documents: ALL,
    explanation: {
      what: 'A date is impossible, ambiguous or in an unknown form.',
      why: 'It is ignored, so nothing knows that the page has changed.',
      fix: 'Write a W3C date.',
    },
    bad: '<lastmod>05/06/2024</lastmod>',
    good: '<lastmod>2024-05-06</lastmod>',
  },
  'bad-number': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'A number of an extension is not one, or is out of its range.',
      why: 'The value is ignored.',
      fix: 'Write the number in figures.',
    },
    bad: '<video:view_count>many</video:view_count>',
    good: '<video:view_count>1200</video:view_count>',
  },
  'bad-priority': {
    ...OTHER,
    documents: ['pages-xml'],
    explanation: {
      what: 'A priority is not a number from 0 to 1.',
      why: 'It is ignored; strict validators refuse it.',
      fix: 'Write a number from 0.0 to 1.0; or leave it out, since Google ignores it.',
    },
    bad: '<priority>high</priority>',
    good: '<priority>0.8</priority>',
  },
  doctype: {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'The document has a DOCTYPE.',
      why: 'Sitemaps have none. Parsers ignore it for safety, and its entities with it.',
      fix: 'Remove it.',
    },
    bad: '<!DOCTYPE urlset>\n<urlset>',
    good: '<urlset>',
  },
  'double-escaped-url': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'A URL is escaped twice.',
      why: 'Others read a URL with `&amp;` in it, which is another one.',
      fix: 'Escape once; do not escape in CDATA.',
    },
    bad: '<loc>https://example.org/?a=1&amp;amp;b=2</loc>',
    good: '<loc>https://example.org/?a=1&amp;b=2</loc>',
  },
  'empty-loc': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'An entry has an empty loc or link.',
      why: 'The entry is lost.',
      fix: 'Write the URL, or remove the entry.',
    },
    bad: '<url><loc></loc></url>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'entity-dropped': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'A value refers to an entity that only a DOCTYPE can define.',
      why: 'Parsers do not expand such entities, so the text is incomplete.',
      fix: 'Write the character itself.',
    },
    bad: '<!DOCTYPE urlset [<!ENTITY co "Example">]> … &co;',
    good: 'Example',
  },
  'entry-without-loc': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'An entry or an image has no loc (or link).',
      why: 'It is lost.',
      fix: 'Write its URL, or remove it.',
    },
    bad: '<url><lastmod>2024-05-06</lastmod></url>',
    good: '<url><loc>https://example.org/</loc><lastmod>2024-05-06</lastmod></url>',
  },
  'line-not-a-url': {
    ...OTHER,
    documents: ['pages-text'],
    explanation: {
      what: 'A line of a text sitemap is not a URL.',
      why: 'The line is ignored. A text sitemap must have nothing but URLs, one a line.',
      fix: 'Remove the line, or write an absolute URL.',
    },
    bad: 'Our pages:\nhttps://example.org/',
    good: 'https://example.org/',
  },
  'loc-outside-entry': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'A loc is outside of any entry.',
      why: 'Others ignore it.',
      fix: 'Put it into a `<url>` (or a `<sitemap>`).',
    },
    bad: '<urlset><loc>https://example.org/</loc></urlset>',
    good: '<urlset><url><loc>https://example.org/</loc></url></urlset>',
  },
  'missing-namespace': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'The root has no namespace.',
      why: 'Search engines report “incorrect namespace” and may refuse the sitemap.',
      fix: 'Add `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`.',
    },
    bad: '<urlset>',
    good: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
  },
  'nested-root': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'A root is inside the root.',
      why: 'Others ignore what is inside the inner root.',
      fix: 'Put all entries into one root.',
    },
    bad: '<urlset><urlset>…</urlset></urlset>',
    good: '<urlset>…</urlset>',
  },
  'nesting-too-deep': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'Tags are nested more than 256 deep.',
      why: 'Parsers stop at such a depth.',
      fix: 'Close the tags that are open.',
    },
    bad: '<a><a><a>… 257 times',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'not-http-url': {
    ...OTHER,
    documents: ALL,
    explanation: { what: 'A URL is not http or https.', why: 'It is ignored.', fix: 'List web pages only.' },
    bad: '<loc>ftp://example.org/file</loc>',
    good: '<loc>https://example.org/file</loc>',
  },
  'other-entry-kind': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'There are page entries in an index, or sitemap entries in a urlset.',
      why: 'Search engines ignore them.',
      fix: 'Put pages into a `<urlset>` and sitemaps into a `<sitemapindex>`.',
    },
    bad: '<sitemapindex><url>…</url></sitemapindex>',
    good: '<urlset><url>…</url></urlset>',
  },
  'relative-url': {
    ...OTHER,
    documents: ALL,
    explanation: {
      what: 'A URL is relative.',
      why: 'The protocol requires whole URLs. Search engines report it as invalid and ignore it.',
      fix: 'Write the whole URL, with https and the host.',
    },
    bad: '<loc>/about</loc>',
    good: '<loc>https://example.org/about</loc>',
  },
  'robots-line-skipped': {
    ...OTHER,
    documents: ['robots-txt'],
    explanation: {
      what: 'A Sitemap line of robots.txt has no URL, or has words that are not one.',
      why: 'The line, or the words, are ignored.',
      fix: 'Write one whole URL on each Sitemap line.',
    },
    bad: 'Sitemap: see below',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'several-locs': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'An entry has several loc.',
      why: 'Others read the first or the last, or refuse the sitemap.',
      fix: 'Write an entry for each.',
    },
    bad: '<url><loc>https://example.org/a</loc><loc>https://example.org/b</loc></url>',
    good: '<url><loc>https://example.org/a</loc></url>\n<url><loc>https://example.org/b</loc></url>',
  },
  'text-entry': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'An entry has its URL as its own text.',
      why: 'Others find no loc, and ignore the entry.',
      fix: 'Put the URL into a loc.',
    },
    bad: '<url>https://example.org/</url>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'too-many-extensions': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'The images, videos, news and alternates of one entry take more than 1 MiB.',
      why: 'No search engine reads so many for one page.',
      fix: 'List the main ones.',
    },
    bad: '<url> 20,000 × <image:image>…',
    good: '<url> 100 × <image:image>…',
  },
  'unknown-charset': {
    ...OTHER,
    documents: ALL,
    explanation: {
      what: 'The HTTP header or the XML declaration names a charset that does not exist.',
      why: 'Others may refuse the document or guess.',
      fix: 'Write `UTF-8`.',
    },
    bad: '<?xml version="1.0" encoding="utf8mb4"?>',
    good: '<?xml version="1.0" encoding="UTF-8"?>',
  },
  'unresolvable-url': {
    ...OTHER,
    documents: ALL,
    explanation: {
      what: 'A URL cannot be understood.',
      why: 'It is ignored.',
      fix: 'Write a whole, valid URL.',
    },
    bad: '<loc>https://[example]/</loc>',
    good: '<loc>https://example.org/</loc>',
  },
  'upper-case-tag': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'Tags are written in another case than the format’s.',
      why: 'XML tells upper and lower case apart: others find no entries.',
      fix: 'Write the tags in lower case.',
    },
    bad: '<URL><LOC>https://example.org/</LOC></URL>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'value-too-long': {
    ...OTHER,
    documents: ALL,
    explanation: {
      what: 'A value or a tag is longer than 64 KiB.',
      why: 'It is cut off there.',
      fix: 'Shorten it.',
    },
    bad: '<image:caption> 70,000 characters',
    good: '<image:caption> one sentence',
  },
  'wrong-charset': {
    ...OTHER,
    documents: ALL,
    explanation: {
      what: 'The charset that the document names contradicts its bytes.',
      why: 'Others may believe the name, and read nothing.',
      fix: 'Name the charset that the document is in: UTF-8.',
    },
    bad: '<?xml version="1.0" encoding="UTF-16"?> in UTF-8',
    good: '<?xml version="1.0" encoding="UTF-8"?>',
  },
  'wrong-namespace': {
    ...OTHER,
    documents: XML,
    explanation: {
      what: 'A namespace is not exactly the right one.',
      why: 'To others these are tags of another kind: they ignore them.',
      fix: 'Copy the namespace from the specification, letter by letter.',
    },
    bad: '<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9/">',
    good: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
  },
};
