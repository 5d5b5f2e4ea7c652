/** The process in docs/specification.md: every numbered statement has a test. Here, from a homepage to a tree (P1). */
import { describe, expect, test } from 'vitest';
import { IndexRobotsTxtSitemap, IndexWebsiteSitemap, SitemapFetcher } from '../../src/index.ts';
import { DECLARED, outline, QUICK, siteOf, timesAsked, treeOf, urlsOf } from '../support/crawled-site.ts';
import { STATEMENTS, statement, statementsHeld } from '../support/docs-statements.ts';
import { robots, urlset } from '../support/documents.ts';

test('every statement of the page has a test, and every test a statement', () => {
  expect(STATEMENTS.size).toBeGreaterThan(40);
  expect([...new Set(statementsHeld())].sort()).toEqual([...STATEMENTS.keys()].sort());
});

describe('from a homepage to a tree', () => {
  test(statement('P1.1'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/declared.xml'],
      '/declared.xml': ['/child.xml'],
      '/child.xml': urlset('https://example.org/1'),
      '/sitemap.xml': urlset('https://example.org/2'),
    });
    expect(outline(await treeOf(server), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /declared.xml',
      '    pages-xml /child.xml 1',
      'pages-xml /sitemap.xml 1',
    ]);
  });

  test(statement('P1.2'), async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': `User-agent: *\nDisallow: /x\nSitemap: ${origin}/a.xml\nAllow: /\nSitemap: ${origin}/b.xml`,
      '*': urlset('https://example.org/'),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(server.paths()[0]).toBe('/robots.txt');
    expect(urlsOf(tree.subSitemaps[0]!.subSitemaps)).toEqual([
      `${server.origin}/a.xml`,
      `${server.origin}/b.xml`,
    ]);
  });

  test(statement('P1.3'), async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': urlset() });
    const [robotsTxt] = (await treeOf(server, DECLARED)).subSitemaps;
    expect(robotsTxt).toBeInstanceOf(IndexRobotsTxtSitemap);
    expect(robotsTxt!.subSitemaps).toHaveLength(1);
    expect([...robotsTxt!.pages]).toEqual([]);
  });

  test(statement('P1.4'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': urlset('https://example.org/a'),
      '/b.xml': urlset('https://example.org/b'),
    });
    const tree = await treeOf(server, DECLARED);
    expect(server.paths().sort()).toEqual(['/a.xml', '/b.xml', '/robots.txt']);
    expect(urlsOf(tree.allPages())).toEqual(['https://example.org/a', 'https://example.org/b']);
  });

  test(statement('P1.5'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/1.xml'],
      '/1.xml': ['/2.xml'],
      '/2.xml': ['/3.xml'],
      '/3.xml': urlset('https://example.org/deep'),
    });
    const tree = await treeOf(server, DECLARED);
    expect(urlsOf(tree.allPages())).toEqual(['https://example.org/deep']);
  });

  test(statement('P1.6'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/sitemap.xml'],
      '/sitemap.xml': urlset('https://example.org/declared'),
      '/sitemap_index.xml': ['/child.xml'],
      '/child.xml': urlset('https://example.org/known'),
    });
    const tree = await treeOf(server);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /sitemap.xml 1',
      'index-xml /sitemap_index.xml',
      '  pages-xml /child.xml 1',
    ]);
    expect(timesAsked(server, '/sitemap.xml')).toBe(1);
  });

  test(statement('P1.7'), async () => {
    const server = await siteOf({
      '/robots.txt': robots(),
      '/sitemap.xml': urlset('https://example.org/'),
    });
    const tree = await treeOf(server);
    expect(tree).toBeInstanceOf(IndexWebsiteSitemap);
    expect(tree.url).toBe(`${server.origin}/`);
    expect(tree.subSitemaps.map(({ kind }) => kind)).toEqual(['robots-txt', 'pages-xml']);
  });

  test(statement('P2.1'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/gone.xml'],
      '/a.xml': ['/b.txt'],
      '/b.txt': 'https://example.org/b\n',
    });
    const tree = await treeOf(server, DECLARED);
    for (const node of tree.allSitemaps()) {
      const alone = await new SitemapFetcher(node.url, QUICK).sitemap();
      expect(alone.toJSON()).toEqual(node.toJSON());
      expect(alone.constructor).toBe(node.constructor);
    }
  });
});
