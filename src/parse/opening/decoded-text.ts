/** The text that offsets count in: a document as UTF-8, without its byte order mark. */
import { ProblemList } from '../../problems/problem-list.ts';
import { detectCharset, Transcoder } from './charset.ts';
import { Head } from './head.ts';

const NOTHING = new Uint8Array(0);

/**
 * Decodes a document chunk by chunk, as the parser does. A document in UTF-8 is handed on as it is, invalid bytes
 * included.
 */
export class DecodedText {
  readonly #httpCharset: string | undefined;
  readonly #problems = new ProblemList();
  #head: Head | undefined;
  #transcoder: Transcoder | undefined;

  /**
   * @param charset - where it is known what the document is in; a byte order mark is not expected then
   * @param httpCharset - the charset that came with it, from an HTTP header for example
   */
  constructor(charset?: 'utf-8', httpCharset?: string) {
    this.#httpCharset = httpCharset;
    this.#head = charset === undefined ? new Head() : undefined;
  }

  /** The text of a chunk, which may be empty: the first bytes are held back until the charset is known. */
  write(chunk: Uint8Array): Uint8Array {
    if (this.#head === undefined) return this.#transcoder?.write(chunk) ?? chunk;
    this.#head.append(chunk);
    return this.#open(this.#head.bytes, false);
  }

  /** The rest of the text. */
  end(): Uint8Array {
    const rest = this.#head === undefined ? NOTHING : this.#open(this.#head.bytes, true);
    const last = this.#transcoder?.end() ?? NOTHING;
    if (last.length === 0) return rest;
    const both = new Uint8Array(rest.length + last.length);
    both.set(rest);
    both.set(last, rest.length);
    return both;
  }

  #open(bytes: Uint8Array, isComplete: boolean): Uint8Array {
    const decision = detectCharset(bytes, isComplete, this.#httpCharset, this.#problems);
    if (decision === undefined) return NOTHING;
    this.#head = undefined;
    if (decision.charset !== 'utf-8') this.#transcoder = new Transcoder(decision.charset);
    const text = bytes.subarray(decision.bomLength);
    return this.#transcoder?.write(text) ?? text;
  }
}

/** The text of a document that is available as a whole. */
export function* decodedText(
  chunks: Iterable<Uint8Array>,
  httpCharset?: string,
): Generator<Uint8Array, void, undefined> {
  const text = new DecodedText(undefined, httpCharset);
  for (const chunk of chunks) yield text.write(chunk);
  yield text.end();
}
