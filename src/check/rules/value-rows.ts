/** The rows of what the parser notices about the values of an entry. */
import type { RuleRows } from '../rule.ts';
import { ALL, OTHER, XML } from './problem-row.ts';

/** The rules of this file. */
export type ValueRule =
  | 'bad-change-frequency'
  | 'bad-date'
  | 'bad-number'
  | 'bad-priority'
  | 'entity-dropped'
  | 'too-many-extensions'
  | 'value-too-long';

export const VALUE_RULES: RuleRows<ValueRule> = {
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
};
