/** Rows of CSV and TSV as they arrive: quoted fields, with quotes, separators and line breaks in them (RFC 4180). */

export interface TableRow {
  /** The line that the row starts in, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** No row of a list of sites is longer; a quote that is never closed must not take the rest of the file. */
const LONGEST_ROW = 1_000_000;

/**
 * Takes text in pieces, gives rows. The separator is a tab where the first line has one, else a comma or a semicolon.
 */
export class TableReader {
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

  /** The last row, where it has no line break. */
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
