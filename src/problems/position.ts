/**
 * Byte offsets → lines and columns.
 *
 * An offset counts the bytes of a document's text as UTF-8, from 0 behind its byte order mark: for a UTF-8 document
 * these are its own bytes, for any other charset those of the text after decoding, for gzip those of the text
 * inside.
 *
 * Lines end with LF, CRLF or CR. Lines and columns count from 1; a column is one UTF-16 code unit, as in editors
 * and in SARIF, so a tab is one and an emoji two. Bytes that are not valid UTF-8 count as one each, unless they
 * continue a character.
 */

/** A place in a text, as people and editors name it. */
export interface Position {
  /** From 1. */
  readonly line: number;
  /** In UTF-16 code units, from 1. */
  readonly column: number;
}

const BOM = [0xef, 0xbb, 0xbf];
const LF = 0x0a;
const CR = 0x0d;

/**
 * Finds the positions of any number of offsets in one pass over the text. {@link write} it in chunks, then ask for
 * {@link positions}. An offset behind the end is at the end.
 */
export class PositionFinder {
  /** The offsets in ascending order, each with its index in what the caller gave. */
  readonly #wanted: readonly (readonly [offset: number, index: number])[];
  readonly #found: Position[];
  #next = 0;
  /** How many bytes of a byte order mark were found at the start; -1 once the text has begun. */
  #bomBytes = 0;
  #offset = 0;
  #line = 1;
  #column = 1;
  /** Whether the last byte was a CR, which ends its line unless a LF follows. */
  #afterCr = false;

  constructor(offsets: readonly number[]) {
    this.#wanted = offsets
      .map((offset, index) => [offset, index] as const)
      .sort(([left], [right]) => left - right);
    this.#found = new Array<Position>(offsets.length);
  }

  /** The positions, in the order in which the offsets were given; final once the whole text was written. */
  get positions(): readonly Position[] {
    const end = this.#afterCr
      ? { line: this.#line + 1, column: 1 }
      : { line: this.#line, column: this.#column };
    for (const [, index] of this.#wanted.slice(this.#next)) this.#found[index] = end;
    return this.#found;
  }

  /** Takes in the next bytes of the text. A byte order mark at its start is not counted. */
  write(chunk: Uint8Array): void {
    if (this.#bomBytes === -1) this.#scan(chunk);
    else this.#skipBom(chunk);
  }

  #skipBom(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length && this.#bomBytes < BOM.length && chunk[at] === BOM[this.#bomBytes]) {
      this.#bomBytes++;
      at++;
    }
    if (at === chunk.length) return;
    const isWhole = this.#bomBytes === BOM.length;
    const begun = isWhole ? [] : BOM.slice(0, this.#bomBytes);
    this.#bomBytes = -1;
    // What only began as one is text.
    if (begun.length > 0) this.#scan(Uint8Array.from(begun));
    this.#scan(chunk.subarray(at));
  }

  #scan(chunk: Uint8Array): void {
    let at = 0;
    // The nearest of each kind of line end, looked for again only when it has been passed.
    let lf = nextOf(chunk, LF, 0);
    let cr = nextOf(chunk, CR, 0);
    while (at < chunk.length) {
      const stop = Math.min(this.#nextWanted() - this.#offset, chunk.length);
      const end = Math.min(lf, cr, stop);
      this.#pass(chunk, at, end);
      at = end;
      if (at === stop) {
        if (at === chunk.length) break;
        this.#settle(chunk[at]!);
        this.#found[this.#wanted[this.#next++]![1]] = { line: this.#line, column: this.#column };
        continue;
      }
      this.#settle(chunk[at]!);
      this.#column++;
      if (at === lf) {
        this.#newLine();
        lf = nextOf(chunk, LF, at + 1);
      } else {
        this.#afterCr = true;
        cr = nextOf(chunk, CR, at + 1);
      }
      at++;
    }
    this.#offset += chunk.length;
  }

  /** Counts the characters between two line ends. */
  #pass(chunk: Uint8Array, from: number, to: number): void {
    if (from === to) return;
    this.#settle(chunk[from]!);
    this.#column += unitsIn(chunk, from, to);
  }

  /** A CR has ended its line, now that the next byte is known. */
  #settle(next: number): void {
    if (this.#afterCr && next !== LF) this.#newLine();
    this.#afterCr &&= next === LF;
  }

  #newLine(): void {
    this.#line++;
    this.#column = 1;
    this.#afterCr = false;
  }

  #nextWanted(): number {
    return this.#wanted[this.#next]?.[0] ?? Number.POSITIVE_INFINITY;
  }
}

/** The positions of offsets in a text that is available as a whole. */
export function positionsOf(chunks: Iterable<Uint8Array>, offsets: readonly number[]): readonly Position[] {
  const finder = new PositionFinder(offsets);
  for (const chunk of chunks) finder.write(chunk);
  return finder.positions;
}

/** How many UTF-16 code units characters take whose first byte is in the range. */
function unitsIn(bytes: Uint8Array, from: number, to: number): number {
  let units = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    // Bytes that continue a character count nothing; four bytes are a pair of surrogates.
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

function nextOf(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at === -1 ? chunk.length : at;
}
