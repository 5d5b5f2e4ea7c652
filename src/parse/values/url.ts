/** URLs as sitemaps write them. */

/** Removes what no URL means: white space around it (Unicode's too), and tabs and line ends inside. */
export function tidyUrl(text: string): string {
  const trimmed = text.trim();
  return /[\t\n\r]/.test(trimmed) ? trimmed.replace(/[\t\n\r]+/g, '') : trimmed;
}

/** Whether this is an absolute http(s) URL with something for a host; it is not parsed any further. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#]/i.test(text);
}

/** Whether this starts with a scheme (`mailto:`, `ftp:`), so that it is not relative. */
export function hasScheme(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(text);
}

/** Resolves a URL against a base; undefined where that cannot be done. */
export function resolveUrl(text: string, base: string): string | undefined {
  try {
    return new URL(text, base).href;
  } catch {
    return undefined;
  }
}

/**
 * The form in which two URLs of one document are equal: normalised, without the fragment. Without userinfo too, which is
 * never sent: `a@host` and `b@host` are the same request.
 */
export function documentKey(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.hash = '';
    if (parsed.username !== '') parsed.username = '';
    if (parsed.password !== '') parsed.password = '';
    return parsed.href;
  } catch {
    return url;
  }
}
