/** §16: a tree is written again: which files, which pages, and what is kept where something could not be read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sitemapFromString } from '../../src/index.ts';
import { type RepairTreeOptions, TreeRepair } from '../../src/write/repair-tree.ts';
import { SitemapSet } from '../../src/write/sitemap-set.ts';
import type { RepairInput } from '../../src/write/source-documents.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';

const PAGE = 'https://example.org';

/** Repairs a site into a folder: the result, the repairs, and the locations in each file. */
async function repaired(site: (origin: string) => Site, options: Partial<RepairTreeOptions> = {}) {
  const server = await siteOf(site);
  const tree = await treeOf(server, DECLARED);
  return repairedInto(folder(), [{ tree, fileName: undefined }], options, server.origin);
}

/** Repairs documents that are there: by their addresses, or by the names of their files. */
async function repairedDocuments(
  documents: Readonly<Record<string, string>>,
  options: Partial<RepairTreeOptions> = {},
  place = folder(),
) {
  const inputs = await Promise.all(
    Object.entries(documents).map(async ([name, text]) => {
      const isFile = !name.includes('://');
      const tree = await sitemapFromString(text, { url: isFile ? `file:///${name}` : name });
      onTestFinished(() => tree.close());
      return { tree, fileName: isFile ? name : undefined };
    }),
  );
  return repairedInto(place, inputs, options);
}

async function repairedInto(
  place: string,
  inputs: readonly RepairInput[],
  options: Partial<RepairTreeOptions>,
  origin = PAGE,
) {
  const set = await SitemapSet.open(place, {});
  const repair = await TreeRepair.open(inputs, { layout: 'keep', opinions: {}, ...options });
  await repair.survey();
  const repairs: string[] = [];
  const messages: string[] = [];
  const run = repair.write(set);
  for await (const some of run)
    for (const { action, rule, document, message } of some) {
      repairs.push(`${action} ${rule} ${document.replace(origin, '')}`);
      messages.push(message.replaceAll(origin, ''));
    }
  const { removed, kept } = await set.commit(repair.unread.length > 0 ? run.isKept : undefined);
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(?:xml|txt)(?:\.gz)?$/.test(name));
  const textOf = (name: string): string => {
    const bytes = readFileSync(join(place, name));
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  };
  const locations = (name: string): string[] =>
    [...textOf(name).matchAll(/<loc>([^<]*)/g)].map(([, loc = '']) =>
      loc.replace(origin, '').replace(PAGE, ''),
    );
  const written = Object.fromEntries(files.sort().map((name) => [name, locations(name)]));
  const datesIn = (name: string): string[] =>
    Array.from(textOf(name).matchAll(/<lastmod>([^<]*)/g), ([, date = '']) => date);
  const { unread } = repair;
  return { written, datesIn, repairs, messages, unread, removed, kept, ...run.result, isKept: run.isKept };
}

const page = (name: string): string => `${PAGE}/${name}`;

describe('the files of a site are written under their names', () => {
  test('an index lists what was written; pages that are listed twice are listed once', async () => {
    const found = await repaired((origin) => ({
      '/robots.txt': ['/index.xml'],
      '/index.xml': index(`${origin}/a.xml`, `${origin}/b.xml`),
      '/a.xml': urlset(page('1'), page('2'), page('1')),
      '/b.xml': urlset(page('2'), page('3')),
    }));
    expect(found.written).toEqual({
      'a.xml': ['/1', '/2'],
      'b.xml': ['/3'],
      'index.xml': ['/a.xml', '/b.xml'],
    });
    expect(found).toMatchObject({ pagesRead: 5, pagesWritten: 3 });
    expect(found.repairs.sort()).toEqual([
      'dropped url-in-several-sitemaps /b.xml',
      'dropped url-repeated /a.xml',
    ]);
  });

  test.each<[what: string, site: Site]>([
    [
      'one index',
      {
        '/index.xml': [
          ['/a.xml', '2013-01-01'],
          ['/a.xml', '2013-02-02'],
        ],
      },
    ],
    [
      'an index and one in it',
      { '/index.xml': [['/a.xml', '2013-01-01'], '/inner.xml'], '/inner.xml': [['/a.xml', '2013-02-02']] },
    ],
  ])('of a sitemap that is listed twice the first date counts: in %s', async (_what, site) => {
    const { written, datesIn } = await repaired(() => ({
      '/robots.txt': ['/index.xml'],
      '/a.xml': urlset(page('1')),
      ...site,
    }));
    expect(written['index.xml']).toEqual(['/a.xml']);
    expect(datesIn('index.xml')).toEqual(['2013-01-01']);
  });

  test('the pages of a document that is cut are all there', async () => {
    const found = await repaired(() => ({
      '/robots.txt': ['/a.xml', '/b.txt'],
      '/a.xml': {
        body: urlset(...Array.from({ length: 30 }, (_, at) => page(`a${at}`))),
        truncateAfter: 1_000,
      },
      // Without a line break at the end, the last page is known when the document ends.
      '/b.txt': [page('1'), page('2')].join('\n'),
    }));
    const { 'a.xml': cut = [], 'b.xml': text } = found.written;
    expect(cut.length).toBeGreaterThan(10);
    expect(cut).toEqual(cut.map((_, at) => `/a${at}`));
    expect(text).toEqual(['/1', '/2']);
    expect(found.pagesWritten).toBe(cut.length + 2);
    expect(found.repairs).toContain('dropped truncated /a.xml');
  });

  test('files of an earlier set stay where their document could not be read, and only those', async () => {
    const { isKept, unread } = await repaired((origin) => ({
      '/robots.txt': ['/a.xml', '/gone.xml'],
      '/a.xml': urlset(page('1')),
      '/gone.xml': { status: 503 },
      '/index.xml': index(`${origin}/a.xml`),
    }));
    const names = ['a.xml', 'a-2.xml', 'gone.xml', 'gone-2.xml', 'other.xml'];
    expect(names.filter(isKept)).toEqual(['gone.xml', 'gone-2.xml', 'other.xml']);
    // It was requested, and is not one that an index in a file lists.
    expect(unread).toEqual([]);
  });

  test('a file of an earlier set stays where its own document could not be read, whatever its number', async () => {
    const { isKept } = await repaired(() => ({
      '/robots.txt': ['/a.xml', '/a-2.xml'],
      '/a.xml': urlset(page('1')),
      '/a-2.xml': { status: 503 },
    }));
    expect(['a.xml', 'a-2.xml', 'a-3.xml'].filter(isKept)).toEqual(['a-2.xml']);
  });

  test('with duplicates that are kept, nothing is dropped', async () => {
    const found = await repaired(
      () => ({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(page('1'), page('1')) }),
      { keepDuplicates: true },
    );
    expect(found).toMatchObject({ written: { 'a.xml': ['/1', '/1'] }, repairs: [], pagesWritten: 2 });
  });
});

test('a new layout of several files has an index that lists them', async () => {
  const found = await repaired(
    () => ({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(page('1'), page('2'), page('3')) }),
    { layout: 'new', maxUrls: 2, baseUrl: `${PAGE}/` },
  );
  expect(found.written).toEqual({
    'sitemap.xml': ['/sitemap-1.xml', '/sitemap-2.xml'],
    'sitemap-1.xml': ['/1', '/2'],
    'sitemap-2.xml': ['/3'],
  });
});

describe('pages that robots.txt blocks', () => {
  const blocked = (url: string): string | undefined => (url.endsWith('2') ? 'Disallow: /2' : undefined);
  const site = (): Site => ({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(page('1'), page('2')) });

  test.each([
    ['are dropped where that is wanted', true, ['/1'], ['dropped page-blocked /a.xml']],
    ['stay where it is not', false, ['/1', '/2'], []],
    ['stay where nothing was said', undefined, ['/1', '/2'], []],
  ] as const)('%s', async (_, dropBlocked, locations, repairs) => {
    const found = await repaired(site, { opinions: { blocked, dropBlocked } });
    expect(found).toMatchObject({ written: { 'a.xml': locations }, repairs });
    const left = { rule: 'page-blocked', count: 1, page: page('2') };
    expect(found.left).toEqual(dropBlocked === true ? [] : [left]);
  });

  test('are not left where they could not be written', async () => {
    const long = page(`${'x'.repeat(2100)}2`);
    const found = await repaired(
      () => ({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(page('1'), long, page('2')) }),
      { opinions: { blocked } },
    );
    expect(found.written).toEqual({ 'a.xml': ['/1', '/2'] });
    expect(found.left).toEqual([{ rule: 'page-blocked', count: 1, page: page('2') }]);
  });
});

const STORY =
  '<n:news xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><n:publication><n:name>N</n:name>' +
  '<n:language>en</n:language></n:publication><n:publication_date>2013-05-06</n:publication_date>' +
  '<n:title>T</n:title></n:news>';

/** A urlset whose pages are news. */
const news = (...urls: readonly string[]): string =>
  urlset(...urls).replaceAll('</loc></url>', `</loc>${STORY}</url>`);

describe('a new layout', () => {
  const OTHER = 'https://b.example';
  const LOCAL = 'http://localhost:3000';
  const SITEMAP = `${PAGE}/sitemap.xml`;

  test.each<[string, Record<string, string>, Partial<RepairTreeOptions>, Record<string, string[]>, string[]]>(
    [
      ['of one file', { [SITEMAP]: urlset(page('1')) }, {}, { 'sitemap.xml': ['/1'] }, [SITEMAP]],
      [
        'of one file, compressed',
        { [SITEMAP]: urlset(page('1')) },
        { gzip: true },
        { 'sitemap.xml.gz': ['/1'] },
        [`${SITEMAP}.gz`],
      ],
      [
        'of two files',
        { [SITEMAP]: urlset(page('1'), page('2'), page('3')) },
        { maxUrls: 2 },
        {
          'sitemap-1.xml': ['/1', '/2'],
          'sitemap-2.xml': ['/3'],
          'sitemap.xml': ['/sitemap-1.xml', '/sitemap-2.xml'],
        },
        [SITEMAP],
      ],
      [
        'of two files, compressed',
        { [SITEMAP]: urlset(page('1'), page('2')) },
        { maxUrls: 1, gzip: true },
        {
          'sitemap-1.xml.gz': ['/1'],
          'sitemap-2.xml.gz': ['/2'],
          'sitemap.xml.gz': ['/sitemap-1.xml.gz', '/sitemap-2.xml.gz'],
        },
        [`${SITEMAP}.gz`],
      ],
      [
        'of news alone',
        { [SITEMAP]: news(page('1')) },
        {},
        { 'sitemap-news.xml': ['/1'] },
        [`${PAGE}/sitemap-news.xml`],
      ],
      [
        'of pages and news',
        { [SITEMAP]: urlset(page('1')), [`${PAGE}/news.xml`]: news(page('2'), page('3')) },
        { maxUrls: 1 },
        {
          'sitemap-1.xml': ['/1'],
          'sitemap-news-1.xml': ['/2'],
          'sitemap-news-2.xml': ['/3'],
          'sitemap.xml': ['/sitemap-1.xml', '/sitemap-news-1.xml', '/sitemap-news-2.xml'],
        },
        [SITEMAP],
      ],
      [
        'by host',
        { [SITEMAP]: urlset(page('1'), `${OTHER}/1`, `${OTHER}/2`) },
        { by: 'host', maxUrls: 1 },
        {
          'b.example/sitemap-1.xml': [`${OTHER}/1`],
          'b.example/sitemap-2.xml': [`${OTHER}/2`],
          'b.example/sitemap.xml': [`${OTHER}/sitemap-1.xml`, `${OTHER}/sitemap-2.xml`],
          'example.org/sitemap.xml': ['/1'],
        },
        [`${OTHER}/sitemap.xml`, SITEMAP],
      ],
      [
        'by host, with news',
        { [SITEMAP]: urlset(page('1'), `${OTHER}/1`), [`${PAGE}/news.xml`]: news(`${OTHER}/2`) },
        { by: 'host' },
        {
          'b.example/sitemap-1.xml': [`${OTHER}/1`],
          'b.example/sitemap-news.xml': [`${OTHER}/2`],
          'b.example/sitemap.xml': [`${OTHER}/sitemap-1.xml`, `${OTHER}/sitemap-news.xml`],
          'example.org/sitemap.xml': ['/1'],
        },
        [`${OTHER}/sitemap.xml`, SITEMAP],
      ],
      [
        'by folder',
        { [SITEMAP]: urlset(page('blog/1'), page('2'), page('blog/3')) },
        { by: 'folder' },
        {
          'sitemap-blog.xml': ['/blog/1', '/blog/3'],
          'sitemap-root.xml': ['/2'],
          'sitemap.xml': ['/sitemap-blog.xml', '/sitemap-root.xml'],
        },
        [SITEMAP],
      ],
      [
        'by folder, of several files each',
        { [SITEMAP]: urlset(page('blog/1'), page('blog/2')), [`${PAGE}/news.xml`]: news(page('blog/3')) },
        { by: 'folder', maxUrls: 1 },
        {
          'sitemap-blog-1.xml': ['/blog/1'],
          'sitemap-blog-2.xml': ['/blog/2'],
          'sitemap-blog-news.xml': ['/blog/3'],
          'sitemap.xml': ['/sitemap-blog-1.xml', '/sitemap-blog-2.xml', '/sitemap-blog-news.xml'],
        },
        [SITEMAP],
      ],
      [
        'at another place',
        { [SITEMAP]: urlset(page('1'), page('2')) },
        { maxUrls: 1, baseUrl: `${OTHER}/maps` },
        {
          'sitemap-1.xml': ['/1'],
          'sitemap-2.xml': ['/2'],
          'sitemap.xml': [`${OTHER}/maps/sitemap-1.xml`, `${OTHER}/maps/sitemap-2.xml`],
        },
        [`${OTHER}/maps/sitemap.xml`],
      ],
      [
        'of a private site',
        { [`${LOCAL}/sitemap.xml`]: urlset(`${LOCAL}/1`, `${LOCAL}/2`) },
        { maxUrls: 1 },
        {
          'sitemap-1.xml': [`${LOCAL}/1`],
          'sitemap-2.xml': [`${LOCAL}/2`],
          'sitemap.xml': ['/sitemap-1.xml', '/sitemap-2.xml'].map((path) => LOCAL + path),
        },
        [`${LOCAL}/sitemap.xml`],
      ],
      [
        'of a file is on the host of most of its pages',
        { 'a.xml': urlset(`${OTHER}/1`, page('1'), page('2')) },
        {},
        { 'sitemap.xml': [`${OTHER}/1`, '/1', '/2'] },
        [SITEMAP],
      ],
    ],
  )(
    '%s: its files, and what a robots.txt has to declare',
    async (_what, documents, options, files, robots) => {
      const found = await repairedDocuments(documents, { layout: 'new', ...options });
      expect(found.written).toEqual(files);
      expect(found.robots).toEqual(robots);
    },
  );

  test('has no page of a private host at a public place', async () => {
    const documents = { [`${LOCAL}/sitemap.xml`]: urlset(`${LOCAL}/1`, page('1')) };
    const found = await repairedDocuments(documents, { layout: 'new', baseUrl: `${PAGE}/` });
    expect([found.written, found.repairs]).toEqual([
      { 'sitemap.xml': ['/1'] },
      [`dropped url-not-public ${LOCAL}/sitemap.xml`],
    ]);
  });

  test('has an index with the newest date of each file, and a result with the index first', async () => {
    const pages = [1, 2, 3].map((day) => [page(`${day}`), `2013-05-0${day}`] as const);
    const found = await repairedDocuments({ [SITEMAP]: urlset(...pages) }, { layout: 'new', maxUrls: 2 });
    expect(found.datesIn('sitemap.xml')).toEqual(['2013-05-02', '2013-05-03']);
    expect(found.files).toMatchObject([
      { name: 'sitemap.xml', url: SITEMAP, pages: 0 },
      { name: 'sitemap-1.xml', url: `${PAGE}/sitemap-1.xml`, pages: 2, lastModified: '2013-05-02' },
      { name: 'sitemap-2.xml', url: `${PAGE}/sitemap-2.xml`, pages: 1, lastModified: '2013-05-03' },
    ]);
    expect(found).toMatchObject({ pagesRead: 3, pagesWritten: 3 });
  });

  test('has a page once, whatever sort of sitemap lists it, unless duplicates are kept', async () => {
    const documents = { [SITEMAP]: urlset(page('1')), [`${PAGE}/news.xml`]: news(page('1')) };
    const of = async (keepDuplicates: boolean | undefined) =>
      (await repairedDocuments(documents, { layout: 'new', keepDuplicates })).written;
    expect(await of(undefined)).toEqual({ 'sitemap-news.xml': ['/1'] });
    expect(await of(false)).toEqual({ 'sitemap-news.xml': ['/1'] });
    expect(await of(true)).toMatchObject({ 'sitemap-1.xml': ['/1'], 'sitemap-news.xml': ['/1'] });
    // In the old layout, a page may be in one sitemap of each sort.
    const { written } = await repairedDocuments(documents);
    expect(written).toEqual({ 'sitemap.xml': ['/1'], 'news.xml': ['/1'] });
  });
});

describe('files without an address are on the host of most pages', () => {
  const [B, LOCAL, NEAR] = ['https://b.example', 'http://localhost', 'http://192.168.0.1:8080'];
  test.each<[string, readonly string[], string]>([
    ['one host', [`${B}/1?a`, `${B}/1?b`], B],
    ['the last host has the most', [page('1'), `${B}/1`, `${B}/2`], B],
    ['the first host has the most', [page('1'), page('2'), `${B}/1`], PAGE],
    ['of equal ones the first', [`${B}/1`, page('1')], B],
    ['capitals', ['HTTPS://B.example/1', 'HTTPS://B.example/2', page('1')], B],
    ['an address without a path', [`${B}?1`, `${B}?2`, `${B}?3`, page('1'), page('2')], B],
    ['a private host has the most', [`${LOCAL}/1`, `${LOCAL}/2`, page('1')], PAGE],
    ['private hosts alone', [`${LOCAL}/1`, `${NEAR}/1`, `${NEAR}/2`], NEAR],
  ])('%s', async (_what, pages, origin) => {
    for (const keepDuplicates of [false, true]) {
      const found = await repairedDocuments({ 'maps/a.xml': urlset(...pages) }, { keepDuplicates });
      expect(found.files.map(({ name, url }) => [name, url])).toEqual([['a.xml', `${origin}/a.xml`]]);
    }
  });

  test('pages that are dropped do not count, also beside documents that have an address', async () => {
    const found = await repairedDocuments(
      {
        [`${B}/b.xml`]: urlset(`${B}/1`),
        'a.xml': urlset(page('1'), page('2'), `${B}/no/1`, `${B}/no/2`, `${B}/no/3`, `${NEAR}/1`),
      },
      {
        opinions: {
          blocked: (url) => (url.includes('/no/') ? 'Disallow: /no/' : undefined),
          dropBlocked: true,
        },
      },
    );
    expect(found.files.map(({ url }) => url)).toEqual([`${B}/b.xml`, `${PAGE}/a.xml`]);
  });
});

describe('the old layout', () => {
  const [A, B] = [`${PAGE}/a.xml`, 'https://b.example/b.xml'];

  test('of several hosts has a folder for each, and one of files and a host has none', async () => {
    const pages = { [A]: urlset(page('1')), [B]: urlset('https://b.example/1') };
    const two = await repairedDocuments(pages);
    expect(two.files.map(({ name, url, from }) => [name, url, from])).toEqual([
      ['example.org/a.xml', A, A],
      ['b.example/b.xml', B, B],
    ]);
    expect(two.repairs).toEqual([]);
    const one = await repairedDocuments({ [A]: urlset(page('1')), 'c.xml': urlset(page('2')) });
    expect(one.files.map(({ name, from }) => [name, from])).toEqual([
      ['a.xml', A],
      ['c.xml', 'c.xml'],
    ]);
  });

  test('of a document with too many pages has several files, which its index lists with its date', async () => {
    const found = await repairedDocuments(
      {
        [`${PAGE}/index.xml`]: index([A, '2013-05'], `${PAGE}/a-2.xml`),
        [A]: urlset(page('1'), page('2'), page('3'), page('4'), page('5')),
        [`${PAGE}/a-2.xml`]: urlset(page('6')),
      },
      { maxUrls: 2 },
    );
    expect(found.written).toEqual({
      'index.xml': ['/a.xml', '/a-2-2.xml', '/a-3.xml', '/a-2.xml'],
      'a.xml': ['/1', '/2'],
      'a-2-2.xml': ['/3', '/4'],
      'a-3.xml': ['/5'],
      'a-2.xml': ['/6'],
    });
    expect(found.datesIn('index.xml')).toEqual(['2013-05', '2013-05', '2013-05']);
    expect(found.robots).toEqual([`${PAGE}/index.xml`]);
    const divided = 'The document is over a limit, and divided into 3 files.';
    expect([found.messages, found.unread]).toEqual([[divided], []]);
    expect(found.files[0]).toMatchObject({ name: 'index.xml', pages: 0, from: `${PAGE}/index.xml` });
  });

  test('of an index in an index has the outer one, which lists everything', async () => {
    const [outer, inner] = [`${PAGE}/outer.xml`, `${PAGE}/inner.xml`];
    const found = await repairedDocuments({
      [outer]: index(inner, outer),
      [inner]: index(A, `${PAGE}/c.xml`),
      [A]: urlset(page('1')),
      [`${PAGE}/c.xml`]: urlset(page('2')),
    });
    expect(found.written).toEqual({ 'outer.xml': ['/a.xml', '/c.xml'], 'a.xml': ['/1'], 'c.xml': ['/2'] });
    expect(found.repairs.map((each, at) => `${each}: ${found.messages[at]}`)).toEqual([
      'dropped sitemap-recursion /outer.xml: The index leads back to itself, or to an index above it: /outer.xml',
      'changed nested-index /inner.xml: An index in an index: its sitemaps are listed by /outer.xml itself.',
    ]);
    expect(found.robots).toEqual([outer]);
  });

  test('of indexes that list each other has the first', async () => {
    const [one, two] = [`${PAGE}/one.xml`, `${PAGE}/two.xml`];
    const found = await repairedDocuments({
      [one]: index(two, A),
      [two]: index(one, `${PAGE}/c.xml`),
      [A]: urlset(page('1')),
      [`${PAGE}/c.xml`]: urlset(page('2')),
    });
    expect(found.written['one.xml']?.toSorted()).toEqual(['/a.xml', '/c.xml']);
    expect(Object.keys(found.written)).toEqual(['a.xml', 'c.xml', 'one.xml']);
    expect(found.robots).toEqual([one]);
  });

  test('has the folders of all hosts, also of those of which nothing could be read', async () => {
    const documents = { [`${PAGE}/index.xml`]: index(A, B), [A]: urlset(page('1')) };
    const found = await repairedDocuments(documents);
    expect(Object.keys(found.written)).toEqual(['example.org/a.xml', 'example.org/index.xml']);
    const one = await repairedDocuments({ ...documents, [`${PAGE}/index.xml`]: index(A, `${PAGE}/b.xml`) });
    expect(Object.keys(one.written)).toEqual(['a.xml', 'index.xml']);
  });

  test('of an index that robots.txt declares, too, keeps it', async () => {
    const found = await repaired((origin) => ({
      '/robots.txt': ['/outer.xml', '/inner.xml'],
      '/outer.xml': index(`${origin}/inner.xml`, `${origin}/b.xml`),
      '/inner.xml': index([`${origin}/a.xml`, '2013-05-06']),
      '/a.xml': urlset(page('1')),
      '/b.xml': urlset(page('2')),
    }));
    expect(found.written).toMatchObject({ 'outer.xml': ['/a.xml', '/b.xml'], 'inner.xml': ['/a.xml'] });
    expect([found.datesIn('outer.xml'), found.datesIn('inner.xml')]).toEqual([
      ['2013-05-06'],
      ['2013-05-06'],
    ]);
    expect([found.repairs, found.robots]).toEqual([[], []]);
  });

  test('names what has another name than before', async () => {
    const found = await repairedDocuments({
      [`${PAGE}/map.php?id=1`]: urlset(page('1')),
      [`${PAGE}/b.xml`]: urlset(page('2')),
      [`${PAGE}/index.php`]: index(`${PAGE}/b.xml`),
    });
    expect(Object.keys(found.written)).toEqual(['b.xml', 'index.xml', 'map-id-1.xml']);
    expect(found.repairs.map((each, at) => `${each}: ${found.messages[at]}`)).toEqual([
      'changed renamed /map.php?id=1: The file is called map-id-1.xml.',
      'changed renamed /index.php: The file is called index.xml.',
    ]);
  });

  test('does not name what comes from stdin, and an index of nothing', async () => {
    const found = await repairedDocuments({
      stdin: urlset(page('1')),
      [`${PAGE}/index.php`]: index(`${PAGE}/x.xml`),
    });
    expect([Object.keys(found.written), found.repairs]).toEqual([['stdin.xml'], []]);
  });

  test('has files and the addresses by which an index lists them; what it has no file of is named', async () => {
    const found = await repairedDocuments({
      'maps/index.xml': index(`${PAGE}/maps/a.xml`, `${PAGE}/gone.xml`),
      'maps/a.xml': urlset(page('1')),
      'alone.xml': urlset(page('2')),
    });
    expect(found.written).toEqual({
      'index.xml': ['/maps/a.xml'],
      'maps/a.xml': ['/1'],
      'alone.xml': ['/2'],
    });
    expect(found.unread).toEqual([`${PAGE}/gone.xml`]);
    expect(found.robots).toEqual([`${PAGE}/index.xml`, `${PAGE}/alone.xml`]);
  });

  test('lists in an index what it listed before, where that could not be read', async () => {
    const place = folder();
    const [top, gone] = [`${PAGE}/index.xml`, `${PAGE}/gone.xml`];
    const all = {
      [top]: index(A, [gone, '2013-05-06']),
      [A]: urlset(page('1')),
      [gone]: urlset(page('2'), page('3')),
    };
    await repairedDocuments({ ...all, [`${PAGE}/old.xml`]: urlset(page('4')) }, { maxUrls: 1 }, place);
    const { [gone]: _gone, ...rest } = all;
    const again = await repairedDocuments(rest, { maxUrls: 1 }, place);
    expect(again.written).toMatchObject({ 'index.xml': ['/a.xml', '/gone.xml', '/gone-2.xml'] });
    expect(again.datesIn('index.xml')).toEqual(['2013-05-06', '2013-05-06']);
    expect(again.kept).toEqual(['gone.xml', 'gone-2.xml', 'old.xml']);
    expect(again.robots).toEqual([top]);
    const third = await repairedDocuments({ ...all, [top]: index(A, gone) }, {}, place);
    expect([third.removed, third.kept]).toEqual([['gone-2.xml', 'old.xml'], []]);
  });
});

describe('what a robots.txt has to declare', () => {
  test.each<[string, Partial<RepairTreeOptions>, readonly string[]]>([
    ['is what it does not declare yet', {}, ['/b.xml']],
    ['is all of it at another place', { baseUrl: 'https://cdn.example/' }, ['/a.xml', '/b.xml']],
  ])('%s', async (_what, options, expected) => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset(page('1')),
      '/b.xml': urlset(page('2')),
    });
    const tree = await treeOf(server, DECLARED);
    const b = await sitemapFromString(urlset(page('2')), { url: `${server.origin}/b.xml` });
    onTestFinished(() => b.close());
    const { robots } = await repairedInto(folder(), [{ tree }, { tree: b }], options);
    expect(robots.map((url) => new URL(url).pathname)).toEqual(expected);
  });
});

describe('what is said of a document', () => {
  const SITEMAP = `${PAGE}/s.xml`;
  const entry = (name: string, more: string): string => `<url><loc>${page(name)}</loc>${more}</url>`;
  const documentOf = (...entries: readonly string[]): string =>
    urlset(page('x')).replace(/<url>.*<\/url>/, entries.join(''));

  test.each<[string, string, readonly string[]]>([
    ['nothing of a valid one', documentOf(entry('1', '<lastmod>2013-05-06</lastmod>')), []],
    ['an invalid date once', documentOf(entry('1', '<lastmod>soon</lastmod>')), ['changed bad-date /s.xml']],
    [
      'a date in another form',
      documentOf(entry('1', '<lastmod>May 6, 2013</lastmod>')),
      ['changed lastmod-not-w3c /s.xml'],
    ],
    [
      'in the order of its places, whatever is found first',
      documentOf(
        entry('1', '<priority>7</priority>'),
        entry('2', '<lastmod>May 6, 2013</lastmod>'),
        entry('1', ''),
      ),
      ['changed bad-priority /s.xml', 'changed lastmod-not-w3c /s.xml', 'dropped url-repeated /s.xml'],
    ],
    [
      'a page that cannot be written, and a value of the next one',
      documentOf(`<url><loc>http://10.0.0.1/a</loc></url>`, entry('2', '<changefreq>often</changefreq>')),
      ['dropped url-not-public /s.xml', 'changed bad-change-frequency /s.xml'],
    ],
  ])('%s', async (_what, text, repairs) => {
    const found = await repairedDocuments({ [SITEMAP]: text });
    expect(found.repairs).toEqual(repairs);
    expect(found.pagesRead).toBe(text.split('<url>').length - 1);
    expect(found.pagesWritten).toBe(
      found.pagesRead - repairs.filter((each) => each.startsWith('dropped')).length,
    );
  });

  test('sitemaps among its pages, and pages among its sitemaps, are named and not followed', async () => {
    const text = urlset(page('1')).replace(
      '</urlset>',
      `<sitemap><loc>${page('t.xml')}</loc></sitemap></urlset>`,
    );
    const found = await repairedDocuments({ [SITEMAP]: text, [`${PAGE}/b.xml`]: urlset(page('2')) });
    expect(found.unfollowed).toHaveLength(1);
    expect(found.unfollowed[0]).toMatch(/^https:\/\/example\.org\/s\.xml: \S/);
    expect(found.repairs).toEqual([expect.stringMatching(/ other-entry-kind \/s\.xml$/)]);
  });

  test('a page that robots.txt blocks is left once, also where a value of it was left out', async () => {
    const WRONG = `<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="en-UK" href="${page('1')}"/>`;
    const text = documentOf(entry('no/1', WRONG), entry('no/2', ''), entry('3', ''));
    const blocked = (url: string) => (url.includes('/no/') ? 'Disallow: /no/' : undefined);
    const found = await repairedDocuments({ [SITEMAP]: text }, { opinions: { blocked } });
    expect(found.left).toEqual([{ rule: 'page-blocked', count: 2, page: page('no/1') }]);
  });
});
