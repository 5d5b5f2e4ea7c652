/** Specification §9, end to end: a whole crawl, with the guard's resolver in the hands of the test. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { Crawl } from '../../src/crawl/node-crawl.ts';
import { sitemapsOfSite } from '../../src/crawl/site.ts';
import { createNetwork } from '../../src/fetch/network.ts';
import { IndexWebsiteSitemap, type Sitemap, sitemapTreeForHomepage } from '../../src/index.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import { treeNodes } from '../../src/read/outcome.ts';
import { EntryAllowance } from '../../src/read/reader.ts';
import { SpoolingReader } from '../../src/read/spooling-reader.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { isPublicAddress } from '../../src/url.ts';
import { DECLARED, siteOf } from '../support/crawled-site.ts';
import { robots, urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';

const page = urlset('https://example.org/');

/** The world of these tests has loopback only, so a part of it plays the public internet: 127.0.1.x. */
const PUBLIC = '127.0.1.1';

/** `sitemapTreeForHomepage` in a world of a few host names. */
async function treeInWorld(homepage: string, names: Record<string, string>): Promise<IndexWebsiteSitemap> {
  const options = resolveOptions(DECLARED, 'tree');
  const spool = new Spool({ memoryBytes: 1e6 });
  const crawl = new Crawl<Sitemap>(new URL(homepage), options, () => ({
    network: createNetwork(options, {
      isPublic: (address) => address.startsWith('127.0.1.') || isPublicAddress(address),
      resolve: async (name) => {
        const address = names[name];
        if (address === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
        return [{ address, family: 4 }];
      },
      environment: {},
    }),
    reader: new SpoolingReader({
      spool,
      onPages: undefined,
      allowance: new EntryAllowance(1000, { isFiltered: false }),
    }),
    nodes: treeNodes,
  }));
  onTestFinished(() => crawl.close());
  const { nodes, problems, complete } = await sitemapsOfSite(crawl);
  return new IndexWebsiteSitemap({ url: homepage, subSitemaps: nodes, problems, complete, documents: spool });
}

describe('§9 a localhost site', () => {
  test('may list production URLs, and may not reach another local port', async () => {
    const production = await serving({ '/a.xml': page }, { address: PUBLIC });
    const neighbour = await serving({ '*': page });
    const server = await siteOf({});
    Object.assign(server.site, {
      '/robots.txt': robots(
        `http://www.example.test:${production.port}/a.xml`,
        `http://localhost:${neighbour.port}/secret.xml`,
        `http://127.0.0.1:${neighbour.port}/secret.xml`,
        // Its own port, by another name.
        `http://127.0.0.1:${server.port}/own.xml`,
        'http://10.0.0.1/secret.xml',
        `http://localhost:${server.port}/own.xml`,
        `http://localhost:${server.port}/to-neighbour.xml`,
        `http://localhost:${server.port}/to-production.xml`,
      ),
      '/own.xml': page,
      '/to-neighbour.xml': { redirect: `http://localhost:${neighbour.port}/secret.xml` },
      '/to-production.xml': { redirect: `http://www.example.test:${production.port}/a.xml` },
    });
    const home = `http://localhost:${server.port}/`;
    const tree = await treeInWorld(home, { localhost: '127.0.0.1', 'www.example.test': PUBLIC });
    const found = tree.subSitemaps[0]!.subSitemaps.map(
      (node) => `${node.kind} ${node.code ?? node.pageCount}`,
    );
    expect(found).toEqual([
      'pages-xml 1',
      'invalid private-network',
      'invalid private-network',
      'invalid private-network',
      'invalid private-network',
      'pages-xml 1',
      'invalid private-network',
      'pages-xml 1',
    ]);
    expect(neighbour.connections).toBe(0);
  });
});

describe('§9 a public site', () => {
  test('whose child, redirect or DNS record points inside is refused before a byte is sent', async () => {
    const inside = await serving({ '*': page });
    const outside = await serving({}, { address: PUBLIC });
    const site = `http://site.test:${outside.port}`;
    Object.assign(outside.site, {
      '/robots.txt': robots(
        `http://127.0.0.1:${inside.port}/1.xml`,
        `http://2130706433:${inside.port}/2.xml`,
        `http://0x7f.1:${inside.port}/3.xml`,
        `http://0177.0.0.1:${inside.port}/4.xml`,
        `http://[::ffff:127.0.0.1]:${inside.port}/5.xml`,
        `http://localhost:${inside.port}/6.xml`,
        'http://169.254.169.254/latest/meta-data',
        'http://100.64.0.1/7.xml',
        `http://rebound.test:${inside.port}/8.xml`,
        `${site}/redirect.xml`,
        `${site}/good.xml`,
      ),
      '/redirect.xml': { redirect: `http://127.0.0.1:${inside.port}/9.xml` },
      '/good.xml': page,
    });
    const tree = await treeInWorld(`${site}/`, {
      'site.test': PUBLIC,
      'rebound.test': '127.0.0.1',
      localhost: '127.0.0.1',
    });
    const children = tree.subSitemaps[0]!.subSitemaps;
    expect(children).toHaveLength(11);
    for (const child of children.slice(0, -1))
      expect(child).toMatchObject({ kind: 'invalid', code: 'private-network' });
    expect(children.at(-1)).toMatchObject({ kind: 'pages-xml', pageCount: 1 });
    expect(inside.connections).toBe(0);
  });
});

describe('§9 behind a custom client', () => {
  test('only literals can be checked: a localhost site may list production URLs', async () => {
    const asked: string[] = [];
    const site: Record<string, string> = {
      'http://localhost:3000/robots.txt': robots(
        'https://www.example.org/a.xml',
        'http://localhost:4000/b.xml',
        'http://192.168.1.1/c.xml',
      ),
      'https://www.example.org/a.xml': page,
    };
    const tree = await sitemapTreeForHomepage('http://localhost:3000', {
      retries: 0,
      useKnownPaths: false,
      webClient: async (url) => {
        asked.push(url);
        return new Response(site[url] ?? '', { status: site[url] === undefined ? 404 : 200 });
      },
    });
    expect(tree.subSitemaps[0]!.subSitemaps.map((node) => node.code ?? node.kind)).toEqual([
      'pages-xml',
      'private-network',
      'private-network',
    ]);
    expect(asked.sort()).toEqual(Object.keys(site).sort());
    tree.close();
  });
});
