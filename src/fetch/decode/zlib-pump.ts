/**
 * One zlib stream, fed a chunk at a time and drained before the next, so that nothing piles up on either side and
 * nothing that was inflated is lost when the data, or the connection behind it, breaks.
 */
import type { Transform } from 'node:stream';

/**
 * Output in pieces of this size. With zlib's default of 16 kB, handling the pieces costs more than inflating; with
 * 256 kB, a stream of 52 full sitemaps peaks 30 MiB higher, because every document that waits holds one piece.
 */
export const INFLATE_CHUNK: number = 64 * 1024;

export type ZlibStream = Transform & {
  /** How many bytes of the input were used. */
  readonly bytesWritten: number;
};

export class ZlibPump {
  readonly #stream: ZlibStream;
  #wake: () => void = () => {};
  #error: Error | undefined;
  /** How much of the current chunk zlib has not reported as used. */
  #fed = 0;
  #usedBefore = 0;
  #isTaken = true;
  /** Whether the compressed data has come to its own end: zlib left some input unused. */
  ended = false;

  constructor(stream: ZlibStream) {
    this.#stream = stream;
    const wake = (): void => this.#wake();
    stream.on('readable', wake).on('end', wake).on('close', wake);
    stream.on('error', (error) => {
      this.#error = error;
      wake();
    });
  }

  /** How many bytes of the last chunk follow the end of the compressed data. */
  get unused(): number {
    return this.ended ? this.#fed - (this.#stream.bytesWritten - this.#usedBefore) : 0;
  }

  /** Feeds one chunk, once everything that the chunk before inflates to was read. */
  feed(chunk: Uint8Array): void {
    this.#fed = chunk.length;
    this.#usedBefore = this.#stream.bytesWritten;
    this.#isTaken = false;
    this.#stream.write(chunk, () => {
      this.#isTaken = true;
      this.#wake();
    });
  }

  /**
   * The next piece of what the fed chunk inflates to, or `undefined` once there is no more.
   *
   * @throws zlib's error when the data is corrupt
   */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const output: Uint8Array | null = this.#stream.read();
      if (output !== null) return output;
      if (this.#error !== undefined) throw this.#error;
      if (this.#isTaken || this.#stream.closed || this.#stream.readableEnded) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.ended = this.#stream.bytesWritten - this.#usedBefore < this.#fed;
    return undefined;
  }

  /**
   * Whether the data was complete, once all of it was fed. zlib does not report it, but at the end of the data it
   * leaves a further byte unused, and before the end it does not. zstd expects another frame at its end.
   */
  async isComplete(): Promise<boolean> {
    if (this.ended) return true;
    this.feed(Uint8Array.of(0));
    try {
      // What the byte decodes to does not belong to the document.
      while ((await this.read()) !== undefined);
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
