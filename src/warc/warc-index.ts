/**
 * Which record of a WARC file holds the response of which URL. Made in one pass; URLs and digests are kept as numbers,
 * so a million records take some hundred megabytes less than their URLs would.
 *
 * What is inside a gzip member behind its first record cannot be found again without inflating everything before it, so
 * it is kept in a spool while the file is read once.
 */
import { createHash } from 'node:crypto';
import { type Body, bodyFrom, withByteCount } from '../fetch/body.ts';
import { SitemapException } from '../problems/errors.ts';
import { type StopSignal, unlessAborted } from '../runtime/abort.ts';
import { FairShare, Waiters } from '../runtime/time.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import { Spool } from '../sitemap/spool/spool.ts';
import { documentKey } from '../url.ts';
import { FileBytes, type Gate, Members, RecordBytes, type RecordHead, type WarcFile } from './warc-file.ts';

/** More responses than this are not kept apart. */
const MAX_RESPONSES = 5_000_000;

/** What records behind the first one of a gzip member may take on disk. */
const MAX_SPOOLED_BYTES = 4 * 1024 ** 3;
const SPOOL_MEMORY_BYTES = 16 * 1024 * 1024;

/** A gzipped file may inflate to `atLeast` bytes, or `perByte` times its size. Gzip makes sitemaps 30 times smaller. */
const MAX_INFLATED = { atLeast: 256 * 1024 * 1024, perByte: 200 } as const;

/** Where a record begins: a place in the file, or a document of the spool. */
type RecordStart = number | KeptDocument;

/** A record that was found, open at its head. Its block must be read to its end or cancelled. */
export interface RecordContent {
  readonly head: RecordHead;
  readonly block: Body;
}

export class WarcIndex {
  readonly #file: WarcFile;
  readonly #spool = new Spool({ memoryBytes: SPOOL_MEMORY_BYTES });
  readonly #byUrl = new Map<number, RecordStart>();
  readonly #byDigest = new Map<number, RecordStart>();
  #spooledBytes = 0;

  private constructor(file: WarcFile) {
    this.#file = file;
  }

  /** @throws SitemapException with code `archive-damaged` or `archive-limit`; and what the gate throws */
  static async of(file: WarcFile, gate: Gate): Promise<WarcIndex> {
    const index = new WarcIndex(file);
    const source = new FileBytes(file, 0, gate);
    try {
      await (file.isGzip ? index.#readMembers(source, gate) : index.#readPlain(source));
      return index;
    } catch (error) {
      index.#spool.close();
      throw error;
    } finally {
      await source.cancel();
    }
  }

  /** The last response for a URL; undefined where there is none. */
  async response(url: string, signal: StopSignal): Promise<RecordContent | undefined> {
    const key = documentKey(url);
    return this.#open(this.#byUrl.get(keyOf(key)), signal, (head) => documentKey(targetOf(head)) === key);
  }

  /** What a revisit refers to: the response with the same payload, or else the one of the URL that it names. */
  async original(revisit: RecordHead, signal: StopSignal): Promise<RecordContent | undefined> {
    const digest = digestOf(revisit);
    const start = digest === undefined ? undefined : this.#byDigest.get(keyOf(digest));
    const record = await this.#open(start, signal, (head) => digestOf(head) === digest);
    if (record !== undefined) return record;
    const url = revisit.get('warc-refers-to-target-uri');
    return url === undefined ? undefined : this.response(bare(url), signal);
  }

  async #open(
    start: RecordStart | undefined,
    signal: StopSignal,
    isWanted: (head: RecordHead) => boolean,
  ): Promise<RecordContent | undefined> {
    if (start === undefined) return undefined;
    const gate: Gate = async () => signal.throwIfAborted();
    let bytes: RecordBytes | undefined;
    try {
      bytes = new RecordBytes(await this.#bodyAt(start, gate));
      const head = await bytes.head();
      if (head !== undefined && isWanted(head)) return { head, block: bytes.block(lengthOf(head)) };
      await bytes.cancel();
      return undefined;
    } catch (cause) {
      await bytes?.cancel();
      signal.throwIfAborted();
      throw this.#damaged(start, cause);
    }
  }

  async #bodyAt(start: RecordStart, gate: Gate): Promise<Body> {
    if (typeof start !== 'number') return bodyFrom(copied(start.chunksAsync()));
    if (!this.#file.isGzip) return new FileBytes(this.#file, start, gate);
    const source = new FileBytes(this.#file, start, gate);
    const member = await new Members(source).next();
    if (member === undefined) throw new Error('it is shorter than before');
    const cancel = async (): Promise<void> => {
      await source.cancel();
      await member.cancel();
    };
    return { read: () => member.read(), cancel };
  }

  async #readPlain(source: FileBytes): Promise<void> {
    const bytes = new RecordBytes(source);
    const share = new FairShare();
    let at = 0;
    try {
      for (let head = await bytes.head(); head !== undefined; head = await bytes.head()) {
        const length = lengthOf(head);
        if (bytes.position + length > this.#file.size) throw new Error('it ends inside a record');
        await this.#note(head, bytes, () => at);
        await bytes.skip(length);
        at = bytes.position;
        if (share.isUsedUp) await share.turn();
      }
    } catch (cause) {
      throw this.#damaged(at, cause);
    }
  }

  async #readMembers(source: FileBytes, gate: Gate): Promise<void> {
    const members = new Members(source);
    const share = new FairShare();
    let remaining = MAX_INFLATED.atLeast + MAX_INFLATED.perByte * this.#file.size;
    const onInflated = async (count: number): Promise<void> => {
      remaining -= count;
      if (remaining < 0) throw this.#tooLarge('it inflates to far more than its size');
      if (!share.isUsedUp) return;
      await share.turn();
      await gate(source);
    };
    let at = 0;
    try {
      for (let member = await members.next(); member !== undefined; member = await members.next()) {
        await this.#readMember(new RecordBytes(withByteCount(onInflated)(member)), at);
        at = members.offset;
      }
    } catch (cause) {
      throw this.#damaged(at, cause);
    }
  }

  async #readMember(bytes: RecordBytes, offset: number): Promise<void> {
    let isFirst = true;
    for (let head = await bytes.head(); head !== undefined; head = await bytes.head()) {
      const record = head;
      const length = lengthOf(head);
      const end = bytes.position + length;
      const start = isFirst ? () => offset : () => this.#spooled(record, bytes.block(length));
      await this.#note(head, bytes, start);
      await bytes.skip(end - bytes.position);
      isFirst = false;
    }
  }

  /**
   * Notes where the response of a URL is, unless it is a 304.
   *
   * @param bytes - at the beginning of its block
   * @param keep - says where it is, which may take a copy
   */
  async #note(
    head: RecordHead,
    bytes: RecordBytes,
    keep: () => RecordStart | Promise<RecordStart>,
  ): Promise<void> {
    const type = head.get('warc-type') ?? '';
    if (!RECORD_TYPES.has(type) || !/^https?:/i.test(targetOf(head))) return;
    const statusLine = await bytes.peek(Math.min(lengthOf(head), STATUS_BYTES));
    if (type !== 'resource' && NOT_MODIFIED.test(Buffer.from(statusLine).toString('latin1'))) return;
    const url = keyOf(documentKey(targetOf(head)));
    if (this.#byUrl.size >= MAX_RESPONSES && !this.#byUrl.has(url)) {
      throw this.#tooLarge(`it has more than ${MAX_RESPONSES} responses`);
    }
    const digest = digestOf(head);
    const key = digest === undefined ? undefined : keyOf(digest);
    if (type === 'revisit') {
      // A revisit of an unknown record says only that nothing has changed.
      const isLost = key === undefined || !this.#byDigest.has(key);
      if (!isLost || !this.#byUrl.has(url)) this.#byUrl.set(url, await keep());
      return;
    }
    const start = await keep();
    this.#byUrl.set(url, start);
    if (key !== undefined && !this.#byDigest.has(key)) this.#byDigest.set(key, start);
  }

  async #spooled({ first, headers }: RecordHead, block: Body): Promise<KeptDocument> {
    const writer = this.#spool.writer();
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    writer.write(Buffer.from(`${first}\r\n${lines}\r\n`, 'latin1'));
    for (let chunk = await block.read(); chunk !== undefined; chunk = await block.read()) {
      this.#spooledBytes += chunk.length;
      if (this.#spooledBytes > MAX_SPOOLED_BYTES) {
        throw this.#tooLarge('it has no gzip member for each record, and too much in one; compress it again');
      }
      writer.write(chunk);
    }
    return writer.end();
  }

  #tooLarge(why: string): SitemapException {
    return new SitemapException(`${this.#file.name} is too large: ${why}.`, { code: 'archive-limit' });
  }

  #damaged(start: RecordStart, cause: unknown): SitemapException {
    if (cause instanceof SitemapException) return cause;
    const where = typeof start === 'number' ? `the record at byte ${start}` : 'a record';
    const why = cause instanceof Error ? cause.message : String(cause);
    return new SitemapException(`${this.#file.name} is damaged: ${where} cannot be read (${why}).`, {
      code: 'archive-damaged',
      cause,
    });
  }
}

/**
 * The indexes of several files, made at the first request, and only while a request waits for them: those that are
 * aborted, or run out of time, leave nothing behind that works or holds a file open, and the next one goes on with it.
 *
 * @returns waits for the index of each file; rejects with what is wrong with them, or the reason of the signal
 */
export function warcIndexes(
  files: readonly WarcFile[],
): (signal: StopSignal) => Promise<readonly WarcIndex[]> {
  let waiting = 0;
  const paused = new Waiters();
  const gate = async (bytes: FileBytes): Promise<void> => {
    while (waiting === 0) {
      bytes.close();
      await paused.wait();
    }
  };
  const make = async (): Promise<readonly WarcIndex[]> => {
    const indexes: WarcIndex[] = [];
    for (const file of files) indexes.push(await WarcIndex.of(file, gate));
    return indexes;
  };
  let making: Promise<readonly WarcIndex[]> | undefined;
  return async (signal) => {
    signal.throwIfAborted();
    waiting++;
    making ??= make();
    paused.wake();
    try {
      return await unlessAborted(making, signal);
    } finally {
      waiting--;
    }
  };
}

export function lengthOf(head: RecordHead): number {
  const length = Number(head.get('content-length'));
  if (!head.first.startsWith('WARC/') || !Number.isSafeInteger(length) || length < 0) {
    throw new Error('it is not a WARC record');
  }
  return length;
}

/** The URL of a record. wget writes it in angle brackets. */
function targetOf(head: RecordHead): string {
  return bare(head.get('warc-target-uri') ?? '');
}

function bare(uri: string): string {
  return uri.replace(/^<(.*)>$/, '$1');
}

function digestOf(head: RecordHead): string | undefined {
  return head.get('warc-payload-digest')?.toUpperCase();
}

const RECORD_TYPES: ReadonlySet<string> = new Set(['response', 'revisit', 'resource']);

/** As much of a response as shows its status. */
const STATUS_BYTES = 32;
const NOT_MODIFIED = /^\s*HTTP\/[\d.]+\s+304\b/;

function keyOf(text: string): number {
  const bytes = createHash('sha1').update(text).digest();
  return bytes.readUIntBE(0, 6) * 32 + (bytes.readUInt8(6) >> 3);
}

/** A chunk of a spool may be used only until the next one is asked for. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) yield new Uint8Array(chunk);
}
