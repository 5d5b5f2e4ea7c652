/** §5 nodes are values: what is known of one is in own fields, which compare, and which JSON and an archive have. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  IndexWebsiteSitemap,
  loadTree,
  PagesXMLSitemap,
  type Sitemap,
  saveTree,
  sitemapFromString,
  sitemapFromUrl,
} from '../../src/index.ts';
import type { PageSource } from '../../src/sitemap/page-source.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { temporaryFolder } from '../support/real-servers.ts';

/** Pages that cannot be read. */
const UNREADABLE: PageSource = {
  get summary(): never {
    throw new Error('read');
  },
  batches(): never {
    throw new Error('read');
  },
  batchesAsync(): never {
    throw new Error('read');
  },
};

const FIELDS = {
  url: 'https://x.example/a.xml',
  declaredUrl: 'https://x.example/b.xml',
  lastModified: new Date('2026-01-02'),
  freshness: 'new',
  status: 200,
  bytes: 12,
  crc32: 34,
  truncated: false,
  complete: true,
  stopped: undefined,
  code: undefined,
  reason: undefined,
  pages: UNREADABLE,
} as const;

const node = (other: object = {}) => new PagesXMLSitemap({ ...FIELDS, ...other });

const OTHERS: readonly object[] = [
  { url: 'https://x.example/c.xml' },
  { declaredUrl: undefined },
  { lastModified: new Date('2026-01-03') },
  { freshness: 'changed' },
  { status: 203 },
  { bytes: 13 },
  { crc32: 35 },
  { truncated: true },
  { complete: false },
  { stopped: { limit: 'maxTimeMs', message: 'Over.' } },
  { code: 'limit' },
  { reason: 'Over.' },
];

describe('§5 two nodes', () => {
  test('of equal fields are deeply equal', () => {
    assert.deepStrictEqual(node(), node());
    // This walks over lists, too.
    const pages = undefined;
    expect(node({ pages })).toEqual(node({ pages }));
  });

  test.each(OTHERS)('that differ in %j are not deeply equal', (other) => {
    assert.notDeepStrictEqual(node(other), node());
    assert.notDeepStrictEqual({ ...node(other) }, { ...node() });
  });

  test('that differ in their children are not deeply equal', () => {
    const site = (child: Sitemap) =>
      new IndexWebsiteSitemap({ url: 'https://x.example/', complete: true, subSitemaps: [child] });
    assert.deepStrictEqual(site(node()), site(node()));
    assert.notDeepStrictEqual(site(node({ crc32: 1 })), site(node()));
  });

  test('of documents with other pages of the same length are not deeply equal, and have the checksum of the bytes', async () => {
    const url = 'https://x.example/a.xml';
    const [one, two] = [urlset('https://x.example/1'), urlset('https://x.example/2')];
    const [first, again, other] = await Promise.all(
      [one, one, two].map((text) => sitemapFromString(text, { url })),
    );
    assert.deepStrictEqual(first, again);
    assert.notDeepStrictEqual(first, other);
    expect(first).toMatchObject({ bytes: one.length, crc32: crc32(one) });
  });
});

const NAMES = [
  ...['lastModified', 'complete', 'stopped', 'outcome', 'code', 'reason'],
  ...['status', 'bytes', 'crc32', 'truncated'],
];

describe('§5 the fields of a node', () => {
  test('are own and enumerable, are in its JSON, and console.log shows them', async () => {
    const site = await siteOf((at) => ({
      '/robots.txt': robots(`${at}/index.xml`),
      '/index.xml': index(`${at}/a.xml`, `${at}/gone.xml`).replace(
        '</loc>',
        '</loc><lastmod>2026-01-02</lastmod>',
      ),
      '/a.xml': urlset(`${at}/1`),
    }));
    const tree = await treeOf(site, DECLARED);
    const [robotsTxt] = tree.subSitemaps;
    const [list] = robotsTxt!.subSitemaps;
    const [pages, gone] = list!.subSitemaps;
    for (const each of [tree, robotsTxt, list, pages, gone])
      expect(Object.keys(each!)).toEqual(expect.arrayContaining(NAMES));

    const result = { complete: false, outcome: 'partial', code: 'http-status', reason: gone!.reason };
    const text = urlset(`${site.origin}/1`);
    const read = {
      lastModified: '2026-01-02T00:00:00.000Z',
      status: 200,
      bytes: text.length,
      crc32: crc32(text),
    };
    expect(tree.toObject()).toMatchObject(result);
    expect(pages!.toObject()).toMatchObject(read);
    expect(pages!.toObject()).not.toHaveProperty('truncated');
    expect(gone!.toObject()).toMatchObject({ status: 404, code: 'http-status', reason: gone!.reason });

    const shown = inspect(tree, { depth: 9 });
    expect(shown).toContain("outcome: 'partial'");
    expect(shown).toContain(`crc32: ${read.crc32}`);
    expect(shown).toContain('lastModified: 2026-01-02T00:00:00.000Z');
  });

  test('are the same in an archive', async () => {
    const site = await siteOf((at) => ({
      '/robots.txt': robots(`${at}/a.xml`, `${at}/b.xml`),
      '/a.xml': urlset(`${at}/1`),
      '/b.xml': urlset(`${at}/2`).slice(0, -20),
    }));
    const tree = await treeOf(site, DECLARED);
    const path = join(temporaryFolder(), 'tree.warc.gz');
    await saveTree(tree, path);
    const loaded = await loadTree(path);
    assert.deepStrictEqual(loaded, tree);
    expect(loaded).toMatchObject({ outcome: 'partial', code: 'truncated' });
    loaded.close();
  });

  test('do not read a document', () => {
    const tree = new IndexWebsiteSitemap({
      url: 'https://x.example/',
      complete: true,
      subSitemaps: [node()],
    });
    expect(tree.outcome).toBe('complete');
    expect(node({ truncated: true }).truncated).toBe(true);
    expect(() => tree.subSitemaps[0]!.pageCount).toThrow('read');
  });

  test.each([
    ['a document that was read', '/a.xml', { complete: true, outcome: 'complete', code: undefined }],
    [
      'an index with a child that is missing',
      '/index.xml',
      { complete: false, outcome: 'partial', code: 'http-status' },
    ],
    ['what is not there', '/gone.xml', { complete: false, outcome: 'none', code: 'http-status' }],
    ['what is refused', '/refused.xml', { complete: false, outcome: 'failed', code: 'http-status' }],
    ['a document without its end', '/cut.xml', { complete: false, outcome: 'partial', code: 'truncated' }],
  ])('say what came of one sitemap: %s', async (_, path, expected) => {
    const site = await siteOf((at) => ({
      '/a.xml': urlset(`${at}/1`),
      '/cut.xml': urlset(`${at}/1`).slice(0, -20),
      '/index.xml': index(`${at}/a.xml`, `${at}/gone.xml`),
      '/refused.xml': { status: 403 },
    }));
    const { proxy } = DECLARED;
    const sitemap = await sitemapFromUrl(`${site.origin}${path}`, { proxy, retries: 0 });
    expect(sitemap).toMatchObject(expected);
    expect(sitemap.reason === undefined).toBe(expected.outcome === 'complete');
    sitemap.close();
  });
});
