/**
 * Text of sitemaps on its way out. A sitemap is untrusted: a control character moves the cursor or changes colours, a
 * bidi control or a character without width makes one URL look like another, and a runner of GitHub Actions takes
 * commands from the log: a line that begins with `::`, or has `##[` anywhere. What may be written depends on where it is
 * written.
 */

import type { CsvSeparator } from './csv-lines.ts';

// C0 without the layout that is ours (tab and line feed), DEL, C1, the separators of lines and paragraphs, and all
// format characters: bidi controls, zero width, soft hyphens, interlinear annotations, tags.
const HARMFUL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not get through.
  /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * White space before a command makes no difference. It is that of .NET, which has U+0085 too. A line begins behind a CR
 * or LF only: `^` is also behind U+2028, so each of many in a row would begin a search of its own.
 */
const COMMAND_LINES = /(?<![^\r\n])((?:[^\S\r\n]|\x85)*):(?=:)/g;
const OLD_COMMAND = '##[';

const HTML: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }),
);

type TextPlace =
  | 'terminal'
  | 'text'
  | 'urls'
  | 'json'
  | `csv${CsvSeparator}`
  | 'xml'
  | 'html'
  | 'annotation'
  | 'property';

const WRITERS: Readonly<Record<TextPlace, (text: string) => string>> = {
  /** Text for people, with tabs and line feeds as they are: `\u009b` in place of the character. */
  terminal: (text) => WRITERS.text(visible(text)),
  /** Whole lines for people that do not go to a terminal. What else is harmful stays, since it may be data. */
  text: (text) => withoutCommands(text, '\\u003a', '\\u0023'),
  /** One URL in a line. Only a fragment can have `##[`, so the document stays the same. */
  urls: (text) => withoutCommands(text, '%3A', '%23'),
  /** A whole JSON text, which stays the same value. */
  json: (text) => text.replace(HARMFUL, inCodeUnits).replaceAll(OLD_COMMAND, '#\\u0023['),
  /** Whole lines of CSV, with this between cells. */
  'csv,': (text) => inCsv(text, /"[^"]*(?:""[^"]*)*"|[^",\n]+/g),
  'csv;': (text) => inCsv(text, /"[^"]*(?:""[^"]*)*"|[^";\n]+/g),
  // Empty cells are white space, so the sign is put behind them.
  'csv\t': (text) => inCsv(text, /"[^"]*(?:""[^"]*)*"|[^"\t\n]+/g, "$1':"),
  /** A whole XML document without CDATA sections, which stays the same. */
  xml: (text) => withoutCommands(text, '&#58;', '&#35;'),
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

/** Escapes the five characters of HTML, and no others. */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML.get(character)!);
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

/** Whole lines without a command. @param colon, hash - what a `:` and a `#` of a command become */
function withoutCommands(text: string, colon: string, hash: string): string {
  const lines = text.includes('::') ? text.replace(COMMAND_LINES, `$1${colon}`) : text;
  return lines.replaceAll(OLD_COMMAND, `#${hash}[`);
}

/** A URL, or one without the address of its site, alone, in a list or behind a language. */
const URL_IN_CELL = /^"?(?:[\w-]+=)?(?:https?:\/)?\//i;

function inCsv(text: string, cells: RegExp, command = "'$1:"): string {
  const lines = text.includes('::') ? text.replace(COMMAND_LINES, command) : text;
  if (!lines.includes(OLD_COMMAND)) return lines;
  return lines.replace(cells, (cell) =>
    cell
      .split(' ')
      .map((word) => word.replaceAll(OLD_COMMAND, URL_IN_CELL.test(word) ? '#%23[' : "#'#["))
      .join(' '),
  );
}

function inAnnotation(text: string): string {
  return visible(text).replaceAll(OLD_COMMAND, '#\\u0023[').replaceAll('%', '%25').replaceAll('\n', '%0A');
}
