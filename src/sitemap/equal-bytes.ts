/** Whether two documents have the same bytes; neither is held in memory. */
import type { SpooledDocument } from './spool/spool.ts';

/** Compares two documents chunk by chunk. */
export async function haveEqualBytes(a: SpooledDocument, b: SpooledDocument): Promise<boolean> {
  const chunks = b.chunksAsync()[Symbol.asyncIterator]();
  let other: Uint8Array = new Uint8Array(0);
  try {
    for await (const chunk of a.chunksAsync()) {
      for (let at = 0; at < chunk.length; ) {
        if (other.length === 0) {
          const next = await chunks.next();
          if (next.done === true) return false;
          other = next.value;
          continue;
        }
        const length = Math.min(chunk.length - at, other.length);
        if (Buffer.compare(chunk.subarray(at, at + length), other.subarray(0, length)) !== 0) return false;
        at += length;
        other = other.subarray(length);
      }
    }
    while (other.length === 0) {
      const next = await chunks.next();
      if (next.done === true) return true;
      other = next.value;
    }
    return false;
  } finally {
    await chunks.return?.();
  }
}
