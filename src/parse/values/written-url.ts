/** URLs as sitemaps write them. */
import { COLON, HASH, QUESTION, SLASH, SPACE } from './byte-codes.ts';

/** Removes what no URL means: white space around it (Unicode's too), and tabs and line ends inside. */
export function tidyUrl(text: string): string {
  const trimmed = text.trim();
  return /[\t\n\r]/.test(trimmed) ? trimmed.replace(/[\t\n\r]+/g, '') : trimmed;
}

/** Whether this is an absolute http(s) URL with something for a host; it is not parsed any further. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#]/i.test(text);
}

/**
 * Whether plain bytes are an absolute http(s) URL with something for a host; {@link isHttpUrl} says the same of
 * text.
 */
export function isPlainHttpUrl(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 8) return false;
  if ((bytes[start]! | 0x20) !== 0x68 || (bytes[start + 1]! | 0x20) !== 0x74) return false;
  if ((bytes[start + 2]! | 0x20) !== 0x74 || (bytes[start + 3]! | 0x20) !== 0x70) return false;
  const colon = (bytes[start + 4]! | 0x20) === 0x73 ? start + 5 : start + 4;
  if (bytes[colon] !== COLON || bytes[colon + 1] !== SLASH || bytes[colon + 2] !== SLASH) return false;
  const host = bytes[colon + 3];
  return colon + 3 < end && host !== SPACE && host !== SLASH && host !== QUESTION && host !== HASH;
}

/** `"https://…"` and `<https://…>` without what is around them, nor characters without width in front. */
export function withoutQuotes(text: string): string {
  const front = /^[\u200b-\u200f\u2060]*(["'<[“‘]{0,3})(?=https?:\/\/[^\s/?#])/i;
  const [before = '', quotes = ''] = front.exec(text) ?? [];
  // As many as are in front: the others are the URL's own.
  return text.slice(before.length).replace(new RegExp(`["'>\\]”’]{0,${quotes.length}}$`), '');
}

/**
 * Whether a relative address is a part of a template or of source code, which was to become an address: `{{ url }}/a`,
 * `$permalink`, `%s`, `'.$settings['url'].'`, a whole link of HTML. A single `'`, `$` or `%` is a part of many paths.
 */
export function isTemplate(text: string): boolean {
  return /[<"]|\{\{|\{%|\$\{|'\.|\.'|^\$\w+$|^%(?:\d+\$)?[sd]$/.test(text);
}

/** Whether an absolute URL has a part of a template or of source code. Queries may have a single `"` or `<`. */
export function hasTemplate(url: string): boolean {
  // One search for a character takes a fifth of the time of the pattern.
  const isPossible = url.includes('{') || url.includes("'") || url.includes('<');
  return isPossible && /<[?%]|\{\{|\{%|\$\{|'\.|\.'/.test(url);
}

/** Whether this starts with a scheme (`mailto:`, `ftp:`), so that it is not relative. */
export function hasScheme(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(text);
}

/**
 * Resolves a URL against a base; undefined where that cannot be done. `https:/host/x` lost a slash; by the letter it
 * would be relative, and only to a base of the same scheme.
 */
export function resolveUrl(text: string, base: string | undefined): string | undefined {
  try {
    return new URL(text.replace(/^(https?):\/*(?=[^/])/i, '$1://'), base).href;
  } catch {
    return undefined;
  }
}
