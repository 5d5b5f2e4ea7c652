/** The rows of what the parser notices about a whole document: root, namespaces, nesting, charset. */
import type { RuleRows } from '../rule.ts';
import { ALL, OTHER, XML } from './problem-row.ts';

/** The rules of this file. */
export type StructureRule =
  | 'doctype'
  | 'missing-namespace'
  | 'wrong-namespace'
  | 'nested-root'
  | 'nesting-too-deep'
  | 'other-entry-kind'
  | 'upper-case-tag'
  | 'unknown-charset'
  | 'wrong-charset';

export const STRUCTURE_RULES: RuleRows<StructureRule> = {
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
};
