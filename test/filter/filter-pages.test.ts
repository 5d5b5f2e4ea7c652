/** `filterPages`: what --since, --include and --exclude do, for programs. */
import { describe, expect, test } from 'vitest';
import { isSince, pageFilter, sitemapFilter } from '../../src/filter/filter-pages.ts';
import {
  filterPages,
  type PageFilterOptions,
  type SitemapFilterOptions,
  SitemapPage,
  sitemapFromString,
} from '../../src/index.ts';

const SITE = 'https://a.example';
const XML = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>${SITE}/blog/1</loc><lastmod>2024-05-06</lastmod></url>
  <url><loc>${SITE}/blog/2.pdf</loc><lastmod>2024-05-07T12:00:00Z</lastmod></url>
  <url><loc>${SITE}/shop/3</loc><lastmod>2023-01-01</lastmod></url>
  <url><loc>${SITE}/shop/4</loc></url></urlset>`;

const CASES: readonly (readonly [string, PageFilterOptions, string])[] = [
  ['nothing set', {}, '1 2 3 4'],
  ['include: a part of the URL', { include: '/blog/' }, '1 2'],
  ['include: several', { include: ['/1', '*/4'] }, '1 4'],
  ['include: a RegExp, also one with state', { include: /\/\d$/g }, '1 3 4'],
  ['exclude', { exclude: ['*.pdf', 're:/shop/'] }, '1'],
  ['since: a text; a date without a time covers its day', { since: '2024-05-06T18:00' }, '1 2'],
  ['since: a Date', { since: new Date('2024-05-07T00:00:00Z') }, '2'],
  ['until', { until: '2024-05-07' }, '1 3'],
  ['until: what changed at that time is not before it', { until: '2024-05-06' }, '3'],
  ['since and until', { since: '2024', until: '2024-05-07' }, '1'],
  ['undated: keep', { since: '2024-05-07', undated: 'keep' }, '2 4'],
  ['undated: drop', { since: '2024-05-07', undated: 'drop' }, '2'],
  ['undated without a date filter', { undated: 'drop' }, '1 2 3 4'],
];

const numbers = (urls: readonly string[]): string => urls.map((url) => /\d/.exec(url)?.[0]).join(' ');

describe('filterPages', () => {
  test.each(CASES)('%s', async (_name, options, expected) => {
    const sitemap = await sitemapFromString(XML);
    const kept = [...filterPages(sitemap.pages, options)].map(({ url }) => url);
    expect(numbers(kept)).toBe(expected);
    const streamed: string[] = [];
    const items = async function* () {
      for (const page of sitemap.pages) yield { page, sitemap };
    };
    for await (const { page } of filterPages(items(), options)) streamed.push(page.url);
    expect(streamed).toEqual(kept);
  });

  test.each<PageFilterOptions>([{ include: 'blog' }, { include: 'blog', unique: true }])(
    'the pages of a tree stay both sync and async, and can be walked again: %j',
    async (options) => {
      const { pages } = await sitemapFromString(XML);
      const kept = filterPages(pages, options);
      expect([[...kept].length, [...kept].length]).toEqual([2, 2]);
      const counts = [0, 0];
      for (const at of counts.keys()) for await (const _ of kept) counts[at]!++;
      expect(counts).toEqual([2, 2]);
    },
  );

  test('unique keeps the first entry of a page that no other filter leaves out', () => {
    const pages = ['2013-05-06', '2014-05-06', '2014-05-07'].map(
      (lastModified) => new SitemapPage({ url: `${SITE}/1`, lastModified }),
    );
    const kept = [...filterPages(pages, { since: '2014', unique: true })];
    expect(kept.map(({ lastModifiedText }) => lastModifiedText)).toEqual(['2014-05-06']);
  });

  test('the date of a news story counts where the page has none', async () => {
    const rss = `<rss version="2.0"><channel><item><link>${SITE}/9</link><title>T</title><pubDate>Tue, 07 May 2024 08:00:00 GMT</pubDate></item></channel></rss>`;
    const { pages } = await sitemapFromString(rss);
    expect([...filterPages(pages, { since: '2024-05-07' })]).toHaveLength(1);
    expect([...filterPages(pages, { since: '2024-05-08' })]).toHaveLength(0);
  });

  test.each([
    ['2024-05-06T00:00:00Z', []],
    ['2024-05-06', ['/1']],
    ['2024-05', ['/1']],
    ['2024', ['/1']],
    ['2024-04', []],
  ])('a news story of %s covers the time that it names', async (date, kept) => {
    const story = `<news:news><news:publication_date>${date}</news:publication_date></news:news>`;
    const { pages } = await sitemapFromString(`<urlset><url><loc>${SITE}/1</loc>${story}</url></urlset>`);
    const urls = [...filterPages(pages, { since: '2024-05-06T12:00Z' })].map(({ url }) => url);
    expect(urls).toEqual(kept.map((path) => `${SITE}${path}`));
  });

  test.each([
    [{ since: 'lately' }, 'bad-option', /"since" must be a Date/],
    [{ until: new Date(Number.NaN) }, 'bad-option', /"until" must be a Date/],
    [{ undated: 'maybe' as 'keep' }, 'bad-option', /"undated" must be keep or drop/],
    [{ include: '' }, 'bad-option', /must not be empty/],
    [{ exclude: 're:(' }, 'bad-option', /not a regular expression/],
    [{ sinc: '7d' } as PageFilterOptions, 'bad-option', /Did you mean "since"\?/],
  ])('%j is refused at once', (options, code, message) => {
    expect(() => filterPages([], options)).toThrow(expect.objectContaining({ code }));
    expect(() => filterPages([], options)).toThrow(message);
  });

  test.each([undefined, null, 5, {}])('%j are not pages, and refused at once', (given) => {
    const refused = expect.objectContaining({ code: 'bad-input' });
    expect(() => filterPages(given as unknown as Iterable<SitemapPage>, {})).toThrow(refused);
  });

  test('pageFilter says why a page is left out', () => {
    const page = new SitemapPage({ url: `${SITE}/1` });
    expect(pageFilter({ include: 'y' })?.()(page)).toBe('not-included');
    expect(pageFilter({ exclude: '/1' })?.()(page)).toBe('excluded');
    expect(pageFilter({ since: '2024' })?.()(page)).toBe('undated');
    expect(pageFilter({})).toBeUndefined();
  });
});

test.each([
  ['2024-05-06T12:00:00Z', '2024-05-06T12:00:00Z', '2024-05-06T12:00:00Z', true],
  ['2024-05-06T11:59:59Z', '2024-05-06T11:59:59Z', '2024-05-06T12:00:00Z', false],
  // A date without a time covers its day, a month its month, a year its year.
  ['2024-05-06T00:00:00Z', '2024-05-06', '2024-05-06T23:59:00Z', true],
  ['2024-05-06T00:00:00Z', '2024-05-06', '2024-05-07T00:00:00Z', false],
  ['2024-05-06T00:00:00Z', '2024-05-06T00:00:00Z', '2024-05-06T12:00:00Z', false],
  ['2024-05-01T00:00:00Z', '2024-05', '2024-05-31T12:00:00Z', true],
  ['2024-01-01T00:00:00Z', '2024', '2024-12-31T12:00:00Z', true],
  ['2024-01-01T00:00:00Z', '2024', '2025-01-01T00:00:00Z', false],
  // An index gives no text: midnight counts as a day.
  ['2024-05-06T00:00:00Z', undefined, '2024-05-06T12:00:00Z', true],
  ['2024-05-06T00:00:01Z', undefined, '2024-05-06T12:00:00Z', false],
])('%s, written %s, is since %s: %s', (date, text, since, expected) => {
  expect(isSince(new Date(date), text, Date.parse(since))).toBe(expected);
});

describe('a page', () => {
  test.each([
    ['<priority>0.8</priority>', 0.8, 0.8],
    ['<priority>0.5</priority>', 0.5, 0.5],
    ['', 0.5, undefined],
    ['<priority>high</priority>', 0.5, undefined],
    ['<priority></priority>', 0.5, undefined],
    // Not on the fast path of the parser.
    ['<priority>0.80</priority>', 0.8, 0.8],
  ])('declaredPriority of %s', async (tag, priority, declared) => {
    const { pages } = await sitemapFromString(
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${SITE}/1</loc>${tag}</url></urlset>`,
    );
    const [page] = [...pages];
    expect([page?.priority, page?.declaredPriority]).toEqual([priority, declared]);
  });
});

test.each<[string, PageFilterOptions & SitemapFilterOptions, string]>([
  ['nothing set', {}, ''],
  [
    'since: what is declared to be older; a date without a time covers its day',
    { since: '2024-05-06T18:00' },
    'older',
  ],
  ['since and a part of the URL', { since: '2024-05-06T18:00', sitemapExclude: '/b' }, 'older excluded'],
  ['a part of the URL alone', { sitemapInclude: '/b' }, 'not-included not-included not-included'],
  ['until alone: its pages may be of any date', { until: '2024-05-06' }, ''],
])('which sitemaps of an index are not fetched: %s', (_name, options, expected) => {
  const entries = [
    ['a', '2024-05-05'],
    ['b', '2024-05-06'],
    ['c', '2024-05-07T12:00:00Z'],
    ['d', undefined],
  ] as const;
  const whyNot = sitemapFilter(options);
  const reasons = entries.map(([name, date]) =>
    whyNot?.({
      url: `${SITE}/${name}.xml`,
      lastModified: date === undefined ? undefined : new Date(date),
      lastModifiedText: date,
    }),
  );
  expect(reasons.filter((reason) => reason !== undefined).join(' ')).toBe(expected);
});
