/**
 * The rows of `usp write`: CSV, TSV, NDJSON, JSON or a list of URLs, from a file or stdin. What they are is found out
 * from their beginning. A row that cannot be read costs that row.
 */
import { CsvReader, type CsvRow } from '../../text/csv-lines.ts';
import { JsonValues } from '../../text/json-values.ts';
import { clip, count, number } from '../../text/wording.ts';
import { UsageError } from '../endings.ts';
import type { CliIO } from '../io.ts';
import { type PageRow, pageOf, RowFields } from './row-fields.ts';
import { columnNumber, LONGEST_ROW, nameOfList, quotedNames, textOf } from './row-text.ts';

/** A row of an input. */
export interface InputRow {
  /** From 1, without the names of columns and without empty rows. */
  readonly row: number;
  /** The line that it starts in, from 1; of JSON it is not known. */
  readonly line?: number | undefined;
  readonly page?: PageRow | undefined;
  /** Why it cannot be read. */
  readonly refusal?: string | undefined;
  /** Why values of it are left out. */
  readonly leftOut?: readonly string[] | undefined;
}

export interface RowOptions {
  /** `--column FIELD=NAME` */
  readonly column?: readonly string[] | undefined;
}

interface RowReader {
  rows(text: string): Iterable<InputRow>;
  end(): Iterable<InputRow>;
}

/** Characters: the first line is held until it is whole. */
const LONGEST_FIRST_LINE = 1024 * 1024;
/** Characters of a value of JSON. */
const LONGEST_VALUE = 16 * 1024 * 1024;

/**
 * The rows of one input.
 *
 * @param onUnread - called with the name of a column that is not read, since `--column` names another one
 * @throws UsageError where it cannot be read, or has no column for the URL
 */
export async function* pageRows(
  path: string,
  { column = [] }: RowOptions,
  io: Pick<CliIO, 'stdin' | 'signal'>,
  onUnread: (name: string) => void,
): AsyncGenerator<InputRow, void, undefined> {
  const fields = new RowFields(column, onUnread);
  let reader: RowReader | undefined;
  let head = '';
  for await (const piece of textOf(path, io, { isOfRows: true })) {
    if (reader !== undefined) {
      yield* reader.rows(piece);
      continue;
    }
    head += piece;
    if (!head.trimStart().includes('\n') && head.length < LONGEST_FIRST_LINE) continue;
    reader = readerOf(path, head, fields);
    yield* reader.rows(head);
  }
  if (reader === undefined) {
    reader = readerOf(path, head, fields);
    yield* reader.rows(head);
  }
  yield* reader.end();
}

/** @throws UsageError for what is not rows */
function readerOf(path: string, head: string, fields: RowFields): RowReader {
  const name = nameOfList(path);
  const start = head.trimStart();
  const [first = ''] = start.split('\n', 1);
  if (start.startsWith('<'))
    throw new UsageError(`${name} is XML, and not rows.`, {
      hint: 'usp fix reads sitemaps, and writes repaired ones.',
    });
  const isLines = /\.(?:ndjson|jsonl)$/i.test(path);
  if (isLines || /^[[{]/.test(start) || /\.json$/i.test(path)) {
    fields.checkNames(name);
    return isLines || isRow(first) ? new JsonLineRows(fields) : new JsonRows(name, fields);
  }
  if (first.length >= LONGEST_FIRST_LINE)
    throw new UsageError(`The first line of ${name} has over a million characters: these are not rows.`);
  if (/\.(?:csv|tsv|tab)$/i.test(path) || fields.isChosen || hasColumns(first))
    return new CsvRows(path, fields);
  return new ListRows();
}

/** Whether a line is a row of NDJSON by itself. */
function isRow(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Whether a line is more than a URL: it has a tab, or a URL or a date in a cell behind it; or is no URL at all. */
function hasColumns(line: string): boolean {
  if (!isAddress(line)) return !line.startsWith('#');
  return /\t|[,;] *"?(?:https?:\/\/|\d{4}-\d\d(?:-\d\d|$|[,;"]))/i.test(line.trim());
}

function isAddress(text: string): boolean {
  return /^\s*["']?(?:https?:\/\/|\/)/i.test(text);
}

/** One URL per line; empty lines and comments are not rows. */
class ListRows implements RowReader {
  readonly #lines = new Lines();
  #row = 0;

  *rows(text: string): Generator<InputRow, void, undefined> {
    for (const { line, text: page } of this.#lines.take(text)) yield* this.#rowOf(line, page);
  }

  *end(): Generator<InputRow, void, undefined> {
    for (const { line, text: page } of this.#lines.end()) yield* this.#rowOf(line, page);
  }

  *#rowOf(line: number, page: string): Generator<InputRow, void, undefined> {
    if (page.startsWith('#')) return;
    this.#row++;
    if (page.length > LONGEST_ROW) yield { row: this.#row, line, refusal: TOO_LONG };
    else yield { row: this.#row, line, page };
  }
}

const TOO_LONG = `it has more than ${number(LONGEST_ROW)} characters`;

/** Lines without white space around them, but for those that are empty. A long one is kept up to its limit. */
class Lines {
  #line = 1;
  #rest = '';

  *take(
    text: string,
    longest: number = LONGEST_ROW,
  ): Generator<{ line: number; text: string }, void, undefined> {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const each of lines) {
      const trimmed = this.#withRest(each, longest).trim();
      this.#rest = '';
      if (trimmed !== '') yield { line: this.#line, text: trimmed };
      this.#line++;
    }
    this.#rest = this.#withRest(last, longest);
  }

  #withRest(text: string, longest: number): string {
    return this.#rest.length > longest ? this.#rest : this.#rest + text;
  }

  *end(): Generator<{ line: number; text: string }, void, undefined> {
    yield* this.take('\n');
  }
}

class JsonLineRows implements RowReader {
  readonly #lines = new Lines();
  readonly #fields: RowFields;
  #row = 0;

  constructor(fields: RowFields) {
    this.#fields = fields;
  }

  *rows(text: string): Generator<InputRow, void, undefined> {
    for (const { line, text: json } of this.#lines.take(text, LONGEST_VALUE))
      yield { row: ++this.#row, line, ...rowOfJson(json, this.#fields) };
  }

  *end(): Generator<InputRow, void, undefined> {
    for (const { line, text: json } of this.#lines.end())
      yield { row: ++this.#row, line, ...rowOfJson(json, this.#fields) };
  }
}

class JsonRows implements RowReader {
  readonly #values = new JsonValues();
  readonly #name: string;
  readonly #fields: RowFields;
  #row = 0;

  constructor(name: string, fields: RowFields) {
    this.#name = name;
    this.#fields = fields;
  }

  *rows(text: string): Generator<InputRow, void, undefined> {
    for (const json of this.#values.values(text))
      yield { row: ++this.#row, ...rowOfJson(json, this.#fields) };
    if (this.#values.waiting > LONGEST_VALUE)
      throw new UsageError(
        `Row ${number(this.#row + 1)} of ${this.#name} does not end: ` +
          'rows of JSON are a list of objects, or an object per line.',
      );
  }

  *end(): Generator<InputRow, void, undefined> {
    const { value, isCut } = this.#values.end();
    if (isCut)
      throw new UsageError(
        `${this.#name} ends inside of its JSON, after ${count(this.#row, 'row')}: it may be cut off.`,
      );
    if (value !== undefined) yield { row: ++this.#row, ...rowOfJson(value, this.#fields) };
  }
}

function rowOfJson(text: string, fields: RowFields): Omit<InputRow, 'row'> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refusal: `"${clip(text, 80)}" is not JSON` };
  }
  if (typeof value === 'string') return { page: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { refusal: `"${clip(text, 80)}" is neither an object nor a text` };
  return fields.ofObject(value);
}

/** Rows below the names of their columns. Where `--column` has only numbers, there may be no names. */
class CsvRows implements RowReader {
  readonly #csv = new CsvReader(undefined, LONGEST_ROW);
  readonly #path: string;
  readonly #fields: RowFields;
  /** The field of each column; undefined before the first row, and for a column that is not read. */
  #columns: readonly (string | undefined)[] | undefined;
  #hasNames = false;
  #row = 0;

  constructor(path: string, fields: RowFields) {
    this.#path = path;
    this.#fields = fields;
  }

  *rows(text: string): Generator<InputRow, void, undefined> {
    for (const row of this.#csv.rows(text)) yield* this.#rowOf(row);
  }

  *end(): Generator<InputRow, void, undefined> {
    for (const row of this.#csv.end()) yield* this.#rowOf(row);
  }

  *#rowOf({ line, cells, openUpTo, isCut }: CsvRow): Generator<InputRow, void, undefined> {
    const texts = cells.map((cell) => cell.trim());
    if (texts.every((text) => text === '')) return;
    const columns = this.#columns;
    if (columns === undefined) {
      this.#columns = this.#columnsOf(texts);
      if (this.#hasNames && openUpTo === undefined) return;
    }
    const row = ++this.#row;
    if (openUpTo !== undefined)
      yield { row, line, refusal: `it has a quote that is not closed up to line ${openUpTo}` };
    else if (isCut === true) yield { row, line, refusal: TOO_LONG };
    else yield { row, line, ...this.#page(texts, this.#columns ?? []) };
  }

  #page(texts: readonly string[], columns: readonly (string | undefined)[]): Omit<InputRow, 'row'> {
    const over = this.#hasNames ? texts.slice(columns.length).filter((text) => text !== '') : [];
    if (over.length > 0) {
      const [have, has] = [texts.length, columns.length].map(number);
      return {
        refusal: `it has ${have} cells, and the first line ${has}; a cell with a separator needs quotes`,
      };
    }
    const cells = columns.map((field, at) => [field, texts[at]] as const);
    return pageOf(cells.flatMap(([field, text]) => (field && text ? [[field, text]] : [])));
  }

  /** @throws UsageError where no column has the URL */
  #columnsOf(first: readonly string[]): readonly (string | undefined)[] {
    const { choices } = this.#fields;
    const url = choices.find(({ field }) => field === 'url');
    const urlAt = url === undefined ? undefined : columnNumber(url.name);
    const isNumbered = choices.every(({ name }) => columnNumber(name) !== undefined);
    if (isNumbered && urlAt !== undefined && isAddress(first[urlAt] ?? '')) {
      const most = Math.max(...choices.map(({ name }) => columnNumber(name)!)) + 1;
      const columns: (string | undefined)[] = Array(most).fill(undefined);
      return choices.reduce((all, { field, name }) => all.with(columnNumber(name)!, field), columns);
    }
    this.#hasNames = true;
    const { columns, hasUrl } = this.#fields.columnsOf(first, this.#path);
    if (hasUrl) return columns;
    const at = first.findIndex(isAddress);
    const name = nameOfList(this.#path);
    if (at !== -1)
      throw new UsageError(`The first line of ${name} has no names of columns.`, {
        hint: `--column url=${at + 1} reads the URLs of column ${at + 1}; --column lastmod=N others.`,
      });
    throw new UsageError(`${name} has no column "url" or "loc".`, {
      hint:
        `its first line has ${quotedNames(first)}; ` +
        '--column url=NAME says which has the URLs, by its name or its number.',
    });
  }
}
