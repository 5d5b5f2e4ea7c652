/**
 * One document from bytes to items: charset → kind → format, each as soon as enough of it is there.
 *
 * This is the push side of the core; parse-sitemap.ts puts iterables around it.
 */
import { Places } from '../problems/position.ts';
import type { Problem } from '../problems/problem-list.ts';
import { type Description, type Detection, notASitemapReason } from './detection/detect.ts';
import {
  type DecodedText,
  type DetectedStart,
  type DocumentOptions,
  DocumentStart,
} from './detection/document-start.ts';
import { PagesAtom, PagesRss } from './formats/feeds.ts';
import { PlainText, RobotsTxt } from './formats/lines.ts';
import { IndexXml, PagesXml } from './formats/urlset-and-index.ts';
import type { DocumentKind, FormatParser, SitemapEntry, XmlKind } from './model/item.ts';
import type { SitemapPage } from './model/page.ts';
import { ParsedDocument } from './parsed-document.ts';
import { INVALID_BYTES } from './reported-values.ts';
import { SeenUrls } from './seen-urls.ts';
import type { EntryFormat } from './xml/entry-format.ts';
import { EntryScanner } from './xml/entry-scanner.ts';

/**
 * One parser of each kind, in the middle of a small sample, which is never collected. V8 throws compiled code away when
 * the last object of a shape is collected, and between two documents no other parser is alive: without these, every
 * collection there makes the next document start cold (840–905 ms against 400–420 for 4 × 50,000 URLs with a collection
 * forced before each document; hardly any difference without).
 */
const KEPT_SHAPES = new Map<DocumentKind, DocumentParser>();

const SAMPLE_URL = 'https://example.org/';
/** Without plain text, whose first line alone does not show what it is. */
const SAMPLES: Readonly<Record<Exclude<DocumentKind, 'invalid' | 'pages-text'>, string>> = {
  'pages-xml': `<urlset><url><loc>${SAMPLE_URL}</loc></url>`,
  'index-xml': `<sitemapindex><sitemap><loc>${SAMPLE_URL}</loc></sitemap>`,
  'pages-rss': `<rss><item><link>${SAMPLE_URL}</link></item>`,
  'pages-atom': `<feed><entry><link href="${SAMPLE_URL}"/></entry>`,
  'robots-txt': `Sitemap: ${SAMPLE_URL}`,
};

function keepShapes(kind: DocumentKind): void {
  if (kind === 'invalid' || kind === 'pages-text' || KEPT_SHAPES.has(kind)) return;
  const isRobotsPath = kind === 'robots-txt';
  const parser = new DocumentParser({ url: SAMPLE_URL, charset: undefined, isUtf8: true, isRobotsPath });
  parser.write(new TextEncoder().encode(`${SAMPLES[kind]}\n`));
  KEPT_SHAPES.set(kind, parser);
}

/** Parses one document: {@link write} chunks, {@link end} it, take what was found when you like. */
export class DocumentParser {
  readonly #url: string | undefined;
  readonly #document: ParsedDocument;
  /** The text that was read last, where problems get positions. */
  readonly #places: Places | undefined;
  #documentStart: DocumentStart | undefined;
  readonly #text: DecodedText;
  #detection: Detection | undefined;
  /** Removed at the end, so that a caller who keeps the parser does not keep the bytes of the document. */
  #format: FormatParser | undefined;
  #isTruncated = false;
  #kind: DocumentKind | undefined;
  #description: Description | undefined;

  constructor(options: DocumentOptions) {
    this.#url = options.url;
    const places = options.problemPositions === true ? new Places() : undefined;
    this.#places = places;
    this.#document = new ParsedDocument(options.url, options, places && ((offset) => places.at(offset)));
    this.#documentStart = new DocumentStart(options, this.#document.problems);
    this.#text = this.#documentStart.text;
  }

  /** What the document is; undefined while that is not known. */
  get kind(): DocumentKind | undefined {
    return this.#kind;
  }

  /** What it looks like; a text may still turn out not to be a sitemap. Known before anything in it is reported. */
  get detectedKind(): DocumentKind | undefined {
    return this.#detection?.kind;
  }

  /** The charset that it is read in; known as soon as its kind is. */
  get charset(): string {
    return this.#text.charset;
  }

  /** Why it is not a sitemap; undefined where it is one. */
  get reason(): string | undefined {
    if (this.#description === undefined) return undefined;
    return notASitemapReason(this.#url ?? 'The document', this.#description);
  }

  /** What it is instead of a sitemap; undefined where it is one. */
  get description(): Description | undefined {
    return this.#description;
  }

  /** Whether it ended too early; known at its end. */
  get truncated(): boolean {
    return this.#isTruncated;
  }

  /**
   * What is wrong with it. What is not a sitemap has a {@link reason} instead: its lines were never meant to be
   * URLs.
   */
  get problems(): readonly Problem[] {
    return this.#kind === 'invalid' ? [] : this.#document.problems.kept;
  }

  get problemCount(): number {
    return this.#kind === 'invalid' ? 0 : this.#document.problems.count;
  }

  /** Hands over the pages that were found since the last time. */
  takePages(): SitemapPage[] {
    return this.#document.takePages();
  }

  /** Hands over the sitemaps of an index that were found since the last time. */
  takeSitemaps(): SitemapEntry[] {
    return this.#document.takeSitemaps();
  }

  /** Takes in bytes in whatever charset the document is in. */
  write(chunk: Uint8Array): void {
    const bytes = plainBytes(chunk);
    if (this.#documentStart === undefined) {
      this.#parse(this.#text.write(bytes));
      this.#confirm();
      return;
    }
    const detected = this.#documentStart.write(bytes);
    if (detected !== undefined) this.#start(detected);
  }

  /** Ends the document; `isCut` where the rest of it never arrived. */
  end(isCut = false): void {
    if (this.#documentStart !== undefined) this.#start(this.#documentStart.end());
    else this.#parse(this.#text.end());
    this.#format?.end(isCut);
    this.#confirm();
    this.#isTruncated = this.#format?.truncated ?? false;
    this.#format = undefined;
    this.#document.seen = new SeenUrls();
    // Reported last: where in a chunk they were is not known, and the order must not depend on the chunks.
    if (this.#text.hasInvalidBytes) this.#document.problems.add('invalid-bytes', INVALID_BYTES);
    if (this.#kind === undefined && this.#detection?.kind === 'pages-text') {
      this.#invalid(this.#detection.otherwise);
    }
    if (this.#kind !== undefined) keepShapes(this.#kind);
  }

  #parse(text: Uint8Array): void {
    if (text.length === 0) return;
    this.#places?.write(text);
    this.#document.listener?.text?.(text);
    this.#format?.write(text);
    this.#document.listener?.parsed?.(text);
  }

  #start({ detection, head }: DetectedStart): void {
    this.#documentStart = undefined;
    this.#detection = detection;
    this.#places?.write(head);
    this.#document.listener?.text?.(head);
    switch (detection.kind) {
      case 'invalid':
        this.#invalid(detection.description);
        return;
      case 'robots-txt':
        this.#format = new RobotsTxt(this.#document);
        this.#format.write(head);
        break;
      case 'pages-text':
        this.#format = new PlainText(this.#document);
        this.#format.write(head);
        break;
      default:
        this.#startXml(detection, head);
    }
    this.#document.listener?.parsed?.(head);
    this.#confirm();
  }

  #startXml({ kind, root }: Extract<Detection, { kind: XmlKind }>, head: Uint8Array): void {
    const { problems } = this.#document;
    for (const problem of root.problems) problems.add(problem.code, problem.message, problem.offset);
    this.#format = new EntryScanner(this.#entryFormat(kind), this.#document, root.prolog);
    this.#format.write(head.subarray(root.prolog.rootOffset));
  }

  #entryFormat(kind: XmlKind): EntryFormat {
    switch (kind) {
      case 'pages-xml':
        return new PagesXml(this.#document);
      case 'index-xml':
        return new IndexXml(this.#document);
      case 'pages-rss':
        return new PagesRss(this.#document);
      case 'pages-atom':
        return new PagesAtom(this.#document);
    }
  }

  // A text is a sitemap from its first URL on.
  #confirm(): void {
    if (this.#kind === undefined && this.#format?.isConfirmed === true) this.#kind = this.#detection?.kind;
  }

  #invalid(description: Description): void {
    this.#kind = 'invalid';
    this.#description = description;
  }
}

/**
 * Bytes as a plain `Uint8Array`, not as a subclass such as Node's `Buffer`. The parser has plain arrays too, and V8 is
 * slow where a private field has objects of two shapes: 4 % of a feed.
 */
function plainBytes(chunk: Uint8Array): Uint8Array {
  if (Object.getPrototypeOf(chunk) === Uint8Array.prototype) return chunk;
  return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
}
