/** The URLs on the command line: checked before anything is fetched, each with a hint where it was nearly right. */
import { statSync } from 'node:fs';
import { shownUrl } from '../../url.ts';
import { UsageError } from '../messages/failure.ts';

/** @throws UsageError for what is not an http(s) URL with a host */
export function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw new UsageError(`"${shownUrl(text)}" is not an http or https URL.`, { hint: suggestion(text) });
}

/** What to say of a first word that is no command, where it is what a command takes: undefined for any other. */
export function forgottenCommand(text: string): UsageError | undefined {
  const hint = /^https?:\/\//i.test(text) ? `usp ls ${shownUrl(text)}` : fileHint(text);
  return hint === undefined ? undefined : new UsageError(`unknown command '${shownUrl(text)}'.`, { hint });
}

function fileHint(text: string): string | undefined {
  try {
    return statSync(text).isFile() ? `usp parse ${text} reads a file.` : undefined;
  } catch {
    return undefined;
  }
}

// `localhost:3000` parses, with the scheme `localhost:`; so does `example.org:8080`.
function suggestion(text: string): string | undefined {
  const file = fileHint(text);
  if (file !== undefined) return file;
  if (/^(?:localhost|127\.|\[::1\])/i.test(text)) return `did you mean http://${text}?`;
  if (/^[^\s/:@]+(?:\.[^\s/:@]+)+(?::\d+)?(?:[/?#]\S*)?$/.test(text)) return `did you mean https://${text}?`;
  return text.startsWith('//') ? `did you mean https:${text}?` : undefined;
}

/** Whether a URL that was given as a homepage is more likely a sitemap. */
export function looksLikeSitemap({ pathname }: URL): boolean {
  const file = pathname.slice(pathname.lastIndexOf('/') + 1).toLowerCase();
  return /\.(?:xml|rss|atom|txt)(?:\.gz)?$|\.gz$|^sitemap|^robots\.txt$/.test(file);
}

/** What `--strip-url` takes from the front of URLs: the site's address without its last slash. */
export function strippable(url: string): string {
  return url.replace(/\/+$/, '');
}

/** A URL without the site's address in front of it; the address itself becomes `/`. */
export function stripUrl(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === '') return '/';
  return /^[/?#]/.test(rest) ? rest : url;
}
