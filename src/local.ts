/**
 * One document that the caller has already, as a string, as bytes, in a stream or in a file: the same detection,
 * inflation and parsing as for one from the web, and no network. The children of an index are `InvalidSitemap`s with
 * code `not-fetched`.
 */
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bodyFrom, iterate, withPublicHosts } from './fetch/body.ts';
import { inflate } from './fetch/decode/inflate.ts';
import { type HostMap, hostMapOf } from './options/host-map.ts';
import { resolveOptions } from './options/resolve.ts';
import type { DocumentOptions } from './parse/detection/document-start.ts';
import { checkedOptions } from './parse/given-input.ts';
import { isTruncated } from './problems/catalogue.ts';
import { badInput, SitemapException } from './problems/errors.ts';
import { checkNames } from './problems/option-names.ts';
import { ProblemList } from './problems/problem-list.ts';
import { type InvalidOutcome, type Outcome, treeNodes } from './read/outcome.ts';
import { EntryAllowance, tooManySitemaps } from './read/reader.ts';
import { SpoolingReader } from './read/spooling-reader.ts';
import { openToRead } from './runtime/file-input.ts';
import { fileTrouble } from './runtime/files.ts';
import { makeTop, type Sitemap } from './sitemap/sitemap.ts';
import { Spool } from './sitemap/spool/spool.ts';
import { urlArgumentText } from './url.ts';

/** What is known of a document in addition to its content. */
export interface LocalOptions {
  /** Its address: relative URLs are resolved against it; without it they are dropped, with a problem. */
  readonly url?: string | URL | undefined;
  /** The charset that came with it, from an HTTP header for example. */
  readonly charset?: string | undefined;
  /** Bytes of the document after all decoding; past that it is truncated. @default 104857600 (100 MiB) */
  readonly maxSitemapBytes?: number | undefined;
  /** The most children of an index that get a node; the rest is counted in a problem. @default 50000 */
  readonly maxSitemaps?: number | undefined;
  /** Give problems their line and column. @default false */
  readonly problemPositions?: boolean | undefined;
  /** Hosts that stand for others: URLs on the first one are read as on the second one. @default none */
  readonly mapHosts?: Readonly<Record<string, string>> | undefined;
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
    throw badInput('sitemapFromString needs a string; sitemapFromBytes takes bytes.');
  }
  const local = resolveLocalOptions(options);
  const document = { ...local.document, isUtf8: true };
  return readDocument(chunksOf(new TextEncoder().encode(text)), { ...local, document });
}

/** Reads a sitemap from bytes, in any charset, gzipped or not. */
export async function sitemapFromBytes(
  bytes: Uint8Array | ArrayBuffer,
  options: LocalOptions = {},
): Promise<Sitemap> {
  if (!(bytes instanceof ArrayBuffer) && !ArrayBuffer.isView(bytes)) {
    throw badInput('sitemapFromBytes needs a Uint8Array or an ArrayBuffer.');
  }
  const chunk =
    bytes instanceof ArrayBuffer
      ? new Uint8Array(bytes)
      : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const local = resolveLocalOptions(options);
  return readDocument(chunksOf(chunk), local);
}

/**
 * Reads a sitemap from chunks of bytes as they arrive, in any charset, gzipped or not: from stdin, from a response,
 * from any stream. No more than a few chunks of it are in memory at a time.
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
  if (typeof chunks?.[Symbol.asyncIterator] !== 'function') {
    throw badInput('sitemapFromStream needs an async iterable of bytes, such as a stream.');
  }
  return readDocument(chunks, resolveLocalOptions(options));
}

/**
 * Reads a sitemap from a file, in any charset, gzipped or not. A file named `robots.txt` is read as one.
 *
 * @throws SitemapException with code `unreadable-file`, naming the file, where it cannot be read
 */
export async function sitemapFromFile(path: string | URL, options: LocalOptions = {}): Promise<Sitemap> {
  const local = resolveLocalOptions(options);
  if (typeof path !== 'string' && !(path instanceof URL)) {
    throw badInput('sitemapFromFile needs the path of a file, a string or a file: URL.');
  }
  try {
    const fileUrl = path instanceof URL ? path : pathToFileURL(path);
    const isRobotsTxt = basename(fileUrl.pathname).toLowerCase() === 'robots.txt';
    const document = isRobotsTxt ? { ...local.document, isRobotsPath: true } : local.document;
    return await readDocument(await openToRead(fileUrl), {
      ...local,
      document,
      name: document.url ?? fileUrl.href,
    });
  } catch (cause) {
    if (cause instanceof SitemapException) throw cause;
    const name =
      path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : urlArgumentText(path);
    const hint = /^https?:/i.test(name) ? ' To fetch a URL, call sitemapFromUrl.' : '';
    throw new SitemapException(`The file ${name} could not be read: ${fileTrouble(cause, name)}.${hint}`, {
      code: 'unreadable-file',
      cause,
    });
  }
}

interface ResolvedLocalOptions {
  readonly document: DocumentOptions;
  readonly name: string;
  readonly maxSitemapBytes: number;
  readonly maxSitemaps: number;
  readonly hosts: HostMap | undefined;
}

function resolveLocalOptions(options: LocalOptions): ResolvedLocalOptions {
  checkNames(options, ['url', 'charset', 'maxSitemapBytes', 'maxSitemaps', 'problemPositions', 'mapHosts']);
  const { url: _url, charset: _charset, ...others } = options;
  const resolved = resolveOptions(others, 'sitemap');
  const { maxSitemapBytes, maxSitemaps, problemPositions } = resolved;
  const hosts = hostMapOf(resolved);
  const { url: givenUrl, ...rest } = checkedOptions(options);
  const url = givenUrl === undefined ? undefined : (hosts?.text(givenUrl) ?? givenUrl);
  const document = { ...rest, url, ...(problemPositions && { problemPositions }) };
  return { document, name: url ?? '', maxSitemapBytes, maxSitemaps, hosts };
}

async function readDocument(
  chunks: AsyncIterable<Uint8Array>,
  local: ResolvedLocalOptions,
): Promise<Sitemap> {
  const spool = new Spool({ memoryBytes: resolveOptions(undefined, 'tree').spoolMemoryBytes });
  const allowance = new EntryAllowance(local.maxSitemaps, { isFiltered: false });
  const reader = new SpoolingReader({ spool, onPages: undefined, allowance });
  try {
    const problems = new ProblemList();
    const limits = { maxBytes: local.maxSitemapBytes, problems };
    const inflated = inflate(limits)(bodyFrom(chunks));
    const body = local.hosts === undefined ? inflated : withPublicHosts(local.hosts)(inflated);
    const outcome = await reader.readChunks(iterate(body), local.document, () => ({
      problems: problems.kept,
      truncated: isTruncated(problems.kept),
    }));
    const sitemap = nodeOf(outcome, local);
    makeTop(sitemap, { documents: spool });
    return sitemap;
  } catch (error) {
    spool.close();
    throw error;
  }
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function nodeOf(outcome: Outcome, { name, maxSitemaps }: ResolvedLocalOptions): Sitemap {
  const declared = { url: name, lastModified: undefined };
  if (outcome.type === 'invalid') return treeNodes.invalid(declared, outcome);
  if (outcome.type === 'pages') return treeNodes.pages(declared, outcome);
  const entries = outcome.entries.slice(0, maxSitemaps);
  const children = entries.map((entry) => treeNodes.invalid(entry, notFetched(entry.url)));
  const all = outcome.entries.length + outcome.leftOut;
  const problems = all > children.length ? [tooManySitemaps(all - children.length, all)] : [];
  return treeNodes.index(declared, outcome, children, problems);
}

function notFetched(url: string): InvalidOutcome {
  return {
    type: 'invalid',
    code: 'not-fetched',
    reason: `${url} was not fetched: its index was read without a network.`,
  };
}
