/**
 * One document that is at hand already, as a string, as bytes or in a file: the same detection, inflation and parsing
 * as for one from the web, and no network. The children of an index are `InvalidSitemap`s with code `not-fetched`.
 *
 * @packageDocumentation
 */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SitemapException } from './errors.ts';
import { inflate } from './fetch/decode/inflate.ts';
import { fileTrouble } from './files.ts';
import { checkNames } from './options/names.ts';
import { DEFAULT_SPOOL_MEMORY_BYTES, resolveOptions } from './options/resolve.ts';
import { checkedOptions } from './parse/document-options.ts';
import type { DocumentOptions } from './parse/opening/opening.ts';
import { isTruncated } from './problems/catalogue.ts';
import { ProblemList } from './problems/problem-list.ts';
import { treeNodes } from './read/node-factory.ts';
import type { InvalidOutcome, Outcome } from './read/outcome.ts';
import { SpoolingReader } from './read/spooling-reader.ts';
import { makeTop, type Sitemap } from './sitemap/sitemap.ts';
import { Spool } from './sitemap/spool/spool.ts';

/** What is known of a document besides its content. */
export interface LocalOptions {
  /** Its address: relative URLs are resolved against it; without it they are dropped, with a problem. */
  readonly url?: string | URL | undefined;
  /** The charset that came with it, from an HTTP header for example. */
  readonly charset?: string | undefined;
  /** Bytes of the document after all decoding; past that it is cut. @default 104857600 (100 MiB) */
  readonly maxSitemapBytes?: number | undefined;
}

/**
 * Reads a sitemap from a string.
 *
 * @example
 * ```ts
 * const sitemap = await sitemapFromString(xml, { url: 'https://example.org/sitemap.xml' });
 * console.log(sitemap.kind, sitemap.pageCount);
 * ```
 */
export async function sitemapFromString(text: string, options: LocalOptions = {}): Promise<Sitemap> {
  if (typeof text !== 'string') {
    throw new SitemapException('sitemapFromString needs a string; sitemapFromBytes takes bytes.', {
      code: 'bad-input',
    });
  }
  const { document, maxSitemapBytes } = checkOptions(options);
  const chunks = [new TextEncoder().encode(text)];
  return read(chunks, { ...document, isUtf8: true }, document.url ?? '', maxSitemapBytes);
}

/** Reads a sitemap from bytes, in any charset, gzipped or not. */
export async function sitemapFromBytes(
  bytes: Uint8Array | ArrayBuffer,
  options: LocalOptions = {},
): Promise<Sitemap> {
  if (!(bytes instanceof ArrayBuffer) && !ArrayBuffer.isView(bytes)) {
    throw new SitemapException('sitemapFromBytes needs a Uint8Array or an ArrayBuffer.', {
      code: 'bad-input',
    });
  }
  const chunk =
    bytes instanceof ArrayBuffer
      ? new Uint8Array(bytes)
      : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { document, maxSitemapBytes } = checkOptions(options);
  return read([chunk], document, document.url ?? '', maxSitemapBytes);
}

/**
 * Reads a sitemap from chunks of bytes as they arrive, in any charset, gzipped or not: from stdin, a socket or a
 * `ReadableStream`. The document is never held as a whole.
 *
 * @example
 * ```ts
 * const sitemap = await sitemapFromStream(process.stdin, { url: 'https://example.org/sitemap.xml' });
 * ```
 */
export async function sitemapFromStream(
  chunks: AsyncIterable<Uint8Array>,
  options: LocalOptions = {},
): Promise<Sitemap> {
  if (typeof chunks !== 'object' || chunks === null || !(Symbol.asyncIterator in chunks)) {
    throw new SitemapException('sitemapFromStream needs an async iterable of Uint8Array.', {
      code: 'bad-input',
    });
  }
  const { document, maxSitemapBytes } = checkOptions(options);
  return read(chunks, document, document.url ?? '', maxSitemapBytes);
}

/**
 * Reads a sitemap from a file, in any charset, gzipped or not. A file named `robots.txt` is read as one.
 *
 * @throws SitemapException with code `unreadable-file`, naming the file, where it cannot be read
 */
export async function sitemapFromFile(path: string | URL, options: LocalOptions = {}): Promise<Sitemap> {
  const { document, maxSitemapBytes } = checkOptions(options);
  try {
    const fileUrl = path instanceof URL ? path : pathToFileURL(path);
    const isRobotsTxt = basename(fileUrl.pathname).toLowerCase() === 'robots.txt';
    const named: DocumentOptions = isRobotsTxt ? { ...document, isRobotsPath: true } : document;
    return await read(createReadStream(fileUrl), named, document.url ?? fileUrl.href, maxSitemapBytes);
  } catch (cause) {
    if (cause instanceof SitemapException) throw cause;
    const name = path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : String(path);
    const hint = /^https?:/i.test(name) ? ' To fetch a URL, call sitemapFromUrl.' : '';
    throw new SitemapException(`The file ${name} could not be read: ${fileTrouble(cause, name)}.${hint}`, {
      code: 'unreadable-file',
      cause,
    });
  }
}

const OPTIONS: readonly string[] = ['url', 'charset', 'maxSitemapBytes'] satisfies (keyof LocalOptions)[];

function checkOptions(options: LocalOptions): { document: DocumentOptions; maxSitemapBytes: number } {
  checkNames(options, OPTIONS);
  const { maxSitemapBytes } = resolveOptions({ maxSitemapBytes: options.maxSitemapBytes }, 'sitemap');
  return { document: checkedOptions(options), maxSitemapBytes };
}

async function read(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  document: DocumentOptions,
  name: string,
  maxBytes: number,
): Promise<Sitemap> {
  const spool = new Spool({ memoryBytes: DEFAULT_SPOOL_MEMORY_BYTES });
  try {
    const problems = new ProblemList();
    const inflated = inflate(toAsync(chunks), { maxBytes }, problems);
    const outcome = await new SpoolingReader(spool, undefined).readBytes(inflated, document, () => ({
      problems: problems.kept,
      truncated: isTruncated(problems.kept),
    }));
    const sitemap = nodeOf(outcome, name);
    makeTop(sitemap, { spool });
    return sitemap;
  } catch (error) {
    spool.close();
    throw error;
  }
}

async function* toAsync(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function nodeOf(outcome: Outcome, url: string): Sitemap {
  const place = { url, lastModified: undefined };
  if (outcome.type === 'invalid') return treeNodes.invalid(place, outcome);
  if (outcome.type === 'pages') return treeNodes.pages(place, outcome);
  const children = outcome.entries.map((entry) => treeNodes.invalid(entry, notFetched(entry.url)));
  return treeNodes.index(place, outcome, children, []);
}

function notFetched(url: string): InvalidOutcome {
  return {
    type: 'invalid',
    code: 'not-fetched',
    reason: `${url} was not fetched: its index was read without a network.`,
  };
}
