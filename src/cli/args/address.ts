/** The URLs on the command line: checked before anything is fetched, each with a hint where it was nearly right. */
import { statSync } from 'node:fs';
import { parsedUrl, shownUrl } from '../../url.ts';
import { UsageError } from '../messages/endings.ts';

/** The most characters that a host name can have (RFC 1035). */
const LONGEST_HOST = 253;

/**
 * The URL of a site. Without a scheme it is https, as in a browser; for this machine itself, http.
 *
 * @throws UsageError for what is not an http(s) URL with a host
 */
export function parseAddress(text: string): URL {
  const file = fileHint(text);
  const url = webUrl(file === undefined ? withScheme(text) : text);
  if (url !== undefined) return url;
  throw new UsageError(`"${shownUrl(text)}" is not an http or https URL.`, { hint: file });
}

/** The URL of a site in a list, by the same rules; undefined for what is not one. */
export function addressInList(text: string): URL | undefined {
  return webUrl(withScheme(text));
}

function webUrl(text: string): URL | undefined {
  const url = parsedUrl(text);
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  return isWeb && url.hostname !== '' && url.hostname.length <= LONGEST_HOST ? url : undefined;
}

// `localhost:3000` parses as it is, with the scheme `localhost:`; so does `example.org:8080`.
function withScheme(text: string): string {
  if (/^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:[/?#]\S*)?$/i.test(text)) return `http://${text}`;
  if (/^[^\s/:@?#[\]]+(?:\.[^\s/:@?#[\]]+)+\.?(?::\d+)?(?:[/?#]\S*)?$/.test(text)) return `https://${text}`;
  return text.startsWith('//') ? `https:${text}` : text;
}

/** What to say about a first word that is not a command, where it is an argument of one; undefined for any other. */
export function forgottenCommand(text: string): UsageError | undefined {
  const isUrl = /^https?:\/\//i.test(text) || (withScheme(text) !== text && fileHint(text) === undefined);
  const hint = isUrl ? `usp ls ${shownUrl(text)}` : fileHint(text);
  return hint === undefined ? undefined : new UsageError(`unknown command '${shownUrl(text)}'.`, { hint });
}

function fileHint(text: string): string | undefined {
  try {
    return statSync(text).isFile() ? `usp parse ${text} reads a file.` : undefined;
  } catch {
    return undefined;
  }
}

export function looksLikeSitemap({ pathname }: URL): boolean {
  const file = pathname.slice(pathname.lastIndexOf('/') + 1).toLowerCase();
  return /\.(?:xml|rss|atom|txt)(?:\.gz)?$|\.gz$|^sitemap|^robots\.txt$/.test(file);
}

/** What `--strip-url` removes from the start of URLs: the site's address without its last slash. */
export function strippable(url: string): string {
  return url.replace(/\/+$/, '');
}

/** A URL without the site's address at its start; the address itself becomes `/`. */
export function stripUrl(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === '') return '/';
  return /^[/?#]/.test(rest) ? rest : url;
}
