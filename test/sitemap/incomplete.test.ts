/**
 * What trees and streams say about sitemaps that were read, but not as a whole, and about options that would change it.
 */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type SitemapProgress,
  sitemapFromString,
  sitemapTreeForHomepage,
  streamPages,
  walkTree,
} from '../../src/index.ts';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { urlset } from '../support/documents.ts';

async function site(): Promise<ScriptedServer> {
  const server = await startServer({});
  const { origin } = server;
  const pages = Array.from({ length: 3000 }, (_, n) => `${origin}/${(n * 7919) % 10_007}`);
  const whole = gzipSync(urlset(...pages));
  Object.assign(server.site, {
    '/robots.txt': ['/index.xml'],
    '/index.xml': ['/a.xml.gz', '/b.xml', '/ok.xml', '/gone.xml'],
    '/a.xml.gz': { body: whole.subarray(0, Math.floor(whole.length / 2)) },
    '/b.xml': urlset(`${origin}/1`, `${origin}/2?a&b`).slice(0, -15),
    '/ok.xml': { pages: ['/3?a&b'] },
    '/gone.xml': { status: 410 },
  });
  return server;
}

const options = { useKnownPaths: false };

describe('a tree', () => {
  test('truncated, bytes and status are on the node', async () => {
    await using server = await site();
    const tree = await sitemapTreeForHomepage(server.origin, options);
    const nodes = [...walkTree(tree)].map(({ sitemap }) => sitemap);
    const facts = Object.fromEntries(
      nodes.map(({ url, truncated, status, bytes }) => [new URL(url).pathname, { truncated, status, bytes }]),
    );
    expect(facts).toMatchObject({
      '/index.xml': { truncated: false, status: 200, bytes: expect.any(Number) },
      '/a.xml.gz': { truncated: true, status: 200 },
      '/b.xml': { truncated: true, status: 200, bytes: String(server.site['/b.xml']).length },
      '/ok.xml': { truncated: false, status: 200 },
      '/gone.xml': { truncated: false, status: 410, bytes: undefined },
    });
    tree.close();
  });
});

describe('a stream', () => {
  test('incompleteSitemaps names every truncated sitemap and says what is missing', async () => {
    await using server = await site();
    const stream = streamPages(server.origin, options);
    for await (const _ of stream.batches());
    const { origin } = server;
    const found = stream.incompleteSitemaps.map(({ url, problems }) => [
      url,
      problems.map(({ code }) => code),
    ]);
    expect(found.sort()).toEqual([
      [`${origin}/a.xml.gz`, expect.arrayContaining(['gzip-truncated'])],
      [`${origin}/b.xml`, ['truncated']],
    ]);
    expect(stream.complete).toBe(false);
  });

  test('an index with children left out is among them', async () => {
    await using server = await site();
    const stream = streamPages(server.origin, { ...options, maxSitemaps: 3 });
    for await (const _ of stream.batches());
    const index = stream.incompleteSitemaps.find(({ url }) => url.endsWith('/index.xml'));
    expect(index?.problems).toMatchObject([{ code: 'too-many-sitemaps', option: 'maxSitemaps' }]);
  });

  test('the problems of each document are reported as it ends', async () => {
    await using server = await site();
    const events: SitemapProgress[] = [];
    const stream = streamPages(server.origin, { ...options, onProgress: (event) => events.push(event) });
    for await (const _ of stream.batches());
    const reported = events.filter((event) => event.type === 'problems');
    const codes = Object.fromEntries(
      reported.map(({ url, problems }) => [new URL(url).pathname, problems.map(({ code }) => code)]),
    );
    expect(codes).toMatchObject({
      '/a.xml.gz': expect.arrayContaining(['gzip-truncated']),
      '/b.xml': expect.arrayContaining(['bare-ampersand', 'truncated']),
      '/ok.xml': ['bare-ampersand'],
    });
    expect(reported.every(({ problemCount, problems }) => problemCount >= problems.length)).toBe(true);
  });
});

describe('the option that would change it', () => {
  test('is on an unreadable sitemap', async () => {
    await using server = await startServer({});
    const { origin } = server;
    server.site['/robots.txt'] = `Sitemap: ${origin}/index.xml\nSitemap: http://10.0.0.1/private.xml`;
    server.site['/index.xml'] = ['/deep.xml'];
    const tree = await sitemapTreeForHomepage(origin, { ...options, maxDepth: 1 });
    const found = [...tree.allSitemaps()].map((node) =>
      node.kind === 'invalid' ? [node.code, node.option] : [],
    );
    expect(found).toContainEqual(['max-depth', 'maxDepth']);
    expect(found).toContainEqual(['private-network', 'allowPrivateNetworks']);
    expect(JSON.stringify(tree)).toContain('"option":"maxDepth"');
    tree.close();
  });

  test('is on a problem', async () => {
    const relative = await sitemapFromString(urlset('/1'));
    expect(relative.problems).toMatchObject([{ code: 'unresolvable-url', option: 'url' }]);
    const large = await sitemapFromString(urlset('https://a.example/1'), { maxSitemapBytes: 80 });
    expect(large.problems[0]).toMatchObject({ code: 'too-large', option: 'maxSitemapBytes' });
  });
});
