/** §12: where the rules about declared sitemaps begin and end. */
import { expect, test } from 'vitest';
import { checkSitemap, checkSitemaps } from '../../src/check/index.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const SITE = 'https://example.org/';
const PAGES = `<urlset ${NS}><url><loc>${SITE}1</loc><lastmod>2014-01-01</lastmod></url></urlset>`;

const OLD = '<lastmod>2010-01-01</lastmod>';
const loc = (name: string): string => `<loc>${SITE}${name}</loc>`;

test.each([
  ['its own date', `<sitemap>${loc('a.xml')}${OLD}</sitemap>`, ['a.xml']],
  ['its own date in front', `<sitemap>${OLD}${loc('a.xml')}</sitemap>`, ['a.xml']],
  [
    'no date, behind one that has one',
    `<sitemap>${loc('a.xml')}${OLD}</sitemap><sitemap>${loc('b.xml')}</sitemap>`,
    ['a.xml'],
  ],
  [
    'no date, behind an entry without an address',
    `<sitemap>${OLD}</sitemap><sitemap>${loc('a.xml')}</sitemap>`,
    [],
  ],
  [
    'no date, behind a sitemap that is not there',
    `<sitemap>${loc('gone.xml')}${OLD}</sitemap><sitemap>${loc('a.xml')}</sitemap>`,
    [],
  ],
])('an entry of an index with %s is compared with the pages', (_name, entries, expected) => {
  const findings = checkSitemaps([
    { url: `${SITE}index.xml`, content: `<sitemapindex ${NS}>${entries}</sitemapindex>` },
    { url: `${SITE}a.xml`, content: PAGES },
    { url: `${SITE}b.xml`, content: PAGES.replace('/1<', '/2<') },
  ]);
  const old = [...findings].filter(({ rule }) => rule === 'index-lastmod-old');
  expect(old.map(({ page = '' }) => page.slice(SITE.length))).toEqual(expected);
});

test.each([
  [512_000, []],
  [512_001, ['robots-over-500-kib']],
])('a robots.txt of %i bytes: %j', (bytes, expected) => {
  const content = `# ${'é'.repeat(100)}`.padEnd(bytes - 100, 'x');
  expect(Buffer.byteLength(content)).toBe(bytes);
  const rules = Array.from(checkSitemap(content, { url: `${SITE}robots.txt` }), ({ rule }) => rule);
  expect(rules.filter((rule) => rule === 'robots-over-500-kib')).toEqual(expected);
});
