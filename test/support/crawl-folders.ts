/** Folders of crawls, and what is in them. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type CrawlFolder, folderOfCrawl, makeFolders } from '../../src/batch/crawl-folder.ts';
import { type FinishedSite, Journal, type SiteLine } from '../../src/batch/journal.ts';
import { COLUMNS, createTable } from '../../src/batch/output/parts.ts';
import type { TableFormat } from '../../src/batch/output/table-file.ts';
import { type AtEnd, folderUntil } from './folder.ts';

/** A path for the folder of a crawl, which is not there yet. */
export function crawlPath(atEnd: AtEnd = onTestFinished): string {
  return join(folderUntil(atEnd), 'crawl');
}

/** A folder with what a crawl makes first. */
export async function crawlFolder(): Promise<CrawlFolder> {
  const folder = folderOfCrawl(crawlPath());
  await makeFolders(folder);
  return folder;
}

/** The journal of a folder whose lock this process has. */
export async function journalOf(folder: CrawlFolder, isHeld = (): boolean => true): Promise<Journal> {
  const lock = { isHeld: async () => isHeld() };
  const journal = await Journal.open(folder, { format: 'ndjson', lock });
  onTestFinished(() => journal.close());
  return journal;
}

export function finishedSite(site: string, pages = 1): FinishedSite {
  return {
    site,
    outcome: 'complete',
    sitemaps: 1,
    pages,
    bytes: 100,
    elapsedMs: 5,
    finishedAt: '2026-01-02T03:04:05.000Z',
  };
}

/** The lines of `sites.ndjson`. */
export function linesOf(path: string): readonly SiteLine[] {
  return readFileSync(join(path, 'sites.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SiteLine);
}

/** The URLs of all pages in the published ndjson parts, by site, each list sorted. */
export function pagesBySite(path: string): Map<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of readdirSync(join(path, 'pages')).sort()) {
    for (const line of gunzipSync(readFileSync(join(path, 'pages', name)))
      .toString('utf8')
      .split('\n')) {
      if (line === '') continue;
      const { site, url } = JSON.parse(line) as { site: string; url: string };
      const urls = found.get(site) ?? [];
      urls.push(url);
      found.set(site, urls);
    }
  }
  for (const urls of found.values()) urls.sort();
  return found;
}

/** The rows of a site, by the names of their columns; what its line has besides; its part, if sites share some. */
interface WrittenSite extends Partial<Omit<SiteLine, 'pages'>> {
  readonly site: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly part?: number;
}

/** The folder of a finished crawl, without a crawl: each site has a part of its own, unless it names one. */
export async function writtenCrawl(
  sites: readonly WrittenSite[],
  { format = 'ndjson', options = {} }: { format?: TableFormat; options?: object } = {},
): Promise<string> {
  const { path, pages, sites: journal, description } = folderOfCrawl(crawlPath());
  mkdirSync(pages, { recursive: true });
  const extension = { parquet: 'parquet', ndjson: 'ndjson.gz', csv: 'csv.gz' }[format];
  const lines: SiteLine[] = [];
  const parts = new Map<number, WrittenSite[]>();
  for (const [at, site] of sites.entries()) {
    const part = site.part ?? 1_000 + at;
    parts.set(part, [...(parts.get(part) ?? []), site]);
  }
  for (const [batch, inPart] of [...parts.values()].entries()) {
    const name = `part-${String(batch + 1).padStart(8, '0')}.0123abcd.${extension}`;
    const table = await createTable(join(pages, name), format);
    for (const { site, rows } of inPart) {
      const all = rows.map(
        (row) => ({ site, sitemap: `${site}sitemap.xml`, ...row }) as Record<string, unknown>,
      );
      await table.write(all.map((row) => COLUMNS.map((column) => row[column.name])));
    }
    await table.finish();
    const place = { parts: [`pages/${name}`], partBytes: statSync(join(pages, name)).size };
    for (const { rows, part: _part, ...line } of inPart) {
      const own = rows.length === 0 ? { parts: [] } : place;
      lines.push({
        ...finishedSite(line.site, rows.length),
        ...own,
        ...line,
        batch: batch + 1,
        of: inPart.length,
      });
    }
  }
  writeFileSync(journal, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const id = '01234567-89ab-cdef-0123-456789abcdef';
  const count = lines.reduce((sum, line) => sum + line.pages, 0);
  const finished = { complete: lines.length, partial: 0, none: 0, failed: 0, pages: count };
  const time = '2026-01-02T03:04:05.000Z';
  const facts = { id, key: id, version: '1.0.0', format, options, state: 'done', sites: lines.length };
  writeFileSync(description, JSON.stringify({ ...facts, startedAt: time, updatedAt: time, finished }));
  return path;
}
