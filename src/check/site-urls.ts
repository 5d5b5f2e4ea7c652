/** The pages of a whole site: which was listed before, by which document, in which form; and their sets of alternates. */
import { FingerprintTable, int32Column, type Print } from '../parse/fingerprint-table.ts';
import type { UrlMark } from './url-mark.ts';

const FORM_BITS = 5;
const MOST_DOCUMENTS = 1 << (31 - FORM_BITS);

export interface EarlierListing {
  /** The number of the document that listed it last. */
  readonly document: number;
  /** The form in which it was listed first. */
  readonly form: number;
  /** Whether that was the very same URL. */
  readonly isSame: boolean;
}

export class SiteUrls {
  readonly #pages = new FingerprintTable();
  /** The hash of the URL as it was listed first. */
  readonly #exact = int32Column();
  /** The last document, and the form. */
  readonly #listed = int32Column();

  /** How a page was listed before; undefined where it was not. */
  find(mark: UrlMark): EarlierListing | undefined {
    const page = this.#pages.find(mark);
    return page === -1 ? undefined : this.#listing(page, mark);
  }

  /** The same, and from now on the page is listed by `document`. */
  add(mark: UrlMark, document: number): EarlierListing | undefined {
    const { size } = this.#pages;
    const page = this.#pages.add(mark);
    const earlier = page < size ? this.#listing(page, mark) : undefined;
    if (earlier === undefined) this.#exact.set(page, mark.exact);
    this.#listed.set(page, ((document % MOST_DOCUMENTS) << FORM_BITS) | (earlier ?? mark).form);
    return earlier;
  }

  #listing(page: number, { exact }: UrlMark): EarlierListing {
    const listed = this.#listed.get(page);
    return {
      document: listed >>> FORM_BITS,
      form: listed & ((1 << FORM_BITS) - 1),
      isSame: this.#exact.get(page) === exact,
    };
  }
}

export interface AlternateSet extends Print {
  /** How many members it has. */
  readonly size: number;
}

/** The sets of alternates of a site: how many pages have each of them, and how many members it has. */
export class Clusters {
  readonly #sets = new FingerprintTable();
  readonly #pages = int32Column();
  readonly #members = int32Column();

  add(set: AlternateSet, pages: number): void {
    const number = this.#sets.add(set);
    this.#pages.set(number, this.#pages.get(number) + pages);
    this.#members.set(number, set.size);
  }

  /** Whether as many pages have a set as it has members. */
  isComplete(set: AlternateSet): boolean {
    const number = this.#sets.find(set);
    return number !== -1 && this.#pages.get(number) >= set.size;
  }

  /** How many links the sets have that are not complete. */
  get openLinks(): number {
    let links = 0;
    for (let set = 0; set < this.#sets.size; set++) {
      const pages = this.#pages.get(set);
      const members = this.#members.get(set);
      if (pages < members) links += Math.max(pages, 1) * members;
    }
    return links;
  }
}
