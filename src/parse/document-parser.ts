/**
 * One document from bytes to items: charset → kind → format, each as soon as enough of it is there.
 *
 * This is the push side of the core; parse-sitemap.ts puts iterables around it.
 */
import type { Problem } from '../problem.ts';
import { detectCharset, Transcoder } from './charset.ts';
import { type Detection, detect } from './detect.ts';
import { Document } from './document.ts';
import { Head } from './head.ts';
import { IndexXml } from './index-xml.ts';
import type { FormatParser, SitemapItem } from './item.ts';
import { PagesAtom } from './pages-atom.ts';
import { PagesRss } from './pages-rss.ts';
import { PagesXml } from './pages-xml.ts';
import { PlainText } from './plain-text.ts';
import { RobotsTxt } from './robots-txt.ts';
import type { EntryFormat } from './xml/entry-format.ts';
import { EntryScanner } from './xml/entry-scanner.ts';

/** The kinds of documents. */
export type DocumentKind =
  | 'robots-txt'
  | 'index-xml'
  | 'pages-xml'
  | 'pages-text'
  | 'pages-rss'
  | 'pages-atom'
  | 'invalid';

/** What is known of the document that is parsed. */
export interface DocumentParserOptions {
  readonly url: string | undefined;
  /** The charset that the HTTP header names. */
  readonly charset: string | undefined;
}

/** Parses one document: {@link write} chunks, {@link end} it, take the items when you like. */
export class DocumentParser {
  readonly #url: string | undefined;
  readonly #httpCharset: string | undefined;
  readonly #document: Document;
  #kind: DocumentKind | undefined;
  #reason: string | undefined;
  #undecoded: Head | undefined = new Head();
  #transcoder: Transcoder | undefined;
  #undetected: Head | undefined = new Head();
  #baseOffset = 0;
  #detection: Detection | undefined;
  #format: FormatParser | undefined;

  constructor(options: DocumentParserOptions) {
    this.#url = options.url;
    this.#httpCharset = options.charset;
    this.#document = new Document(options.url);
  }

  /** What the document is; undefined while that is not known. */
  get kind(): DocumentKind | undefined {
    return this.#kind;
  }

  /** Why it is no sitemap, where it is none. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Whether it ended too early; known at its end. */
  get truncated(): boolean {
    return this.#format?.truncated ?? false;
  }

  get problems(): readonly Problem[] {
    return this.#document.problems.kept;
  }

  get problemCount(): number {
    return this.#document.problems.count;
  }

  /** Whether there is no use in reading on. */
  get isInvalid(): boolean {
    return this.#kind === 'invalid';
  }

  /** Hands over what was found since the last time. */
  takeItems(): SitemapItem[] {
    return this.#document.takeItems();
  }

  /** Takes in bytes in whatever charset the document is in. */
  write(chunk: Uint8Array): void {
    if (this.#undecoded === undefined) {
      this.#decode(chunk);
      return;
    }
    this.#undecoded.append(chunk);
    if (this.#undecoded.isWorthALook()) this.#decideCharset(false);
  }

  /** Takes in bytes that are known to be UTF-8, whatever the document says of itself. */
  writeUtf8(chunk: Uint8Array): void {
    this.#undecoded = undefined;
    this.#parse(chunk);
  }

  /** Ends the document. */
  end(): void {
    if (this.#undecoded !== undefined) this.#decideCharset(true);
    if (this.#transcoder !== undefined) this.#parse(this.#transcoder.end());
    if (this.#undetected !== undefined) this.#detectKind(this.#undetected, true);
    this.#format?.end();
    if (this.#detection?.kind === 'pages-text' && this.#format?.isConfirmed === false) {
      this.#invalid(this.#detection.otherwise.words);
    } else {
      this.#confirm();
    }
  }

  #decideCharset(isComplete: boolean): void {
    const head = this.#undecoded;
    if (head === undefined) return;
    const decision = detectCharset(head.bytes, isComplete, this.#httpCharset, this.#document.problems);
    if (decision === undefined) return;
    this.#undecoded = undefined;
    if (decision.charset === 'utf-8') this.#baseOffset = decision.bomLength;
    else this.#transcoder = new Transcoder(decision.charset, this.#document.problems);
    this.#decode(head.bytes.subarray(decision.bomLength));
  }

  #decode(chunk: Uint8Array): void {
    this.#parse(this.#transcoder === undefined ? chunk : this.#transcoder.write(chunk));
  }

  #parse(chunk: Uint8Array): void {
    if (this.#undetected === undefined) {
      this.#format?.write(chunk);
      this.#confirm();
      return;
    }
    this.#undetected.append(chunk);
    if (this.#undetected.isWorthALook()) this.#detectKind(this.#undetected, false);
  }

  #detectKind(head: Head, isComplete: boolean): void {
    const detection = detect(head.bytes, isComplete, this.#url);
    if (detection === undefined) return;
    this.#undetected = undefined;
    this.#detection = detection;
    switch (detection.kind) {
      case 'invalid':
        this.#invalid(detection.description.words);
        return;
      case 'robots-txt':
        this.#format = new RobotsTxt(this.#document, this.#baseOffset);
        this.#format.write(head.bytes);
        break;
      case 'pages-text':
        this.#format = new PlainText(this.#document, this.#baseOffset);
        this.#format.write(head.bytes);
        break;
      default:
        this.#startXml(detection, head.bytes);
    }
    this.#confirm();
  }

  #startXml({ kind, root }: Extract<Detection, { root: unknown }>, head: Uint8Array): void {
    const { problems } = this.#document;
    for (const { code, message, offset } of root.oddities)
      problems.add(code, message, this.#baseOffset + offset);
    const prolog = { ...root.prolog, rootOffset: this.#baseOffset + root.prolog.rootOffset };
    this.#format = new EntryScanner(this.#entryFormat(kind), problems, prolog);
    this.#format.write(head.subarray(root.prolog.rootOffset));
  }

  #entryFormat(kind: Extract<Detection, { root: unknown }>['kind']): EntryFormat {
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

  #confirm(): void {
    if (this.#kind === undefined && this.#format?.isConfirmed === true) this.#kind = this.#detection?.kind;
  }

  #invalid(words: string): void {
    this.#kind = 'invalid';
    this.#reason = `${this.#url ?? 'The document'} is not a sitemap or feed: it is ${words}.`;
  }
}
