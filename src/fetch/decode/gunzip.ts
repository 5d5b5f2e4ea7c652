/**
 * gzip (RFC 1952) as it is found on the web: several members in a row, cut short, with a checksum that does
 * not fit, with rubbish behind it. Each is a problem, and none costs a byte that could be inflated.
 *
 * Node's own gunzip reads the same format, but an error (which a wrong checksum and trailing bytes are to it)
 * takes its last chunk along. Raw inflate behind our own reading of header and trailer does not.
 *
 * @packageDocumentation
 */
import { crc32, createInflateRaw } from 'node:zlib';
import type { ProblemList } from '../../problems/problem-list.ts';
import { ByteReader } from './byte-reader.ts';
import { INFLATE_CHUNK, ZlibPump } from './zlib-pump.ts';

/** How many first bytes {@link isGzip} needs. */
export const GZIP_MAGIC_BYTES = 4;

/** Whether these first bytes start a gzip member: the magic, deflate, no reserved flag. */
export function isGzip(start: Uint8Array): boolean {
  return start[0] === 0x1f && start[1] === 0x8b && start[2] === 8 && (start[3] ?? 0) < 0x20;
}

/** bgzip makes a member of every 64 kB; far more than that is a bomb of empty members, which costs only time. */
const MOST_MEMBERS = 10_000;

/** How much of a member's compressed data is remembered, to get at what zlib had inflated before an error. */
const REMEMBERED_BYTES = 1024 * 1024;
const SALVAGE_STEP = 256;

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const;

/** Inflates gzip data; the first member's header must be there (see {@link isGzip}). */
export async function* gunzip(
  compressed: AsyncIterable<Uint8Array>,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = new ByteReader(compressed);
  try {
    for (let members = 0; members === 0 || isGzip(await reader.peek(GZIP_MAGIC_BYTES)); members++) {
      if (members === MOST_MEMBERS) {
        problems.add(
          'gzip-corrupt',
          `The gzip data has more than ${MOST_MEMBERS} members; the rest is ignored.`,
        );
        return;
      }
      if (!(await skipHeader(reader)) || !(yield* inflateMember(reader, problems))) return;
    }
    if ((await reader.peek(1)).length > 0) {
      problems.add('gzip-trailing-bytes', 'Bytes that are no gzip follow the gzip data; they are ignored.');
    }
  } finally {
    await reader.cancel();
  }

  async function skipHeader(from: ByteReader): Promise<boolean> {
    const header = await from.take(10);
    const flags = header[3] ?? 0;
    let whole = header.length === 10;
    if (whole && flags & FLAG.extra) {
      const length = await from.take(2);
      const size = (length[0] ?? 0) | ((length[1] ?? 0) << 8);
      whole = length.length === 2 && (await from.skip(size));
    }
    if (whole && flags & FLAG.name) whole = await from.skipPast(0);
    if (whole && flags & FLAG.comment) whole = await from.skipPast(0);
    if (whole && flags & FLAG.headerCrc) whole = await from.skip(2);
    if (!whole) problems.add('gzip-truncated', 'The gzip data ends inside a header.');
    return whole;
  }
}

/** Inflates one member behind its header and checks its trailer; whether another member may follow. */
async function* inflateMember(
  reader: ByteReader,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, boolean, undefined> {
  const pump = new ZlibPump(createInflateRaw({ chunkSize: INFLATE_CHUNK }));
  let checksum = 0;
  let length = 0;
  const fed: Uint8Array[] = [];
  let fedBytes = 0;
  try {
    while (!pump.ended) {
      const chunk = await reader.chunk();
      if (chunk === undefined) break;
      const before = pump.consumed;
      fedBytes += chunk.length;
      if (fedBytes <= REMEMBERED_BYTES) fed.push(chunk);
      else fed.length = 0;
      for await (const output of pump.feed(chunk)) {
        checksum = crc32(output, checksum);
        length += output.length;
        yield output;
      }
      if (pump.ended) reader.unread(chunk.subarray(pump.consumed - before));
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    for await (const output of salvaged(fed, length)) {
      length += output.length;
      yield output;
    }
    problems.add(
      'gzip-corrupt',
      `The gzip data is corrupt after ${length} inflated bytes; the rest is lost.`,
    );
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
  if (view.getUint32(0, true) !== checksum) {
    problems.add(
      'gzip-bad-checksum',
      'The checksum of the gzip data does not fit its content, which is kept.',
    );
  } else if (view.getUint32(4, true) !== length % 2 ** 32) {
    problems.add(
      'gzip-bad-checksum',
      'The length that the gzip data ends with is not its content’s, which is kept.',
    );
  }
  return true;
}

/**
 * Node drops what zlib inflated in the very call that failed, up to a whole chunk, which may be the whole
 * document. So the same data goes in again: once in steps, to find the step with the fault, and once more up to
 * there and then byte by byte. What was yielded before is passed over.
 */
async function* salvaged(
  fed: readonly Uint8Array[],
  yielded: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const earlier = fed.slice(0, -1);
  const faulty = fed.at(-1) ?? new Uint8Array(0);
  let sound = 0;
  const rehearsal = inflating([...earlier, ...steps(faulty, SALVAGE_STEP)], (index) => {
    sound = Math.max(0, index - earlier.length) * SALVAGE_STEP;
  });
  for await (const _ of rehearsal);
  const near = steps(faulty.subarray(sound, sound + SALVAGE_STEP), 1);
  let skip = yielded;
  for await (const output of inflating([...earlier, faulty.subarray(0, sound), ...near])) {
    const fresh = output.subarray(Math.min(skip, output.length));
    skip -= output.length - fresh.length;
    if (fresh.length > 0) yield fresh;
  }
}

/** Inflates pieces until zlib objects; tells before each which one it is. */
async function* inflating(
  parts: Iterable<Uint8Array>,
  begins: (index: number) => void = () => {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const pump = new ZlibPump(createInflateRaw({ chunkSize: INFLATE_CHUNK }));
  let index = 0;
  try {
    for (const part of parts) {
      begins(index++);
      if (part.length > 0) yield* pump.feed(part);
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
  } finally {
    pump.close();
  }
}

function steps(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

/** Whether zlib itself objected to the data (and not the connection behind it). */
export function isZlibError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return (
    error.code.startsWith('Z_') || error.code.startsWith('ERR__ERROR_') || error.code.startsWith('ERR_BROTLI')
  );
}
