/** What a caller gives: a document as chunks of bytes, and what is said about it, checked. */
import { badInput, SitemapException } from '../problems/errors.ts';

/** The part of a WHATWG `ReadableStream` that is needed, as the `body` of a `Response` has it. */
export interface ReadableStreamLike {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<unknown>;
    releaseLock?(): void;
  };
}

/**
 * How many bytes are parsed before their items are handed out: some two hundred pages, nearly all of which are dead
 * before V8 looks for garbage.
 */
const PIECE_BYTES = 32 * 1024;

/** Bytes in pieces that are parsed one at a time. */
export function* pieces(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** A text as UTF-8, in pieces that are parsed one at a time. */
export function* utf8Pieces(text: string): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  // Offsets count from behind a byte order mark.
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; ) {
    let end = Math.min(at + PIECE_BYTES, text.length);
    // A pair of surrogates is one character: it goes into one piece.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end++;
    yield encoder.encode(text.slice(at, end));
    at = end;
  }
}

export async function* chunksOf(stream: ReadableStreamLike): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      if (value !== undefined) yield value;
    }
  } finally {
    // A caller that stops early needs no more of it, nor the error that cancelling may give.
    if (!isDone) await reader.cancel().catch(() => {});
    reader.releaseLock?.();
  }
}

// Buffers and bytes may come from another realm (a frame, a worker, a vm), where `instanceof` does not know them.
export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && 'BYTES_PER_ELEMENT' in value && value.BYTES_PER_ELEMENT === 1;
}

export function checkChunk(chunk: unknown): Uint8Array {
  if (isBytes(chunk)) return chunk;
  throw badInput('The input of parseSitemap must consist of bytes: every chunk a Uint8Array.');
}

interface CallerOptions {
  readonly url?: string | URL | undefined;
  readonly charset?: string | undefined;
}

/**
 * Checks both and makes the address a string.
 *
 * @throws SitemapException with code `bad-url` or `bad-charset`
 */
export function checkedOptions({ url, charset }: CallerOptions): {
  url: string | undefined;
  charset: string | undefined;
} {
  if (charset !== undefined && typeof charset !== 'string') {
    throw new SitemapException('The option charset must be a string, as "utf-8".', { code: 'bad-charset' });
  }
  if (url === undefined) return { url: undefined, charset };
  try {
    return { url: new URL(url).href, charset };
  } catch (cause) {
    // What was given need not be a string, nor become one.
    const quotedUrl = typeof url === 'string' ? `, not "${url}"` : '';
    throw new SitemapException(
      `The option url must be an absolute URL, as "https://example.org/sitemap.xml"${quotedUrl}.`,
      { code: 'bad-url', url: typeof url === 'string' ? url : undefined, cause },
    );
  }
}
