/** Loads a tree from its archive: the end of the file says where the nodes are, and these where the documents are. */
import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { SitemapException } from '../../errors.ts';
import { badOption, checkNames } from '../../options/names.ts';
import { resolveOptions } from '../../options/resolve.ts';
import { fileTrouble } from '../../runtime/files.ts';
import type { Sitemap } from '../sitemap.ts';
import { ArchiveFile } from './archived-document.ts';
import { type ReadLimits, readNodes } from './node-reader.ts';
import {
  ARCHIVE_FORMAT,
  archiveDamaged,
  archiveTooLarge,
  type EndRecord,
  MOST_END_BYTES,
  readEndRecord,
} from './tree-records.ts';
import { digestOf, pathOf, RECORD_END } from './warc-writer.ts';

/** How an archive is loaded, and what it may cost. */
export interface LoadTreeOptions {
  /** Read every document now, and check its digest. Otherwise a damaged one is found when it is read. @default false */
  readonly verify?: boolean | undefined;
  /** The most sitemaps that the tree may have. @default 50000 */
  readonly maxSitemaps?: number | undefined;
  /** The most bytes that one document may have. @default 104857600 (100 MiB) */
  readonly maxSitemapBytes?: number | undefined;
  /** Give problems their line and column. @default false */
  readonly problemPositions?: boolean | undefined;
  /** An `AbortSignal` that ends the call; its reason is thrown. @default none */
  readonly signal?: { throwIfAborted(): void } | undefined;
}

/** Bytes of the record with the nodes: this many, and more for each node that the tree may have. */
const NODE_RECORD_BYTES = { atLeast: 16 * 1024 * 1024, perNode: 4096, most: 480 * 1024 * 1024 } as const;

const NODES_TOO_LARGE = 'the record of its nodes is too large';

const unzip = promisify<Uint8Array, object, Buffer>(gunzip);

/**
 * Loads a tree that {@link saveTree} saved. It equals the saved one. Its documents are read from the file when its
 * pages are walked; the file stays open until the tree is closed.
 *
 * @throws SitemapException with code `archive-unreadable` (no such file), `archive-format` (not an archive of a tree),
 *   `archive-version` (of another version), `archive-limit` (larger than the options allow) or `archive-damaged`
 */
export async function loadTree(path: string | URL, options: LoadTreeOptions = {}): Promise<Sitemap> {
  const name = pathOf(path, 'loadTree');
  const { signal } = options;
  checkNames(options, OPTIONS);
  const { verify, ...limits } = checked(options);
  signal?.throwIfAborted();
  let use: { close(): void } | undefined;
  try {
    const file = await ArchiveFile.open(name);
    use = file.use();
    const block = await nodeBlock(file, limits);
    const { tree, documents } = await readNodes(block, file, { ...limits, signal });
    try {
      if (verify) for (const document of documents) await document.verify(signal);
    } catch (error) {
      tree.close();
      throw error;
    }
    return tree;
  } catch (cause) {
    signal?.throwIfAborted();
    throw loadFailure(name, cause);
  } finally {
    use?.close();
  }
}

async function nodeBlock(file: ArchiveFile, { maxSitemaps }: ReadLimits): Promise<Uint8Array> {
  const tail = new Uint8Array(Math.min(file.size, MOST_END_BYTES));
  const isRead = await file.content.read(tail, file.size - tail.length);
  const found = isRead ? readEndRecord(tail) : undefined;
  if (found === undefined) throw await withoutEnd(file);
  const { end, isGzip, bytes } = found;
  const { atLeast, perNode, most } = NODE_RECORD_BYTES;
  const limit = Math.min(most, atLeast + perNode * maxSitemaps);
  if (end.offset + end.length + bytes !== file.size)
    throw archiveDamaged('its end does not fit its beginning');
  if (end.length > limit) throw archiveTooLarge(NODES_TOO_LARGE);
  const stored = new Uint8Array(end.length);
  if (!(await file.content.read(stored, end.offset))) throw archiveDamaged('it is shorter than it says');
  if (digestOf(stored) !== end.digest) throw archiveDamaged('the record of its nodes was changed');
  return blockOf(isGzip ? await inflated(stored, limit) : stored, end);
}

async function inflated(stored: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await unzip(stored, { maxOutputLength: limit });
  } catch (cause) {
    const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge
      ? archiveTooLarge(NODES_TOO_LARGE)
      : archiveDamaged('the record of its nodes cannot be inflated', cause);
  }
}

function blockOf(record: Uint8Array, { offset }: EndRecord): Uint8Array {
  const start = Buffer.from(record.buffer, record.byteOffset, record.length).indexOf(RECORD_END);
  if (start === -1) throw archiveDamaged(`the record at byte ${offset} has no block`);
  return record.subarray(start + RECORD_END.length, -RECORD_END.length);
}

/** As much of the beginning of a file as shows what it is. */
const HEAD_BYTES = 64 * 1024;

const OWN_SOFTWARE = 'software: ultimate-sitemap-parser/';

/** What a file without our last record is. */
async function withoutEnd(file: ArchiveFile): Promise<SitemapException> {
  const raw = new Uint8Array(Math.min(file.size, HEAD_BYTES));
  await file.content.read(raw, 0);
  if (raw.length === 0) return notAnArchive('it is empty');
  const isGzip = raw[0] === 0x1f && (raw.length === 1 || raw[1] === 0x8b);
  const head = Buffer.from(isGzip ? await beginningOf(raw) : raw).toString('latin1');
  if (head.startsWith(`{"format":"${ARCHIVE_FORMAT}"`)) {
    return new SitemapException(
      'it has the format of version 0.1, which was never published; fetch the site again, and save it',
      { code: 'archive-version' },
    );
  }
  if (!head.startsWith('WARC/1.') && !'WARC/1.1'.startsWith(head)) {
    return notAnArchive(`it is ${isGzip ? 'gzip, but ' : ''}not a WARC file`);
  }
  // What the first record says, as far as it is there: the file may be cut within it.
  const [, info = ''] = head.split('\r\n\r\n');
  if (!OWN_SOFTWARE.startsWith(info) && !head.includes(`\n${OWN_SOFTWARE}`)) {
    return notAnArchive(
      'it is a WARC file that saveTree did not write; warcClient (usp ls --from-warc) reads it',
    );
  }
  return archiveDamaged('its end is missing');
}

/** What the first bytes of gzip data inflate to, as far as they do. */
async function beginningOf(raw: Uint8Array): Promise<Uint8Array> {
  try {
    return await unzip(raw, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 16 * 1024 * 1024 });
  } catch {
    // Damaged: what is left to find out is nothing.
    return new Uint8Array(0);
  }
}

const HEADLINES: Readonly<Record<string, string>> = {
  'archive-format': 'is not a saved tree',
  'archive-version': 'was saved by another version',
  'archive-damaged': 'is damaged, save the tree again',
  'archive-limit': 'is larger than allowed',
};

function loadFailure(name: string, cause: unknown): SitemapException {
  // What is about a document names the file already.
  if (cause instanceof SitemapException && cause.message.startsWith(name)) return cause;
  const code = cause instanceof SitemapException ? cause.code : 'archive-unreadable';
  const { option, url } = cause instanceof SitemapException ? cause : {};
  const headline = HEADLINES[code] ?? 'could not be read';
  return new SitemapException(`${name} ${headline}: ${fileTrouble(cause, name)}.`, {
    code,
    option,
    url,
    cause,
  });
}

function notAnArchive(why: string): SitemapException {
  return new SitemapException(why, { code: 'archive-format' });
}

const OPTIONS: readonly string[] = [
  'verify',
  'maxSitemaps',
  'maxSitemapBytes',
  'problemPositions',
  'signal',
] satisfies (keyof LoadTreeOptions)[];

function checked({ verify = false, signal, ...options }: LoadTreeOptions): ReadLimits & { verify: boolean } {
  if (typeof verify !== 'boolean') throw badOption('The option "verify" must be true or false.', 'verify');
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw badOption('The option "signal" must be an AbortSignal.', 'signal');
  }
  const { maxSitemaps, maxSitemapBytes, problemPositions } = resolveOptions(options, 'sitemap');
  return { verify, maxSitemaps, maxSitemapBytes, problemPositions };
}
