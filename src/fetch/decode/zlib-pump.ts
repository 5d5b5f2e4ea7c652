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

/** Input in pieces of at most this size: after a fault, a piece is inflated again byte by byte. */
const PIECE_BYTES = 16 * 1024;

/**
 * How much input is remembered; also how far the {@link Follower} may be behind. Data of more than this is inflated
 * twice, so hardly any sitemap has as much: 50 MB of XML are 3 to 5 MB of gzip.
 */
const REMEMBERED_BYTES = 4 * 1024 * 1024;

/** How many bytes of its input a decoder may hold back as bits of the next symbols: 8, and some to be sure. */
const HELD_BYTES = 16;

export const rawInflate = (): ZlibStream => createInflateRaw({ chunkSize: INFLATE_CHUNK });

export type ZlibStream = Transform & {
  /** How many bytes of the input were used. */
  readonly bytesWritten: number;
};

export class ZlibPump {
  readonly #stream: FedStream;
  readonly #source: ByteReader;
  readonly #follower: Follower | undefined;
  #outputBytes = 0;
  fedBytes = 0;
  /** Whether the compressed data has come to its own end: zlib left some input unused, which is in the source again. */
  ended = false;

  /** @param createAnother - creates a stream of the same kind, for {@link salvaged}; absent where that is not called */
  constructor(stream: ZlibStream, source: ByteReader, createAnother?: () => ZlibStream) {
    this.#stream = new FedStream(stream);
    this.#source = source;
    this.#follower = createAnother && new Follower(createAnother);
  }

  /** All input so far; `undefined` if it was not remembered, or was too much. */
  get input(): Uint8Array | undefined {
    const remembered = this.#follower?.remembered;
    return remembered?.length === this.fedBytes ? remembered : undefined;
  }

  /**
   * The next piece of what the source inflates to; `undefined` at the end of the compressed data, or of the source.
   *
   * @throws zlib's error when the data is corrupt (see {@link salvaged}), and that of the source
   */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const output = await this.#nextOutput();
      this.#outputBytes += output?.length ?? 0;
      if (output !== undefined || this.ended) return output;
      const chunk = await this.#source.read();
      if (chunk === undefined) return undefined;
      const piece = chunk.subarray(0, PIECE_BYTES);
      if (piece.length < chunk.length) this.#source.unread(chunk.subarray(PIECE_BYTES));
      if (piece.length === 0) continue;
      this.fedBytes += piece.length;
      await this.#follower?.remember(piece);
      this.#stream.feed(piece);
    }
  }

  async #nextOutput(): Promise<Uint8Array | undefined> {
    const output = await this.#stream.next();
    const { unused } = this.#stream;
    if (output === undefined && unused.length > 0 && !this.ended) {
      this.ended = true;
      this.#source.unread(unused);
    }
    return output;
  }

  /** After zlib's error: what the data inflates to between the last output and the fault. */
  async *salvaged(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#follower) yield* this.#follower.inflateRest(this.#stream.usedBytes, this.#outputBytes);
  }

  /**
   * Whether the data was complete, once all of it was fed. zlib does not report it, but at the end of the data it
   * leaves a further byte unused, and before the end it does not. zstd expects another frame at its end.
   */
  async isComplete(): Promise<boolean> {
    if (this.ended) return true;
    this.#stream.feed(Uint8Array.of(0));
    try {
      // What the byte decodes to does not belong to the document.
      while ((await this.#nextOutput()) !== undefined);
    } catch (error) {
      return isUnknownFrame(error);
    }
    return this.ended;
  }

  close(): void {
    this.#stream.close();
    this.#follower?.close();
  }
}

/** A zlib stream that gets a chunk only after everything before it was drained. */
class FedStream {
  readonly #stream: ZlibStream;
  #wake: () => void = () => {};
  #error: Error | undefined;
  /** The last chunk that was fed, and how much of all input was used before it. */
  #last: Uint8Array = new Uint8Array(0);
  #usedBefore = 0;
  #isTaken = true;

  constructor(stream: ZlibStream) {
    this.#stream = stream;
    const wake = (): void => this.#wake();
    stream.on('readable', wake).on('end', wake).on('close', wake);
    stream.on('error', (error) => {
      this.#error = error;
      wake();
    });
  }

  /** How many bytes of all input were used, by calls of zlib that did not fail. */
  get usedBytes(): number {
    return this.#stream.bytesWritten;
  }

  /** What zlib did not use of the last chunk, once that is drained. */
  get unused(): Uint8Array {
    return this.#last.subarray(this.usedBytes - this.#usedBefore);
  }

  feed(chunk: Uint8Array): void {
    this.#last = chunk;
    this.#usedBefore = this.usedBytes;
    this.#isTaken = false;
    this.#stream.write(chunk, () => {
      this.#isTaken = true;
      this.#wake();
    });
  }

  /** The next piece of what the last chunk inflates to, or `undefined` once there is no more. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const output: Uint8Array | null = this.#stream.read();
      if (output !== null) return output;
      if (this.#error !== undefined) throw this.#error;
      if (this.#isTaken || this.#stream.closed || this.#stream.readableEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#stream.destroy();
  }
}

/**
 * A second stream, which gets the same input later. Node loses what zlib inflated in the very call that failed: up to a
 * whole chunk, which may be the whole document. So the last input is remembered, and inflated again after a fault.
 *
 * What comes before the remembered input is inflated here too, and thrown away. Few documents have that much input, and
 * bombs do not: they reach the limit of inflated bytes before that.
 */
class Follower {
  readonly #createStream: () => ZlibStream;
  #stream: FedStream | undefined;
  #buffer: Uint8Array = new Uint8Array(0);
  #length = 0;
  #fedBytes = 0;
  #outputBytes = 0;

  constructor(createStream: () => ZlibStream) {
    this.#createStream = createStream;
  }

  /** The last input, in one piece however small its chunks were: a million of these would take much memory. */
  get remembered(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Takes the next input, which may be faulty; everything before it was inflated without a fault. */
  async remember(piece: Uint8Array): Promise<void> {
    if (this.#length + piece.length > REMEMBERED_BYTES) {
      for await (const _ of this.#inflate(this.remembered));
      this.#length = 0;
    }
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(2 * this.#buffer.length, REMEMBERED_BYTES)));
      larger.set(this.remembered);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
  }

  /**
   * Inflates the remembered input up to the fault.
   *
   * @param used - how many bytes of all input the calls took that did not fail
   * @param known - how many inflated bytes were read already; they are left out
   */
  async *inflateRest(used: number, known: number): AsyncGenerator<Uint8Array, void, undefined> {
    const sound = Math.max(0, used - this.#fedBytes - HELD_BYTES);
    try {
      yield* this.#inflate(this.remembered.subarray(0, sound), known);
      for (let at = sound; at < this.#length; at++) {
        yield* this.#inflate(this.remembered.subarray(at, at + 1), known);
      }
    } catch (error) {
      if (!isZlibError(error)) throw error;
    }
  }

  /** Inflates the next input; of its output, what is behind the first `known` bytes of all output. */
  async *#inflate(input: Uint8Array, known = 0): AsyncGenerator<Uint8Array, void, undefined> {
    this.#stream ??= new FedStream(this.#createStream());
    this.#fedBytes += input.length;
    if (input.length > 0) this.#stream.feed(input);
    for (let output = await this.#stream.next(); output !== undefined; output = await this.#stream.next()) {
      const fresh = output.subarray(Math.max(0, known - this.#outputBytes));
      this.#outputBytes += output.length;
      if (fresh.length > 0) yield fresh;
    }
  }

  close(): void {
    this.#stream?.close();
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
