/**
 * Fingerprints of URLs that variants of a page share: without the scheme, `www.`, the name of an index file, a slash at
 * the end of the path and the case of the path. They have 64 bits. Among ten million pages, the probability that two
 * pages have the same fingerprint is about 1 in 370,000.
 */

import { Fingerprint, type Print } from '../parse/fingerprint-table.ts';

/** The ways in which URLs of a page can differ, as bits. */
export const Form = { http: 1, www: 2, slash: 4, capitals: 8, index: 16 } as const;

const INDEX_FILE = /^\/index\.(?:html|htm|php)$/;

/** Takes the fingerprint of one URL at a time; its fields have the words of the last one. */
export class UrlMark implements Print {
  // The fingerprint of the page, the same for all variants of its URL.
  a = 0;
  b = 0;
  readonly c = 0;
  /** The hash of the URL as it is written. */
  exact = 0;
  /** Bits of {@link Form}. */
  form = 0;
  readonly #print = new Fingerprint();

  /** The mark of a URL whose {@link whole} fingerprint is known; its form is not. */
  static of({ a, b, c }: Print): UrlMark {
    const mark = new UrlMark();
    mark.a = a;
    mark.b = b;
    mark.exact = c;
    return mark;
  }

  /** The fingerprint of the exact URL; `a` and `b` alone are that of the page in any variant. */
  get whole(): Print {
    return { a: this.a, b: this.b, c: this.exact };
  }

  isSame({ a, b, exact }: UrlMark): boolean {
    return this.a === a && this.b === b && this.exact === exact;
  }

  /** @param url - a key of `urlKey` */
  take(url: string): void {
    this.form = 0;
    let start = 0;
    if (url.startsWith('https://')) start = 8;
    else if (url.startsWith('http://')) start = this.#is(Form.http, 7);
    if (start > 0 && url.startsWith('www.', start)) start = this.#is(Form.www, start + 4);
    const query = url.indexOf('?');
    const end = query === -1 ? url.length : query;
    let pathEnd = end;
    const lastSlash = url.lastIndexOf('/', end - 1);
    if (
      lastSlash >= start &&
      url.startsWith('index.', lastSlash + 1) &&
      INDEX_FILE.test(url.slice(lastSlash, end))
    )
      pathEnd = this.#is(Form.index, lastSlash + 1);
    // The slash of the root is part of every URL.
    if (url[pathEnd - 1] === '/' && url.indexOf('/', start) < pathEnd - 1)
      pathEnd = this.#is(Form.slash, pathEnd - 1);
    const path = url.slice(start, pathEnd);
    const small = path.toLowerCase();
    if (small !== path) this.form |= Form.capitals;
    const { a, b, c } = this.#print.take(query === -1 ? small : `${small} ${url.slice(query)}`);
    this.a = a;
    this.b = b;
    // The form says what was left out, except for capitals and the name of the index file.
    const isKnown = (this.form & (Form.capitals | Form.index)) === 0;
    this.exact = isKnown ? c ^ this.form : this.#print.take(url).c;
  }

  #is(form: number, place: number): number {
    this.form |= form;
    return place;
  }
}
