/** Specification §8: an abort rejects with the signal's reason; nothing of the call is left. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  loadTree,
  SitemapFetcher,
  type SitemapOptions,
  saveTree,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import { testIf } from '../support/collected.ts';
import { DECLARED, QUICK, signalling, siteOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { folder, openFiles } from '../support/folder.ts';
import { expectNoRejections } from '../support/rejections.ts';
import { openSpools, SHOWS_OPEN_FILES } from '../support/sitemaps.ts';
import { noteLeaks, openNow, Tally } from '../support/tally.ts';

expectNoRejections();

const page = urlset('https://example.org/');
const big = urlset(...Array.from({ length: 20_000 }, (_, at) => `https://example.org/page/${at}`));

const entries: readonly [string, (origin: string, options: SitemapOptions) => Promise<unknown>][] = [
  ['sitemapTreeForHomepage', (origin, options) => sitemapTreeForHomepage(origin, options)],
  ['sitemapFromUrl', (origin, options) => sitemapFromUrl(`${origin}/robots.txt`, options)],
  ['SitemapFetcher', (origin, options) => new SitemapFetcher(`${origin}/robots.txt`, options).sitemap()],
  [
    'streamPages',
    async (origin, options) => {
      for await (const _ of streamPages(origin, options));
    },
  ],
];

describe.each(entries)('§8 %s', (_name, call) => {
  test('aborted before: rejects with the reason, and nothing is fetched', async () => {
    const server = await siteOf({ '*': page });
    const reason = new Error('not today');
    await expect(call(server.origin, { ...QUICK, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.connections).toBe(0);
  });

  test.each<[string, Site]>([
    ['robots.txt is awaited', { '*': { silent: true } }],
    ['children are awaited', { '/a.xml': { silent: true }, '/b.xml': { silent: true } }],
    ['a document is arriving', { '/a.xml': { body: big, stallAfter: 300_000 }, '/b.xml': big }],
    ['backing off', { '/a.xml': { status: 503 }, '/b.xml': { status: 503 } }],
    ['a host is paused', { '/a.xml': { status: 429, headers: { 'retry-after': '60' } }, '/b.xml': page }],
  ])('aborted while %s: rejects with the reason, and all sockets are closed', async (_when, site) => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml', '/b.xml'],
      ...site,
      ...('*' in site ? { '/robots.txt': { silent: true } } : {}),
    });
    const controller = new AbortController();
    const reason = new Error('enough');
    const refused = expect(
      call(server.origin, { ...QUICK, retries: 4, signal: controller.signal }),
    ).rejects.toBe(reason);
    const last = '*' in site ? '/robots.txt' : '/a.xml';
    await expect.poll(() => server.paths()).toContain(last);
    await delay(30);
    controller.abort(reason);
    await refused;
    await server.allSocketsClosed();
  });

  test('aborted while a callback is awaited', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': page });
    const controller = new AbortController();
    const called = signalling();
    const refused = expect(
      call(server.origin, {
        ...QUICK,
        signal: controller.signal,
        recurseCallback: () => {
          called.resolve();
          return new Promise(() => {});
        },
      }),
    ).rejects.toBe('a reason of any type');
    await called.promise;
    controller.abort('a reason of any type');
    await refused;
    await server.allSocketsClosed();
  });

  test('a signal that times out rejects with its TimeoutError', async () => {
    const server = await siteOf({ '*': { silent: true } });
    await expect(call(server.origin, { ...QUICK, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    await server.allSocketsClosed();
  });

  test('a signal that is not aborted keeps no listener', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': page });
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    await call(server.origin, { ...QUICK, signal });
    expect(listeners).toBe(0);
  });
});

testIf(SHOWS_OPEN_FILES)('§8 an aborted tree closes its temporary file', async () => {
  const server = await siteOf({
    '/robots.txt': ['/a.xml', '/b.xml'],
    '/a.xml': big,
    '/b.xml': { silent: true },
  });
  const controller = new AbortController();
  const spoolDirectory = folder();
  const options = { ...DECLARED, spoolMemoryBytes: 0, spoolDirectory, signal: controller.signal };
  const refused = expect(sitemapTreeForHomepage(server.origin, options)).rejects.toBe('enough');
  await expect.poll(() => Math.max(0, ...openSpools(spoolDirectory))).toBeGreaterThan(0);
  controller.abort('enough');
  await refused;
  await expect.poll(() => openSpools(spoolDirectory)).toEqual([]);
});

testIf(SHOWS_OPEN_FILES)('§8 a call that is aborted before it begins leaves nothing open', async () => {
  const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': urlset('/1') });
  const archive = join(folder(), 'site.warc');
  await saveTree(await sitemapTreeForHomepage(server.origin, DECLARED), archive);
  const previous = await loadTree(archive);
  const options = { ...DECLARED, previous, maxTimeMs: 600_000, signal: AbortSignal.abort('enough') };
  const [before, tally] = [await openNow(), new Tally()];
  await expect(sitemapTreeForHomepage(server.origin, options)).rejects.toBe('enough');
  await expect(streamPages(server.origin, options)[Symbol.asyncIterator]().next()).rejects.toBe('enough');
  previous.close();
  expect(openFiles(archive)).toEqual([]);
  await noteLeaks(tally, before);
  expect(tally.complaints).toEqual([]);
});

test('§8 an aborted stream ends at its next page, also within the last batch', async () => {
  const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': urlset('/1', '/2', '/3') });
  for (const maxPages of [undefined, 3]) {
    const controller = new AbortController();
    const reason = new Error('enough');
    let pages = 0;
    const stream = streamPages(server.origin, { ...DECLARED, maxPages, signal: controller.signal });
    const reading = (async () => {
      for await (const _ of stream) {
        pages++;
        controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(pages).toBe(1);
  }
});

test('§8 an aborted stream ends at its next batch, whatever is waiting', async () => {
  const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': big });
  const controller = new AbortController();
  const reason = new Error('enough');
  let after = 0;
  const reading = (async () => {
    for await (const batch of streamPages(server.origin, {
      ...DECLARED,
      signal: controller.signal,
    }).batches()) {
      if (controller.signal.aborted) after++;
      // Long enough for more to be waiting.
      await delay(30);
      controller.abort(reason);
      expect(batch.length).toBeGreaterThan(0);
    }
  })();
  await expect(reading).rejects.toBe(reason);
  expect(after).toBe(0);
});
