/**
 * Whether a document that is kept unparsed came to its end. A server that gives up in the middle may do so politely, with
 * a length that fits what it sent; then only the document itself tells that something is missing.
 */
import type { DocumentPages } from '../sitemap/page-source.ts';

/** What usually stands after the root (a comment of the generator) is shorter than this. */
const TAIL_BYTES = 1024;
const CLOSED_ROOT = /<\/(?:[\w.-]+:)?(?:urlset|rss|feed|rdf)\s*>/i;

/** Watches for the end of an XML document as it goes by. */
export class Ending {
  #tail = Buffer.alloc(0);

  write(chunk: Uint8Array): void {
    const last = chunk.subarray(-TAIL_BYTES);
    this.#tail = Buffer.concat([this.#tail, last]).subarray(-TAIL_BYTES);
  }

  /** Whether its end is missing. One that does not show it at once (no root, UTF-16, really cut) is parsed for that. */
  async isMissing(pages: DocumentPages): Promise<boolean> {
    if (CLOSED_ROOT.test(this.#tail.toString('latin1'))) return false;
    for await (const _ of pages.batchesAsync());
    return pages.truncated;
  }
}
