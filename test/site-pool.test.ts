/** Sites that share one network: which options count for a site, and which sites are refused. */
import { expect, onTestFinished, test } from 'vitest';
import type { Sitemap, StreamOptions } from '../src/index.ts';
import { SitePool } from '../src/site-pool.ts';
import { DECLARED, siteOf, urlsOf } from './support/crawled-site.ts';
import { urlset } from './support/documents.ts';

function poolOf(options: StreamOptions, isSiteGuarded = false): SitePool {
  const pool = new SitePool({ ...DECLARED, ...options }, { isSiteGuarded });
  onTestFinished(() => pool.close());
  return pool;
}

test('the homepage of a site is found by the options of the pool', () => {
  const url = 'http://here.test/a/b?c#d';
  expect(poolOf({}).homepage(url).href).toBe('http://here.test/');
  const options = { normalizeHomepageUrl: false, mapHosts: { 'here.test': 'a.example' } };
  expect(poolOf(options).homepage(url).href).toBe('http://a.example/a/b/');
  expect(() => poolOf({}).homepage('ftp://a.example/')).toThrow(expect.objectContaining({ code: 'bad-url' }));
  expect(() => poolOf({ maxDepth: -1 })).toThrow(expect.objectContaining({ code: 'bad-option' }));
});

test('options of a site replace those of the pool, for its site or sitemap alone', async () => {
  const server = await siteOf({
    '/robots.txt': ['/i.xml'],
    '/i.xml': ['/s.xml'],
    '/s.xml': urlset('https://example.org/1'),
  });
  const pool = poolOf({ allowPrivateNetworks: true });
  const seen: string[] = [];
  const follower = {
    onPages: ({ url }: Sitemap) => void seen.push(url),
    onStart: () => void seen.push('start'),
  };
  for (const [maxDepth, pages] of [
    [undefined, 1],
    [1, 0],
    [undefined, 1],
  ] as const) {
    const options = maxDepth === undefined ? {} : { maxDepth };
    seen.length = 0;
    using tree = await pool.tree(server.origin, options, follower);
    expect(urlsOf(tree.allPages())).toHaveLength(pages);
    expect(seen).toEqual(['start', ...(pages === 1 ? [`${server.origin}/s.xml`] : [])]);
  }
  for (const [maxDepth, pages] of [
    [1, 1],
    [0, 0],
  ] as const) {
    seen.length = 0;
    using sitemap = await pool.sitemap(`${server.origin}/i.xml`, { maxDepth }, follower);
    expect(urlsOf(sitemap.allPages())).toHaveLength(pages);
    expect(seen).toEqual(['start', ...(pages === 1 ? [`${server.origin}/s.xml`] : [])]);
  }
});

test.each([
  ['http://127.0.0.1/', true, true, false],
  ['http://[::1]:3000/', true, true, false],
  ['http://8.8.8.8/', true, false, false],
  ['http://127.0.0.1/', false, false, false],
])(
  'a site at %s, guarded: %s, is refused: %s; with allowPrivateNetworks: %s',
  async (url, isGuarded, ...refused) => {
    const pools = [poolOf({}, isGuarded), poolOf({ allowPrivateNetworks: true }, isGuarded)];
    expect(await Promise.all(pools.map((pool) => pool.refuses(new URL(url))))).toEqual(refused);
  },
);
