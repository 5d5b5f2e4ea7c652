/** Faults: places at which a document is not well-formed. */

import { clip } from '../../text/wording.ts';
import { decodeUtf8 } from './characters.ts';

/**
 * Every kind of fault. Faults that the parser reports, too, have the name of its problem: see {@link PARSER_FAULTS}.
 */
export type FaultCode =
  | (typeof PARSER_FAULTS)[number]
  | 'attribute-repeated'
  | 'attribute-syntax'
  | 'bad-comment'
  | 'bad-declaration'
  | 'bad-doctype'
  | 'bad-instruction'
  | 'bad-name'
  | 'bad-namespace'
  | 'bad-reference'
  | 'cdata-end-in-text'
  | 'cdata-outside-root'
  | 'forbidden-character'
  | 'less-than-in-attribute'
  | 'no-root'
  | 'too-long'
  | 'unknown-charset'
  | 'unknown-entity'
  | 'xml-declaration-late';

/** The faults that have the name of a problem of the parser, which is a rule. */
export const PARSER_FAULTS = [
  'bare-ampersand',
  'control-character',
  'entity-dropped',
  'junk-after-root',
  'literal-less-than',
  'mis-nested-tag',
  'nesting-too-deep',
  'second-root',
  'tag-cut-short',
  'text-before-root',
  'truncated',
  'unclosed-tag',
  'undeclared-prefix',
] as const;

/**
 * A message that takes work is a function, since most of millions of faults are only counted. It is valid only during
 * the report.
 */
type FaultMessage = string | (() => string);

/** The rules that faults are reported under, but for those about the XML declaration. */
export const FAULT_RULES: ReadonlySet<string> = new Set([...PARSER_FAULTS, 'not-well-formed']);

export interface Fault {
  readonly code: FaultCode;
  /** Says what is wrong, and what to write instead. */
  readonly message: FaultMessage;
  /** In bytes of the text as UTF-8, behind a byte order mark. */
  readonly offset: number;
  /** Another place that explains it: the start tag that a closing tag does not match. */
  readonly related?: number | undefined;
}

export type ReportFault = (code: FaultCode, message: FaultMessage, offset: number, related?: number) => void;

export function messageOf(message: FaultMessage): string {
  return typeof message === 'string' ? message : message();
}

/** How many characters of a quoted text are read: a document can have megabytes there. */
const MOST_QUOTED = 1000;

/** The start of a text, in one line. */
export function excerpt(bytes: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into a message.
  const line = decodeUtf8(bytes.slice(0, MOST_QUOTED)).replace(/[\u0000-\u001f\u007f\s]+/gu, ' ');
  return clip(line, 60);
}

export function quoted(bytes: string): string {
  return `"${excerpt(bytes)}"`;
}
