/**
 * What a PATTERN on the command line means: a part of the URL; with a `*`, a glob over the whole URL; behind `re:`, a
 * regular expression. Case counts, as it does in URLs.
 */
import { UsageError } from '../messages/failure.ts';

/** A pattern, and whether a URL is meant by it. */
export interface Pattern {
  readonly text: string;
  matches(url: string): boolean;
}

/** @throws UsageError for an empty pattern, or a regular expression that is none */
export function parsePattern(text: string): Pattern {
  if (text === '' || text === 're:') {
    throw new UsageError('A PATTERN must not be empty.', {
      hint: 'a part of the URL, a glob with *, or re: and a regular expression.',
    });
  }
  if (text.startsWith('re:')) return { text, matches: regularExpression(text.slice('re:'.length)) };
  if (text.includes('*')) return { text, matches: glob(text.split('*')) };
  return { text, matches: (url) => url.includes(text) };
}

/** Whether any of the patterns means this URL. */
export function anyMatches(patterns: readonly Pattern[], url: string): boolean {
  return patterns.some((pattern) => pattern.matches(url));
}

function regularExpression(source: string): (url: string) => boolean {
  try {
    const expression = new RegExp(source);
    return (url) => expression.test(url);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The PATTERN re:${source} is no regular expression: ${why}.`, { cause });
  }
}

// By hand rather than as an expression of `.*`: linear in the URL, however many stars there are. A `?` is itself, since
// URLs are full of them.
function glob(parts: readonly string[]): (url: string) => boolean {
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
