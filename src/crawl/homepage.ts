/** The address that a call is about. */
import { SitemapException } from '../errors.ts';
import { notKeptOptions, type ResolvedOptions, shapingOptions } from '../options/resolve.ts';
import type { TreeOrigin } from '../sitemap/node-fields.ts';
import { parsedUrl, shownUrl, withoutUserinfo } from '../url.ts';

function requireHttpUrl(url: string | URL, what: string): URL {
  const parsed = parsedUrl(String(url));
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

/** The address of one sitemap. @throws SitemapException where it is not http(s) */
export function sitemapUrl(url: string | URL): URL {
  return requireHttpUrl(url, 'sitemap’s address');
}

/** The homepage under which everything is looked for: the site's root, or the given path with a `/` at its end. */
export function homepageOf(url: string | URL, { normalizeHomepageUrl, logger }: ResolvedOptions): URL {
  const homepage = requireHttpUrl(url, 'homepage');
  const asked = homepage.pathname;
  homepage.search = '';
  homepage.hash = '';
  if (normalizeHomepageUrl) homepage.pathname = '/';
  else if (!asked.endsWith('/')) homepage.pathname = `${asked}/`;
  if (normalizeHomepageUrl && asked !== '/') {
    logger.warn(
      `The homepage was shortened to ${withoutUserinfo(homepage).href}; normalizeHomepageUrl: false keeps its path.`,
    );
  }
  return homepage;
}

/** What of a call is kept with its tree, so that it can be made again. */
export function treeOriginOf(call: TreeOrigin['call'], site: URL, options: ResolvedOptions): TreeOrigin {
  const url = withoutUserinfo(site);
  const notKept = notKeptOptions(options);
  const paths = options.extraKnownPaths.map(shownUrl);
  const shaping = shapingOptions(options);
  return {
    call,
    url: url.href,
    options: paths.length === 0 ? shaping : { ...shaping, extraKnownPaths: paths },
    notKept: url === site ? notKept : [...notKept, 'userinfo'],
  };
}
