/**
 * Reads documents for a tree: an index is parsed, a page document is only detected and kept as it is. Its pages are
 * parsed when somebody asks for them, which is cheaper than keeping them.
 */
import type { DocumentSink, OpenDocument } from '../fetch/document.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import type { Description } from '../parse/opening/describe.ts';
import type { Detection } from '../parse/opening/detect.ts';
import { type DocumentOptions, Opening } from '../parse/opening/opening.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import { DocumentPages } from '../sitemap/page-source.ts';
import type { Spool, SpoolWriter } from '../sitemap/spool/spool.ts';
import { Ending } from './ending.ts';
import { Entries, EntryAllowance } from './entry-allowance.ts';
import { EntryCounter } from './entry-counter.ts';
import { notASitemap } from './not-a-sitemap.ts';
import type { DocumentReader, IndexOutcome, Outcome } from './outcome.ts';

/** Reads documents into a spool. */
export class SpoolingReader implements DocumentReader {
  readonly #spool: Spool;
  readonly #onPages: ((count: number) => void) | undefined;
  readonly #allowance: EntryAllowance;

  /**
   * @param onPages - told how many entries went by: a count for people, taken without parsing
   * @param allowance - how many children of indexes are kept; all, where nothing is fetched
   */
  constructor(
    spool: Spool,
    onPages: ((count: number) => void) | undefined,
    allowance: EntryAllowance = new EntryAllowance(Number.POSITIVE_INFINITY),
  ) {
    this.#spool = spool;
    this.#onPages = onPages;
    this.#allowance = allowance;
  }

  async read(document: OpenDocument): Promise<Outcome> {
    const options = { url: document.url, charset: document.charset };
    try {
      const { sink, end } = await document.collect(
        () => new SpoolingSink(options, this.#spool, this.#onPages, this.#allowance),
      );
      return await sink.outcome({ ...end, url: document.url, status: document.status });
    } catch (error) {
      if (error instanceof Unreadable) return notASitemap(document.url, error.description);
      throw error;
    }
  }

  /** The same for bytes that are at hand already. */
  async readBytes(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options: DocumentOptions,
    problems: () => { readonly problems: readonly Problem[]; readonly truncated: boolean },
  ): Promise<Outcome> {
    const sink = new SpoolingSink(options, this.#spool, this.#onPages, this.#allowance);
    const url = options.url ?? 'The document';
    try {
      for await (const chunk of chunks) await sink.write(chunk);
      return await sink.outcome({ ...problems(), url });
    } catch (error) {
      sink.discard();
      if (error instanceof Unreadable) return notASitemap(url, error.description);
      throw error;
    }
  }
}

/** Thrown to stop a download that is of no use. */
class Unreadable extends Error {
  readonly description: Description;

  constructor(description: Description) {
    super(description.words);
    this.description = description;
  }
}

/** How a document ended, as fetching tells it. */
interface End {
  readonly url: string;
  readonly status?: number;
  readonly problems: readonly Problem[];
  readonly truncated: boolean;
}

class SpoolingSink implements DocumentSink {
  readonly #options: DocumentOptions;
  readonly #spool: Spool;
  readonly #onPages: ((count: number) => void) | undefined;
  #bytes = 0;
  #opening: Opening | undefined;
  #head: Uint8Array[] = [];
  #detection: Detection | undefined;
  #parser: DocumentParser | undefined;
  #writer: SpoolWriter | undefined;
  #counter: EntryCounter | undefined;
  readonly #ending = new Ending();
  readonly #entries: Entries;

  constructor(
    options: DocumentOptions,
    spool: Spool,
    onPages: ((count: number) => void) | undefined,
    allowance: EntryAllowance,
  ) {
    this.#entries = new Entries(allowance);
    this.#options = options;
    this.#spool = spool;
    this.#onPages = onPages;
    this.#opening = new Opening(options, new ProblemList());
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.length;
    if (this.#opening === undefined) {
      await this.#pass(chunk);
      return;
    }
    const opened = this.#opening.write(chunk);
    this.#head.push(chunk.slice());
    if (opened !== undefined) await this.#start(opened.detection);
  }

  async #start(detection: Detection): Promise<void> {
    this.#opening = undefined;
    this.#detection = detection;
    if (detection.kind === 'invalid') throw new Unreadable(detection.description);
    if (detection.kind === 'robots-txt' || detection.kind === 'index-xml') {
      this.#parser = new DocumentParser(this.#options);
    } else {
      this.#writer = this.#spool.writer();
      if (this.#onPages !== undefined) this.#counter = new EntryCounter(detection.kind);
    }
    for (const chunk of this.#head) await this.#pass(chunk);
    this.#head = [];
  }

  async #pass(chunk: Uint8Array): Promise<void> {
    if (this.#parser !== undefined) {
      this.#parser.write(chunk);
      this.#entries.add(this.#parser.takeSitemaps());
    }
    if (this.#writer === undefined) return;
    if (this.#counter !== undefined) this.#onPages?.(this.#counter.write(chunk));
    this.#ending.write(chunk);
    await this.#writer.write(chunk);
  }

  discard(): void {
    this.#writer?.discard();
    this.#writer = undefined;
    this.#entries.discard();
  }

  async outcome(end: End): Promise<Outcome> {
    if (this.#opening !== undefined) await this.#start(this.#opening.end().detection);
    const kind = this.#detection?.kind;
    if (this.#parser !== undefined && (kind === 'robots-txt' || kind === 'index-xml')) {
      this.#parser.end(end.truncated);
      this.#entries.add(this.#parser.takeSitemaps());
      return {
        ...indexOutcome(kind, this.#parser, this.#entries, end),
        bytes: this.#bytes,
        status: end.status,
      };
    }
    if (
      this.#writer === undefined ||
      kind === undefined ||
      kind === 'invalid' ||
      kind === 'robots-txt' ||
      kind === 'index-xml'
    ) {
      throw new TypeError('A document is kept or parsed before it ends.');
    }
    const pages = new DocumentPages(await this.#writer.end(), this.#options, end.truncated);
    if (this.#detection?.kind === 'pages-text' && !this.#detection.isConfirmed && pages.pageCount === 0) {
      return notASitemap(end.url, this.#detection.otherwise);
    }
    const truncated = end.truncated || (kind !== 'pages-text' && (await this.#ending.isMissing(pages)));
    const { url, problems } = end;
    return {
      type: 'pages',
      kind,
      pages,
      url,
      redirected: false,
      problems,
      problemCount: problems.length,
      truncated,
      bytes: this.#bytes,
      status: end.status,
    };
  }
}

function indexOutcome(
  kind: 'robots-txt' | 'index-xml',
  parser: DocumentParser,
  entries: Entries,
  end: End,
): IndexOutcome {
  return {
    type: 'index',
    kind,
    entries: entries.kept,
    leftOut: entries.leftOut,
    url: end.url,
    redirected: false,
    problems: [...end.problems, ...parser.problems],
    problemCount: end.problems.length + parser.problemCount,
    truncated: end.truncated || parser.truncated,
  };
}
