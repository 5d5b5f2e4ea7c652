/**
 * Fingerprints of URLs that variants of a page share: without the scheme, `www.`, a slash at the end of the path and the
 * case of the path. They have 96 bits, and are seeded anew in each process, so that URLs which fall into one place
 * cannot be prepared.
 */

/** In how a URL is written, what makes it a variant of another one: bits. */
export const Form = { http: 1, www: 2, slash: 4, capitals: 8 } as const;

const seed = (): number => (Math.random() * 0x1_0000_0000) | 0;
const SEEDS = [seed(), seed(), seed(), seed()] as const;

/** Takes the fingerprint of one URL at a time; its words are read from here. */
export class UrlMark {
  // Of the page, in whatever variant.
  a = 0;
  b = 0;
  c = 0;
  /** Of the URL as it is. */
  exact = 0;
  /** Bits of {@link Form}. */
  form = 0;

  /** @param url - a key of `urlKey` */
  take(url: string): void {
    const { length } = url;
    let form = 0;
    let at = 0;
    if (url.startsWith('https://')) at = 8;
    else if (url.startsWith('http://')) {
      at = 7;
      form = Form.http;
    }
    if (url.startsWith('www.', at)) {
      at += 4;
      form |= Form.www;
    }
    const path = url.indexOf('/', at);
    const query = url.indexOf('?', at);
    const pathEnd = query === -1 ? length : query;
    // The slash of the root is part of every URL.
    const slash = pathEnd - 1 > path && url.charCodeAt(pathEnd - 1) === 0x2f ? pathEnd - 1 : -1;
    if (slash !== -1) form |= Form.slash;
    let a: number = SEEDS[0];
    let b: number = SEEDS[1];
    let c: number = SEEDS[2];
    let exact: number = SEEDS[3];
    for (; at < length; at++) {
      let code = url.charCodeAt(at);
      exact = Math.imul(exact ^ code, 0x01000193);
      if (at === slash) continue;
      if (code >= 0x41 && code <= 0x5a && at < pathEnd) {
        form |= Form.capitals;
        code |= 0x20;
      }
      a = Math.imul(a ^ code, 0x2c1b3c6d);
      a ^= a >>> 15;
      b = Math.imul(b ^ code, 0x297a2d39) + a;
      c = Math.imul(c + code, 0x1b56c4e9) ^ (b >>> 13);
    }
    this.a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
    this.b = Math.imul(b ^ (b >>> 15), 0x846ca68b);
    this.c = Math.imul(c ^ (c >>> 16), 0xc2b2ae35);
    this.exact = Math.imul(exact ^ (exact >>> 15), 0x85ebca6b) ^ form;
    this.form = form;
  }
}
