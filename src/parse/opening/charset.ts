/**
 * Which charset a document is in, and to UTF-8.
 *
 * In this order: a BOM; the pattern of zero bytes that UTF-16 and UTF-32 cannot hide; the charset of the HTTP
 * header; the XML declaration; UTF-8. A claim of UTF-16 holds only if the zero bytes agree. A single-byte HTTP
 * charset, which many servers add to everything, loses to a declared UTF-8 that is valid. Unknown labels
 * are ignored, with a problem.
 */
import type { ProblemList } from '../../problems/problem-list.ts';

/** How much of a document is looked at for its charset. */
const CHARSET_WINDOW = 64 * 1024;
/** How much is enough where nothing contradicts: a BOM, a declaration. */
const SHORT_WINDOW = 1024;

interface CharsetDecision {
  readonly charset: string;
  readonly bomLength: number;
}

/** Decides on a charset; undefined while more of the document is needed. */
export function detectCharset(
  head: Uint8Array,
  isComplete: boolean,
  httpCharset: string | undefined,
  problems: ProblemList,
): CharsetDecision | undefined {
  if (head.length < SHORT_WINDOW && !isComplete) return undefined;
  // A fixed window, so that the decision does not depend on how the input is cut.
  const start = head.subarray(0, SHORT_WINDOW);
  const bom = bomOf(start);
  const zeroes = patternOfZeroes(bom === undefined ? start : start.subarray(bom.bomLength));
  if (bom !== undefined) {
    if (bom.charset === 'utf-8' || zeroes === bom.charset) return bom;
    problems.addOnce(
      'wrong-charset',
      `A byte order mark claims ${bom.charset}, but the bytes are not; it was ignored.`,
      0,
    );
  }
  const bomLength = bom?.bomLength ?? 0;
  if (zeroes !== undefined) return { charset: zeroes, bomLength };

  const declared = declaredCharset(start.subarray(bomLength));
  const http = knownCharset(httpCharset, 'The HTTP header', problems);
  if (http !== undefined && !http.startsWith('utf-16')) {
    if (!isSingleByte(http) || !isUtf8Label(declared)) return { charset: http, bomLength };
    if (head.length < CHARSET_WINDOW && !isComplete) return undefined;
    return { charset: isValidUtf8(head.subarray(0, CHARSET_WINDOW)) ? 'utf-8' : http, bomLength };
  }
  const fromDeclaration = knownCharset(declared, 'The XML declaration', problems);
  for (const claim of [http, fromDeclaration]) {
    if (claim?.startsWith('utf-16')) {
      problems.addOnce(
        'wrong-charset',
        `The document claims to be ${claim}, but its bytes are not; that was ignored.`,
        0,
      );
    }
  }
  if (fromDeclaration !== undefined && !fromDeclaration.startsWith('utf-16'))
    return { charset: fromDeclaration, bomLength };
  return { charset: 'utf-8', bomLength };
}

function bomOf(bytes: Uint8Array): CharsetDecision | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { charset: 'utf-8', bomLength: 3 };
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return { charset: 'utf-32le', bomLength: 4 };
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { charset: 'utf-32be', bomLength: 4 };
  if (a === 0xff && b === 0xfe) return { charset: 'utf-16le', bomLength: 2 };
  if (a === 0xfe && b === 0xff) return { charset: 'utf-16be', bomLength: 2 };
  return undefined;
}

// Sitemaps are mostly ASCII, so every second byte of UTF-16 is zero, always on the same side.
function patternOfZeroes(bytes: Uint8Array): string | undefined {
  const counts = [0, 0, 0, 0];
  const length = bytes.length - (bytes.length % 4);
  if (length === 0) return undefined;
  for (let at = 0; at < length; at++) if (bytes[at] === 0) counts[at % 4] = (counts[at % 4] ?? 0) + 1;
  const quarter = length / 4;
  const [first = 0, second = 0, third = 0, fourth = 0] = counts.map((count) => count / quarter);
  if (second === 1 && third === 1 && fourth === 1) return 'utf-32le';
  if (first === 1 && second === 1 && third === 1) return 'utf-32be';
  // Other scripts leave fewer zeroes; tags and addresses leave enough.
  if (second + fourth > 0.6 && first + third < 0.1) return 'utf-16le';
  if (first + third > 0.6 && second + fourth < 0.1) return 'utf-16be';
  return undefined;
}

function declaredCharset(start: Uint8Array): string | undefined {
  // It ends with the first tag: most often that is short, and to make a text of bytes takes time.
  const end = start.indexOf(0x3e);
  const text = String.fromCharCode(...start.subarray(0, end < 0 ? 512 : Math.min(end, 512)));
  return /^\s*<\?xml\s[^<>]*?encoding\s*=\s*["']?\s*([\w.:-]+)/i.exec(text)?.[1];
}

function knownCharset(label: string | undefined, who: string, problems: ProblemList): string | undefined {
  const bare = label?.trim().replace(/^["']|["']$/g, '');
  if (bare === undefined || bare === '') return undefined;
  try {
    return new TextDecoder(bare).encoding;
  } catch {
    problems.addOnce(
      'unknown-charset',
      `${who} names an unknown charset, "${bare.slice(0, 50)}"; it was ignored.`,
    );
    return undefined;
  }
}

function isSingleByte(charset: string): boolean {
  return /^(?:windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/.test(charset);
}

function isUtf8Label(label: string | undefined): boolean {
  return label !== undefined && /^utf-?8$/i.test(label);
}

function isValidUtf8(bytes: Uint8Array): boolean {
  try {
    // In stream mode, a character that the window's end divides is not an error.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export class Transcoder {
  readonly charset: string;
  readonly #decoder: { decode(chunk?: Uint8Array, options?: { stream?: boolean }): string };
  readonly #encoder = new TextEncoder();
  #hasInvalidBytes = false;

  constructor(charset: string) {
    this.charset = charset;
    this.#decoder = charset.startsWith('utf-32')
      ? new Utf32Decoder(charset === 'utf-32le')
      : new TextDecoder(charset, { ignoreBOM: true });
  }

  /** Whether bytes were invalid in the charset and became U+FFFD. */
  get hasInvalidBytes(): boolean {
    return this.#hasInvalidBytes;
  }

  write(chunk: Uint8Array): Uint8Array {
    return this.#encode(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): Uint8Array {
    return this.#encode(this.#decoder.decode());
  }

  #encode(text: string): Uint8Array {
    this.#hasInvalidBytes ||= text.includes('\uFFFD');
    return this.#encoder.encode(text);
  }
}

/** UTF-32, which `TextDecoder` does not know. */
class Utf32Decoder {
  readonly #isLittleEndian: boolean;
  #rest: number[] = [];

  constructor(isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
  }

  decode(chunk: Uint8Array = new Uint8Array(0), options: { stream?: boolean } = {}): string {
    let text = '';
    const rest = this.#rest;
    for (const byte of chunk) {
      rest.push(byte);
      if (rest.length < 4) continue;
      const [a = 0, b = 0, c = 0, d = 0] = this.#isLittleEndian ? rest.reverse() : rest;
      const code = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
      text += code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\uFFFD' : String.fromCodePoint(code);
      rest.length = 0;
    }
    if (options.stream !== true && rest.length > 0) text += '\uFFFD';
    return text;
  }
}
