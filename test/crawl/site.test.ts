/** §1.1 The addresses that a call is about, and the facts of a call that are saved with its tree. */
import { expect, test } from 'vitest';
import { homepageOf, sitemapUrl, treeOriginOf } from '../../src/crawl/site.ts';
import { sitemapFromUrl } from '../../src/index.ts';
import type { StreamOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import { outline, QUICK, siteOf } from '../support/crawled-site.ts';

const SHORTENED = 'normalizeHomepageUrl: false keeps its path.';
const ALONE = ' The URL looks like a sitemap: streamSitemap and sitemapFromUrl read that one alone.';

test.each<[string, boolean, string, string]>([
  ['https://a.example', true, 'https://a.example/', ''],
  ['https://u:p@a.example:8443/?b#c', true, 'https://u:p@a.example:8443/', ''],
  [
    'https://u:p@a.example/b?c#d',
    true,
    'https://u:p@a.example/',
    `The homepage was shortened to https://a.example/; ${SHORTENED}`,
  ],
  [
    'https://a.example/b/sitemap.xml',
    true,
    'https://a.example/',
    `The homepage was shortened to https://a.example/; ${SHORTENED}${ALONE}`,
  ],
  [
    'https://a.example/robots.txt',
    true,
    'https://a.example/',
    `The homepage was shortened to https://a.example/; ${SHORTENED}${ALONE}`,
  ],
  ['https://a.example/b', false, 'https://a.example/b/', ''],
  ['https://a.example/b/?c#d', false, 'https://a.example/b/', ''],
  ['https://a.example/b/sitemap.xml', false, 'https://a.example/b/sitemap.xml/', ''],
  ['https://a.example?c', false, 'https://a.example/', ''],
  [
    'http://here.test:3000/b',
    true,
    'http://a.example/',
    `The homepage was shortened to http://a.example/; ${SHORTENED}`,
  ],
])('the homepage of %s, normalized: %s, is %s', (url, normalizeHomepageUrl, expected, warning) => {
  const warnings: string[] = [];
  const logger = {
    debug() {},
    info() {},
    warn: (message: string) => void warnings.push(message),
    error() {},
  };
  const options = resolveOptions(
    { normalizeHomepageUrl, logger, mapHosts: { 'here.test:3000': 'a.example' } },
    'tree',
  );
  expect(homepageOf(url, options).href).toBe(expected);
  expect(warnings.join()).toBe(warning);
});

test.each([
  ['https://u:p@a.example/s.xml?b#c', 'https://u:p@a.example/s.xml?b#c'],
  ['HTTP://here.test/s.xml', 'http://a.example/s.xml'],
])('the sitemap %s is %s', (url, expected) => {
  expect(sitemapUrl(url, { mapHosts: { 'here.test': 'a.example' } }).href).toBe(expected);
});

test.each([
  ['example.org/a b', 'not "example.org/a b". Did you mean https://example.org/a b?'],
  ['LOCALHOST:3000/a', 'Did you mean http://LOCALHOST:3000/a?'],
  ['localhostess.example', 'Did you mean https://localhostess.example?'],
  ['//127.1.1.1', 'Did you mean http://127.1.1.1?'],
  ['128.0.0.1:80', 'Did you mean https://128.0.0.1:80?'],
  ['//u:p@a.example/', 'not "//…@a.example/".'],
])('%s is refused, as an address of a homepage and of a sitemap: %s', (url, message) => {
  const options = resolveOptions({}, 'tree');
  expect(() => homepageOf(url, options)).toThrow(`The homepage must be an http or https URL, `);
  expect(() => homepageOf(url, options)).toThrow(message);
  expect(() => sitemapUrl(url, options)).toThrow('The sitemap’s address must be an http or https URL, ');
  expect(() => sitemapUrl(url, options)).toThrow(message);
});

test.each<[StreamOptions, string, object, readonly string[]]>([
  [{}, 'https://a.example/b', {}, []],
  [{ maxDepth: 2 }, 'https://u@a.example/b', { maxDepth: 2 }, ['userinfo']],
  [{ cookies: true, maxDepth: 11 }, 'https://:p@a.example/b', {}, ['cookies', 'userinfo']],
  [
    { extraKnownPaths: ['https://u:p@a.example/s.xml', 'c.xml'] },
    'https://a.example/b',
    { extraKnownPaths: ['https://a.example/s.xml', 'c.xml'] },
    [],
  ],
])('an archive keeps of a call with %j for %s: %j, and names %j', (given, site, options, notKept) => {
  for (const call of ['homepage', 'sitemap'] as const) {
    const origin = treeOriginOf(call, new URL(site), resolveOptions(given, 'tree'));
    expect(origin).toEqual({ call, url: 'https://a.example/b', options, notKept });
  }
});

test('what one sitemap no longer declares is kept below it, and does not repeat it', async () => {
  const server = await siteOf({
    '/top.xml': ['/i.xml', '/a.xml'],
    '/i.xml': ['/top.xml', '/b.xml'],
    '/a.xml': { pages: ['/1'] },
    '/b.xml': { pages: ['/2'] },
  });
  const url = `${server.origin}/top.xml`;
  using previous = await sitemapFromUrl(url, QUICK);
  Object.assign(server.site, { '/top.xml': ['/new.xml', '/a.xml'], '/new.xml': { status: 503 } });
  using sitemap = await sitemapFromUrl(url, { ...QUICK, previous, staleIfError: true });
  expect(outline(sitemap, server)).toEqual([
    'invalid /new.xml http-status',
    'pages-xml /a.xml 1',
    'index-xml /i.xml',
    '  invalid /top.xml recursion',
    '  pages-xml /b.xml 1',
  ]);
});
