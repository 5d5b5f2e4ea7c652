/**
 * Text from sitemaps on its way to a terminal. A sitemap is untrusted: control characters could move the cursor, change
 * colours or worse, and bidi controls could make one URL look like another.
 */

// Line feeds and tabs are layout, of ours; C0, DEL, C1, bidi controls and Unicode's line separators are not.
const HARMFUL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not reach a terminal.
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Writes what could harm a terminal as `\u001b`: readable in a text, and still the same value inside JSON. */
export function escapeForTerminal(text: string): string {
  return text.replace(HARMFUL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same in one line, for messages. */
export function escapeLine(text: string): string {
  return escapeForTerminal(text).replaceAll('\n', '\\n').replaceAll('\t', ' ');
}
