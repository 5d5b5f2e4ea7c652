/**
 * zstd (RFC 8878) as a content coding, where Node has it: from 22.15 and 23.8 on. Elsewhere it is not asked for.
 *
 * @packageDocumentation
 */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { INFLATE_CHUNK, type ZlibStream } from './zlib-pump.ts';

/** RFC 9659: a frame of a content coding needs no window above 8 MiB. Node's own limit is 128 MiB for each document. */
const LARGEST_WINDOW_LOG = 23;

/** Makes a decoder of zstd; undefined where Node has none. */
export const createZstdDecoder: (() => ZlibStream) | undefined = zstdOfNode();

function zstdOfNode(): (() => ZlibStream) | undefined {
  // The types of Node 20 do not have it.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const windowLogMax: unknown = Reflect.get(zlib.constants, 'ZSTD_d_windowLogMax');
  if (typeof create !== 'function' || typeof windowLogMax !== 'number') return undefined;
  const options = { chunkSize: INFLATE_CHUNK, params: { [windowLogMax]: LARGEST_WINDOW_LOG } };
  return () => {
    const stream: Transform & { readonly bytesWritten: number } = create(options);
    return stream;
  };
}

/** How many first bytes {@link isZstdFrame} needs. */
export const ZSTD_MAGIC_BYTES = 4;

/** Whether these bytes start a frame of zstd, or one of those that are to be skipped (RFC 8878 §3.1). */
export function isZstdFrame(start: Uint8Array): boolean {
  const isRest = (b: number, c: number, d: number): boolean =>
    start[1] === b && start[2] === c && start[3] === d;
  if (start[0] === 0x28) return isRest(0xb5, 0x2f, 0xfd);
  return ((start[0] ?? 0) & 0xf0) === 0x50 && isRest(0x2a, 0x4d, 0x18);
}
