/**
 * Patterns of URLs: a part of the URL; with a `*`, a glob over the whole URL; after `re:`, a regular expression. Case
 * counts, as it does in URLs.
 */
import { SitemapException } from '../errors.ts';

/** Whether a URL matches a pattern. */
export type UrlMatcher = (url: string) => boolean;

/**
 * What a pattern matches.
 *
 * @throws SitemapException with code `bad-option` for an empty pattern, or a regular expression that does not compile
 */
export function parsePattern(pattern: string | RegExp): UrlMatcher {
  if (pattern instanceof RegExp) {
    // A copy without `g` and `y`, which would make the result depend on the URL before.
    const expression = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
    return (url) => expression.test(url);
  }
  if (pattern === '' || pattern === 're:') {
    throw new SitemapException('A pattern must not be empty.', { code: 'bad-option' });
  }
  if (pattern.startsWith('re:')) return regularExpression(pattern.slice('re:'.length));
  if (pattern.includes('*')) return glob(pattern.split('*'));
  return (url) => url.includes(pattern);
}

/** Whether a URL matches any of the patterns. */
export function anyMatches(matchers: readonly UrlMatcher[], url: string): boolean {
  return matchers.some((matches) => matches(url));
}

function regularExpression(source: string): UrlMatcher {
  try {
    const expression = new RegExp(source);
    return (url) => expression.test(url);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SitemapException(`The pattern re:${source} is not a regular expression: ${why}.`, {
      code: 'bad-option',
      cause,
    });
  }
}

// Not an expression of `.*`: this is linear in the URL, however many stars there are. A `?` is itself, since URLs are
// full of them.
function glob(parts: readonly string[]): UrlMatcher {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  const middle = parts.slice(1, -1);
  return (url) => {
    if (url.length < first.length + last.length || !url.startsWith(first) || !url.endsWith(last))
      return false;
    const end = url.length - last.length;
    let at = first.length;
    for (const part of middle) {
      const found = url.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}
