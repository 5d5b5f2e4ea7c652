/** The parts in which a document of an archive is read: large enough to be few, small enough for memory. */
import { PIECE_BYTES } from './record-file.ts';

/** Pieces that are read and inflated at once: in the file they are one stream of deflate data. */
const PIECES_AT_ONCE = 4;

/** The most bytes of a body that are read at once: 1 MiB. */
export const PART_BYTES: number = PIECES_AT_ONCE * PIECE_BYTES;

/** A part of a document: where it is in the file, and its sizes there and inflated. */
export interface Part {
  readonly position: number;
  readonly stored: number;
  readonly bytes: number;
}

/** A run of bytes of the file in parts that fit into memory. */
export function* partsOf(position: number, length: number): Generator<Part, void, undefined> {
  for (let at = 0; at < length; at += PART_BYTES) {
    const bytes = Math.min(PART_BYTES, length - at);
    yield { position: position + at, stored: bytes, bytes };
  }
}

/** The same of a body that was deflated in pieces. */
export function* inflatedParts(
  position: number,
  length: number,
  pieces: readonly number[],
): Generator<Part, void, undefined> {
  let at = position;
  let left = length;
  for (let first = 0; first < pieces.length; first += PIECES_AT_ONCE) {
    const stored = pieces.slice(first, first + PIECES_AT_ONCE).reduce((sum, piece) => sum + piece, 0);
    const bytes = Math.min(PART_BYTES, left);
    yield { position: at, stored, bytes };
    at += stored;
    left -= bytes;
  }
}
