import type { ProblemList } from '../../problems/problem-list.ts';

/**
 * Cuts a stage of decoding at `maxBytes`, with a problem. Every stage has the same limit, those in the middle
 * too: what inflates to gigabytes may well deflate to nothing at the next stage, and cost only time.
 */
export async function* withinBudget(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = maxBytes;
  for await (const chunk of chunks) {
    if (chunk.length > left) {
      problems.addOnce(
        'too-large',
        `The document is larger than ${maxBytes} bytes (maxSitemapBytes); it is truncated there.`,
        undefined,
        { option: 'maxSitemapBytes' },
      );
      if (left > 0) yield chunk.subarray(0, left);
      return;
    }
    left -= chunk.length;
    yield chunk;
  }
}
