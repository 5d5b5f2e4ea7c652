/** §14.2: a site whose pages cannot be read to their end leaves no row in a part, and takes none of another site. */
import { mkdirSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BatchWriter, UnreadableSite } from '../../src/batch/batch-writer.ts';
import { type CrawledSite, crawlOne, sharedCrawl } from '../../src/batch/crawl-sites.ts';
import type { CrawlSitesOptions, PageRow } from '../../src/batch/index.ts';
import type { Batch } from '../../src/batch/journal.ts';
import type { TableFormat } from '../../src/batch/output/table-file.ts';
import { loadTree, type Sitemap, saveTree, sitemapTreeForHomepage } from '../../src/index.ts';
import { recordPlace } from '../support/archives.ts';
import { crawlPath } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { readPart } from '../support/part-rows.ts';
import { sized } from '../support/tier.ts';

const QUICK: CrawlSitesOptions = { proxy: false, retries: 0, useKnownPaths: false };

/** The URLs of the pages in a part. */
function urlsIn({ part }: Batch, format: TableFormat): readonly string[] {
  if (part === undefined) return [];
  return readPart(part, format).map((row) => (row as { readonly url: string }).url);
}

/** The same site. What reads its rows is heard of. */
function hearing(site: CrawledSite, hear: (row: PageRow) => void): CrawledSite {
  const all = site.batches.bind(site);
  return Object.assign(site, {
    async *batches() {
      for await (const rows of all()) {
        rows.forEach(hear);
        yield rows;
      }
    },
  });
}

test.each(sized<readonly TableFormat[]>({ fast: ['parquet'], full: ['parquet', 'ndjson'] }))(
  'rows that were written before an archive was found to be cut are dropped, %s',
  async (format) => {
    const folder = crawlPath();
    mkdirSync(folder);
    const archive = `${folder}.warc.gz`;
    const sites = await loopbackSites();
    const [good, cut] = [1, 3].map(sites.homepage) as [string, string];
    const tree = await sitemapTreeForHomepage(cut, QUICK);
    await saveTree(tree, archive);
    tree.close();
    const batches: Batch[] = [];
    const failed = (error: unknown): never => {
      throw error;
    };
    const onBatch = (batch: Batch): number => batches.push(batch);
    const writer = new BatchWriter({ folder, format, everyMs: 60_000, onBatch, onError: failed });
    const previous = (): Promise<Sitemap> => loadTree(archive);
    const list = [good, { url: cut, previous }];
    let written = 0;
    const shared = sharedCrawl(QUICK);
    for (const each of list) {
      const site = hearing(await crawlOne(each, shared), ({ sitemap }) => {
        if (sitemap.startsWith(cut)) written++;
      });
      if (site.site === good) await writer.add(site);
      else {
        expect(site.outcome).toBe('complete');
        truncateSync(archive, recordPlace(archive, `${cut}b.xml`) + 100);
        const error = await writer.add(site).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(UnreadableSite);
        expect(String(error)).toContain('/b.xml');
      }
      site.close();
    }
    await shared.pool.close();
    // All of a.xml had been written, and a batch ended with the other site.
    expect(written).toBe(sites.pages(3).length / 2);
    await writer.flush();
    expect(batches.flatMap((batch) => batch.sites.map(({ site }) => site))).toEqual([good]);
    expect(batches.flatMap((batch) => urlsIn(batch, format)).sort()).toEqual(sites.pages(1));
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([batches[0]?.part]);
  },
);

test('after rows could not be written, later batches have nothing of the batch that is lost', async () => {
  const folder = crawlPath();
  mkdirSync(folder);
  const sites = await loopbackSites();
  const [lost, good] = [3, 1].map(sites.homepage) as [string, string];
  const batches: Batch[] = [];
  const onBatch = (batch: Batch): number => batches.push(batch);
  const writer = new BatchWriter({ folder, format: 'ndjson', everyMs: 60_000, onBatch, onError: () => {} });
  // The rows of the second document cannot be encoded.
  const shared = sharedCrawl(QUICK);
  for (const url of [lost, good]) {
    const site = hearing(await crawlOne(url, shared), (row) => {
      if (row.sitemap === `${lost}b.xml`) Object.assign(row, { page: undefined });
    });
    const added = writer.add(site);
    await (url === lost ? expect(added).rejects.toThrow(TypeError) : added);
    site.close();
  }
  await shared.pool.close();
  await writer.flush();
  expect(batches.flatMap((batch) => batch.sites.map(({ site }) => site))).toEqual([good]);
  expect(batches.flatMap((batch) => urlsIn(batch, 'ndjson')).sort()).toEqual(sites.pages(1));
});
