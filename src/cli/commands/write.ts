/** `usp write`: rows of a file or stdin as a set of sitemaps in a folder. */
import { statSync } from 'node:fs';
import { SitemapException } from '../../index.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { count, number } from '../../text/wording.ts';
import { shownUrl } from '../../url.ts';
import { type WriteProblem, type WrittenSitemaps, writeSitemaps } from '../../write/index.ts';
import { type InputRow, pageRows } from '../args/page-rows.ts';
import type { PageRow } from '../args/row-fields.ts';
import { nameOfList } from '../args/row-text.ts';
import { EXIT, Interrupted, UsageError } from '../endings.ts';
import { distinctInputs } from '../input.ts';
import type { CommandIO, CommandRun, Reporter } from '../io.ts';
import { ListingOutput } from '../output/output.ts';
import { withHint } from '../output/set-errors.ts';
import { SetListing, ShownItems } from '../output/set-listing.ts';
import type { FlagsOf, Verbosity, WRITE } from '../program/flags.ts';
import { type ItemFormat, jsonDocument } from '../render/item-format.ts';

interface WriteOptions extends FlagsOf<typeof WRITE>, Verbosity {
  readonly output: string;
  readonly base: string;
  readonly format: 'text' | 'json';
}

export const write: CommandRun<readonly string[], WriteOptions> = async (texts, options, io, reporter) => {
  const { output, base, maxUrls, maxBytes, gzip, names, index, news, reciprocal, force } = options;
  const inputs = distinctInputs(texts);
  checkInputs(inputs, options);
  if (inputs.includes('-') && io.isTerminal.stdin)
    reporter.hint('reading rows from the terminal; Ctrl-D ends it.');
  const listingOutput = await ListingOutput.open({ format: options.format }, io);
  const listing: ProblemListing = new SetListing(problemFormat(options, listingOutput), listingOutput);
  const rows = new WrittenRows(inputs, options, listing, io, reporter);
  try {
    // Read twice, the rows of the first time are only noted.
    let pass = reciprocal === true ? 0 : 1;
    const result = await writeSitemaps(() => rows.pages({ isLast: pass++ > 0 }), output, {
      baseUrl: base,
      ...{ maxUrls, maxBytes, gzip, names, index, news, reciprocal, force },
      onProblem: (problem) => rows.note(problem),
      signal: io.signal,
    });
    await listing.finish({ ...rows.counts, directory: output, written: result });
    return EXIT.ok;
  } catch (error) {
    if (io.signal.aborted) throw new Interrupted(`interrupted; ${output} is as it was.`);
    const isStrict = error === rows.refusal;
    const isEmpty = error instanceof SitemapException && error.code === 'no-pages';
    if (!isStrict && !isEmpty) {
      // Half a document of JSON is of no use.
      if (options.format === 'text') await listing.print();
      throw withHint(error);
    }
    await listing.finish({ ...rows.counts, directory: output, written: undefined });
    if (isStrict) throw error;
    reporter.error(`there is no page to write; nothing was written, and ${output} is as it was.`);
    return EXIT.noneFound;
  }
};

/** @throws UsageError for what is not a file, before anything is read */
function checkInputs(inputs: readonly string[], { reciprocal, output, base }: WriteOptions): void {
  for (const input of inputs) {
    if (/^https?:\/\//i.test(input)) {
      const printable = shownUrl(input);
      throw new UsageError(`usp write takes files with rows, and ${printable} is a site.`, {
        hint: `usp ls ${printable} -f ndjson | usp write - -o ${output} --base ${base}`,
      });
    }
    const isOnce = input === '-' || !isRegular(input);
    if (isOnce && reciprocal === true)
      throw new UsageError(
        `--reciprocal reads the rows twice, and ${nameOfList(input)} can be read once: save the rows in a file.`,
      );
  }
}

/** Whether it is a file, and not a pipe or a device. */
function isRegular(path: string): boolean {
  try {
    const stats = statSync(path);
    if (!stats.isDirectory()) return stats.isFile();
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${fileTrouble(cause)}.`, { cause });
  }
  throw new UsageError(`${path} is a folder; name the files in it.`);
}

interface RowCounts {
  readonly rows: number;
  readonly refused: number;
}

/** The rows of all inputs on their way to the writer, which reports problems while it has one of them. */
class WrittenRows {
  /** What ends the writing with `--strict-rows`. */
  refusal: UsageError | undefined;
  readonly #inputs: readonly string[];
  readonly #options: WriteOptions;
  readonly #listing: ProblemListing;
  readonly #io: CommandIO;
  readonly #reporter: Reporter;
  #input = '';
  #row: InputRow | undefined;
  #rows = 0;
  #refusals = 0;

  constructor(
    inputs: readonly string[],
    options: WriteOptions,
    listing: ProblemListing,
    io: CommandIO,
    reporter: Reporter,
  ) {
    this.#inputs = inputs;
    this.#options = options;
    this.#listing = listing;
    this.#io = io;
    this.#reporter = reporter;
  }

  get counts(): RowCounts {
    return { rows: this.#rows, refused: this.#refusals };
  }

  /** @throws UsageError where an input cannot be read, and at the end if a row was refused and may not be */
  async *pages({ isLast }: { readonly isLast: boolean }): AsyncGenerator<PageRow, void, undefined> {
    for (const input of this.#inputs) {
      this.#input = nameOfList(input);
      const onUnread = (name: string): void => {
        if (isLast)
          this.#reporter.say(`${this.#input}: "${name}" is not read, since --column names another one.`);
      };
      for await (const row of pageRows(input, this.#options, this.#io, onUnread)) {
        if (isLast) this.#begin(row);
        if (row.page !== undefined) yield row.page;
        if (this.#listing.isWaiting) await this.#listing.print();
      }
    }
    this.#row = undefined;
    if (!isLast || this.#options.strictRows !== true || this.#refusals === 0) return;
    const are = this.#refusals === 1 ? 'is' : 'are';
    this.refusal = new UsageError(
      `${count(this.#refusals, 'row')} ${are} refused (--strict-rows); ${this.#options.output} is as it was.`,
    );
    throw this.refusal;
  }

  #begin(row: InputRow): void {
    this.#row = row;
    this.#rows++;
    const problem = { url: '', code: 'bad-row' } as const;
    if (row.refusal !== undefined)
      this.note({ ...problem, message: `${row.refusal}; it was left out.`, dropped: 'page' });
    for (const why of row.leftOut ?? [])
      this.note({ ...problem, code: 'bad-cell', message: `${why}.`, dropped: 'value' });
  }

  note({ code, message, url, dropped }: WriteProblem | RowProblem): void {
    if (dropped === 'page') this.#refusals++;
    const { row, line } = this.#row ?? {};
    // The writer counts all rows that it gets, of all inputs.
    const text = code === 'empty-loc' && dropped === 'page' ? 'it has no URL; it was left out.' : message;
    const place = row === undefined ? {} : { input: this.#input, row, line };
    this.#listing.add({ ...place, code, message: text, url: url === '' ? undefined : url, dropped });
  }
}

/** What is wrong with a row before it is a page. */
interface RowProblem extends Pick<WriteProblem, 'message' | 'url' | 'dropped'> {
  readonly code: 'bad-row' | 'bad-cell';
}

/** A problem with its place; of a field, there is none. */
interface PlacedProblem {
  readonly input?: string | undefined;
  readonly row?: number | undefined;
  readonly line?: number | undefined;
  readonly code: string;
  readonly message: string;
  readonly url: string | undefined;
  readonly dropped: 'page' | 'value' | undefined;
}

interface WriteSummary extends RowCounts {
  readonly directory: string;
  /** Undefined where nothing was written. */
  readonly written: WrittenSitemaps | undefined;
}

/** Problems of a code that text shows: those of what is missing, and those of what was repaired. */
const MOST_DROPPED = 100;
const MOST_REPAIRED = 10;

/** Prints problems as they are found, and what was written. */
type ProblemListing = SetListing<PlacedProblem, WriteSummary>;

function problemFormat(
  options: WriteOptions,
  output: ListingOutput,
): ItemFormat<PlacedProblem, void, WriteSummary> {
  const counts = new Map<string, number>();
  const shownItems = new ShownItems(options);
  const format: ItemFormat<PlacedProblem, void, WriteSummary> =
    options.format === 'json'
      ? jsonDocument(
          'problems',
          (problem) => problem,
          (summary) => jsonSummary(summary, counts),
        )
      : {
          item: (problem) => {
            const most = problem.dropped === undefined ? MOST_REPAIRED : MOST_DROPPED;
            return shownItems.isShown(problem.code, most) ? problemLine(problem, output) : '';
          },
          end: (summary) =>
            textSummary(summary, { isAnyProblem: counts.size > 0, hidden: shownItems.hidden }),
        };
  return {
    ...format,
    item(problem) {
      counts.set(problem.code, (counts.get(problem.code) ?? 0) + 1);
      return format.item(problem);
    },
  };
}

function problemLine(
  { input, row, line, code, message, url, dropped }: PlacedProblem,
  output: ListingOutput,
): string {
  const place =
    row === undefined ? '' : `${input}, row ${number(row)}${line ? `, line ${number(line)}` : ''}: `;
  const about = url === undefined || row === undefined || message.includes(url) ? '' : ` (${url})`;
  const what = dropped === 'page' ? output.paint('red', 'refused: ') : '';
  return `${place}${what}${message}${about}  ${output.paint('dim', code)}\n`;
}

function jsonSummary(
  { rows, refused, directory, written }: WriteSummary,
  counts: ReadonlyMap<string, number>,
): object {
  const { url, pages = 0, files = [], removed = [] } = written ?? {};
  return { problemCounts: Object.fromEntries(counts), directory, rows, refused, pages, url, files, removed };
}

function textSummary(
  { rows, refused, directory, written }: WriteSummary,
  { isAnyProblem, hidden }: { readonly isAnyProblem: boolean; readonly hidden: ReadonlyMap<string, number> },
): string {
  const lines: string[] = [];
  for (const [code, times] of hidden)
    lines.push(`${count(times, 'more problem')} of code ${code}: --all shows all of them.`);
  if (written === undefined) return lines.map((line) => `${line}\n`).join('');
  const { url, pages, files, removed } = written;
  if (isAnyProblem) lines.push('');
  const refusals = refused === 0 ? '' : ` ${number(refused)} refused.`;
  lines.push(
    `${directory}: ${count(pages, 'page')} of ${count(rows, 'row')} in ${count(files.length, 'file')}.${refusals}`,
  );
  for (const { name, entries, state } of files) {
    const what = files.length > 1 && url.endsWith(`/${name}`) ? 'index' : count(entries, 'page');
    lines.push(`  ${name}  ${what}${state === 'unchanged' ? ', unchanged' : ''}`);
  }
  for (const name of removed) lines.push(`  ${name}  removed: an earlier run wrote it`);
  lines.push('', 'For robots.txt:', `Sitemap: ${url}`);
  return `${lines.join('\n')}\n`;
}
