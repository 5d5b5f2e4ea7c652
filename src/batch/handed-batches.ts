/**
 * What workers on any machine have finished, for `usp crawl` to publish. A batch is a folder: it is made where its
 * worker works, and moved to `.tmp/handed/` in one step, so that it is there as a whole or not at all. It stays until
 * it is published.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, flushFolder, ReplacedFile, removeAll } from '../runtime/files.ts';
import { type CrawlFolder, newOwnFolder } from './crawl-folder.ts';
import type { Batch, FinishedSite } from './journal.ts';

const SITES = 'sites.json';
const PART = 'part';

/** Hands a batch to `usp crawl`. @throws what the file system says; then nothing is handed over */
export async function handOver(folder: CrawlFolder, { part, sites }: Batch): Promise<void> {
  const own = newOwnFolder(folder);
  await mkdir(own);
  if (part !== undefined) await rename(part, join(own, PART));
  await ReplacedFile.write(join(own, SITES), JSON.stringify(sites));
  await rename(own, join(folder.handed, randomUUID()));
  await flushFolder(folder.handed);
}

/**
 * Publishes what was handed over, and removes it. A batch without its part is left out: it was published, or a kill on
 * the way lost it, and then its sites are crawled again.
 */
export async function takeHanded(
  { handed }: CrawlFolder,
  publish: (batch: Batch) => Promise<void>,
): Promise<void> {
  for (const name of await readdir(handed)) {
    const batch = await batchIn(join(handed, name));
    if (batch !== undefined) await publish(batch);
    await removeAll(join(handed, name));
  }
}

async function batchIn(path: string): Promise<Batch | undefined> {
  const text = await readFile(join(path, SITES), 'utf8').catch((error: unknown) => {
    // What is left where a kill stopped the removal.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  // A worker of the same version wrote it.
  const sites = JSON.parse(text) as readonly FinishedSite[];
  if (sites.every(({ pages }) => pages === 0)) return { part: undefined, sites };
  const part = join(path, PART);
  return (await stat(part).catch(() => undefined)) === undefined ? undefined : { part, sites };
}
