/**
 * The beginning of a document: bytes go in until its charset and its kind are known.
 *
 * A parser goes on from there; a tree, whose pages are parsed when they are asked for, needs no more than this.
 */
import { ProblemList } from '../../problems/problem-list.ts';
import type { DocumentListeners } from '../parsed-document.ts';
import { Window } from '../window.ts';
import { type CharsetDecoder, charsetDecoder, detectCharset } from './charset.ts';
import { type Detection, detect, endsInRobotsTxt, isRobotsTxt } from './detect.ts';

export interface DetectedStart {
  readonly detection: Detection;
  /** What was read so far, as UTF-8 and without a BOM: offsets count from its first byte. */
  readonly head: Uint8Array;
}

export interface DocumentOptions extends DocumentListeners {
  readonly url: string | undefined;
  /** The charset that the HTTP header names. */
  readonly charset: string | undefined;
  /** Whether the bytes are UTF-8 whatever the document says of itself. @default false */
  readonly isUtf8?: boolean | undefined;
  /** Whether it may be a robots.txt. @default whether the URL's path ends in `/robots.txt` */
  readonly isRobotsPath?: boolean | undefined;
  /** Whether it is a robots.txt unless it is a sitemap: one redirects to it. @default by the end of the URL */
  readonly isForRobots?: boolean | undefined;
  /** Whether problems get a line and a column. @default false */
  readonly problemPositions?: boolean | undefined;
}

export class DocumentStart {
  /** Decodes the document to UTF-8, its rest too. */
  readonly text: DecodedText;
  readonly #isRobotsPath: boolean;
  readonly #isForRobots: boolean;
  readonly #undetected = new Window();

  constructor(options: DocumentOptions, problems: ProblemList) {
    this.text = new DecodedText(options, problems);
    this.#isRobotsPath = options.isRobotsPath ?? isRobotsTxt(options.url);
    this.#isForRobots = options.isForRobots === true || endsInRobotsTxt(options.url);
  }

  /** Takes in a chunk; returns the kind and the first bytes once the kind is known. */
  write(chunk: Uint8Array): DetectedStart | undefined {
    if (!this.#undetected.add(this.text.write(chunk))) return undefined;
    const detected = this.#detect(false);
    if (detected === undefined) this.#undetected.keepFrom(0);
    return detected;
  }

  /** Ends a document that was too short to show more. */
  end(): DetectedStart {
    this.#undetected.add(this.text.end());
    const detected = this.#detect(true);
    if (detected === undefined) throw new TypeError('A complete document is always of some kind.');
    return detected;
  }

  #detect(isComplete: boolean): DetectedStart | undefined {
    const head = this.#undetected.bytes;
    const detection = detect(head, isComplete, this.#isRobotsPath, this.#isForRobots);
    return detection && { detection, head };
  }
}

const NOTHING = new Uint8Array(0);
const utf8 = new TextEncoder();

/** Decodes a document chunk by chunk. One in UTF-8 is handed on as it is, invalid bytes included. */
export class DecodedText {
  readonly #httpCharset: string | undefined;
  readonly #problems: ProblemList;
  /** The first bytes, until the charset is known. */
  #head: Window | undefined;
  /** Absent for UTF-8. */
  #decoder: CharsetDecoder | undefined;
  charset = 'utf-8';
  /** Whether bytes were invalid in a charset other than UTF-8, and became U+FFFD. */
  hasInvalidBytes = false;

  constructor(
    { charset, isUtf8 }: Pick<DocumentOptions, 'charset' | 'isUtf8'>,
    problems: ProblemList = new ProblemList(),
  ) {
    this.#httpCharset = charset;
    this.#problems = problems;
    this.#head = isUtf8 === true ? undefined : new Window();
  }

  /** The text of a chunk, which may be empty: the first bytes are held back until the charset is known. */
  write(chunk: Uint8Array): Uint8Array {
    if (this.#head !== undefined) return this.#head.add(chunk) ? this.#open(this.#head, false) : NOTHING;
    return this.#decoder === undefined ? chunk : this.#inUtf8(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The rest of the text. */
  end(): Uint8Array {
    const rest = this.#head === undefined ? NOTHING : this.#open(this.#head, true);
    if (this.#decoder === undefined) return rest;
    const last = this.#inUtf8(this.#decoder.decode());
    const both = new Uint8Array(rest.length + last.length);
    both.set(rest);
    both.set(last, rest.length);
    return both;
  }

  #open(head: Window, isComplete: boolean): Uint8Array {
    const { bytes } = head;
    const decision = detectCharset(bytes, isComplete, this.#httpCharset, this.#problems);
    if (decision === undefined) {
      head.keepFrom(0);
      return NOTHING;
    }
    this.#head = undefined;
    this.charset = decision.charset;
    if (this.charset !== 'utf-8') this.#decoder = charsetDecoder(this.charset);
    return this.write(bytes.subarray(decision.bomLength));
  }

  #inUtf8(text: string): Uint8Array {
    this.hasInvalidBytes ||= text.includes('\uFFFD');
    return utf8.encode(text);
  }
}

export function* decodedText(
  chunks: Iterable<Uint8Array>,
  httpCharset?: string,
): Generator<Uint8Array, void, undefined> {
  const text = new DecodedText({ charset: httpCharset });
  for (const chunk of chunks) yield text.write(chunk);
  yield text.end();
}
