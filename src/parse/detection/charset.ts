/**
 * Which charset a document is in, and to UTF-8.
 *
 * In this order: a BOM; the pattern of zero bytes that UTF-16 and UTF-32 cannot hide; the charset of the HTTP
 * header; the XML declaration; UTF-8. Each is a claim, which loses where the bytes speak against it and for the next:
 * servers add a charset to everything, and generators copy declarations. Unknown labels are ignored, with a problem.
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import { clip } from '../../text/wording.ts';
import { LT } from '../values/byte-codes.ts';

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
  if (bom?.charset === 'utf-8') return bom;
  const bomLength = bom?.bomLength ?? 0;
  const zeroes = patternOfZeroes(start.subarray(bomLength));
  if (bom !== undefined && bom.charset !== zeroes) reportWrong(bom.charset, problems);
  if (zeroes !== undefined) return { charset: zeroes, bomLength };

  const http = knownCharset(httpCharset, 'The HTTP header', problems);
  const declared = knownCharset(declaredCharset(start.subarray(bomLength)), 'The XML declaration', problems);
  const claims = [http, declared].filter((claim) => claim !== undefined);
  // UTF-16 would have shown itself above.
  const possible = claims.filter((claim) => !claim.startsWith('utf-16'));
  const [first = 'utf-8'] = possible;
  const isInDoubt = possible.some((claim) => claim !== 'utf-8');
  if (isInDoubt && head.length < CHARSET_WINDOW && !isComplete) return undefined;
  const charset = isInDoubt ? likeliest(head.subarray(0, CHARSET_WINDOW), first, possible) : first;
  // What servers add to everything is not a claim of the document.
  const isWrong = charset !== first && !(charset === declared && isSingleByte(first));
  if (possible.length < claims.length) reportWrong('utf-16', problems);
  else if (isWrong) reportWrong(first, problems);
  return { charset, bomLength };
}

function reportWrong(claim: string, problems: ProblemList): void {
  const message = `The document declares ${claim}, but its bytes are not in it; ignored.`;
  problems.addOnce('wrong-charset', message, 0);
}

/** The first claim, unless the bytes speak against it and for another one, or for UTF-8. */
function likeliest(bytes: Uint8Array, first: string, claims: readonly string[]): string {
  const isSingle = isSingleByte(first);
  // Any bytes are valid in most of those: one loses to what could hardly be valid by chance.
  const isFine = isSingle
    ? !claims.includes('utf-8') && bytes.every((byte) => byte < 0x80)
    : first === 'utf-8'
      ? isMostlyUtf8(bytes)
      : isValid(bytes, first);
  if (isFine) return first;
  const others = [...claims, 'utf-8'].filter((claim) => !isSingle || !isSingleByte(claim));
  return others.find((claim) => isValid(bytes, claim)) ?? first;
}

/** A text that was cut inside a character, or pasted from elsewhere, does not make another charset of the document. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  return text.split('\uFFFD').length <= text.split(/[\u0080-\uFFFC]/).length;
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

function patternOfZeroes(bytes: Uint8Array): string | undefined {
  const length = bytes.length - (bytes.length % 4);
  if (length === 0) return undefined;
  const zeroes = [0, 0, 0, 0];
  const highest = [0, 0, 0, 0];
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === 0) zeroes[at % 4]! += 4 / length;
    else highest[at % 4] = Math.max(highest[at % 4]!, byte);
  }
  // The last character is U+10FFFF.
  if (highest[3] === 0 && highest[2]! <= 0x10) return 'utf-32le';
  if (highest[0] === 0 && highest[1]! <= 0x10) return 'utf-32be';
  // A tag, and what follows may be in any script.
  const [a, b, c, d] = bytes;
  if (a === LT && b === 0 && d === 0) return 'utf-16le';
  if (a === 0 && b === LT && c === 0) return 'utf-16be';
  // Sitemaps are mostly ASCII, so every second byte of UTF-16 is zero, always on the same side. Other scripts leave
  // fewer zeroes; tags and addresses leave enough.
  const [first, second, third, fourth] = zeroes as [number, number, number, number];
  if (second + fourth > 0.6 && first + third < 0.1) return 'utf-16le';
  if (first + third > 0.6 && second + fourth < 0.1) return 'utf-16be';
  return undefined;
}

// It is in front, or behind a warning of PHP; never behind a root.
function declaredCharset(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start);
  const [prolog = ''] = text.split(/<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|rdf)\b/i, 1);
  return /<\?xml\s[^<>]*?encoding\s*=\s*["']?\s*([\w.:-]+)/i.exec(prolog)?.[1];
}

function knownCharset(label: string | undefined, who: string, problems: ProblemList): string | undefined {
  const bare = label?.trim().replace(/^["']|["']$/g, '');
  if (bare === undefined || bare === '') return undefined;
  try {
    const { encoding } = new TextDecoder(bare);
    // WHATWG decodes both as GB18030; Node's GBK has no characters of four bytes.
    return encoding === 'gbk' ? 'gb18030' : encoding;
  } catch {
    problems.addOnce(
      'unknown-charset',
      `${who} names an unknown charset, "${clip(bare, 50)}"; it was ignored.`,
    );
    return undefined;
  }
}

function isSingleByte(charset: string): boolean {
  return /^(?:windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/.test(charset);
}

function isValid(bytes: Uint8Array, charset: string): boolean {
  try {
    // In stream mode, a character that the window's end divides is not an error.
    new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export interface CharsetDecoder {
  decode(chunk?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

/** What decodes a charset; what is invalid in it becomes U+FFFD. */
export function charsetDecoder(charset: string): CharsetDecoder {
  if (charset.startsWith('utf-32')) return new Utf32Decoder(charset === 'utf-32le');
  return new TextDecoder(charset, { ignoreBOM: true });
}

/** UTF-32, which `TextDecoder` does not know. */
class Utf32Decoder implements CharsetDecoder {
  readonly #isLittleEndian: boolean;
  #code = 0;
  #bytes = 0;

  constructor(isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
  }

  decode(chunk: Uint8Array = new Uint8Array(0), options: { readonly stream?: boolean } = {}): string {
    let text = '';
    for (const byte of chunk) {
      const before = this.#code;
      this.#code = this.#isLittleEndian ? (before >>> 8) | (byte << 24) : (before << 8) | byte;
      if (++this.#bytes % 4 !== 0) continue;
      const code = this.#code >>> 0;
      text += code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\uFFFD' : String.fromCodePoint(code);
    }
    return options.stream !== true && this.#bytes % 4 !== 0 ? `${text}\uFFFD` : text;
  }
}
