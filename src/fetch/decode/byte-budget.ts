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
 * Truncates a stage of decoding at `maxBytes`, with a problem. Every stage has the same limit, those in the middle too:
 * gigabytes in the middle may become nothing at the next stage, and still cost the time to decode them.
 */
export const withinBudget =
  ({ maxBytes, problems }: DecodeLimits): Decoder =>
  (body) => {
    let left = maxBytes;
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
          problems.addOnce(
            'too-large',
            `The document is larger than ${maxBytes} bytes (maxSitemapBytes); it is truncated there.`,
            undefined,
            { option: 'maxSitemapBytes' },
          );
          if (left > 0) return chunk.subarray(0, left);
        }
        await body.cancel();
        return undefined;
      },
      cancel: () => body.cancel(),
    };
  };
