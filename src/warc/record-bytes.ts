/** The bytes of WARC records, wherever they are: heads as text, blocks as bodies. */
import type { Body } from '../fetch/body.ts';
import { ByteReader } from '../fetch/decode/byte-reader.ts';

/** The most bytes that the head of a record, or of the response in it, may have. */
const MAX_HEAD_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;

/** A head: its first line, and its headers by their names in lower case. */
export interface Head {
  readonly first: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The first header of a name. */
  get(name: string): string | undefined;
}

/** Reads records, one after the other. */
export class RecordBytes {
  readonly #reader: ByteReader;
  #position = 0;

  constructor(body: Body) {
    this.#reader = new ByteReader(body);
  }

  /** How many bytes were taken. */
  get position(): number {
    return this.#position;
  }

  /** The next head, behind any empty lines; undefined at the end. @throws Error where it is none, or has no end */
  async head(): Promise<Head | undefined> {
    const lines: string[] = [];
    const start = this.#position;
    for (;;) {
      const line = await this.#line(MAX_HEAD_BYTES - (this.#position - start));
      if (line === undefined) {
        if (lines.length === 0) return undefined;
        throw new Error('it ends inside a head');
      }
      if (line !== '') lines.push(line);
      else if (lines.length > 0) return headOf(lines);
    }
  }

  /** The next bytes as a body; what is left of them must be skipped by {@link skip}. */
  block(length: number): Body & { readonly left: number } {
    const block = {
      left: length,
      read: async (): Promise<Uint8Array | undefined> => {
        if (block.left === 0) return undefined;
        const chunk = await this.#reader.read();
        if (chunk === undefined) throw new Error('it ends inside a record');
        const part = chunk.subarray(0, block.left);
        if (part.length < chunk.length) this.#reader.unread(chunk.subarray(part.length));
        block.left -= part.length;
        this.#position += part.length;
        return part;
      },
      cancel: (): Promise<void> => this.cancel(),
    };
    return block;
  }

  async skip(count: number): Promise<void> {
    this.#position += count;
    if (!(await this.#reader.skip(count))) throw new Error('it ends inside a record');
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  /** The next line without its end; undefined at the end of the bytes. */
  async #line(most: number): Promise<string | undefined> {
    for (let size = 256; ; size = Math.min(size * 4, most)) {
      const bytes = await this.#reader.peek(size);
      const end = bytes.indexOf(NEWLINE);
      if (end === -1 && bytes.length === size && size < most) continue;
      if (end === -1 && bytes.length === size) throw new Error('it has a head without an end');
      if (bytes.length === 0) return undefined;
      const length = end === -1 ? bytes.length : end + 1;
      const text = Buffer.from(bytes.subarray(0, length)).toString('latin1');
      await this.#reader.skip(length);
      this.#position += length;
      return text.replace(/\r?\n$/, '');
    }
  }
}

function headOf([first = '', ...lines]: readonly string[]): Head {
  const headers: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const last = headers.at(-1);
    // A line that continues the one before it, as headers of 1999 did.
    if (/^\s/.test(line)) last?.splice(1, 1, `${last[1]} ${line.trim()}`);
    else if (colon > 0)
      headers.push([line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]);
  }
  return { first, headers, get: (name) => headers.find(([known]) => known === name)?.[1] };
}
