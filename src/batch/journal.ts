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
 * Lines that count no more (`crawl.json` says which: those of failed sites that are tried again, and those of a part
 * that is missing or damaged) stay in the file while their sites are crawled again. New lines are appended, and the last
 * line of a site counts. When all sites are finished, the file is compacted: the lines that others have replaced go.
 */
import { copyFile, type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SeenUrls, SitemapException, type SiteOutcome } from '../index.ts';
import { errorCode, flushFolder } from '../runtime/files.ts';
import { type CrawlFolder, partNumber, type ReplacedLines } from './crawl-folder.ts';
import type { HeldLock } from './fenced-lock.ts';

/** A line of `sites.ndjson`: what came of one site. */
export interface SiteLine {
  /** The normalised homepage. */
  readonly site: string;
  readonly outcome: SiteOutcome;
  /** A stable kebab-case word for what the reason is about. */
  readonly code?: string | undefined;
  /** Why the outcome is not `complete`. */
  readonly reason?: string | undefined;
  /** Sitemaps that were read, robots.txt not counted. */
  readonly sitemaps: number;
  /** Sitemaps that could not be read and are those of an earlier crawl, where there are some. */
  readonly stale?: number | undefined;
  /** Rows in the parts. */
  readonly pages: number;
  /** Bytes of all documents after decoding. */
  readonly bytes: number;
  readonly elapsedMs: number;
  /** When that was over: UTC, ISO 8601. */
  readonly finishedAt: string;
  /** The files with its pages, relative to the folder of the crawl. */
  readonly parts: readonly string[];
  readonly partBytes?: number | undefined;
  /** Its WARC file, relative to the folder of the crawl, where archives are kept. */
  readonly archive?: string | undefined;
  /** Why the archive of the earlier crawl was not used, in a sentence. */
  readonly previousProblem?: string | undefined;
  /** The number of the publication. */
  readonly batch: number;
  /** How many lines the batch has. */
  readonly of: number;
}

type CountedSite = Pick<SiteLine, 'outcome' | 'pages' | 'code'>;

export class CrawlCounts {
  readonly outcomes: Record<SiteOutcome, number> = { complete: 0, partial: 0, none: 0, failed: 0 };
  readonly reasons: Map<string, number> = new Map();
  sites = 0;
  pages = 0;

  add({ outcome, pages, code }: CountedSite): void {
    this.sites++;
    this.outcomes[outcome]++;
    this.pages += pages;
    if (outcome === 'failed' && code !== undefined) this.reasons.set(code, (this.reasons.get(code) ?? 0) + 1);
  }

  plus(more: Iterable<CountedSite>): CrawlCounts {
    const sum = new CrawlCounts();
    const { sites, pages } = this;
    Object.assign(sum, { sites, pages, outcomes: { ...this.outcomes }, reasons: new Map(this.reasons) });
    for (const site of more) sum.add(site);
    return sum;
  }
}

/** Where the rows of a line are. */
export type PartPlace = Pick<SiteLine, 'parts' | 'partBytes'>;

export interface PartFacts {
  readonly bytes: number | undefined;
  readonly rows: number;
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;

/** The journal of one folder, as far as this process has read it. */
export class Journal {
  readonly #folder: CrawlFolder;
  #replaced: ReplacedLines | undefined;
  #lostParts: ReadonlySet<string>;
  #sites = new SeenUrls();
  /** The parts that lines name: `pages/part-00000001.parquet`. */
  readonly parts: Map<string, PartFacts> = new Map();
  counts: CrawlCounts = new CrawlCounts();
  lastBatch = 0;
  /** The file that was read: another one by the same name is read from its start. */
  #inode: number | undefined;
  /** Up to here, complete batches were read. */
  #end = 0;
  #lines = 0;

  /** @param replaced - the lines that count no more */
  constructor(folder: CrawlFolder, replaced?: ReplacedLines) {
    this.#folder = folder;
    this.#replaced = replaced;
    this.#lostParts = new Set(replaced?.parts);
  }

  /** Whether a site is finished: it has a line that counts. */
  has(site: string): boolean {
    return this.#sites.has(site);
  }

  /** Which lines count no more, from now on. */
  async replaceLines(replaced: ReplacedLines | undefined): Promise<void> {
    if (JSON.stringify(replaced) === JSON.stringify(this.#replaced)) return;
    this.#replaced = replaced;
    this.#lostParts = new Set(replaced?.parts);
    this.#forget();
    await this.read();
  }

  #forget(): void {
    this.#sites = new SeenUrls();
    this.parts.clear();
    this.counts = new CrawlCounts();
    this.lastBatch = 0;
    this.#inode = undefined;
    this.#end = 0;
    this.#lines = 0;
  }

  /** Reads the lines that were added since the last time. Returns whether there is more, an incomplete batch. */
  async read(): Promise<{ readonly isTorn: boolean }> {
    const file = await open(this.#folder.sites, 'r').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return { isTorn: false };
    try {
      const { size, ino } = await file.stat();
      if (ino !== this.#inode || size < this.#end) this.#forget();
      this.#inode = ino;
      // It is looked at twice a second, and mostly has nothing new.
      if (size === this.#end) return { isTorn: false };
      for await (const batch of this.#batches(file, this.#end)) {
        this.#end += batch.bytes;
        for (const line of batch.lines) this.#note(line);
        if (batch.isTorn) return { isTorn: true };
      }
      return { isTorn: false };
    } finally {
      await file.close();
    }
  }

  /** All lines of complete batches, from the first one on. A finished crawl has one for each site. */
  async *lines(): AsyncGenerator<SiteLine, void, undefined> {
    const file = await open(this.#folder.sites, 'r');
    try {
      for await (const { lines } of this.#batches(file, 0)) yield* lines;
    } finally {
      await file.close();
    }
  }

  /** The complete batches of a file; the last one `isTorn`, without lines, where something follows that is not one. */
  async *#batches(
    file: FileHandle,
    from: number,
  ): AsyncGenerator<{
    readonly lines: readonly SiteLine[];
    readonly bytes: number;
    readonly isTorn: boolean;
  }> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let rest: Buffer = Buffer.alloc(0);
    let lines: SiteLine[] = [];
    let size = 0;
    let number = from === 0 ? 0 : this.#lines;
    for (let at = from; ; ) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let begin = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, begin)) {
        const line = this.#parse(bytes.toString('utf8', begin, end), ++number);
        if (lines[0] !== undefined && lines[0].batch !== line.batch)
          throw this.#damaged(number - lines.length);
        lines.push(line);
        size += end + 1 - begin;
        begin = end + 1;
        if (lines.length < line.of) continue;
        yield { lines, bytes: size, isTorn: false };
        lines = [];
        size = 0;
      }
      rest = bytes.subarray(begin);
    }
    if (rest.length > 0 || lines.length > 0) yield { lines: [], bytes: 0, isTorn: true };
  }

  #note(line: SiteLine): void {
    this.#lines++;
    this.lastBatch = Math.max(this.lastBatch, line.batch);
    for (const part of line.parts) {
      const rows = (this.parts.get(part)?.rows ?? 0) + line.pages;
      this.parts.set(part, { rows, bytes: line.partBytes });
    }
    if (this.#isReplaced(line)) return;
    this.#sites.add(line.site);
    this.counts.add(line);
  }

  #isReplaced({ parts, outcome, batch }: SiteLine): boolean {
    if (this.#replaced === undefined) return false;
    return (outcome === 'failed' && batch <= this.#replaced.failedUpTo) || this.#isLost(parts);
  }

  #isLost(parts: readonly string[]): boolean {
    return parts.some((part) => this.#lostParts.has(part));
  }

  #parse(text: string, number: number): SiteLine {
    try {
      const line = JSON.parse(text) as SiteLine;
      const isLine = typeof line.site === 'string' && Number.isInteger(line.batch) && line.of >= 1;
      if (isLine && Array.isArray(line.parts)) return line;
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
      await file.appendFile(textOf(lines));
      await file.sync();
    } catch (error) {
      await file.truncate(size).catch(() => {});
      await file.sync().catch(() => {});
      throw error;
    }
  }

  /** Brings the folder into order, with the lock held. See the head of this file. */
  async recover(lock: HeldLock): Promise<void> {
    await (await this.openForLines()).close();
    const { isTorn } = await this.read();
    if (isTorn || lock.isAfterDeath) {
      await this.#replaceFile(lock, async (copy) => {
        await copyFile(this.#folder.sites, copy);
        const file = await open(copy, 'r+');
        await file.truncate(this.#end).finally(() => file.close());
      });
    }
    await this.#settleParts();
  }

  /** The rows in parts that lines of later batches have replaced: the sites by part. */
  async replacedRows(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const found = new Map<string, Set<string>>();
    for await (const line of this.lines()) {
      if (!this.#isReplaced(line) || !this.has(line.site)) continue;
      for (const part of line.parts) {
        if (!this.#lostParts.has(part)) found.set(part, (found.get(part) ?? new Set()).add(line.site));
      }
    }
    return found;
  }

  /**
   * Removes the lines that others have replaced, and those of lost parts; with the lock held.
   *
   * @param moved - by part, what takes its place
   * @returns false where the lock is lost, and nothing has happened
   */
  async compact(lock: HeldLock, moved: ReadonlyMap<string, PartPlace>): Promise<boolean> {
    // A failed site that the list has no more keeps its line.
    const isKept = (line: SiteLine): boolean =>
      !this.#isReplaced(line) || !(this.has(line.site) || this.#isLost(line.parts));
    const isDone = await this.#replaceFile(lock, async (copy) => {
      const [from, to] = [await open(this.#folder.sites, 'r'), await open(copy, 'wx')];
      try {
        for await (const { lines } of this.#batches(from, 0)) {
          const kept = lines.filter(isKept);
          const written = kept.map((line) => ({
            ...line,
            ...moved.get(line.parts[0] ?? ''),
            of: kept.length,
          }));
          await to.appendFile(textOf(written));
        }
      } finally {
        await from.close();
        await to.close();
      }
    });
    await this.read();
    return isDone;
  }

  async #replaceFile(lock: HeldLock, write: (copy: string) => Promise<void>): Promise<boolean> {
    const copy = join(this.#folder.temporary, `sites-${lock.number}.ndjson`);
    try {
      await write(copy);
      const file = await open(copy, 'r+');
      await file.sync().finally(() => file.close());
      if (!(await lock.isHeld())) return false;
      await rename(copy, this.#folder.sites);
    } finally {
      await rm(copy, { force: true });
    }
    await flushFolder(this.#folder.path);
    return true;
  }

  /** Finishes the moves that lines name, and deletes the other parts that have a number. */
  async #settleParts(): Promise<void> {
    const { temporary, pages } = this.#folder;
    let hasMoved = false;
    for (const name of await readdir(temporary)) {
      if (partNumber(name) === undefined) continue;
      if (!this.parts.has(`pages/${name}`)) {
        await rm(join(temporary, name), { force: true });
        continue;
      }
      await rename(join(temporary, name), join(pages, name));
      hasMoved = true;
    }
    if (hasMoved) await flushFolder(pages);
    // What was copied without some sites: its lines name the copy. A part is moved here after it has lines, so one that is
    // newer than all lines is not ours to delete: sites.ndjson has lost lines.
    for (const name of await readdir(pages)) {
      const number = partNumber(name);
      if (number === undefined || number > this.lastBatch || this.parts.has(`pages/${name}`)) continue;
      await rm(join(pages, name), { force: true });
    }
  }
}

function textOf(lines: readonly SiteLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
