/**
 * gzip (RFC 1952) as it is found on the web: under any name or content type, once or twice, with several members in a
 * row, truncated, with a wrong checksum, with other bytes behind it. Each of these is a problem, and none costs a byte
 * that could be inflated.
 *
 * Node's own gunzip reads the same format, but an error (to it, a wrong checksum and trailing bytes are errors) loses
 * its last chunk. Raw inflate behind our own reading of header and trailer does not.
 *
 * Every stage has the same byte budget (Specification §2), the transport's decoded bytes included: a bomb of empty gzip
 * members, which inflates to nothing forever, ends as soon as a bomb of zeros. Each stage holds at most one chunk,
 * and 4 MiB of compressed data for the case of a fault.
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import { crc32 } from '../../runtime/checksum.ts';
import type { Decoder } from '../body.ts';
import {
  asItIs,
  type ByteReader,
  byFirstBytes,
  type DecodeLimits,
  generated,
  withinBudget,
} from './byte-reader.ts';
import { isZlibError, rawInflate, ZlibPump } from './zlib-pump.ts';

const MOST_LEVELS = 2;

/**
 * Inflates a document where it is gzip. Faults become problems; only an error of the source itself is thrown, after
 * everything that could be inflated was read.
 */
export const inflate =
  (limits: DecodeLimits): Decoder =>
  (body) =>
    ungzipped(MOST_LEVELS, limits)(withinBudget(limits)(body));

const ungzipped = (levels: number, limits: DecodeLimits): Decoder =>
  levels === 0
    ? asItIs
    : byFirstBytes(GZIP_MAGIC_BYTES, (start) => {
        if (!isGzip(start)) return asItIs;
        return (body) => ungzipped(levels - 1, limits)(withinBudget(limits)(gunzip(limits.problems)(body)));
      });

/** How many first bytes {@link isGzip} needs. */
export const GZIP_MAGIC_BYTES = 4;

/** Whether these first bytes start a gzip member: the magic, deflate, no reserved flag. */
export function isGzip(start: Uint8Array): boolean {
  return start[0] === 0x1f && start[1] === 0x8b && start[2] === 8 && (start[3] ?? 0) < 0x20;
}

/** bgzip makes a member of every 64 kB; far more than that is a bomb of empty members, which costs only time. */
const MOST_MEMBERS = 10_000;

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const;

/** Inflates gzip data; the first member's header must be there (see {@link isGzip}). */
export const gunzip = (problems: ProblemList): Decoder => generated((reader) => members(reader, problems));

async function* members(
  reader: ByteReader,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let number = 0; ; number++) {
    if (number > 0 && !isGzip(await reader.peek(GZIP_MAGIC_BYTES))) {
      if (reader.buffered > 0) {
        problems.add(
          'gzip-trailing-bytes',
          'Bytes that are not gzip follow the gzip data; they are ignored.',
        );
      }
      return;
    }
    if (number === MOST_MEMBERS) {
      problems.add(
        'gzip-corrupt',
        `The gzip data has more than ${MOST_MEMBERS} members; the rest is ignored.`,
      );
      return;
    }
    if (!(await skipHeader(reader))) {
      problems.add('gzip-truncated', 'The gzip data ends inside a header.');
      return;
    }
    if (!(yield* member(reader, problems))) return;
  }
}

/** Skips a member's header; whether all of it was there. */
export async function skipHeader(reader: ByteReader): Promise<boolean> {
  const header = await reader.take(10);
  if (header.length < 10) return false;
  const flags = header[3] ?? 0;
  if (flags & FLAG.extra) {
    const length = await reader.take(2);
    const size = (length[0] ?? 0) | ((length[1] ?? 0) << 8);
    if (length.length < 2 || !(await reader.skip(size))) return false;
  }
  if (flags & FLAG.name && !(await reader.skipPast(0))) return false;
  if (flags & FLAG.comment && !(await reader.skipPast(0))) return false;
  return !(flags & FLAG.headerCrc) || reader.skip(2);
}

/** One member behind its header: its data, then its trailer. Returns whether another one may follow. */
async function* member(
  reader: ByteReader,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, boolean, undefined> {
  const pump = new ZlibPump(rawInflate(), reader, rawInflate);
  let checksum = 0;
  let length = 0;
  try {
    for (let output = await pump.read(); output !== undefined; output = await pump.read()) {
      checksum = crc32(output, checksum);
      length += output.length;
      yield output;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    for await (const output of pump.salvaged()) {
      length += output.length;
      yield output;
    }
    const message = `The gzip data is corrupt after ${length} inflated bytes; the rest is lost.`;
    problems.add('gzip-corrupt', message);
    return false;
  } finally {
    pump.close();
  }
  const trailer = await reader.take(8);
  if (trailer.length < 8) {
    problems.add('gzip-truncated', `The gzip data ends too early, after ${length} inflated bytes.`);
    return false;
  }
  const view = new DataView(trailer.buffer, trailer.byteOffset, 8);
  const isWrong = view.getUint32(0, true) !== checksum;
  if (isWrong || view.getUint32(4, true) !== length % 2 ** 32) {
    const what = isWrong ? 'checksum of' : 'length at the end of';
    problems.add('bad-checksum', `The ${what} the gzip data is not that of its content, which is kept.`);
  }
  return true;
}
