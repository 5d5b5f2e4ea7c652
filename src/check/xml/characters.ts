/** Characters and names, as XML 1.0 (fifth edition) allows them. The text of a reader has a character for each byte. */

export function isCharacter(code: number): boolean {
  return (
    code === 0x09 ||
    code === 0x0a ||
    code === 0x0d ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x1_0000 && code <= 0x10_ffff)
  );
}

const NAME_START: string = [
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}',
  '\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}',
  '\\u{10000}-\\u{EFFFF}',
].join('');
const NAME = new RegExp(
  `^[${NAME_START}][${NAME_START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*$`,
  'u',
);
const ASCII_NAME = /^[A-Za-z_:][\w:.-]*$/;
const NAME_BYTES = /[\w:.\-\x80-\xff]*/y;

/** The index after the last character that can belong to a name. */
export function nameEnd(text: string, from: number): number {
  NAME_BYTES.lastIndex = from;
  NAME_BYTES.test(text);
  return NAME_BYTES.lastIndex;
}

export function isName(text: string): boolean {
  return ASCII_NAME.test(text) || (/[\x80-\xff]/.test(text) && isNameInUtf8(text));
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const tolerant = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes the bytes of a text as UTF-8. */
export function decodeUtf8(text: string): string {
  return tolerant.decode(bytesOf(text));
}

function isNameInUtf8(text: string): boolean {
  try {
    return NAME.test(strict.decode(bytesOf(text)));
  } catch {
    return false;
  }
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (byte) => byte.charCodeAt(0));
}
