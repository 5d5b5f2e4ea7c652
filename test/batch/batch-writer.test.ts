/** §14.2: which finished sites come together in a batch, and when it ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BatchWriter, UnreadableSite } from '../../src/batch/batch-writer.ts';
import { failedSite } from '../../src/batch/crawl-sites.ts';
import { type CrawledSite, crawlSites } from '../../src/batch/index.ts';
import type { Batch } from '../../src/batch/journal.ts';
import { COLUMNS, readTable } from '../../src/batch/output/parts.ts';
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
