/** Opens the folder of a crawl: a new crawl, or one that is continued. */
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SitemapException } from '../index.ts';
import {
  errorCode,
  fileTrouble,
  isTemporaryName,
  ReplacedFile,
  removeLeftovers,
  systemError,
} from '../runtime/files.ts';
import { type OwnedLock, takeLock } from '../runtime/owned-lock.ts';
import {
  type CrawlDescription,
  type CrawlFolder,
  folderOfCrawl,
  makeFolders,
  readDescription,
  removeAbandoned,
} from './crawl-folder.ts';
import { removeParcels } from './handed-batches.ts';
import { Journal } from './journal.ts';

type WantedCrawl = Pick<CrawlDescription, 'version' | 'format' | 'options'>;

/** The open folder of a crawl. Only the process that has it publishes batches and fills the queue. */
export class OpenCrawl {
  readonly folder: CrawlFolder;
  readonly journal: Journal;
  readonly #lock: OwnedLock;
  description: CrawlDescription;

  private constructor(journal: Journal, lock: OwnedLock, folder: CrawlFolder, description: CrawlDescription) {
    this.folder = folder;
    this.journal = journal;
    this.#lock = lock;
    this.description = description;
  }

  /**
   * @param wantedOf - returns what to crawl, given the crawl in the folder; throws if that is another crawl
   * @throws SitemapException if the folder cannot be written, or is in use
   */
  static async open(
    path: string,
    wantedOf: (earlier: CrawlDescription | undefined) => WantedCrawl,
  ): Promise<OpenCrawl> {
    const folder = folderOfCrawl(path);
    try {
      const earlier = await crawlIn(folder);
      const crawl = wantedOf(earlier);
      const description =
        earlier === undefined
          ? newDescription(crawl)
          : { ...earlier, version: crawl.version, options: crawl.options };
      await makeFolders(folder);
      const lock = await lockOf(folder);
      try {
        const journal = await Journal.open(folder, { format: description.format, lock });
        await removeParcels(folder, false);
        await removeAbandoned(folder);
        return new OpenCrawl(journal, lock, folder, description);
      } catch (error) {
        await lock.release();
        throw error;
      }
    } catch (error) {
      throw folderUnwritable(path, error);
    }
  }

  async describe(changes: Partial<Pick<CrawlDescription, 'state' | 'sites'>>): Promise<void> {
    const { outcomes, pages } = this.journal.counts;
    const totals = { ...outcomes, pages };
    this.description = {
      ...this.description,
      ...changes,
      updatedAt: new Date().toISOString(),
      finished: totals,
    };
    await ReplacedFile.write(this.folder.description, `${JSON.stringify(this.description, undefined, 2)}\n`);
  }

  async close(): Promise<void> {
    await this.journal.close().catch(() => {});
    await this.#lock.release().catch(() => {});
  }
}

/** A crawl on another machine that gave no sign of life for this time is considered dead. */
const LEASE_MS = 30_000;

async function lockOf({ path, temporary }: CrawlFolder): Promise<OwnedLock> {
  const file = join(temporary, 'crawl.lock');
  const result = await takeLock(file, { leaseMs: LEASE_MS });
  if ('lock' in result) return result.lock;
  const { pid, host } = result.holder?.identity ?? { pid: 'unknown', host: 'an unknown machine' };
  throw new SitemapException(
    `Another usp crawl is at work in ${path}: process ${pid} on ${host}. ` +
      `Wait until it has ended, or stop it. If that process is not a crawl, remove ${file}.`,
    { code: 'folder-in-use' },
  );
}

/** The crawl in a folder; undefined in a new or empty folder. */
async function crawlIn(folder: CrawlFolder): Promise<CrawlDescription | undefined> {
  await removeLeftovers(folder.path);
  const names = await readdir(folder.path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const description = await readDescription(folder);
  if (description !== undefined) return description;
  // A crawl that was killed before it had written crawl.json leaves these, and nothing in them.
  const leftovers = ['pages', '.tmp', ...((await isEmptyFile(folder.sites)) ? [basename(folder.sites)] : [])];
  const others = names.filter((name) => !leftovers.includes(name) && !isTemporaryName(name));
  if (others.length === 0) return undefined;
  throw new SitemapException(
    `${folder.path} is not the folder of a crawl: it has ${others.slice(0, 3).join(', ')}. ` +
      'Give -o another folder, or an empty one.',
    { code: 'not-a-crawl' },
  );
}

async function isEmptyFile(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() === true && stats.size === 0;
}

function newDescription(crawl: WantedCrawl): CrawlDescription {
  const now = new Date().toISOString();
  return {
    id: randomUUID(),
    key: randomUUID(),
    ...crawl,
    state: 'running',
    sites: 0,
    startedAt: now,
    updatedAt: now,
    finished: { complete: 0, partial: 0, none: 0, failed: 0, pages: 0 },
  };
}

/** Turns an error of the file system into a sentence; returns other errors unchanged. */
export function folderUnwritable(path: string, error: unknown): unknown {
  if (error instanceof SitemapException && error.code !== 'folder-unwritable') return error;
  const isOfSystem = systemError(error) !== undefined || error instanceof SitemapException;
  if (!isOfSystem) return error;
  const why = error instanceof SitemapException ? error.message.replace(/\.$/, '') : fileTrouble(error);
  return new SitemapException(
    `${path} cannot be written: ${why}. What is finished is kept; run the same command again to continue.`,
    { code: 'folder-unwritable', cause: error },
  );
}
