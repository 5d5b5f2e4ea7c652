/** Rules about the entries of one document: a URL or another value is missing or invalid. */
import type { ValueHandler } from '../../parse/listener.ts';
import {
  ALL_KINDS,
  type DocumentRule,
  oneOrMany,
  PROTOCOL,
  type RuleName,
  type RuleNames,
  type RuleRows,
  ruleRows,
  XML_KINDS,
} from '../rule.ts';

const ENTRY = {
  severity: 'warning',
  about: 'xml',
  documents: XML_KINDS,
  source: PROTOCOL,
} as const;

export const ENTRY_RULES: RuleRows<RuleNames['entries']> = ruleRows(ENTRY, {
  'empty-value': {
    documents: ['pages-xml', 'index-xml'],
    aggregated: true,
    what: 'A lastmod, changefreq or priority is empty.',
    why: 'An empty value says nothing, strict validators refuse it, and Search Console reports an invalid date.',
    fix: 'Leave the tag out if there is no value.',
    bad: '<url><loc>https://example.org/</loc><lastmod></lastmod></url>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'value-repeated': {
    documents: ['pages-xml', 'index-xml'],
    aggregated: true,
    what: 'An entry has two lastmod, changefreq or priority.',
    why: 'Some programs read the first, others the last, and strict validators refuse the sitemap.',
    fix: 'Write each of them once.',
    bad: '<lastmod>2024-05-06</lastmod><lastmod>2024-01-01</lastmod>',
    good: '<lastmod>2024-05-06</lastmod>',
  },
  'empty-loc': {
    what: 'An entry has an empty loc or link.',
    why: 'Without a URL the entry is ignored.',
    fix: 'Write the URL of the page, or remove the entry.',
    bad: '<url><loc></loc></url>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'entry-without-loc': {
    what: 'An entry or an image has no loc (or link).',
    why: 'Without a URL it is ignored.',
    fix: 'Write the URL, or remove the entry.',
    bad: '<url><lastmod>2024-05-06</lastmod></url>',
    good: '<url><loc>https://example.org/</loc><lastmod>2024-05-06</lastmod></url>',
  },
  'loc-outside-entry': {
    what: 'A loc is outside of any entry.',
    why: 'Other programs ignore it.',
    fix: 'Put the loc into a `<url>` (or a `<sitemap>`).',
    bad: '<urlset><loc>https://example.org/</loc></urlset>',
    good: '<urlset><url><loc>https://example.org/</loc></url></urlset>',
  },
  'several-locs': {
    what: 'An entry has several loc.',
    why: 'Other programs read the first or the last, or refuse the sitemap.',
    fix: 'Write an entry of its own for each URL.',
    bad: '<url><loc>https://example.org/a</loc><loc>https://example.org/b</loc></url>',
    good: '<url><loc>https://example.org/a</loc></url>\n<url><loc>https://example.org/b</loc></url>',
  },
  'text-entry': {
    what: 'An entry has its URL as its own text.',
    why: 'Other programs find no loc, and ignore the entry.',
    fix: 'Put the URL into a loc.',
    bad: '<url>https://example.org/</url>',
    good: '<url><loc>https://example.org/</loc></url>',
  },
  'line-not-a-url': {
    documents: ['pages-text'],
    what: 'A line of a text sitemap is not a URL.',
    why: 'The line is ignored. A text sitemap must have nothing but URLs, one a line.',
    fix: 'Remove the line, or write an absolute URL.',
    bad: 'Our pages:\nhttps://example.org/',
    good: 'https://example.org/',
  },
  'robots-line-skipped': {
    documents: ['robots-txt'],
    what: 'A Sitemap line of robots.txt has no URL, or has words that are not a URL.',
    why: 'The line, or the words, are ignored.',
    fix: 'Write one whole URL on each Sitemap line.',
    bad: 'Sitemap: see below',
    good: 'Sitemap: https://example.org/sitemap.xml',
  },
  'double-escaped-url': {
    what: 'A URL is escaped twice.',
    why: 'Other programs read a URL with `&amp;` in it, which is another URL.',
    fix: 'Escape once; do not escape in CDATA.',
    bad: '<loc>https://example.org/?a=1&amp;amp;b=2</loc>',
    good: '<loc>https://example.org/?a=1&amp;b=2</loc>',
  },
  'not-http-url': {
    documents: ALL_KINDS,
    what: 'A URL is not http or https.',
    why: 'Search engines ignore it: they list pages of the web.',
    fix: 'List web pages only.',
    bad: '<loc>ftp://example.org/file</loc>',
    good: '<loc>https://example.org/file</loc>',
  },
  'relative-url': {
    documents: ALL_KINDS,
    what: 'A URL is relative.',
    why: 'The protocol requires whole URLs. Search engines report it as invalid and ignore it.',
    fix: 'Write the whole URL, with https and the host.',
    bad: '<loc>/about</loc>',
    good: '<loc>https://example.org/about</loc>',
  },
  template: {
    documents: ALL_KINDS,
    what: 'An address is an unrendered template or a piece of source code.',
    why: 'There is no such page. The program that writes the sitemap left out a step.',
    fix: 'Write the values instead of the placeholders.',
    bad: '<loc>{{ site.url }}/about</loc>',
    good: '<loc>https://example.org/about</loc>',
  },
  'unresolvable-url': {
    documents: ALL_KINDS,
    what: 'A URL cannot be understood.',
    why: 'It is ignored.',
    fix: 'Write the whole URL, with https and the host, as a browser shows it.',
    bad: '<loc>https://[example]/</loc>',
    good: '<loc>https://example.org/</loc>',
  },
  'bad-change-frequency': {
    documents: ['pages-xml'],
    what: 'A changefreq is not one of the seven words.',
    why: 'It is ignored; strict validators refuse it.',
    fix: 'Use always, hourly, daily, weekly, monthly, yearly or never; or leave it out, since Google ignores it.',
    bad: '<changefreq>often</changefreq>',
    good: '<changefreq>daily</changefreq>',
  },
  'bad-date': {
    documents: ALL_KINDS,
    what: 'A date is impossible, ambiguous or in an unknown form.',
    why: 'It is ignored, so search engines do not know when the page changed.',
    fix: 'Write a W3C date: `2024-05-06` or `2024-05-06T07:08:09+02:00`.',
    bad: '<lastmod>05/06/2024</lastmod>',
    good: '<lastmod>2024-05-06</lastmod>',
  },
  'bad-number': {
    what: 'A numeric value of an extension is not a number, or is out of range.',
    why: 'The value is ignored.',
    fix: 'Write a number in figures, without a unit, or leave the tag out.',
    bad: '<video:view_count>many</video:view_count>',
    good: '<video:view_count>1200</video:view_count>',
  },
  'bad-priority': {
    documents: ['pages-xml'],
    what: 'A priority is not a number from 0 to 1.',
    why: 'It is ignored; strict validators refuse it.',
    fix: 'Write a number from 0.0 to 1.0; or leave it out, since Google ignores it.',
    bad: '<priority>high</priority>',
    good: '<priority>0.8</priority>',
  },
  'entity-dropped': {
    what: 'A value refers to an entity that only a DOCTYPE can define.',
    why: 'Parsers do not expand such entities, so the text is incomplete.',
    fix: 'Write the character itself.',
    bad: '<!DOCTYPE urlset [<!ENTITY co "Example">]> … &co;',
    good: 'Example',
  },
  'too-many-extensions': {
    what: 'The images, videos, news and alternates of one entry take more than 1 MiB.',
    why: 'No search engine reads so many for one page.',
    fix: 'List the images, videos and alternates that matter most.',
    bad: '<url> 20,000 × <image:image>…',
    good: '<url> 100 × <image:image>…',
  },
  'value-too-long': {
    documents: ALL_KINDS,
    what: 'A value or a tag is longer than 64 KiB.',
    why: 'It is cut off there.',
    fix: 'Shorten the text.',
    bad: '<image:caption> 70,000 characters',
    good: '<image:caption> one sentence',
  },
});

export const entries: DocumentRule = (document) => {
  /** The values that the entry has so far, as bits. */
  let valueBits = 0;
  let entryStart: number | undefined;
  let imageStart: number | undefined;
  let lastCut = -1;
  const start = (offset: number): void => {
    entryStart = offset;
    imageStart = undefined;
    valueBits = 0;
  };
  const report = (rule: RuleName, name: string, offset: number, what: string): void => {
    const message = `The entry has ${what}.`;
    const total = oneOrMany(message, (many) => `${many} entries have ${what}.`);
    document.report({ rule, cause: name, offset, message, total });
  };
  const value =
    (name: string, bit: number): ValueHandler =>
    ({ textLength, offset }) => {
      if (textLength === 0) report('empty-value', name, offset, `an empty ${name}`);
      else if ((valueBits & bit) !== 0) report('value-repeated', name, offset, `more than one ${name}`);
      else valueBits |= bit;
    };
  return {
    startTags: {
      'sitemap:url': start,
      'sitemap:sitemap': start,
      'rss:item': start,
      'atom:entry': start,
      'image:image': (offset) => {
        imageStart = offset;
      },
    },
    values: {
      'sitemap:lastmod': value('lastmod', 1),
      'sitemap:changefreq': value('changefreq', 2),
      'sitemap:priority': value('priority', 4),
    },
    // The parser notices at the end of an entry that its URL is missing; people look at its start.
    problem({ code, message, subject, offset }) {
      if (code === 'value-too-long') lastCut = offset ?? -1;
      if (code !== 'entry-without-loc') return false;
      const start = (subject === 'image' ? imageStart : entryStart) ?? offset;
      // The entry may have had a URL that was too long.
      const isCut = start !== undefined && lastCut >= start;
      if (isCut || document.isOnlyCounted(code)) return true;
      document.report({ rule: code, message, offset: start });
      return true;
    },
  };
};
