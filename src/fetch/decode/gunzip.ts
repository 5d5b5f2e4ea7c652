/**
 * gzip (RFC 1952) as it is found on the web: several members in a row, truncated, with a wrong checksum, with other
 * bytes behind it. Each of these is a problem, and none costs a byte that could be inflated.
 *
 * Node's own gunzip reads the same format, but an error (to it, a wrong checksum and trailing bytes are errors) loses
 * its last chunk. Raw inflate behind our own reading of header and trailer does not.
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import { crc32 } from '../../runtime/checksum.ts';
import type { Body, Decoder } from '../body.ts';
import { ByteReader } from './byte-reader.ts';
import { isZlibError, rawInflate, ZlibPump } from './zlib-pump.ts';

/** How many first bytes {@link isGzip} needs. */
export const GZIP_MAGIC_BYTES = 4;

/** Whether these first bytes start a gzip member: the magic, deflate, no reserved flag. */
export function isGzip(start: Uint8Array): boolean {
  return start[0] === 0x1f && start[1] === 0x8b && start[2] === 8 && (start[3] ?? 0) < 0x20;
}

/** bgzip makes a member of every 64 kB; far more than that is a bomb of empty members, which costs only time. */
const MOST_MEMBERS = 10_000;

/** How much of a member's compressed data is remembered, to recover what zlib had inflated before an error. */
const REMEMBERED_BYTES = 1024 * 1024;

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const;

/** Inflates gzip data; the first member's header must be there (see {@link isGzip}). */
export const gunzip =
  (problems: ProblemList): Decoder =>
  (body) =>
    new Gunzip(new ByteReader(body), problems);

class Gunzip implements Body {
  readonly #reader: ByteReader;
  readonly #problems: ProblemList;
  #members = 0;
  #member: Member | undefined;
  #isOver = false;

  constructor(reader: ByteReader, problems: ProblemList) {
    this.#reader = reader;
    this.#problems = problems;
  }

  async read(): Promise<Uint8Array | undefined> {
    while (!this.#isOver) {
      this.#member ??= await this.#nextMember();
      if (this.#member === undefined) break;
      const output = await this.#member.read();
      if (output !== undefined) return output;
      if (this.#isOver || !(await this.#member.finish())) break;
      this.#member = undefined;
    }
    await this.cancel();
    return undefined;
  }

  async cancel(): Promise<void> {
    this.#isOver = true;
    this.#member?.close();
    await this.#reader.cancel();
  }

  /** The next member, behind its header; none at the end of the gzip data. */
  async #nextMember(): Promise<Member | undefined> {
    const number = this.#members++;
    if (number > 0 && !isGzip(await this.#reader.peek(GZIP_MAGIC_BYTES))) {
      if ((await this.#reader.peek(1)).length > 0) {
        this.#problems.add(
          'gzip-trailing-bytes',
          'Bytes that are not gzip follow the gzip data; they are ignored.',
        );
      }
      return undefined;
    }
    if (number === MOST_MEMBERS) {
      this.#problems.add(
        'gzip-corrupt',
        `The gzip data has more than ${MOST_MEMBERS} members; the rest is ignored.`,
      );
      return undefined;
    }
    if (await skipHeader(this.#reader)) return new Member(this.#reader, this.#problems);
    this.#problems.add('gzip-truncated', 'The gzip data ends inside a header.');
    return undefined;
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

/** One member behind its header: its data, then its trailer. */
class Member {
  readonly #reader: ByteReader;
  readonly #problems: ProblemList;
  readonly #pump: ZlibPump;
  #checksum = 0;
  #length = 0;
  #salvaged: Body | undefined;

  constructor(reader: ByteReader, problems: ProblemList) {
    this.#reader = reader;
    this.#problems = problems;
    this.#pump = new ZlibPump(rawInflate(), reader, REMEMBERED_BYTES);
  }

  /** The next inflated bytes; `undefined` at the end of the data, complete or not. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#salvaged === undefined) {
      try {
        const output = await this.#pump.read();
        if (output !== undefined) this.#checksum = crc32(output, this.#checksum);
        this.#length += output?.length ?? 0;
        return output;
      } catch (error) {
        this.close();
        if (!isZlibError(error)) throw error;
        const { fedBytes, remembered } = this.#pump;
        this.#salvaged = await salvage(fedBytes <= REMEMBERED_BYTES ? remembered : [], this.#length);
      }
    }
    const output = await this.#salvaged.read();
    this.#length += output?.length ?? 0;
    return output;
  }

  /** Checks the end of the member; whether another one may follow. */
  async finish(): Promise<boolean> {
    this.close();
    if (this.#salvaged !== undefined) {
      this.#problems.add(
        'gzip-corrupt',
        `The gzip data is corrupt after ${this.#length} inflated bytes; the rest is lost.`,
      );
      return false;
    }
    const trailer = await this.#reader.take(8);
    if (trailer.length < 8) {
      this.#problems.add(
        'gzip-truncated',
        `The gzip data ends too early, after ${this.#length} inflated bytes.`,
      );
      return false;
    }
    const view = new DataView(trailer.buffer, trailer.byteOffset, 8);
    if (view.getUint32(0, true) !== this.#checksum) {
      this.#problems.add(
        'gzip-bad-checksum',
        'The checksum of the gzip data is not that of its content, which is kept.',
      );
    } else if (view.getUint32(4, true) !== this.#length % 2 ** 32) {
      this.#problems.add(
        'gzip-bad-checksum',
        'The length at the end of the gzip data is not that of its content, which is kept.',
      );
    }
    return true;
  }

  close(): void {
    this.#pump.close();
  }
}

const STEP_BYTES = 256;

/**
 * What raw deflate data inflates to before its fault. Node loses what zlib inflated in the very call that failed: up to
 * a whole chunk, which may be the whole document. So the same data is inflated again: once in steps, to find the step
 * with the fault, and once more up to that step and then byte by byte.
 *
 * @param fed - the data, in the chunks that zlib was fed; the fault is in the last one
 * @param known - how many inflated bytes were read already; they are left out
 */
async function salvage(fed: readonly Uint8Array[], known: number): Promise<Body> {
  const earlier = fed.slice(0, -1);
  const faulty = fed.at(-1) ?? new Uint8Array(0);
  let begun = 0;
  const rehearsal = inflatedParts([...earlier, ...steps(faulty, STEP_BYTES)], () => begun++);
  while ((await rehearsal.read()) !== undefined);
  const sound = Math.max(0, begun - 1 - earlier.length) * STEP_BYTES;
  const near = steps(faulty.subarray(sound, sound + STEP_BYTES), 1);
  return without(known, inflatedParts([...earlier, faulty.subarray(0, sound), ...near]));
}

/** Inflates parts until zlib objects. */
function inflatedParts(parts: readonly Uint8Array[], onBegun: () => void = () => {}): Body {
  const left = parts.values();
  const nextPart = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = left.next();
    if (!done) onBegun();
    return value;
  };
  const pump = new ZlibPump(rawInflate(), new ByteReader({ read: nextPart, cancel: async () => {} }));
  return {
    async read() {
      try {
        const output = await pump.read();
        if (output !== undefined) return output;
      } catch (error) {
        if (!isZlibError(error)) throw error;
      }
      pump.close();
      return undefined;
    },
    cancel: async () => pump.close(),
  };
}

function without(count: number, body: Body): Body {
  let left = count;
  return {
    async read() {
      for (;;) {
        const chunk = await body.read();
        if (chunk === undefined || left === 0) return chunk;
        const fresh = chunk.subarray(Math.min(left, chunk.length));
        left -= chunk.length - fresh.length;
        if (fresh.length > 0) return fresh;
      }
    },
    cancel: () => body.cancel(),
  };
}

function steps(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}
