/**
 * `sites.ndjson`, the journal of a crawl: one line for each finished site. It alone decides what is finished; a queue
 * may forget everything, and any process may die at any moment.
 *
 * One process writes it: `usp crawl`, which holds the lock of the folder. All others hand their batches to it, its own
 * children by a message, and workers through Redis (handed-batches.ts). How pages are published exactly once:
 *
 * 1. A process crawls a site to its end before a row of it is written. It writes the rows of whole sites to a part
 *    below `.tmp/`, and flushes it. A part with its sites is a *batch*. It is published as a whole or not at all.
 * 2. Sites of the batch that have a line already are dropped from it: the part is copied without their rows.
 * 3. The part is moved to `.tmp/part-<number>`, and the lines of all its sites are appended in one write, and flushed.
 *    From here on the sites are finished. Each line has the number of its batch and how many lines that has, so a batch
 *    of which only some lines arrived is recognised.
 * 4. The part is moved to `pages/part-<number>`, and that folder is flushed.
 *
 * Every start copies the complete batches of the journal to a new file, which takes the name of the old one; it moves
 * the parts that lines name from `.tmp/` to `pages/`, and deletes all other parts with a number.
 *
 * The new file is the fence. A writer that was stopped for longer than the lease of its lock, and continues after
 * another one has taken the folder, has the old file open: what it appends goes to a file without a name. Then it finds
 * that it no longer has the lock. Each run has a random word in the names of its parts, so no two runs have the same
 * names.
 *
 * Some sites are crawled again: they failed, or their part is missing or damaged. They lose their line and their rows
 * at the start.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type LeftOutPages, SitemapException, type SiteOutcome, type Stopped } from '../index.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { fileTrouble, flushFolder, replaceFile, systemError } from '../runtime/files.ts';
import { entryAt, removeFile } from '../runtime/inner-files.ts';
import type { OwnedLock } from '../runtime/owned-lock.ts';
import { inTurn } from '../runtime/time.ts';
import {
  archiveOf,
  type CrawlFolder,
  checkPlainFile,
  isCount,
  isOutcome,
  isPart,
  isRecord,
  isText,
  partName,
  partNumber,
} from './crawl-folder.ts';
import { dropSites, readTable, withoutSites } from './output/parts.ts';
import type { TableFormat } from './output/table-file.ts';

/** A line of `sites.ndjson`: the result of one site. */
export interface SiteLine {
  /** The normalised homepage. */
  readonly site: string;
  readonly outcome: SiteOutcome;
  /** A stable kebab-case word for what the reason is about. */
  readonly code?: string | undefined;
  /** Why the outcome is not `complete`. */
  readonly reason?: string | undefined;
  /** The limit that ended the crawl of the site, if one did. */
  readonly stopped?: Stopped | undefined;
  /** Sitemaps that were read, robots.txt not counted. */
  readonly sitemaps: number;
  /** Sitemaps that could not be read and are those of an earlier crawl; absent if there are none. */
  readonly stale?: number | undefined;
  /** Rows in the parts. */
  readonly pages: number;
  /** Pages that the filters left out, by reason; absent if there are none. */
  readonly leftOut?: LeftOutPages | undefined;
  /** Bytes of all documents after decoding. */
  readonly bytes: number;
  readonly elapsedMs: number;
  /** When the crawl of the site ended: UTC, ISO 8601. */
  readonly finishedAt: string;
  /** The files with its pages, relative to the folder of the crawl. */
  readonly parts: readonly string[];
  readonly partBytes?: number | undefined;
  /** Its WARC file, relative to the folder of the crawl, where archives are kept. */
  readonly archive?: string | undefined;
  /** Why the archive of the earlier crawl was not used, in a sentence. */
  readonly previousProblem?: string | undefined;
  /** The number of its batch. */
  readonly batch: number;
  /** How many lines the batch has. */
  readonly of: number;
}

type CountedSite = Pick<SiteLine, 'outcome' | 'pages' | 'code' | 'leftOut'>;

export class CrawlCounts {
  readonly outcomes: Record<SiteOutcome, number> = { complete: 0, partial: 0, none: 0, failed: 0 };
  readonly reasons: Map<string, number> = new Map();
  /** Pages that the filters left out, by reason. */
  readonly leftOut: Map<string, number> = new Map();
  sites = 0;
  pages = 0;

  add({ outcome, pages, code, leftOut = {} }: CountedSite): void {
    this.sites++;
    this.outcomes[outcome]++;
    this.pages += pages;
    if (outcome === 'failed' && code !== undefined) this.reasons.set(code, (this.reasons.get(code) ?? 0) + 1);
    for (const [why, many] of Object.entries(leftOut))
      this.leftOut.set(why, (this.leftOut.get(why) ?? 0) + many);
  }

  plus(more: Iterable<CountedSite>): CrawlCounts {
    const sum = new CrawlCounts();
    const { sites, pages } = this;
    const [reasons, leftOut] = [new Map(this.reasons), new Map(this.leftOut)];
    Object.assign(sum, { sites, pages, outcomes: { ...this.outcomes }, reasons, leftOut });
    for (const site of more) sum.add(site);
    return sum;
  }
}

export type FinishedSite = Omit<SiteLine, 'parts' | 'batch' | 'of'>;

export interface Batch {
  /** Below `.tmp/`, flushed; undefined where no site has a page. */
  readonly part: string | undefined;
  readonly sites: readonly FinishedSite[];
}

interface JournalOptions {
  readonly format: TableFormat;
  readonly lock: Pick<OwnedLock, 'isHeld'>;
}

const JOURNAL_COPY = /^sites-[\da-f]{8}\.ndjson$/;

/** The journal of one folder, while this process writes it. */
export class Journal {
  readonly #folder: CrawlFolder;
  readonly #options: JournalOptions;
  /** A random word in the names of this run's parts. */
  readonly #run = randomBytes(4).toString('hex');
  readonly #inTurn = inTurn();
  #file: FileHandle | undefined;
  #sites = new SeenUrls();
  /** What each part has, by its name in the lines: `pages/part-00000001.0123abcd.parquet`. */
  readonly #parts = new Map<string, { readonly bytes: number | undefined; readonly rows: number }>();
  counts: CrawlCounts = new CrawlCounts();
  lastBatch = 0;

  private constructor(folder: CrawlFolder, options: JournalOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Brings the folder into order, and opens its journal. @throws errors of the file system */
  static async open(folder: CrawlFolder, options: JournalOptions): Promise<Journal> {
    const journal = new Journal(folder, options);
    await (await open(folder.sites, 'a')).close();
    const bytes = await journal.#load();
    await journal.#replaceFile(async (copy) => {
      await copyFile(folder.sites, copy);
      const file = await open(copy, 'r+');
      await file.truncate(bytes).finally(() => file.close());
    });
    await journal.#settleParts();
    return journal;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  /** Whether a site is finished: a complete batch has a line of it. */
  has(site: string): boolean {
    return this.#sites.has(site);
  }

  /** Reads all complete batches, and returns how many bytes they have. */
  async #load(): Promise<number> {
    this.#sites = new SeenUrls();
    this.#parts.clear();
    this.counts = new CrawlCounts();
    this.lastBatch = 0;
    let bytes = 0;
    for await (const batch of batchesIn(this.#folder)) {
      bytes += batch.bytes;
      for (const line of batch.lines) this.#note(line);
    }
    return bytes;
  }

  #note(line: SiteLine): void {
    this.lastBatch = Math.max(this.lastBatch, line.batch);
    for (const part of line.parts) {
      const rows = (this.#parts.get(part)?.rows ?? 0) + line.pages;
      this.#parts.set(part, { rows, bytes: line.partBytes });
    }
    this.#sites.add(line.site);
    this.counts.add(line);
  }

  /** Writes the lines of a batch, and gives its part the final name. @throws errors of the file system */
  publish({ part, sites }: Batch): Promise<void> {
    return this.#inTurn(async () => {
      const unlisted = sites.filter(({ site }) => !this.has(site));
      const rest = part === undefined ? undefined : await this.#withoutListed(part, sites);
      if (unlisted.length === 0) return;
      const { temporary, pages } = this.#folder;
      const number = this.lastBatch + 1;
      const name = partName(number, this.#run, this.#options.format);
      let place: Pick<SiteLine, 'parts' | 'partBytes'> = { parts: [] };
      if (rest !== undefined) {
        place = { parts: [`pages/${name}`], partBytes: (await stat(rest)).size };
        await replaceFile(rest, join(temporary, name));
        // The lines name it, so it must not be gone after a crash of the machine.
        await flushFolder(temporary);
      }
      const lines = unlisted.map((site): SiteLine => {
        const sitePlace = site.pages === 0 ? { parts: [] } : place;
        return { ...site, ...sitePlace, batch: number, of: unlisted.length };
      });
      await this.#append(lines);
      await this.#checkLock();
      for (const line of lines) this.#note(line);
      if (rest === undefined) return;
      await replaceFile(join(temporary, name), join(pages, name));
      await flushFolder(pages);
    });
  }

  /** The part without the sites that have a line already; undefined where no row is left. */
  async #withoutListed(part: string, sites: readonly FinishedSite[]): Promise<string | undefined> {
    const withPages = sites.filter(({ pages }) => pages > 0).map(({ site }) => site);
    const repeated = withPages.filter((site) => this.has(site));
    if (repeated.length === 0) return part;
    return withoutSites(part, this.#options.format, repeated, repeated.length < withPages.length);
  }

  /** Appends the lines of one batch and flushes them. If that fails, removes them. */
  async #append(lines: readonly SiteLine[]): Promise<void> {
    this.#file ??= await open(this.#folder.sites, 'a');
    const { size } = await this.#file.stat();
    try {
      await this.#file.appendFile(textOf(lines));
      await this.#file.sync();
    } catch (error) {
      await this.#file.truncate(size).catch(() => {});
      await this.#file.sync().catch(() => {});
      throw error;
    }
  }

  async #checkLock(): Promise<void> {
    if (await this.#options.lock.isHeld()) return;
    throw new SitemapException(`Another usp crawl has taken over ${this.#folder.path}.`, {
      code: 'folder-in-use',
    });
  }

  /** The parts in lines that are missing, or have another size or, with `verifyRows`, another number of rows. */
  async #damagedParts(verifyRows: boolean): Promise<readonly string[]> {
    const damaged: string[] = [];
    for (const [part, facts] of this.#parts) {
      const path = join(this.#folder.path, part);
      const entry = await entryAt(path);
      const isWhole = entry?.isFile() === true && (facts.bytes === undefined || facts.bytes === entry.size);
      const isRead = !verifyRows || !isWhole || (await rowsIn(path, this.#options.format)) === facts.rows;
      if (!isWhole || !isRead) damaged.push(part);
    }
    return damaged;
  }

  /**
   * Removes lines and their rows, so that their sites are crawled again: those of damaged parts and, with
   * `retryFailed`, those of failed sites. A part is removed before its lines: after a kill in between, it is missing.
   *
   * @returns the parts that are missing or damaged
   */
  async forget(options: {
    readonly retryFailed: boolean;
    readonly verifyRows: boolean;
  }): Promise<readonly string[]> {
    const { retryFailed, verifyRows } = options;
    const parts = await this.#damagedParts(verifyRows);
    if (!retryFailed && parts.length === 0) return parts;
    const damaged = new Set(parts);
    const isKept = ({ outcome, parts: siteParts }: SiteLine): boolean =>
      !(retryFailed && outcome === 'failed') && !siteParts.some((part) => damaged.has(part));
    const dropped = new Map<string, Set<string>>();
    for await (const line of linesIn(this.#folder)) {
      if (isKept(line)) continue;
      for (const part of line.parts) dropped.set(part, (dropped.get(part) ?? new Set()).add(line.site));
    }
    const { path, temporary } = this.#folder;
    const { format } = this.#options;
    const moved = new Map<string, Pick<SiteLine, 'parts' | 'partBytes'>>();
    for (const [part, sites] of dropped) {
      if (!damaged.has(part)) {
        const name = partName(partNumber(part.slice('pages/'.length)) ?? 0, this.#run, format);
        try {
          await dropSites({ path: join(path, part), format }, join(temporary, name), sites);
          moved.set(part, { parts: [`pages/${name}`], partBytes: (await stat(join(temporary, name))).size });
        } catch (error) {
          if (systemError(error) !== undefined) throw error;
          // The part has the right size, but cannot be read: without `verifyRows` this is found only here.
          damaged.add(part);
        }
      }
    }
    await flushFolder(temporary);
    for (const part of [...damaged, ...moved.keys()]) await removeFile(join(path, part));
    await this.#replaceFile(async (copy) => {
      const to = await open(copy, 'wx');
      try {
        for await (const { lines } of batchesIn(this.#folder)) {
          const keptLines = lines.filter(isKept);
          const place = (line: SiteLine) => ({
            ...line,
            ...moved.get(line.parts[0] ?? ''),
            of: keptLines.length,
          });
          await to.appendFile(textOf(keptLines.map(place)));
        }
      } finally {
        await to.close();
      }
    });
    await this.#load();
    await this.#settleParts();
    return [...damaged];
  }

  async #replaceFile(write: (copy: string) => Promise<void>): Promise<void> {
    const copy = join(this.#folder.temporary, `sites-${this.#run}.ndjson`);
    await this.close();
    try {
      await write(copy);
      const file = await open(copy, 'r+');
      await file.sync().finally(() => file.close());
      await this.#checkLock();
      await replaceFile(copy, this.#folder.sites);
    } finally {
      await removeFile(copy);
    }
    await flushFolder(this.#folder.path);
    // Open from here on: see the fence above.
    this.#file = await open(this.#folder.sites, 'a');
  }

  /** Finishes the moves that lines name, and deletes the other parts that have a number, and copies of the journal. */
  async #settleParts(): Promise<void> {
    const { temporary, pages } = this.#folder;
    for (const name of await readdir(temporary)) {
      if (this.#parts.has(`pages/${name}`)) await replaceFile(join(temporary, name), join(pages, name));
      else if (partNumber(name) !== undefined || JOURNAL_COPY.test(name))
        await removeFile(join(temporary, name));
    }
    await flushFolder(pages);
    // Deletes parts that were copied without some sites: the lines name the copies. A part gets its lines before it is
    // moved here. So a part that is newer than all lines stays: sites.ndjson has lost its lines.
    for (const name of await readdir(pages)) {
      const number = partNumber(name);
      if (number === undefined || number > this.lastBatch || this.#parts.has(`pages/${name}`)) continue;
      await removeFile(join(pages, name));
    }
  }
}

/** All lines of complete batches. A finished crawl has one for each site. */
export async function* linesIn(folder: CrawlFolder): AsyncGenerator<SiteLine, void, undefined> {
  for await (const { lines } of batchesIn(folder)) yield* lines;
}

/** The complete batches of a journal. What follows them was not written to its end, and is ignored. */
async function* batchesIn(
  folder: CrawlFolder,
): AsyncGenerator<{ readonly lines: readonly SiteLine[]; readonly bytes: number }, void, undefined> {
  let rest = '';
  let lines: SiteLine[] = [];
  let bytes = 0;
  let number = 0;
  await checkPlainFile(folder.sites).catch((cause: unknown) => {
    if (systemError(cause) !== undefined) throw cause;
    throw new SitemapException(`${folder.sites} cannot be read: ${fileTrouble(cause)}.`, {
      code: 'journal-damaged',
      cause,
    });
  });
  // A character for each byte: those of a damaged disk need not be UTF-8, and count as well.
  for await (const chunk of createReadStream(folder.sites, 'latin1')) {
    const texts = `${rest}${chunk}`.split('\n');
    rest = texts.pop() ?? '';
    if (rest.length > MOST_OF_LINE) throw damaged(folder, number + texts.length + 1);
    for (const text of texts) {
      const line = parsedLine(Buffer.from(text, 'latin1').toString());
      number++;
      if (line === undefined) throw damaged(folder, number);
      if (lines[0] !== undefined && lines[0].batch !== line.batch)
        throw damaged(folder, number - lines.length);
      lines.push(line);
      bytes += text.length + 1;
      if (lines.length < line.of) continue;
      yield { lines, bytes };
      lines = [];
      bytes = 0;
    }
  }
}

/** Checks the fields of a line: the folder may come from a stranger, and names in it lead to files. */
const LINE_FIELDS: Readonly<Partial<Record<keyof SiteLine, (value: unknown) => boolean>>> = {
  site: isText,
  outcome: isOutcome,
  sitemaps: isCount,
  pages: isCount,
  leftOut: (value) => value === undefined || (isRecord(value) && Object.values(value).every(isCount)),
  bytes: isCount,
  finishedAt: isText,
  parts: (value) => Array.isArray(value) && value.every(isPart),
  partBytes: (value) => value === undefined || isCount(value),
  code: (value) => value === undefined || isText(value),
  stopped: (value) => value === undefined || isRecord(value),
  batch: (value) => isCount(value) && value <= MOST_BATCHES,
  of: (value) => isCount(value) && value >= 1,
};
/** The name of a part has digits for this number. */
const MOST_BATCHES = 1e15 - 1;
/** In bytes; far more than a line has. */
const MOST_OF_LINE = 4 * 1024 * 1024;

/** Fields that a line has only after it is published. */
const PLACE_FIELDS: readonly string[] = ['parts', 'partBytes', 'batch', 'of'] satisfies (keyof SiteLine)[];

/** Whether a value that a worker sent can become a line. */
export function isFinishedSite(value: unknown): value is FinishedSite {
  if (!isRecord(value)) return false;
  return Object.entries(LINE_FIELDS).every(
    ([name, isValue]) => PLACE_FIELDS.includes(name) || isValue(value[name]),
  );
}

function parsedLine(text: string): SiteLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    if (!isRecord(line)) return undefined;
    const areValid = Object.entries(LINE_FIELDS).every(([name, isValue]) => isValue(line[name]));
    const { site, archive } = line;
    const isOwn = archive === undefined || (isText(site) && archive === archiveOf(site));
    return areValid && isOwn ? (line as unknown as SiteLine) : undefined;
  } catch {
    return undefined;
  }
}

function damaged(folder: CrawlFolder, number: number): SitemapException {
  return new SitemapException(
    `${folder.sites} is damaged at line ${number}, so usp crawl cannot tell which sites are finished. ` +
      'Restore the file, or start again with an empty folder.',
    { code: 'journal-damaged' },
  );
}

function textOf(lines: readonly SiteLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The number of rows; undefined if the part cannot be read to its end. */
async function rowsIn(path: string, format: TableFormat): Promise<number | undefined> {
  let rows = 0;
  try {
    for await (const batch of readTable(path, format)) rows += batch.length;
    return rows;
  } catch {
    return undefined;
  }
}
