/**
 * Nested gzip, known by its magic bytes and under one byte budget (BEHAVIOUR §2).
 *
 * gzip under any name or content type is inflated, twice if need be; whatever does not start with its magic
 * passes through as it is, `.gz` or not. Every stage is held to the same budget, the transport's decoded bytes
 * included: a bomb of empty gzip members, which inflates to nothing forever, ends as soon as a bomb of zeros.
 * Nothing here holds more than one chunk a stage.
 *
 * @packageDocumentation
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import { withinBudget } from './byte-budget.ts';
import { ByteReader } from './byte-reader.ts';
import { GZIP_MAGIC_BYTES, gunzip, isGzip } from './gunzip.ts';

const MOST_LEVELS = 2;

export interface InflateLimits {
  /** Bytes of the document after all decoding; past that it is cut, with a problem. */
  readonly maxBytes: number;
}

/**
 * The document in `chunks`, inflated where it is gzip. Faults become problems; only an error of `chunks`
 * itself is thrown, after everything that could be inflated was yielded. Returning early ends `chunks` too.
 */
export async function* inflate(
  chunks: AsyncIterable<Uint8Array>,
  limits: InflateLimits,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  let stage: AsyncIterable<Uint8Array> = withinBudget(chunks, limits.maxBytes, problems);
  for (let level = 0; level < MOST_LEVELS; level++) {
    const reader = new ByteReader(stage);
    let start: Uint8Array;
    try {
      start = await reader.peek(GZIP_MAGIC_BYTES);
    } catch (error) {
      await reader.cancel();
      throw error;
    }
    stage = reader.remaining();
    if (!isGzip(start)) break;
    stage = withinBudget(gunzip(stage, problems), limits.maxBytes, problems);
  }
  yield* stage;
}
