/** Specification §5 and §8 for one sitemap and what is below it: `sitemapFromUrl`, and `streamSitemap`, its stream. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  loadTree,
  type PageStream,
  SitemapException,
  type SitemapOptions,
  saveTree,
  sitemapFromUrl,
  streamSitemap,
} from '../src/index.ts';
import type { Site } from './server/scripted-server.ts';
import { QUICK, siteOf } from './support/crawled-site.ts';
import { urlset } from './support/documents.ts';
import { folder } from './support/folder.ts';

const whole: Site = {
  '/index.xml': ['/a.xml', '/b.xml'],
  '/a.xml': urlset('https://example.org/1', 'https://example.org/2'),
  '/b.xml': urlset('https://example.org/3'),
};

async function urlsFrom(stream: PageStream): Promise<string[]> {
  const urls: string[] = [];
  for await (const { page } of stream) urls.push(page.url);
  return urls.sort();
}

describe('§5 streamSitemap', () => {
  test('yields the pages of one sitemap and of all below it; nothing else of the site is asked for', async () => {
    const server = await siteOf(whole);
    const stream = streamSitemap(new URL(`${server.origin}/index.xml`), QUICK);
    expect(await urlsFrom(stream)).toEqual([1, 2, 3].map((n) => `https://example.org/${n}`));
    expect([stream.complete, stream.stopped, stream.problems]).toEqual([true, undefined, []]);
    expect(server.paths().sort()).toEqual(['/a.xml', '/b.xml', '/index.xml']);
  });

  test('says where a page comes from: the index is its ancestor', async () => {
    const server = await siteOf(whole);
    for await (const { sitemap } of streamSitemap(`${server.origin}/index.xml`, QUICK)) {
      expect([...sitemap.parentUrls]).toEqual([`${server.origin}/index.xml`]);
    }
  });

  test('one that cannot be read is requested once, and reported', async () => {
    const server = await siteOf({});
    const stream = streamSitemap(`${server.origin}/none.xml`, QUICK);
    expect(await urlsFrom(stream)).toEqual([]);
    expect(stream.complete).toBe(false);
    expect(stream.invalidSitemaps).toMatchObject([
      { url: `${server.origin}/none.xml`, code: 'http-status', status: 404 },
    ]);
    expect(server.paths()).toEqual(['/none.xml']);
  });

  test('takes maxPages, and sends userinfo without showing it', async () => {
    const server = await siteOf(whole);
    const address = `${server.origin}/a.xml`.replace('//', '//user:secret@');
    const stream = streamSitemap(address, { ...QUICK, maxPages: 1 });
    for await (const { sitemap } of stream) expect(sitemap.url).toBe(`${server.origin}/a.xml`);
    expect(stream.stopped?.limit).toBe('maxPages');
    expect(server.requests[0]?.headers.authorization).toMatch(/^Basic /);
  });

  test.each([
    ['ftp://example.org/x.xml', undefined],
    ['https://example.org/x.xml', { nope: 1 }],
  ])('%s with %j throws at once', (url, options) => {
    expect(() => streamSitemap(url, options as SitemapOptions)).toThrow(SitemapException);
  });
});

describe('§5 complete and stopped, without a homepage', () => {
  const cases: readonly (readonly [string, Site, SitemapOptions, object])[] = [
    ['all is there', whole, {}, { complete: true, stopped: undefined }],
    [
      'a child is not there',
      { ...whole, '/b.xml': { status: 404 } },
      {},
      { complete: false, stopped: undefined },
    ],
    [
      'a child is truncated, with a length that fits',
      { ...whole, '/b.xml': urlset('https://example.org/3').replace('</urlset>', '') },
      {},
      { complete: false, stopped: undefined },
    ],
    ['the tree is full', whole, { maxSitemaps: 2 }, { complete: false, stopped: { limit: 'maxSitemaps' } }],
    [
      'the time is over',
      { ...whole, '/b.xml': { silent: true } },
      { maxTimeMs: 2_000 },
      { complete: false, stopped: { limit: 'maxTimeMs' } },
    ],
  ];
  test.each(cases)('%s: tree, saved tree and stream agree', async (_what, site, options, expected) => {
    const server = await siteOf(site);
    const address = `${server.origin}/index.xml`;
    const sitemap = await sitemapFromUrl(address, { ...QUICK, ...options });
    expect(sitemap).toMatchObject(expected);
    // Only the whole knows.
    expect(sitemap.subSitemaps.map(({ complete, stopped }) => complete ?? stopped)).toEqual(
      sitemap.subSitemaps.map(() => undefined),
    );
    expect(Object.keys(sitemap.toObject())).toEqual(expect.arrayContaining(['complete', 'outcome']));

    const file = join(folder(), 'one.warc.gz');
    await saveTree(sitemap, file);
    expect(await loadTree(file)).toMatchObject(expected);

    const stream = streamSitemap(address, { ...QUICK, ...options });
    await urlsFrom(stream);
    expect(stream).toMatchObject(expected);
  });
});

test('§5 options that say where a site declares its sitemaps are refused for one sitemap', async () => {
  const url = 'https://example.org/a.xml';
  // @ts-expect-error It belongs to calls for a site.
  await expect(sitemapFromUrl(url, { useRobots: false })).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringContaining('"useRobots" belongs to sitemapTreeForHomepage'),
  });
  // @ts-expect-error It belongs to calls for a site.
  expect(() => streamSitemap(url, { useKnownPaths: false })).toThrow(/"useKnownPaths" belongs to/);
  const followListedSitemaps = true;
  // @ts-expect-error It belongs to calls for a site.
  expect(() => streamSitemap(url, { followListedSitemaps })).toThrow(/one sitemap is read, not its site\.$/);
});
