/**
 * `listAlternates` in a stream: a page that names an alternate may come before the one that lists it, so alternates wait
 * in a spool until all pages have come. Only fingerprints are in memory.
 */

import { Alternates, alternatePage } from '../filter/alternates.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import type { StreamedPage, StreamedSitemap } from '../read/streaming-reader.ts';
import type { Spool } from '../sitemap/spool/spool.ts';

export class StreamedAlternates {
  readonly #alternates = new Alternates();
  readonly #noted = new SeenUrls();
  /** The sitemaps whose pages name an alternate, with their numbers in the spool. */
  readonly #sitemaps = new Map<StreamedSitemap, number>();
  readonly #spool: Spool;
  readonly #writer: ReturnType<Spool['writer']>;

  /** @param spool - used by nothing else, and closed by {@link close} */
  constructor(spool: Spool) {
    this.#spool = spool;
    this.#writer = this.#spool.writer();
  }

  /** Notes pages as they come, before any filter. */
  note(pages: readonly StreamedPage[]): void {
    this.#alternates.note(pages.map(({ page }) => page));
    const lines: string[] = [];
    for (const { page, sitemap } of pages) {
      for (const { href } of page.alternates) {
        if (this.#alternates.isListed(href) || !this.#noted.add(href)) continue;
        const number = this.#sitemaps.get(sitemap) ?? this.#sitemaps.size;
        this.#sitemaps.set(sitemap, number);
        // In JSON, which escapes what UTF-8 cannot express.
        lines.push(`${JSON.stringify([number, href])}\n`);
      }
    }
    if (lines.length > 0) this.#writer.write(Buffer.from(lines.join('')));
  }

  /** Once all pages were noted: the alternates that no sitemap lists. */
  async *pages(): AsyncGenerator<readonly StreamedPage[], undefined, undefined> {
    const sitemaps = [...this.#sitemaps.keys()];
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this.#writer.end().chunksAsync()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      const alternates = lines.map((line): [number, string] => JSON.parse(line));
      yield alternates
        .filter(([, href]) => !this.#alternates.isListed(href))
        .map(([number, href]) => ({ page: alternatePage(href), sitemap: sitemaps[number]! }));
    }
  }

  close(): void {
    this.#spool.close();
  }
}
