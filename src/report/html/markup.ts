/** Pieces of HTML that the sections share. */
import { clipped, escaped, untrusted } from '../charts/index.ts';

export { escaped, untrusted };

/** Longer addresses are shown, but not linked. */
const LONGEST_LINK = 2048;

/** An address as a link, where it is one of the web; as text where it is anything else. */
export function link(url: string, shown: string = url): string {
  const text = untrusted(shown);
  return isLinked(url) ? `<a href="${escaped(url)}" rel="noreferrer">${text}</a>` : text;
}

function isLinked(url: string): boolean {
  if (url.length > LONGEST_LINK || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  // What is before an @ makes a link look as if it led elsewhere.
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** The address of a sitemap or page, without the part that all of the site's have. */
export function shortened(url: string, origin: string): string {
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
}

/** The origin of a site; of what is not a URL, nothing. */
export function originOf(url: string): string {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? new URL(url).origin : '\0';
}

/** The explanations of rules are ours: a little Markdown, code and links. */
export function markdown(text: string): string {
  return escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\((https?:[^)\s]+)\)/g, '<a href="$2" rel="noreferrer">$1</a>');
}

/** A part of a whole: `12 %`, `below 1 %`. */
export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  const percent = (part / whole) * 100;
  if (percent < 1) return 'below 1 %';
  return percent > 99 && part < whole ? 'over 99 %' : `${Math.round(Math.min(100, percent))} %`;
}

/** A day out of a time: `2024-05-06`. */
export function day(time: string): string {
  return time.replace(/T.*/, '');
}

/** A name that is safe in an `id` and in the address bar. */
export function idOf(prefix: string, name: string): string {
  return `${prefix}-${clipped(name, 60).replaceAll(/[^\w-]+/g, '-')}`;
}
