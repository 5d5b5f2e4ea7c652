/** Cuts bytes into lines: LF, CR and CR LF each end one, in any mixture, wherever the chunks are cut. */

const LF = 0x0a;
const CR = 0x0d;

/** Longer lines are truncated there, and the rest of them is ignored. */
const MAX_LINE_BYTES = 64 * 1024;

/** What is said of a line whose end never arrived. */
export const HALF_A_LINE = 'The document ends inside a line; what came before was kept.';

/** A line, without its end; the bytes hold only during the call. */
type LineHandler = (bytes: Uint8Array, start: number, end: number, offset: number, isCut: boolean) => void;

export class LineReader {
  readonly #onLine: LineHandler;
  #carried = new Uint8Array(256);
  #carriedLength = 0;
  #isCut = false;
  #base = 0;
  #lineOffset = 0;

  constructor(onLine: LineHandler) {
    this.#onLine = onLine;
  }

  write(chunk: Uint8Array): void {
    let start = 0;
    // The nearest of each kind of line end, looked for again only when it has been passed.
    let lf = nextOf(chunk, LF, 0);
    let cr = nextOf(chunk, CR, 0);
    for (;;) {
      const end = Math.min(lf, cr);
      if (end === chunk.length) break;
      this.#line(chunk, start, end);
      start = end + 1;
      this.#lineOffset = this.#base + start;
      if (end === lf) lf = nextOf(chunk, LF, start);
      else cr = nextOf(chunk, CR, start);
    }
    this.#carry(chunk, start);
    this.#base += chunk.length;
  }

  end(): void {
    this.#line(new Uint8Array(0), 0, 0);
  }

  #line(chunk: Uint8Array, start: number, end: number): void {
    if (this.#carriedLength === 0 && !this.#isCut) {
      const last = Math.min(end, start + MAX_LINE_BYTES);
      if (end > start) this.#onLine(chunk, start, last, this.#lineOffset, last < end);
      return;
    }
    this.#carry(chunk.subarray(0, end), start);
    this.#onLine(this.#carried, 0, this.#carriedLength, this.#lineOffset, this.#isCut);
    this.#carriedLength = 0;
    this.#isCut = false;
  }

  #carry(chunk: Uint8Array, start: number): void {
    const room = MAX_LINE_BYTES - this.#carriedLength;
    const piece = chunk.subarray(start, Math.min(chunk.length, start + room));
    if (piece.length < chunk.length - start) this.#isCut = true;
    const length = this.#carriedLength + piece.length;
    if (length > this.#carried.length) {
      const grown = new Uint8Array(length * 2);
      grown.set(this.#carried.subarray(0, this.#carriedLength));
      this.#carried = grown;
    }
    this.#carried.set(piece, this.#carriedLength);
    this.#carriedLength = length;
  }
}

function nextOf(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at === -1 ? chunk.length : at;
}
