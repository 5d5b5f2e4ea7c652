/** The text that offsets count in: a document as UTF-8, without its byte order mark. */
import { ProblemList } from '../../problems/problem-list.ts';
import { detectCharset, Transcoder } from './charset.ts';
import { Head } from './head.ts';

/**
 * Decodes a document chunk by chunk, as the parser does. A document in UTF-8 is handed on as it is, invalid bytes
 * included.
 *
 * @param httpCharset - the charset that came with it, from an HTTP header for example
 */
export function* decodedText(
  chunks: Iterable<Uint8Array>,
  httpCharset?: string,
): Generator<Uint8Array, void, undefined> {
  let head: Head | undefined = new Head();
  let transcoder: Transcoder | undefined;
  const problems = new ProblemList();
  const open = (bytes: Uint8Array, isComplete: boolean): Uint8Array | undefined => {
    const decision = detectCharset(bytes, isComplete, httpCharset, problems);
    if (decision === undefined) return undefined;
    head = undefined;
    if (decision.charset !== 'utf-8') transcoder = new Transcoder(decision.charset);
    const text = bytes.subarray(decision.bomLength);
    return transcoder?.write(text) ?? text;
  };
  for (const chunk of chunks) {
    head?.append(chunk);
    const text = head === undefined ? (transcoder?.write(chunk) ?? chunk) : open(head.bytes, false);
    if (text !== undefined) yield text;
  }
  const rest = head === undefined ? undefined : open(head.bytes, true);
  if (rest !== undefined) yield rest;
  if (transcoder !== undefined) yield transcoder.end();
}
