/**
 * The content codings that the default client asks for, undone as the body arrives.
 *
 * Servers get this header wrong in every way: gzip declared and plain text sent, `deflate` as zlib (the standard) or
 * raw (half of the web), codings that were not asked for. The bytes decide; a header that they contradict is a problem
 * and costs nothing.
 *
 * @packageDocumentation
 */
import { createBrotliDecompress, createInflateRaw } from 'node:zlib';
import type { ProblemList } from '../../problems/problem-list.ts';
import type { Body, Decoder } from '../body.ts';
import { type DecodeLimits, withinBudget } from './byte-budget.ts';
import { asItIs, ByteReader, byFirstBytes } from './byte-reader.ts';
import { GZIP_MAGIC_BYTES, gunzip, isGzip } from './gunzip.ts';
import { INFLATE_CHUNK, isZlibError, ZlibPump } from './zlib-pump.ts';

/** The codings that the default client can undo. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** More codings than this on one body are not a server's honest mistake. */
const MOST_CODINGS = 4;

/** Undoes the codings of a `Content-Encoding` header, the last one first. */
export function contentDecoder(header: string | null, limits: DecodeLimits): Decoder {
  const codings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let decoder = asItIs;
  for (const coding of codings.reverse().slice(0, MOST_CODINGS)) {
    const undo = DECODERS.get(coding)?.(limits.problems);
    if (undo === undefined) {
      limits.problems.add(
        'unknown-content-encoding',
        `The content encoding "${coding}" is unknown; read as it is.`,
      );
      break;
    }
    const outer = decoder;
    decoder = (body) => withinBudget(limits)(undo(outer(body)));
  }
  return decoder;
}

const ungzip = (problems: ProblemList): Decoder =>
  byFirstBytes(GZIP_MAGIC_BYTES, (start) => {
    if (isGzip(start)) return gunzip(problems);
    if (start.length > 0) {
      problems.add(
        'wrong-content-encoding',
        'The content encoding gzip was declared, but the body is not gzip.',
      );
    }
    return asItIs;
  });

const undeflate = (problems: ProblemList): Decoder =>
  byFirstBytes(ZLIB_HEADER_BYTES, (start) => (body) => {
    const pump = new ZlibPump(createInflateRaw({ chunkSize: INFLATE_CHUNK }));
    const headerBytes = isZlib(start) ? ZLIB_HEADER_BYTES : 0;
    return new DecodedBody(new ByteReader(body), { coding: 'deflate', pump, headerBytes, problems });
  });

const unbrotli =
  (problems: ProblemList): Decoder =>
  (body) => {
    const pump = new ZlibPump(createBrotliDecompress({ chunkSize: INFLATE_CHUNK }));
    return new DecodedBody(new ByteReader(body), { coding: 'br', pump, headerBytes: 0, problems });
  };

const DECODERS: ReadonlyMap<string, (problems: ProblemList) => Decoder> = new Map([
  ['gzip', ungzip],
  ['x-gzip', ungzip],
  ['deflate', undeflate],
  ['br', unbrotli],
]);

const ZLIB_HEADER_BYTES = 2;

/**
 * Whether deflate data starts with zlib's header (RFC 1950): deflate as the method, a window of at most 32 kB, and a
 * check that is a multiple of 31. Its trailing checksum is not read: an error about it would cost the chunk before it.
 */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x8f) === 8 && ((first << 8) | second) % 31 === 0;
}

/** How much input is remembered until the first output, in case that the body is not encoded at all. */
const REMEMBERED_BYTES = 64 * 1024;

interface Coding {
  readonly coding: string;
  readonly pump: ZlibPump;
  /** How many first bytes the pump must not get. */
  readonly headerBytes: number;
  readonly problems: ProblemList;
}

/** A body through a pump; read as it is where its first bytes show that it is not encoded. */
class DecodedBody implements Body {
  readonly #reader: ByteReader;
  readonly #coding: Coding;
  readonly #remembered: Uint8Array[] = [];
  #fedBytes = 0;
  #decodedBytes = 0;
  #state: 'encoded' | 'plain' | 'over' = 'encoded';

  constructor(reader: ByteReader, coding: Coding) {
    this.#reader = reader;
    this.#coding = coding;
  }

  async read(): Promise<Uint8Array | undefined> {
    const { pump, coding, problems } = this.#coding;
    if (this.#state === 'encoded') {
      try {
        const output = await this.#decode();
        if (output !== undefined) return output;
        await this.cancel();
        return undefined;
      } catch (error) {
        pump.close();
        if (!isZlibError(error)) throw error;
      }
      this.#state = this.#isPlain ? 'plain' : 'over';
      if (this.#state === 'plain') {
        problems.add(
          'wrong-content-encoding',
          `The content encoding ${coding} was declared, but the body is not.`,
        );
        for (const chunk of this.#remembered.reverse()) this.#reader.unread(chunk);
      } else {
        problems.add(
          'encoding-damaged',
          `The ${coding} content encoding is corrupt after ${this.#decodedBytes} bytes.`,
        );
        await this.cancel();
      }
    }
    return this.#state === 'plain' ? this.#reader.read() : undefined;
  }

  async cancel(): Promise<void> {
    this.#state = 'over';
    this.#coding.pump.close();
    await this.#reader.cancel();
  }

  /** Whether a fault shows that the body is not encoded: nothing of it could be decoded. */
  get #isPlain(): boolean {
    return this.#decodedBytes === 0 && this.#remembered.length > 0;
  }

  async #decode(): Promise<Uint8Array | undefined> {
    const { pump, coding, headerBytes, problems } = this.#coding;
    for (;;) {
      const output = await pump.read();
      if (output !== undefined) {
        this.#decodedBytes += output.length;
        return output;
      }
      if (pump.ended) return undefined;
      const chunk = await this.#reader.read();
      if (chunk === undefined) break;
      const isFirst = this.#fedBytes === 0;
      this.#fedBytes += chunk.length;
      if (this.#fedBytes <= REMEMBERED_BYTES || isFirst) this.#remembered.push(chunk);
      else this.#remembered.length = 0;
      const data = isFirst ? chunk.subarray(headerBytes) : chunk;
      if (data.length > 0) pump.feed(data);
    }
    if (this.#fedBytes > 0 && this.#state === 'encoded' && !(await pump.isComplete())) {
      problems.add('encoding-damaged', `The ${coding} content encoding ends too early.`);
    }
    return undefined;
  }
}
