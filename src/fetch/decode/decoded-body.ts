/**
 * A body behind a content coding of zlib, decoded as it arrives, and read as it is where it is not encoded at all.
 *
 * @packageDocumentation
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import type { Body } from '../body.ts';
import type { ByteReader } from './byte-reader.ts';
import { isUnknownFrame, isZlibError, ZlibPump, type ZlibStream } from './zlib-pump.ts';
import { ZSTD_MAGIC_BYTES } from './zstd.ts';

/** How much input is remembered until the first output, in case that the body is not encoded at all. */
const REMEMBERED_BYTES = 64 * 1024;

/** A frame costs a new decoder, so that millions of empty ones would cost much time. */
const MOST_FRAMES = 10_000;

export interface Coding {
  readonly coding: string;
  readonly createStream: () => ZlibStream;
  /** How many first bytes the stream must not get. */
  readonly headerBytes?: number;
  /** Whether these bytes start another frame; for codings that have several. */
  readonly isFrame?: (start: Uint8Array) => boolean;
  readonly problems: ProblemList;
}

/** A body through a pump; read as it is where its first bytes show that it is not encoded. */
export class DecodedBody implements Body {
  readonly #reader: ByteReader;
  readonly #coding: Coding;
  readonly #remembered: Uint8Array[] = [];
  #pump: ZlibPump;
  #frames = 1;
  #last: Uint8Array = new Uint8Array(0);
  #fedBytes = 0;
  #decodedBytes = 0;
  #state: 'encoded' | 'plain' | 'over' = 'encoded';

  constructor(reader: ByteReader, coding: Coding) {
    this.#reader = reader;
    this.#coding = coding;
    this.#pump = new ZlibPump(coding.createStream());
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#state === 'encoded') {
      try {
        const output = await this.#decode();
        if (output !== undefined) return output;
        await this.cancel();
        return undefined;
      } catch (error) {
        this.#pump.close();
        if (!isZlibError(error)) throw error;
        await this.#endWith(error);
      }
    }
    return this.#state === 'plain' ? this.#reader.read() : undefined;
  }

  async cancel(): Promise<void> {
    this.#state = 'over';
    this.#pump.close();
    await this.#reader.cancel();
  }

  /** Goes on after a fault: with the body as it is, or not at all. */
  async #endWith(error: unknown): Promise<void> {
    const { coding, problems } = this.#coding;
    if (this.#isPlain) {
      this.#state = 'plain';
      const message = `The content encoding ${coding} was declared, but the body is not.`;
      problems.add('wrong-content-encoding', message);
      for (const chunk of this.#remembered.reverse()) this.#reader.unread(chunk);
      return;
    }
    // Bytes behind the last frame are ignored, as behind other codings.
    if (!isUnknownFrame(error)) {
      const message = `The ${coding} content encoding is corrupt after ${this.#decodedBytes} bytes.`;
      problems.add('encoding-damaged', message);
    }
    await this.cancel();
  }

  /** Whether a fault shows that the body is not encoded: nothing of it could be decoded. */
  get #isPlain(): boolean {
    return this.#decodedBytes === 0 && this.#frames === 1 && this.#remembered.length > 0;
  }

  async #decode(): Promise<Uint8Array | undefined> {
    const { coding, headerBytes = 0, problems } = this.#coding;
    for (;;) {
      const output = await this.#pump.read();
      if (output !== undefined) {
        this.#decodedBytes += output.length;
        return output;
      }
      if (this.#pump.ended && !(await this.#startsFrame())) return undefined;
      const chunk = await this.#reader.read();
      if (chunk === undefined) break;
      const isFirst = this.#fedBytes === 0;
      this.#fedBytes += chunk.length;
      if (this.#fedBytes <= REMEMBERED_BYTES || isFirst) this.#remembered.push(chunk);
      else this.#remembered.length = 0;
      this.#last = isFirst ? chunk.subarray(headerBytes) : chunk;
      if (this.#last.length > 0) this.#pump.feed(this.#last);
    }
    if (this.#fedBytes > 0 && this.#state === 'encoded' && !(await this.#pump.isComplete())) {
      problems.add('encoding-damaged', `The ${coding} content encoding ends too early.`);
    }
    return undefined;
  }

  /** Starts another decoder, where another frame follows the one that has ended. */
  async #startsFrame(): Promise<boolean> {
    const { coding, createStream, isFrame, problems } = this.#coding;
    if (isFrame === undefined) return false;
    this.#reader.unread(this.#last.subarray(this.#last.length - this.#pump.unused));
    if (!isFrame(await this.#reader.peek(ZSTD_MAGIC_BYTES))) return false;
    if (++this.#frames > MOST_FRAMES) {
      problems.add(
        'encoding-damaged',
        `The ${coding} content encoding has more than ${MOST_FRAMES} frames; the rest is ignored.`,
      );
      return false;
    }
    this.#pump.close();
    this.#pump = new ZlibPump(createStream());
    return true;
  }
}
