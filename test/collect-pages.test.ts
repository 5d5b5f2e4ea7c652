/** §5 `collectPages`: every filter, the border of `maxPages`, and what is said about the rest. */
import { describe, expect, test } from 'vitest';
import { collectPages, type StreamOptions } from '../src/index.ts';
import type { ScriptedServer } from './server/scripted-server.ts';
import { DECLARED, siteOf, urlsOf } from './support/crawled-site.ts';
import { index, urlset } from './support/documents.ts';

const E = 'https://example.org';

/** Five entries in two sitemaps, of which one is a repeat and two are undated. */
function site(): Promise<ScriptedServer> {
  return siteOf((origin) => ({
    '/robots.txt': `User-agent: *\nDisallow: /a\nSitemap: ${origin}/index.xml`,
    '/index.xml': index(`${origin}/1.xml`, `${origin}/2.xml`),
    '/1.xml': urlset([`${E}/a`, '2012-01-01'], `${E}/b`),
    '/2.xml': urlset([`${E}/c`, '2014-01-01'], `${E}/a`, `${origin}/d`),
  }));
}

const paths = (urls: readonly string[]): string => urls.map((url) => url.slice(-1)).join('');

test.each<[StreamOptions, string, object]>([
  [{}, 'abcd', { repeated: 1 }],
  [{ unique: false }, 'abcad', {}],
  [{ since: '2013' }, 'c', { older: 1, undated: 3 }],
  [{ until: '2013' }, 'a', { newer: 1, undated: 3 }],
  [{ until: '2013', undated: 'keep' }, 'abd', { newer: 1, repeated: 1 }],
  [{ include: ['/a', '/d'] }, 'ad', { 'not-included': 2, repeated: 1 }],
  [{ exclude: '/a' }, 'bcd', { excluded: 2 }],
  [{ hosts: 'same' }, 'd', { 'other-host': 4 }],
  [{ sitemapExclude: '/1.xml' }, 'cad', {}],
])('collectPages with %j gives %s', async (options, expected, leftOut) => {
  const server = await site();
  const found = await collectPages(server.origin, { ...DECLARED, ...options });
  expect(paths(urlsOf(found.pages))).toBe(expected);
  expect(found).toMatchObject({ complete: true, outcome: 'complete', code: undefined, stopped: undefined });
  expect([found.leftOut, found.missing]).toEqual([leftOut, []]);
  expect(found.verdictOf(`${server.origin}/a`)).toEqual({});
});

describe('collectPages and maxPages', () => {
  test.each<[number, StreamOptions, string, boolean]>([
    [1, {}, 'a', true],
    [2, {}, 'ab', true],
    [3, {}, 'abc', true],
    [4, {}, 'abcd', false],
    [5, {}, 'abcd', false],
    [4, { unique: false }, 'abca', true],
    [5, { unique: false }, 'abcad', false],
    [2, { include: ['/a', '/d'] }, 'ad', false],
    [1, { include: ['/a', '/d'] }, 'a', true],
  ])('%i, with %j: %s; more: %s', async (maxPages, options, expected, isMore) => {
    const server = await site();
    const found = await collectPages(server.origin, { ...DECLARED, ...options, maxPages });
    expect(paths(urlsOf(found.pages))).toBe(expected);
    if (!isMore) {
      expect(found).toMatchObject({ complete: true, stopped: undefined, outcome: 'complete', missing: [] });
      return;
    }
    const message = `There are more than ${maxPages} pages (maxPages): raise it, or use streamPages, which keeps none.`;
    const url = `${server.origin}/`;
    expect(found).toMatchObject({
      complete: false,
      stopped: { limit: 'maxPages', message },
      outcome: 'partial',
      code: 'limit',
      reason: message,
      missing: [{ url, code: 'limit', message: `${url}: ${message}` }],
    });
  });

  test('another limit that came first is the one that stopped it; both are missing', async () => {
    const server = await site();
    const found = await collectPages(server.origin, { ...DECLARED, maxSitemaps: 3, maxPages: 1 });
    expect(found.stopped?.limit).toBe('maxSitemaps');
    expect(found).toMatchObject({ complete: false, outcome: 'partial', code: 'limit' });
    expect(found.reason).toBe(found.stopped?.message);
    expect(found.missing.at(-1)?.message).toContain('more than 1 pages (maxPages)');
    expect(found.missing.length).toBeGreaterThan(1);
  });
});

test('collectPages: an abort while the pages are read rejects with its reason', async () => {
  const many = urlset(...Array.from({ length: 50_000 }, (_, at) => `${E}/${at}`));
  const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': many });
  const stop = new AbortController();
  const reason = new Error('enough');
  // The tree has all documents by then.
  const onProgress: StreamOptions['onProgress'] = (event) => {
    if (event.type === 'finished' && event.url.endsWith('/a.xml')) setImmediate(() => stop.abort(reason));
  };
  const collected = collectPages(server.origin, { ...DECLARED, onProgress, signal: stop.signal });
  await expect(collected).rejects.toBe(reason);
});

test('collectPages says by robots.txt what an agent may fetch', async () => {
  const server = await site();
  const { verdictOf } = await collectPages(server.origin, { ...DECLARED, robotsAgent: 'GPTBot' });
  expect(verdictOf(`${server.origin}/a`)).toMatchObject({ allowed: false });
  expect(verdictOf(`${server.origin}/d`)).toMatchObject({ allowed: true });
});

test.each([1, 3, 9])('collectPages with a sample of %i of four pages', async (sample) => {
  const server = await site();
  const { pages, stopped } = await collectPages(server.origin, { ...DECLARED, sample });
  expect([new Set(urlsOf(pages)).size, pages.length, stopped]).toEqual([
    Math.min(sample, 4),
    Math.min(sample, 4),
    undefined,
  ]);
});
