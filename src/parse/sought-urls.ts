/**
 * URLs that are looked for in documents. It takes the place of the URLs that a document had before: where that says
 * "not new", a parser makes nothing of an entry, and so it passes over all pages but those that are looked for. What is
 * left of the others is a fingerprint, which is taken of their bytes.
 */
import { SeenUrls } from './seen-urls.ts';

/** URLs to look for; any number of documents may be read with it. */
export class SoughtUrls extends SeenUrls {
  /** One more to look for. */
  seek(url: string): void {
    if (!this.has(url)) super.addMarked();
  }

  /** Whether the URL is looked for. */
  override add(url: string): boolean {
    return this.has(url);
  }

  override addMarked(): boolean {
    return this.hasMarked();
  }

  /** They are looked for in the next document, too. */
  override release(): void {}
}
