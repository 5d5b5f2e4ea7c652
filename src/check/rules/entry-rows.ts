/** The rows of what the parser notices about the URL of an entry or a line: missing, or not a usable one. */
import type { RuleRows } from '../rule.ts';
import { ALL, OTHER, XML } from './problem-row.ts';

/** The rules of this file. */
export type EntryRule =
  | 'empty-loc'
  | 'entry-without-loc'
  | 'loc-outside-entry'
  | 'several-locs'
  | 'text-entry'
  | 'line-not-a-url'
  | 'robots-line-skipped'
  | 'double-escaped-url'
  | 'not-http-url'
  | 'relative-url'
  | 'unresolvable-url';

export const ENTRY_RULES: RuleRows<EntryRule> = {
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
  'not-http-url': {
    ...OTHER,
    documents: ALL,
    explanation: { what: 'A URL is not http or https.', why: 'It is ignored.', fix: 'List web pages only.' },
    bad: '<loc>ftp://example.org/file</loc>',
    good: '<loc>https://example.org/file</loc>',
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
};
