/** Rows as CSV (RFC 4180): one writer for listings, changes, findings and the parts of a crawl, and one reader. */

export type CsvCell = string | number | boolean | null | undefined;

/** What makes a cell a formula to a spreadsheet; some read the wide forms of these signs too. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

export type CsvSeparator = ',' | ';' | '\t';

/** Spreadsheets take a file that begins with it for UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

/** What a cell cannot have without quotes. */
const IN_QUOTES: Readonly<Record<CsvSeparator, RegExp>> = {
  ',': /[",\r\n]/,
  ';': /[";\r\n]/,
  '\t': /["\t\r\n]/,
};

/** Each row with its line break. @param isRaw - whether formulas stay what they are; else each gets a `'` in front */
export function csvLines(
  rows: readonly (readonly CsvCell[])[],
  isRaw = false,
  separator: CsvSeparator = ',',
): string {
  return rows.map((row) => csvLine(row, isRaw, separator)).join('');
}

export function csvLine(row: readonly CsvCell[], isRaw = false, separator: CsvSeparator = ','): string {
  return `${row.map((cell) => cellText(cell, isRaw, IN_QUOTES[separator])).join(separator)}\n`;
}

function cellText(value: CsvCell, isRaw: boolean, inQuotes: RegExp): string {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = !isRaw && FORMULA.test(value) ? `'${value}` : value;
  return inQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export interface CsvRow {
  /** The line that the row starts in, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** If a quote in the row is never closed: the line that the row was ended in, which may be too late. */
  readonly openUpTo?: number | undefined;
  /** It is longer than a row may be: the end of it is not in the cells. */
  readonly isCut?: boolean | undefined;
}

/**
 * Takes text in pieces, gives rows. Where no separator is given, the first row that is not empty decides: a tab if it
 * has one, else the more frequent one of comma and semicolon, outside of quotes. A first row without any is one column.
 */
export class CsvReader {
  #separator: string | undefined;
  /** The first row, until it is complete and decides about the separator. */
  #first = '';
  readonly #longest: number;
  #line = 1;
  #rowLine = 1;
  #cells: string[] = [];
  #cell = '';
  #length = 0;
  #isOpen = false;
  /** Whether it is inside quotes, or behind a quote that may end the cell. */
  #state: 'plain' | 'quoted' | 'quote' = 'plain';

  /** @param longest - most characters of a row: a quote that is never closed must not take the rest of a file */
  constructor(separator?: string, longest: number = Number.POSITIVE_INFINITY) {
    this.#separator = separator;
    this.#longest = longest;
  }

  *rows(text: string): Generator<CsvRow, void, undefined> {
    if (this.#separator === undefined) {
      this.#first += text;
      if (!unquoted(this.#first).trimStart().includes('\n') && this.#first.length < LONGEST_FIRST_ROW) return;
      yield* this.#decided();
    } else yield* this.#rows(text);
  }

  *#decided(): Generator<CsvRow, void, undefined> {
    const text = this.#first;
    this.#first = '';
    this.#separator = separatorOf(text);
    yield* this.#rows(text);
  }

  *#rows(text: string): Generator<CsvRow, void, undefined> {
    for (const piece of text.split(/(["\n\t,;])/)) {
      if (piece === '\n') this.#line++;
      this.#length += piece.length;
      const isTooLong = this.#length > this.#longest;
      if (this.#state === 'quoted' && !isTooLong) {
        if (piece === '"') this.#state = 'quote';
        else this.#cell += piece;
      } else if (this.#state === 'quote' && piece === '"') {
        this.#cell += piece;
        this.#state = 'quoted';
      } else if (piece === '"' && this.#cell === '') this.#state = 'quoted';
      else if (piece === this.#separator) this.#endCell();
      else if (piece === '\n') {
        // The line break is not a part of the row that it ends.
        this.#length--;
        yield this.#endRow();
      } else if (!isTooLong) this.#cell += piece;
    }
  }

  *end(): Generator<CsvRow, void, undefined> {
    if (this.#separator === undefined) yield* this.#decided();
    if (this.#length > 0) yield this.#endRow();
  }

  #endCell(): void {
    if (this.#state === 'quoted') this.#isOpen = true;
    // Behind the longest that a row may be, cells are empty, and any number of them may follow.
    if (this.#length <= this.#longest || this.#cell !== '') this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'plain';
  }

  #endRow(): CsvRow {
    this.#endCell();
    const openUpTo = this.#isOpen ? this.#line : undefined;
    const isCut = this.#length > this.#longest;
    const row = { line: this.#rowLine, cells: this.#cells, openUpTo, isCut };
    this.#cells = [];
    this.#isOpen = false;
    this.#rowLine = this.#line;
    this.#length = 0;
    return row;
  }
}

const LONGEST_FIRST_ROW = 1024 * 1024;
/** A separator that no text has: the pieces of a text are one sign, or have none. */
const NO_SEPARATOR = ',;';
/** A cell in quotes, which may have line breaks, and whose end may be missing. */
const QUOTED_CELL = /(^|[\n\t,;])"[^"]*(?:""[^"]*)*(?:"|$)/g;

function unquoted(text: string): string {
  return text.replaceAll(QUOTED_CELL, '$1');
}

function separatorOf(text: string): string {
  const [plain = ''] = unquoted(text.replace(/^[\r\n]+/, '')).split('\n', 1);
  if (plain.includes('\t')) return '\t';
  const many = (sign: string): number => plain.split(sign).length - 1;
  if (many(',') + many(';') === 0) return NO_SEPARATOR;
  return many(';') > many(',') ? ';' : ',';
}
