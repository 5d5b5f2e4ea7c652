/** Folders of crawls, and what is in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type CrawlFolder, folderOfCrawl, makeFolders } from '../../src/batch/crawl-folder.ts';
import { type FinishedSite, Journal, type SiteLine } from '../../src/batch/journal.ts';
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
