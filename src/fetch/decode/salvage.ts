/**
 * Recovers what zlib had inflated before a fault. Node loses what zlib inflated in the very call that failed: up to a
 * whole chunk, which may be the whole document. So the same data is inflated again: once in steps, to find the step
 * with the fault, and once more up to that step and then byte by byte.
 *
 * @packageDocumentation
 */
import { createInflateRaw } from 'node:zlib';
import type { Body } from '../body.ts';
import { INFLATE_CHUNK, isZlibError, ZlibPump } from './zlib-pump.ts';

const STEP_BYTES = 256;

/**
 * What raw deflate data inflates to before its fault.
 *
 * @param fed - the data, in the chunks that zlib was fed; the fault is in the last one
 * @param known - how many inflated bytes were read already; they are left out
 */
export async function salvage(fed: readonly Uint8Array[], known: number): Promise<Body> {
  const earlier = fed.slice(0, -1);
  const faulty = fed.at(-1) ?? new Uint8Array(0);
  const rehearsal = new Inflation([...earlier, ...steps(faulty, STEP_BYTES)]);
  while ((await rehearsal.read()) !== undefined);
  const sound = Math.max(0, rehearsal.begun - 1 - earlier.length) * STEP_BYTES;
  const near = steps(faulty.subarray(sound, sound + STEP_BYTES), 1);
  return without(known, new Inflation([...earlier, faulty.subarray(0, sound), ...near]));
}

/** Inflates parts until zlib objects. */
class Inflation implements Body {
  readonly #parts: readonly Uint8Array[];
  readonly #pump = new ZlibPump(createInflateRaw({ chunkSize: INFLATE_CHUNK }));
  #begun = 0;

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts;
  }

  /** How many parts were fed, the one with the fault included. */
  get begun(): number {
    return this.#begun;
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      for (;;) {
        const output = await this.#pump.read();
        if (output !== undefined) return output;
        const part = this.#parts[this.#begun];
        if (part === undefined) break;
        this.#begun++;
        if (part.length > 0) this.#pump.feed(part);
      }
    } catch (error) {
      if (!isZlibError(error)) throw error;
    }
    await this.cancel();
    return undefined;
  }

  async cancel(): Promise<void> {
    this.#pump.close();
  }
}

/** A body without its first `count` bytes. */
function without(count: number, body: Body): Body {
  let left = count;
  return {
    async read() {
      for (;;) {
        const chunk = await body.read();
        if (chunk === undefined || left === 0) return chunk;
        const fresh = chunk.subarray(Math.min(left, chunk.length));
        left -= chunk.length - fresh.length;
        if (fresh.length > 0) return fresh;
      }
    },
    cancel: () => body.cancel(),
  };
}

function steps(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}
