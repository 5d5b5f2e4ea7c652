/** URLs as rules look at them: which are ordinary, and what they are compared by. */
import { isAlternate } from '../parse/extensions/extensions.ts';
import type { Attributes } from '../parse/listener.ts';
import { parsedUrl } from '../url.ts';

// What `new URL` leaves as it is: a lower-case host with a letter in its last part, which is not a number as `0x7f` is,
// no port, no dot segments, no character that it would encode. Some URLs that are ordinary as well fail the test; they
// only take longer.
const HOST = /(?![^/]*xn--)(?:[a-z0-9-]+\.)*(?!0x)(?=[0-9-]*[a-z])[a-z0-9-]+/.source;
const REST = /(?:[\w\-~!$&'()*+,;=:@?]|\/(?![.%/])|(?<!\/)\.|(?<!\/)%[0-9A-Fa-f]{2})*/.source;
const ORDINARY = new RegExp(`^https?://${HOST}/(?!/)${REST}$`);

/**
 * What URLs are compared by: `new URL(url).href` without its fragment. What is not a URL is its own key. The usual URL
 * is found to be ordinary, since this is asked of every URL of a site.
 */
export function urlKey(url: string): string {
  if (ORDINARY.test(url)) return url;
  const parsed = parsedUrl(url);
  if (parsed === undefined) return url;
  parsed.hash = '';
  return parsed.href;
}

/** The address of a page or sitemap: of one URL several rules ask the same. */
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
    this.isOrdinary = ORDINARY.test(url);
    this.key = this.isOrdinary ? url : urlKey(url);
    this.origin = this.isOrdinary ? url.slice(0, url.indexOf('/', 'https://'.length) + 1) : '';
  }
}

/** An `xhtml:link`, of which two rules ask nearly the same. */
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
