/**
 * The pages of a whole site, by fingerprint: which was listed before, by which document, and in which form. A page
 * takes 16 bytes and some room for growth. URLs that are variants of each other have one entry.
 *
 * Entries are in the tables themselves, since every page is looked for: one that leads elsewhere costs a miss of the
 * cache for each place that is looked at.
 */
import type { UrlMark } from './url-mark.ts';

/** Many small tables, so that one that grows is not a second copy of everything. */
const TABLES = 256;
const FIRST_PLACES = 16;
/** Of an entry: the two of the page, the hash of the URL as it is, and its last document with its form. */
const WORDS = 4;
const FORM_BITS = 4;
const IN_USE = 1 << 31;
const MOST_DOCUMENTS = 1 << (31 - FORM_BITS);

/** How a page was listed before. */
export interface EarlierListing {
  /** The number of the document that listed it last. */
  readonly document: number;
  /** The form in which it was listed first. */
  readonly form: number;
  /** Whether that was the very same URL. */
  readonly isSame: boolean;
}

/** Remembers the pages of a site. */
export class SiteUrls {
  /** The last word of an empty place is 0. */
  readonly #tables: Int32Array[] = Array.from({ length: TABLES }, () => new Int32Array(WORDS * FIRST_PLACES));
  readonly #used = new Int32Array(TABLES);

  /** How a page was listed before; undefined where it was not. */
  find(mark: UrlMark): EarlierListing | undefined {
    const table = this.#tables[mark.a & (TABLES - 1)]!;
    const at = placeOf(table, mark.a, mark.b);
    return table[at + 3] === 0 ? undefined : listing(table, at, mark);
  }

  /** The same, and from now on the page is listed by `document`. */
  add(mark: UrlMark, document: number): EarlierListing | undefined {
    const { a, b, exact, form } = mark;
    const number = a & (TABLES - 1);
    const table = this.#tables[number]!;
    const at = placeOf(table, a, b);
    const last = IN_USE | ((document % MOST_DOCUMENTS) << FORM_BITS);
    if (table[at + 3] !== 0) {
      const earlier = listing(table, at, mark);
      table[at + 3] = last | earlier.form;
      return earlier;
    }
    table[at] = a;
    table[at + 1] = b;
    table[at + 2] = exact;
    table[at + 3] = last | form;
    const used = this.#used[number]! + 1;
    this.#used[number] = used;
    if (used * 5 * WORDS > table.length * 4) this.#tables[number] = grown(table);
    return undefined;
  }
}

function listing(table: Int32Array, at: number, { exact }: UrlMark): EarlierListing {
  const last = table[at + 3]!;
  return {
    document: (last & ~IN_USE) >>> FORM_BITS,
    form: last & ((1 << FORM_BITS) - 1),
    isSame: table[at + 2] === exact,
  };
}

/** Where a page is, or the empty place where it would be. */
function placeOf(table: Int32Array, a: number, b: number): number {
  const mask = table.length - 1;
  for (let at = (b << 2) & mask; ; at = (at + WORDS) & mask) {
    if (table[at + 3] === 0 || (table[at] === a && table[at + 1] === b)) return at;
  }
}

function grown(table: Int32Array): Int32Array {
  const larger = new Int32Array(table.length * 2);
  for (let from = 0; from < table.length; from += WORDS) {
    if (table[from + 3] === 0) continue;
    const to = placeOf(larger, table[from]!, table[from + 1]!);
    larger[to] = table[from]!;
    larger[to + 1] = table[from + 1]!;
    larger[to + 2] = table[from + 2]!;
    larger[to + 3] = table[from + 3]!;
  }
  return larger;
}
