/**
 * A set of sitemaps in a directory, replaced as a whole.
 *
 * New files are written into a folder of their own. When all of them are complete, the manifest gets the list of
 * renames; from then on the set is completed, if need be by the next run. Until then nothing of the old set has
 * changed. The entries of a file are kept beside it until it is full: its root declares the namespaces that they use.
 */
import { createReadStream } from 'node:fs';
import { appendFile, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip, createGzip } from 'node:zlib';
import { PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import type { SitemapEntry } from '../parse/model/item.ts';
import type { SitemapAlternate } from '../parse/model/page.ts';
import { parseSitemap } from '../parse/parse-sitemap.ts';
import { parseDate } from '../parse/values/date.ts';
import { SitemapException } from '../problems/errors.ts';
import { fileTrouble, makeFolder, removeAll, removeLeftovers, systemError } from '../runtime/files.ts';
import { entryAt, isInnerName } from '../runtime/inner-files.ts';
import type { OwnedLock } from '../runtime/owned-lock.ts';
import { haveEqualBytes } from '../sitemap/kept-document.ts';
import { foldersOf, numbered } from './layout.ts';
import {
  completed,
  lockDirectory,
  type Manifest,
  NEW_FILES,
  readManifest,
  refuseForeign,
  refuseOddPlaces,
  removeFolders,
  writeManifest,
} from './set-directory.ts';
import { indexXml, URLSET_END, urlsetStart, type WritableSitemap } from './sitemap-xml.ts';
import { ALL_NAMESPACES, EntryWriter, type EntryWriterOptions, NAMESPACE_BITS } from './url-entry.ts';
import { encodedText, givenText } from './value-text.ts';
import { addressOf, type WritablePage } from './writable-page.ts';

const CHUNK_BYTES = 262_144;
const OVERHEAD = urlsetStart(ALL_NAMESPACES).length + URLSET_END.length;

/** A file of a set that was written. */
export interface WrittenFile {
  /** Its path in the directory, with slashes. */
  readonly name: string;
  /** How many pages it lists; of an index, how many sitemaps. */
  readonly entries: number;
  /** How large it is, compressed where it is. */
  readonly bytes: number;
  /**
   * Its date in the index: that of its newest page. If that is not later than the earlier date, and the content has
   * changed, it is the time of this write.
   */
  readonly lastModified?: string | undefined;
  /** What happened to the file with this name: an `unchanged` file was not touched. */
  readonly state: 'added' | 'changed' | 'unchanged';
}

/** What a commit has done. */
export interface WrittenSet {
  readonly files: readonly WrittenFile[];
  /** Files of the set before this one that are not in it any more. */
  readonly removed: readonly string[];
  /** Files of the set before this one that were not written again, and stay in it. */
  readonly kept: readonly string[];
}

export interface GroupOptions extends Omit<EntryWriterOptions, 'encodedText' | 'maxNews' | 'namespaces'> {
  /** At most 50,000: a larger number is lowered. @default 50,000 */
  readonly maxUrls?: number | undefined;
  /** Before compression, and lowered in the same way. @default 52,428,800 */
  readonly maxBytes?: number | undefined;
}

/** The name of each file, by its number from 1 and how many there are in the end. One that ends in `.gz` is gzipped. */
export type Naming = (number: number, count: number) => string;

interface StagedFile extends Pick<WrittenFile, 'entries'> {
  readonly staged: string;
  /** The newest date of its pages, as it is written. Dates in the future do not count. */
  readonly newest?: string | undefined;
}

interface SetOptions {
  /** Whether there may be other files. @default false */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class SitemapSet {
  readonly directory: string;
  /** The path of the folder of new files. */
  readonly #folder: string;
  readonly #lock: OwnedLock;
  /** The manifest of the old set. */
  readonly #manifest: Manifest;
  readonly #old: ReadonlySet<string>;
  /** The dates in the index, by the name of the file: those of earlier sets, then also those of this one. */
  readonly #dates: Map<string, string>;
  /** The folders that were not there before. */
  readonly #newFolders: string[];
  readonly #signal: AbortSignal | undefined;
  readonly #files: WrittenFile[] = [];
  readonly #indexes: WrittenFile[] = [];
  /** The names of the files that are to be renamed, and when they were staged; they keep that date. */
  readonly #staged = new Map<string, readonly [from: string, to: string, time: number]>();
  readonly #names = new Set<string>();
  readonly #folders = new Set<string>();
  #count = 0;

  private constructor(
    directory: string,
    state: { lock: OwnedLock; manifest: Manifest; newFolders: string[]; signal: AbortSignal | undefined },
  ) {
    this.directory = directory;
    this.#folder = join(directory, NEW_FILES);
    this.#lock = state.lock;
    this.#manifest = state.manifest;
    this.#old = new Set(state.manifest.files);
    this.#dates = new Map(Object.entries(state.manifest.dates ?? {}));
    this.#newFolders = state.newFolders;
    this.#signal = state.signal;
  }

  /**
   * Begins a new set, after completing one that was interrupted.
   *
   * @throws SitemapException with the code `directory-not-empty` where there are other files, unless `force` is true;
   * `directory-in-use` where another process is writing; `bad-manifest`; `unwritable`
   */
  static async open(path: string | URL, { force = false, signal }: SetOptions = {}): Promise<SitemapSet> {
    signal?.throwIfAborted();
    const directory = resolve(path instanceof URL ? fileURLToPath(path) : path);
    return readable(directory, async () => {
      const newFolders = await makeFolder(directory);
      let lock: OwnedLock | undefined;
      try {
        lock = await lockDirectory(directory);
        const manifest = await completed(directory, await readManifest(directory));
        if (!force) await refuseForeign(directory, new Set(manifest.files));
        // A process that was killed left them.
        await removeLeftovers(directory);
        await removeAll(join(directory, NEW_FILES));
        await mkdir(join(directory, NEW_FILES));
        return new SitemapSet(directory, { lock, manifest, newFolders, signal });
      } catch (error) {
        await lock?.release();
        await removeFolders(newFolders);
        throw error;
      }
    });
  }

  group(naming: Naming, options: GroupOptions = {}): SitemapGroup {
    return new SitemapGroup(this, naming, options);
  }

  /** Adds an index, which is renamed behind all sitemaps. */
  async addIndex(name: string, sitemaps: Iterable<WritableSitemap>): Promise<void> {
    const list = [...sitemaps];
    const staged = await this.stage([encodedText(indexXml(list))], name.endsWith('.gz'));
    this.#indexes.push(await this.#nameFile({ staged, entries: list.length }, name));
  }

  /** The files of the old set that were not written again. */
  get unwritten(): readonly string[] {
    return [...this.#old].filter((name) => !this.#names.has(name));
  }

  /** What an index of the old set lists, in all its files; nothing where it cannot be read any more. */
  async *earlierEntries(name: string): AsyncGenerator<SitemapEntry, void, undefined> {
    for (let number = 1, file = name; this.#old.has(file); file = numbered(name, ++number)) {
      const path = join(this.directory, file);
      if ((await entryAt(path))?.isFile() !== true) continue;
      const bytes = createReadStream(path);
      // What goes wrong is thrown where the chunks are read.
      const chunks = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => {}) : bytes;
      try {
        for await (const item of parseSitemap(chunks)) if (item.type === 'sitemap') yield item.sitemap;
      } catch {
        return;
      }
    }
  }

  /**
   * Replaces the old set by the new one. Nothing has changed where this throws before the first rename.
   *
   * @param isKept - whether a file of the old set stays that was not written again
   */
  async commit(isKept: (name: string) => boolean = () => false): Promise<WrittenSet> {
    return this.orDiscard(async () => {
      const files = [...this.#files, ...this.#indexes];
      const kept = this.unwritten.filter(isKept);
      const removed = this.unwritten.filter((name) => !isKept(name));
      const names = [...files.map(({ name }) => name), ...kept];
      const renames = files.map(({ name }) => this.#staged.get(name)).filter((each) => each !== undefined);
      const isSame = renames.length + removed.length === 0 && names.every((name) => this.#old.has(name));
      if (isSame) {
        await this.discard();
        return { files, removed, kept };
      }
      await refuseOddPlaces(this.directory, [...this.#old, ...names]);
      for (const folder of this.#folders)
        this.#newFolders.push(...(await makeFolder(join(this.directory, folder))));
      this.#signal?.throwIfAborted();
      if (!(await this.#lock.isHeld()))
        throw new SitemapException(
          `The lock of ${this.directory} was removed, or taken by another process.`,
          {
            code: 'directory-in-use',
          },
        );
      const pending = { renames, files: names, dates: Object.fromEntries(this.#dates) };
      const manifest = { ...this.#manifest, pending };
      await writeManifest(this.directory, manifest);
      await completed(this.directory, manifest);
      await this.#lock.release();
      return { files, removed, kept };
    });
  }

  /** Ends without a change: the old set stays as it is. What the manifest names is left to the next run. */
  async discard(): Promise<void> {
    if (!(await this.#lock.isHeld())) return;
    const manifest = await readManifest(this.directory).catch(() => undefined);
    if (manifest?.pending === undefined) await removeAll(this.#folder);
    await this.#lock.release();
    await removeFolders(this.#newFolders);
  }

  /** Writes chunks as a new file of the folder, and gives its name there. */
  async stage(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, isGzipped: boolean): Promise<string> {
    const staged = String(++this.#count);
    const path = join(this.#folder, staged);
    const bytes = isGzipped ? gzipped(chunks) : chunks;
    const signal = this.#signal === undefined ? {} : { signal: this.#signal };
    await this.orDiscard(() => writeFile(path, bytes, { flag: 'wx', flush: true, ...signal }));
    return staged;
  }

  /** The path of a file for the entries of a file that is not complete. */
  bodyPath(): string {
    return join(this.#folder, `body-${++this.#count}`);
  }

  async add(files: readonly StagedFile[], naming: Naming): Promise<readonly WrittenFile[]> {
    const writtenFiles: WrittenFile[] = [];
    for (const [at, file] of files.entries())
      writtenFiles.push(await this.#nameFile(file, naming(at + 1, files.length)));
    this.#files.push(...writtenFiles);
    return writtenFiles;
  }

  async #nameFile({ staged, entries, newest }: StagedFile, name: string): Promise<WrittenFile> {
    return this.orDiscard(async () => {
      this.#claim(name);
      const path = join(this.#folder, staged);
      const { size: bytes, mtimeMs: time } = await stat(path);
      const target = join(this.directory, name);
      const entry = await entryAt(target);
      if (entry !== undefined && (entry.isDirectory() || !this.#old.has(name)))
        throw new SitemapException(`${target} is not of an earlier set, and is not replaced.`, {
          code: 'file-exists',
        });
      const isSame = entry !== undefined && (await haveSameContent(path, target));
      if (isSame) await rm(path);
      else this.#staged.set(name, [staged, name, time]);
      const state = isSame ? 'unchanged' : entry === undefined ? 'added' : 'changed';
      return { name, entries, bytes, lastModified: this.#dateFor(name, newest, isSame), state };
    });
  }

  /**
   * The date of a file in the index. It changes whenever the content does, and is never earlier than before: readers
   * that trust it would not read the file again.
   */
  #dateFor(name: string, newest: string | undefined, isSame: boolean): string | undefined {
    const before = this.#dates.get(name);
    const date = before === undefined ? newest : isSame ? before : laterDate(before, newest);
    if (date !== undefined) this.#dates.set(name, date);
    return date;
  }

  #claim(name: string): void {
    const folders = foldersOf(name);
    const isTaken =
      this.#names.has(name) || this.#folders.has(name) || folders.some((folder) => this.#names.has(folder));
    if (!isInnerName(name) || isTaken)
      throw new SitemapException(
        `"${name}" cannot be the name of a file of the set, or another one has it as its name or folder.`,
        { code: 'bad-input' },
      );
    this.#names.add(name);
    for (const folder of folders) this.#folders.add(folder);
  }

  /** Runs a step on the files of the set. If it fails, the old set stays, and the error names the directory. */
  async orDiscard<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await readable(this.directory, work);
    } catch (error) {
      await this.discard().catch(() => {});
      throw error;
    }
  }
}

/** The file of a group that is open. */
class PendingFile {
  /** The entries that are not in the body file yet. */
  text = '';
  /** The path of the body file, where there is one: the entries of most files fit into the text. */
  body: string | undefined;
  bytes = 0;
  pages = 0;
  news = 0;
  namespaces = 0;
  newestTime: number = Number.NEGATIVE_INFINITY;
  newest: string | undefined;
}

/** A series of files of one set: divided where a file would have too many pages, news or bytes. */
export class SitemapGroup {
  readonly #set: SitemapSet;
  readonly #naming: Naming;
  /** The only file of a group may have another name than each of several. */
  readonly #isGzipped: { readonly alone: boolean; readonly amongOthers: boolean };
  readonly #writer: EntryWriter;
  readonly #maxUrls: number;
  readonly #maxBytes: number;
  readonly #files: StagedFile[] = [];
  readonly #onProblem: GroupOptions['onProblem'];
  readonly #startedAt = Date.now();
  #file = new PendingFile();

  constructor(set: SitemapSet, naming: Naming, options: GroupOptions) {
    this.#set = set;
    this.#naming = naming;
    this.#isGzipped = {
      alone: naming(1, 1).endsWith('.gz'),
      amongOthers: naming(1, 2).endsWith('.gz'),
    };
    this.#writer = new EntryWriter({ ...options, encodedText: inBytes });
    this.#onProblem = options.onProblem;
    this.#maxUrls = Math.min(options.maxUrls ?? PROTOCOL_LIMITS.entries, PROTOCOL_LIMITS.entries);
    this.#maxBytes = Math.min(options.maxBytes ?? PROTOCOL_LIMITS.bytes, PROTOCOL_LIMITS.bytes);
  }

  /** Adds a page, with other alternates than its own. Wait for what it returns, if anything, before the next one. */
  add(page: WritablePage, alternates?: readonly SitemapAlternate[]): Promise<void> | undefined {
    const entry = this.#writer.entry(page, alternates);
    if (entry === undefined) return undefined;
    return this.#hasRoom(entry) ? this.#take(entry) : this.#addToNext(page, entry);
  }

  async end(): Promise<readonly WrittenFile[]> {
    const isAlone = this.#files.length === 0;
    if (this.#file.pages > 0) await this.#endFile(isAlone);
    return this.#set.add(this.#files, this.#naming);
  }

  #hasRoom(entry: string): boolean {
    const { pages, news, bytes, text } = this.#file;
    if (pages >= this.#maxUrls) return false;
    if ((this.#writer.usedNamespaces & NAMESPACE_BITS.news) !== 0 && news >= PROTOCOL_LIMITS.newsStories)
      return false;
    return OVERHEAD + bytes + text.length + entry.length <= this.#maxBytes;
  }

  async #addToNext(page: WritablePage, entry: string): Promise<void> {
    if (OVERHEAD + entry.length > this.#maxBytes) {
      const message = `The page takes more than ${this.#maxBytes} bytes by itself; it was left out.`;
      this.#onProblem?.({ code: 'over-50-mib', message, url: givenText(addressOf(page)), dropped: 'page' });
      return;
    }
    if (this.#file.pages > 0) await this.#endFile(false);
    await this.#take(entry);
  }

  #take(entry: string): Promise<void> | undefined {
    const { usedNamespaces: used, time, dateText } = this.#writer;
    const file = this.#file;
    file.text += entry;
    file.pages++;
    file.namespaces |= used;
    if ((used & NAMESPACE_BITS.news) !== 0) file.news++;
    if (time > file.newestTime && time <= this.#startedAt) {
      file.newestTime = time;
      file.newest = dateText;
    }
    return file.text.length < CHUNK_BYTES ? undefined : this.#append();
  }

  async #append(): Promise<void> {
    const file = this.#file;
    const { text } = file;
    file.body ??= this.#set.bodyPath();
    const { body } = file;
    file.text = '';
    file.bytes += text.length;
    await this.#set.orDiscard(() => appendFile(body, text, 'latin1'));
  }

  async #endFile(isAlone: boolean): Promise<void> {
    const { body, pages: entries, newest } = this.#file;
    const isGzipped = this.#isGzipped[isAlone ? 'alone' : 'amongOthers'];
    const staged = await this.#set.stage(documentOf(this.#file), isGzipped);
    if (body !== undefined) await this.#set.orDiscard(() => rm(body));
    this.#files.push({ staged, entries, newest });
    this.#file = new PendingFile();
  }
}

async function* documentOf({ namespaces, body, text }: PendingFile): AsyncGenerator<Uint8Array> {
  yield encodedText(urlsetStart(namespaces));
  if (body !== undefined) yield* chunksOf(body);
  yield Buffer.from(text, 'latin1');
  yield encodedText(URLSET_END);
}

/** A date of other content: the newest of its pages where that is later than the date before, or else now. */
function laterDate(before: string, newest: string | undefined): string {
  const then = parseDate(before);
  if (newest !== undefined && parseDate(newest) > then) return newest;
  return new Date(Math.max(Date.now(), then + 1)).toISOString();
}

/** Each chunk is compressed before the next one is asked for: `pipeline` would ask sooner. */
async function* gzipped(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  let isTaken = (): void => {};
  // A gzip that is destroyed may never call back.
  gzip.once('close', () => isTaken());
  const feed = async (): Promise<void> => {
    for await (const chunk of chunks) {
      await new Promise<void>((resolve) => {
        isTaken = resolve;
        gzip.write(chunk, () => resolve());
      });
      if (gzip.destroyed) return;
    }
    gzip.end();
  };
  const fed = feed().catch((error) => gzip.destroy(error));
  try {
    // A consumer that stops reading destroys the stream.
    yield* gzip;
  } finally {
    await fed;
  }
}

/** A file in chunks, all of them in the same memory. */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/**
 * A text with a character for each byte that it has in UTF-8. One character beyond Latin-1 would make all strings that
 * it is joined with twice as large, and these take four times as long to be encoded. This way, lengths are sizes, too.
 */
function inBytes(text: string): string {
  if (text.length > SHORT_TEXT.length / 3) return Buffer.from(text).toString('latin1');
  return SHORT_TEXT.toString('latin1', 0, SHORT_TEXT.write(text));
}

/** Most texts are short: they need no buffer of their own. */
const SHORT_TEXT = Buffer.alloc(1024);

async function haveSameContent(one: string, other: string): Promise<boolean> {
  const stats = await stat(other).catch(() => undefined);
  if (stats?.isFile() !== true || stats.size !== (await stat(one)).size) return false;
  return haveEqualBytes(chunksOf(one), chunksOf(other));
}

/** Turns an error of the file system into a `SitemapException` that names the directory. */
async function readable<Value>(directory: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const isOfSystem = systemError(cause) !== undefined;
    if (cause instanceof SitemapException || !isOfSystem) throw cause;
    const why = fileTrouble(cause, directory);
    throw new SitemapException(`The sitemaps could not be written to ${directory}: ${why}.`, {
      code: 'unwritable',
      cause,
    });
  }
}
