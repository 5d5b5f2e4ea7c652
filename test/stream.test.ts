/** Specification §5, `streamPages`: pages while documents arrive, in constant memory, at the consumer's pace. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  InvalidSitemap,
  type PageStream,
  SitemapException,
  SitemapPage,
  type StreamedPage,
  type StreamOptions,
  streamPages,
} from '../src/index.ts';
import type { Site } from './server/scripted-server.ts';
import { build, ROOT } from './support/cli-binary.ts';
import { testIf } from './support/collected.ts';
import {
  codesOf,
  DECLARED,
  QUICK,
  signalling,
  siteOf,
  streamed,
  treeOf,
  urlsOf,
} from './support/crawled-site.ts';
import { index, robots, urlset } from './support/documents.ts';
import { folder } from './support/folder.ts';
import { expectNoRejections } from './support/rejections.ts';
import { openSpools, SHOWS_OPEN_FILES } from './support/sitemaps.ts';
import { hasHeavy, sized } from './support/tier.ts';
import { waitingFor } from './support/waits.ts';

expectNoRejections();

const many = (count: number, name = 'page'): string => {
  let entries = '';
  for (let at = 0; at < count; at++) entries += `<url><loc>https://example.org/${name}/${at}</loc></url>`;
  return urlset().replace('</urlset>', `${entries}</urlset>`);
};

describe('§5 what a stream yields', () => {
  test('pages, and the sitemap of each: kind, url, lastModified, parentUrls', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': [['/old.xml', '2024-05-06']],
      '/old.xml': { redirect: '/new.txt' },
      '/new.txt': 'https://example.org/1\nhttps://example.org/2\n',
    });
    const pages = await streamed(server, DECLARED);
    expect(pages.map(({ page }) => page.url)).toEqual(['https://example.org/1', 'https://example.org/2']);
    for (const { page, sitemap } of pages) {
      expect(page).toBeInstanceOf(SitemapPage);
      expect(sitemap).toEqual({
        kind: 'pages-text',
        url: `${server.origin}/new.txt`,
        lastModified: new Date('2024-05-06'),
        parentUrls: new Set([`${server.origin}/robots.txt`, `${server.origin}/index.xml`]),
      });
    }
  });

  test.each<[string, string, string]>([
    ['pages-xml', '/a', urlset('https://example.org/')],
    ['pages-text', '/a', 'https://example.org/'],
    ['pages-rss', '/a', '<rss><channel><item><link>https://example.org/</link></item></channel></rss>'],
    [
      'pages-atom',
      '/a',
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/"/></entry></feed>',
    ],
  ])('%s', async (kind, path, body) => {
    const server = await siteOf((origin) => ({ '/robots.txt': robots(origin + path), [path]: body }));
    expect((await streamed(server, DECLARED)).map(({ page, sitemap }) => [page.url, sitemap.kind])).toEqual([
      ['https://example.org/', kind],
    ]);
  });

  test('the same pages as the tree, for a generated site', async () => {
    const server = await siteOf((origin) => {
      const site: Site = { '/robots.txt': robots(...[0, 1, 2, 3].map((n) => `${origin}/index-${n}.xml`)) };
      for (let n = 0; n < 4; n++) {
        const children = Array.from({ length: 6 }, (_, at) => `${origin}/pages-${(n * 4 + at) % 18}.xml`);
        site[`/index-${n}.xml`] = index(
          ...children,
          `${origin}/missing-${n}.xml`,
          `${origin}/index-${(n + 1) % 4}.xml`,
        );
      }
      for (let n = 0; n < 18; n++) {
        site[`/pages-${n}.xml`] = {
          body: many(50 + 400 * (n % 5), `p${n % 16}`),
          gzip: n % 3 === 0,
          delayMs: (n * 7) % 5,
        };
      }
      site['/sitemap.xml'] = { redirect: '/index-2.xml' };
      site['/sitemap_news.xml'] = many(10, 'news');
      return site;
    });
    const tree = await treeOf(server);
    const fromTree = new Set(urlsOf(tree.allPages()));
    const stream = streamPages(server.origin, QUICK);
    const fromStream: StreamedPage[] = [];
    for await (const page of stream) fromStream.push(page);
    expect(fromTree.size).toBeGreaterThan(5000);
    expect(new Set(fromStream.map(({ page }) => page.url))).toEqual(fromTree);
    // Each document once: as many as the distinct sitemaps of the tree have.
    const distinct = new Map(Array.from(tree.allSitemaps(), (node) => [node.url, node.pageCount]));
    expect(fromStream).toHaveLength([...distinct.values()].reduce((sum, count) => sum + count, 0));
    expect(stream.complete).toBe(tree.complete);
    expect(new Set(stream.invalidSitemaps.map(({ url, code }) => `${code} ${url}`))).toEqual(
      new Set(
        Array.from(tree.allSitemaps()).flatMap((node) =>
          node instanceof InvalidSitemap ? [`${node.code} ${node.url}`] : [],
        ),
      ),
    );
  });
});

describe('§5 pages come while documents are still arriving', () => {
  test.each(['plain', 'gzip'])(
    '%s: the second half is held back until the first page was seen',
    async (how) => {
      const seen = signalling();
      // Random enough that its half is half a file, compressed as well.
      const names = Array.from(
        { length: 20_000 },
        (_, at) => `https://example.org/${Math.imul(at, 2654435761) >>> 0}/${at}`,
      );
      const body = urlset(...names);
      const server = await siteOf({
        '/robots.txt': ['/a.xml'],
        '/a.xml': {
          body,
          gzip: how === 'gzip',
          holdAfter: { bytes: how === 'gzip' ? 100_000 : (body.length / 2) | 0, until: seen.promise },
        },
      });
      let pages = 0;
      for await (const _ of streamPages(server.origin, DECLARED)) {
        if (pages++ === 0) seen.resolve();
      }
      expect(pages).toBe(20_000);
    },
  );

  test('and while there is no response for other documents yet', async () => {
    const seen = signalling();
    const server = await siteOf({
      '/robots.txt': ['/slow.xml', '/fast.xml'],
      '/slow.xml': { body: many(1, 'slow'), holdAfter: { bytes: 0, until: seen.promise } },
      '/fast.xml': many(1, 'fast'),
    });
    const urls: string[] = [];
    for await (const { page } of streamPages(server.origin, DECLARED)) {
      urls.push(page.url);
      seen.resolve();
    }
    expect(urls).toEqual(['https://example.org/fast/0', 'https://example.org/slow/0']);
  });
});

describe('§5 lazy, single use, with batches()', () => {
  test('nothing is requested before it is iterated', async () => {
    const server = await siteOf({ '*': many(1) });
    const stream = streamPages(server.origin, QUICK);
    const iterator = stream.batches();
    await delay(30);
    expect(server.connections).toBe(0);
    expect(stream.totals).toEqual({ known: 0, done: 0, failed: 0, pages: 0, bytes: 0, elapsedMs: 0 });
    await iterator.return?.();
    expect(server.connections).toBe(0);
  });

  test('a second iteration throws', async () => {
    const server = await siteOf({ '/sitemap.xml': many(3) });
    const stream = streamPages(server.origin, QUICK);
    for await (const _ of stream);
    const again = [stream[Symbol.asyncIterator](), stream.batches()];
    for (const iterator of again) {
      await expect(iterator.next()).rejects.toBeInstanceOf(SitemapException);
    }
    await expect(stream.batches().next()).rejects.toMatchObject({ code: 'stream-used' });
    const other = streamPages(server.origin, QUICK);
    const first = other[Symbol.asyncIterator]();
    await first.next();
    await expect(other[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'stream-used' });
    await first.return?.();
  });

  test('batches() has the same pages in arrays', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml', '/b.xml'], '*': many(9000) });
    const urls: string[] = [];
    let batches = 0;
    for await (const batch of streamPages(server.origin, DECLARED).batches()) {
      expect(batch.length).toBeGreaterThan(0);
      batches++;
      for (const { page } of batch) urls.push(page.url);
    }
    expect(urls).toHaveLength(18_000);
    expect(batches).toBeLessThan(1000);
  });

  test('calls of next() that do not wait for each other get all pages, in order', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { body: many(500), trickle: { bytes: 2000, everyMs: 1 } },
    });
    const pages = streamPages(server.origin, DECLARED)[Symbol.asyncIterator]();
    const urls: string[] = [];
    for (let isOver = false; !isOver; ) {
      for (const { done, value } of await Promise.all([pages.next(), pages.next(), pages.next()])) {
        if (done === true) isOver = true;
        else urls.push(value.page.url);
      }
    }
    expect(urls).toEqual(Array.from({ length: 500 }, (_, at) => `https://example.org/page/${at}`));
  });

  test('Readable.from takes it, and destroying that closes everything though the site is silent', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { silent: true } });
    const readable = Readable.from(streamPages(server.origin, DECLARED));
    readable.on('error', () => {});
    readable.resume();
    await expect.poll(() => server.paths()).toContain('/a.xml');
    readable.destroy();
    await server.allSocketsClosed();
  });
});

describe('§5 a slow consumer slows the downloads', () => {
  test('one that stops reading makes the server see a stalled socket, and memory stays flat', async () => {
    // The kernel holds 4 MB of each. A body is larger than what it holds of all of them.
    const [pages, documents] = sized({ fast: [60_000, [1, 2]], full: [100_000, [1, 2, 3]] });
    const body = Buffer.from(many(pages, `page${'e'.repeat(200)}`));
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...documents.map((n) => `${origin}/${n}.xml`)),
      '*': { body, chunked: true },
    }));
    const batches = streamPages(server.origin, DECLARED).batches();
    await batches.next();
    await expect.poll(() => server.bytesSent).toBeGreaterThan(0);
    await server.hasStoppedSending();
    const before = server.bytesSent;
    const memory = process.memoryUsage();
    expect(before).toBeLessThan(body.length);
    await delay(200);
    expect(server.bytesSent).toBe(before);
    expect(process.memoryUsage().arrayBuffers - memory.arrayBuffers).toBeLessThan(5_000_000);
    // It goes on where it stopped; the first megabytes are those that the kernel holds.
    for (let at = 0; at < 400; at++) await batches.next();
    await expect.poll(() => server.bytesSent).toBeGreaterThan(before);
    await batches.return?.();
    await server.allSocketsClosed();
  });
});

describe('§5 stopping early closes every connection', () => {
  const body = Buffer.from(many(50_000));
  const endless = (origin: string): Site => ({
    '/robots.txt': robots(...[1, 2, 3].map((n) => `${origin}/${n}.xml`)),
    '/1.xml': { body, stallAfter: 2_000_000 },
    '/2.xml': { body },
    '/3.xml': { silent: true },
  });

  test.each<[string, (stream: PageStream) => Promise<void>]>([
    [
      'break',
      async (stream) => {
        for await (const _ of stream) break;
      },
    ],
    [
      'break out of batches()',
      async (stream) => {
        for await (const _ of stream.batches()) break;
      },
    ],
    [
      'return',
      async (stream) => {
        const pages = stream[Symbol.asyncIterator]();
        await pages.next();
        await pages.return?.();
      },
    ],
    [
      'an error in the loop',
      async (stream) => {
        await expect(
          (async () => {
            for await (const _ of stream) throw new Error('mine');
          })(),
        ).rejects.toThrow('mine');
      },
    ],
  ])('%s', async (_how, use) => {
    const server = await siteOf(endless);
    const stream = streamPages(server.origin, DECLARED);
    await use(stream);
    await server.allSocketsClosed();
    // It did not come to its end, and no limit stopped it.
    expect(stream).toMatchObject({ complete: false, stopped: undefined });
    expect(stream.totals.known).toBeGreaterThan(0);
  });

  test('with a signal that is not aborted, too', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': many(1),
      '/b.xml': { silent: true },
    });
    for await (const _ of streamPages(server.origin, { ...DECLARED, signal: new AbortController().signal }))
      break;
    await server.allSocketsClosed();
  });

  test('return() while next() waits for a silent site', async () => {
    const server = await siteOf({ '*': { silent: true } });
    for (const iterator of [
      streamPages(server.origin, QUICK).batches(),
      streamPages(server.origin, QUICK)[Symbol.asyncIterator](),
    ]) {
      const waiting = iterator.next();
      await expect.poll(() => server.openSockets).toBeGreaterThan(0);
      await iterator.return?.();
      expect(await waiting).toEqual({ done: true, value: undefined });
      await server.allSocketsClosed();
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    }
  });
});

describe('§5 once it ended', () => {
  test('a sitemap has the URL that its node has in a tree, however its index writes it', async () => {
    const host = 'http://xn--mnchen-3ya.example';
    const declared = [
      'http://münchen.example/a.xml',
      `${host}/ä.xml`,
      `${host}/moved.xml`,
      `${host}/cut.xml#end`,
      `${host}/moved-cut.xml`,
    ];
    const pages = urlset(...Array.from({ length: 50 }, (_, at) => `https://example.org/${at}`));
    // A proxy is asked for whole URLs.
    const { origin: proxy } = await siteOf({
      [`${host}/robots.txt`]: robots(...declared),
      [`${host}/a.xml`]: pages,
      [`${host}/%C3%A4.xml`]: pages,
      [`${host}/moved.xml`]: { redirect: `${host}/b.xml` },
      [`${host}/b.xml`]: pages,
      [`${host}/cut.xml`]: { body: pages, truncateAfter: 1000 },
      [`${host}/moved-cut.xml`]: { redirect: `${host}/cut-there.xml` },
      [`${host}/cut-there.xml`]: { body: pages, truncateAfter: 1000 },
    });
    const options = { ...DECLARED, proxy };
    const tree = await treeOf({ origin: host }, options);
    const nodes = [...tree.allSitemaps()].filter(({ pageCount }) => pageCount > 0);
    const stream = streamPages(host, options);
    const urls = new Set<string>();
    for await (const { sitemap } of stream) urls.add(sitemap.url);
    expect([...urls].sort()).toEqual(nodes.map(({ url }) => url).sort());
    expect(urls).toContain('http://münchen.example/a.xml');
    expect(stream.incompleteSitemaps.map(({ url }) => url).sort()).toEqual(
      nodes.flatMap(({ truncated, url }) => (truncated ? url : [])).sort(),
    );
    expect(stream.incompleteSitemaps).toContainEqual(
      expect.objectContaining({ url: `${host}/cut-there.xml` }),
    );
  });

  test('a sitemap that is cut is named once, in whatever case it is declared', async () => {
    const { origin } = await siteOf((own) => ({
      '/robots.txt': robots(`${own}/up.xml`, `${own}/index.xml`),
      '/index.xml': index(`${own.toUpperCase()}/up.xml`),
      '/up.xml': { body: urlset('https://example.org/1', 'https://example.org/2'), truncateAfter: 120 },
    }));
    const stream = streamPages(origin, DECLARED);
    for await (const _page of stream);
    expect(stream.incompleteSitemaps).toHaveLength(1);
  });

  test('complete, stopped, invalidSitemaps, problems and totals', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/gone.xml', '/html.xml', '/cut.xml', '/b.xml'],
      '/a.xml': many(10, 'a'),
      '/html.xml': '<!doctype html><title>x</title>',
      '/cut.xml': { body: many(2000, 'cut'), truncateAfter: 70_000 },
      '/b.xml': { body: many(10, 'b'), delayMs: 50 },
      '/sitemap.xml': { status: 403 },
    });
    const stream = streamPages(server.origin, QUICK);
    const urls: string[] = [];
    // Errors of one document never end the stream.
    for await (const { page } of stream) urls.push(page.url);
    expect(urls.filter((url) => url.includes('/a/'))).toHaveLength(10);
    expect(urls.filter((url) => url.includes('/b/'))).toHaveLength(10);
    const fromCut = urls.filter((url) => url.includes('/cut/')).length;
    expect(fromCut).toBeGreaterThan(500);
    expect(stream.complete).toBe(false);
    expect(stream.stopped).toBeUndefined();
    expect(
      stream.invalidSitemaps.map(({ url, code }) => [url.replace(server.origin, ''), code]).sort(),
    ).toEqual([
      ['/gone.xml', 'http-status'],
      ['/html.xml', 'not-a-sitemap'],
    ]);
    for (const node of stream.invalidSitemaps) expect(node).toBeInstanceOf(InvalidSitemap);
    expect(codesOf(stream.problems)).toEqual(['known-path-failed']);
    expect(stream.totals).toMatchObject({ known: 5, done: 3, failed: 2, pages: urls.length });
    expect(stream.totals.bytes).toBeGreaterThan(70_000);
  });

  test('a site without fault is complete', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': many(3) });
    const stream = streamPages(server.origin, QUICK);
    expect(stream.complete).toBe(false);
    for await (const _ of stream);
    expect(stream).toMatchObject({ complete: true, stopped: undefined, invalidSitemaps: [], problems: [] });
  });

  test('nothing is known before it begins', () => {
    const stream = streamPages('https://example.org/', { robotsAgent: 'GPTBot' });
    expect(stream.totals).toEqual({ known: 0, done: 0, failed: 0, pages: 0, bytes: 0, elapsedMs: 0 });
    expect(stream).toMatchObject({ complete: false, stopped: undefined, outcome: undefined, problems: [] });
    expect(stream.verdictOf('https://example.org/')).toEqual({});
  });

  test.each([
    ['rules', 'User-agent: *\nDisallow: /x', { allowed: false, rule: 'Disallow: /x', ruleLine: 2 }],
    ['no robots.txt', { status: 404 }, { allowed: true }],
    ['an error', { status: 503 }, {}],
  ])('who may fetch a page, by %s', async (_, robotsTxt, verdict) => {
    const server = await siteOf({ '/robots.txt': robotsTxt, '/sitemap.xml': many(1) });
    const stream = streamPages(server.origin, { ...QUICK, robotsAgent: 'GPTBot' });
    for await (const _page of stream);
    expect(stream.verdictOf(`${server.origin}/x`)).toEqual(verdict);
    expect(stream.verdictOf('https://other.example/x')).toEqual({});
  });

  test.each([
    ['that is read', many(3, 'a')],
    ['that has no more', many(2, 'a')],
    ['that does not end', { body: many(50_000, 'a'), stallAfter: 500_000 }],
  ])('after maxPages of a sitemap %s the rest is not read: the result is partial', async (_, sitemap) => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': sitemap,
      '/b.xml': { silent: true },
    });
    const stream = streamPages(server.origin, { ...DECLARED, maxPages: 2 });
    const urls: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const { page } of stream) urls.push(page.url);
    };
    await waitingFor(() => `the end of a stream of ${urls.length} pages`, reading());
    expect(urls).toEqual(['https://example.org/a/0', 'https://example.org/a/1']);
    const message = 'The stream was stopped after 2 pages (maxPages).';
    expect(stream).toMatchObject({ complete: false, stopped: { limit: 'maxPages', message } });
    expect(stream).toMatchObject({ outcome: 'partial', code: 'limit', reason: message });
    await server.allSocketsClosed();
  });

  test('maxPages that is reached when everything was read makes the result partial', async () => {
    const link = '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/0"/>';
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': many(1).replace('</loc>', `</loc>${link}`),
    });
    // Alternates come behind all pages.
    const stream = streamPages(server.origin, { ...DECLARED, listAlternates: true, maxPages: 2 });
    const urls: string[] = [];
    for await (const { page } of stream) urls.push(page.url);
    expect(urls).toEqual(['https://example.org/page/0', 'https://example.org/de/0']);
    expect(stream).toMatchObject({ complete: false, stopped: { limit: 'maxPages' }, outcome: 'partial' });
  });

  const LISTED = [0, 1, 2, 0, 3].map((at) => `https://example.org/${at}`);

  // It stops with the last page that it may have, without a look at whether there are more.
  test.each<[number, StreamOptions, string, boolean]>([
    [1, {}, '0', true],
    [3, {}, '012', true],
    [4, {}, '0123', true],
    [5, {}, '0123', false],
    [1, { include: ['/1', '/3'] }, '1', true],
    [2, { include: ['/1', '/3'] }, '13', true],
    [3, { include: ['/1', '/3'] }, '13', false],
    [3, { unique: true }, '012', true],
    [4, { unique: true }, '0123', true],
    [5, { unique: true }, '0123', false],
  ])('maxPages %i, with %j: %s; it was stopped: %s', async (maxPages, options, expected, isStopped) => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(...LISTED) });
    const stream = streamPages(server.origin, { ...DECLARED, ...options, maxPages });
    const found: StreamedPage[] = [];
    for await (const batch of stream.batches()) {
      expect(batch.length).toBeGreaterThan(0);
      found.push(...batch);
    }
    expect(found.map(({ page }) => page.url.at(-1)).join('')).toBe(expected);
    expect([stream.stopped?.limit, stream.complete]).toEqual(
      isStopped ? ['maxPages', false] : [undefined, true],
    );
  });

  test('maxPages in a later batch gives exactly as many pages', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': many(3000) });
    const sizes: number[] = [];
    for await (const { length } of streamPages(server.origin, { ...DECLARED, maxPages: 2500 }).batches())
      sizes.push(length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2500);
  });

  test('a sample of all pages has the order of the tree, whichever sitemap arrives first', async () => {
    const seen = signalling();
    const server = await siteOf({
      '/robots.txt': ['/i.xml', '/z.xml', '/late.xml'],
      '/i.xml': ['/late.xml', '/moved.xml'],
      '/late.xml': () => seen.promise.then(() => many(3, 'late')),
      '/moved.xml': { redirect: '/a.xml' },
      '/a.xml': many(3, 'a'),
      '/z.xml': () => {
        seen.resolve();
        return many(3, 'z');
      },
    });
    const stream = streamPages(server.origin, { ...DECLARED, sample: 100, exclude: '/1' });
    const found: string[] = [];
    for await (const { page } of stream) found.push(page.url.replace('https://example.org/', ''));
    expect(found.join(' ')).toBe('late/0 late/2 a/0 a/2 z/0 z/2');
    expect(stream).toMatchObject({
      complete: true,
      stopped: undefined,
      outcome: 'complete',
      leftOut: { excluded: 3 },
    });
    const none = streamPages(server.origin, { ...DECLARED, sample: 1, include: 'nothing' });
    for await (const _ of none.batches()) expect.unreachable();
    expect(none.leftOut).toEqual({ 'not-included': 9 });
  });

  test('what is missing of each sitemap is listed once, and where it is', async () => {
    const server = await siteOf({
      '/robots.txt': ['/i.xml', '/cut.xml', '/whole.xml'],
      '/i.xml': ['/old.xml', '/cut.xml', '/x.xml', '/y.xml'],
      '/old.xml': { redirect: '/new.xml' },
      '/new.xml': many(2, 'new').replace('</urlset>', ''),
      '/cut.xml': many(2, 'cut').replace('</urlset>', ''),
      '/whole.xml': many(2, 'whole').replace('<loc>', '<loc>/not-absolute</loc><loc>'),
    });
    const stream = streamPages(server.origin, { ...DECLARED, maxSitemaps: 6 });
    for await (const _ of stream);
    const found = stream.incompleteSitemaps.map(({ url, problems }) => [
      url.replace(server.origin, ''),
      codesOf(problems),
    ]);
    expect(found.sort()).toEqual([
      ['/cut.xml', ['truncated']],
      ['/i.xml', ['too-many-sitemaps']],
      ['/new.xml', ['truncated']],
    ]);
    expect([stream.stopped?.limit, stream.outcome, stream.code]).toEqual(['maxSitemaps', 'partial', 'limit']);
  });

  testIf(SHOWS_OPEN_FILES).each([false, true])(
    'no file of alternates stays open; left early: %s',
    async (isLeft) => {
      const link = `<xhtml:link rel="alternate" hreflang="de" href="https://example.org/${'d'.repeat(300_000)}"/>`;
      const server = await siteOf({
        '/robots.txt': ['/a.xml'],
        '/a.xml': many(2).replaceAll('</loc>', `</loc>${link}`),
      });
      const spoolDirectory = folder();
      const options = { ...DECLARED, listAlternates: true, spoolMemoryBytes: 0, spoolDirectory };
      for await (const _ of streamPages(server.origin, options)) if (isLeft) break;
      expect(openSpools(spoolDirectory)).toEqual([]);
    },
  );

  test('a known path that redirects to another host does not make that a host of the site', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': '',
      '/sitemap.xml': { redirect: `${origin.replace('127.0.0.1', 'localhost')}/s.xml` },
      '/s.xml': urlset('http://localhost/1', 'http://127.0.0.1/2'),
    }));
    const options = { ...QUICK, allowPrivateNetworks: true, hosts: 'same' } as const;
    expect((await streamed(server, options)).map(({ page }) => page.url)).toEqual(['http://127.0.0.1/2']);
  });

  test.each(['127.0.0.1', 'localhost'])(
    'the rules of a robots.txt that redirects to %s are those of the site',
    async (host) => {
      const server = await siteOf((origin) => ({
        '/robots.txt': { redirect: `${origin.replace('127.0.0.1', host)}/rules.txt` },
        '/rules.txt': 'User-agent: *\nDisallow: /x',
        '/sitemap.xml': many(1),
      }));
      const stream = streamPages(server.origin, {
        ...QUICK,
        robotsAgent: 'GPTBot',
        allowPrivateNetworks: true,
      });
      for await (const _ of stream);
      const verdicts = ['/x', '/y'].map((path) => stream.verdictOf(server.origin + path).allowed);
      expect(verdicts).toEqual([false, true]);
    },
  );

  test('a loop that was left has no result, and pages left out so far are counted', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': many(3) });
    const stream = streamPages(server.origin, { ...DECLARED, exclude: '/0' });
    for await (const { page } of stream) {
      expect(page.url).toBe('https://example.org/page/1');
      break;
    }
    const none = {
      complete: false,
      stopped: undefined,
      outcome: undefined,
      code: undefined,
      reason: undefined,
    };
    expect(stream).toMatchObject({ ...none, leftOut: { excluded: 1 } });
  });

  test('a connection that breaks repeats nothing', async () => {
    const body = many(4000);
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { script: [{ body, resetAfter: 130_000 }, { body }] },
    });
    const pages = await streamed(server, { ...DECLARED, retries: 1 });
    expect(pages.map(({ page }) => page.url)).toEqual(
      Array.from({ length: 4000 }, (_, at) => `https://example.org/page/${at}`),
    );
  });
});

describe('in a process of its own', () => {
  beforeAll(build);

  /** Runs a script that knows `site` to the end of its process; gives its exit code and what it wrote. */
  async function run(site: string, script: string, ...flags: readonly string[]): Promise<[unknown, string]> {
    const whole = `
      import { sitemapTreeForHomepage, streamPages } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/index.js')).href)};
      const site = '${site}';
      const declared = { proxy: false, useKnownPaths: false };
      let count = 0;
      ${script}`;
    const child = spawn(process.execPath, [...flags, '--input-type=module', '-e', whole]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += data;
      });
    }
    return [await new Promise((resolve) => child.once('exit', resolve)), output];
  }

  const ends: [string, string][] = [
    [
      'when everything was streamed',
      'for await (const _ of streamPages(site, { ...declared, recurseCallback: (u) => !/stall/.test(u) })) count++;',
    ],
    ['after a break', 'for await (const _ of streamPages(site, declared)) { count++; break; }'],
    [
      'with a tree that is never closed',
      'const tree = await sitemapTreeForHomepage(site, { ...declared, maxTimeMs: 4000 }); count = [...tree.allPages()].length;',
    ],
    [
      'after an abort',
      `const controller = new AbortController();
       try {
         for await (const _ of streamPages(site, { ...declared, signal: controller.signal })) { count++; controller.abort(); }
       } catch {}`,
    ],
    [
      'after a limit of time',
      'for await (const _ of streamPages(site, { ...declared, maxTimeMs: 4000 })) count++;',
    ],
    [
      'with a tree whose time was not used up',
      'const tree = await sitemapTreeForHomepage(site, { ...declared, maxTimeMs: 1e9, recurseCallback: (u) => !/stall/.test(u) }); count = [...tree.allPages()].length;',
    ],
    [
      'after a callback threw',
      "try { await sitemapTreeForHomepage(site, { ...declared, recurseCallback: () => { throw new Error('x') } }); } catch { count = 1; }",
    ],
  ];
  // A process takes a third of a second: the fast tier has the first three.
  test.each(sized({ fast: ends.slice(0, 3), full: ends }))(
    'the process exits by itself %s',
    async (_when, use) => {
      const server = await siteOf({
        '/robots.txt': ['/a.xml', '/stall.xml'],
        '/a.xml': many(2_000),
        '/stall.xml': { body: many(100), stallAfter: 1000 },
      });
      expect(await run(server.origin, `${use}\nprocess.stdout.write(String(count > 0));`)).toEqual([
        0,
        'true',
      ]);
    },
  );

  const [MEGABYTES, SITEMAPS, HEAP, BUFFERS] = sized({
    fast: [26, 5, 22, 20e6],
    full: [26, 5, 22, 20e6],
    strong: [60, 11, 32, 40e6],
  });
  testIf(hasHeavy)(
    `§5 constant memory however large the site: ${MEGABYTES} MB of pages in a heap of ${HEAP}`,
    async () => {
      const body = Buffer.from(many(100_000));
      const server = await siteOf((origin) => ({
        '/robots.txt': robots(...Array.from({ length: SITEMAPS }, (_, at) => `${origin}/${at}.xml`)),
        '*': { body },
      }));
      expect(body.length * SITEMAPS).toBeGreaterThan(0.9e6 * MEGABYTES);
      const script = `
      let peak = 0;
      for await (const batch of streamPages(site, declared).batches()) {
        count += batch.length;
        peak = Math.max(peak, process.memoryUsage().arrayBuffers);
      }
      process.stdout.write(JSON.stringify([count, peak < ${BUFFERS} ? 'little' : peak]));`;
      expect(await run(server.origin, script, `--max-old-space-size=${HEAP}`)).toEqual([
        0,
        `[${SITEMAPS * 100_000},"little"]`,
      ]);
    },
  );
});
