/**
 * Nested gzip, known by its magic bytes, and the byte budget that every stage of decoding has (Specification §2).
 *
 * gzip under any name or content type is inflated, up to twice; a document that does not start with its magic bytes
 * passes as it is, `.gz` or not. Every stage has the same budget, the transport's decoded bytes included: a bomb of
 * empty gzip members, which inflates to nothing forever, ends as soon as a bomb of zeros. Each stage holds at most one
 * chunk.
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import type { Decoder } from '../body.ts';
import { asItIs, byFirstBytes } from './byte-reader.ts';
import { GZIP_MAGIC_BYTES, gunzip, isGzip } from './gunzip.ts';

export interface DecodeLimits {
  /** Bytes that each stage may produce. */
  readonly maxBytes: number;
  readonly problems: ProblemList;
}

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

/**
 * Truncates a stage of decoding at `maxBytes`, with a problem. Those in the middle too: gigabytes there may become
 * nothing at the next stage, and still cost the time to decode them.
 */
export const withinBudget = ({ maxBytes, problems }: DecodeLimits): Decoder =>
  truncatedAt(maxBytes, 'The document', problems);

/**
 * What a content coding may take before decoding, for each byte that it may give: honest ones take less than they give,
 * and a body that cannot be compressed takes hardly more.
 */
const RAW_FACTOR = 2;
/** For headers, where `maxBytes` is very small. */
const RAW_EXTRA = 64 * 1024;

/**
 * Truncates a body before its content coding is undone, with a problem. Every coding has a form that decodes to nothing
 * (a file name without end, empty blocks, padding), so a limit on the output alone would read it forever.
 */
export const withinRawBudget = ({ maxBytes, problems }: DecodeLimits): Decoder =>
  truncatedAt(maxBytes * RAW_FACTOR + RAW_EXTRA, 'The encoded document', problems);

const truncatedAt =
  (most: number, what: string, problems: ProblemList): Decoder =>
  (body) => {
    let left = most;
    return {
      async read() {
        const chunk = left < 0 ? undefined : await body.read();
        if (chunk !== undefined) {
          const allowed = left;
          left -= chunk.length;
          if (left >= 0) return chunk;
          problems.addOnce(
            'too-large',
            `${what} is larger than ${most} bytes (maxSitemapBytes); it is truncated there.`,
            undefined,
            { option: 'maxSitemapBytes' },
          );
          if (allowed > 0) return chunk.subarray(0, allowed);
        }
        if (left < 0) await body.cancel();
        return undefined;
      },
      cancel: () => body.cancel(),
    };
  };
