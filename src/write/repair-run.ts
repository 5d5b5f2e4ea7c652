/** The second reading of a repair: every page is judged, and written where a strategy puts it. */
import { pieces } from '../parse/given-input.ts';
import { FairShare } from '../runtime/time.ts';
import { documentKey } from '../url.ts';
import type { BestDated } from './best-dated.ts';
import { judged, type Opinions } from './opinions.ts';
import { type PageRepair, type PlacedPage, type Repair, RepairReader } from './repair.ts';
import type { RepairedFile, RepairStrategy, StrategyOptions } from './repaired-files.ts';
import type { SourceDocument, SourceDocuments } from './source-documents.ts';
import type { WriteProblem } from './writable-page.ts';

export interface RepairResult {
  readonly files: readonly RepairedFile[];
  readonly pagesRead: number;
  readonly pagesWritten: number;
  /** Sitemaps among pages, and pages among sitemaps, which are not read: a sentence for each document. */
  readonly unfollowed: readonly string[];
  /** The addresses for the `Sitemap:` lines that no robots.txt has yet. */
  readonly robots: readonly string[];
  /** Errors by the rules of a check that were written all the same, since only the site knows what is right. */
  readonly left: readonly ErrorLeft[];
}

interface ErrorLeft {
  readonly rule: 'page-blocked';
  readonly count: number;
  /** The first page. */
  readonly page: string;
}

export interface RepairRunOptions {
  readonly baseUrl?: string | undefined;
  readonly opinions: Opinions;
  readonly signal?: AbortSignal | undefined;
  /** Which of repeated pages are written, if not all. */
  readonly best: BestDated | undefined;
  readonly strategy: (callbacks: Pick<StrategyOptions, 'onProblem' | 'onRepair'>) => RepairStrategy;
}

/** Yields what was repaired, as it is found. The set is to be committed then. */
export class RepairRun implements AsyncIterable<readonly Repair[]> {
  readonly #sources: SourceDocuments;
  readonly #options: RepairRunOptions;
  readonly #strategy: RepairStrategy;
  readonly #share = new FairShare();
  readonly #unfollowed: string[] = [];
  readonly #blocked = { rule: 'page-blocked' as const, count: 0, page: '' };
  #repairs: Repair[] = [];
  /** What the writer says is about the page that was added last. */
  #onProblem: (problem: WriteProblem) => void = () => {};
  #pagesRead = 0;

  constructor(sources: SourceDocuments, options: RepairRunOptions) {
    this.#sources = sources;
    this.#options = options;
    this.#strategy = options.strategy({
      onProblem: (problem) => this.#onProblem(problem),
      onRepair: (repair) => this.#add(repair),
    });
  }

  /** {@link RepairStrategy.isKept} */
  readonly isKept = (name: string): boolean => this.#strategy.isKept(name);

  get result(): RepairResult {
    const { files } = this.#strategy;
    const { baseUrl } = this.#options;
    const declared = this.#sources.declaredKeys;
    const addresses = files.tops.flatMap(({ url }) => url ?? []);
    return {
      files: files.all,
      pagesRead: this.#pagesRead,
      pagesWritten: files.sitemaps.reduce((sum, { pages }) => sum + pages, 0),
      unfollowed: this.#unfollowed,
      robots: addresses.filter((url) => baseUrl !== undefined || !declared.has(documentKey(url))),
      left: this.#blocked.count === 0 ? [] : [this.#blocked],
    };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Repair[], void, undefined> {
    for (const source of this.#sources.all) yield* this.#document(source);
    await this.#strategy.end();
    yield this.#take();
  }

  async *#document(source: SourceDocument): AsyncGenerator<readonly Repair[], void, undefined> {
    const { name, document, sitemap } = source;
    const reader = new RepairReader({ name, options: document.options }, (repair) => this.#add(repair));
    for await (const chunk of document.chunksAsync()) {
      for (const piece of pieces(chunk)) {
        await this.#pages(reader, reader.write(piece), source);
        yield this.#take();
        if (this.#share.isUsedUp) await this.#share.turn();
        this.#options.signal?.throwIfAborted();
      }
    }
    const isCut = document.truncatedBy !== undefined;
    // The reader itself reports a document that is cut.
    for (const { code, message } of isCut ? [] : sitemap.problems)
      if (code === 'bad-checksum' || code.startsWith('gzip-'))
        this.#add({ action: 'changed', rule: code, message, document: name });
    await this.#pages(reader, reader.end(isCut), source);
    await this.#strategy.endDocument(source, reader.kind === 'index-xml' ? reader.entries : undefined);
    yield this.#take();
  }

  async #pages(reader: RepairReader, pages: readonly PlacedPage[], source: SourceDocument): Promise<void> {
    const { opinions, best } = this.#options;
    for (const placed of pages) {
      this.#pagesRead++;
      const tell = ({ action, rule, message }: PageRepair): void =>
        reader.report(action, rule, message, placed);
      const page = judged(placed.page, opinions, tell);
      if (page === undefined) continue;
      const repeated = best?.reasonToDrop(page);
      if (repeated !== undefined) {
        tell(repeated);
        continue;
      }
      let isWritten = true;
      this.#onProblem = ({ code, message, dropped }) => {
        if (dropped === 'page') isWritten = false;
        tell({ action: dropped === 'page' ? 'dropped' : 'changed', rule: code, message });
      };
      const wait = this.#strategy.groupOf(source, page).add(page);
      if (wait !== undefined) await wait;
      if (isWritten && opinions.blocked?.(page.url) !== undefined && this.#blocked.count++ === 0)
        this.#blocked.page = page.url;
    }
  }

  #add(repair: Repair): void {
    this.#repairs.push(repair);
    if (repair.rule === 'other-entry-kind') this.#unfollowed.push(`${repair.document}: ${repair.message}`);
  }

  #take(): readonly Repair[] {
    const repairs = this.#repairs;
    this.#repairs = [];
    // What the parser says of some entries comes before what is done about them.
    return repairs.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  }
}
