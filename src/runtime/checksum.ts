/** Checksums of bytes that come in pieces. */
import { crc32 as crc32OfNode, deflateRawSync } from 'node:zlib';

/**
 * zlib looks for the processor's own instructions when it deflates for the first time: before that a checksum takes six
 * times as long (34 MB: 16 ms rather than 2.8). To look takes more than a millisecond, too long for a short run.
 */
const WORTH_A_LOOK_BYTES = 4 * 1024 * 1024;
let summedBytes = 0;

/** The CRC-32 of all pieces so far. @param before - that of the pieces before this one */
export function crc32(piece: Uint8Array, before = 0): number {
  if (summedBytes < WORTH_A_LOOK_BYTES) {
    summedBytes += piece.length;
    if (summedBytes >= WORTH_A_LOOK_BYTES) deflateRawSync('');
  }
  return crc32OfNode(piece, before);
}

const ADLER_BASE = 65_521;
/** Bytes that need no division in between: the sums stay below 2³¹. */
const ADLER_STEP = 3_800;

/** The Adler-32 of all pieces so far, as in zlib data (RFC 1950). @param before - that of the pieces before */
export function adler32(piece: Uint8Array, before = 1): number {
  let low = before & 0xffff;
  let high = before >>> 16;
  for (let from = 0; from < piece.length; from += ADLER_STEP) {
    const end = Math.min(piece.length, from + ADLER_STEP);
    for (let at = from; at < end; at++) {
      low += piece[at]!;
      high += low;
    }
    low %= ADLER_BASE;
    high %= ADLER_BASE;
  }
  return high * 0x10000 + low;
}
