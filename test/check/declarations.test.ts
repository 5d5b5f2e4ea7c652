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
  [
    'no date, behind an address with one',
    `<sitemap>${loc('a.xml')}${OLD}${loc('b.xml')}</sitemap>`,
    ['a.xml'],
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

/** The findings about declarations, as `rule line: message`, of documents by their paths. */
function saidOf(documents: Readonly<Record<string, string>>): readonly string[] {
  const given = Object.entries(documents).map(([path, content]) => ({ url: SITE + path, content }));
  return [...checkSitemaps(given)]
    .filter(({ rule }) => /^(?:sitemap-|nested|robots-)/.test(rule))
    .map(({ rule, document, line, message, page }) => {
      expect(page ?? 'no page').toMatch(/^(?:https?:|no page)/);
      return `${document.slice(SITE.length)} ${line} ${rule}: ${message.replaceAll(SITE, '/')}`;
    });
}
const index = (...urls: readonly string[]): string =>
  `<sitemapindex ${NS}>\n${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>\n`).join('')}</sitemapindex>`;

test.each([
  ['maps/index.xml', `${SITE}maps/a.xml`, undefined],
  ['maps/index.xml', `${SITE}maps/deep/a.xml?b=c`, undefined],
  ['index.xml', `${SITE}maps/a.xml`, undefined],
  [
    'maps/index.xml',
    `${SITE}maps`,
    'sitemap-outside-directory: The sitemap is not below /maps/, where the index is',
  ],
  [
    'maps/index.xml',
    `${SITE}maps2/a.xml`,
    'sitemap-outside-directory: The sitemap is not below /maps/, where the index is',
  ],
  [
    'maps/index.xml',
    `${SITE}Maps/a.xml`,
    'sitemap-outside-directory: The sitemap is not below /maps/, where the index is',
  ],
  [
    'maps/index.xml',
    `${SITE}a/maps/b.xml`,
    'sitemap-outside-directory: The sitemap is not below /maps/, where the index is',
  ],
  ['maps/index.xml?a=/b/', `${SITE}maps/a.xml`, undefined],
  ['maps/index.xml', 'https://EXAMPLE.org:443/maps/a.xml', undefined],
  ['maps/index.xml', 'http://example.org/maps/a.xml', undefined],
  [
    'index.xml',
    'https://b.example/a.xml',
    'sitemap-other-host: The sitemap is on b.example, but the index is on example.org',
  ],
  [
    'index.xml',
    'https://www.example.org/a.xml',
    'sitemap-other-host: The sitemap is on www.example.org, but the index is on example.org',
  ],
  [
    'maps/index.xml',
    'https://example.org:8443/a.xml',
    'sitemap-other-host: The sitemap is on example.org:8443, but the index is on example.org',
  ],
])('the index %s lists %s: %s', (path, url, expected) => {
  const said = expected === undefined ? [] : [`${path} 2 ${expected}: ${url.replace(SITE, '/')}`];
  expect(saidOf({ [path]: index(url) })).toEqual(said);
});

test('a robots.txt may declare sitemaps of any host and directory', () => {
  const lines = ['https://b.example/maps/a.xml', `${SITE}maps/a.xml`].map((url) => `Sitemap: ${url}\n`);
  expect(saidOf({ 'robots.txt': lines.join('') })).toEqual([]);
});

test('each further declaration of a sitemap names the document of the first', () => {
  expect(
    saidOf({
      'robots.txt': `Sitemap: ${SITE}i.xml\nSitemap: ${SITE}a.xml\nSitemap: ${SITE}a.xml#b\n`,
      'i.xml': index(`${SITE}a.xml`, `${SITE}b.xml`, `${SITE}b.xml`),
      'j.xml': index(`${SITE}b.xml`, `${SITE}B.xml`, `${SITE}b.xml?c`),
    }),
  ).toEqual([
    'robots.txt 3 sitemap-repeated: The sitemap is also declared before in this document: /a.xml',
    'i.xml 2 sitemap-repeated: The sitemap is also declared in /robots.txt: /a.xml',
    'i.xml 4 sitemap-repeated: The sitemap is also declared before in this document: /b.xml',
    'j.xml 2 sitemap-repeated: The sitemap is also declared in /i.xml: /b.xml',
  ]);
});

test('an index that lists indexes and itself', () => {
  const inner = { 'a.xml': index(`${SITE}p.xml`), 'b.xml': index(`${SITE}q.xml`) };
  expect(
    saidOf({ 'i.xml': index(`${SITE}a.xml`, `${SITE}i.xml`, `${SITE}b.xml`, `${SITE}p.xml`), ...inner }),
  ).toEqual([
    'i.xml 2 nested-index: The index lists another index: /a.xml',
    'i.xml 3 sitemap-recursion: The index leads back to itself, or to an index above it: /i.xml',
    'i.xml 4 nested-index: The index lists another index: /b.xml',
    'a.xml 2 sitemap-repeated: The sitemap is also declared in /i.xml: /p.xml',
  ]);
  // A robots.txt may declare indexes.
  expect(saidOf({ 'robots.txt': `Sitemap: ${SITE}a.xml\n`, ...inner })).toEqual([]);
});

test('a sitemap that robots.txt disallows is reported where it is declared first, with the line', () => {
  const robots = `User-agent: *\nDisallow: /b\nDisallow: /private\nSitemap: ${SITE}private/a.xml\nSitemap: ${SITE}i.xml\n`;
  const blocked = 'The sitemap is disallowed for Googlebot by "Disallow: /private" (line 3 of robots.txt):';
  expect(
    saidOf({ 'robots.txt': robots, 'i.xml': index(`${SITE}private/b.xml`, `${SITE}private/a.xml`) }),
  ).toEqual([
    `robots.txt 4 sitemap-blocked: ${blocked} /private/a.xml`,
    `i.xml 2 sitemap-blocked: ${blocked} /private/b.xml`,
    'i.xml 3 sitemap-repeated: The sitemap is also declared in /robots.txt: /private/a.xml',
  ]);
});

test.each([
  [`${SITE}robots.txt`, '/a.xml', 'relative, and was resolved to https://example.org/a.xml: /a.xml'],
  [`${SITE}robots.txt`, 'a.xml', 'relative, and was resolved to https://example.org/a.xml: a.xml'],
  [undefined, '/a.xml', 'relative: /a.xml'],
])('of the robots.txt %s, the Sitemap line %s is %s', (url, line, words) => {
  const found = [...checkSitemap(`User-agent: *\nSitemap: ${line}\n`, { url, name: 'robots.txt' })];
  expect(found.map(({ rule, line, column, message }) => [rule, line, column, message])).toEqual([
    ['robots-relative-sitemap', 2, 10, `The URL of a Sitemap line is ${words}`],
  ]);
});

test('every index that lists a sitemap with an old date is told', () => {
  const of = (name: string, date: string): { url: string; content: string } => ({
    url: `${SITE}${name}.xml`,
    content: index(`${SITE}a.xml`).replace('</loc>', `</loc><lastmod>${date}</lastmod>`),
  });
  const findings = checkSitemaps([
    of('i', '2010-01-01'),
    of('j', '2014-01-01'),
    of('k', '2011-02-03'),
    { url: `${SITE}a.xml`, content: PAGES },
  ]);
  const old = [...findings].filter(({ rule }) => rule === 'index-lastmod-old');
  expect(old.map(({ document, message }) => [document.slice(SITE.length), message])).toEqual([
    ['i.xml', `The index says 2010-01-01, but the newest page of ${SITE}a.xml is of 2014-01-01.`],
    ['k.xml', `The index says 2011-02-03, but the newest page of ${SITE}a.xml is of 2014-01-01.`],
  ]);
});
