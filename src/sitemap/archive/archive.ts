/**
 * Saves a tree to a file and loads it again. archive-format.ts says what is in the file.
 *
 * Both stream: neither ever holds more than a batch of pages, however large the tree.
 */
import { createReadStream } from 'node:fs';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip, createGzip } from 'node:zlib';
import { SitemapException } from '../../errors.ts';
import { fileTrouble, ReplacedFile } from '../../files.ts';
import { badOption, checkNames } from '../../options/names.ts';
import { DEFAULT_SPOOL_MEMORY_BYTES } from '../../options/resolve.ts';
import { AbstractSitemap, type Sitemap } from '../sitemap.ts';
import { Spool } from '../spool/spool.ts';
import { LineSplitter } from './lines.ts';
import { ArchiveReader } from './reader.ts';
import { archiveText } from './writer.ts';

/** How a loaded tree keeps its pages. */
export interface LoadTreeOptions {
  /** Where the tree's spool file is made. @default the system's directory for temporary files */
  readonly spoolDirectory?: string | undefined;
  /**
   * Bytes of pages that the tree keeps in memory before it uses the file. A sitemap with more than 1/32 of it
   * (1 MiB) goes to the file at once. @default 33554432 (32 MiB)
   */
  readonly spoolMemoryBytes?: number | undefined;
  /** Told if the spool file cannot be made or written. @default silent */
  readonly logger?: { warn(message: string): void } | undefined;
}

/**
 * Saves a tree, or any node with all below it, to a file. Whatever happens, the path then holds the whole new file or
 * what it held before.
 *
 * @example
 * ```ts
 * await saveTree(tree, 'example.org.usp.gz');
 * const again = await loadTree('example.org.usp.gz');
 * ```
 *
 * @throws SitemapException with code `archive-unwritable`, or `tree-closed` where the tree's pages are gone
 */
export async function saveTree(tree: Sitemap, path: string | URL): Promise<void> {
  if (!(tree instanceof AbstractSitemap)) {
    throw new SitemapException(
      'saveTree needs a sitemap as its first argument, as sitemapTreeForHomepage gives it.',
      {
        code: 'bad-input',
      },
    );
  }
  const name = pathOf(path, 'saveTree');
  try {
    const file = await ReplacedFile.open(name);
    try {
      const text = Readable.from(archiveText(tree), { objectMode: true, highWaterMark: 1 });
      await through([text, createGzip()], async (bytes) => {
        for await (const chunk of bytes) await file.write(chunk);
      });
      await file.finish();
    } finally {
      await file.discard();
    }
  } catch (cause) {
    if (cause instanceof SitemapException) throw cause;
    throw new SitemapException(`The tree could not be saved to ${name}: ${fileTrouble(cause, name)}.`, {
      code: 'archive-unwritable',
      cause,
    });
  }
}

/**
 * Loads a tree that {@link saveTree} saved. It equals the saved one, and is walked with the same memory.
 *
 * @throws SitemapException with code `archive-unreadable` (no such file), `archive-format` (not an archive),
 *   `archive-version` (of a newer version) or `archive-damaged` (cut or changed)
 */
export async function loadTree(path: string | URL, options: LoadTreeOptions = {}): Promise<Sitemap> {
  const name = pathOf(path, 'loadTree');
  checkOptions(options);
  const { spoolDirectory, spoolMemoryBytes = DEFAULT_SPOOL_MEMORY_BYTES, logger } = options;
  const spool = new Spool({
    memoryBytes: spoolMemoryBytes,
    directory: spoolDirectory,
    onWarning: (message) => logger?.warn(message),
  });
  const reader = new ArchiveReader(spool);
  try {
    const gzipped = Readable.from(gzipOnly(createReadStream(name)));
    await through([gzipped, createGunzip({ chunkSize: 64 * 1024 })], (bytes) => readLines(bytes, reader));
    return reader.tree();
  } catch (cause) {
    spool.close();
    throw loadFailure(name, cause);
  }
}

/**
 * Pumps bytes through a transform to whoever takes them. If that fails, its error is the one that is thrown: `pipeline`
 * tells of whichever stream was pulled down first.
 */
async function through(
  [source, transform]: readonly [Readable, Transform],
  take: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  let failure: unknown;
  const taking = (bytes: AsyncIterable<Uint8Array>) =>
    take(bytes).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  try {
    await pipeline(source, transform, taking);
  } catch (error) {
    throw failure ?? error;
  }
}

async function readLines(bytes: AsyncIterable<Uint8Array>, reader: ArchiveReader): Promise<void> {
  const splitter = new LineSplitter();
  for await (const chunk of bytes) {
    for (const line of splitter.write(chunk)) reader.line(line);
    await reader.flush();
  }
  const rest = splitter.end();
  if (rest !== '') reader.line(rest);
}

// A text or an XML file by that name is no damaged archive: it is none.
async function* gzipOnly(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && (chunk[0] !== 0x1f || chunk[1] !== 0x8b)) {
      throw new SitemapException('it is not gzipped', { code: 'archive-format' });
    }
    isFirst = false;
    yield chunk;
  }
  if (isFirst) throw new SitemapException('it is empty', { code: 'archive-format' });
}

const HEADLINES: Readonly<Record<string, string>> = {
  'archive-format': 'is not a saved tree',
  'archive-version': 'was saved by a newer version',
  'archive-damaged': 'is damaged, save the tree again',
};

function loadFailure(name: string, cause: unknown): SitemapException {
  // zlib's own codes, as Z_BUF_ERROR for a file that was cut.
  const isDamaged = cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_');
  const code =
    cause instanceof SitemapException ? cause.code : isDamaged ? 'archive-damaged' : 'archive-unreadable';
  const headline = HEADLINES[code] ?? 'could not be read';
  return new SitemapException(`${name} ${headline}: ${fileTrouble(cause, name)}.`, { code, cause });
}

function pathOf(path: string | URL, who: string): string {
  if (typeof path === 'string' && path !== '') return path;
  if (path instanceof URL && path.protocol === 'file:') return fileURLToPath(path);
  throw new SitemapException(`${who} needs the path of a file, a string or a file: URL.`, {
    code: 'bad-input',
  });
}

const ACCEPTED: Readonly<Record<keyof LoadTreeOptions, readonly [(value: unknown) => boolean, string]>> = {
  spoolDirectory: [(value) => typeof value === 'string', 'the path of a directory'],
  spoolMemoryBytes: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number from 0'],
  logger: [
    (value) => typeof value === 'object' && value !== null && 'warn' in value,
    'an object with a warn method',
  ],
};

function checkOptions(options: LoadTreeOptions): void {
  checkNames(options, Object.keys(ACCEPTED));
  for (const [option, value] of Object.entries(options)) {
    const rule = ACCEPTED[option as keyof LoadTreeOptions];
    const [accepts, words] = rule;
    if (value !== undefined && !accepts(value)) {
      throw badOption(`The option "${option}" must be ${words}.`, option);
    }
  }
}
