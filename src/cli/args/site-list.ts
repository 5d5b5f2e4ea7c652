/** The list of sites of `usp crawl`: one URL or host per line, or a column of a CSV or TSV file. */
import { SeenUrls } from '../../parse/seen-urls.ts';
import { CsvReader, type CsvRow } from '../../text/csv-lines.ts';
import { clip } from '../../text/wording.ts';
import { shownUrl } from '../../url.ts';
import type { CliIO } from '../io.ts';
import { addressInList } from './option-values.ts';
import { columnMissing, columnNumber, indexOfColumn, LONGEST_ROW, textOf } from './row-text.ts';

export interface SiteListOptions {
  /** The name of a column, or its number from 1. */
  readonly column?: string | undefined;
  /** `false`: keep the path of each URL. */
  readonly normalize?: boolean | undefined;
}

const KEPT_BAD = 1_000;
/** Sites are kept as text in pieces of about this many characters: a million strings would be three times as large. */
const PIECE = 64 * 1024;

export class SiteList {
  readonly #pieces: Uint8Array[] = [];
  readonly bad: { readonly line: number; readonly why: string }[] = [];
  badCount = 0;
  size = 0;

  /** @throws UsageError where the list cannot be read */
  static async read(
    path: string,
    options: SiteListOptions,
    io: Pick<CliIO, 'stdin' | 'signal'>,
  ): Promise<SiteList> {
    const list = new SiteList();
    const seen = new SeenUrls();
    const encoder = new TextEncoder();
    let piece = '';
    const rows = options.column === undefined ? linesOf(path, io) : columnOf(path, options.column, io);
    for await (const { line, text, openUpTo } of rows) {
      if (openUpTo === undefined && (text === '' || text.startsWith('#'))) continue;
      const { site, why = '' } = openUpTo === undefined ? siteOf(text, options) : unclosed(openUpTo);
      if (site === undefined) {
        if (++list.badCount <= KEPT_BAD) list.bad.push({ line, why });
        continue;
      }
      if (!seen.add(site)) continue;
      list.size++;
      piece += `${site}\n`;
      if (piece.length < PIECE) continue;
      list.#pieces.push(encoder.encode(piece));
      piece = '';
    }
    if (piece !== '') list.#pieces.push(encoder.encode(piece));
    return list;
  }

  /** The sites that are wanted, in order; asked for each when its turn comes. */
  *sites(isWanted: (site: string) => boolean): Generator<string, void, undefined> {
    const decoder = new TextDecoder();
    for (const piece of this.#pieces) {
      for (const site of decoder.decode(piece).split('\n')) if (site !== '' && isWanted(site)) yield site;
    }
  }

  countOf(isWanted: (site: string) => boolean): number {
    let many = 0;
    for (const _ of this.sites(isWanted)) many++;
    return many;
  }
}

/** The site that a line names, or why it names none. */
function siteOf(text: string, { normalize }: SiteListOptions): { site?: string; why?: string } {
  const url = addressInList(text);
  if (url === undefined) return { why: `"${clip(text, 80)}" is not an http or https URL or a host` };
  // It would be in sites.ndjson, and in the queue.
  if (url.username !== '' || url.password !== '')
    return {
      why: `"${clip(shownUrl(text), 80)}" has a user or a password; -H sends an Authorization header`,
    };
  url.search = '';
  url.hash = '';
  if (normalize !== false) url.pathname = '/';
  else if (!url.pathname.endsWith('/')) url.pathname += '/';
  return { site: url.href };
}

/** Sites may be in the lines that it takes, so that it is not left out in silence. */
const unclosed = (line: number) => ({
  site: undefined,
  why: `it has a quote that is not closed up to line ${line}`,
});

interface Line extends Pick<CsvRow, 'line' | 'openUpTo'> {
  readonly text: string;
}

const LONGEST_LINE = 100_000;

async function* linesOf(
  path: string,
  io: Pick<CliIO, 'stdin' | 'signal'>,
): AsyncGenerator<Line, void, undefined> {
  let line = 1;
  let rest = '';
  for await (const piece of textOf(path, io)) {
    const lines = (rest + piece).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    for (const text of lines) yield { line: line++, text: text.trim() };
  }
  if (rest !== '') yield { line, text: rest.trim() };
}

async function* columnOf(
  path: string,
  column: string,
  io: Pick<CliIO, 'stdin' | 'signal'>,
): AsyncGenerator<Line, void, undefined> {
  let at = columnNumber(column);
  for await (const { line, cells, openUpTo } of rowsOf(path, io)) {
    if (at !== undefined) {
      yield { line, text: cells[at]?.trim() ?? '', openUpTo };
      continue;
    }
    at = indexOfColumn(cells, column);
    if (at === undefined) throw columnMissing(path, cells, column);
    if (openUpTo !== undefined) yield { line, text: '', openUpTo };
  }
}

async function* rowsOf(
  path: string,
  io: Pick<CliIO, 'stdin' | 'signal'>,
): AsyncGenerator<CsvRow, void, undefined> {
  const reader = new CsvReader(undefined, LONGEST_ROW);
  for await (const piece of textOf(path, io)) yield* reader.rows(piece);
  yield* reader.end();
}
