/**
 * One zlib stream and the bytes that it takes: fed a chunk at a time and drained before the next, so that nothing piles
 * up on either side and nothing that was inflated is lost when the data, or the connection behind it, breaks.
 */
import type { Transform } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import type { ByteReader } from './byte-reader.ts';

/**
 * Output in pieces of this size. With zlib's default of 16 kB, handling the pieces costs more than inflating; with
 * 256 kB, a stream of 52 full sitemaps peaks 30 MiB higher, because every document that waits holds one piece.
 */
export const INFLATE_CHUNK: number = 64 * 1024;

export const rawInflate = (): ZlibStream => createInflateRaw({ chunkSize: INFLATE_CHUNK });

export type ZlibStream = Transform & {
  /** How many bytes of the input were used. */
  readonly bytesWritten: number;
};

export class ZlibPump {
  readonly #stream: ZlibStream;
  readonly #source: ByteReader;
  readonly #mostRemembered: number;
  #wake: () => void = () => {};
  #error: Error | undefined;
  /** The last chunk that was fed, and how much of all input was used before it. */
  #last: Uint8Array = new Uint8Array(0);
  #usedBefore = 0;
  #isTaken = true;
  /** All input so far, to begin anew after a fault; none once it is too much. */
  readonly remembered: Uint8Array[] = [];
  fedBytes = 0;
  /** Whether the compressed data has come to its own end: zlib left some input unused, which is in the source again. */
  ended = false;

  /** @param mostRemembered - bytes of input, besides the first chunk */
  constructor(stream: ZlibStream, source: ByteReader, mostRemembered = 0) {
    this.#stream = stream;
    this.#source = source;
    this.#mostRemembered = mostRemembered;
    const wake = (): void => this.#wake();
    stream.on('readable', wake).on('end', wake).on('close', wake);
    stream.on('error', (error) => {
      this.#error = error;
      wake();
    });
  }

  /**
   * The next piece of what the source inflates to; `undefined` at the end of the compressed data, or of the source.
   *
   * @throws zlib's error when the data is corrupt, and that of the source
   */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const output = await this.#drained();
      if (output !== undefined || this.ended) return output;
      const chunk = await this.#source.read();
      if (chunk === undefined) return undefined;
      const isFirst = this.fedBytes === 0;
      this.fedBytes += chunk.length;
      if (isFirst || this.fedBytes <= this.#mostRemembered) this.remembered.push(chunk);
      else this.remembered.length = 0;
      if (chunk.length > 0) this.#feed(chunk);
    }
  }

  #feed(chunk: Uint8Array): void {
    this.#last = chunk;
    this.#usedBefore = this.#stream.bytesWritten;
    this.#isTaken = false;
    this.#stream.write(chunk, () => {
      this.#isTaken = true;
      this.#wake();
    });
  }

  /** The next piece of what the last chunk inflates to, or `undefined` once there is no more. */
  async #drained(): Promise<Uint8Array | undefined> {
    for (;;) {
      const output: Uint8Array | null = this.#stream.read();
      if (output !== null) return output;
      if (this.#error !== undefined) throw this.#error;
      if (this.#isTaken || this.#stream.closed || this.#stream.readableEnded) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const unused = this.#last.subarray(this.#stream.bytesWritten - this.#usedBefore);
    if (unused.length > 0 && !this.ended) {
      this.ended = true;
      this.#source.unread(unused);
    }
    return undefined;
  }

  /**
   * Whether the data was complete, once all of it was fed. zlib does not report it, but at the end of the data it
   * leaves a further byte unused, and before the end it does not. zstd expects another frame at its end.
   */
  async isComplete(): Promise<boolean> {
    if (this.ended) return true;
    this.#feed(Uint8Array.of(0));
    try {
      // What the byte decodes to does not belong to the document.
      while ((await this.#drained()) !== undefined);
    } catch (error) {
      return isUnknownFrame(error);
    }
    return this.ended;
  }

  close(): void {
    this.#stream.destroy();
  }
}

/** Whether zlib itself objected to the data (and not the connection behind it). */
export function isZlibError(error: unknown): boolean {
  return /^(?:Z_|ERR__ERROR_|ERR_BROTLI|ZSTD_error_)/.test(codeOf(error));
}

/** Whether zstd has found something else where a frame would start: at the very start, or behind a complete frame. */
export function isUnknownFrame(error: unknown): boolean {
  return codeOf(error) === 'ZSTD_error_prefix_unknown';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
