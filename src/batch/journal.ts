/**
 * `sites.ndjson`, the journal of a crawl: one line for each finished site. It alone decides what is finished; a queue
 * may forget everything, and any process may die at any moment.
 *
 * How pages are published exactly once:
 *
 * 1. A process crawls a site to its end before a row of it is written. It writes the rows of whole sites to a part
 *    below `.tmp/`, and flushes it. A part with its sites is a *batch*. It is published as a whole or not at all.
 * 2. One publisher at a time works in the folder: it holds a lock whose number grows each time (fenced-lock.ts).
 * 3. With the lock held, it opens the journal, makes sure that the lock is still its own, and reads the lines that are
 *    new. Sites of the batch that have a line already are dropped from it: the part is copied without their rows.
 * 4. It moves the part to `.tmp/part-<number>`, appends the lines of all its sites in one write, and flushes the
 *    journal. From here on the sites are finished. Each line has the number of its batch and how many lines that has,
 *    so a batch of which only some lines arrived is recognised.
 * 5. It moves the part to `pages/part-<number>`, flushes that folder, and releases the lock.
 *
 * Who takes the lock after a holder that did not release it recovers first. It copies the complete batches of the
 * journal to a new file, which takes the name of the old one; it moves the parts that lines name from `.tmp/` to
 * `pages/`; it deletes all other parts with a number. Every start of a crawl does the same.
 *
 * The new file is the fence. A publisher that was stopped for longer than the lease, and continues after another one
 * has taken its lock, has the old file open: it opened the file before it last checked its lock. What it appends goes
 * to a file without a name, and then it finds that its batch is not in the journal.
 *
 * @packageDocumentation
 */
import { copyFile, type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SeenUrls, SitemapException } from '../index.ts';
import { flushFolder } from '../runtime/files.ts';
import { type CrawlFolder, partNumber } from './crawl-folder.ts';
import type { Outcome } from './crawled-site.ts';
import type { HeldLock } from './fenced-lock.ts';

/** A line of `sites.ndjson`: what came of one site. */
export interface SiteLine {
  /** The normalised homepage. */
  readonly site: string;
  readonly outcome: Outcome;
  /** A stable kebab-case word for what the reason is about. */
  readonly code?: string | undefined;
  /** Why the outcome is not `complete`. */
  readonly reason?: string | undefined;
  /** Sitemaps that were read, robots.txt not counted. */
  readonly sitemaps: number;
  /** Rows in the parts. */
  readonly pages: number;
  /** Bytes of all documents after decoding. */
  readonly bytes: number;
  /** How long the crawl of the site took. */
  readonly elapsedMs: number;
  /** When that was over: UTC, ISO 8601. */
  readonly finishedAt: string;
  /** The files with its pages, relative to the folder of the crawl. */
  readonly parts: readonly string[];
  /** Its WARC file, relative to the folder of the crawl, where archives are kept. */
  readonly archive?: string | undefined;
  /** Why the archive of the earlier crawl was not used, in a sentence. */
  readonly previousProblem?: string | undefined;
  /** The number of the publication. */
  readonly batch: number;
  /** How many lines the batch has. */
  readonly of: number;
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;

/** The journal of one folder, as far as this process has read it. */
export class Journal {
  readonly #folder: CrawlFolder;
  readonly #sites = new SeenUrls();
  readonly #batches = new Set<number>();
  readonly #onLine: (line: SiteLine) => void;
  #lastBatch = 0;
  /** Up to here, complete batches were read. */
  #end = 0;
  #lines = 0;

  /** @param onLine - called once for each finished site */
  constructor(folder: CrawlFolder, onLine: (line: SiteLine) => void = () => {}) {
    this.#folder = folder;
    this.#onLine = onLine;
  }

  /** How many sites are finished. */
  get size(): number {
    return this.#lines;
  }

  /** The highest number of a batch. */
  get lastBatch(): number {
    return this.#lastBatch;
  }

  /** Whether a site is finished. */
  has(site: string): boolean {
    return this.#sites.has(site);
  }

  /** Whether a batch was published. */
  hasBatch(number: number): boolean {
    return this.#batches.has(number);
  }

  /** Reads the lines that were added since the last time. Returns whether there is more, an incomplete batch. */
  async read(): Promise<{ readonly isTorn: boolean }> {
    const file = await open(this.#folder.sites, 'r').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return { isTorn: false };
    try {
      return { isTorn: await this.#readFrom(file) };
    } finally {
      await file.close();
    }
  }

  async #readFrom(file: FileHandle): Promise<boolean> {
    const { size } = await file.stat();
    // It is looked at twice a second, and mostly has nothing new.
    if (size <= this.#end) return false;
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - this.#end));
    let rest: Buffer = Buffer.alloc(0);
    let batch: SiteLine[] = [];
    let batchBytes = 0;
    let at = this.#end;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let from = 0;
      for (let to = bytes.indexOf(NEWLINE); to !== -1; to = bytes.indexOf(NEWLINE, from)) {
        const line = this.#parse(bytes.toString('utf8', from, to), this.#lines + batch.length + 1);
        const [first] = batch;
        if (first !== undefined && first.batch !== line.batch) throw this.#damaged(this.#lines + 1);
        batch.push(line);
        batchBytes += to + 1 - from;
        from = to + 1;
        if (batch.length < line.of) continue;
        this.#end += batchBytes;
        for (const each of batch) this.#note(each);
        batch = [];
        batchBytes = 0;
      }
      rest = bytes.subarray(from);
    }
    return rest.length > 0 || batch.length > 0;
  }

  #note(line: SiteLine): void {
    this.#lines++;
    this.#sites.add(line.site);
    this.#batches.add(line.batch);
    this.#lastBatch = Math.max(this.#lastBatch, line.batch);
    this.#onLine(line);
  }

  #parse(text: string, number: number): SiteLine {
    try {
      const line = JSON.parse(text) as SiteLine;
      if (typeof line.site === 'string' && Number.isInteger(line.batch) && line.of >= 1) return line;
    } catch {
      // Reported below, as is JSON that is something else.
    }
    throw this.#damaged(number);
  }

  #damaged(number: number): SitemapException {
    return new SitemapException(
      `${this.#folder.sites} is damaged at line ${number}, so it is not known which sites are finished. ` +
        'Restore the file, or start again with an empty folder.',
      { code: 'journal-damaged' },
    );
  }

  /**
   * Opens the journal for the lines of a batch. It must be opened before the lock is checked.
   *
   * @throws what the file system says
   */
  openForLines(): Promise<FileHandle> {
    return open(this.#folder.sites, 'a');
  }

  /** Appends the lines of one batch and flushes them. Where that fails, nothing is left of them. */
  async append(file: FileHandle, lines: readonly SiteLine[]): Promise<void> {
    const { size } = await file.stat();
    try {
      await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await file.sync();
    } catch (error) {
      await file.truncate(size);
      await file.sync();
      throw error;
    }
  }

  /** Brings the folder into order, with the lock held. See the head of this file. */
  async recover(lock: HeldLock): Promise<void> {
    await (await this.openForLines()).close();
    const { isTorn } = await this.read();
    if (isTorn || lock.isAfterDeath) await this.#replace(lock);
    await this.#settleParts();
  }

  async #replace(lock: HeldLock): Promise<void> {
    const copy = join(this.#folder.temporary, `sites-${lock.number}.ndjson`);
    try {
      await copyFile(this.#folder.sites, copy);
      const file = await open(copy, 'r+');
      try {
        await file.truncate(this.#end);
        await file.sync();
      } finally {
        await file.close();
      }
      if (!(await lock.isHeld())) return;
      await rename(copy, this.#folder.sites);
    } finally {
      await rm(copy, { force: true });
    }
    await flushFolder(this.#folder.path);
  }

  /** Finishes the moves that lines name, and deletes the other parts that have a number. */
  async #settleParts(): Promise<void> {
    const { temporary, pages } = this.#folder;
    let hasMoved = false;
    for (const name of await readdir(temporary)) {
      const number = partNumber(name);
      if (number === undefined) continue;
      if (!this.hasBatch(number)) {
        await rm(join(temporary, name), { force: true });
        continue;
      }
      await rename(join(temporary, name), join(pages, name));
      hasMoved = true;
    }
    if (hasMoved) await flushFolder(pages);
  }
}
