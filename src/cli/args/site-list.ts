/** The list of sites of `usp crawl`: one URL or host per line, or a column of a CSV or TSV file. */
import { createReadStream } from 'node:fs';
import { SeenUrls } from '../../index.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { shownUrl } from '../../url.ts';
import type { CliIO } from '../io.ts';
import { UsageError } from '../messages/endings.ts';
import { addressInList } from './address.ts';

interface TableRow {
  /** The line that the row starts in, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** No row of a list of sites is longer; a quote that is never closed must not take the rest of the file. */
const LONGEST_ROW = 1_000_000;

/**
 * Takes text in pieces, gives rows. The separator is a tab where the first line has one, else a comma or a semicolon.
 */
class TableReader {
  #separator: string | undefined;
  #line = 1;
  #rowLine = 1;
  #fields: string[] = [];
  #field = '';
  #length = 0;
  /** Whether it is inside quotes, or behind a quote that may end the field. */
  #state: 'plain' | 'quoted' | 'quote' = 'plain';

  *rows(text: string): Generator<TableRow, void, undefined> {
    this.#separator ??= separatorOf(text);
    for (const character of text) {
      if (character === '\n') this.#line++;
      const isTooLong = ++this.#length > LONGEST_ROW;
      if (this.#state === 'quoted' && !isTooLong) {
        if (character === '"') this.#state = 'quote';
        else this.#field += character;
        continue;
      }
      if (this.#state === 'quote' && character === '"') {
        this.#field += '"';
        this.#state = 'quoted';
        continue;
      }
      if (character === '"' && this.#field === '') this.#state = 'quoted';
      else if (character === this.#separator) this.#endField();
      else if (character === '\n') yield this.#endRow();
      else if (!isTooLong) this.#field += character;
    }
  }

  *end(): Generator<TableRow, void, undefined> {
    if (this.#length > 0) yield this.#endRow();
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#state = 'plain';
  }

  #endRow(): TableRow {
    this.#endField();
    const row = { line: this.#rowLine, fields: this.#fields.map((field) => field.trim()) };
    this.#fields = [];
    this.#rowLine = this.#line;
    this.#length = 0;
    return row;
  }
}

function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  if (first.includes('\t')) return '\t';
  return first.includes(',') || !first.includes(';') ? ',' : ';';
}

export interface SiteListOptions {
  /** The name of a column, or its number from 1. */
  readonly column?: string | undefined;
  /** `false`: keep the path of each URL. */
  readonly normalize?: boolean | undefined;
}

interface BadLine {
  readonly line: number;
  readonly why: string;
}

const KEPT_BAD = 1_000;
/** Sites are kept as text in pieces of about this many characters: a million strings would be three times as large. */
const PIECE = 64 * 1024;

export class SiteList {
  readonly #pieces: Uint8Array[] = [];
  readonly bad: BadLine[] = [];
  badCount = 0;
  size = 0;

  /** @throws UsageError where the list cannot be read */
  static async read(path: string, options: SiteListOptions, io: Pick<CliIO, 'stdin'>): Promise<SiteList> {
    const list = new SiteList();
    const encoder = new TextEncoder();
    let piece = '';
    for await (const entry of readSites(path, options, io)) {
      if ('why' in entry) {
        if (++list.badCount <= KEPT_BAD) list.bad.push(entry);
        continue;
      }
      list.size++;
      piece += `${entry.site}\n`;
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

async function* readSites(
  path: string,
  options: SiteListOptions,
  io: Pick<CliIO, 'stdin'>,
): AsyncGenerator<{ readonly site: string } | BadLine, void, undefined> {
  const seen = new SeenUrls();
  const rows = options.column === undefined ? linesOf(path, io) : columnOf(path, options.column, io);
  for await (const { line, text } of rows) {
    if (text === '' || text.startsWith('#')) continue;
    const entry = siteOf(text, line, options);
    if ('why' in entry || seen.add(entry.site)) yield entry;
  }
}

function siteOf(
  text: string,
  line: number,
  { normalize }: SiteListOptions,
): { readonly site: string } | BadLine {
  const url = addressInList(text);
  if (url === undefined) return { line, why: `"${shown(text)}" is not an http or https URL or a host` };
  // It would be in sites.ndjson, and in the queue.
  if (url.username !== '' || url.password !== '') {
    return {
      line,
      why: `"${shown(shownUrl(text))}" has a user or a password; -H sends an Authorization header`,
    };
  }
  url.search = '';
  url.hash = '';
  if (normalize !== false) url.pathname = '/';
  else if (!url.pathname.endsWith('/')) url.pathname += '/';
  return { site: url.href };
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

interface Line {
  readonly line: number;
  readonly text: string;
}

const LONGEST_LINE = 100_000;

async function* linesOf(path: string, io: Pick<CliIO, 'stdin'>): AsyncGenerator<Line, void, undefined> {
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
  io: Pick<CliIO, 'stdin'>,
): AsyncGenerator<Line, void, undefined> {
  let at = /^[1-9]\d*$/.test(column) ? Number(column) - 1 : undefined;
  for await (const { line, fields } of rowsOf(path, io)) {
    if (at !== undefined) {
      yield { line, text: fields[at] ?? '' };
      continue;
    }
    at = fields.findIndex((name) => name.toLowerCase() === column.toLowerCase());
    if (at !== -1) continue;
    const names = fields.map((name) => `"${shown(name)}"`).join(', ');
    throw new UsageError(`${nameOf(path)} has no column "${column}".`, {
      hint: `its first line has ${names}; a column can also be a number, from 1.`,
    });
  }
}

async function* rowsOf(path: string, io: Pick<CliIO, 'stdin'>): AsyncGenerator<TableRow, void, undefined> {
  const reader = new TableReader();
  for await (const piece of textOf(path, io)) yield* reader.rows(piece);
  yield* reader.end();
}

function nameOf(path: string): string {
  return path === '-' ? 'stdin' : path;
}

async function* textOf(path: string, io: Pick<CliIO, 'stdin'>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  try {
    const bytes: AsyncIterable<Uint8Array> = path === '-' ? io.stdin : createReadStream(path);
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${nameOf(path)} cannot be read: ${fileTrouble(cause, path)}.`, { cause });
  }
}
