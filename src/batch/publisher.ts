/** Publishes batches, one at a time, as the head of journal.ts describes it. */
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SitemapException } from '../index.ts';
import { errorCode, flushFolder } from '../runtime/files.ts';
import { inTurn } from '../runtime/time.ts';
import { type CrawlFolder, copyName, partName, type ReplacedLines, removeAbandoned } from './crawl-folder.ts';
import { FencedLock, type FencedLockOptions, type HeldLock } from './fenced-lock.ts';
import type { Journal, PartPlace, SiteLine } from './journal.ts';
import { dropSites, readTable, withoutSites } from './output/parts.ts';
import type { TableFormat } from './output/table-file.ts';

export type FinishedSite = Omit<SiteLine, 'parts' | 'batch' | 'of'>;

export interface Batch {
  /** Below `.tmp/`, flushed; undefined where no site has a page. */
  readonly part: string | undefined;
  readonly sites: readonly FinishedSite[];
}

interface Published {
  /** The sites that have a line now, from this batch or an earlier one. */
  readonly finished: readonly string[];
  readonly again: readonly string[];
}

export class Publisher {
  readonly #folder: CrawlFolder;
  readonly #journal: Journal;
  readonly #format: TableFormat;
  readonly #lock: FencedLock;
  readonly #inTurn = inTurn();

  constructor(folder: CrawlFolder, journal: Journal, format: TableFormat, options?: FencedLockOptions) {
    this.#folder = folder;
    this.#journal = journal;
    this.#format = format;
    this.#lock = new FencedLock(folder.temporary, 'publish', options);
  }

  async recover(): Promise<void> {
    await this.#alone(async (lock) => {
      await this.#journal.recover(lock);
      await removeAbandoned(this.#folder);
      return true;
    });
  }

  /**
   * The parts that lines name and that are not as they were written: missing, or of another size.
   *
   * @param options - `rows`: whether all rows are read and counted, too
   */
  damagedParts({ rows }: { readonly rows: boolean }): Promise<readonly string[]> {
    return this.#alone(async () => {
      const damaged: string[] = [];
      for (const [part, facts] of this.#journal.parts) {
        const path = join(this.#folder.path, part);
        const found = await stat(path).catch(() => undefined);
        const isWhole = found !== undefined && (facts.bytes === undefined || facts.bytes === found.size);
        const isRead = !rows || !isWhole || (await rowsIn(path, this.#format)) === facts.rows;
        if (!isWhole || !isRead) damaged.push(part);
      }
      return damaged;
    });
  }

  /** Other lines count no more, since `usp crawl` was started again; behind all other work of this process. */
  replaceLines(replaced: ReplacedLines | undefined): Promise<void> {
    return this.#inTurn(() => this.#journal.replaceLines(replaced));
  }

  /** Removes the lines of the journal that count no more, and their rows. */
  async compact(): Promise<void> {
    const { path: folder, temporary, pages } = this.#folder;
    await this.#alone(async (lock) => {
      if (lock.isAfterDeath) await this.#journal.recover(lock);
      const replaced = await this.#journal.replacedRows();
      const moved = new Map<string, PartPlace>();
      for (const [part, sites] of replaced) {
        const name = copyName(part, lock.number);
        await dropSites({ path: join(folder, part), format: this.#format }, join(temporary, name), sites);
        const partBytes = (await stat(join(temporary, name))).size;
        moved.set(part, { parts: [`pages/${name}`], partBytes });
      }
      await flushFolder(temporary);
      if (!(await this.#journal.compact(lock, moved))) return undefined;
      // Recovery moves the copies that lines name, and removes what none names.
      await this.#journal.recover(lock);
      await flushFolder(pages);
      return true;
    });
  }

  /** @throws what the file system says; then nothing of the batch is published */
  publish(batch: Batch): Promise<Published> {
    return this.#alone(async (lock) => {
      if (lock.isAfterDeath) await this.#journal.recover(lock);
      return this.#publish(batch, lock);
    });
  }

  /** Runs work with the lock held, behind all other work of this process. */
  #alone<Result>(work: (lock: HeldLock) => Promise<Result | undefined>): Promise<Result> {
    return this.#inTurn(async () => {
      for (;;) {
        await this.#journal.read();
        const lock = await this.#lock.acquire(this.#journal.lastBatch);
        // Where the work fails, the next holder recovers what is half done.
        let done: Result | undefined;
        try {
          done = await work(lock);
        } catch (error) {
          await lock.abandon();
          throw error;
        }
        await lock.release();
        if (done !== undefined) return done;
      }
    });
  }

  /** Undefined where the lock is not ours any more, and has to be taken again. */
  async #publish({ part, sites }: Batch, lock: HeldLock): Promise<Published | undefined> {
    const journal = this.#journal;
    const file = await journal.openForLines();
    try {
      if (!(await lock.isHeld())) return undefined;
      await journal.read();
      if (journal.lastBatch >= lock.number) return undefined;
      const isThere = part === undefined || (await stat(part).catch(() => undefined)) !== undefined;
      if (!isThere) return this.#came(sites);
      const unlisted = sites.filter(({ site }) => !journal.has(site));
      const left = part === undefined ? undefined : await this.#withoutListed(part, sites);
      if (unlisted.length > 0) await this.#commit(file, left, unlisted, lock);
      await journal.read();
      return this.#came(sites);
    } catch (error) {
      // What NFS says where another machine has replaced the journal: the lock is not ours any more.
      if (errorCode(error) === 'ESTALE') return undefined;
      throw error;
    } finally {
      await file.close().catch(() => {});
    }
  }

  /** The part without the sites that have a line already; undefined where no row is left. */
  async #withoutListed(part: string, sites: readonly FinishedSite[]): Promise<string | undefined> {
    const withPages = sites.filter(({ pages }) => pages > 0).map(({ site }) => site);
    const listed = withPages.filter((site) => this.#journal.has(site));
    if (listed.length === 0) return part;
    return withoutSites(part, this.#format, listed, listed.length < withPages.length);
  }

  async #commit(
    file: Awaited<ReturnType<Journal['openForLines']>>,
    part: string | undefined,
    sites: readonly FinishedSite[],
    lock: HeldLock,
  ): Promise<void> {
    const name = partName(lock.number, this.#format);
    const staged = join(this.#folder.temporary, name);
    const published = join(this.#folder.pages, name);
    let partBytes: number | undefined;
    if (part !== undefined) {
      partBytes = (await stat(part)).size;
      if ((await stat(published).catch(() => undefined)) !== undefined) {
        throw new SitemapException(`${published} is there, but no line of sites.ndjson names it.`, {
          code: 'part-exists',
        });
      }
      await rename(part, staged);
      // The lines name it, so it must not be gone after a crash of the machine.
      await flushFolder(this.#folder.temporary);
    }
    const lines = sites.map(
      (site): SiteLine => ({
        ...site,
        ...(part === undefined || site.pages === 0 ? { parts: [] } : { parts: [`pages/${name}`], partBytes }),
        batch: lock.number,
        of: sites.length,
      }),
    );
    await this.#journal.append(file, lines);
    // Someone else may have taken the lock since: then the lines count only if they are in the journal by its name, and
    // the other one has moved the part.
    if (part === undefined || !(await lock.isHeld())) return;
    await rename(staged, published).catch(async (error: unknown) => {
      // Someone else has taken the lock in this very moment, and has moved it.
      if ((await stat(published).catch(() => undefined)) === undefined) throw error;
    });
    await flushFolder(this.#folder.pages);
  }

  #came(sites: readonly FinishedSite[]): Published {
    const names = sites.map(({ site }) => site);
    return {
      finished: names.filter((site) => this.#journal.has(site)),
      again: names.filter((site) => !this.#journal.has(site)),
    };
  }
}

/** Undefined where not all can be read. */
async function rowsIn(path: string, format: TableFormat): Promise<number | undefined> {
  let rows = 0;
  try {
    for await (const batch of readTable(path, format)) rows += batch.length;
    return rows;
  } catch {
    return undefined;
  }
}
