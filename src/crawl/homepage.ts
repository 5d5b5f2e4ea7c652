/** The address that a call is about. */
import { SitemapException } from '../errors.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { shownUrl, withoutUserinfo } from '../url.ts';

/** Checks that this is an http(s) URL with a host. */
export function requireHttpUrl(url: string | URL, what: string): URL {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // Said below, in the same words as for everything else that is no http(s) URL.
  }
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.hostname !== '') return parsed;
  const text = shownUrl(String(url));
  throw new SitemapException(`The ${what} must be an http or https URL, not "${text}".${hintFor(text)}`, {
    code: 'bad-url',
    url: text,
  });
}

// `example.org:8080` is a URL of the scheme `example.org:`, so this looks at the text.
function hintFor(text: string): string {
  const bare = /^(?:\/\/)?((?:[\w-]+(?:\.[\w-]+)+|localhost|\[::1\])(?::\d+)?(?:[/?#].*)?)$/i.exec(text)?.[1];
  if (bare === undefined) return '';
  return ` Did you mean ${/^(?:localhost\b|127\.|\[::1\])/i.test(bare) ? 'http' : 'https'}://${bare}?`;
}

/** The homepage as everything is looked for under it: the site's root, or the given path made to end in `/`. */
export function homepageOf(url: string | URL, { normalizeHomepageUrl, logger }: ResolvedOptions): URL {
  const homepage = requireHttpUrl(url, 'homepage');
  const asked = homepage.pathname;
  homepage.search = '';
  homepage.hash = '';
  if (normalizeHomepageUrl) homepage.pathname = '/';
  else if (!asked.endsWith('/')) homepage.pathname = `${asked}/`;
  if (normalizeHomepageUrl && asked !== '/') {
    logger.warn(
      `The homepage was cut to ${withoutUserinfo(homepage).href}; normalizeHomepageUrl: false keeps its path.`,
    );
  }
  return homepage;
}
