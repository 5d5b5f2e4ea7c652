/** NDJSON as bytes → lines, and a PageSource that reads pages from such lines. */
import { SitemapException } from '../../errors.ts';
import type { SitemapPage, SitemapPageJSON } from '../../parse/model/page.ts';
import type { Problem } from '../../problems/problem-list.ts';
import { pageFromJSON } from '../page-json.ts';
import type { DocumentSummary, PageSource } from '../page-source.ts';
import type { SpooledDocument } from '../spool/spool.ts';

const NEWLINE = 0x0a;

/** No page needs as much; a file that claims so would only fill the memory. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Cuts bytes into lines. */
export class LineSplitter {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** The lines that are complete with this chunk, without their line ends. */
  write(chunk: Uint8Array): string[] {
    const last = chunk.lastIndexOf(NEWLINE);
    // What is kept is copied: a chunk holds only until the next one.
    this.#add(last === -1 ? chunk.slice() : chunk.subarray(0, last));
    if (last === -1) return [];
    const lines = this.#take().split('\n');
    this.#add(chunk.slice(last + 1));
    return lines;
  }

  /** What stands behind the last line end. */
  end(): string {
    return this.#take();
  }

  #add(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length > MAX_LINE_BYTES) {
      throw new SitemapException('A line is longer than any page.', { code: 'archive-damaged' });
    }
    if (bytes.length > 0) this.#parts.push(bytes);
  }

  #take(): string {
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#length = 0;
    return text;
  }
}

/** Pages that were saved: their lines are in a spool, and what is known of them came with them. */
export class ArchivedPages implements PageSource {
  readonly pageCount: number;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  readonly truncated: boolean;
  readonly #document: SpooledDocument;

  constructor(document: SpooledDocument, summary: DocumentSummary) {
    this.#document = document;
    this.pageCount = summary.pageCount;
    this.problems = Object.freeze([...summary.problems]);
    this.problemCount = summary.problemCount;
    this.truncated = summary.truncated;
  }

  *batches(): Generator<readonly SitemapPage[], void, undefined> {
    const splitter = new LineSplitter();
    for (const chunk of this.#document.chunks()) {
      // A line may be longer than a chunk.
      const lines = splitter.write(chunk);
      if (lines.length > 0) yield lines.map(pageOfLine);
    }
  }

  async *batchesAsync(): AsyncGenerator<readonly SitemapPage[], void, undefined> {
    const splitter = new LineSplitter();
    for await (const chunk of this.#document.chunksAsync()) {
      const lines = splitter.write(chunk);
      if (lines.length > 0) yield lines.map(pageOfLine);
    }
  }
}

// Every line was checked when the archive was loaded.
function pageOfLine(line: string): SitemapPage {
  const json: SitemapPageJSON = JSON.parse(line);
  return pageFromJSON(json);
}
