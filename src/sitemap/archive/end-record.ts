/**
 * The last record of an archive. It has a fixed size and is not compressed, so that it is found at the end of the file,
 * and says where the record with the nodes is.
 */
import { isCount, isRecord, isText } from './json-shape.ts';
import { STORED_MEMBER, storedMember } from './record-file.ts';
import { digestOf, RECORD_END, recordHead } from './warc-record.ts';

/** Where the record with the nodes is. */
export interface EndRecord {
  /** From the beginning of the file, in bytes. */
  readonly offset: number;
  /** As it is in the file. */
  readonly length: number;
  /** Of these bytes. */
  readonly digest: string;
}

const END_URI = 'urn:ultimate-sitemap-parser:end';
const BLOCK_BYTES = 160;
const DATE = 0;

function plainRecord({ offset, length, digest }: EndRecord, date: number): Uint8Array {
  const block = Buffer.from(JSON.stringify({ offset, length, digest }).padEnd(BLOCK_BYTES));
  const fields = { type: 'metadata', date, targetUri: END_URI, contentType: 'application/json' } as const;
  const digests = { block: digestOf(block), payload: digestOf(block) };
  return Buffer.concat([
    Buffer.from(recordHead(fields, block.length, digests)),
    block,
    Buffer.from(RECORD_END),
  ]);
}

const PLAIN_BYTES = plainRecord({ offset: 0, length: 0, digest: '' }, DATE).length;

/** The most bytes that the record takes in any file. */
export const MOST_END_BYTES: number = STORED_MEMBER.before + PLAIN_BYTES + STORED_MEMBER.behind;

/** The bytes of the record. */
export function endRecord(
  end: EndRecord,
  date: number,
  { isGzip }: { readonly isGzip: boolean },
): Uint8Array {
  const record = plainRecord(end, date);
  return isGzip ? storedMember(record) : record;
}

/** What the last bytes of a file say; undefined where they are not this record. */
export function readEndRecord(
  tail: Uint8Array,
): { readonly end: EndRecord; readonly isGzip: boolean; readonly bytes: number } | undefined {
  const gzip = tail.subarray(-MOST_END_BYTES);
  const isGzip = gzip[0] === 0x1f && gzip[1] === 0x8b;
  const record = isGzip
    ? gzip.subarray(STORED_MEMBER.before, -STORED_MEMBER.behind)
    : tail.subarray(-PLAIN_BYTES);
  if (record.length !== PLAIN_BYTES) return undefined;
  const text = Buffer.from(record).toString('latin1');
  const block = record.subarray(-BLOCK_BYTES - RECORD_END.length, -RECORD_END.length);
  const isOurs = text.startsWith('WARC/1.1\r\n') && text.includes(`\r\nWARC-Target-URI: ${END_URI}\r\n`);
  if (!isOurs || !text.includes(`\r\nWARC-Block-Digest: ${digestOf(block)}\r\n`)) return undefined;
  const end = endOf(Buffer.from(block).toString('latin1'));
  return end && { end, isGzip, bytes: isGzip ? MOST_END_BYTES : PLAIN_BYTES };
}

function endOf(json: string): EndRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { offset, length, digest } = value;
  return isCount(offset) && isCount(length) && isText(digest) ? { offset, length, digest } : undefined;
}
