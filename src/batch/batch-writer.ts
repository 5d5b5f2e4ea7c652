/**
 * Collects finished sites into batches. A batch is a part with the rows of all its sites, and the result of each site.
 * It ends after a time, or when it has enough rows or sites. A large site has a batch of its own.
 */
import { join } from 'node:path';
import { inTurn, startTimer, type Timer } from '../runtime/time.ts';
import type { CrawledSite } from './crawl-sites.ts';
import type { Batch, FinishedSite } from './journal.ts';
import { createTable, type PageRow, type TableWriter, valuesOf, withoutSites } from './output/parts.ts';
import { TABLE_EXTENSIONS, type TableFormat } from './output/table-file.ts';

interface BatchWriterOptions {
  readonly folder: string;
  readonly format: TableFormat;
  /** A batch ends when its first site has waited for this time. */
  readonly everyMs: number;
  /** Called with each batch, once its part is flushed. */
  readonly onBatch: (batch: Batch) => void;
  /** Called when a batch that the timer ended could not be written. */
  readonly onError: (error: unknown) => void;
}

export interface SiteExtras {
  readonly archive?: string | undefined;
  readonly previousProblem?: string | undefined;
}

/** The pages of a site cannot be read; parts can still be written. */
export class UnreadableSite extends Error {
  override readonly name = 'UnreadableSite';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

const MOST_ROWS = 250_000;
const MOST_SITES = 1_000;
/** A site of this size has a part of its own, so that it and other sites are not lost together. */
const LARGE_BYTES = 16 * 1024 * 1024;

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  #sites: FinishedSite[] = [];
  #part: TableWriter | undefined;
  #timer: Timer | undefined;
  /** Counts the parts of all writers of this process, since they may share a folder. */
  static #parts = 0;
  readonly #inTurn = inTurn();

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes the pages of a site. After an `UnreadableSite` the batch has nothing of the site. After an error of the file
   * system the whole batch is lost.
   */
  add(site: CrawledSite, extras: SiteExtras = {}): Promise<FinishedSite> {
    return this.#inTurn(async () => {
      const isLarge = site.bytes >= LARGE_BYTES;
      if (isLarge) await this.#end();
      const pages = await this.#writePages(site).catch(async (error: unknown) => {
        if (error instanceof UnreadableSite) await this.#endWithout(site.site);
        else await this.#take().part?.discard();
        throw error;
      });
      const { outcome, code, reason, stopped, sitemaps, bytes, elapsedMs } = site;
      const line = {
        site: site.site,
        outcome,
        code,
        reason,
        stopped,
        sitemaps,
        stale: site.stale || undefined,
        leftOut: Object.keys(site.leftOut).length === 0 ? undefined : site.leftOut,
      };
      const facts = { pages, bytes, elapsedMs, finishedAt: new Date().toISOString() };
      const finishedSite = { ...line, ...facts, ...extras };
      this.#sites.push(finishedSite);
      const isFull = (this.#part?.rows ?? 0) >= MOST_ROWS || this.#sites.length >= MOST_SITES;
      if (isLarge || isFull) await this.#end();
      else this.#timer ??= startTimer(this.#options.everyMs, () => this.flush().catch(this.#options.onError));
      return finishedSite;
    });
  }

  flush(): Promise<void> {
    return this.#inTurn(() => this.#end());
  }

  async #writePages(site: CrawledSite): Promise<number> {
    const { folder, format } = this.#options;
    const extension = TABLE_EXTENSIONS[format];
    let pages = 0;
    for await (const rows of readable(site.batches())) {
      this.#part ??= await createTable(
        join(folder, `${process.pid}-${++BatchWriter.#parts}${extension}`),
        format,
      );
      await this.#part.write(rows.map((row) => valuesOf(row, site.site)));
      pages += rows.length;
    }
    return pages;
  }

  async #end(): Promise<void> {
    if (this.#sites.length === 0) return;
    const { part, sites } = this.#take();
    await part?.finish();
    this.#options.onBatch({ part: part?.path, sites });
  }

  /** Ends the batch without the rows of a site that could not be read to its end. */
  async #endWithout(site: string): Promise<void> {
    const { part, sites } = this.#take();
    await part?.finish();
    const isAnyLeft = sites.some(({ pages }) => pages > 0);
    const smaller = part && (await withoutSites(part.path, this.#options.format, [site], isAnyLeft));
    if (sites.length > 0) this.#options.onBatch({ part: smaller, sites });
  }

  /** Ends the batch, and returns its part and its sites. */
  #take(): { readonly part: TableWriter | undefined; readonly sites: readonly FinishedSite[] } {
    this.#timer?.cancel();
    this.#timer = undefined;
    const [part, sites] = [this.#part, this.#sites];
    this.#part = undefined;
    this.#sites = [];
    return { part, sites };
  }
}

/** Yields the rows of a site. An error of reading them becomes an `UnreadableSite`. */
async function* readable(
  pages: AsyncIterable<readonly PageRow[]>,
): AsyncGenerator<readonly PageRow[], void, undefined> {
  try {
    yield* pages;
  } catch (error) {
    throw new UnreadableSite(error);
  }
}
