/** `filterPages`: what --since, --include and --exclude do, for programs. */
import { describe, expect, test } from 'vitest';
import { isSince, LeftOutCounts, pageFilter, sitemapFilter } from '../../src/filter/filter-pages.ts';
import { SiteHosts } from '../../src/filter/site-hosts.ts';
import {
  filterPages,
  type PageFilterOptions,
  type SitemapFilterOptions,
  SitemapPage,
  type SitePageOptions,
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
  ['undated: keep, with until alone', { until: '2024-05-07', undated: 'keep' }, '1 3 4'],
  ['until in the day of a page', { until: '2024-05-06T00:00:01Z' }, '1 3'],
  ['until: the very time of a page', { until: '2024-05-07T12:00:00Z' }, '1 3'],
  ['until: a moment later', { until: '2024-05-07T12:00:01Z' }, '1 2 3'],
  ['since: the very time of a page', { since: '2024-05-07T12:00:00Z' }, '2'],
  ['since: a moment later', { since: '2024-05-07T12:00:01Z' }, ''],
  ['since 1970', { since: '1970' }, '1 2 3'],
  ['until 1970', { until: new Date(0) }, ''],
  ['include and exclude', { include: '/blog/', exclude: '.pdf' }, '1'],
  ['include and since', { include: ['/shop/', '.pdf'], since: '2020' }, '2 3'],
  ['no pattern', { include: [], exclude: [] }, '1 2 3 4'],
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

  test.each<readonly [since: string, isKept: boolean]>([
    ['2024-05-06T08:53:11Z', true],
    ['2024-05-06T08:53:12Z', false],
    ['2024-05-06T12:00:00Z', false],
  ])(
    'a page whose lastmod cannot be read has the second of its story as its date: since %s',
    async (since, isKept) => {
      const { pages } = await sitemapFromString(
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">' +
          `<url><loc>${SITE}/1</loc><lastmod>soon</lastmod>` +
          '<n:news><n:publication_date>2024-05-06T08:53:11Z</n:publication_date></n:news></url></urlset>',
      );
      expect([...filterPages(pages, { since })]).toHaveLength(isKept ? 1 : 0);
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

  test.each([null, 5, 'https://a.example/', {}, { page: null }, { page: { url: 5 } }])(
    'an item %j that is not a page is refused when it comes',
    async (item) => {
      const refused = expect.objectContaining({ code: 'bad-input' });
      const given = [new SitemapPage({ url: `${SITE}/1` }), item] as never;
      expect(() => [...filterPages<SitemapPage>(given, {})]).toThrow(refused);
    },
  );

  test('what is only sync stays so, and what is only async', () => {
    const both = (pages: object): boolean[] => [Symbol.iterator in pages, Symbol.asyncIterator in pages];
    expect(both(filterPages([], {}))).toEqual([true, false]);
    expect(both(filterPages((async function* () {})(), {}))).toEqual([false, true]);
  });

  test('each loop over unique pages begins anew', async () => {
    const pages = [1, 2, 1].map((at) => new SitemapPage({ url: `${SITE}/${at}` }));
    const kept = filterPages(pages, { unique: true });
    for (const _ of kept) break;
    for (const _twice of [1, 2]) expect(numbers([...kept].map(({ url }) => url))).toBe('1 2');
  });

  const DATED = { since: '2014', until: '2015' } as const;
  // Of several reasons the first one counts, in this order.
  test.each<[string, SitePageOptions, string | undefined]>([
    ['https://b.example/x', { hosts: 'same', include: 'y', exclude: 'x', ...DATED }, 'other-host'],
    [`${SITE}/x`, { hosts: 'same', include: 'y', exclude: 'x', ...DATED }, 'not-included'],
    [`${SITE}/x`, { hosts: 'same', include: 'x', exclude: ['y', 'x'], ...DATED }, 'excluded'],
    [`${SITE}/x`, { include: ['y', 'x'], exclude: 'y', ...DATED }, 'undated'],
    [`${SITE}/x`, { until: '2015' }, 'undated'],
    [`${SITE}/x`, { ...DATED, undated: 'keep' }, undefined],
    [`${SITE}/x 2013-12-31T23:59:59Z`, DATED, 'older'],
    [`${SITE}/x 2013-12-31`, DATED, 'older'],
    [`${SITE}/x 2014-01-01T00:00:00Z`, DATED, undefined],
    [`${SITE}/x 2014-12-31T23:59:59Z`, DATED, undefined],
    [`${SITE}/x 2015-01-01T00:00:00Z`, DATED, 'newer'],
    [`${SITE}/x 2015-01-01`, DATED, 'newer'],
    ['https://www.a.example/x', { hosts: 'same' }, undefined],
    ['https://b.a.example/x', { hosts: 'same' }, 'other-host'],
    ['https://b.a.example/x', { hosts: 'subdomains' }, undefined],
  ])('%s with %j is left out because it is: %s', (given, options, why) => {
    const [url = '', lastModified] = given.split(' ');
    const page = new SitemapPage({ url, ...(lastModified && { lastModified }) });
    for (const unique of [false, true]) {
      const whyNot = pageFilter({ ...options, unique })?.(new SiteHosts([SITE]));
      expect(whyNot?.(page)).toBe(why);
      // What is left out for another reason has not been listed before.
      expect(whyNot?.(page)).toBe(why ?? (unique ? 'repeated' : undefined));
    }
  });

  test('pages that are left out are counted by reason', () => {
    const counts = new LeftOutCounts();
    expect(counts.counts).toEqual({});
    counts.add('disallowed', 3);
    counts.add('older');
    counts.add('older');
    expect(counts.keeps(() => 'older', new SitemapPage({ url: SITE }))).toBe(false);
    expect(counts.keeps(() => undefined, new SitemapPage({ url: SITE }))).toBe(true);
    expect(counts.counts).toEqual({ disallowed: 3, older: 3 });
    counts.clear();
    counts.add('newer', 2);
    expect(counts.counts).toEqual({ newer: 2 });
  });

  test.each<SitePageOptions>([{}, { hosts: 'any' }, { unique: false }, { undated: 'keep' }, { include: [] }])(
    'no page is left out with %j',
    (options) => expect(pageFilter(options)).toBeUndefined(),
  );

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
  ['filters of pages', { include: 'x', exclude: 'a' }, ''],
  ['since: the end of a day', { since: '2024-05-06' }, 'older'],
  ['since: the very time', { since: '2024-05-07T12:00:00Z' }, 'older older'],
  ['since: a moment later', { since: '2024-05-07T12:00:01Z' }, 'older older older'],
  [
    'the URL counts before the date',
    { since: '2024-05-07', sitemapExclude: ['/a.xml', '/c.xml'] },
    'excluded older excluded',
  ],
  [
    'several patterns of both kinds',
    { sitemapInclude: ['/b', '/c.'], sitemapExclude: ['*/c.xml'] },
    'not-included excluded not-included',
  ],
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

test.each([
  [{ sitemapInclude: '' }, 'must not be empty'],
  [{ sitemapExclude: ['a', 5 as never] }, 'A pattern must be a text or a RegExp.'],
  [{ since: 'lately' }, undefined],
])('sitemaps that are chosen by %j: %s', (options, message) => {
  if (message === undefined) expect(sitemapFilter(options)).toBeUndefined();
  else expect(() => sitemapFilter(options)).toThrow(message);
});
