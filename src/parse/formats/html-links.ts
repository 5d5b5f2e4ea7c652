/** The sitemaps and feeds that a homepage names: `<link rel="sitemap">`, feeds as `rel="alternate"`, and `Link:`. */

import { asciiString, TextDecoding } from '../values/text.ts';
import { isHttpUrl, resolveUrl } from '../values/url.ts';
import { Attributes } from '../xml/attributes.ts';
import { Scanner, type ScannerHandler } from '../xml/scanner.ts';

const FEED_TYPE = /^application\/(?:rss|atom|rdf)\+xml\b/i;
/** How much of a page is looked at: heads of a megabyte exist, but name their feeds early. */
const MAX_HTML_BYTES = 512 * 1024;

/** Collects the links of one HTML page, fed chunk by chunk. */
export class HtmlLinks implements ScannerHandler {
  readonly #urls = new Set<string>();
  readonly #base: string;
  readonly #attributes = new Attributes();
  readonly #decoding = new TextDecoding();
  readonly #scanner: Scanner;
  #bytes = 0;
  #isOver = false;

  constructor(base: string) {
    this.#base = base;
    this.#scanner = new Scanner(this, this.#attributes);
  }

  /** What was found, resolved, in order. */
  get urls(): readonly string[] {
    return [...this.#urls];
  }

  /** Whether the head is over, so that no more is needed. */
  get isOver(): boolean {
    return this.#isOver || this.#bytes >= MAX_HTML_BYTES;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#scanner.write(chunk);
  }

  openTag(nameStart: number, nameEnd: number): undefined {
    if (this.#isOver) return;
    const name = this.#name(nameStart, nameEnd);
    if (name === 'body') this.#isOver = true;
    if (name !== 'link') return;
    const rel = this.#attribute('rel')?.toLowerCase().split(/\s+/) ?? [];
    const isFeed = rel.includes('alternate') && FEED_TYPE.test(this.#attribute('type') ?? '');
    const href = this.#attribute('href');
    if (href !== undefined && (rel.includes('sitemap') || isFeed)) add(this.#urls, href, this.#base);
  }

  closeTag(nameStart: number, nameEnd: number): undefined {
    if (this.#name(nameStart, nameEnd) === 'head') this.#isOver = true;
  }

  text(): void {}
  cdata(): void {}
  doctype(): void {}
  problem(): void {}
  chunkEnd(): void {}

  #name(start: number, end: number): string {
    return asciiString(this.#scanner.bytes, start, Math.min(end, start + 16)).toLowerCase();
  }

  #attribute(name: string): string | undefined {
    return this.#attributes.get(name, this.#decoding)?.trim();
  }
}

/** The same from a `Link:` header (RFC 8288). */
export function linksOfHeader(header: string, base: string): readonly string[] {
  const urls = new Set<string>();
  for (const [, href = '', parameters = ''] of header
    .slice(0, 16_384)
    .matchAll(/<([^<>]*)>((?:\s*;[^,<]*)*)/g)) {
    const rel = parameterOf(parameters, 'rel').toLowerCase().split(/\s+/);
    const isFeed = rel.includes('alternate') && FEED_TYPE.test(parameterOf(parameters, 'type'));
    if (rel.includes('sitemap') || isFeed) add(urls, href, base);
  }
  return [...urls];
}

function parameterOf(parameters: string, name: string): string {
  for (const parameter of parameters.split(';')) {
    const [key = '', value = ''] = parameter.split('=', 2);
    if (key.trim().toLowerCase() === name) return value.trim().replace(/^"|"$/g, '');
  }
  return '';
}

function add(urls: Set<string>, href: string, base: string): void {
  const url = resolveUrl(href, base);
  if (url !== undefined && isHttpUrl(url)) urls.add(url);
}
