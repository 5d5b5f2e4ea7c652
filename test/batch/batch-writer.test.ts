/** §14.2: which finished sites come together in a batch, and when it ends. */
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BatchWriter, UnreadableSite } from '../../src/batch/batch-writer.ts';
import { failedSite } from '../../src/batch/crawl-sites.ts';
import { type CrawledSite, crawlSites } from '../../src/batch/index.ts';
import type { Batch } from '../../src/batch/journal.ts';
import { COLUMNS, readTable } from '../../src/batch/output/parts.ts';
import { SitemapPage } from '../../src/index.ts';
import { folder } from '../support/folder.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { waitingFor } from '../support/waits.ts';

const QUICK = { proxy: false, retries: 0, useKnownPaths: false, sitesAtOnce: 1 } as const;

/** Calls back with each of three sites that have pages. */
async function forSites(use: (site: CrawledSite, at: number) => Promise<void>): Promise<readonly string[]> {
  const { homepage } = await loopbackSites();
  const sites = [1, 2, 3].map(homepage);
  let at = 0;
  for await (const site of crawlSites(sites, QUICK)) await use(site, at++);
  return sites;
}

function writer(everyMs: number): { batches: Batch[]; writer: BatchWriter; errors: unknown[] } {
  const [batches, errors]: [Batch[], unknown[]] = [[], []];
  const options = { folder: folder(), format: 'ndjson', everyMs } as const;
  const onBatch = (batch: Batch): void => void batches.push(batch);
  const onError = (error: unknown): void => void errors.push(error);
  return { batches, errors, writer: new BatchWriter({ ...options, onBatch, onError }) };
}

const names = ({ sites }: Batch): string[] => sites.map(({ site }) => site);

/** The sites of the rows of a part. */
async function sitesIn({ part }: Batch): Promise<string[]> {
  const sites = new Set<string>();
  for await (const rows of readTable(part ?? '', 'ndjson', COLUMNS)) {
    for (const [site] of rows) sites.add(String(site));
  }
  return [...sites];
}

test('every batch ends after its time, the second one too', async () => {
  const { batches, errors, writer: table } = writer(20);
  const isThere = async (count: number): Promise<void> => {
    while (batches.length < count) await delay(5);
  };
  const sites = await forSites(async (site, at) => {
    await table.add(site);
    await waitingFor(() => `batch ${at + 1}`, isThere(at + 1));
  });
  expect(batches.map(names)).toEqual(sites.map((site) => [site]));
  expect(errors).toEqual([]);
});

test('the time of a batch begins with its first site, and a batch that has ended has no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { batches, writer: table } = writer(1_000);
  for (const name of ['a', 'b', 'c']) {
    await table.add(siteWith(name, {}));
    vi.advanceTimersByTime(400);
  }
  await table.add(siteWith('d', {}));
  expect([batches.map(names), vi.getTimerCount()]).toEqual([
    [['https://a.example/', 'https://b.example/', 'https://c.example/']],
    1,
  ]);
  await table.flush();
  expect(vi.getTimerCount()).toBe(0);
});

test('a batch ends with its thousandth site, whether or not these have pages', async () => {
  const { batches, writer: table } = writer(3_600_000);
  const add = (at: number) => table.add(failedSite(`https://s${at}.example/`, new Error('down')));
  for (let at = 1; at < 1_000; at++) await add(at);
  expect(batches).toEqual([]);
  await add(1_000);
  await add(1_001);
  expect(batches.map(({ part, sites }) => [part, sites.length])).toEqual([[undefined, 1_000]]);
  await table.flush();
});

test('a site that cannot be read to its end takes no other site of its batch with it', async () => {
  const { batches, writer: table } = writer(3_600_000);
  const [first = '', , third = ''] = await forSites(async (site, at) => {
    if (at !== 1) return void (await table.add(site));
    const broken: CrawledSite = Object.create(site, {
      batches: {
        async *value() {
          yield* site.batches();
          throw new Error('the document is damaged');
        },
      },
    });
    const adding = table.add(broken);
    await expect(adding).rejects.toThrow(UnreadableSite);
    await expect(adding).rejects.toThrow('the document is damaged');
  });
  await table.flush();
  expect(batches.map(names)).toEqual([[first], [third]]);
  expect(await Promise.all(batches.map(sitesIn))).toEqual([[first], [third]]);
});

/** A site with these facts, and a page per name. */
function siteWith(name: string, facts: object, ...pages: readonly string[]): CrawledSite {
  const failed = failedSite(`https://${name}.example/`, new Error('x'));
  const rows = pages.map((page) => ({
    sitemap: 'https://s.example/',
    page: new SitemapPage({ url: `https://x.example/${page}` }),
    stale: false,
  }));
  const values = {
    outcome: 'complete',
    code: undefined,
    reason: undefined,
    stopped: undefined,
    leftOut: {},
    ...facts,
  };
  const properties = Object.entries(values).map(([key, value]) => [key, { value }]);
  return Object.create(failed, {
    ...Object.fromEntries(properties),
    batches: {
      configurable: true,
      async *value() {
        for (const row of rows) yield [row];
      },
    },
  });
}

const LARGE = 16 * 1024 * 1024;

test.each([
  ['of 16 MiB', LARGE, [['a'], ['b'], ['c']]],
  ['of a byte less', LARGE - 1, [['a', 'b', 'c']]],
])('a site %s has a batch of its own or not, and no row is in another part', async (_, bytes, expected) => {
  const { batches, writer: table } = writer(3_600_000);
  await table.add(siteWith('a', {}, '1'));
  await table.add(siteWith('b', { bytes }, '2', '3'));
  await table.add(siteWith('c', {}, '4'));
  await table.flush();
  await table.flush();
  const of = (sites: readonly string[]): string[] => sites.map((site) => site.slice(8, 9));
  expect(batches.map((batch) => of(names(batch)))).toEqual(expected);
  expect((await Promise.all(batches.map(sitesIn))).map(of)).toEqual(expected);
});

test('the line of a site has what is known of it, and nothing that is not', async () => {
  const { batches, writer: table } = writer(3_600_000);
  const stopped = { limit: 'maxPages', message: 'x' };
  const facts = {
    outcome: 'partial',
    code: 'limit',
    reason: 'r',
    stopped,
    sitemaps: 4,
    stale: 2,
    bytes: 7,
    elapsedMs: 9,
  };
  const own = await table.add(siteWith('a', { ...facts, leftOut: { older: 3 } }, '1', '2'), {
    archive: 'x',
    previousProblem: 'y',
  });
  await table.add(siteWith('b', { sitemaps: 1, stale: 0, bytes: 0, elapsedMs: 0 }));
  await table.flush();
  expect(batches[0]?.sites[0]).toEqual(own);
  expect(JSON.parse(JSON.stringify(batches[0]?.sites))).toEqual([
    {
      ...{
        site: 'https://a.example/',
        ...facts,
        leftOut: { older: 3 },
        pages: 2,
        archive: 'x',
        previousProblem: 'y',
      },
      finishedAt: expect.stringMatching(/^20\d\d-.*Z$/),
    },
    {
      ...{ site: 'https://b.example/', outcome: 'complete', sitemaps: 1, bytes: 0, elapsedMs: 0, pages: 0 },
      finishedAt: expect.any(String),
    },
  ]);
});

test('a batch whose sites have no pages has no part, and an empty one is none', async () => {
  const { batches, writer: table } = writer(3_600_000);
  await table.flush();
  await table.add(siteWith('a', {}));
  await table.flush();
  await table.add(siteWith('b', {}, '1'));
  await table.flush();
  expect(batches.map((batch) => [names(batch), batch.part === undefined])).toEqual([
    [['https://a.example/'], true],
    [['https://b.example/'], false],
  ]);
});

test('a part that cannot be written loses its batch, leaves no file, and is not that of the next one', async () => {
  const { batches, writer: table } = writer(3_600_000);
  await table.add(siteWith('a', {}, '1'));
  const broken = siteWith('b', {});
  Object.defineProperty(broken, 'batches', {
    async *value() {
      yield [{ sitemap: 's', page: { url: 1n, toJSON: 1 }, stale: false }];
    },
  });
  await expect(table.add(broken)).rejects.toThrow(/BigInt/);
  await table.add(siteWith('c', {}, '2'));
  await table.flush();
  expect(batches.map(names)).toEqual([['https://c.example/']]);
  const [batch] = batches;
  expect([await sitesIn(batch!), readdirSync(dirname(batch?.part ?? ''))]).toEqual([
    ['https://c.example/'],
    [basename(batch?.part ?? '')],
  ]);
});
