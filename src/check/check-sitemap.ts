/**
 * Checks of documents that the caller has: no network, no files, nothing of Node.
 */

import { isRobotsTxt } from '../parse/detection/detect.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import {
  checkChunk,
  checkedOptions,
  chunksOf,
  isArrayBuffer,
  isBytes,
  pieces,
  type ReadableStreamLike,
  utf8Pieces,
} from '../parse/given-input.ts';
import type { DocumentKind } from '../parse/model/item.ts';
import { badInput, badOption, forOneLoop } from '../problems/errors.ts';
import { checkNames } from '../problems/option-names.ts';
import { RobotsText } from '../robots/robots-rules.ts';
import { documentKey } from '../url.ts';
import type { CheckSummary, Finding } from './finding.ts';
import type { DeclaredSitemap } from './known-site.ts';
import { returnLinks, withoutReturn } from './rules/return-links.ts';
import {
  CHECK_OPTIONS,
  type CheckOptions,
  type ResolvedCheckOptions,
  resolveCheckOptions,
  SiteCheck,
  type SiteDocument,
} from './site-check.ts';

/** Options of {@link checkSitemap}. */
export interface CheckSitemapOptions extends CheckOptions {
  /**
   * The address of the document: URLs are compared with it, relative ones are resolved against it, and findings name
   * it.
   */
  readonly url?: string | URL | undefined;
  /** The charset that came with the document, from an HTTP header for example. What the bytes show wins. */
  readonly charset?: string | undefined;
  /**
   * The name of the document in findings. Without a URL, a document named `robots.txt` is read as robots.txt.
   *
   * @default its URL
   */
  readonly name?: string | undefined;
}

const DOCUMENT_OPTIONS = ['url', 'charset', 'name'] as const;

/** A document that can be checked as it is. */
export type CheckedContent = string | Uint8Array | ArrayBuffer | Iterable<Uint8Array>;

/** One of several documents that are checked together. */
export interface DocumentToCheck extends Pick<CheckSitemapOptions, 'url' | 'charset' | 'name'> {
  readonly content: string | Uint8Array | ArrayBuffer;
}

/** A check that runs while you iterate over its findings. It can be iterated over once. */
export interface SitemapCheck extends Iterable<Finding> {
  /** What was found so far; complete once iteration has ended. */
  readonly summary: CheckSummary;
}

/** A check of a document that is still arriving. */
export interface AsyncSitemapCheck extends AsyncIterable<Finding> {
  /** What was found so far; complete once iteration has ended. */
  readonly summary: CheckSummary;
}

/**
 * Checks one document: a sitemap, index, feed, text list or robots.txt. It must not be compressed.
 *
 * @example
 * ```ts
 * const check = checkSitemap(xml, { url: 'https://example.org/sitemap.xml' });
 * for (const { line, column, severity, message, rule } of check) {
 *   console.log(`${line}:${column}  ${severity}  ${message}  ${rule}`);
 * }
 * console.log(check.summary.counts.error, 'errors');
 * ```
 *
 * @throws SitemapException with code `bad-input`, `bad-url`, `bad-charset` or `bad-option` for a caller's mistake
 */
export function checkSitemap(input: CheckedContent, options?: CheckSitemapOptions): SitemapCheck;
export function checkSitemap(
  input: AsyncIterable<Uint8Array> | ReadableStreamLike,
  options?: CheckSitemapOptions,
): AsyncSitemapCheck;
export function checkSitemap(
  input: CheckedContent | AsyncIterable<Uint8Array> | ReadableStreamLike,
  options: CheckSitemapOptions = {},
): SitemapCheck | AsyncSitemapCheck {
  checkNames(options, [...CHECK_OPTIONS, ...DOCUMENT_OPTIONS]);
  const resolved = resolveCheckOptions(options);
  if (
    typeof input === 'object' &&
    input !== null &&
    ('getReader' in input || Symbol.asyncIterator in input)
  ) {
    const chunks = 'getReader' in input ? chunksOf(input) : input;
    const content = { isUtf8: false, canRepeat: false, chunks: () => chunks };
    return streamCheck([{ document: siteDocument(options, false, resolved), content }], resolved);
  }
  const content = contentOf(input);
  const document = siteDocument(options, content.isUtf8, resolved);
  return contentCheck([{ document, content }], resolved, 'checkSitemap');
}

/**
 * Checks several documents of one site together: a robots.txt, an index and its sitemaps. Rules check each document,
 * and all of them together: pages that robots.txt disallows, that are listed twice, or whose alternates do not link
 * back.
 *
 * @example
 * ```ts
 * const check = checkSitemaps([
 *   { url: 'https://example.org/robots.txt', content: robotsTxt },
 *   { url: 'https://example.org/sitemap.xml', content: xml },
 * ]);
 * for (const finding of check) console.log(finding.document, finding.message);
 * ```
 */
export function checkSitemaps(
  documents: readonly DocumentToCheck[],
  options: CheckOptions = {},
): SitemapCheck {
  checkNames(options, CHECK_OPTIONS);
  const resolved = resolveCheckOptions(options);
  if (!Array.isArray(documents) || documents.some((each) => typeof each !== 'object' || each === null)) {
    throw badInput(
      'checkSitemaps needs an array of documents, as [{url: "https://…", content: "<urlset…"}].',
    );
  }
  const documentsWithContent = documents.map((each) => {
    checkNames(each, [...DOCUMENT_OPTIONS, 'content']);
    return { ...each, content: contentOf(each.content) };
  });
  return contentCheck(documentsOfSite(documentsWithContent, resolved), resolved, 'checkSitemaps');
}

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

interface Content<Read extends Chunks = Iterable<Uint8Array>> {
  readonly isUtf8: boolean;
  readonly canRepeat: boolean;
  chunks(): Read;
}

interface InputDocument<Read extends Chunks = Iterable<Uint8Array>> {
  readonly document: SiteDocument;
  readonly content: Content<Read>;
}

function contentCheck(
  documents: readonly InputDocument[],
  options: ResolvedCheckOptions,
  maker: string,
): SitemapCheck {
  const check = new SiteCheck(options, isWhole(documents));
  const begin = checkForOneLoop(maker);
  return {
    get summary() {
      return check.counter.summary;
    },
    *[Symbol.iterator]() {
      begin();
      for (const { content, reader } of stepsOf(check, documents)) {
        for (const chunk of content.chunks()) {
          reader.write(checkChunk(chunk));
          yield* check.take();
        }
        reader.end();
        yield* check.take();
      }
    },
  };
}

function checkForOneLoop(maker: string): () => void {
  return forOneLoop('check-used', `A check can be iterated over once; call ${maker} again.`);
}

/** Checks documents that are still arriving. */
function streamCheck(
  documents: readonly InputDocument<AsyncIterable<Uint8Array>>[],
  options: ResolvedCheckOptions,
): AsyncSitemapCheck {
  const check = new SiteCheck(options, false);
  const begin = checkForOneLoop('checkSitemap');
  return {
    get summary() {
      return check.counter.summary;
    },
    async *[Symbol.asyncIterator]() {
      begin();
      for (const { content, reader } of stepsOf(check, documents)) {
        for await (const chunk of content.chunks()) {
          reader.write(checkChunk(chunk));
          yield* check.take();
        }
        reader.end();
        yield* check.take();
      }
    },
  };
}

/** The contents to read, one after the other, each with its reader. A step starts when the one before it has ended. */
function* stepsOf<Read extends Chunks>(check: SiteCheck, documents: readonly InputDocument<Read>[]) {
  const { site } = check;
  for (const { document, content } of documents) {
    const { url } = document.options;
    if (url === undefined || !isRobotsTxt(url) || !content.canRepeat) continue;
    const text = new RobotsText();
    const end = (): void => site.robots.add([new URL(url).origin], text.bytes);
    yield { content, reader: { write: (chunk: Uint8Array) => text.add(chunk), end } };
  }
  for (const { document, content } of documents) yield { content, reader: check.begin(document) };
  // Documents with alternates are read again if some of these may have no return link.
  for (const number of withoutReturn(site)) {
    const { document, content } = documents[number]!;
    if (content.canRepeat) yield { content, reader: check.again(document, returnLinks(site)) };
  }
  check.finish();
}

function siteDocument(
  { url, charset, name }: Pick<CheckSitemapOptions, 'url' | 'charset' | 'name'>,
  isUtf8: boolean,
  { now }: ResolvedCheckOptions,
  sitemaps: ReadonlyMap<string, DeclaredSitemap> = new Map(),
  declaredBy: ReadonlySet<string> = new Set(),
): SiteDocument {
  const checked = checkedOptions({ url, charset });
  if (name !== undefined && typeof name !== 'string')
    throw badOption('The option "name" must be a string.', 'name');
  const isRobotsPath = checked.url === undefined ? isRobotsTxt(`/${name}`) : undefined;
  const options = { ...checked, isUtf8, isRobotsPath };
  return {
    name: name ?? options.url ?? '',
    options,
    now: now ?? Date.now(),
    isFetched: now !== undefined,
    keys: options.url === undefined ? [] : [documentKey(options.url)],
    sitemaps,
    declaredBy,
  };
}

/**
 * Whether every sitemap that the documents declare is among them: then a page that is in none of them is not listed.
 */
function isWhole(documents: readonly InputDocument[]): boolean {
  const declared = documents.flatMap(({ document }) => [...document.sitemaps.values()]);
  return declared.length > 0 && declared.every(({ kind }) => kind !== 'unknown');
}

/** Connects the documents: which declares which, and the kind of each. */
function documentsOfSite(
  documents: readonly (Omit<DocumentToCheck, 'content'> & { readonly content: Content })[],
  options: ResolvedCheckOptions,
): InputDocument[] {
  const readDocuments = documents.map(({ content, ...about }) => {
    const { url } = checkedOptions(about);
    return { about, content, url, ...declarationsOf(url, content) };
  });
  const byKey = new Map(
    readDocuments.flatMap((each) => (each.url === undefined ? [] : [[documentKey(each.url), each]])),
  );
  const hosts = new Map<string, Set<string>>();
  const declare = (key: string, host: string): void => {
    const declaringHosts = hosts.get(key) ?? new Set();
    if (declaringHosts.has(host)) return;
    hosts.set(key, declaringHosts.add(host));
    for (const child of byKey.get(key)?.children ?? []) declare(child, host);
  };
  for (const { kind, url, children } of readDocuments) {
    if (kind !== 'robots-txt' || url === undefined) continue;
    const { host, origin } = new URL(url);
    for (const child of children) for (const by of [host, origin]) declare(child, by);
  }
  return readDocuments.map(({ about, content, url, children }) => {
    const sitemaps = new Map<string, DeclaredSitemap>();
    for (const child of children) {
      sitemaps.set(child, { kind: byKey.get(child)?.kind ?? 'unknown' });
    }
    const declaredBy = url === undefined ? undefined : hosts.get(documentKey(url));
    return { content, document: siteDocument(about, content.isUtf8, options, sitemaps, declaredBy) };
  });
}

function declarationsOf(
  url: string | undefined,
  content: Content,
): { kind: DocumentKind | undefined; children: readonly string[] } {
  const parser = new DocumentParser({ url, charset: undefined, isUtf8: content.isUtf8 });
  const children: string[] = [];
  for (const chunk of content.chunks()) {
    parser.write(chunk);
    for (const { url } of parser.takeSitemaps()) children.push(documentKey(url));
    // For a page document only the kind is needed.
    if (parser.kind !== undefined && parser.kind !== 'index-xml' && parser.kind !== 'robots-txt') break;
  }
  parser.end();
  for (const { url } of parser.takeSitemaps()) children.push(documentKey(url));
  return { kind: parser.kind, children };
}

function contentOf(input: unknown): Content {
  if (typeof input === 'string') {
    return { isUtf8: true, canRepeat: true, chunks: () => utf8Pieces(input) };
  }
  if (isArrayBuffer(input) || isBytes(input)) {
    const bytes = isArrayBuffer(input) ? new Uint8Array(input) : input;
    return { isUtf8: false, canRepeat: true, chunks: () => pieces(bytes) };
  }
  if (typeof input === 'object' && input !== null && Symbol.iterator in input) {
    // Its items are checked when they are read.
    const chunks = input as Iterable<Uint8Array>;
    return { isUtf8: false, canRepeat: Array.isArray(input), chunks: () => chunks };
  }
  throw badInput(
    'checkSitemap needs a string, bytes (Uint8Array), an iterable of bytes or a ReadableStream as its first argument.',
  );
}
