/** The process in docs/specification.md: tree construction, deduplication and recursion (P3, P5, P6). */
import { describe, expect, test } from 'vitest';
import { AbstractSitemap, IndexWebsiteSitemap, InvalidSitemap, SitemapFetcher } from '../../src/index.ts';
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
