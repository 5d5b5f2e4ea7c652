/** §10: what each column and field of a listing has, and how trees are drawn. */
import { describe, expect, test } from 'vitest';
import { PageFilter } from '../../../src/cli/page-filter.ts';
import { type TreeFormat, type TreeStyle, tabtree, tree } from '../../../src/cli/render/formats.ts';
import { summary } from '../../../src/cli/render/summary.ts';
import {
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../../src/sitemap/sitemap.ts';
import { Spool } from '../../../src/sitemap/spool/spool.ts';
import { usp } from '../../support/cli-world.ts';
import { siteOf } from '../../support/crawled-site.ts';
import { index, urlset } from '../../support/documents.ts';
import { written } from '../../support/folder.ts';
import { pagesNode, SITE } from '../../support/trees.ts';

const H = 'https://a.example';
const SPACES = ['image', 'video', 'news']
  .map((name) => `xmlns:${name}="http://www.google.com/schemas/sitemap-${name}/1.1"`)
  .join(' ')
  .replace('sitemap-news/1.1', 'sitemap-news/0.9');
const video = (inside: string): string =>
  `<video:video><video:title>T</video:title><video:description>D</video:description>${inside}</video:video>`;
const FULL = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" ${SPACES}>
<url><loc>${H}/1</loc><lastmod>2014-05-06T10:00:00+02:00</lastmod><changefreq>daily</changefreq><priority>0.8</priority>
<xhtml:link rel="alternate" hreflang="de" href="${H}/de"/><xhtml:link rel="alternate" hreflang="x-default" href="https://b.example/"/>
<image:image><image:loc>${H}/1.jpg</image:loc><image:license>${H}/license</image:license></image:image>
<image:image><image:loc>https://b.example/2.jpg</image:loc></image:image>
${video(`<video:thumbnail_loc>${H}/t1.jpg</video:thumbnail_loc><video:content_loc>${H}/c1.mp4</video:content_loc><video:player_loc>${H}/p1</video:player_loc><video:uploader info="${H}/who">W</video:uploader>`)}
${video(`<video:thumbnail_loc>${H}/t2.jpg</video:thumbnail_loc><video:player_loc>${H}/p2</video:player_loc>`)}
${video(`<video:thumbnail_loc>${H}/t3.jpg</video:thumbnail_loc>`)}
<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>
<news:publication_date>2014-05-07</news:publication_date><news:title>S</news:title><news:genres>Blog, Opinion</news:genres>
<news:keywords>k, l</news:keywords><news:stock_tickers>NASDAQ:A, NYSE:B</news:stock_tickers></news:news>
</url><url><loc>${H}/2</loc></url></urlset>`;
const ls = (...argv: readonly string[]) =>
  usp(['ls', '-', '--url', `${H}/s.xml`, '-q', ...argv], { stdin: FULL });

describe('csv', () => {
  const VALUES = {
    url: '/1',
    sitemap: '/s.xml',
    lastModified: '2014-05-06T08:00:00.000Z',
    priority: '0.8',
    changeFrequency: 'daily',
    newsTitle: 'S',
    newsPublishDate: '2014-05-07T00:00:00.000Z',
    newsPublicationName: 'N',
    newsPublicationLanguage: 'en',
    newsGenres: 'Blog, Opinion',
    newsKeywords: 'k, l',
    images: '/1.jpg https://b.example/2.jpg',
    videos: '/c1.mp4 /p2 /t3.jpg',
    alternates: 'de=/de x-default=https://b.example/',
    lastModifiedText: '2014-05-06T10:00:00+02:00',
    newsStockTickers: 'NASDAQ:A, NYSE:B',
  };

  test('has a value of the page in each column, and nothing where there is none', async () => {
    const { lines } = await ls('-f', 'csv', '-u', '--separator', ';');
    expect(lines[0]).toBe(Object.keys(VALUES).join(';'));
    expect(lines[1]).toBe(Object.values(VALUES).join(';'));
    expect(lines[2]).toBe(`/2;/s.xml${';'.repeat(14)}`);
    expect(lines).toHaveLength(3);
  });

  test('without a page has the names of the columns', async () => {
    const { lines } = await usp('ls - -f csv', { stdin: urlset() });
    expect(lines).toEqual([Object.keys(VALUES).join(',')]);
  });

  test('without -u has whole URLs', async () => {
    const { lines } = await ls('-f', 'csv', '--separator', 'tab');
    const cells = lines[1]?.split('\t');
    expect([cells?.[0], cells?.[1], cells?.[11], cells?.[13]]).toEqual([
      `${H}/1`,
      `${H}/s.xml`,
      `${H}/1.jpg https://b.example/2.jpg`,
      `de=${H}/de x-default=https://b.example/`,
    ]);
  });
});

test('-u shortens each URL of the site in JSON, and no other', async () => {
  const [line] = (await ls('-f', 'ndjson', '-u')).lines;
  expect(JSON.parse(line ?? '')).toMatchObject({
    url: '/1',
    sitemap: '/s.xml',
    images: [{ loc: '/1.jpg', license: '/license' }, { loc: 'https://b.example/2.jpg' }],
    alternates: [
      { hreflang: 'de', href: '/de' },
      { hreflang: 'x-default', href: 'https://b.example/' },
    ],
    videos: [
      {
        thumbnailLoc: '/t1.jpg',
        contentLoc: '/c1.mp4',
        playerLoc: '/p1',
        uploader: { name: 'W', info: '/who' },
      },
      { thumbnailLoc: '/t2.jpg', playerLoc: '/p2' },
      { thumbnailLoc: '/t3.jpg' },
    ],
  });
  const whole = JSON.parse((await ls('-f', 'ndjson')).lines[0] ?? '');
  expect(whole).toMatchObject({ images: [{ loc: `${H}/1.jpg`, license: `${H}/license` }, {}] });
  const tree = JSON.parse((await ls('-f', 'json', '-u')).stdout);
  expect(tree).toMatchObject({
    url: '/s.xml',
    pages: [{ url: '/1', videos: [{ contentLoc: '/c1.mp4' }, {}, {}] }, { url: '/2' }],
  });
});

/** Of another program: it cannot be opened. */
const WARC = 'WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n';

describe('tree', () => {
  test('of an index in a file: what was not fetched', async () => {
    const stdin = index(`${H}/a.xml`, `${H}/b.xml`);
    const { stdout } = await usp(['ls', '-', '-f', 'tree', '-q', '-u', '--url', `${H}/s.xml`], { stdin });
    expect(stdout).toBe(
      '/s.xml (index)\n├── /a.xml (not fetched)\n└── /b.xml (not fetched)\n\n1 sitemap, 0 pages\n',
    );
  });

  test.each<[readonly string[], string]>([
    [[], 'stdin (sitemap, 2 pages)\n\n1 sitemap, 2 pages\n'],
    [['--include', '/1'], 'stdin (sitemap, 1 of 2 pages)\n\n1 sitemap, 1 page\n'],
    [['--max-pages', '1'], 'stdin (sitemap, 1 of 2 pages)\n\n1 sitemap, 1 page\n'],
    [['--exclude', '/'], 'stdin (sitemap, 0 of 2 pages)\n\n1 sitemap, 0 pages\n'],
    [['--no-pages'], 'stdin (sitemap)\n\n1 sitemap\n'],
  ])('with %j', async (argv, expected) => {
    const stdin = urlset(`${H}/1`, `${H}/2`);
    expect((await usp(['ls', '-', '-f', 'tree', '-q', ...argv], { stdin })).stdout).toBe(expected);
  });

  test('counts problems where pages are counted', async () => {
    const stdin = urlset(`${H}/?a&b`);
    const tree = ['ls', '-', '-f', 'tree', '-q'];
    expect((await usp(tree, { stdin })).lines[0]).toBe('stdin (sitemap, 1 page, 1 problem)');
    expect((await usp([...tree, '--no-pages'], { stdin })).lines[0]).toBe('stdin (sitemap)');
  });

  test('of what is no sitemap says why, in words', async () => {
    const { lines } = await usp(['ls', '-', '-f', 'tree', '-q'], { stdin: '<html><body>hi' });
    expect(lines).toEqual(['stdin (unreadable: not a sitemap)', '0 sitemaps, 0 pages, 1 unreadable']);
  });

  test('of two inputs has an empty line between them', async () => {
    const path = written({ 'a.xml': urlset(`${H}/1`), 'b.xml': urlset(`${H}/2`), 'other.warc': WARC });
    for (const [format, gap] of [
      ['tree', '\n\n'],
      ['tabtree', '\n'],
      ['json', '\n'],
      ['summary', '\n\n'],
      ['summary-json', '\n'],
      ['pages', '\n'],
    ] as const) {
      const [one, two, both] = await Promise.all(
        [['a.xml'], ['b.xml'], ['a.xml', 'b.xml']].map((names) =>
          usp(['ls', ...names.map((name) => path(name)), '-f', format, '-q']),
        ),
      );
      expect(both?.stdout).toBe(`${one?.stdout.trimEnd()}${gap}${two?.stdout}`);
      // There is nothing in front of the first one that could be opened.
      const late = await usp(['ls', path('other.warc'), path('b.xml'), '-f', format, '-q']);
      expect([late.code, late.stdout]).toEqual([2, two?.stdout]);
    }
  });
});

test('two sites: each without its own address, with its own numbers, and with what a sitemap was declared as', async () => {
  const site = (many: number) =>
    siteOf({
      '/robots.txt': ['/old.xml'],
      '/old.xml': { redirect: '/new.xml' },
      '/new.xml': { pages: Array.from({ length: many }, (_, at) => `/${at}`) },
    });
  const [one, two] = [await site(1), await site(2)];
  const ls = async (format: string) =>
    (await usp(['ls', one.origin, two.origin, '-k', '-u', '-q', '-f', format])).stdout;
  const drawn = (pages: string): string =>
    `/\n└── /robots.txt (robots.txt)\n    └── /new.xml (sitemap, ${pages}, redirected from /old.xml)\n\n1 sitemap, ${pages}\n`;
  expect(await ls('tree')).toBe(`${drawn('1 page')}\n${drawn('2 pages')}`);
  expect(await ls('pages')).toBe('/0\n/0\n/1\n');
});

test('two sites with --agent: each page has the verdict of the robots.txt of its own site', async () => {
  const site = (path: string) =>
    siteOf((origin) => ({
      '/robots.txt': `User-agent: *\nDisallow: ${path}\nSitemap: ${origin}/a.xml`,
      '/a.xml': { pages: ['/1', '/2'] },
    }));
  const [one, two] = [await site('/1'), await site('/2')];
  const argv = ['ls', one.origin, two.origin, '-k', '-u', '-q', '--agent', 'GPTBot', '-f'];
  const { lines } = await usp([...argv, 'csv']);
  expect(lines.map((line) => line.split(',').slice(-4).join(' '))).toEqual([
    'allowed rule ruleLine site',
    `false Disallow: /1 2 ${one.origin}/`,
    `true   ${one.origin}/`,
    `true   ${two.origin}/`,
    `false Disallow: /2 2 ${two.origin}/`,
  ]);
  const objects = (await usp([...argv, 'ndjson'])).lines.map((line) => JSON.parse(line));
  expect(objects.map(({ allowed }) => allowed)).toEqual([false, true, true, false]);
  const only = await usp([...argv, 'pages', '--only-allowed']);
  expect(only.stdout).toBe('/2\n/1\n');
});

test.each(['pages', 'sitemap', 'summary', 'summary-json'])(
  '--no-pages leaves nothing to print as %s, and names the formats that list sitemaps',
  async (format) => {
    const { code, stdout, stderr } = await usp(['ls', '-', '--no-pages', '-f', format]);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      `usp: --no-pages leaves nothing to print with the format ${format}.\n` +
        'hint: -f tabtree, tree, json, csv and ndjson list sitemaps too.\n',
    ]);
  },
);

test('tabtree without pages has the sitemaps', async () => {
  expect((await usp('ls - --no-pages', { stdin: urlset(`${H}/1`) })).stdout).toBe('stdin\n');
});

describe('a tree that was made by hand', () => {
  const STYLE: TreeStyle = {
    filter: new PageFilter({}, undefined),
    withPages: true,
    signal: new AbortController().signal,
    shorten: (url) => url,
    isShort: false,
    paint: (_colour, text) => text,
  };
  const printed = async (format: TreeFormat, top: Sitemap): Promise<readonly string[]> => {
    let text = '';
    for await (const piece of format(top, STYLE)) text += piece;
    return text.split('\n').slice(0, -1);
  };

  test('has its size in the summary where it is over the limit of bytes alone', async () => {
    const top = new PagesXMLSitemap({ url: SITE, bytes: 50 * 2 ** 20 + 1 });
    expect(await printed(summary, top)).toContain('  0 over 50,000 entries, 1 over 50 MiB');
  });

  test('of 101 levels has 100 of them in front of each line, and the tree says how many it leaves out', async () => {
    const bottom = pagesNode(new Spool({ memoryBytes: 10_000 }), 'pages.xml', 'page');
    let top: Sitemap = bottom;
    for (let level = 101; level > 0; level--)
      top = new IndexXMLSitemap({ url: `${SITE}${level}.xml`, subSitemaps: [top] });
    const tabs = (await printed(tabtree, top)).map((line) => line.lastIndexOf('\t') + 1);
    expect(tabs.slice(98)).toEqual([98, 99, 100, 100, 100]);
    const drawn = await printed(tree, top);
    expect(drawn.slice(100, 102)).toEqual([
      `${' '.repeat(4 * 99)}└── ${SITE}101.xml (index)`,
      `(1 level) ${' '.repeat(4 * 99)}└── ${SITE}pages.xml (sitemap, 1 page)`,
    ]);
    expect(drawn.at(-1)).toBe('102 sitemaps, 1 page');
  });

  test('has notes of what is stale and of problems, and counts what is twice in it once', async () => {
    const invalid = (name: string, more: object) =>
      new InvalidSitemap({ url: `${SITE}${name}.xml`, reason: 'Why.', ...more } as never);
    const problems = [
      { code: 'stale', message: 'Why.' },
      { code: 'too-large', message: 'Why.' },
    ] as const;
    const stale = new IndexXMLSitemap({ url: `${SITE}a.xml`, subSitemaps: [], freshness: 'stale', problems });
    const top = new IndexXMLSitemap({
      url: `${SITE}top.xml`,
      subSitemaps: [
        stale,
        new IndexXMLSitemap({ url: `${SITE}a.xml`, subSitemaps: [] }),
        invalid('b', { code: 'not-fetched' }),
        invalid('c', { code: 'not-a-sitemap' }),
        invalid('d', { code: 'http-status', status: 410 }),
      ],
    });
    expect(await printed(tree, top)).toEqual([
      `${SITE}top.xml (index)`,
      `├── ${SITE}a.xml (index, stale, 2 problems)`,
      `├── ${SITE}a.xml (index)`,
      `├── ${SITE}b.xml (not fetched)`,
      `├── ${SITE}c.xml (unreadable: not a sitemap)`,
      `└── ${SITE}d.xml (unreadable: HTTP 410)`,
      '',
      '2 sitemaps, 0 pages, 2 unreadable',
    ]);
    expect((await printed(summary, top))[3]).toBe('sitemaps  2 (2 unreadable, 1 not fetched, 1 stale)');
  });
});

test('tabtree with --max-pages lists the other sitemaps without pages', async () => {
  const { origin } = await siteOf({
    '/robots.txt': ['/a.xml', '/b.xml', '/c.xml'],
    '/a.xml': { pages: ['/1', '/2', '/3'] },
    '/b.xml': { pages: ['/4'] },
    '/c.xml': { pages: ['/5'] },
  });
  const { stdout } = await usp(['ls', origin, '--no-known', '-u', '--max-pages', '2']);
  expect(stdout).toBe('/\n\t/robots.txt\n\t\t/a.xml\n\t\t\t/1\n\t\t\t/2\n\t\t/b.xml\n\t\t/c.xml\n');
});
