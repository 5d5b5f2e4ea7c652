/**
 * Text of sitemaps on its way out. A sitemap is untrusted: a control character moves the cursor or changes colours, a
 * bidi control or a character without width makes one URL look like another, a line that begins with `::` is a command
 * to GitHub Actions. What may be written depends on where it is written.
 */

// C0 without the layout that is ours (tab and line feed), DEL, C1, the separators of lines and paragraphs, and all
// format characters: bidi controls, zero width, soft hyphens, interlinear annotations, tags.
const HARMFUL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not get through.
  /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A line that GitHub Actions would take for a command: white space before it makes no difference there. */
const COMMAND_LINES = /^(?=\s*::)/gm;

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

type TextPlace = 'terminal' | 'json' | 'csv' | 'html' | 'annotation' | 'property';

const WRITERS: Readonly<Record<TextPlace, (text: string) => string>> = {
  /** Text for people, with tabs and line feeds as they are: `\u009b` in place of the character. */
  terminal: visible,
  /** A whole JSON text, which stays the same value. */
  json: (text) => text.replace(HARMFUL, inCodeUnits),
  /** Whole lines of CSV. What is harmful stays as it is, since it is data; for a terminal, `terminal` comes after. */
  csv: (text) => text.replace(COMMAND_LINES, "'"),
  /** Text or an attribute's value in HTML. */
  html: (text) => escapedHtml(visible(text)),
  /** The message of an annotation of GitHub Actions. */
  annotation: inAnnotation,
  /** The value of a property of an annotation. */
  property: (text) => inAnnotation(text).replaceAll(':', '%3A').replaceAll(',', '%2C'),
};

export function safeText(text: string, place: TextPlace): string {
  return WRITERS[place](text);
}

/** Nothing but the five characters that HTML wants escaped. */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML[character]!);
}

function visible(text: string): string {
  return text.replace(HARMFUL, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

function inCodeUnits(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at++) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

function inAnnotation(text: string): string {
  return visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
