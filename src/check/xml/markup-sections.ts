/** What is in text besides tags and references: comments, CDATA, instructions, and characters that are not plain. */
import { CONTROL, characterLength, MORE, startsWith, TEXT_CLASS } from './characters.ts';
import type { ReadingContext } from './fault.ts';

const DASH = 0x2d;
const GREATER = 0x3e;
const CONTROL_MESSAGES: readonly string[] = Array.from({ length: 0x20 }, (_, byte) => {
  const code = byte.toString(16).toUpperCase().padStart(4, '0');
  return `The control character U+${code} is forbidden in XML: remove it.`;
});

export interface SectionContext extends ReadingContext {
  leaveSection(): void;
}

/** A comment, up to its end or that of the bytes. @returns the place behind; `MORE` if nothing could be read */
export function readComment(context: SectionContext, bytes: Uint8Array, from: number, end: number): number {
  for (let at = from; ; ) {
    at = skipTo(DASH, context, bytes, at, end);
    if (at === end) return end;
    if (bytes[at] !== DASH) return readUpTo(at, from);
    if (at + 1 < end && bytes[at + 1] !== DASH) at++;
    else if (at + 2 >= end) return context.isFinal ? end : readUpTo(at, from);
    else if (bytes[at + 2] === GREATER) {
      context.leaveSection();
      return at + 3;
    } else {
      context.fault('bad-comment', 'A comment must not contain "--".', at);
      // In "--->" the last two dashes end the comment all the same.
      at += bytes[at + 2] === DASH ? 1 : 2;
    }
  }
}

/** CDATA or an instruction, up to its end or that of the bytes. */
export function readUntil(
  context: SectionContext,
  bytes: Uint8Array,
  from: number,
  end: number,
  closing: ']]>' | '?>',
): number {
  const first = closing.charCodeAt(0);
  for (let at = from; ; at++) {
    at = skipTo(first, context, bytes, at, end);
    if (at === end) return end;
    if (bytes[at] !== first) return readUpTo(at, from);
    if (startsWith(bytes, at, end, closing)) {
      context.leaveSection();
      return at + closing.length;
    }
    if (end - at < closing.length && !context.isFinal) return readUpTo(at, from);
  }
}

/** The place of the next `first`, of a character that is not whole yet, or of the end. */
function skipTo(
  first: number,
  context: SectionContext,
  bytes: Uint8Array,
  from: number,
  end: number,
): number {
  const classes = TEXT_CLASS;
  let at = from;
  while (at < end && bytes[at] !== first) {
    const next = classes[bytes[at]!]! < CONTROL ? at + 1 : readCharacter(context, bytes, at, end);
    if (next === MORE) return at;
    at = next;
  }
  return at;
}

function readUpTo(at: number, from: number): number {
  return at === from ? MORE : at;
}

/** A character that is not ASCII, or a control character. @param isWhole - whether no more bytes come behind `end` */
export function readCharacter(
  context: ReadingContext,
  bytes: Uint8Array,
  at: number,
  end: number,
  isWhole: boolean = context.isFinal,
): number {
  const { fault } = context;
  const byte = bytes[at]!;
  if (TEXT_CLASS[byte] === CONTROL) {
    fault('control-character', CONTROL_MESSAGES[byte]!, at);
    return at + 1;
  }
  const length = characterLength(bytes, at, end);
  if (length === 3 && byte === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2]! >= 0xbe) {
    const code = bytes[at + 2] === 0xbe ? 'FFFE' : 'FFFF';
    fault('forbidden-character', `The character U+${code} is forbidden in XML: remove it.`, at);
  } else if (length > 0 && context.isAsciiOnly) {
    context.isAsciiOnly = false;
    const message = 'This is not ASCII, which the XML declaration names as the encoding: write UTF-8 there.';
    fault('forbidden-character', message, at);
  }
  if (length > 0) return at + length;
  if (length === MORE && !isWhole) return MORE;
  fault('invalid-bytes', 'These bytes are not a character that XML allows.', at);
  return at + 1;
}
