/** §16: a tree is written again: which files, which pages, and what is kept where something could not be read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type RepairTreeOptions, TreeRepair } from '../../src/write/repair-tree.ts';
import { SitemapSet } from '../../src/write/sitemap-set.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';

const PAGE = 'https://example.org';

/** Repairs a site into a folder: the result, the repairs, and the locations in each file. */
async function repaired(site: (origin: string) => Site, options: Partial<RepairTreeOptions> = {}) {
  const server = await siteOf(site);
  const tree = await treeOf(server, DECLARED);
  const place = folder();
  const set = await SitemapSet.open(place, {});
  const repair = await TreeRepair.open([{ tree, fileName: undefined }], {
    layout: 'keep',
    opinions: {},
    ...options,
  });
  await repair.survey();
  const repairs: string[] = [];
  const run = repair.write(set);
  for await (const some of run)
    for (const { action, rule, document } of some)
      repairs.push(`${action} ${rule} ${document.replace(server.origin, '')}`);
  await set.commit();
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:xml|txt)$/.test(name),
  );
  const locations = (name: string): string[] =>
    [...readFileSync(join(place, name), 'utf8').matchAll(/<loc>([^<]*)/g)].map(([, loc = '']) =>
      loc.replace(server.origin, '').replace(PAGE, ''),
    );
  const written = Object.fromEntries(files.sort().map((name) => [name, locations(name)]));
  const datesIn = (name: string): string[] =>
    Array.from(
      readFileSync(join(place, name), 'utf8').matchAll(/<lastmod>([^<]*)/g),
      ([, date = '']) => date,
    );
  const { pagesRead, pagesWritten, unfollowed, left } = run.result;
  return { written, datesIn, repairs, pagesRead, pagesWritten, unfollowed, left, isKept: run.isKept };
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
    const { isKept } = await repaired((origin) => ({
      '/robots.txt': ['/a.xml', '/gone.xml'],
      '/a.xml': urlset(page('1')),
      '/gone.xml': { status: 503 },
      '/index.xml': index(`${origin}/a.xml`),
    }));
    const names = ['a.xml', 'a-2.xml', 'gone.xml', 'gone-2.xml', 'other.xml'];
    expect(names.filter(isKept)).toEqual(['gone.xml', 'gone-2.xml', 'other.xml']);
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
