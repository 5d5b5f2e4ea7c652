/** The process in docs/specification.md: the two callbacks (P4). */
import { describe, expect, test } from 'vitest';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, outline, QUICK, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';
import { statement } from '../support/docs-statements.ts';
import { robots, urlset } from '../support/documents.ts';

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
