/** URLs as rules see them: whether they are ordinary, and the keys by which they are compared. */
import { isAlternate } from '../parse/extensions/extensions.ts';
import type { Attributes } from '../parse/listener.ts';
import { isOrdinaryUrl, parsedUrl, urlKey } from '../url.ts';

export { urlKey };

/** The address of a page or sitemap, examined once for several rules. */
export class ListedUrl {
  readonly url: string;
  /** Whether the URL equals its key, and rules about characters need not look at it, except for a query. */
  readonly isOrdinary: boolean;
  /** The key by which it is compared: see {@link urlKey}. */
  readonly key: string;
  /** The origin of an ordinary URL, with a slash at the end; else empty. */
  readonly origin: string;

  constructor(url: string) {
    this.url = url;
    this.isOrdinary = isOrdinaryUrl(url);
    this.key = this.isOrdinary ? url : urlKey(url);
    this.origin = this.isOrdinary ? url.slice(0, url.indexOf('/', 'https://'.length) + 1) : '';
  }
}

/** An `xhtml:link`, examined once for two rules. */
export class AlternateLink {
  /** Its language, as written; undefined if it is not an alternate, but for example a link for another device. */
  readonly code: string | undefined;
  /** The offset of the language. */
  readonly codeOffset: number;
  /** Its address, as written. */
  readonly href: string;

  constructor(attributes: Attributes) {
    this.code = isAlternate(attributes) ? attributes.repeated('hreflang') : undefined;
    this.codeOffset = attributes.offsetOf('hreflang');
    this.href = attributes.plainUrl('href') ?? attributes.get('href')?.trim() ?? '';
  }

  /** The key of the page that it names as an alternate; undefined if it names none. */
  key(base: string | undefined): string | undefined {
    if (!this.code || this.href === '') return undefined;
    if (/^https?:/.test(this.href)) return urlKey(this.href);
    const whole = parsedUrl(this.href, base);
    return whole === undefined ? undefined : urlKey(whole.href);
  }
}
