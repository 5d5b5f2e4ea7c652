/**
 * A web client that responds from a WARC file instead of the web: one that `saveTree` wrote, or wget, or Browsertrix.
 */

import { type Body, type Decoder, iterate, onBodyEnd } from '../fetch/body.ts';
import { asItIs, type ByteReader, byFirstBytes, generated } from '../fetch/decode/byte-reader.ts';
import { contentDecoder } from '../fetch/decode/content-decoding.ts';
import type { WebClient, WebResponse } from '../options/web-seam.ts';
import { badInput, SitemapException } from '../problems/errors.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import type { StopSignal } from '../runtime/abort.ts';
import { pathOf } from '../sitemap/archive/warc-writer.ts';
import { clip } from '../text/wording.ts';
import { RecordBytes, type RecordHead, WarcFile } from './warc-file.ts';
import { lengthOf, type RecordContent, type WarcIndex, warcIndexes } from './warc-index.ts';

/** The bytes that each stage of decoding may give; the document's own limit is above the client. */
const MAX_DECODED_BYTES = 1024 ** 3;

/**
 * A client that responds from a WARC file, plain or gzipped, or from several: a crawl that was split by size. What is
 * in none of them is a failure with code `not-in-archive`. Of several responses for one URL the last that is not a 304
 * counts; a revisit has the payload that it refers to, where that is in the files. They are read once, at the first
 * request, to find their records, and must not be changed while the client is used.
 *
 * @example
 * ```ts
 * const tree = await sitemapTreeForHomepage('https://example.org/', { webClient: warcClient('crawl.warc.gz') });
 * ```
 *
 * @throws SitemapException with code `archive-unreadable`, or `archive-format` where a file is not a WARC file. A
 *   damaged file rejects every request, with code `archive-damaged`.
 */
export function warcClient(path: string | URL | readonly (string | URL)[]): WebClient {
  const paths = Array.isArray(path) ? path : [path];
  if (paths.length === 0) throw badInput('warcClient needs a file.');
  const files = paths.map((each) => new WarcFile(pathOf(each, 'warcClient')));
  const indexesOf = warcIndexes(files);
  return async (url, { signal }) => {
    // The last file first: what is in it was recorded last.
    const records = { indexes: (await indexesOf(signal)).toReversed(), signal };
    for (const index of records.indexes) {
      const record = await index.response(url, signal);
      const response = record && (await responseOf(record, records));
      if (response !== undefined) return response;
    }
    const message = `it is not in ${files.map(({ name }) => name).join(' or ')}`;
    throw new SitemapException(message, { code: 'not-in-archive', url });
  };
}

interface Records {
  readonly indexes: readonly WarcIndex[];
  readonly signal: StopSignal;
}

/** The response that a record holds; undefined where it holds none, or refers to one that is not there. */
async function responseOf(foundRecord: RecordContent, records: Records): Promise<WebResponse | undefined> {
  const { head: record, block } = foundRecord;
  // The file is closed with the last byte of a record, not with its own.
  const closing = (body: Body): Body => onBodyEnd(body, () => void block.cancel());
  if (record.get('warc-type') === 'resource') {
    const type = record.get('content-type');
    return {
      status: 200,
      statusText: 'OK',
      headers: headersOf(type === undefined ? [] : [['content-type', type]]),
      body: iterate(closing(block)),
      isRecorded: true,
    };
  }
  const bytes = new RecordBytes(block);
  const head = await bytes.head({ isLast: true }).catch(async (error: unknown) => {
    await block.cancel();
    throw error;
  });
  const [, status, statusText = ''] = /^HTTP\/[\d.]+\s+(\d{3})(?:\s+(.*))?$/.exec(head?.first ?? '') ?? [];
  const headers = headersOf(head?.headers ?? []);
  if (record.get('warc-type') === 'revisit') {
    await block.cancel();
    const original = await originalOf(record, records);
    const response = original && (await responseOf(original, records));
    // The payload is that of the original, in the coding that it has there.
    return status === undefined || response === undefined
      ? response
      : { ...response, status: Number(status), statusText, headers };
  }
  if (status === undefined || head === undefined) {
    await block.cancel();
    return undefined;
  }
  const problems = new ProblemList();
  return {
    status: Number(status),
    statusText,
    headers,
    isRecorded: true,
    body: iterate(decoded(closing(bytes.block(lengthOf(record) - bytes.position)), head, problems)),
    problems: truncation(record, Number(status), problems),
  };
}

/** What a revisit refers to; undefined where that is not there, or another revisit. */
async function originalOf(
  revisit: RecordHead,
  { indexes, signal }: Records,
): Promise<RecordContent | undefined> {
  for (const index of indexes) {
    const original = await index.original(revisit, signal);
    if (original === undefined) continue;
    if (original.head.get('warc-type') !== 'revisit') return original;
    await original.block.cancel();
  }
  return undefined;
}

function decoded(body: Body, head: RecordHead, problems: ProblemList): Body {
  const isChunked = /(?:^|[\s,])chunked\s*$/i.test(head.get('transfer-encoding') ?? '');
  const coding = head.get('content-encoding') ?? null;
  return contentDecoder(coding, { maxBytes: MAX_DECODED_BYTES, problems })(isChunked ? dechunk(body) : body);
}

/** The problems of a response; a record that is truncated has one. */
function truncation(record: RecordHead, status: number, { kept }: ProblemList): readonly Problem[] {
  const why = record.get('warc-truncated');
  if (why === undefined || status > 299) return kept;
  const message = `The rest of the document is not in the archive (WARC-Truncated: ${clip(why, 40)}).`;
  return [{ code: why === 'length' ? 'too-large' : 'connection-broke', message }];
}

function headersOf(headers: RecordHead['headers']): WebResponse['headers'] {
  return {
    get(name) {
      const values = headers
        .filter(([headerName]) => headerName === name.toLowerCase())
        .map(([, value]) => value);
      return values.length === 0 ? null : values.join(', ');
    },
    [Symbol.iterator]: () => headers[Symbol.iterator](),
  };
}

const FIRST_CHUNK = /^[\da-f]{1,8}[^\n]{0,40}\r?\n/i;

/**
 * Undoes the chunked transfer coding (RFC 9112 §7.1), where a response was recorded as it was sent; one that does not
 * begin with a chunk was recorded without it, and passes as it is.
 */
const dechunk: Decoder = byFirstBytes(64, (start) => {
  const isChunked = FIRST_CHUNK.test(Buffer.from(start).toString('latin1'));
  return isChunked ? generated(dechunked) : asItIs;
});

async function* dechunked(reader: ByteReader): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const size = /^[\da-f]+/i.exec(await lineOf(reader))?.[0];
    if (size === undefined) throw new Error('The chunked response is damaged.');
    let remaining = Number.parseInt(size, 16);
    if (remaining === 0) return;
    while (remaining > 0) {
      const chunk = await reader.read();
      if (chunk === undefined) throw new Error('The chunked response ends too early.');
      const part = chunk.subarray(0, remaining);
      if (part.length < chunk.length) reader.unread(chunk.subarray(part.length));
      remaining -= part.length;
      yield part;
    }
    await lineOf(reader);
  }
}

async function lineOf(reader: ByteReader): Promise<string> {
  const bytes = await reader.peek(256);
  const end = bytes.indexOf(0x0a);
  const text = Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString('latin1');
  await reader.skip(end === -1 ? bytes.length : end + 1);
  return text.trim();
}
