/**
 * Where a tree puts the bytes of one attempt at a document. The first bytes tell what it is; from then on it is kept as
 * it is, behind the head of its response, and an index is parsed, too. The pages of a page document are parsed when
 * they are asked for, which is cheaper than keeping them.
 */

import type { ResponseFacts } from '../fetch/client/web-client.ts';
import type { DocumentEnd, DocumentSink } from '../fetch/document.ts';
import type { Description, Detection } from '../parse/detection/detect.ts';
import { type DocumentOptions, DocumentStart } from '../parse/detection/document-start.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import type { PagesSitemapKind } from '../parse/model/kinds.ts';
import { ProblemList } from '../problems/problem-list.ts';
import type { StopSignal } from '../runtime/abort.ts';
import { crc32 } from '../runtime/checksum.ts';
import type { KeptDocument, TruncatedBy } from '../sitemap/kept-document.ts';
import { DocumentPages, type PageSource } from '../sitemap/page-source.ts';
import type { Spool, SpoolWriter } from '../sitemap/spool/spool.ts';
import {
  type IndexKind,
  type IndexOutcome,
  notASitemap,
  type Outcome,
  type PagesOutcome,
} from './outcome.ts';
import { Entries, type EntryAllowance, ListedAsPages } from './reader.ts';
import { headBytes } from './response-head.ts';

/** Thrown to stop a download that is of no use. */
export class NotASitemap extends Error {
  override readonly name = 'NotASitemap';
  readonly description: Description;

  constructor(description: Description) {
    super(description.words);
    this.description = description;
  }
}

export interface SinkContext {
  readonly spool: Spool;
  /** Counts the entries of page documents as they arrive, for progress; absent where progress is not watched. */
  readonly onPages: ((count: number) => void) | undefined;
  readonly allowance: EntryAllowance;
  /** Whether problems get a line and a column. @default false */
  readonly problemPositions?: boolean;
  /** Whether pages are read for the sitemaps among them. @default false */
  readonly followsListed?: boolean;
}

/** The sitemaps that a document lists as pages, where these are wanted: all of it is parsed for that. */
export async function listedAsPages(
  { followsListed = false, allowance }: SinkContext,
  { kind, url }: Pick<PagesOutcome, 'kind' | 'url'>,
  pages: PageSource,
  deadline?: StopSignal,
): Promise<Pick<PagesOutcome, 'listed'>> {
  if (!followsListed || kind !== 'pages-xml') return {};
  const listed = new ListedAsPages(url, allowance);
  for await (const batch of pages.batchesAsync(deadline)) listed.add(batch);
  return { listed: listed.sitemaps };
}

export interface DocumentEnding extends DocumentEnd {
  readonly url: string;
  /** The HTTP status, where it was fetched. */
  readonly status?: number;
}

type State =
  | { readonly step: 'start'; readonly start: DocumentStart; readonly head: Uint8Array[] }
  | {
      readonly step: 'index';
      readonly kind: IndexKind;
      readonly writer: SpoolWriter;
      readonly parser: DocumentParser;
      readonly entries: Entries;
    }
  | {
      readonly step: 'pages';
      readonly kind: PagesSitemapKind;
      /** What a text without a URL in its first lines is, should it have no pages. */
      readonly otherwise: Description | undefined;
      readonly writer: SpoolWriter;
      readonly ending: DocumentTail;
      readonly counter: EntryCounter | undefined;
    };

export class SpoolingSink implements DocumentSink {
  #options: DocumentOptions;
  readonly #context: SinkContext;
  readonly #response: ResponseFacts | undefined;
  #state: State;
  #bytes = 0;
  #crc32 = 0;

  /** @param response - that the document came with; absent where it was not fetched */
  constructor(options: DocumentOptions, context: SinkContext, response?: ResponseFacts) {
    this.#options = options;
    this.#context = context;
    this.#response = response;
    this.#state = { step: 'start', start: new DocumentStart(options, new ProblemList()), head: [] };
  }

  /** @throws NotASitemap as soon as that is clear */
  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#crc32 = crc32(chunk, this.#crc32);
    this.#take(chunk);
  }

  #take(chunk: Uint8Array): void {
    const state = this.#state;
    switch (state.step) {
      case 'start': {
        const detected = state.start.write(chunk);
        // A copy: the chunk may be written to again. Not `slice`, which shares the bytes of a Buffer.
        state.head.push(new Uint8Array(chunk));
        if (detected !== undefined) this.#open(detected.detection, state.head, 'unspecified');
        return;
      }
      case 'index':
        state.parser.write(chunk);
        state.entries.add(state.parser.takeSitemaps());
        state.writer.write(chunk);
        return;
      case 'pages':
        if (state.counter !== undefined) this.#context.onPages?.(state.counter.write(chunk));
        state.ending.write(chunk);
        state.writer.write(chunk);
        return;
    }
  }

  /** @param truncatedBy - what cut the document after its head, if anything did */
  #open(detection: Detection, head: readonly Uint8Array[], truncatedBy?: TruncatedBy): void {
    if (detection.kind === 'invalid') {
      this.#keepRefused(head, truncatedBy);
      throw new NotASitemap(detection.description);
    }
    this.#state = this.#stateOf(detection);
    for (const chunk of head) this.#take(chunk);
  }

  #keepRefused(head: readonly Uint8Array[], truncatedBy: TruncatedBy | undefined): void {
    if (this.#response === undefined) return;
    const writer = this.#writer();
    for (const chunk of head) writer.write(chunk);
    this.#context.spool.addResponse(
      writer.end({ options: this.#options, requestedAt: this.#response.requestedAt, truncatedBy }),
    );
  }

  #stateOf(detection: Exclude<Detection, { readonly kind: 'invalid' }>): State {
    const { isForRobots, ...options } = this.#options;
    // From now on it is read as what it is, whatever its URL says: from the spool, and from an archive.
    if (isForRobots === true) {
      this.#options = detection.kind === 'robots-txt' ? { ...options, isRobotsPath: true } : options;
    }
    switch (detection.kind) {
      case 'robots-txt':
      case 'index-xml': {
        const parser = new DocumentParser(this.#options);
        const entries = new Entries(this.#context.allowance);
        return { step: 'index', kind: detection.kind, writer: this.#writer(), parser, entries };
      }
      default: {
        const counter = this.#context.onPages === undefined ? undefined : new EntryCounter(detection.kind);
        const writer = this.#writer();
        const isUnsure = detection.kind === 'pages-text' && !detection.isConfirmed;
        const otherwise = isUnsure ? detection.otherwise : undefined;
        const root = detection.kind === 'pages-text' ? undefined : detection.root.writtenName;
        return {
          step: 'pages',
          kind: detection.kind,
          otherwise,
          writer,
          ending: new DocumentTail(root),
          counter,
        };
      }
    }
  }

  /** Starts what is kept: the head of the response comes first. */
  #writer(): SpoolWriter {
    return this.#context.spool.writer(this.#response && headBytes(this.#response));
  }

  #endSpooling(writer: SpoolWriter, end: DocumentEnding): KeptDocument {
    const requestedAt = this.#response?.requestedAt;
    return writer.end({ options: this.#options, requestedAt, truncatedBy: truncatedByOf(end) });
  }

  /** Removes what was written: another attempt was better, or the call is over. */
  discard(): void {
    if (this.#state.step === 'index') this.#state.entries.discard();
    if (this.#state.step !== 'start') this.#state.writer.discard();
  }

  /**
   * What the document is, now that all of it was written.
   *
   * @throws NotASitemap where it is not a sitemap; the deadline's reason where that came first
   */
  async outcome(end: DocumentEnding, deadline?: StopSignal): Promise<Outcome> {
    if (this.#state.step === 'start') {
      const { start, head } = this.#state;
      const { detection } = start.end();
      // Too little arrived to tell what it is.
      if (detection.kind === 'invalid' && end.truncated) deadline?.throwIfAborted();
      this.#open(detection, head, truncatedByOf(end));
    }
    const state = this.#state;
    switch (state.step) {
      case 'index':
        return { ...indexOutcome(state, end), ...this.#facts(this.#endSpooling(state.writer, end)) };
      case 'pages':
        return this.#pagesOutcome(state, end, deadline);
      default:
        throw new TypeError(`A document has no outcome while it is ${state.step}.`);
    }
  }

  #facts(document: KeptDocument): Pick<IndexOutcome, 'bytes' | 'crc32' | 'facts'> {
    return { bytes: this.#bytes, crc32: this.#crc32, facts: { document } };
  }

  async #pagesOutcome(
    { kind, otherwise, writer, ending }: Extract<State, { step: 'pages' }>,
    end: DocumentEnding,
    deadline: StopSignal | undefined,
  ): Promise<Outcome> {
    const { url, status, problems, truncated } = end;
    const document = this.#endSpooling(writer, end);
    const pages = new DocumentPages(document);
    if (otherwise !== undefined && !(await hasPages(pages, deadline))) {
      if (this.#response !== undefined) this.#context.spool.addResponse(document);
      return notASitemap(url, otherwise);
    }
    return {
      type: 'pages',
      kind,
      pages,
      url,
      status,
      ...this.#facts(document),
      problems,
      problemCount: problems.length,
      truncated: truncated || (kind !== 'pages-text' && (await ending.isMissing(pages, deadline))),
      ...(await listedAsPages(this.#context, { kind, url }, pages, deadline)),
    };
  }
}

function truncatedByOf({ truncated, problems }: DocumentEnding): TruncatedBy | undefined {
  if (!truncated) return undefined;
  const codes = new Set(problems.map(({ code }) => code));
  if (codes.has('too-large')) return 'length';
  return codes.has('connection-broke') || codes.has('changed-on-retry') ? 'disconnect' : 'unspecified';
}

async function hasPages(pages: DocumentPages, deadline: StopSignal | undefined): Promise<boolean> {
  for await (const _ of pages.batchesAsync(deadline)) return true;
  return false;
}

function indexOutcome(
  { kind, parser, entries }: Extract<State, { step: 'index' }>,
  end: DocumentEnding,
): IndexOutcome {
  parser.end(end.truncated);
  entries.add(parser.takeSitemaps());
  return {
    type: 'index',
    kind,
    entries: entries.kept,
    leftOut: entries.leftOut,
    url: end.url,
    status: end.status,
    problems: [...end.problems, ...parser.problems],
    problemCount: end.problems.length + parser.problemCount,
    truncated: end.truncated || parser.truncated,
  };
}

/**
 * Whether a document that is kept unparsed is complete. A server that gives up in the middle may still send a length
 * that fits what it sent; then only the document itself shows that something is missing.
 */
const TAIL_BYTES = 1024;

/** A closing tag that only comments follow. */
const LAST_CLOSING_TAG = /<\/([^\s<>/]+)\s*>(?:\s|<!--(?:(?!-->)[\s\S])*-->)*$/;

/** What the end of a root may be hidden in: one that is never closed takes the rest of the document. */
const SECTIONS: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
const LONGEST_START = '<![CDATA['.length;

class DocumentTail {
  /** The name of the root, as written. */
  readonly #root: string | undefined;
  #tail = Buffer.alloc(0);
  /** Whether the last section of each sort in front of the tail may be open. */
  readonly #isOpen = SECTIONS.map(() => false);

  constructor(root: string | undefined) {
    this.#root = root;
  }

  write(chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#tail, chunk]);
    const passed = Math.max(0, bytes.length - TAIL_BYTES);
    if (passed > 0) this.#pass(bytes.subarray(0, passed + LONGEST_START - 1));
    this.#tail = bytes.subarray(passed);
  }

  #pass(bytes: Buffer): void {
    for (const [at, [start, end]] of SECTIONS.entries()) {
      const last = lastIndexOfStart(bytes, start);
      if (last !== -1) this.#isOpen[at] = !bytes.includes(end, last + start.length);
      else if (this.#isOpen[at]) this.#isOpen[at] = !bytes.includes(end);
    }
  }

  /**
   * Whether its end is missing, as the parser finds it: a document that ends with the end of its root is complete.
   * Where the last bytes do not prove that (no root, UTF-16, an open comment, truncated), the document is parsed.
   */
  async isMissing(pages: DocumentPages, deadline?: StopSignal): Promise<boolean> {
    if (this.#endsWithRoot()) return false;
    for await (const _ of pages.batchesAsync(deadline));
    return pages.summary.truncated;
  }

  #endsWithRoot(): boolean {
    const match = LAST_CLOSING_TAG.exec(this.#tail.toString('latin1'));
    if (match === null || match[1] !== this.#root) return false;
    this.#pass(this.#tail.subarray(0, match.index));
    return !this.#isOpen.includes(true);
  }
}

/** Like `lastIndexOf`, which looks for the last byte of a text first: "-" is in most URLs, and "!" in few. */
function lastIndexOfStart(bytes: Buffer, start: string): number {
  const mark = start.slice(0, 2);
  let at = bytes.lastIndexOf(mark);
  while (at > 0 && bytes.toString('latin1', at, at + start.length) !== start)
    at = bytes.lastIndexOf(mark, at - 1);
  return at > 0 || bytes.toString('latin1', 0, start.length) === start ? at : -1;
}

/**
 * How many entries a page document has, counted as it arrives. A tree keeps it unparsed, but progress shows a number:
 * closing tags (or lines) are counted, also those that lie across two chunks.
 */

const CLOSING: Readonly<Record<PagesSitemapKind, string>> = {
  'pages-xml': '</url>',
  'pages-rss': '</item>',
  'pages-atom': '</entry>',
  'pages-text': '\n',
};

export class EntryCounter {
  readonly #closing: string;
  /** The last bytes, which may be the beginning of a closing tag. */
  #tail = Buffer.alloc(0);

  constructor(kind: PagesSitemapKind) {
    this.#closing = CLOSING[kind];
  }

  write(chunk: Uint8Array): number {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const most = this.#closing.length - 1;
    // Too short for a whole one on either side: what is found in it lies across the border.
    const border = Buffer.concat([this.#tail, bytes.subarray(0, most)]);
    const last = bytes.length < most ? border : bytes;
    // A copy: the chunk is not ours to keep.
    this.#tail = Buffer.from(last.subarray(Math.max(0, last.length - most)));
    return this.#in(bytes) + this.#in(border);
  }

  #in(bytes: Buffer): number {
    let count = 0;
    for (let at = bytes.indexOf(this.#closing); at !== -1; at = bytes.indexOf(this.#closing, at + 1)) count++;
    return count;
  }
}
