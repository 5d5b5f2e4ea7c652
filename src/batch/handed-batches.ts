/**
 * What workers on any machine have finished: files in a folder that all of them see. A batch is there as a whole or not
 * at all, since its file appears behind its part, and it stays until `usp crawl` has published it.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ReplacedFile } from '../runtime/files.ts';
import type { CrawlFolder } from './crawl-folder.ts';
import type { Batch } from './journal.ts';

/** Hands a batch to `usp crawl`. @throws what the file system says; then nothing is handed over */
export async function handOver({ handed }: CrawlFolder, { part, sites }: Batch): Promise<void> {
  const name = randomUUID();
  if (part !== undefined) await rename(part, join(handed, name));
  const batch: Batch = { part: part === undefined ? undefined : name, sites };
  await ReplacedFile.write(join(handed, `${name}.json`), JSON.stringify(batch));
}

/** Publishes what was handed over. A batch whose part is gone is left out: its sites are crawled again. */
export async function takeHanded(
  { handed }: CrawlFolder,
  publish: (batch: Batch) => Promise<void>,
): Promise<void> {
  for (const name of await readdir(handed)) {
    if (!/^[\da-f-]+\.json$/.test(name)) continue;
    const file = join(handed, name);
    const { part: partName, sites } = JSON.parse(await readFile(file, 'utf8')) as Batch;
    const part = partName === undefined ? undefined : join(handed, partName);
    const isThere = part === undefined || (await stat(part).catch(() => undefined)) !== undefined;
    if (isThere) await publish({ part, sites });
    await rm(file, { force: true });
  }
}
