/**
 * The content codings that the default client asks for, undone as the body arrives.
 *
 * Servers get this header wrong in every way: gzip declared and plain text sent, `deflate` as zlib (the standard) or
 * raw (half of the web), codings that were not asked for. The bytes decide; a header that they contradict is a problem
 * and costs nothing.
 */
import * as zlib from 'node:zlib';
import type { ProblemList } from '../../problems/problem-list.ts';
import { adler32 } from '../../runtime/checksum.ts';
import { type Decoder, iterate } from '../body.ts';
import {
  asItIs,
  type ByteReader,
  byFirstBytes,
  type DecodeLimits,
  generated,
  withinBudget,
  withinRawBudget,
} from './byte-reader.ts';
import { GZIP_MAGIC_BYTES, gunzip, isGzip } from './inflate.ts';
import {
  INFLATE_CHUNK,
  isUnknownFrame,
  isZlibError,
  rawInflate,
  ZlibPump,
  type ZlibStream,
} from './zlib-pump.ts';

/** A coding that a stream of `node:zlib` undoes. */
interface Coding {
  readonly name: string;
  readonly createStream: () => ZlibStream;
  /** The length of a header that the stream must not get; where there is one, an Adler-32 follows the data. */
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
 * multiple of 31) and its checksum behind it, or raw. zlib does not read that checksum: an error about it would cost
 * the chunk before it.
 */
const DEFLATE: Coding = {
  name: 'deflate',
  createStream: rawInflate,
  headerBytes: ([first = 0, second = 0]) =>
    (first & 0x8f) === 8 && ((first << 8) | second) % 31 === 0 ? 2 : 0,
};

const BROTLI: Coding = {
  name: 'br',
  createStream: () => zlib.createBrotliDecompress({ chunkSize: INFLATE_CHUNK }),
};

/** RFC 9659: a frame of a content coding needs no window above 8 MiB. Node's own limit is 128 MiB for each document. */
const LARGEST_WINDOW_LOG = 23;

/** zstd (RFC 8878), where Node has it: from 22.15 and 23.8 on. Elsewhere it is not asked for. */
function zstdOfNode(): readonly Coding[] {
  // The types of Node 20 do not have it.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const windowLogMax: unknown = Reflect.get(zlib.constants, 'ZSTD_d_windowLogMax');
  if (typeof create !== 'function' || typeof windowLogMax !== 'number') return [];
  const options = { chunkSize: INFLATE_CHUNK, params: { [windowLogMax]: LARGEST_WINDOW_LOG } };
  return [{ name: 'zstd', createStream: () => create(options), isFrame: isZstdFrame }];
}

/** Whether these bytes start a frame of zstd, or one of those that are to be skipped (RFC 8878 §3.1). */
function isZstdFrame([a = 0, b, c, d]: Uint8Array): boolean {
  if (a === 0x28) return b === 0xb5 && c === 0x2f && d === 0xfd;
  return (a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18;
}

const frameDecoder =
  (coding: Coding) =>
  (problems: ProblemList): Decoder =>
    generated((reader) => frames(reader, coding, problems));

const DECODERS: ReadonlyMap<string, (problems: ProblemList) => Decoder> = new Map([
  ['gzip', ungzip],
  ['x-gzip', ungzip],
  ...[DEFLATE, BROTLI, ...zstdOfNode()].map((coding) => [coding.name, frameDecoder(coding)] as const),
]);

export const ACCEPT_ENCODING: string = [...DECODERS.keys()].filter((name) => name !== 'x-gzip').join(', ');

/** A frame costs a new decoder, so that millions of empty ones would cost much time. */
const MOST_FRAMES = 10_000;

/** How many first bytes tell whether there is a header, or another frame. */
const START_BYTES = 4;

/** How many first bytes {@link isPlain} looks at: one in ten bytes of compressed data is a control character. */
const PLAIN_BYTES = 256;

/**
 * Whether a body that cannot be decoded was not encoded, or was encoded as gzip, by its first bytes. Text has no control
 * characters besides white space and ESC (of ISO-2022-JP). Of UTF-16 and UTF-32, at least half are zeros.
 */
function isPlain(start: Uint8Array): boolean {
  if (isGzip(start)) return true;
  const text = start.filter((byte) => byte !== 0);
  const zeros = start.length - text.length;
  return (
    (zeros === 0 || zeros * 3 > start.length) && text.every((byte) => byte >= 0x20 || TEXT_CONTROLS.has(byte))
  );
}

const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** A body through a pump, frame by frame; read as it is if it cannot be decoded and its bytes are plain. */
async function* frames(
  reader: ByteReader,
  { name, createStream, headerBytes = () => 0, isFrame }: Coding,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reportDamage = (how: string): void =>
    problems.add('encoding-damaged', `The ${name} content encoding ${how}.`);
  const header = await reader.take(headerBytes(await reader.peek(START_BYTES)));
  let decodedBytes = 0;
  let checksum: number | undefined = header.length === 0 ? undefined : 1;
  /** What the first bytes decode to: text may decode to a few bytes before the fault. */
  let pending: Uint8Array[] | undefined = [];
  const release = (): readonly Uint8Array[] => {
    const released = pending ?? [];
    pending = undefined;
    return released;
  };
  for (let number = 1; ; number++) {
    const isFirst = number === 1;
    const pump = new ZlibPump(createStream(), reader, createStream);
    try {
      for (let output = await pump.read(); output !== undefined; output = await pump.read()) {
        decodedBytes += output.length;
        if (checksum !== undefined) checksum = adler32(output, checksum);
        pending?.push(output);
        if (pending === undefined) yield output;
        else if (pump.fedBytes >= PLAIN_BYTES || decodedBytes >= INFLATE_CHUNK) yield* release();
      }
      yield* release();
      if (!pump.ended) {
        const isEmpty = header.length + pump.fedBytes === 0;
        const isWhole = checksum === undefined && (await pump.isComplete());
        if (!isEmpty && !isWhole) reportDamage('ends too early');
        return;
      }
    } catch (error) {
      if (!isZlibError(error)) {
        yield* release();
        throw error;
      }
      if (pending !== undefined && pump.input !== undefined) {
        reader.unread(header, pump.input);
        if (isPlain(await reader.peek(PLAIN_BYTES))) {
          const message = `The content encoding ${name} was declared, but the body is not.`;
          problems.add('wrong-content-encoding', message);
          yield* iterate(reader);
          return;
        }
      }
      yield* release();
      for await (const output of pump.salvaged()) {
        decodedBytes += output.length;
        yield output;
      }
      // Bytes behind the last frame are ignored, as behind other codings.
      if (!isUnknownFrame(error) || (isFirst && decodedBytes === 0)) {
        reportDamage(`is corrupt after ${decodedBytes} bytes`);
      }
      return;
    } finally {
      pump.close();
    }
    if (checksum !== undefined) {
      const trailer = await reader.take(4);
      const declaredChecksum = trailer.reduce((before, byte) => before * 256 + byte, 0);
      if (trailer.length < 4) reportDamage('ends too early');
      else if (declaredChecksum !== checksum) {
        const message = `The checksum of the ${name} data is not that of its content, which is kept.`;
        problems.add('bad-checksum', message);
      }
    }
    // Only where there may be another frame: what follows the last one may never come, and is not needed.
    if (isFrame === undefined || !isFrame(await reader.peek(START_BYTES))) return;
    if (number === MOST_FRAMES) {
      reportDamage(`has more than ${MOST_FRAMES} frames; the rest is ignored`);
      return;
    }
  }
}
