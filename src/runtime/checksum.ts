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
