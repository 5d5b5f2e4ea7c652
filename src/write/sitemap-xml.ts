/** Documents of the sitemap protocol: pages as a urlset in chunks, sitemaps as an index. */
import { EXTENSION_NAMESPACES, PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import { checkFunction, checkIterable, checkSignal } from '../problems/arguments.ts';
import { badInput, badOption, SitemapException, textForOneLoop } from '../problems/errors.ts';
import { checkNames } from '../problems/option-names.ts';
import { itemsUnlessAborted } from '../runtime/abort.ts';
import { clip } from '../text/wording.ts';
import { ALL_NAMESPACES, EntryWriter, NAMESPACE_BITS, type SitemapNamespace } from './url-entry.ts';
import { DateText, encodedText, givenText, isGiven, UrlText, type WriteProblemCode } from './value-text.ts';
import {
  addressOf,
  givenPage,
  UnusedFields,
  type WritableEntry,
  type WritablePage,
  type WriteProblem,
} from './writable-page.ts';

const PROTOCOL = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** The beginning of a urlset that declares some namespaces, as bits. */
export function urlsetStart(namespaces: number): string {
  const names = (['image', 'video', 'news', 'xhtml'] as const).filter(
    (name) => NAMESPACE_BITS[name] & namespaces,
  );
  const declared = names.map((name) => ` xmlns:${name}="${EXTENSION_NAMESPACES[name]}"`);
  return `${DECLARATION}<urlset xmlns="${PROTOCOL}"${declared.join('')}>\n`;
}

export const URLSET_END = '</urlset>\n';

/** Pages to write, one after the other. A string is a page that has nothing but its URL. */
export type WritablePages =
  | Iterable<WritablePage | WritableEntry | string>
  | AsyncIterable<WritablePage | WritableEntry | string>;

/** Options of {@link sitemapXml}. */
export interface SitemapXmlOptions {
  /**
   * The namespaces that the document declares, since the pages to come are not known. What needs another one is left
   * out, with a problem.
   *
   * @default all four
   */
  readonly namespaces?: Iterable<SitemapNamespace> | undefined;
  /** `fresh`: news that are older than two days are left out; their pages stay. @default 'all' */
  readonly news?: 'all' | 'fresh' | undefined;
  /** The address that the document will have: relative URLs are resolved against it. */
  readonly url?: string | URL | undefined;
  /** Called with everything that was repaired or left out. */
  readonly onProblem?: ((problem: WriteProblem) => void) | undefined;
  /** Ends the writing: it throws its reason, also while the next page is waited for. */
  readonly signal?: AbortSignal | undefined;
}

const CHUNK_CHARACTERS = 65_536;
const ROWS_A_TURN = 16_384;

/**
 * Writes pages as one sitemap. Nothing is held back: it takes 20 bytes of memory for each page. A document should have
 * at most 50,000 pages and 50 MiB; more are written too, with a problem. `writeSitemaps` divides them.
 *
 * @param pages - pages that were read, or plain objects with a `url` or a `loc`
 * @returns the chunks of the document, as text: to be encoded in UTF-8
 * @throws SitemapException with the code `bad-option` for a wrong option, or `bad-input`
 *
 * @example
 * ```typescript
 * import { sitemapXml } from 'ultimate-sitemap-parser/write';
 *
 * const pages = [{ url: 'https://example.org/', lastModified: '2024-05-06' }];
 * let xml = '';
 * for await (const chunk of sitemapXml(pages, { namespaces: [] })) xml += chunk;
 * console.log(xml);
 * // <?xml version="1.0" encoding="UTF-8"?>
 * // <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
 * // <url><loc>https://example.org/</loc><lastmod>2024-05-06</lastmod></url>
 * // </urlset>
 * ```
 */
export function sitemapXml(
  pages: WritablePages,
  options: SitemapXmlOptions = {},
): AsyncGenerator<string, void, undefined> {
  checkNames(options, ['namespaces', 'news', 'url', 'onProblem', 'signal']);
  checkIterable(pages, 'sitemapXml needs pages: an iterable of objects with a "url" or a "loc".');
  const { signal, onProblem, url: address } = options;
  checkNews(options.news);
  checkSignal(signal);
  if (address !== undefined && typeof address !== 'string' && !(address instanceof URL))
    throw badOption('The option "url" must be the address of the document, a string or a URL.', 'url');
  checkFunction(onProblem, 'onProblem');
  return textForOneLoop(chunksOf(pages, options, bitsOf(options.namespaces)), 'sitemapXml');
}

async function* chunksOf(
  pages: WritablePages,
  options: SitemapXmlOptions,
  namespaces: number,
): AsyncGenerator<string, void, undefined> {
  const { signal, onProblem, url: address } = options;
  const unusedFields = new UnusedFields();
  const maxNews = PROTOCOL_LIMITS.newsStories;
  const writer = new EntryWriter({
    ...options,
    url: address && String(address),
    namespaces,
    maxNews,
    unusedFields,
  });
  let text = urlsetStart(namespaces);
  let rowCount = 0;
  let pageCount = 0;
  let byteCount = 0;
  let url = '';
  const report = (code: WriteProblemCode, message: string): void =>
    onProblem?.({ code, message, url, dropped: undefined });
  /** Whether there is enough for a chunk. */
  const isFullWith = (row: WritablePage | WritableEntry | string): boolean => {
    const page = givenPage(row);
    const entry = writer.entry(page);
    if (entry === undefined) return false;
    text += entry;
    url = givenText(addressOf(page));
    if (++pageCount === PROTOCOL_LIMITS.entries + 1)
      report('over-50000-urls', 'The sitemap has more than 50,000 pages; this is the first one over.');
    return text.length >= CHUNK_CHARACTERS;
  };
  const chunk = (): string => {
    signal?.throwIfAborted();
    const chunk = text;
    text = '';
    const isWithin = byteCount <= PROTOCOL_LIMITS.bytes;
    byteCount += encodedText(chunk).length;
    if (isWithin && byteCount > PROTOCOL_LIMITS.bytes)
      report('over-50-mib', 'The sitemap has more than 52,428,800 bytes (50 MiB).');
    return chunk;
  };
  signal?.throwIfAborted();
  // Not `for await` for both: it would wait once for each of a million pages.
  if (Symbol.iterator in pages) {
    for (const page of pages) {
      if (isFullWith(page)) yield chunk();
      if (++rowCount % ROWS_A_TURN === 0) await turnFor(signal);
    }
  } else {
    for await (const page of itemsUnlessAborted(pages, signal)) {
      if (isFullWith(page)) yield chunk();
      if (++rowCount % ROWS_A_TURN === 0) await turnFor(signal);
    }
  }
  text += URLSET_END;
  yield chunk();
  for (const problem of unusedFields.problems) onProblem?.(problem);
  if (pageCount === 0) report('empty-sitemap', 'The sitemap has no page.');
}

/**
 * Gives the event loop a turn, in which the signal can abort: rows that come at once, and of which none can be written,
 * give it none. Without a signal it is not needed, and there may be no timers.
 */
async function turnFor(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return;
  await new Promise((resolve) => setTimeout(resolve));
  signal.throwIfAborted();
}

/** Asked for once: an iterator has its items once. @throws SitemapException with the code `bad-option` */
function bitsOf(namespaces: SitemapXmlOptions['namespaces']): number {
  if (namespaces === undefined) return ALL_NAMESPACES;
  const isList = Symbol.iterator in Object(namespaces);
  const names = isList ? [...namespaces] : [];
  if (!isList || !names.every((name) => typeof name === 'string' && Object.hasOwn(NAMESPACE_BITS, name)))
    throw badOption('The option "namespaces" must list some of image, video, news and xhtml.', 'namespaces');
  return names.reduce((bits, name) => bits | NAMESPACE_BITS[name], 0);
}

/** @throws SitemapException with the code `bad-option` */
export function checkNews(news: unknown): void {
  if (news === undefined || news === 'all' || news === 'fresh') return;
  throw badOption('The option "news" must be "all" or "fresh".', 'news');
}

/** A sitemap in an index that is written. */
export interface WritableSitemap {
  /** Its address. */
  readonly url: string;
  /** When it last changed: at best the date of its newest page. */
  readonly lastModified?: Date | string | null | undefined;
}

/**
 * Writes a sitemap index: at most 50,000 sitemaps.
 *
 * @throws SitemapException with the code `bad-input` for what is not the URL of a sitemap, or for too many
 *
 * @example
 * ```typescript
 * import { indexXml } from 'ultimate-sitemap-parser/write';
 *
 * console.log(indexXml([{ url: 'https://example.org/pages.xml', lastModified: '2024-05' }]));
 * // <?xml version="1.0" encoding="UTF-8"?>
 * // <sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
 * // <sitemap><loc>https://example.org/pages.xml</loc><lastmod>2024-05</lastmod></sitemap>
 * // </sitemapindex>
 * ```
 */
export function indexXml(sitemaps: Iterable<WritableSitemap>): string {
  if (!(Symbol.iterator in Object(sitemaps)))
    throw badInput(
      'indexXml needs sitemaps: an array, or an iterable that is not async, of objects with a "url".',
    );
  const entries: string[] = [];
  const date = new DateText();
  let why = '';
  const urls = new UrlText(undefined, (code, message, isDropped) => {
    if (isDropped === true) why = `${code}: ${message}`;
  });
  for (const sitemap of sitemaps) {
    const { url, lastModified }: Partial<WritableSitemap> = Object(sitemap);
    const urlText = givenText(url);
    const loc = urls.sitemap(urlText);
    if (loc === undefined)
      throw new SitemapException(`This cannot be the address of a sitemap: ${clip(urlText, 200)} (${why})`, {
        code: 'bad-input',
        url: urlText,
      });
    const isDated = isGiven(lastModified) && date.read(lastModified, 'lastmod-not-w3c', () => {});
    const lastmod = isDated ? `<lastmod>${date.text}</lastmod>` : '';
    entries.push(`<sitemap><loc>${loc}</loc>${lastmod}</sitemap>\n`);
  }
  if (entries.length > PROTOCOL_LIMITS.entries)
    throw new SitemapException('An index lists at most 50,000 sitemaps.', { code: 'bad-input' });
  return `${DECLARATION}<sitemapindex xmlns="${PROTOCOL}">\n${entries.join('')}</sitemapindex>\n`;
}
