/** The user's own text, `fetch-and-parse-process.txt`: a test for each sentence of it that says what happens. */
import { describe, expect, test } from 'vitest';
import {
  AbstractSitemap,
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
  sitemapTreeForHomepage,
} from '../../src/index.ts';
import {
  DECLARED,
  index,
  outline,
  QUICK,
  robots,
  siteOf,
  timesAsked,
  treeOf,
  urlset,
  urlsOf,
} from '../support/crawled-site.ts';

const RSS = '<rss version="2.0"><channel><item><link>https://example.org/rss</link></item></channel></rss>';
const ATOM =
  '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/atom"/></entry></feed>';

describe('Fetch and Parse Process', () => {
  test('When calling sitemap_tree_for_homepage(), USP will try several methods to find sitemaps and recurse through sub-sitemaps.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/declared.xml`),
      '/declared.xml': index(`${origin}/child.xml`),
      '/child.xml': urlset('https://example.org/1'),
      '/sitemap.xml': urlset('https://example.org/2'),
    }));
    expect(outline(await treeOf(server), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /declared.xml',
      '    pages-xml /child.xml 1',
      'pages-xml /sitemap.xml 1',
    ]);
  });

  test('Attempt to fetch https://example.org/robots.txt and parse for Sitemap: statements.', async () => {
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

  test('We consider robots.txt to be an index-type sitemap (as it lists other sitemaps)', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`),
      '/a.xml': urlset(),
    }));
    const [robotsTxt] = (await treeOf(server, DECLARED)).subSitemaps;
    expect(robotsTxt).toBeInstanceOf(IndexRobotsTxtSitemap);
    expect(robotsTxt!.subSitemaps).toHaveLength(1);
    expect([...robotsTxt!.pages]).toEqual([]);
  });

  test('Fetch and parse each discovered sitemap URL.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`, `${origin}/b.xml`),
      '/a.xml': urlset('https://example.org/a'),
      '/b.xml': urlset('https://example.org/b'),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(server.paths().sort()).toEqual(['/a.xml', '/b.xml', '/robots.txt']);
    expect(urlsOf(tree.allPages())).toEqual(['https://example.org/a', 'https://example.org/b']);
  });

  test('If a sitemap is an index-type sitemap, recurse into it.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/1.xml`),
      '/1.xml': index(`${origin}/2.xml`),
      '/2.xml': index(`${origin}/3.xml`),
      '/3.xml': urlset('https://example.org/deep'),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(urlsOf(tree.allPages())).toEqual(['https://example.org/deep']);
  });

  test('Try to fetch known sitemap locations like /sitemap.xml and /sitemap_index.xml, excluding those already declared in robots.txt.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/sitemap.xml`),
      '/sitemap.xml': urlset('https://example.org/declared'),
      '/sitemap_index.xml': index(`${origin}/child.xml`),
      '/child.xml': urlset('https://example.org/known'),
    }));
    const tree = await treeOf(server);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /sitemap.xml 1',
      'index-xml /sitemap_index.xml',
      '  pages-xml /child.xml 1',
    ]);
    expect(timesAsked(server, '/sitemap.xml')).toBe(1);
  });

  test('Create a top-level dummy sitemap to act as the parent of robots.txt and discovered sitemaps.', async () => {
    const server = await siteOf(() => ({
      '/robots.txt': robots(),
      '/sitemap.xml': urlset('https://example.org/'),
    }));
    const tree = await treeOf(server);
    expect(tree).toBeInstanceOf(IndexWebsiteSitemap);
    expect(tree.url).toBe(`${server.origin}/`);
    expect(tree.subSitemaps.map(({ kind }) => kind)).toEqual(['robots-txt', 'pages-xml']);
  });

  test('All fetching is done through the SitemapFetcher class, which is responsible for fetching and choosing the appropriate parser for the content.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`, `${origin}/gone.xml`),
      '/a.xml': index(`${origin}/b.txt`),
      '/b.txt': 'https://example.org/b\n',
    }));
    const tree = await treeOf(server, DECLARED);
    for (const node of tree.allSitemaps()) {
      const alone = await new SitemapFetcher(node.url, QUICK).sitemap();
      expect(alone.toJSON()).toEqual(node.toJSON());
      expect(alone.constructor).toBe(node.constructor);
    }
  });
});

describe('The parse flowchart', () => {
  test.each([
    ['Did request succeed? No: Return InvalidSitemap', '/a.xml', { status: 404 }, InvalidSitemap],
    [
      'Did request succeed? No: Return InvalidSitemap (no answer)',
      '/a.xml',
      { hangUp: true },
      InvalidSitemap,
    ],
    [
      "Starts with '<' char? Yes: XMLSitemapParser",
      '/robots.txt',
      urlset('https://example.org/'),
      PagesXMLSitemap,
    ],
    [
      'URL ends with robots.txt? Yes: IndexRobotsTxtSitemapParser',
      '/robots.txt',
      robots(),
      IndexRobotsTxtSitemap,
    ],
    [
      'URL ends with robots.txt? No: PlainTextSitemapParser',
      '/a.xml',
      'https://example.org/\n',
      PagesTextSitemap,
    ],
    ['Has <urlset>? Yes: PagesXMLSitemapParser', '/a', urlset('https://example.org/'), PagesXMLSitemap],
    ['Has <sitemapindex>? Yes: IndexXMLSitemapParser', '/a', index(), IndexXMLSitemap],
    ['Has <rss>? Yes: PagesRSSSitemapParser', '/a', RSS, PagesRSSSitemap],
    ['Has <feed>? Yes: PagesAtomSitemapParser', '/a', ATOM, PagesAtomSitemap],
    [
      'Has <feed>? No: Raise SitemapXMLParsingException',
      '/a',
      '<?xml version="1.0"?><books/>',
      InvalidSitemap,
    ],
  ])('%s', async (_edge, path, answer, kind) => {
    const server = await siteOf(() => ({ [path]: answer }));
    const sitemap = await new SitemapFetcher(server.origin + path, QUICK).sitemap();
    expect(sitemap).toBeInstanceOf(kind);
  });

  test('Raise SitemapXMLParsingException: it is the error of the InvalidSitemap, and costs the siblings nothing', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/books.xml`, `${origin}/a.xml`),
      '/books.xml': '<?xml version="1.0"?><books/>',
      '/a.xml': urlset('https://example.org/'),
    }));
    const tree = await treeOf(server, DECLARED);
    const [books, pages] = tree.subSitemaps[0]!.subSitemaps;
    expect(books).toMatchObject({ kind: 'invalid', code: 'not-a-sitemap' });
    expect((books as InvalidSitemap).error).toBeInstanceOf(SitemapXMLParsingException);
    expect((books as InvalidSitemap).reason).toContain('<books>');
    expect(pages!.pageCount).toBe(1);
  });

  test('Non-XML documents are parsed directly with their respective parser.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/list.txt`),
      '/list.txt': 'https://example.org/1\nhttps://example.org/2\n',
    }));
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-text /list.txt 2',
    ]);
  });

  test('For XML documents, the XMLSitemapParser parses the document to determine the type of the XML document and select the appropriate parser (the concrete parser) to actually extract information.', async () => {
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
    'XML documents are detected with a heuristic (the document, when leading whitespace is trimmed, starts with <) to avoid issues with incorrect content types. (%s)',
    async (type) => {
      const body = ` \r\n\t\n${urlset('https://example.org/')}`;
      const server = await siteOf(() => ({ '/list.txt': { body, headers: { 'content-type': type } } }));
      const sitemap = await new SitemapFetcher(`${server.origin}/list.txt`, QUICK).sitemap();
      expect(sitemap).toBeInstanceOf(PagesXMLSitemap);
      expect(sitemap.pageCount).toBe(1);
    },
  );

  test('Index-type parsers instantiate the appropriate class from usp.objects.sitemap and another SitemapFetcher to fetch each of their children.', async () => {
    const server = await siteOf((origin) => ({
      '/index.xml': index(`${origin}/a.xml`, `${origin}/b.xml`),
      '/a.xml': index(),
      '/b.xml': urlset('https://example.org/'),
    }));
    const sitemap = await new SitemapFetcher(`${server.origin}/index.xml`, QUICK).sitemap();
    expect(sitemap).toBeInstanceOf(IndexXMLSitemap);
    expect(sitemap.subSitemaps[0]).toBeInstanceOf(IndexXMLSitemap);
    expect(sitemap.subSitemaps[1]).toBeInstanceOf(PagesXMLSitemap);
  });

  test('This allows a sitemap of one type (e.g. robots.txt) to contain sitemaps of another type (e.g. XML).', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/index.xml`, `${origin}/list.txt`),
      '/index.xml': index(`${origin}/feed.rss`),
      '/feed.rss': RSS,
      '/list.txt': 'https://example.org/\n',
    }));
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /index.xml',
      '    pages-rss /feed.rss 1',
      '  pages-text /list.txt 1',
    ]);
  });

  test('Duplicate declarations of sub-sitemaps within the same index-type sitemap are ignored, but otherwise order is preserved.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/c.xml`, `${origin}/a.xml`, `${origin}/c.xml`),
      '/c.xml': index(`${origin}/z.xml`, `${origin}/y.xml`, `${origin}/z.xml`, `${origin}/x.xml`),
      '*': urlset('https://example.org/'),
    }));
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /c.xml',
      '    pages-xml /z.xml 1',
      '    pages-xml /y.xml 1',
      '    pages-xml /x.xml 1',
      '  pages-xml /a.xml 1',
    ]);
  });

  test('Page-type parsers instantiate the appropriate class from usp.objects.sitemap and instantiate instances of their internal page class … These are not converted to the public class SitemapPage until the end of the fetch process.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`),
      '/a.xml': urlset('https://example.org/'),
    }));
    // While fetching, a page document is only kept: no page exists before somebody asks, after the server has gone.
    const tree = await treeOf(server, DECLARED);
    await server.close();
    const [pages] = tree.subSitemaps[0]!.subSitemaps;
    expect(pages).toBeInstanceOf(PagesXMLSitemap);
    for (const page of pages!.pages) expect(page).toBeInstanceOf(SitemapPage);
    expect(pages!.pageCount).toBe(1);
  });

  test('The order sub-sitemaps or pages are declare in is preserved.', async () => {
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

describe('Tree Construction', () => {
  test('Each parser instance returns an object inheriting from AbstractSitemap after the parse process (including any child fetch-and-parses), constructing the tree from the bottom up.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/index.xml`, `${origin}/gone.xml`),
      '/index.xml': index(`${origin}/slow.xml`),
      '/slow.xml': { body: urlset('https://example.org/'), delayMs: 30 },
    }));
    const tree = await treeOf(server, DECLARED);
    const nodes = [tree, ...tree.allSitemaps()];
    expect(nodes).toHaveLength(5);
    for (const node of nodes) {
      expect(node).toBeInstanceOf(AbstractSitemap);
      expect(Object.isFrozen(node.subSitemaps)).toBe(true);
    }
  });

  test('The top IndexWebsiteSitemap is then created to act as the parent of robots.txt and all well-known-path discovered sitemaps.', async () => {
    const server = await siteOf(() => ({
      '/robots.txt': robots(),
      '/sitemap.xml': urlset('https://example.org/1'),
      '/sitemap_news.xml': urlset('https://example.org/2'),
    }));
    const tree = await treeOf(server);
    expect(tree).toBeInstanceOf(IndexWebsiteSitemap);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      'pages-xml /sitemap.xml 1',
      'pages-xml /sitemap_news.xml 1',
    ]);
  });
});

describe('Tree Filtering', () => {
  const multilingual = (origin: string) => ({
    '/robots.txt': robots(`${origin}/en/a.xml`, `${origin}/de/a.xml`, `${origin}/en/b.xml`),
    '*': urlset('https://example.org/'),
  });

  test('To avoid fetching parts of the sitemap tree that are unwanted, callback functions to filter sub-sitemaps to retrieve can be passed to sitemap_tree_for_homepage().', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/sitemap.xml`, `${origin}/wanted.xml`),
      '/sitemap.xml': urlset('https://example.org/unwanted'),
      '/wanted.xml': urlset('https://example.org/wanted'),
    }));
    const tree = await treeOf(server, { ...QUICK, recurseCallback: (url) => url.includes('wanted') });
    expect(urlsOf(tree.allPages())).toEqual(['https://example.org/wanted']);
    expect(server.paths()).not.toContain('/sitemap.xml');
  });

  test('If a recurse_callback is passed, it will be called with the sub-sitemap URLs one at a time and should return True to fetch or False to skip.', async () => {
    const server = await siteOf(multilingual);
    const asked: string[] = [];
    const tree = await treeOf(server, {
      ...DECLARED,
      recurseCallback: (url) => {
        asked.push(url.replace(server.origin, ''));
        return !url.endsWith('b.xml');
      },
    });
    expect(asked).toEqual(['/en/a.xml', '/de/a.xml', '/en/b.xml']);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /en/a.xml 1',
      '  pages-xml /de/a.xml 1',
    ]);
    expect(server.paths()).not.toContain('/en/b.xml');
  });

  test('For example, on a multi-lingual site where the language is specified in the URL path, to filter to a specific language', async () => {
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

  test('If recurse_list_callback is passed, it will be called with the list of sub-sitemap URLs in an index sitemap and should return a filtered list of URLs to fetch.', async () => {
    const server = await siteOf(multilingual);
    const asked: (readonly string[])[] = [];
    const tree = await treeOf(server, {
      ...DECLARED,
      recurseListCallback: (urls) => {
        asked.push(urls.map((url) => url.replace(server.origin, '')));
        return urls.slice(0, 1);
      },
    });
    expect(asked).toEqual([['/en/a.xml', '/de/a.xml', '/en/b.xml']]);
    expect(outline(tree, server)).toEqual(['robots-txt /robots.txt', '  pages-xml /en/a.xml 1']);
    expect(server.paths().sort()).toEqual(['/en/a.xml', '/robots.txt']);
  });

  test.each([
    [['blog', 'products', 'about'], 3],
    [['blog', 'about'], 0],
  ])(
    'For example, to only fetch sub-sitemaps if the index sitemap contains both a “blog” and “products” sub-sitemap (%j)',
    async (names, count) => {
      const server = await siteOf((origin) => ({
        '/robots.txt': robots(...names.map((name) => `${origin}/${name}.xml`)),
        '*': urlset('https://example.org/'),
      }));
      const tree = await treeOf(server, {
        ...DECLARED,
        recurseListCallback: (urls) =>
          urls.some((url) => url.includes('blog')) && urls.some((url) => url.includes('products'))
            ? urls
            : [],
      });
      expect(tree.subSitemaps[0]!.subSitemaps).toHaveLength(count);
    },
  );

  test('If either callback is not supplied, the default behaviour is to fetch all sub-sitemaps.', async () => {
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

  test('Both callbacks can be used together, and are applied in the order recurse_list_callback then recurse_callback.', async () => {
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

  test('Therefore if a sub-sitemap URL is filtered out by recurse_list_callback, it will not be fetched even if recurse_callback would return True.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/index.xml`),
      // Also at a known place: what is filtered must not come in by another door.
      '/index.xml': index(`${origin}/sitemap.xml`, `${origin}/b.xml`),
      '*': urlset('https://example.org/'),
    }));
    const tree = await treeOf(server, {
      ...QUICK,
      recurseListCallback: (urls) => urls.filter((url) => !url.endsWith('sitemap.xml')),
      recurseCallback: () => true,
    });
    expect(server.paths()).not.toContain('/sitemap.xml');
    expect([...tree.allSitemaps()].map(({ url }) => url)).not.toContain(`${server.origin}/sitemap.xml`);
  });
});

describe('Deduplication', () => {
  test('During the parse process, some de-duplication is performed within each individual sitemap.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`, `${origin}/a.xml`),
      '/a.xml': urlset('https://example.org/1', 'https://example.org/1'),
    }));
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /a.xml 1',
    ]);
  });

  test('In an index sitemap, only the first declaration of a sub-sitemap is fetched.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/index.xml`),
      '/index.xml': index(`${origin}/a.xml`, `${origin}/b.xml`, `${origin}/a.xml`),
      '*': urlset('https://example.org/'),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(urlsOf(tree.subSitemaps[0]!.subSitemaps[0]!.subSitemaps)).toEqual([
      `${server.origin}/a.xml`,
      `${server.origin}/b.xml`,
    ]);
    expect(timesAsked(server, '/a.xml')).toBe(1);
  });

  test('In a page sitemap, only the first declaration of a page is included.', async () => {
    const entry = (loc: string, priority: number): string =>
      `<url><loc>https://example.org/${loc}</loc><priority>${priority}</priority></url>`;
    const server = await siteOf(() => ({
      '/a.xml': urlset().replace(
        '</urlset>',
        `${entry('1', 0.1)}${entry('2', 0.2)}${entry('1', 0.9)}</urlset>`,
      ),
    }));
    const sitemap = await new SitemapFetcher(`${server.origin}/a.xml`, QUICK).sitemap();
    expect(Array.from(sitemap.pages, ({ url, priority }) => [url, priority])).toEqual([
      ['https://example.org/1', 0.1],
      ['https://example.org/2', 0.2],
    ]);
  });

  test('However, this means that if a sub-sitemap is declared in multiple index sitemaps, or a page is declared in multiple page sitemaps, it will be included multiple times.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/1.xml`, `${origin}/2.xml`),
      '/1.xml': index(`${origin}/a.xml`, `${origin}/b.xml`),
      '/2.xml': index(`${origin}/a.xml`),
      '/a.xml': urlset('https://example.org/1'),
      '/b.xml': urlset('https://example.org/1'),
    }));
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

describe('Recursion is detected in the following cases, and will result in the sitemap being returned as an InvalidSitemap:', () => {
  test('A sitemap’s URL is identical to any of its ancestor sitemaps’ URLs.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`),
      '/a.xml': index(`${origin}/b.xml`),
      '/b.xml': index(`${origin}/a.xml`),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /a.xml',
      '    index-xml /b.xml',
      '      invalid /a.xml recursion',
    ]);
    expect([...tree.allSitemaps()].at(-1)).toBeInstanceOf(InvalidSitemap);
  });

  test('When fetched, a sitemap redirects to a URL that is identical to any of its ancestor sitemaps’ URLs.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/a.xml`),
      '/a.xml': index(`${origin}/b.xml`),
      '/b.xml': { redirect: '/a.xml' },
    }));
    expect(outline(await treeOf(server, DECLARED), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /a.xml',
      '    invalid /b.xml recursion',
    ]);
  });

  test('When fetching known site map locations, a sitemap redirects to a sitemap already parsed from robots.txt.', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(`${origin}/real.xml`),
      '/real.xml': urlset('https://example.org/'),
      '/sitemap.xml': { redirect: '/real.xml' },
    }));
    // Known places that are invalid are left out (BEHAVIOUR §1.4).
    expect(outline(await treeOf(server), server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /real.xml 1',
    ]);
  });
});

test('the example of the text runs', async () => {
  const server = await siteOf((origin) => ({
    '/robots.txt': robots(`${origin}/en/a.xml`, `${origin}/de/a.xml`),
    '*': urlset('https://example.org/'),
  }));
  using tree = await sitemapTreeForHomepage(server.origin, {
    ...DECLARED,
    recurseCallback: (url) => url.includes('/en/'),
  });
  expect(tree.subSitemaps[0]!.subSitemaps).toHaveLength(1);
});
