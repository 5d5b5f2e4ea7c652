/** What the head of an HTML page says to search engines: whether to index it, and which page is the canonical one. */
import { asciiString, TextDecoding } from '../../parse/values/text.ts';
import { Attributes } from '../../parse/xml/attributes.ts';
import { Scanner, type ScannerHandler } from '../../parse/xml/scanner.ts';

/** How much of a page is read. */
const MAX_HTML_BYTES = 512 * 1024;
const RAW_TEXT: ReadonlySet<string> = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'noscript',
  'template',
]);

/** Reads the head of one page, chunk by chunk. */
export class PageHead implements ScannerHandler {
  readonly #agent: string;
  readonly #attributes = new Attributes();
  readonly #decoding = new TextDecoding();
  readonly #scanner: Scanner;
  #bytes = 0;
  #isComplete = false;
  #rawText: string | undefined;
  /** Whether it says `noindex`. */
  isNoindex = false;
  /** The canonical page, as written. */
  canonical: string | undefined;

  /** @param agent - the crawler whose own meta tag counts besides that of all robots */
  constructor(agent: string) {
    this.#agent = agent.toLowerCase();
    this.#scanner = new Scanner(this, this.#attributes);
  }

  /** Whether the whole head was read: without that there is no verdict. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether no more is needed. */
  get isOver(): boolean {
    return this.#isComplete || this.#bytes >= MAX_HTML_BYTES;
  }

  write(chunk: Uint8Array): void {
    const left = MAX_HTML_BYTES - this.#bytes;
    this.#bytes += chunk.length;
    this.#scanner.write(chunk.length > left ? chunk.subarray(0, Math.max(left, 0)) : chunk);
  }

  openTag(nameStart: number, nameEnd: number): undefined {
    if (this.#isComplete || this.#rawText !== undefined) return;
    const name = this.#name(nameStart, nameEnd);
    if (RAW_TEXT.has(name)) this.#rawText = name;
    else if (name === 'body') this.#isComplete = true;
    else if (name === 'meta') this.#meta();
    else if (name === 'link') this.#link();
  }

  closeTag(nameStart: number, nameEnd: number): undefined {
    const name = this.#name(nameStart, nameEnd);
    if (this.#rawText !== undefined) {
      if (name === this.#rawText) this.#rawText = undefined;
    } else if (name === 'head') this.#isComplete = true;
  }

  text(): void {}
  cdata(): void {}
  doctype(): void {}
  problem(): void {}
  chunkEnd(): void {}

  #meta(): void {
    const name = this.#attribute('name')?.toLowerCase();
    if (name !== 'robots' && name !== this.#agent) return;
    if (saysNoindex(this.#attribute('content') ?? '')) this.isNoindex = true;
  }

  #link(): void {
    const rel = this.#attribute('rel')?.toLowerCase().split(/\s+/) ?? [];
    if (rel.includes('canonical')) this.canonical ??= this.#attribute('href');
  }

  #name(start: number, end: number): string {
    return asciiString(this.#scanner.bytes, start, Math.min(end, start + 16)).toLowerCase();
  }

  #attribute(name: string): string | undefined {
    return this.#attributes.get(name, this.#decoding)?.trim();
  }
}

function saysNoindex(content: string): boolean {
  return content
    .toLowerCase()
    .split(/[\s,]+/)
    .some((word) => word === 'noindex' || word === 'none');
}

/** Whether `X-Robots-Tag` says `noindex` to an agent. A name with a colon is whom the words behind it are for. */
export function headerSaysNoindex(header: string, agent: string): boolean {
  const own = agent.toLowerCase();
  let isForUs = true;
  for (const part of header.toLowerCase().split(',')) {
    const named = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(part);
    const [, name = '', rest = ''] = named ?? [];
    // `max-snippet: 20` is not the name of a crawler.
    const isAgent = named !== null && !/^(?:max-|unavailable)/.test(name);
    if (isAgent) isForUs = name === own || name === '*';
    if (isForUs && saysNoindex(isAgent ? rest : part)) return true;
  }
  return false;
}

/** The canonical page that a `Link:` header names, as written. */
export function canonicalOfHeader(header: string): string | undefined {
  for (const [, href, parameters = ''] of header.slice(0, 16_384).matchAll(/<([^<>]*)>((?:\s*;[^,<]*)*)/g)) {
    if (/;\s*rel\s*=\s*"?\s*canonical\b/i.test(parameters)) return href;
  }
  return undefined;
}
