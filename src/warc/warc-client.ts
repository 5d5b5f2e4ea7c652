/**
 * A web client that responds from a WARC file instead of the web: one that `saveTree` wrote, or wget, or Browsertrix.
 *
 * @packageDocumentation
 */
import { type Body, type Decoder, iterate } from '../fetch/body.ts';
import type { WebClient, WebResponse } from '../fetch/client/web-client.ts';
import { ByteReader, byFirstBytes } from '../fetch/decode/byte-reader.ts';
import { contentDecoder } from '../fetch/decode/content-decoding.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import { pathOf } from '../sitemap/archive/warc-writer.ts';
import { type Head, RecordBytes, WarcFile } from './warc-file.ts';
import { type FoundRecord, httpHead, lengthOf, WarcIndex } from './warc-index.ts';

/** The bytes that each stage of decoding may give; the document's own limit is above the client. */
const MAX_DECODED_BYTES = 1024 ** 3;

/**
 * A client that responds from a WARC file, plain or gzipped. A URL that is not in it gets a 404. Of several responses
 * for one URL the last that is not a 304 counts; a revisit has the payload that it refers to, where that is in the
 * file. The file is read once, at the first request, to find its records. It must not be changed while the client is
 * used.
 *
 * @example
 * ```ts
 * const tree = await sitemapTreeForHomepage('https://example.org/', { webClient: warcClient('crawl.warc.gz') });
 * ```
 *
 * @throws SitemapException with code `archive-unreadable`, or `archive-format` where the file is not a WARC file. A
 *   damaged file rejects every request, with code `archive-damaged`.
 */
export function warcClient(path: string | URL): WebClient {
  const file = new WarcFile(pathOf(path, 'warcClient'));
  let index: Promise<WarcIndex> | undefined;
  return async (url, { signal }) => {
    signal.throwIfAborted();
    index ??= WarcIndex.of(file);
    const records = await index;
    const found = await records.response(url);
    return found === undefined ? NOT_FOUND : responseOf(found, records);
  };
}

const NOT_FOUND: WebResponse = {
  status: 404,
  statusText: 'Not Found',
  headers: headersOf([]),
  body: null,
};

async function responseOf(found: FoundRecord, records: WarcIndex): Promise<WebResponse> {
  const { head: record, block } = found;
  if (record.get('warc-type') === 'resource') {
    const type = record.get('content-type');
    return {
      ...{ status: 200, statusText: 'OK', body: iterate(block) },
      headers: headersOf(type === undefined ? [] : [['content-type', type]]),
    };
  }
  const bytes = new RecordBytes(block);
  const { status, statusText, head } = await httpHead(bytes, record);
  if (record.get('warc-type') === 'revisit') {
    const original = await records.original(record);
    if (original === undefined) return NOT_FOUND;
    if (original.head.get('warc-type') === 'revisit') return NOT_FOUND;
    const response = await responseOf(original, records);
    // The payload is that of the original, in the coding that it has there.
    return status === 0 || head === undefined
      ? response
      : { ...response, status, statusText, headers: headersOf(head.headers) };
  }
  if (status === 0 || head === undefined) return NOT_FOUND;
  const problems = new ProblemList();
  return {
    status,
    statusText,
    headers: headersOf(head.headers),
    body: iterate(decoded(bytes.block(lengthOf(record) - bytes.position), head, problems)),
    problems: truncation(record, status, problems),
  };
}

function decoded(body: Body, head: Head, problems: ProblemList): Body {
  const isChunked = /(?:^|[\s,])chunked\s*$/i.test(head.get('transfer-encoding') ?? '');
  const coding = head.get('content-encoding') ?? null;
  return contentDecoder(coding, { maxBytes: MAX_DECODED_BYTES, problems })(isChunked ? dechunk(body) : body);
}

/** The problems of a response; a record that is truncated has one. */
function truncation(record: Head, status: number, { kept }: ProblemList): readonly Problem[] {
  const why = record.get('warc-truncated');
  if (why === undefined || status > 299) return kept;
  const message = `The rest of the document is not in the archive (WARC-Truncated: ${why.slice(0, 40)}).`;
  return [{ code: 'connection-broke', message }];
}

function headersOf(headers: Head['headers']): WebResponse['headers'] {
  return {
    get(name) {
      const values = headers.filter(([known]) => known === name.toLowerCase()).map(([, value]) => value);
      return values.length === 0 ? null : values.join(', ');
    },
    [Symbol.iterator]: () => headers[Symbol.iterator](),
  };
}

/** The chunked transfer coding (RFC 9112 §7.1) of a response that was recorded as it was sent. */

const FIRST_CHUNK = /^[\da-f]{1,8}[^\n]{0,40}\r?\n/i;

/** Undoes the coding; a body that does not begin with a chunk was recorded without it, and passes as it is. */
export const dechunk: Decoder = byFirstBytes(64, (start) => {
  const isChunked = FIRST_CHUNK.test(Buffer.from(start).toString('latin1'));
  return isChunked ? (body) => new Dechunked(new ByteReader(body)) : (body) => body;
});

class Dechunked implements Body {
  readonly #reader: ByteReader;
  #left = 0;
  #isOver = false;

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#left === 0 && !this.#isOver) await this.#next();
    if (this.#isOver) return undefined;
    const chunk = await this.#reader.read();
    if (chunk === undefined) throw new Error('The chunked response ends too early.');
    const part = chunk.subarray(0, this.#left);
    if (part.length < chunk.length) this.#reader.unread(chunk.subarray(part.length));
    this.#left -= part.length;
    if (this.#left === 0) await this.#line();
    return part;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  async #next(): Promise<void> {
    const size = /^[\da-f]+/i.exec(await this.#line())?.[0];
    if (size === undefined) throw new Error('The chunked response is damaged.');
    this.#left = Number.parseInt(size, 16);
    this.#isOver = this.#left === 0;
  }

  async #line(): Promise<string> {
    const bytes = await this.#reader.peek(256);
    const end = bytes.indexOf(0x0a);
    const text = Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString('latin1');
    await this.#reader.skip(end === -1 ? bytes.length : end + 1);
    return text.trim();
  }
}
