/**
 * One zlib stream, fed a chunk at a time and drained before the next, so that nothing piles up on either
 * side and nothing that was inflated is lost when the data, or the connection behind it, breaks.
 *
 * @packageDocumentation
 */
import type { BrotliDecompress, InflateRaw } from 'node:zlib';

/**
 * Output in pieces of this size. With zlib's default of 16 kB, handling the pieces costs more than inflating; with 256 kB,
 * those of the documents that wait for their turn make a stream of 52 full sitemaps peak 30 MiB higher.
 */
export const INFLATE_CHUNK: number = 64 * 1024;

export class ZlibPump {
  readonly #stream: InflateRaw | BrotliDecompress;
  #wake: () => void = () => {};
  #closed = false;
  #error: Error | undefined;
  #ended = false;

  constructor(stream: InflateRaw | BrotliDecompress) {
    this.#stream = stream;
    stream.on('readable', () => this.#wake());
    stream.on('end', () => this.#wake());
    stream.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
    stream.on('error', (error) => {
      this.#error = error;
      this.#wake();
    });
  }

  /** Whether the compressed data is known to have come to its own end: zlib left some input untouched. */
  get ended(): boolean {
    return this.#ended;
  }

  /** How much compressed data was used; at the end, what follows it is not counted. */
  get consumed(): number {
    return this.#stream.bytesWritten;
  }

  /** Feeds one chunk; yields all that it inflates to. Throws zlib's error when the data is corrupt. */
  async *feed(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    const before = this.consumed;
    let taken = false;
    this.#stream.write(chunk, () => {
      taken = true;
      this.#wake();
    });
    for (;;) {
      const output: Uint8Array | null = this.#stream.read();
      if (output !== null) {
        yield output;
        continue;
      }
      if (this.#error !== undefined) throw this.#error;
      if (taken || this.#closed || this.#stream.readableEnded) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#ended = this.consumed - before < chunk.length;
  }

  /**
   * Whether the data was complete, once all of it was fed. zlib has no word for it, but at its end it leaves
   * a further byte alone, and before its end it does not.
   */
  async isComplete(): Promise<boolean> {
    if (this.#ended) return true;
    try {
      for await (const _ of this.feed(Uint8Array.of(0))) {
        // Whatever the byte decodes to is not the document's.
      }
    } catch {
      return false;
    }
    return this.#ended;
  }

  close(): void {
    this.#stream.destroy();
  }
}
