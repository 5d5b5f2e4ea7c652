/** §12: a finding about an entry names the page of the entry, or the sitemap that an index lists. */
import { expect, test } from 'vitest';
import { checkSitemap, checkSitemaps, type Finding } from '../../src/check/index.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const NOW = Date.UTC(2024, 4, 6);

function check(text: string, size: number): readonly Finding[] {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return [...checkSitemap(chunks, { url: 'https://example.org/a.xml', now: NOW })];
}

function urlset(...entries: readonly string[]): string {
  return `<urlset ${NS}>${entries.map((entry) => `<url>${entry}</url>`).join('\n')}</urlset>`;
}
const loc = (name: string): string => `<loc>https://example.org/${name}</loc>`;
const sitemap = (rest: string): string => urlset(loc('before'), `${loc('page')}${rest}`, loc('after'));

const CASES: readonly (readonly [rule: string, text: string, page?: string])[] = [
  ['lastmod-future', sitemap('<lastmod>2099-01-01</lastmod>')],
  ['lastmod-not-w3c', sitemap('<lastmod>2024/05/06</lastmod>')],
  ['lastmod-epoch', sitemap('<lastmod>1970-01-01</lastmod>')],
  ['bad-date', sitemap('<lastmod>soon</lastmod>')],
  ['bad-priority', sitemap('<priority>high</priority>')],
  ['empty-value', sitemap('<lastmod/>')],
  ['value-repeated', sitemap('<lastmod>2024-05-05</lastmod><lastmod>2024-05-05</lastmod>')],
  ['not-well-formed', sitemap('<x a=1/>')],
  ['bare-ampersand', urlset(loc('before'), loc('?a=1&b=2'), loc('after')), 'https://example.org/?a=1&b=2'],
  ['bad-date', urlset(loc('before'), `<lastmod>soon</lastmod>${loc('page')}`)],
  ['not-well-formed', `<urlset ${NS}><url>${loc('before')}</url><url a=1>${loc('page')}</url></urlset>`],
  ['bad-date', `<urlset ${NS}><url>${loc('before')}</url>${loc('page')}<lastmod>soon</lastmod></urlset>`],
  ['bad-date', `<sitemapindex ${NS}><sitemap>${loc('page')}<lastmod>soon</lastmod></sitemap></sitemapindex>`],
  [
    'bare-ampersand',
    '<rss version="2.0"><channel><item><title>A & B</title><link>https://example.org/page</link></item></channel></rss>',
  ],
  [
    'bare-ampersand',
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>A & B</title><link href="https://example.org/page"/></entry></feed>',
  ],
];

test.each(CASES.map(([rule, text, page = 'https://example.org/page']) => [rule, text, page] as const))(
  '%s names its page, in whatever chunks: %j',
  (rule, text, page) => {
    for (const size of [1, 7, 64, text.length]) {
      const pages = check(text, size).filter((finding) => finding.rule === rule);
      expect(pages).toMatchObject([{ page }]);
    }
  },
);

test('what is between entries, and what is about the whole document, names no page', () => {
  const between = urlset(loc('a'), loc('b')).replace('\n', '&');
  expect(check(between, between.length).find(({ rule }) => rule === 'bare-ampersand')).not.toHaveProperty(
    'page',
  );
  const dated = Array.from({ length: 30 }, (_, at) => `${loc(`${at}`)}<lastmod>2024-05-05</lastmod>`);
  const equal = check(urlset(...dated), 64).find(({ rule }) => rule === 'lastmod-all-equal');
  expect(equal).toMatchObject({ offset: expect.any(Number) });
  expect(equal).not.toHaveProperty('page');
});

test('the findings of an entry keep the order in which rules report them', () => {
  const text = urlset(
    `${loc('a#x')}<lastmod>soon</lastmod><priority>high</priority>`,
    `${loc('b#x')}<priority>high</priority>`,
  );
  const found = check(text, text.length).filter(({ severity }) => severity !== 'info');
  expect(found.map(({ rule, page }) => `${rule} ${page?.slice(20)}`)).toEqual([
    'bad-date a#x',
    'bad-priority a#x',
    'url-fragment a#x',
    'bad-priority b#x',
    'url-fragment b#x',
  ]);
});

test('a page is named without its user and password', () => {
  const text = urlset('<loc>https://user:secret@example.org/page</loc><lastmod>soon</lastmod>');
  const found = check(text, text.length).filter(
    ({ rule }) => rule === 'bad-date' || rule === 'url-not-public',
  );
  expect(found.map(({ page }) => page)).toEqual(['https://example.org/page', 'https://example.org/page']);
});

test('an entry with more findings than are held passes them on', () => {
  const links = '<x a=1/>'.repeat(1500);
  const text = urlset(`${loc('page')}${links}`);
  const found = check(text, text.length).filter(({ rule }) => rule === 'not-well-formed');
  expect(found).toHaveLength(101);
  expect(found.at(-1)?.count).toBe(1400);
});

test('index-lastmod-old names the sitemap that the index lists', () => {
  const url = 'https://example.org/index.xml';
  const child = 'https://example.org/page';
  const index = `<sitemapindex ${NS}><sitemap>${loc('page')}<lastmod>2014-01-01</lastmod></sitemap></sitemapindex>`;
  const pages = urlset(`${loc('a')}<lastmod>2014-05-05</lastmod>`);
  const found = checkSitemaps([
    { url, content: index },
    { url: child, content: pages },
  ]);
  expect([...found].filter(({ rule }) => rule === 'index-lastmod-old')).toMatchObject([
    { document: url, page: child },
  ]);
});
