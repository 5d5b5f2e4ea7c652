/**
 * Nested gzip, known by its magic bytes and under one byte budget (Specification §2).
 *
 * gzip under any name or content type is inflated, up to twice; a document that does not start with its magic bytes
 * passes as it is, `.gz` or not. Every stage has the same budget, the transport's decoded bytes included: a bomb of
 * empty gzip members, which inflates to nothing forever, ends as soon as a bomb of zeros. Each stage holds at most one
 * chunk.
 *
 * @packageDocumentation
 */
import type { Decoder } from '../body.ts';
import { type DecodeLimits, withinBudget } from './byte-budget.ts';
import { asItIs, byFirstBytes } from './byte-reader.ts';
import { GZIP_MAGIC_BYTES, gunzip, isGzip } from './gunzip.ts';

const MOST_LEVELS = 2;

/**
 * Inflates a document where it is gzip. Faults become problems; only an error of the source itself is thrown, after
 * everything that could be inflated was read.
 */
export const inflate =
  (limits: DecodeLimits): Decoder =>
  (body) =>
    ungzipped(MOST_LEVELS, limits)(withinBudget(limits)(body));

const ungzipped = (levels: number, limits: DecodeLimits): Decoder =>
  levels === 0
    ? asItIs
    : byFirstBytes(GZIP_MAGIC_BYTES, (start) => {
        if (!isGzip(start)) return asItIs;
        return (body) => ungzipped(levels - 1, limits)(withinBudget(limits)(gunzip(limits.problems)(body)));
      });
