/**
 * Which record of a WARC file holds the response of which URL. Made in one pass; URLs and digests are kept as numbers,
 * so a million records take some hundred megabytes less than their URLs would.
 */
import { createHash } from 'node:crypto';
import { SitemapException } from '../errors.ts';
import type { Body } from '../fetch/body.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import { Spool } from '../sitemap/spool/spool.ts';
import { documentKey } from '../url.ts';
import { type Head, memberAt, RecordBytes, type WarcFile } from './warc-file.ts';

/** More responses than this are not kept apart. */
const MAX_RESPONSES = 5_000_000;

/** What records behind the first one of a gzip member may take on disk. */
const MAX_SPOOLED_BYTES = 4 * 1024 ** 3;
const SPOOL_MEMORY_BYTES = 16 * 1024 * 1024;

/** Where a record begins: a place in the file, or a document of the spool. */
type Place = number | KeptDocument;

/** A record that was found, open at its head. */
export interface FoundRecord {
  readonly head: Head;
  /** Its block. */
  readonly block: Body;
}

/** The responses of one file. */
export class WarcIndex {
  readonly #file: WarcFile;
  readonly #spool = new Spool({ memoryBytes: SPOOL_MEMORY_BYTES });
  readonly #byUrl = new Map<number, Place>();
  readonly #byDigest = new Map<number, Place>();
  #spooledBytes = 0;

  private constructor(file: WarcFile) {
    this.#file = file;
  }

  /** @throws SitemapException with code `archive-damaged` or `archive-limit` */
  static async of(file: WarcFile): Promise<WarcIndex> {
    const index = new WarcIndex(file);
    await (file.isGzip ? index.#readMembers() : index.#readPlain());
    return index;
  }

  /** The last response for a URL; undefined where there is none. */
  async response(url: string): Promise<FoundRecord | undefined> {
    const key = documentKey(url);
    const found = await this.#open(this.#byUrl.get(keyOf(key)));
    return found !== undefined && documentKey(targetOf(found.head)) === key ? found : undefined;
  }

  /** What a revisit refers to: the response with the same payload, or else the one of the URL that it names. */
  async original(revisit: Head): Promise<FoundRecord | undefined> {
    const digest = digestOf(revisit);
    const found = digest === undefined ? undefined : await this.#open(this.#byDigest.get(keyOf(digest)));
    if (found !== undefined && digestOf(found.head) === digest) return found;
    const url = revisit.get('warc-refers-to-target-uri');
    return url === undefined ? undefined : this.response(bare(url));
  }

  async #open(place: Place | undefined): Promise<FoundRecord | undefined> {
    if (place === undefined) return undefined;
    try {
      const bytes = await this.#bytesAt(place);
      const head = await bytes.head();
      return head && { head, block: bytes.block(lengthOf(head)) };
    } catch (cause) {
      throw this.#damaged(place, cause);
    }
  }

  async #bytesAt(place: Place): Promise<RecordBytes> {
    if (typeof place !== 'number') return new RecordBytes(bodyOf(place));
    if (!this.#file.isGzip) return new RecordBytes(this.#file.from(place));
    const member = await memberAt(this.#file, place);
    if (member === undefined) throw new Error('it is shorter than before');
    return new RecordBytes(member.body);
  }

  async #readPlain(): Promise<void> {
    let at = 0;
    try {
      while (at < this.#file.size) {
        const bytes = new RecordBytes(this.#file.from(at));
        const head = await bytes.head();
        if (head === undefined) break;
        // Empty lines before it belong to the record before.
        const start = at;
        const end = start + bytes.position + lengthOf(head);
        if (end > this.#file.size) throw new Error('it ends inside a record');
        await this.#note(head, bytes, start);
        at = end;
      }
    } catch (cause) {
      throw this.#damaged(at, cause);
    }
  }

  async #readMembers(): Promise<void> {
    let at = 0;
    try {
      for (let member = await memberAt(this.#file, at); member !== undefined; ) {
        const bytes = new RecordBytes(member.body);
        for (let isFirst = true; ; isFirst = false) {
          const head = await bytes.head();
          if (head === undefined) break;
          const length = lengthOf(head);
          const before = bytes.position;
          if (isFirst) await this.#note(head, bytes, member.offset);
          else if (isWanted(head))
            await this.#note(head, bytes, await this.#spooled(head, bytes.block(length)));
          await bytes.skip(length - (bytes.position - before));
        }
        at = member.next();
        member = await memberAt(this.#file, at);
      }
    } catch (cause) {
      throw this.#damaged(at, cause);
    }
  }

  /** Notes where the response of a URL is, unless it is a 304. */
  async #note(head: Head, bytes: RecordBytes, place: Place): Promise<void> {
    if (!isWanted(head)) return;
    if (head.get('warc-type') !== 'resource') {
      const inside = typeof place === 'number' ? bytes : await this.#bytesAt(place);
      if (typeof place !== 'number') await inside.head();
      const { status } = await httpHead(inside, head);
      if (status === 304) return;
    }
    const url = keyOf(documentKey(targetOf(head)));
    if (this.#byUrl.size >= MAX_RESPONSES && !this.#byUrl.has(url)) {
      throw new SitemapException(`${this.#file.name} has more than ${MAX_RESPONSES} responses.`, {
        code: 'archive-limit',
      });
    }
    const digest = digestOf(head);
    const key = digest === undefined ? undefined : keyOf(digest);
    if (head.get('warc-type') === 'revisit') {
      // One that leads nowhere says only that nothing has changed.
      const isLost = key === undefined || !this.#byDigest.has(key);
      if (!isLost || !this.#byUrl.has(url)) this.#byUrl.set(url, place);
      return;
    }
    this.#byUrl.set(url, place);
    if (key !== undefined && !this.#byDigest.has(key)) this.#byDigest.set(key, place);
  }

  async #spooled({ first, headers }: Head, block: Body): Promise<KeptDocument> {
    const writer = this.#spool.writer();
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    await writer.write(Buffer.from(`${first}\r\n${lines}\r\n`, 'latin1'));
    for (let chunk = await block.read(); chunk !== undefined; chunk = await block.read()) {
      this.#spooledBytes += chunk.length;
      if (this.#spooledBytes > MAX_SPOOLED_BYTES) {
        throw new SitemapException(
          `${this.#file.name} is too large for a file without a gzip member for each record; compress it again.`,
          { code: 'archive-limit' },
        );
      }
      await writer.write(chunk);
    }
    return writer.end();
  }

  #damaged(place: Place, cause: unknown): SitemapException {
    if (cause instanceof SitemapException) return cause;
    const where = typeof place === 'number' ? `the record at byte ${place}` : 'a record';
    const why = cause instanceof Error ? cause.message : String(cause);
    return new SitemapException(`${this.#file.name} is damaged: ${where} cannot be read (${why}).`, {
      code: 'archive-damaged',
      cause,
    });
  }
}

/** The head of the response in a block; its status is 0 where the block has none. */
export async function httpHead(
  bytes: RecordBytes,
  record: Head,
): Promise<{ readonly status: number; readonly statusText: string; readonly head: Head | undefined }> {
  const head = lengthOf(record) === 0 ? undefined : await bytes.head();
  const [, status, statusText = ''] = /^HTTP\/[\d.]+\s+(\d{3})(?:\s+(.*))?$/.exec(head?.first ?? '') ?? [];
  return { status: Number(status ?? 0), statusText, head };
}

/** The length of a record's block. */
export function lengthOf(head: Head): number {
  const length = Number(head.get('content-length'));
  if (!head.first.startsWith('WARC/') || !Number.isSafeInteger(length) || length < 0) {
    throw new Error('it is not a WARC record');
  }
  return length;
}

/** The URL of a record. wget writes it in angle brackets. */
function targetOf(head: Head): string {
  return bare(head.get('warc-target-uri') ?? '');
}

function bare(uri: string): string {
  return uri.replace(/^<(.*)>$/, '$1');
}

function digestOf(head: Head): string | undefined {
  return head.get('warc-payload-digest')?.toUpperCase();
}

const WANTED: ReadonlySet<string> = new Set(['response', 'revisit', 'resource']);

function isWanted(head: Head): boolean {
  return WANTED.has(head.get('warc-type') ?? '') && /^https?:/i.test(targetOf(head));
}

function keyOf(text: string): number {
  const bytes = createHash('sha1').update(text).digest();
  return bytes.readUIntBE(0, 6) * 32 + (bytes.readUInt8(6) >> 3);
}

function bodyOf(document: KeptDocument): Body {
  const chunks = document.chunksAsync()[Symbol.asyncIterator]();
  return {
    async read() {
      const { done, value } = await chunks.next();
      // A chunk of a spool may be used only until the next one is asked for.
      return done === true ? undefined : value.slice();
    },
    async cancel() {
      await chunks.return?.();
    },
  };
}
