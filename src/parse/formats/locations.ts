/** Turns the text of a loc, a link or an href into a URL, and says what was wrong with it. */
import type { ProblemFacts, ProblemList } from '../../problems/problem-list.ts';
import { hasScheme, isHttpUrl, resolveUrl, tidyUrl } from '../values/url.ts';

/**
 * Longer URLs are dropped. Sitemaps may have 2,048 characters, and hardly any server takes a request line of more
 * than 8 KiB, so nothing that could be fetched is lost; thousands of URLs of 64 KiB each would fill the memory.
 */
export const MAX_URL_LENGTH: number = 8 * 1024;

/** Reads the URLs of one document. */
export class Locations {
  /** The document's own URL: what relative ones are resolved against. */
  readonly base: string | undefined;
  readonly #problems: ProblemList;

  constructor(base: string | undefined, problems: ProblemList) {
    this.base = base;
    this.#problems = problems;
  }

  /** The URL that `text` stands for, as written unless it is relative; undefined where it is not a URL. */
  read(text: string, offset: number): string | undefined {
    const tidy = tidyUrl(text);
    if (tidy.length > MAX_URL_LENGTH) {
      this.#add('oversized-url', 'longer than 8 KiB, and was dropped:', tidy, offset);
      return undefined;
    }
    // Escaped twice, or escaped inside CDATA: no URL means a literal `&amp;`.
    const url = tidy.includes('&amp;') ? tidy.replaceAll('&amp;', '&') : tidy;
    if (url !== tidy) this.#add('double-escaped-url', 'escaped twice; it was read as', url, offset);
    if (isHttpUrl(url)) return url;
    if (hasScheme(url) && !/^https?:/i.test(url)) {
      this.#add('not-http-url', 'not an http or https URL, and was dropped:', url, offset);
      return undefined;
    }
    if (this.base === undefined) {
      this.#add(
        'unresolvable-url',
        'relative, and without the option "url" there is nothing to resolve it against:',
        url,
        offset,
        { option: 'url' },
      );
      return undefined;
    }
    // `https:/host/x` lost a slash; by the letter it would be relative, and only to a sitemap of the same scheme.
    const resolved = resolveUrl(url.replace(/^(https?):\/*(?=[^/])/i, '$1://'), this.base);
    if (resolved === undefined || !isHttpUrl(resolved)) {
      this.#add('unresolvable-url', 'not a URL, and was dropped:', url, offset);
      return undefined;
    }
    this.#add('relative-url', `relative, and was resolved to ${resolved.slice(0, 200)}:`, url, offset);
    return resolved;
  }

  #add(code: string, what: string, url: string, offset: number, facts?: ProblemFacts): void {
    this.#problems.add(code, `A URL is ${what} ${url.slice(0, 200)}`, offset, facts);
  }
}
