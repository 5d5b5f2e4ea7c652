/**
 * The content codings that the default client asks for, undone as the body arrives.
 *
 * Servers get this header wrong in every way: gzip declared and plain text sent, `deflate` as zlib (the standard) or
 * raw (half of the web), codings that were not asked for. The bytes decide; a header that they contradict is a problem
 * and costs nothing.
 */
import * as zlib from 'node:zlib';
import type { ProblemList } from '../../problems/problem-list.ts';
import type { Body, Decoder } from '../body.ts';
import { asItIs, ByteReader, byFirstBytes } from './byte-reader.ts';
import { GZIP_MAGIC_BYTES, gunzip, isGzip } from './gunzip.ts';
import { type DecodeLimits, withinBudget, withinRawBudget } from './inflate.ts';
import { INFLATE_CHUNK, isUnknownFrame, isZlibError, ZlibPump, type ZlibStream } from './zlib-pump.ts';

/** A coding that a stream of `node:zlib` undoes. */
interface Coding {
  readonly coding: string;
  readonly createStream: () => ZlibStream;
  /** How many of the first bytes the stream must not get. */
  readonly headerBytes?: (start: Uint8Array) => number;
  /** Whether these bytes start another frame; for codings that have several. */
  readonly isFrame?: (start: Uint8Array) => boolean;
}

/** More codings than this on one body are not a server's honest mistake. */
const MOST_CODINGS = 4;

/** Undoes the codings of a `Content-Encoding` header, the last one first. */
export function contentDecoder(header: string | null, limits: DecodeLimits): Decoder {
  const codings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let decoder = codings.length === 0 ? asItIs : withinRawBudget(limits);
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

/**
 * Deflate data with zlib's header (RFC 1950: deflate as the method, a window of at most 32 kB, a check that is a
 * multiple of 31), or raw. A trailing checksum is not read: an error about it would cost the chunk before it.
 */
const DEFLATE: Coding = {
  coding: 'deflate',
  createStream: () => zlib.createInflateRaw({ chunkSize: INFLATE_CHUNK }),
  headerBytes: ([first = 0, second = 0]) =>
    (first & 0x8f) === 8 && ((first << 8) | second) % 31 === 0 ? 2 : 0,
};

const BROTLI: Coding = {
  coding: 'br',
  createStream: () => zlib.createBrotliDecompress({ chunkSize: INFLATE_CHUNK }),
};

/** RFC 9659: a frame of a content coding needs no window above 8 MiB. Node's own limit is 128 MiB for each document. */
const LARGEST_WINDOW_LOG = 23;

/** zstd (RFC 8878), where Node has it: from 22.15 and 23.8 on. Elsewhere it is not asked for. */
function zstdOfNode(): Coding | undefined {
  // The types of Node 20 do not have it.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const windowLogMax: unknown = Reflect.get(zlib.constants, 'ZSTD_d_windowLogMax');
  if (typeof create !== 'function' || typeof windowLogMax !== 'number') return undefined;
  const options = { chunkSize: INFLATE_CHUNK, params: { [windowLogMax]: LARGEST_WINDOW_LOG } };
  return { coding: 'zstd', createStream: () => create(options), isFrame: isZstdFrame };
}

/** Whether these bytes start a frame of zstd, or one of those that are to be skipped (RFC 8878 §3.1). */
function isZstdFrame([a = 0, b, c, d]: Uint8Array): boolean {
  if (a === 0x28) return b === 0xb5 && c === 0x2f && d === 0xfd;
  return (a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18;
}

const decoded =
  (coding: Coding) =>
  (problems: ProblemList): Decoder =>
  (body) =>
    new DecodedBody(body, coding, problems);

const DECODERS: ReadonlyMap<string, (problems: ProblemList) => Decoder> = new Map([
  ['gzip', ungzip],
  ['x-gzip', ungzip],
  ...[DEFLATE, BROTLI, zstdOfNode() ?? []].flat().map((each) => [each.coding, decoded(each)] as const),
]);

export const ACCEPT_ENCODING: string = [...DECODERS.keys()].filter((name) => name !== 'x-gzip').join(', ');

/** How much input is remembered until the first output, in case that the body is not encoded at all. */
const REMEMBERED_BYTES = 64 * 1024;

/** A frame costs a new decoder, so that millions of empty ones would cost much time. */
const MOST_FRAMES = 10_000;

/** How many first bytes tell whether there is a header, or another frame. */
const START_BYTES = 4;

/** A body through a pump; read as it is where its first bytes show that it is not encoded. */
class DecodedBody implements Body {
  readonly #reader: ByteReader;
  readonly #coding: Coding;
  readonly #problems: ProblemList;
  #pump: ZlibPump | undefined;
  #header: Uint8Array = new Uint8Array(0);
  #frames = 0;
  #decodedBytes = 0;
  #state: 'encoded' | 'plain' | 'over' = 'encoded';

  constructor(body: Body, coding: Coding, problems: ProblemList) {
    this.#reader = new ByteReader(body);
    this.#coding = coding;
    this.#problems = problems;
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#state === 'encoded') {
      try {
        const output = await this.#decode();
        if (output !== undefined) return output;
        await this.cancel();
        return undefined;
      } catch (error) {
        this.#pump?.close();
        if (!isZlibError(error)) throw error;
        await this.#endWith(error);
      }
    }
    return this.#state === 'plain' ? this.#reader.read() : undefined;
  }

  async cancel(): Promise<void> {
    this.#state = 'over';
    this.#pump?.close();
    await this.#reader.cancel();
  }

  /** Goes on after a fault: with the body as it is, or not at all. */
  async #endWith(error: unknown): Promise<void> {
    const { coding } = this.#coding;
    const { remembered = [] } = this.#pump ?? {};
    // Nothing of it could be decoded: it is not encoded.
    if (this.#decodedBytes === 0 && this.#frames === 1 && remembered.length > 0) {
      this.#state = 'plain';
      const message = `The content encoding ${coding} was declared, but the body is not.`;
      this.#problems.add('wrong-content-encoding', message);
      for (const chunk of [this.#header, ...remembered].reverse()) this.#reader.unread(chunk);
      return;
    }
    // Bytes behind the last frame are ignored, as behind other codings.
    if (!isUnknownFrame(error)) {
      const message = `The ${coding} content encoding is corrupt after ${this.#decodedBytes} bytes.`;
      this.#problems.add('encoding-damaged', message);
    }
    await this.cancel();
  }

  async #decode(): Promise<Uint8Array | undefined> {
    if (this.#pump === undefined) {
      const { headerBytes = () => 0 } = this.#coding;
      this.#header = await this.#reader.take(headerBytes(await this.#reader.peek(START_BYTES)));
      this.#pump = this.#frame();
    }
    for (;;) {
      const output = await this.#pump.read();
      if (output !== undefined) {
        this.#decodedBytes += output.length;
        return output;
      }
      if (!this.#pump.ended) break;
      if (!(await this.#isAnotherFrame())) return undefined;
      this.#pump.close();
      this.#pump = this.#frame();
    }
    const isEmpty = this.#header.length + this.#pump.fedBytes === 0;
    if (!isEmpty && this.#state === 'encoded' && !(await this.#pump.isComplete())) {
      const message = `The ${this.#coding.coding} content encoding ends too early.`;
      this.#problems.add('encoding-damaged', message);
    }
    return undefined;
  }

  #frame(): ZlibPump {
    this.#frames++;
    return new ZlibPump(this.#coding.createStream(), this.#reader, REMEMBERED_BYTES);
  }

  async #isAnotherFrame(): Promise<boolean> {
    const { coding, isFrame } = this.#coding;
    if (isFrame === undefined || !isFrame(await this.#reader.peek(START_BYTES))) return false;
    if (this.#frames < MOST_FRAMES) return true;
    this.#problems.add(
      'encoding-damaged',
      `The ${coding} content encoding has more than ${MOST_FRAMES} frames; the rest is ignored.`,
    );
    return false;
  }
}
