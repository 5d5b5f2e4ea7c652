/** The same page in other languages: `<xhtml:link rel="alternate" hreflang="de" href="…"/>`. */
import type { ReportedValues } from '../reported-values.ts';
import type { TextDecoding } from '../values/text.ts';
import type { Attributes } from '../xml/attributes.ts';

/** The same page in another language or for another region. */
export interface SitemapAlternate {
  /** The code as written: it is not validated. */
  readonly hreflang: string;
  readonly href: string;
}

/** Reads one link; undefined where it is not an alternate (another rel, no hreflang, no usable href). */
export function readAlternate(
  attributes: Attributes,
  decoding: TextDecoding,
  values: ReportedValues,
  offset: number,
): SitemapAlternate | undefined {
  const isAlternate =
    attributes.is('rel', 'alternate') ||
    attributes.get('rel', decoding)?.trim().toLowerCase() === 'alternate';
  if (!isAlternate) return undefined;
  const hreflang = attributes.repeated('hreflang', decoding);
  const plain = attributes.plainUrl('href');
  if (hreflang && plain !== undefined) return Object.freeze({ hreflang, href: plain });
  const href = attributes.get('href', decoding);
  if (!hreflang || !href?.trim()) return undefined;
  const url = values.url(href, offset);
  return url === undefined ? undefined : Object.freeze({ hreflang, href: url });
}
