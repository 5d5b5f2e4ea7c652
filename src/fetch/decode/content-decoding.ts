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
import type { Decoder } from '../body.ts';
import { type DecodeLimits, withinBudget, withinRawBudget } from './byte-budget.ts';
import { asItIs, ByteReader, byFirstBytes } from './byte-reader.ts';
import { DecodedBody } from './decoded-body.ts';
import { GZIP_MAGIC_BYTES, gunzip, isGzip } from './gunzip.ts';
import { INFLATE_CHUNK } from './zlib-pump.ts';
import { createZstdDecoder, isZstdFrame } from './zstd.ts';

/** The codings that the default client can undo. */
export const ACCEPT_ENCODING: string =
  createZstdDecoder === undefined ? 'gzip, deflate, br' : 'gzip, deflate, br, zstd';

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

const undeflate = (problems: ProblemList): Decoder =>
  byFirstBytes(ZLIB_HEADER_BYTES, (start) => (body) => {
    const createStream = () => createInflateRaw({ chunkSize: INFLATE_CHUNK });
    const headerBytes = isZlib(start) ? ZLIB_HEADER_BYTES : 0;
    return new DecodedBody(new ByteReader(body), { coding: 'deflate', createStream, headerBytes, problems });
  });

const unbrotli =
  (problems: ProblemList): Decoder =>
  (body) => {
    const createStream = () => createBrotliDecompress({ chunkSize: INFLATE_CHUNK });
    return new DecodedBody(new ByteReader(body), { coding: 'br', createStream, problems });
  };

const unzstd =
  (createStream: NonNullable<typeof createZstdDecoder>) =>
  (problems: ProblemList): Decoder =>
  (body) =>
    new DecodedBody(new ByteReader(body), { coding: 'zstd', createStream, isFrame: isZstdFrame, problems });

const DECODERS: ReadonlyMap<string, (problems: ProblemList) => Decoder> = new Map([
  ['gzip', ungzip],
  ['x-gzip', ungzip],
  ['deflate', undeflate],
  ['br', unbrotli],
  ...(createZstdDecoder === undefined ? [] : [['zstd', unzstd(createZstdDecoder)] as const]),
]);

const ZLIB_HEADER_BYTES = 2;

/**
 * Whether deflate data starts with zlib's header (RFC 1950): deflate as the method, a window of at most 32 kB, and a
 * check that is a multiple of 31. Its trailing checksum is not read: an error about it would cost the chunk before it.
 */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x8f) === 8 && ((first << 8) | second) % 31 === 0;
}
