/** §3 Filters as options: the same words give the same pages in every call and on the command line. */
import { describe, expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import {
  collectPages,
  type PageFilterOptions,
  type SitemapFilterOptions,
  type SitemapOptions,
  type StreamOptions,
  sitemapTreeForHomepage,
  streamPages,
  streamSitemap,
} from '../../src/index.ts';
import type { ScriptedServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { DECLARED, QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';

type Filters = PageFilterOptions & SitemapFilterOptions & Pick<StreamOptions, 'maxPages'>;

const PAGE = 'https://example.org';

function site(): Promise<ScriptedServer> {
  return siteOf((origin) => ({
    '/robots.txt': ['/index.xml'],
    '/index.xml': index([`${origin}/old.xml`, '2020-01-02'], `${origin}/blog.xml`, `${origin}/shop.xml`),
    '/old.xml': urlset(`${PAGE}/old/0`, [`${PAGE}/old/9`, '2024-06-01']),
    '/blog.xml': urlset([`${PAGE}/blog/1`, '2024-05-06'], [`${PAGE}/blog/2.pdf`, '2024-05-07T12:00:00Z']),
    '/shop.xml': urlset([`${PAGE}/shop/3`, '2023-01-01'], `${PAGE}/shop/4`, [`${PAGE}/blog/1`, '2024-05-06']),
  }));
}

const PAGE_FILTERS: readonly (readonly [string, PageFilterOptions, string])[] = [
  ['no filter', {}, '0 9 1 2 3 4 1'],
  ['since: a sitemap that is declared older is not fetched', { since: '2024-05-07' }, '2'],
  ['until', { until: '2024-01-01' }, '3'],
  ['since and until', { since: '2022', until: '2024-05-07' }, '1 3 1'],
  ['undated: keep', { since: '2024-05-07', undated: 'keep' }, '2 4'],
  ['include', { include: ['/blog/', '/old/'] }, '0 9 1 2 1'],
  ['exclude', { exclude: ['*.pdf', 're:/(?:old|shop)/'] }, '1 1'],
  ['unique', { unique: true }, '0 9 1 2 3 4'],
  ['unique after another filter', { unique: true, include: '/blog/' }, '1 2'],
];
const SITEMAP_FILTERS: readonly (readonly [string, Filters, string])[] = [
  ['sitemapInclude', { sitemapInclude: ['index', 'blog'] }, '1 2'],
  ['sitemapExclude', { sitemapExclude: '*/shop.xml' }, '0 9 1 2'],
  ['maxPages counts after filters', { include: '/blog/', unique: true, maxPages: 2 }, '1 2'],
];

const numbers = (urls: readonly string[]): string => urls.map((url) => /\d/.exec(url)?.[0]).join(' ');
const sorted = (text: string): string => text.split(' ').sort().join(' ');

async function streamedOf(
  pages: AsyncIterable<{ readonly page: { readonly url: string } }>,
): Promise<string> {
  const urls: string[] = [];
  for await (const { page } of pages) urls.push(page.url);
  return sorted(numbers(urls));
}

/** `{ sitemapInclude: ['a', 'b'] }` → `--sitemap-include a --sitemap-include b` */
function flagsOf(options: Filters): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : [value].flat().flatMap((each) => [flag, String(each)]);
  });
}

describe('§3 a filter is an option of every call that gives pages', () => {
  test.each([...PAGE_FILTERS, ...SITEMAP_FILTERS])('%s', async (_name, filters, expected) => {
    const server = await site();
    const options = { ...DECLARED, ...filters };
    const { pages } = await collectPages(server.origin, { unique: false, ...options });
    expect(numbers(pages.map(({ url }) => url))).toBe(expected);
    expect(await streamedOf(streamPages(server.origin, options))).toBe(sorted(expected));
    expect(await streamedOf(streamSitemap(`${server.origin}/index.xml`, { ...QUICK, ...filters }))).toBe(
      sorted(expected),
    );
    const crawled: string[] = [];
    for await (const found of crawlSites([server.origin], options)) {
      for await (const { page } of found.pages()) crawled.push(page.url);
    }
    expect(numbers(crawled)).toBe(expected);
    const { lines } = await usp(['ls', server.origin, '-k', '-f', 'pages', ...flagsOf(filters)]);
    expect(sorted(numbers(lines))).toBe(sorted(expected));
  });

  test.each(PAGE_FILTERS)('allPages of a tree: %s', async (_name, filters, expected) => {
    const pages = (await treeOf(await site(), DECLARED)).allPages(filters);
    // A tree is read: no sitemap was left out by its declared date.
    const all = expected === '2' ? '9 2' : expected === '2 4' ? '0 9 2 4' : expected;
    expect(numbers(Array.from(pages, ({ url }) => url))).toBe(all);
    expect(numbers(Array.from(pages, ({ url }) => url))).toBe(all);
  });

  test('what is filtered is not requested, and does not make the result incomplete', async () => {
    const server = await site();
    const options = { ...DECLARED, since: '2024-05-07', sitemapExclude: /shop/ };
    const { outcome } = await collectPages(server.origin, options);
    expect([outcome, server.paths()]).toEqual(['complete', ['/robots.txt', '/index.xml', '/blog.xml']]);
  });

  test('filters come after recurseListCallback and before recurseCallback', async () => {
    const server = await site();
    const asked: string[] = [];
    await collectPages(server.origin, {
      ...DECLARED,
      sitemapExclude: 'blog',
      recurseListCallback: (urls) => urls.filter((url) => !url.includes('old')),
      recurseCallback: (url) => asked.push(url.replace(server.origin, '')) > 0,
    });
    expect(asked).toEqual(['/index.xml', '/shop.xml']);
  });
});

describe('§8 filters that cannot be used are refused at the call', () => {
  const HOMEPAGE = 'https://example.org/';
  test.each([
    [{ sinc: '7d' }, /Did you mean "since"\?/],
    [{ excludes: '/a/' }, /Did you mean "exclude"\?/],
    [{ sitemap_include: '/a/' }, /Did you mean "sitemapInclude"\?/],
    [{ since: 'lately' }, /"since" must be a Date, .*, not the text "lately"/],
    [{ until: new Date(Number.NaN) }, /"until" must be a Date/],
    [{ include: [''] }, /must not be empty/],
    [{ sitemapExclude: 're:(' }, /not a regular expression/],
    [{ unique: 1 }, /"unique" must be true or false, not 1/],
  ])('%j', async (given, message) => {
    const options = given as StreamOptions;
    expect(() => streamPages(HOMEPAGE, options)).toThrow(message);
    expect(() => streamSitemap(HOMEPAGE, options)).toThrow(message);
    await expect(collectPages(HOMEPAGE, options)).rejects.toThrow(message);
  });

  test.each([
    [{ since: '7d' }, /belongs to streamPages, .*; for a tree, use allPages\(\{ since \}\)/],
    [{ sitemapInclude: '/en/' }, /for a tree, use recurseCallback/],
  ])('%j of a tree names what does the same', async (given, message) => {
    await expect(sitemapTreeForHomepage(HOMEPAGE, given as SitemapOptions)).rejects.toThrow(message);
  });
});
