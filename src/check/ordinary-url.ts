/** URLs as rules look at them: which are ordinary, and what they are compared by. */
import { isAlternate } from '../parse/extensions/extensions.ts';
import type { Attributes } from '../parse/listener.ts';
import { isOrdinaryUrl, parsedUrl, urlKey } from '../url.ts';

// All rooms compare URLs by it.
export { urlKey };

/** The address of a page or sitemap, looked at once for several rules. */
export class ListedUrl {
  readonly url: string;
  /** Whether it is its own key, and has nothing in it that rules about its characters look for, but for a query. */
  readonly isOrdinary: boolean;
  /** What it is compared by: see {@link urlKey}. */
  readonly key: string;
  /** Of an ordinary URL: its origin, with a slash at the end. */
  readonly origin: string;

  constructor(url: string) {
    this.url = url;
    this.isOrdinary = isOrdinaryUrl(url);
    this.key = this.isOrdinary ? url : urlKey(url);
    this.origin = this.isOrdinary ? url.slice(0, url.indexOf('/', 'https://'.length) + 1) : '';
  }
}

/** An `xhtml:link`, looked at once for two rules. */
export class AlternateLink {
  /** Its language, as written; undefined where it is not an alternate, but a link for another device for instance. */
  readonly code: string | undefined;
  /** Where that is written. */
  readonly codeOffset: number;
  /** Its address, as written. */
  readonly href: string;

  constructor(attributes: Attributes) {
    this.code = isAlternate(attributes) ? attributes.repeated('hreflang') : undefined;
    this.codeOffset = attributes.offsetOf('hreflang');
    this.href = attributes.plainUrl('href') ?? attributes.get('href')?.trim() ?? '';
  }

  /** The key of the page that it names as an alternate; undefined where it names none. */
  key(base: string | undefined): string | undefined {
    if (!this.code || this.href === '') return undefined;
    if (/^https?:/.test(this.href)) return urlKey(this.href);
    const whole = parsedUrl(this.href, base);
    return whole === undefined ? undefined : urlKey(whole.href);
  }
}
