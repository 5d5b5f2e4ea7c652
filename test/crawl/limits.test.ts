/** Specification §8: a limit throws nothing away; what was found stays, and the result says what stopped it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkTree } from '../../src/check/check-tree.ts';
import { Limits } from '../../src/crawl/limits.ts';
import {
  type IndexWebsiteSitemap,
  type InvalidSitemap,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import type { Site } from '../server/scripted-server.ts';
import { describeIf } from '../support/collected.ts';
import { codesOf, DECLARED, outline, QUICK, siteOf, streamed, treeOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { withMoreTime } from '../support/more-time.ts';
import { isFull, sized } from '../support/tier.ts';

/** What tests of processes run. */
const BUILT = new URL('../../.build/index.js', import.meta.url).href;

const page = urlset('https://example.org/');
const wide = (count: number) => (origin: string) => ({
  '/robots.txt': ['/index.xml'],
  '/index.xml': index(...Array.from({ length: count }, (_, at) => `${origin}/s${at}.xml`)),
  '*': page,
});

describe('§8 maxSitemaps counts nodes of the tree', () => {
  test('past it, children get no node, and their index one problem with their number', async () => {
    const server = await siteOf(wide(10));
    const tree = await treeOf(server, { ...DECLARED, maxSitemaps: 5 });
    expect([...tree.allSitemaps()]).toHaveLength(5);
    const full = tree.subSitemaps[0]!.subSitemaps[0]!;
    expect(full.subSitemaps).toHaveLength(3);
    expect(codesOf(full.problems)).toEqual(['too-many-sitemaps']);
    expect(full.problems[0]!.message).toContain('7 of its 10');
    expect(tree.stopped).toEqual({ limit: 'maxSitemaps', message: expect.stringContaining('maxSitemaps') });
    expect(tree.complete).toBe(false);
    expect(server.paths()).not.toContain('/s9.xml');
  });

  test('a place that a document of the earlier tree has taken is not kept for it any longer', async () => {
    const server = await siteOf(wide(6));
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, wide(12)(server.origin));
    const options = { ...DECLARED, previous, staleIfError: true, maxSitemaps: 14 };
    const tree = await treeOf(server, options);
    expect(tree).toMatchObject({ complete: true, stopped: undefined });
    expect([...tree.allPages()]).toHaveLength(12);
  });

  test('a document of the earlier tree that has a second place now takes no place of another one', async () => {
    const server = await siteOf({ '/robots.txt': ['/i1.xml'], '/i1.xml': ['/a.xml'], '/a.xml': page });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, {
      '/robots.txt': ['/i1.xml', '/i2.xml'],
      '/i2.xml': ['/a.xml'],
      '/sitemap.xml': page,
    });
    const tree = await treeOf(server, { ...QUICK, previous, staleIfError: true, maxSitemaps: 5 });
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /i1.xml',
      '    pages-xml /a.xml 1',
      '  index-xml /i2.xml',
      '    pages-xml /a.xml 1',
    ]);
    expect(codesOf(tree.problems)).toEqual(['too-many-sitemaps']);
    expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxSitemaps' } });
  });

  test('a new child that has no place leaves those behind it theirs, which the earlier tree has', async () => {
    const server = await siteOf({
      '/robots.txt': ['/i1.xml'],
      '/i1.xml': ['/a.xml', '/b.xml'],
      '*': page,
    });
    const previous = await treeOf(server, DECLARED);
    server.site['/i1.xml'] = ['/new.xml', '/a.xml', '/b.xml'];
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true, maxSitemaps: 4 });
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /i1.xml',
      '    pages-xml /a.xml 1',
      '    pages-xml /b.xml 1',
    ]);
    const problems = [...tree.allSitemaps()].flatMap((node) => node.problems);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('1 of its 3 sitemaps were left out'),
    ]);
    expect(tree.problems).toEqual([]);
  });

  test('a limit of exactly as many as there are changes nothing', async () => {
    const server = await siteOf(wide(10));
    const tree = await treeOf(server, { ...DECLARED, maxSitemaps: 12 });
    expect(tree).toMatchObject({ complete: true, stopped: undefined });
    expect([...tree.allSitemaps()]).toHaveLength(12);
  });

  test('known paths that have no place any more are counted on the root', async () => {
    const server = await siteOf((origin) => ({
      ...wide(3)(origin),
      '*': { status: 404 },
      '/sitemap.xml': page,
      '/sitemap.txt': page,
    }));
    const tree = await treeOf(server, { ...QUICK, maxSitemaps: 5 });
    expect(tree.subSitemaps.map(({ kind }) => kind)).toEqual(['robots-txt']);
    expect(codesOf(tree.problems)).toEqual(['too-many-sitemaps']);
    expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxSitemaps' } });
  });

  test('shared documents count at each place', async () => {
    const server = await siteOf({
      '/robots.txt': ['/1.xml', '/2.xml', '/3.xml'],
      '/1.xml': ['/a.xml'],
      '/2.xml': ['/a.xml'],
      '/3.xml': ['/a.xml'],
      '/a.xml': page,
    });
    expect([...(await treeOf(server, { ...DECLARED, maxSitemaps: 6 })).allSitemaps()]).toHaveLength(6);
    expect((await treeOf(server, { ...DECLARED, maxSitemaps: 7 })).stopped).toBeUndefined();
  });

  test('the stream too', async () => {
    const server = await siteOf(wide(10));
    const stream = streamPages(server.origin, { ...DECLARED, maxSitemaps: 5 });
    let pages = 0;
    for await (const _ of stream) pages++;
    expect(pages).toBe(3);
    expect(stream).toMatchObject({ complete: false, stopped: { limit: 'maxSitemaps' } });
  });

  test('sitemapFromUrl too: the index says how many are missing', async () => {
    const server = await siteOf(wide(10));
    const sitemap = await sitemapFromUrl(`${server.origin}/index.xml`, { ...QUICK, maxSitemaps: 4 });
    expect(sitemap.subSitemaps).toHaveLength(3);
    expect(codesOf(sitemap.problems)).toEqual(['too-many-sitemaps']);
  });
});

describe('§8 a few indexes that list each other in every order make a tree without end', () => {
  // Eleven levels of fifty indexes; each lists all fifty of the next level: 50^11 nodes.
  const LEVELS = 11;
  const WIDTH = 50;
  // The default in the full tier.
  const NODES = sized({ fast: 1_500, full: 50_000 });
  const OPTIONS = { ...DECLARED, ...sized({ fast: { maxSitemaps: NODES }, full: {} }) };
  const lattice = (origin: string) => {
    const level = (number: number): string =>
      index(...Array.from({ length: WIDTH }, (_, at) => `${origin}/${number}-${at}.xml`));
    const bodies = Array.from({ length: LEVELS + 1 }, (_, at) => (at === LEVELS ? page : level(at + 1)));
    return {
      '/robots.txt': robots(...Array.from({ length: WIDTH }, (_, at) => `${origin}/1-${at}.xml`)),
      '*': ({ path }: { path: string }) => bodies[Number(/^\/(\d+)-/.exec(path)?.[1] ?? 0)] ?? '',
    };
  };

  test('it ends, at the limit, after few requests and in little memory', async () => {
    const server = await siteOf(lattice);
    const before = process.memoryUsage().heapUsed;
    const tree = await treeOf(server, OPTIONS);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300e6);
    let nodes = 0;
    for (const _ of tree.allSitemaps()) nodes++;
    expect(nodes).toBe(NODES);
    expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxSitemaps' } });
    expect(server.requests.length).toBeLessThanOrEqual(1 + LEVELS * WIDTH);
  });

  test('as a stream as well', async () => {
    const server = await siteOf(lattice);
    const stream = streamPages(server.origin, { ...DECLARED, maxSitemaps: 1_500 });
    for await (const _ of stream);
    expect(stream.stopped).toMatchObject({ limit: 'maxSitemaps' });
    expect(server.requests.length).toBeLessThanOrEqual(1 + LEVELS * WIDTH);
  });
});

// The limit is 100 MB. In the fast tier test/read/reader.test.ts counts to it without a crawl.
describeIf(isFull, '§8 the children of indexes are kept up to a limit in bytes', () => {
  const INDEXES = 16;
  test(`long URLs count for what they are: ${INDEXES} indexes of 8 MB each do not add up`, async () => {
    const long = (origin: string, at: number): string =>
      index(...Array.from({ length: 4000 }, (_, n) => `${origin}/${at}/${n}-${'x'.repeat(2000)}.xml`));
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...Array.from({ length: INDEXES }, (_, at) => `${origin}/${at}.xml`)),
      '*': ({ path }: { path: string }) =>
        /^\/\d+\.xml$/.test(path) ? long(origin, Number.parseInt(path.slice(1), 10)) : page,
    }));
    const tree = await treeOf(server, { ...DECLARED, maxSitemaps: 100 });
    expect(tree.stopped?.limit).toBe('maxSitemaps');
    const [robotsTxt] = tree.subSitemaps;
    const declared = robotsTxt?.subSitemaps.map(({ problems }) => problems[0]?.message) ?? [];
    // The last indexes found no room for any of their children, and say how many they have.
    expect(declared.at(-1)).toContain('4000 of its 4000 sitemaps were left out');
  });
});

/** The rules of all findings. */
async function checked(tree: IndexWebsiteSitemap): Promise<readonly string[]> {
  const rules: string[] = [];
  for await (const { rule } of checkTree(tree)) rules.push(rule);
  return rules;
}

describe('§8 maxTimeMs', () => {
  const slow: Site = {
    '/robots.txt': ['/fast.xml', '/never.xml', '/stalled.xml', '/index.xml'],
    '/fast.xml': page,
    '/never.xml': { silent: true },
    '/stalled.xml': { body: page.repeat(3), stallAfter: 100 },
    '/index.xml': { body: ['/later.xml'], delayMs: 20 },
    '/later.xml': { silent: true },
  };

  test('the call resolves: what was not fetched is an InvalidSitemap with code limit, and the root carries stopped', async () => {
    const server = await siteOf(slow);
    await withMoreTime([400, 4_000, 40_000], async (maxTimeMs) => {
      const tree = await treeOf(server, { ...DECLARED, maxTimeMs });
      expect(outline(tree, server)).toEqual([
        'robots-txt /robots.txt',
        '  pages-xml /fast.xml 1',
        '  invalid /never.xml limit',
        '  pages-xml /stalled.xml',
        '  index-xml /index.xml',
        '    invalid /later.xml limit',
      ]);
      expect(tree.stopped).toEqual({
        limit: 'maxTimeMs',
        message: expect.stringContaining(`${maxTimeMs} ms`),
      });
      expect(tree.complete).toBe(false);
      expect((tree.subSitemaps[0]!.subSitemaps[1] as InvalidSitemap).reason).toContain('/never.xml');
      await server.allSocketsClosed();
    });
  });

  test('before robots.txt has responded', async () => {
    const server = await siteOf({ '*': { silent: true } });
    const tree = await treeOf(server, { ...QUICK, maxTimeMs: 100 });
    expect(tree).toMatchObject({ subSitemaps: [], complete: false, stopped: { limit: 'maxTimeMs' } });
    await server.allSocketsClosed();
  });

  test.each([
    { '/': { silent: true } },
    { '/': { body: '<html>'.repeat(100), stallAfter: 100 } },
    { '/robots.txt': { silent: true } },
  ])('while the homepage is read for its links: %j', async (site) => {
    const server = await siteOf(site);
    const tree = await treeOf(server, { ...DECLARED, useHomepageLinks: true, maxTimeMs: 150 });
    expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxTimeMs' } });
    await server.allSocketsClosed();
  });

  test('while a document that has arrived is parsed to see whether it is a sitemap', async () => {
    // Long enough to parse, and short to arrive.
    const lines = gzipSync(Buffer.alloc(sized({ fast: 24_000_000, full: 60_000_000 }), 'x\n'));
    const server = await siteOf({ '/robots.txt': ['/lines.txt'], '/lines.txt': { body: lines } });
    await withMoreTime([600, 200, 2_000, 6_000], async (maxTimeMs) => {
      const tree = await treeOf(server, { ...DECLARED, maxTimeMs });
      expect(tree.stopped?.limit).toBe('maxTimeMs');
      expect(tree.subSitemaps[0]?.subSitemaps[0]).toMatchObject({ kind: 'invalid', code: 'limit' });
    });
  });

  test('while backing off and while waiting for a slot', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...[1, 2, 3].map((n) => `${origin}/${n}.xml`)),
      '*': { status: 503 },
    }));
    await withMoreTime([900, 1_300, 900, 1_300], async (maxTimeMs) => {
      // Three first attempts fit into this time, at the pace of a host that refuses; a second one does not.
      const tree = await treeOf(server, { ...DECLARED, retries: 4, concurrency: 1, maxTimeMs });
      for (const { code, reason, error } of tree.subSitemaps[0]!.subSitemaps as InvalidSitemap[]) {
        expect([code, reason]).toEqual([
          'limit',
          expect.stringMatching(/ and its first attempt had failed: the server responded with 503 .*\.$/),
        ]);
        expect(error).toMatchObject({ code: 'limit' });
      }
    });
  });

  test('what had its turn says how far it had come, and the rest that it had none', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...[1, 2, 3].map((n) => `${origin}/${n}.xml`)),
      // So little of it does not say what it is.
      '/1.xml': { body: `<!--${' '.repeat(5000)}-->`, stallAfter: 2000 },
      '*': { silent: true },
    }));
    await withMoreTime([300, 3_000, 30_000], async (maxTimeMs) => {
      const tree = await treeOf(server, { ...DECLARED, concurrency: 2, maxTimeMs });
      const nodes = tree.subSitemaps[0]!.subSitemaps as InvalidSitemap[];
      expect(nodes.map(({ reason, error }) => [reason.split(', and ')[1], error !== undefined])).toEqual([
        ['2000 bytes of it had arrived.', true],
        ['nothing of it had arrived.', true],
        ['its turn had not come.', false],
      ]);
    });
  });

  const numbered = Array.from({ length: 300 }, (_, at) => `https://example.org/${at}`);
  const whole = urlset(...numbered);
  const half = Math.floor(whole.length / 2);
  /** Documents that are arriving when the time is over: each has its first pages by then. */
  const arriving = (origin: string): Site => ({
    '/robots.txt': robots(
      ...['a.xml', 'b.xml.gz', 'c.txt', 'd.xml', 'index.xml'].map((name) => `${origin}/${name}`),
    ),
    '/a.xml': { body: whole, stallAfter: half },
    '/b.xml.gz': { body: whole, gzip: true, stallAfter: Math.floor(gzipSync(whole).length / 2) },
    '/c.txt': { body: numbered.join('\n'), stallAfter: 1000 },
    // It breaks, and the next attempt waits.
    '/d.xml': { body: whole, resetAfter: half },
    '/index.xml': { body: index(`${origin}/never.xml`).padEnd(1000), stallAfter: 500 },
    '/never.xml': { silent: true },
  });
  const CUT = {
    code: 'cut-by-limit',
    option: 'maxTimeMs',
    message: expect.stringMatching(/over \(maxTimeMs\)\.$/),
  };

  test('a tree keeps what had arrived of a document, as sitemapTimeoutMs does', async () => {
    const server = await siteOf(arriving);
    await withMoreTime([900, 3_000, 9_000], async (maxTimeMs) => {
      const tree = await treeOf(server, { ...DECLARED, retries: 20, maxTimeMs });
      expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxTimeMs' } });
      const [robotsTxt] = tree.subSitemaps;
      for (const node of robotsTxt!.subSitemaps) {
        expect(node).toMatchObject({
          truncated: true,
          problems: expect.arrayContaining([expect.objectContaining(CUT)]),
        });
      }
      const [a, b, c, d, cutIndex] = robotsTxt!.subSitemaps;
      for (const { pages } of [a!, b!, c!, d!]) {
        const urls = [...pages].map(({ url }) => url);
        expect(urls.length).toBeGreaterThan(10);
        expect(urls).toEqual(numbered.slice(0, urls.length));
      }
      expect(cutIndex?.subSitemaps).toMatchObject([{ kind: 'invalid', code: 'limit' }]);
      const check = await checked(tree);
      expect(check.filter((rule) => ['truncated', 'connection-broke'].includes(rule))).toEqual([]);
      await server.allSocketsClosed();
    });
  });

  test('sitemaps whose pages a stream has handed out are incomplete, not invalid', async () => {
    const server = await siteOf(arriving);
    await withMoreTime([900, 3_000, 9_000], async (maxTimeMs) => {
      const stream = streamPages(server.origin, { ...DECLARED, retries: 20, maxTimeMs });
      const from = new Set<string>();
      for await (const { sitemap } of stream) from.add(sitemap.url);
      const cut = stream.incompleteSitemaps;
      expect([...from].sort()).toEqual(
        ['a.xml', 'b.xml.gz', 'c.txt', 'd.xml'].map((name) => `${server.origin}/${name}`),
      );
      expect(cut.map(({ url }) => url).sort()).toEqual([...from, `${server.origin}/index.xml`].sort());
      for (const { problems } of cut) expect(problems).toContainEqual(expect.objectContaining(CUT));
      expect(stream.invalidSitemaps.map(({ url }) => url)).toEqual([`${server.origin}/never.xml`]);
    });
  });

  test('what had arrived never replaces a whole document of an earlier tree', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': whole });
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = { body: whole.replaceAll('/1', '/x'), stallAfter: half };
    await withMoreTime([400, 4_000, 40_000], async (maxTimeMs) => {
      const options = { ...DECLARED, maxTimeMs, previous, staleIfError: true };
      const tree = await treeOf(server, options);
      expect([...tree.allPages()].map(({ url }) => url)).toEqual(numbered);
      expect(tree.subSitemaps[0]!.subSitemaps[0]).toMatchObject({ freshness: 'stale', truncated: false });
      // Pages that a stream has handed out cannot be taken back, and none comes twice.
      const stream = streamPages(server.origin, options);
      const urls: string[] = [];
      for await (const { page } of stream) urls.push(page.url);
      expect(urls.length).toBeGreaterThan(10);
      expect(urls.length).toBeLessThan(numbered.length);
      expect(stream.incompleteSitemaps).toHaveLength(1);
    });
  });

  test('a stream keeps what it yielded, and ends', async () => {
    const server = await siteOf(slow);
    await withMoreTime([300, 3_000, 30_000], async (maxTimeMs) => {
      const stream = streamPages(server.origin, { ...DECLARED, maxTimeMs });
      const pages = [];
      for await (const { page } of stream) pages.push(page.url);
      expect(pages.length).toBeGreaterThanOrEqual(1);
      expect(stream.stopped).toMatchObject({ limit: 'maxTimeMs' });
      expect(stream.complete).toBe(false);
      expect(new Set(stream.invalidSitemaps.map(({ code }) => code))).toEqual(new Set(['limit']));
      await server.allSocketsClosed();
    });
  });

  test('a call that is done in time is not stopped, however long the time is', async () => {
    const server = await siteOf(wide(2));
    for (const maxTimeMs of [60_000, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(await treeOf(server, { ...DECLARED, maxTimeMs })).toMatchObject({
        complete: true,
        stopped: undefined,
      });
    }
  });
});

describe('§8 maxPages (stream only)', () => {
  test('ends with the last page, and does not wait to see whether there are more', async () => {
    const server = await siteOf({
      '/robots.txt': ['/quick.xml', '/never.xml'],
      '/quick.xml': urlset('https://example.org/1', 'https://example.org/2'),
      '/never.xml': { silent: true },
    });
    const stream = streamPages(server.origin, { ...DECLARED, maxPages: 2 });
    const pages = [];
    for await (const { page } of stream) pages.push(page.url);
    expect(pages).toHaveLength(2);
    expect(stream.stopped?.limit).toBe('maxPages');
    await server.allSocketsClosed();
  });

  const pages = Array.from({ length: 5000 }, (_, at) => `https://example.org/${at}`);
  const site: Site = {
    '/robots.txt': ['/a.xml', '/b.xml'],
    '*': urlset(...pages),
  };

  test.each([1, 999, 5000, 7500])('%i', async (maxPages) => {
    const server = await siteOf(site);
    const stream = streamPages(server.origin, { ...DECLARED, maxPages });
    let count = 0;
    for await (const _ of stream) count++;
    expect(count).toBe(maxPages);
    expect(stream.stopped).toEqual({ limit: 'maxPages', message: expect.stringContaining(String(maxPages)) });
    await server.allSocketsClosed();
  });

  test('more than there are', async () => {
    const server = await siteOf(site);
    expect(await streamed(server, { ...DECLARED, maxPages: 100_000 })).toHaveLength(10_000);
  });

  test('belongs to the stream', async () => {
    await expect(sitemapTreeForHomepage('http://localhost', { maxPages: 1 } as object)).rejects.toThrow(
      'streamPages',
    );
  });
});

test('§2 at most maxSitemapBytes of a document: what was complete is kept, and a problem says so', async () => {
  const body = urlset(...Array.from({ length: 10_000 }, (_, at) => `https://example.org/${at}`));
  const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { body, gzip: true } });
  const tree = await treeOf(server, { ...DECLARED, maxSitemapBytes: 100_000 });
  const node = tree.subSitemaps[0]!.subSitemaps[0]!;
  expect(node.pageCount).toBeGreaterThan(1000);
  expect(node.pageCount).toBeLessThan(10_000);
  expect(codesOf(node.problems)).toContain('too-large');
  expect(tree).toMatchObject({ complete: false, stopped: undefined });
});

describe('§8 the timer of maxTimeMs', () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

  // In one turn of the event loop: no other timer comes or goes meanwhile.
  test('is cancelled with its call, which does not keep the process alive', () => {
    const before = timers();
    const limits = new Limits(resolveOptions({ maxTimeMs: 3_600_000 }, 'tree'));
    expect(timers()).toBe(before + 1);
    limits.close();
    expect(timers()).toBe(before);
  });

  test('is cancelled with a call that another limit has stopped', async () => {
    const server = await siteOf(wide(3));
    const before = timers();
    const tree = await sitemapTreeForHomepage(server.origin, {
      ...DECLARED,
      maxSitemaps: 2,
      maxTimeMs: 3_600_000,
    });
    expect(timers()).toBeLessThanOrEqual(before);
    expect(tree.stopped?.limit).toBe('maxSitemaps');
    tree.close();
  });

  test.each(['tree', 'stream'])('does not outlive a %s', async (what) => {
    const server = await siteOf(wide(2));
    const script = `
      import { sitemapTreeForHomepage, streamPages } from ${JSON.stringify(BUILT)};
      const options = { proxy: false, useKnownPaths: false, maxTimeMs: 3_600_000 };
      if ('${what}' === 'tree') await sitemapTreeForHomepage('${server.origin}', options);
      else for await (const _ of streamPages('${server.origin}', options));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    onTestFinished(() => void child.kill());
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('the limits of a call, counted', () => {
  const limitsOf = (maxSitemaps: number, reserved?: number): Limits =>
    new Limits(resolveOptions({ maxSitemaps }, 'tree'), reserved);
  const FULL = {
    limit: 'maxSitemaps',
    message: 'The tree has 2 sitemaps, which is the limit (maxSitemaps); the rest was left out.',
  };

  test('a tree has room for exactly as many sitemaps as it may have', () => {
    const limits = limitsOf(2);
    const steps = [1, 2, 3].map(() => {
      const before = [limits.room, limits.isFull];
      return [...before, limits.takeNode(false), limits.stopped !== undefined];
    });
    expect(steps).toEqual([
      [2, false, true, false],
      [1, false, true, false],
      [0, true, false, true],
    ]);
    expect(limits.stopped).toEqual(FULL);
  });

  test.each<[string, number, number, string, string]>([
    ['a new one takes no kept place', 2, 1, 'nnee', 'yes no yes no'],
    ['an earlier one takes its kept place', 2, 1, 'enn', 'yes yes no'],
    ['an earlier one may take a place that is kept for none', 3, 1, 'eenn', 'yes yes yes no'],
    ['more places are kept than there are', 1, 5, 'nee', 'no yes no'],
  ])('places of the earlier tree: %s', (_what, maxSitemaps, reserved, order, taken) => {
    const limits = limitsOf(maxSitemaps, reserved);
    const answers = [...order].map((kind) => (limits.takeNode(kind === 'e') ? 'yes' : 'no'));
    expect(answers.join(' ')).toBe(taken);
  });

  test('the first limit is the one that stopped the call, and the first that ends it is named by what was cut', () => {
    const limits = limitsOf(2);
    limits.stop('maxPages', 'enough pages');
    expect(limits.deadline.aborted).toBe(false);
    limits.end('maxSiteBytes', 'enough bytes');
    limits.end('maxTimeMs', 'enough time');
    limits.leaveOut(1, 2);
    expect(limits.stopped).toEqual({ limit: 'maxPages', message: 'enough pages' });
    expect(limits.deadline.aborted).toBe(true);
    const reason = 'a limit was reached (maxSiteBytes)';
    expect(limits.ending).toEqual({ option: 'maxSiteBytes', reason });
    expect(limits.cut).toEqual({
      code: 'cut-by-limit',
      message: `The rest of the document was not read: ${reason}.`,
      option: 'maxSiteBytes',
    });
  });

  test('where time is over, that is said', () => {
    const limits = limitsOf(2);
    limits.end('maxTimeMs', 'enough time');
    expect(limits.stopped).toEqual({ limit: 'maxTimeMs', message: 'enough time' });
    expect(limits.ending.reason).toBe('the time for the call was over (maxTimeMs)');
  });

  test('what is left out and what is undecided are problems with their numbers', () => {
    const limits = limitsOf(2);
    expect(limits.leaveUndecided(3)).toEqual({
      code: 'too-many-sitemaps',
      message: '3 of its sitemaps were left out: a limit was reached before the callback had decided.',
    });
    expect(limits.stopped).toBeUndefined();
    expect(limits.leaveOut(2, 5).message).toContain('2 of its 5 sitemaps were left out');
    expect(limits.stopped).toEqual(FULL);
  });

  test('questions add up, and their limit is named with its number', () => {
    const limits = limitsOf(2);
    limits.askAbout(1_999_999);
    limits.askAbout(1);
    expect(limits.stopped).toBeUndefined();
    expect(() => limits.askAbout(1)).toThrow();
    expect(limits.stopped?.message).toContain(
      'asked about 2000000 sitemaps, which is the limit (maxSitemaps)',
    );
    expect([limits.isFull, limits.deadline.aborted]).toEqual([false, false]);
  });
});
