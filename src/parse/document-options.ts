/** What a caller may say about a document besides its content, checked. */
import { SitemapException } from '../errors.ts';

/** The document's own address and charset, as a caller gives them. */
export interface GivenOptions {
  readonly url?: string | URL | undefined;
  readonly charset?: string | undefined;
}

/**
 * Checks both and makes the address a string.
 *
 * @throws SitemapException with code `bad-url` or `bad-charset`
 */
export function checkedOptions({ url, charset }: GivenOptions): {
  url: string | undefined;
  charset: string | undefined;
} {
  if (charset !== undefined && typeof charset !== 'string') {
    throw new SitemapException('The option charset must be a string, as "utf-8".', { code: 'bad-charset' });
  }
  if (url === undefined) return { url: undefined, charset };
  try {
    return { url: new URL(url).href, charset };
  } catch (cause) {
    // What was given need not be a string, nor become one.
    const given = typeof url === 'string' ? `, not "${url}"` : '';
    throw new SitemapException(
      `The option url must be an absolute URL, as "https://example.org/sitemap.xml"${given}.`,
      { code: 'bad-url', url: typeof url === 'string' ? url : undefined, cause },
    );
  }
}
