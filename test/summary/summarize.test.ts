/** §13: `summarize` counts what is in a tree, each document once, in one pass and bounded memory. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TreeRun } from '../../src/check/check-tree.ts';
import { resolveCheckOptions } from '../../src/check/site-check.ts';
import {
  filterPages,
  type Sitemap,
  type SitemapPage,
  sitemapFromString,
  sitemapTreeForHomepage,
  summarize,
} from '../../src/index.ts';
import {
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { Summarizer } from '../../src/summary/summarize.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { reportSite } from '../support/report-site.ts';
import { sized } from '../support/tier.ts';
import { pagesNode, SITE, sampleTree, source } from '../support/trees.ts';

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" ' +
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';

interface Entry {
  readonly path: string;
  readonly lastmod?: string;
  readonly links?: Readonly<Record<string, string>>;
  readonly images?: number;
}

function document(entries: readonly Entry[]): string {
  const urls = entries.map(({ path, lastmod, links = {}, images = 0 }) => {
    const alternates = Object.entries(links).map(
      ([code, to]) => `<xhtml:link rel="alternate" hreflang="${code}" href="${SITE}${to}"/>`,
    );
    const image = `<image:image><image:loc>${SITE}i.png</image:loc></image:image>`.repeat(images);
    const date = lastmod === undefined ? '' : `<lastmod>${lastmod}</lastmod>`;
    return `<url><loc>${SITE}${path}</loc>${date}${alternates.join('')}${image}</url>`;
  });
  return `<urlset ${NAMESPACES}>${urls.join('')}</urlset>`;
}

async function ofEntries(entries: readonly Entry[], now = new Date('2013-06-01T12:00:00Z')) {
  return summarize(await sitemapFromString(document(entries)), { now });
}

test('sitemaps, pages, bytes, failures: a document at two places of the tree counts once', async () => {
  const summary = await summarize(sampleTree());
  expect(summary.sitemaps).toEqual({
    count: 5,
    unreadable: 1,
    notFetched: 0,
    truncated: 0,
    stale: 0,
    kinds: { website: 1, 'robots-txt': 1, 'index-xml': 2, 'pages-xml': 2, invalid: 1, 'pages-rss': 1 },
  });
  // a1, a2, both; s1, both; news.
  expect(summary.pages).toEqual({ count: 6, distinct: 5 });
  // The one item of the RSS feed is not a story of a news sitemap.
  expect({ news: summary.news, feeds: summary.feeds }).toEqual({ news: { pages: 0 }, feeds: { items: 1 } });
  expect(summary.complete).toBe(false);
  expect(summary.failures).toEqual([
    {
      code: 'http-status',
      status: 404,
      count: 1,
      url: `${SITE}missing.xml`,
      reason: `${SITE}missing.xml answered 404 Not Found.`,
    },
  ]);
});

describe('what a crawl noticed', () => {
  const broken = (origin: string, ...dates: readonly string[]): string =>
    urlset(...dates.map((date, at) => [`${origin}/${at}`, date] as const));

  test('problems and truncated sitemaps are counted, for the tree and for each of its rows', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/index.xml'],
      '/index.xml': index([`${origin}/a.xml`, '2013-05-06'], `${origin}/b.xml`, `${origin}/c.xml`),
      '/a.xml': broken(origin, 'x', 'y', '2013-05-07'),
      '/b.xml': broken(origin, 'z').replace('</urlset>', '<url><loc>'),
      '/c.xml': broken(origin, '2013-05-01'),
    }));
    const tree = await treeOf(server, DECLARED);
    const summary = await summarize(tree);
    expect(summary.sitemaps).toMatchObject({ count: 4, truncated: 1, stale: 0, unreadable: 0 });
    expect(summary.problems.codes.map(({ code, count, url }) => [code, count, url])).toEqual([
      ['bad-date', 3, `${server.origin}/a.xml`],
      ['truncated', 1, `${server.origin}/b.xml`],
    ]);
    expect(summary.problems.count).toBe(4);
    const [list] = summary.tree.sitemaps[0]?.sitemaps ?? [];
    const rows = list?.sitemaps.map(({ pages, problems, truncated, lastModified }) => {
      return [pages, problems, truncated, lastModified?.slice(0, 10)];
    });
    expect(rows).toEqual([
      [3, 2, 0, '2013-05-06'],
      [1, 2, 1, undefined],
      [1, 0, 0, undefined],
    ]);
    const documents = Array.from(tree.allSitemaps(), ({ bytes = 0 }) => bytes);
    expect(summary.bytes).toBe(documents.reduce((sum, bytes) => sum + bytes, 0));
    expect(list?.sitemaps.map(({ bytes }) => bytes)).toEqual(documents.slice(-3));
    expect(Math.abs(Date.parse(summary.readAt ?? '') - Date.now())).toBeLessThan(600_000);
  });

  test('problems of its fetch and of its text are those of a sitemap', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const url = `${SITE}a.xml`;
    const sitemap = new PagesXMLSitemap({
      url,
      pages: source(spool, broken('https://example.org', 'x', 'y'), url),
      problems: [{ code: 'connection-broke', message: 'It broke.' }],
      problemCount: 3,
    });
    const { problems, tree } = await summarize(sitemap);
    expect(problems.codes.map(({ code, count }) => [code, count])).toEqual([
      ['bad-date', 2],
      ['connection-broke', 1],
    ]);
    expect([problems.count, tree.problems]).toEqual([5, 5]);
  });

  test('what an earlier run read and this one could not is stale', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': broken(origin, '2013'),
    }));
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = { status: 503 };
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    const summary = await summarize(tree);
    expect(summary.sitemaps).toMatchObject({ count: 1, stale: 1, unreadable: 0 });
    expect(summary.tree.sitemaps[0]?.sitemaps[0]).toMatchObject({ pages: 1, freshness: 'stale' });
  });
});

test('the summary is plain data: JSON keeps all of it', async () => {
  const summary = await summarize(sampleTree());
  expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
});

describe('dates', () => {
  test('years, months and days add up; undated and future ones are apart', async () => {
    const { lastModified } = await ofEntries([
      { path: 'd', lastmod: '2013-05-07' },
      { path: 'b', lastmod: '2013-05-06' },
      { path: 'a', lastmod: '2012-12-31' },
      { path: 'c', lastmod: '2013-05-06T23:59:59Z' },
      { path: 'e', lastmod: '2013-06-02T11:00:00Z' },
      { path: 'f', lastmod: '2013-06-02T13:00:00Z' },
      { path: 'g' },
    ]);
    expect(lastModified).toEqual({
      dated: 5,
      undated: 1,
      future: 1,
      oldest: '2012-12-31',
      newest: '2013-06-02',
      years: [
        { year: 2012, pages: 1, months: [{ month: 12, pages: 1, days: [{ day: 31, pages: 1 }] }] },
        {
          year: 2013,
          pages: 4,
          months: [
            {
              month: 5,
              pages: 3,
              days: [
                { day: 6, pages: 2 },
                { day: 7, pages: 1 },
              ],
            },
            { month: 6, pages: 1, days: [{ day: 2, pages: 1 }] },
          ],
        },
      ],
    });
  });

  test('a story without a lastmod has the date of its publication, in a summary as in a filter', async () => {
    const news = '<news:news><news:publication_date>2013-05-06</news:publication_date></news:news>';
    const namespace = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
    const urls = [news, `<lastmod>2013-05-07</lastmod>${news}`, ''].map(
      (more, at) => `<url><loc>${SITE}${at}</loc>${more}</url>`,
    );
    const tree = await sitemapFromString(`<urlset ${NAMESPACES} ${namespace}>${urls.join('')}</urlset>`);
    onTestFinished(() => tree.close());
    const { lastModified, samples } = await summarize(tree);
    expect(lastModified).toMatchObject({ dated: 2, undated: 1, oldest: '2013-05-06', newest: '2013-05-07' });
    expect(samples[0]?.pages.map((page) => page.lastModified?.slice(0, 10))).toEqual([
      '2013-05-06',
      '2013-05-07',
      undefined,
    ]);
    const filtered = filterPages(tree.allPages(), { since: '2013-05-06' });
    expect(Array.from(filtered, ({ url }) => url)).toEqual([`${SITE}0`, `${SITE}1`]);
  });

  test('more than 20,000 days are counted by month', async () => {
    const days = Array.from({ length: 20_500 }, (_, day) =>
      new Date(day * 86_400_000).toISOString().slice(0, 10),
    );
    // The newest first, as many sites list them: what is only known by month comes last, and is the oldest.
    const entries = days.reverse().map((lastmod, at) => ({ path: String(at), lastmod }));
    const { lastModified } = await ofEntries(entries, new Date('2100-01-01'));
    expect(lastModified.dated).toBe(20_500);
    const sum = lastModified.years.flatMap(({ months }) => months).reduce((all, { pages }) => all + pages, 0);
    expect(sum).toBe(20_500);
    expect(lastModified.years.map(({ year }) => year)).toEqual(
      Array.from({ length: lastModified.years.length }, (_, at) => 1970 + at),
    );
    expect(lastModified.years[0]?.months[0]).toEqual({ month: 1, pages: 31, days: [] });
    expect(lastModified.years.at(-2)?.months[0]?.days).toHaveLength(31);
  });
});

describe('languages', () => {
  test('links are returned, not returned or not listed', async () => {
    const { languages } = await ofEntries([
      { path: 'en', links: { en: 'en', de: 'de', fr: 'fr' } },
      { path: 'de', links: { en: 'en', de: 'de', fr: 'fr' } },
      { path: 'fr', links: { fr: 'fr', en: 'en' } },
      { path: 'it', links: { EN: 'en', xx: 'nowhere' } },
    ]);
    expect(languages.pages).toBe(4);
    expect(languages.languages).toEqual([
      // it → en; de → en and fr → en are returned.
      { language: 'en', links: 3, returned: 2, notReturned: 1, notListed: 0 },
      // de → fr, which names en only; en → fr is returned.
      { language: 'fr', links: 2, returned: 1, notReturned: 1, notListed: 0 },
      { language: 'xx', links: 1, returned: 0, notReturned: 0, notListed: 1 },
      { language: 'de', links: 1, returned: 1, notReturned: 0, notListed: 0 },
    ]);
  });

  test('a code is one language in capitals and small letters, whichever comes first', async () => {
    for (const [first, second] of [
      ['de-DE', 'de-de'],
      ['de-de', 'de-DE'],
    ] as const) {
      const entries = [
        { path: 'a', links: { [first]: 'x' } },
        { path: 'b', links: { [second]: 'y', [first]: 'z' } },
      ];
      const { languages } = await ofEntries(entries);
      expect(languages.languages).toMatchObject([{ language: 'de-de', links: 3 }]);
    }
  });

  test('links and pages are compared as rules compare them, whatever is written', async () => {
    const spelled = [
      ['https://x.org', 'https://x.org/'],
      ['https://x.org/de/straße', 'https://x.org/de/stra%C3%9Fe'],
      ['https://X.org/fr/', 'https://x.org:443/fr/#top'],
    ] as const;
    const links = spelled
      .map(([, href]) => `<xhtml:link rel="alternate" hreflang="en" href="${href}"/>`)
      .join('');
    const urls = spelled.map(([loc]) => `<url><loc>${loc}</loc>${links}</url>`).join('');
    const tree = await sitemapFromString(`<urlset ${NAMESPACES}>${urls}</urlset>`);
    const { pages, languages } = await summarize(tree);
    expect(languages.languages).toEqual([
      { language: 'en', links: 6, returned: 6, notReturned: 0, notListed: 0 },
    ]);
    expect(pages).toEqual({ count: 3, distinct: 3 });
  });

  test('pages that are listed again are not distinct, however many there are', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const paths = Array.from({ length: 100 }, (_, at) => `p${at}`);
    const subSitemaps = ['a.xml', 'b.xml'].map((name) => pagesNode(spool, name, ...paths));
    const { pages } = await summarize(new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps }));
    expect(pages).toEqual({ count: 200, distinct: 100 });
  });

  test('two spellings of a page are two pages, and one for links', async () => {
    const link = '<xhtml:link rel="alternate" hreflang="de" href="https://x.org/"/>';
    const tree = await sitemapFromString(
      `<urlset ${NAMESPACES}><url><loc>https://x.org</loc></url><url><loc>https://x.org/</loc></url>` +
        `<url><loc>https://x.org/a</loc>${link}</url></urlset>`,
    );
    const { pages, languages } = await summarize(tree);
    expect(pages).toEqual({ count: 3, distinct: 3 });
    expect(languages.languages).toMatchObject([{ links: 1, notReturned: 1, notListed: 0 }]);
  });

  test('random links give what comparing every pair gives', async () => {
    const codes = ['en', 'de', 'fr', 'x-default'];
    const page = fc.record({
      path: fc.nat({ max: 9 }),
      links: fc.uniqueArray(fc.tuple(fc.constantFrom(...codes), fc.nat({ max: 12 })), {
        maxLength: 4,
        selector: ([code]) => code,
      }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(page, { selector: ({ path }) => path, minLength: 1 }),
        async (pages) => {
          const { languages } = await ofEntries(
            pages.map(({ path, links }) => ({
              path: `p${path}`,
              links: Object.fromEntries(links.map(([code, to]) => [code, `p${to}`])),
            })),
          );
          const expected = new Map<string, number[]>();
          for (const { path, links } of pages) {
            for (const [code, to] of links) {
              if (to === path) continue;
              const counts = expected.get(code) ?? [0, 0, 0];
              const other = pages.find((one) => one.path === to);
              const returns = other?.links.some(([, back]) => back === path);
              counts[other === undefined ? 2 : returns === true ? 0 : 1]!++;
              expected.set(code, counts);
            }
          }
          const found = languages.languages.map(({ language, returned, notReturned, notListed }) => [
            language,
            [returned, notReturned, notListed],
          ]);
          expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
          expect(languages.notChecked).toBe(0);
        },
      ),
      { numRuns: sized({ fast: 30, full: 100, strong: 300 }) },
    );
  });

  test('all declarations of a page count, in whatever order the sitemaps come', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const plain = [{ path: 'en' }, { path: 'de' }];
    const german = [{ path: 'en', links: { de: 'de' } }];
    const both = [
      { path: 'en', links: { de: 'de', fr: 'fr' } },
      { path: 'de', links: { en: 'en' } },
    ];
    const summaries = [
      [plain, german, both],
      [both, german, plain],
      [german, both, plain],
    ].map(async (documents) => {
      const subSitemaps = documents.map((entries, at) => {
        const url = `${SITE}${at}.xml`;
        return new PagesXMLSitemap({ url, pages: source(spool, document(entries), url) });
      });
      const { languages } = await summarize(new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps }));
      return languages;
    });
    const [first, ...others] = await Promise.all(summaries);
    expect(first?.pages).toBe(2);
    expect(Object.fromEntries(first!.languages.map((each) => [each.language, each]))).toMatchObject({
      de: { links: 1, returned: 1, notReturned: 0, notListed: 0 },
      en: { links: 1, returned: 1, notReturned: 0, notListed: 0 },
      fr: { links: 1, returned: 0, notReturned: 0, notListed: 1 },
    });
    for (const other of others)
      expect(other.languages).toEqual(expect.arrayContaining([...first!.languages]));
  });

  test('links of a page beyond 200 are counted, and said not to be checked', async () => {
    const links = Object.fromEntries(Array.from({ length: 210 }, (_, n) => [`l${n}`, `to${n}`]));
    const { languages } = await ofEntries([{ path: 'a', links }]);
    expect(languages.notChecked).toBe(10);
    expect(languages.languages.reduce((sum, one) => sum + one.links, 0)).toBe(210);
  });
});

test('limits: a full sitemap is within its limit, one entry more is over', async () => {
  const spool = new Spool({ memoryBytes: 10_000_000 });
  const list = (count: number) => Array.from({ length: count }, (_, n) => `${SITE}${n}`).join('\n');
  const node = async (name: string, count: number) =>
    new PagesXMLSitemap({
      url: `${SITE}${name}`,
      pages: source(spool, list(count)),
      bytes: list(count).length,
    });
  const tree = new IndexWebsiteSitemap({
    url: SITE,
    complete: true,
    subSitemaps: [await node('full', 50_000), await node('over', 50_001), await node('small', 1)],
    documents: spool,
  });
  const { limits } = await summarize(tree);
  expect(limits.sitemaps).toBe(3);
  expect(limits.entries.within).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(limits.entries.over).toBe(1);
  expect(limits.entries.largest).toEqual({ url: `${SITE}over`, value: 50_001 });
  expect(limits.bytes.within.reduce((sum, count) => sum + count)).toBe(3);
});

describe('the sitemaps of a large tree', () => {
  const spool = new Spool({ memoryBytes: 10_000_000 });
  const wordOf = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const failed = (name: string): Sitemap =>
    new InvalidSitemap({ url: `${SITE}${name}`, code: 'timeout', reason: `${name} did not answer.` });

  test('alike ones are one row, with all that they have', async () => {
    const children: Sitemap[] = Array.from({ length: 2_100 }, (_, n) =>
      pagesNode(spool, `s-${n}.xml`, `p${n}`),
    );
    children.push(failed('s-1-broken.xml'), pagesNode(spool, 'other.xml', 'q'));
    const index = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: children });
    const { tree } = await summarize(
      new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps: [index], documents: spool }),
    );
    const [row] = tree.sitemaps;
    expect(tree.pages).toBe(2_101);
    expect(row?.sitemaps.map(({ url, count, pages, example }) => [url, count, pages, example])).toEqual([
      [`${SITE}s-{n}.xml`, 2_100, 2_100, `${SITE}s-0.xml`],
      [`${SITE}s-1-broken.xml`, 1, 0, undefined],
      [`${SITE}other.xml`, 1, 1, undefined],
    ]);
  });

  test('a row of alike ones has the newest date, and the sitemaps of two hosts are not alike', async () => {
    const many = Array.from({ length: 2_001 }, (_, n) => pagesNode(spool, `s-${n}.xml`));
    const dated = ['2013-05-06', '2013-05-08', '2013-05-07'].map(
      (date, at) =>
        new PagesXMLSitemap({
          url: `https://www1.example.org/${at}.xml`,
          lastModified: new Date(date),
          pages: source(spool, urlset()),
        }),
    );
    const other = new PagesXMLSitemap({
      url: 'https://www2.example.org/1.xml',
      pages: source(spool, urlset()),
    });
    const { tree } = await summarize(
      new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: [...dated, ...many, other] }),
    );
    expect(
      tree.sitemaps.map(({ url, count, lastModified }) => [url, count, lastModified?.slice(0, 10)]),
    ).toEqual([
      ['https://www1.example.org/{n}.xml', 3, '2013-05-08'],
      [`${SITE}s-{n}.xml`, 2_001, undefined],
      ['https://www2.example.org/1.xml', 1, undefined],
    ]);
  });

  test('a tree of several levels has 2,000 rows in all', async () => {
    const subSitemaps = Array.from({ length: 1_200 }, (_, n) => {
      const child = new InvalidSitemap({
        url: `${SITE}${wordOf(n)}.xml`,
        code: 'timeout',
        reason: 'Too slow.',
      });
      return new IndexXMLSitemap({ url: `${SITE}${wordOf(n)}/index.xml`, subSitemaps: [child] });
    });
    const { tree } = await summarize(new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps }));
    const rowsOf = (row: typeof tree): number =>
      1 + row.sitemaps.reduce((sum, below) => sum + rowsOf(below), 0);
    expect([rowsOf(tree), tree.sitemaps.length]).toEqual([2_000, 1_200]);
  });

  test('up to 2,000 each has its own', async () => {
    const children = Array.from({ length: 1_900 }, (_, n) => pagesNode(spool, `s-${n}.xml`, `p${n}`));
    const { tree } = await summarize(
      new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps: children, documents: spool }),
    );
    expect(tree.sitemaps).toHaveLength(1_900);
  });

  test('where all differ, 2,000 are kept, failures among them, and the rest is counted', async () => {
    const children: Sitemap[] = Array.from({ length: 3_000 }, (_, n) =>
      pagesNode(spool, `${wordOf(n)}.xml`, 'p'),
    );
    children.push(failed('last'));
    const { tree, samples } = await summarize(
      new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps: children, documents: spool }),
    );
    expect(tree.sitemaps).toHaveLength(1_999);
    expect(tree.more).toBe(1_002);
    expect(tree.sitemaps[0]?.failure?.code).toBe('timeout');
    expect(samples).toHaveLength(1_500);
  });

  test('a very deep tree is cut, not overflown', async () => {
    let node: Sitemap = pagesNode(spool, 'deep.xml', 'p');
    for (let depth = 0; depth < 5_000; depth++)
      node = new IndexXMLSitemap({ url: `${SITE}${depth}`, subSitemaps: [node] });
    const { tree } = await summarize(node);
    expect(tree.pages).toBe(1);
    expect(JSON.stringify(tree).length).toBeLessThan(20_000);
  });
});

test('samples are at even distances, at most 20 of a sitemap', async () => {
  const entries = Array.from({ length: 1_000 }, (_, n) => ({ path: String(n), images: n % 2 }));
  const { samples, images } = await ofEntries(entries);
  expect(samples).toHaveLength(1);
  const numbers = samples[0]!.pages.map(({ url }) => Number(url.slice(SITE.length)));
  expect(numbers).toHaveLength(20);
  expect(numbers[0]).toBe(0);
  expect(numbers.at(-1)).toBeGreaterThan(850);
  const gaps = numbers.slice(1).map((n, at) => n - numbers[at]!);
  expect(Math.max(...gaps) / Math.min(...gaps)).toBeLessThanOrEqual(2);
  expect(images).toEqual({ pages: 500, images: 500 });
  expect(samples[0]?.of).toBe(1_000);
});

test('a sampled page has what its entry declares', async () => {
  const news =
    '<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>' +
    '<news:title>Title</news:title></news:news>';
  const tree = await sitemapFromString(
    `<urlset ${NAMESPACES} xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>${SITE}a</loc>` +
      `<lastmod>2013-05-06</lastmod><changefreq>daily</changefreq><priority>0.8</priority>${news}</url>` +
      `<url><loc>${SITE}b</loc></url></urlset>`,
  );
  const { samples } = await summarize(tree);
  const none = { images: 0, videos: 0, alternates: 0 };
  const declared = {
    lastModified: '2013-05-06T00:00:00.000Z',
    priority: 0.8,
    changeFrequency: 'daily',
    title: 'Title',
  };
  expect(samples[0]?.pages).toEqual([
    { url: `${SITE}a`, ...declared, ...none },
    { url: `${SITE}b`, ...none },
  ]);
});

test('pages with images and videos are counted, and their images and videos', async () => {
  const image = `<image:image><image:loc>${SITE}i.png</image:loc></image:image>`;
  const video = `<video:video><video:title>T</video:title></video:video>`;
  const entries = [image + image + image, video + video, image + video, ''].map(
    (more, at) => `<url><loc>${SITE}${at}</loc>${more}</url>`,
  );
  const namespace = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"';
  const tree = await sitemapFromString(`<urlset ${NAMESPACES} ${namespace}>${entries.join('')}</urlset>`);
  const { images, videos, samples } = await summarize(tree);
  expect([images, videos]).toEqual([
    { pages: 2, images: 4 },
    { pages: 2, videos: 3 },
  ]);
  expect(samples[0]?.pages.map((page) => [page.images, page.videos])).toEqual([
    [3, 0],
    [0, 2],
    [1, 1],
    [0, 0],
  ]);
});

test('a date is in the future of the request of its document; a sample says how many pages were counted', async () => {
  const spool = new Spool({ memoryBytes: 1_000_000 });
  const node = (requestedAt: number | undefined): Sitemap => {
    const url = `${SITE}${requestedAt}.xml`;
    const text = document([{ path: 'a', lastmod: '2013-05-06' }, { path: 'b' }]);
    const writer = spool.writer();
    writer.write(Buffer.from(text));
    const kept = writer.end({ options: { url, charset: undefined }, requestedAt, truncatedBy: undefined });
    return new PagesXMLSitemap({ url, pages: source(spool, text, url), facts: { document: kept } });
  };
  const times = [0, Date.parse('2013-05-04'), Date.parse('2013-05-05'), undefined];
  const tree = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: times.map(node) });
  const keep = (all: readonly SitemapPage[]) => all.filter(({ url }) => url.endsWith('a'));
  for (const [now, future] of [
    ['2000-01-01', 3],
    ['2020-01-01', 2],
  ] as const) {
    const { lastModified, samples } = await summarize(tree, { keep, now: new Date(now) });
    expect([lastModified.future, lastModified.dated, lastModified.undated]).toEqual([future, 4 - future, 0]);
    expect(samples.map((sample) => [sample.of, sample.pages.length])).toEqual(times.map(() => [1, 1]));
  }
});

test('keep chooses the pages that count', async () => {
  const tree = await sitemapFromString(document([{ path: 'a' }, { path: 'b' }, { path: 'c' }]));
  const { pages } = await summarize(tree, { keep: (all) => all.filter(({ url }) => !url.endsWith('b')) });
  expect(pages).toEqual({ count: 2, distinct: 2 });
});

test('keep chooses the items of a feed, and does not change how full a sitemap is', async () => {
  const items = ['a', 'b'].map((path) => `<item><link>${SITE}${path}</link></item>`).join('');
  const keep = (all: readonly SitemapPage[]) => all.filter(({ url }) => !url.endsWith('b'));
  const feed = await sitemapFromString(`<rss version="2.0"><channel>${items}</channel></rss>`);
  expect((await summarize(feed, { keep })).feeds).toEqual({ items: 1 });
  const paths = Array.from({ length: 10_000 }, (_, n) => ({ path: `${n % 2}${n}${n % 2 === 0 ? 'b' : ''}` }));
  const { limits, pages } = await summarize(await sitemapFromString(document(paths)), { keep });
  expect([limits.entries.largest?.value, limits.entries.within[1], pages.count]).toEqual([10_000, 1, 5_000]);
});

test('failures are rows by code and status, and readAt is when the first document was requested', async () => {
  const spool = new Spool({ memoryBytes: 1_000_000 });
  const failed = ([status, code]: readonly [number | undefined, string], at: number): Sitemap =>
    new InvalidSitemap({ url: `${SITE}${at}`, code, status, reason: `${at} failed.` });
  const read = (seconds: number): Sitemap => {
    const url = `${SITE}${seconds}.xml`;
    const writer = spool.writer();
    writer.write(Buffer.from(urlset(url)));
    const options = { url, charset: undefined };
    const kept = writer.end({ options, requestedAt: seconds * 1000, truncatedBy: undefined });
    return new PagesXMLSitemap({ url, pages: source(spool, urlset(url), url), facts: { document: kept } });
  };
  const codes = [
    [404, 'http-status'],
    [500, 'http-status'],
    [404, 'http-status'],
    [undefined, 'timeout'],
  ] as const;
  const subSitemaps = [...codes.map(failed), ...[20, 10, 30].map(read)];
  const { failures, readAt } = await summarize(new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps }));
  expect(failures.map(({ code, status, count }) => [code, status, count])).toEqual([
    ['http-status', 404, 2],
    ['http-status', 500, 1],
    ['timeout', undefined, 1],
  ]);
  expect(readAt).toBe('1970-01-01T00:00:10.000Z');
});

describe('bad input', () => {
  test('what is not a tree', async () => {
    const mistake = summarize('https://example.org/' as unknown as Sitemap);
    await expect(mistake).rejects.toMatchObject({ name: 'SitemapException', code: 'bad-input' });
  });

  test.each([{ now: 'x' }, { now: 5 }, { now: new Date(Number.NaN) }, { keep: true }, { signal: {} }])(
    'the option %o',
    async (options) => {
      const mistake = summarize(sampleTree(), options as object);
      await expect(mistake).rejects.toMatchObject({ name: 'SitemapException', code: 'bad-option' });
    },
  );

  test('an option that there is not', async () => {
    const mistake = summarize(sampleTree(), { kepe: 1 } as object);
    await expect(mistake).rejects.toMatchObject({ name: 'SitemapException', code: 'bad-option' });
  });

  test('a signal that has fired', async () => {
    const reason = new Error('enough');
    await expect(summarize(sampleTree(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

test('a signal that fires while a document is read ends the call before the next one, even if that has no pages', async () => {
  const spool = new Spool({ memoryBytes: 1_000_000 });
  const subSitemaps = [pagesNode(spool, 'a.xml', 'a1'), pagesNode(spool, 'empty.xml')];
  const stop = new AbortController();
  const keep = (batch: readonly SitemapPage[]): readonly SitemapPage[] => {
    stop.abort('enough');
    return batch;
  };
  const tree = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps });
  await expect(summarize(tree, { keep, signal: stop.signal })).rejects.toBe('enough');
});

test('what is read along with a check is summarized as what is read alone', async () => {
  const server = await reportSite();
  onTestFinished(() => server.close());
  const tree = await sitemapTreeForHomepage(server.origin);
  const summarizer = new Summarizer(tree, {});
  const check = new TreeRun(
    [tree],
    resolveCheckOptions({}),
    {},
    { documentObserver: (sitemap) => summarizer.reader(sitemap) },
  );
  for await (const _ of check.findings());
  const along = await summarizer.summary();
  expect(along).toEqual(await summarize(tree));
  expect(along.pages.count).toBe(74);
  tree.close();
});

test('a plain entry that is read along is the page that a link names, before it and behind it', async () => {
  const link = (href: string) => `<xhtml:link rel="alternate" hreflang="de" href="${href}"/>`;
  const entries = [
    '<url><loc>https://x.org/</loc></url>',
    '<url><loc>https://x.org/before</loc></url>',
    `<url><loc>https://x.org/1</loc>${link('https://x.org/before')}</url>`,
    `<url><loc>https://x.org/2</loc>${link('https://x.org/behind')}</url>`,
    '<url><loc>https://x.org/behind</loc></url>',
    `<url><loc>https://x.org/3</loc>${link('https://y.org/')}${link('https://x.org/a|b')}</url>`,
    '<url><loc>https://y.org</loc></url>',
    '<url><loc>https://x.org/./a|b</loc></url>',
  ];
  const tree = await sitemapFromString(`<urlset ${NAMESPACES}>${entries.join('\n')}\n</urlset>`);
  const summarizer = new Summarizer(tree, {});
  const check = new TreeRun(
    [tree],
    resolveCheckOptions({}),
    {},
    { documentObserver: (sitemap) => summarizer.reader(sitemap) },
  );
  for await (const _ of check.findings());
  const { pages, languages } = await summarizer.summary();
  expect(pages).toEqual({ count: 8, distinct: 8 });
  expect(languages.languages).toMatchObject([{ links: 4, notReturned: 4, notListed: 0 }]);
});

test('plain entries that are read along count as the pages that they would make, in whatever folder', async () => {
  const url = fc
    .tuple(
      fc.constantFrom('https://x.org', 'http://a.b', 'https://y.example.com:81', 'HTTP://z.org'),
      fc.array(fc.constantFrom('/', 'a', 'blog', '2013', '.', 'B', '-'), { maxLength: 10 }),
      fc.constantFrom('', '', '?', '?a/b', '#c/d', '?e#f/', '/'),
    )
    .map(([host, path, rest]) => `${host}${path.length === 0 ? '' : '/'}${path.join('')}${rest}`);
  const date = fc.constantFrom(
    '',
    '<lastmod>2013-05-06</lastmod>',
    '<lastmod>May 2013</lastmod>',
    '<lastmod>2099-01-01</lastmod>',
  );
  const more = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    fc.constant('<image:image><image:loc>https://x.org/i</image:loc></image:image>'),
    // To pages that are listed before, behind, or nowhere.
    url.map((href) => `<xhtml:link rel="alternate" hreflang="de" href="${href}"/>`),
  );
  const entries = fc.array(fc.tuple(url, date, more), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(entries, async (list) => {
      const urls = list.map(([loc, lastmod, image]) => `<url><loc>${loc}</loc>${lastmod}${image}</url>\n`);
      const tree = await sitemapFromString(`<urlset ${NAMESPACES}>${urls.join('')}</urlset>`);
      const now = new Date('2013-06-01');
      const summarizer = new Summarizer(tree, { now });
      const check = new TreeRun(
        [tree],
        resolveCheckOptions({}),
        {},
        { documentObserver: (sitemap) => summarizer.reader(sitemap) },
      );
      for await (const _ of check.findings());
      expect(await summarizer.summary()).toEqual(await summarize(tree, { now }));
    }),
    { numRuns: sized({ fast: 12, full: 30, strong: 100 }) },
  );
});
