/** The process in docs/specification.md: tree construction, the two callbacks, deduplication and recursion (P3 to P6). */
import { describe, expect, test } from 'vitest';
import { AbstractSitemap, IndexWebsiteSitemap, InvalidSitemap, SitemapFetcher } from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, outline, QUICK, siteOf, timesAsked, treeOf, urlsOf } from '../support/crawled-site.ts';
import { statement } from '../support/docs-statements.ts';
import { robots, urlset } from '../support/documents.ts';

describe('tree construction', () => {
  test(statement('P3.1'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml', '/gone.xml'],
      '/index.xml': ['/slow.xml'],
      '/slow.xml': { body: urlset('https://example.org/'), delayMs: 30 },
    });
    const tree = await treeOf(server, DECLARED);
    const nodes = [tree, ...tree.allSitemaps()];
    expect(nodes).toHaveLength(5);
    for (const node of nodes) {
      expect(node).toBeInstanceOf(AbstractSitemap);
      expect(Object.isFrozen(node.subSitemaps)).toBe(true);
    }
  });

  test(statement('P3.2'), async () => {
    const server = await siteOf({
      '/robots.txt': robots(),
      '/sitemap.xml': urlset('https://example.org/1'),
      '/sitemap_news.xml': urlset('https://example.org/2'),
    });
    const tree = await treeOf(server);
    expect(tree).toBeInstanceOf(IndexWebsiteSitemap);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      'pages-xml /sitemap.xml 1',
      'pages-xml /sitemap_news.xml 1',
    ]);
  });
});

describe('deduplication', () => {
  test(statement('P5.1'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/a.xml'],
      '/a.xml': urlset('https://example.org/1', 'https://example.org/1'),
    });
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /a.xml 1',
    ]);
  });

  test(statement('P5.2'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml', '/b.xml', '/a.xml'],
      '*': urlset('https://example.org/'),
    });
    const tree = await treeOf(server, DECLARED);
    expect(urlsOf(tree.subSitemaps[0]!.subSitemaps[0]!.subSitemaps)).toEqual([
      `${server.origin}/a.xml`,
      `${server.origin}/b.xml`,
    ]);
    expect(timesAsked(server, '/a.xml')).toBe(1);
  });

  test(statement('P5.3'), async () => {
    const entry = (loc: string, priority: number): string =>
      `<url><loc>https://example.org/${loc}</loc><priority>${priority}</priority></url>`;
    const server = await siteOf({
      '/a.xml': urlset().replace(
        '</urlset>',
        `${entry('1', 0.1)}${entry('2', 0.2)}${entry('1', 0.9)}</urlset>`,
      ),
    });
    const sitemap = await new SitemapFetcher(`${server.origin}/a.xml`, QUICK).sitemap();
    expect(Array.from(sitemap.pages, ({ url, priority }) => [url, priority])).toEqual([
      ['https://example.org/1', 0.1],
      ['https://example.org/2', 0.2],
    ]);
  });

  test(statement('P5.4'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/1.xml', '/2.xml'],
      '/1.xml': ['/a.xml', '/b.xml'],
      '/2.xml': ['/a.xml'],
      '/a.xml': urlset('https://example.org/1'),
      '/b.xml': urlset('https://example.org/1'),
    });
    const tree = await treeOf(server, DECLARED);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /1.xml',
      '    pages-xml /a.xml 1',
      '    pages-xml /b.xml 1',
      '  index-xml /2.xml',
      '    pages-xml /a.xml 1',
    ]);
    expect(urlsOf(tree.allPages())).toEqual(new Array(3).fill('https://example.org/1'));
  });
});

describe('recursion', () => {
  test(statement('P6.1'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': ['/b.xml'],
      '/b.xml': ['/a.xml'],
    });
    const tree = await treeOf(server, DECLARED);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /a.xml',
      '    index-xml /b.xml',
      '      invalid /a.xml recursion',
    ]);
    expect([...tree.allSitemaps()].at(-1)).toBeInstanceOf(InvalidSitemap);
  });

  test(statement('P6.2'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': ['/b.xml'],
      '/b.xml': { redirect: '/a.xml' },
    });
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /a.xml',
      '    invalid /b.xml recursion',
    ]);
  });

  test(statement('P6.3'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/real.xml'],
      '/real.xml': urlset('https://example.org/'),
      '/sitemap.xml': { redirect: '/real.xml' },
    });
    // Invalid sitemaps at known paths are left out (§1.4).
    expect(outline(await treeOf(server), server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /real.xml 1',
    ]);
  });
});

describe('tree filtering', () => {
  const multilingual: Site = {
    '/robots.txt': ['/en/a.xml', '/de/a.xml', '/en/b.xml'],
    '*': urlset('https://example.org/'),
  };

  test(statement('P4.1'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/sitemap.xml', '/wanted.xml'],
      '/sitemap.xml': urlset('https://example.org/unwanted'),
      '/wanted.xml': urlset('https://example.org/wanted'),
    });
    const tree = await treeOf(server, { ...QUICK, recurseCallback: (url) => url.includes('wanted') });
    expect(urlsOf(tree.allPages())).toEqual(['https://example.org/wanted']);
    expect(server.paths()).not.toContain('/sitemap.xml');
  });

  test(statement('P4.2'), async () => {
    const server = await siteOf(multilingual);
    const called: string[] = [];
    const tree = await treeOf(server, {
      ...DECLARED,
      recurseCallback: (url) => {
        called.push(url.replace(server.origin, ''));
        return !url.endsWith('b.xml');
      },
    });
    expect(called).toEqual(['/en/a.xml', '/de/a.xml', '/en/b.xml']);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /en/a.xml 1',
      '  pages-xml /de/a.xml 1',
    ]);
    expect(server.paths()).not.toContain('/en/b.xml');
  });

  test(statement('P4.3'), async () => {
    const server = await siteOf(multilingual);
    const filterCallback = (
      url: string,
      _recursionLevel: number,
      _parentUrls: ReadonlySet<string>,
    ): boolean => url.includes('/en/');
    const tree = await treeOf(server, { ...DECLARED, recurseCallback: filterCallback });
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /en/a.xml 1',
      '  pages-xml /en/b.xml 1',
    ]);
  });

  test(statement('P4.4'), async () => {
    const server = await siteOf(multilingual);
    const called: (readonly string[])[] = [];
    const tree = await treeOf(server, {
      ...DECLARED,
      recurseListCallback: (urls) => {
        called.push(urls.map((url) => url.replace(server.origin, '')));
        return urls.slice(0, 1);
      },
    });
    expect(called).toEqual([['/en/a.xml', '/de/a.xml', '/en/b.xml']]);
    expect(outline(tree, server)).toEqual(['robots-txt /robots.txt', '  pages-xml /en/a.xml 1']);
    expect(server.paths().sort()).toEqual(['/en/a.xml', '/robots.txt']);
  });

  test.each([
    [['blog', 'products', 'about'], 3],
    [['blog', 'about'], 0],
  ])(`${statement('P4.5')} (%j)`, async (names, count) => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...names.map((name) => `${origin}/${name}.xml`)),
      '*': urlset('https://example.org/'),
    }));
    const tree = await treeOf(server, {
      ...DECLARED,
      recurseListCallback: (urls) =>
        urls.some((url) => url.includes('blog')) && urls.some((url) => url.includes('products')) ? urls : [],
    });
    expect(tree.subSitemaps[0]!.subSitemaps).toHaveLength(count);
  });

  test(statement('P4.6'), async () => {
    const server = await siteOf(multilingual);
    for (const options of [{}, { recurseCallback: undefined, recurseListCallback: undefined }]) {
      const tree = await treeOf(server, { ...DECLARED, ...options });
      expect(tree.subSitemaps[0]!.subSitemaps).toHaveLength(3);
    }
    for (const options of [
      { recurseCallback: () => true },
      { recurseListCallback: (urls: readonly string[]) => urls },
    ]) {
      const tree = await treeOf(server, { ...DECLARED, ...options });
      expect(tree.subSitemaps[0]!.subSitemaps).toHaveLength(3);
    }
  });

  test(statement('P4.7'), async () => {
    const server = await siteOf(multilingual);
    const calls: string[] = [];
    await treeOf(server, {
      ...DECLARED,
      recurseListCallback: (urls) => {
        calls.push(`list of ${urls.length}`);
        return urls.slice(1);
      },
      recurseCallback: (url) => {
        calls.push(url.replace(server.origin, ''));
        return true;
      },
    });
    expect(calls).toEqual(['list of 3', '/de/a.xml', '/en/b.xml']);
  });

  test(statement('P4.8'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      // /sitemap.xml is also a known path: what is filtered must not be fetched as one.
      '/index.xml': ['/sitemap.xml', '/b.xml'],
      '*': urlset('https://example.org/'),
    });
    const tree = await treeOf(server, {
      ...QUICK,
      recurseListCallback: (urls) => urls.filter((url) => !url.endsWith('sitemap.xml')),
      recurseCallback: () => true,
    });
    expect(server.paths()).not.toContain('/sitemap.xml');
    expect([...tree.allSitemaps()].map(({ url }) => url)).not.toContain(`${server.origin}/sitemap.xml`);
  });
});
