import type { ProblemList } from '../../problems/problem-list.ts';
import type { Decoder } from '../body.ts';

/** What every stage of decoding shares. */
export interface DecodeLimits {
  /** Bytes that each stage may produce. */
  readonly maxBytes: number;
  /** Where faults and a reached limit are noted. */
  readonly problems: ProblemList;
}

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
export const withinRawBudget = ({ maxBytes, problems }: DecodeLimits): Decoder => {
  const most = maxBytes * RAW_FACTOR + RAW_EXTRA;
  return truncatedAt(most, () =>
    problems.addOnce(
      'too-large',
      `The encoded document is larger than ${most} bytes (maxSitemapBytes); it is truncated there.`,
      undefined,
      { option: 'maxSitemapBytes' },
    ),
  );
};

/**
 * Truncates a stage of decoding at `maxBytes`, with a problem. Every stage has the same limit, those in the middle too:
 * gigabytes in the middle may become nothing at the next stage, and still cost the time to decode them.
 */
export const withinBudget = ({ maxBytes, problems }: DecodeLimits): Decoder =>
  truncatedAt(maxBytes, () =>
    problems.addOnce(
      'too-large',
      `The document is larger than ${maxBytes} bytes (maxSitemapBytes); it is truncated there.`,
      undefined,
      { option: 'maxSitemapBytes' },
    ),
  );

const truncatedAt =
  (most: number, onTruncated: () => void): Decoder =>
  (body) => {
    let left = most;
    let isTruncated = false;
    return {
      async read() {
        if (!isTruncated) {
          const chunk = await body.read();
          if (chunk === undefined) return undefined;
          if (chunk.length <= left) {
            left -= chunk.length;
            return chunk;
          }
          isTruncated = true;
          onTruncated();
          if (left > 0) return chunk.subarray(0, left);
        }
        await body.cancel();
        return undefined;
      },
      cancel: () => body.cancel(),
    };
  };
