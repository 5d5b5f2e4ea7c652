/**
 * Text that comes from a site, made safe for HTML and SVG. The page's own script uses this too, so there is nothing of
 * Node here.
 */

/** What a short text is allowed to have before it is cut in the middle. */
const LONGEST = 160;
/** Characters at the end that are kept: the file name of a URL is there. */
const KEPT_END = 40;

/**
 * Controls and format characters: those that change the direction of the text around them, and what HTML does not
 * allow. Joiners are left: emoji and some scripts need them.
 */
const INVISIBLE = /(?!\t|\n|\r|\u00ad|\u200c|\u200d)[\p{Cc}\p{Cf}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML. Invisible characters are shown by their number: they are a mistake or a trick in any value here. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(
      INVISIBLE,
      (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    )
    .replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}

/** A text of bounded length: the middle of a long one is left out. */
export function clipped(text: string, longest: number = LONGEST): string {
  if (text.length <= longest) return text;
  const end = Math.min(KEPT_END, Math.floor(longest / 3));
  return `${text.slice(0, longest - end - 1)}…${text.slice(-end)}`;
}

/** Untrusted text as HTML, isolated from the direction of what is around it. */
export function untrusted(text: string, longest?: number): string {
  return `<bdi>${escaped(clipped(text, longest))}</bdi>`;
}
