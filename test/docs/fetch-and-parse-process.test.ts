/**
 * The process in docs/specification.md: every numbered statement has a test. Here, from a homepage to a tree (P1), and
 * from a URL to a sitemap, edge by edge of the flowchart (P2).
 */
import { describe, expect, test } from 'vitest';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesAtomSitemap,
  PagesRSSSitemap,
  PagesTextSitemap,
  PagesXMLSitemap,
  SitemapFetcher,
  SitemapPage,
  SitemapXMLParsingException,
} from '../../src/index.ts';
import { DECLARED, outline, QUICK, siteOf, timesAsked, treeOf, urlsOf } from '../support/crawled-site.ts';
import { STATEMENTS, statement, statementsHeld } from '../support/docs-statements.ts';
import { index, robots, urlset } from '../support/documents.ts';

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
      // And what came of the call.
      expect(alone.toJSON()).toMatchObject(node.toJSON());
      expect(alone.constructor).toBe(node.constructor);
    }
  });
});

const RSS = '<rss version="2.0"><channel><item><link>https://example.org/rss</link></item></channel></rss>';
const ATOM =
  '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/atom"/></entry></feed>';

describe('the flowchart', () => {
  test.each([
    [statement('P2.2'), '/a.xml', { status: 404 }, InvalidSitemap],
    [`${statement('P2.2')} (no response)`, '/a.xml', { hangUp: true }, InvalidSitemap],
    [statement('P2.3'), '/robots.txt', urlset('https://example.org/'), PagesXMLSitemap],
    [statement('P2.4'), '/robots.txt', robots(), IndexRobotsTxtSitemap],
    [`${statement('P2.4')} (another name)`, '/shop-robots.txt', robots('/a.xml'), IndexRobotsTxtSitemap],
    [`${statement('P2.4')} (a list of URLs)`, '/shop-robots.txt', 'https://example.org/\n', PagesTextSitemap],
    [`${statement('P2.4')} (a query)`, '/get?file=robots.txt', robots(), IndexRobotsTxtSitemap],
    [statement('P2.5'), '/a.xml', 'https://example.org/\n', PagesTextSitemap],
    [statement('P2.6'), '/a', urlset('https://example.org/'), PagesXMLSitemap],
    [statement('P2.7'), '/a', index(), IndexXMLSitemap],
    [statement('P2.8'), '/a', RSS, PagesRSSSitemap],
    [statement('P2.9'), '/a', ATOM, PagesAtomSitemap],
    [`${statement('P2.10')} (the class of the node)`, '/a', '<?xml version="1.0"?><books/>', InvalidSitemap],
  ])('%s', async (_edge, path, response, kind) => {
    const server = await siteOf({ [path]: response });
    const sitemap = await new SitemapFetcher(server.origin + path, QUICK).sitemap();
    expect(sitemap).toBeInstanceOf(kind);
  });

  test(statement('P2.10'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/books.xml', '/a.xml'],
      '/books.xml': '<?xml version="1.0"?><books/>',
      '/a.xml': urlset('https://example.org/'),
    });
    const tree = await treeOf(server, DECLARED);
    const [books, pages] = tree.subSitemaps[0]!.subSitemaps;
    expect(books).toMatchObject({ kind: 'invalid', code: 'not-a-sitemap' });
    expect((books as InvalidSitemap).error).toBeInstanceOf(SitemapXMLParsingException);
    expect((books as InvalidSitemap).reason).toContain('<books>');
    expect(pages!.pageCount).toBe(1);
  });

  test(statement('P2.11'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/list.txt'],
      '/list.txt': 'https://example.org/1\nhttps://example.org/2\n',
    });
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-text /list.txt 2',
    ]);
  });

  test(statement('P2.12'), async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...['a', 'b', 'c', 'd'].map((name) => `${origin}/${name}.xml`)),
      '/a.xml': urlset('https://example.org/urlset'),
      '/b.xml': RSS,
      '/c.xml': ATOM,
      '/d.xml': index(),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(tree.subSitemaps[0]!.subSitemaps.map(({ kind }) => kind)).toEqual([
      'pages-xml',
      'pages-rss',
      'pages-atom',
      'index-xml',
    ]);
    expect(urlsOf(tree.allPages())).toEqual(
      ['urlset', 'rss', 'atom'].map((name) => `https://example.org/${name}`),
    );
  });

  test.each(['text/plain', 'text/html', 'image/png', 'application/octet-stream'])(
    `${statement('P2.13')} (%s)`,
    async (type) => {
      const body = ` \r\n\t\n${urlset('https://example.org/')}`;
      const server = await siteOf({ '/list.txt': { body, headers: { 'content-type': type } } });
      const sitemap = await new SitemapFetcher(`${server.origin}/list.txt`, QUICK).sitemap();
      expect(sitemap).toBeInstanceOf(PagesXMLSitemap);
      expect(sitemap.pageCount).toBe(1);
    },
  );

  test(statement('P2.14'), async () => {
    const server = await siteOf({
      '/index.xml': ['/a.xml', '/b.xml'],
      '/a.xml': index(),
      '/b.xml': urlset('https://example.org/'),
    });
    const sitemap = await new SitemapFetcher(`${server.origin}/index.xml`, QUICK).sitemap();
    expect(sitemap).toBeInstanceOf(IndexXMLSitemap);
    expect(sitemap.subSitemaps[0]).toBeInstanceOf(IndexXMLSitemap);
    expect(sitemap.subSitemaps[1]).toBeInstanceOf(PagesXMLSitemap);
  });

  test(statement('P2.15'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml', '/list.txt'],
      '/index.xml': ['/feed.rss'],
      '/feed.rss': RSS,
      '/list.txt': 'https://example.org/\n',
    });
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /index.xml',
      '    pages-rss /feed.rss 1',
      '  pages-text /list.txt 1',
    ]);
  });

  test(statement('P2.16'), async () => {
    const server = await siteOf({
      '/robots.txt': ['/c.xml', '/a.xml', '/c.xml'],
      '/c.xml': ['/z.xml', '/y.xml', '/z.xml', '/x.xml'],
      '*': urlset('https://example.org/'),
    });
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /c.xml',
      '    pages-xml /z.xml 1',
      '    pages-xml /y.xml 1',
      '    pages-xml /x.xml 1',
      '  pages-xml /a.xml 1',
    ]);
  });

  test(statement('P2.17'), async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': urlset('https://example.org/') });
    // While fetching, a page document is only kept: its pages are made when they are read, here without a server.
    const tree = await treeOf(server, DECLARED);
    await server.close();
    const [pages] = tree.subSitemaps[0]!.subSitemaps;
    expect(pages).toBeInstanceOf(PagesXMLSitemap);
    for (const page of pages!.pages) expect(page).toBeInstanceOf(SitemapPage);
    expect(pages!.pageCount).toBe(1);
  });

  test(statement('P2.18'), async () => {
    const names = ['m', 'z', 'a', 'q', 'b'];
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...names.map((name) => `${origin}/${name}.xml`)),
      ...Object.fromEntries(
        names.map((name, at) => [
          `/${name}.xml`,
          {
            body: urlset(`https://example.org/${name}2`, `https://example.org/${name}1`),
            delayMs: 25 - 5 * at,
          },
        ]),
      ),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(urlsOf(tree.subSitemaps[0]!.subSitemaps)).toEqual(
      names.map((name) => `${server.origin}/${name}.xml`),
    );
    expect(urlsOf(tree.allPages())).toEqual(
      names.flatMap((name) => [`https://example.org/${name}2`, `https://example.org/${name}1`]),
    );
  });
});
