/**
 * Whether a document that is kept unparsed is complete. A server that gives up in the middle may still send a length
 * that fits what it sent; then only the document itself shows that something is missing.
 */
import type { DocumentPages } from '../sitemap/page-source.ts';

/** What usually follows the root (a comment of the generator) is shorter than this. */
const TAIL_BYTES = 1024;
const CLOSED_ROOT = /<\/(?:[\w.-]+:)?(?:urlset|rss|feed|rdf)\s*>/i;

/** Remembers the last bytes of an XML document. */
export class Ending {
  #tail = Buffer.alloc(0);

  write(chunk: Uint8Array): void {
    const last = chunk.subarray(-TAIL_BYTES);
    this.#tail = Buffer.concat([this.#tail, last]).subarray(-TAIL_BYTES);
  }

  /**
   * Whether its end is missing. Where the last bytes do not show it (no root, UTF-16, truncated), the document is
   * parsed.
   */
  async isMissing(pages: DocumentPages, deadline?: AbortSignal): Promise<boolean> {
    if (CLOSED_ROOT.test(this.#tail.toString('latin1'))) return false;
    for await (const _ of pages.batchesAsync(deadline));
    return pages.truncated;
  }
}
