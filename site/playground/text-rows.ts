/**
 * The rows of a text of any size: lines, and long lines cut into rows of a few columns, so that 50 MB on one line can
 * be shown like any other text. Offsets are bytes of UTF-8.
 */

const LF = 0x0a;
const CR = 0x0d;

/** A row: its text, and the number of its line where it begins one. */
export interface Row {
  readonly text: string;
  readonly line: number | undefined;
  /** Where it begins and ends in the text, without the line end. */
  readonly start: number;
  readonly end: number;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A text cut into rows. The index has two numbers for each row. */
export class TextRows {
  readonly #bytes: Uint8Array;
  /** Where each row begins. */
  readonly #starts: Uint32Array;
  /** The number of the line that each row belongs to. */
  readonly #lineOf: Uint32Array;
  readonly count: number;
  readonly lines: number;

  constructor(bytes: Uint8Array, columns: number) {
    this.#bytes = bytes;
    const { starts, lineOf, count, lines } = cut(bytes, Math.max(columns, 8));
    this.#starts = starts;
    this.#lineOf = lineOf;
    this.count = count;
    this.lines = lines;
  }

  row(index: number): Row {
    const start = this.#starts[index] ?? 0;
    let end = index + 1 < this.count ? (this.#starts[index + 1] ?? 0) : this.#bytes.length;
    const line = this.#lineOf[index] ?? 0;
    const endsLine = index + 1 === this.count || this.#lineOf[index + 1] !== line;
    if (endsLine && end > start && this.#bytes[end - 1] === LF) end--;
    if (endsLine && end > start && this.#bytes[end - 1] === CR) end--;
    const isFirst = index === 0 || this.#lineOf[index - 1] !== line;
    return {
      text: decoder.decode(this.#bytes.subarray(start, end)),
      line: isFirst ? line : undefined,
      start,
      end,
    };
  }

  /** The row that an offset is in. */
  rowAt(offset: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

interface Cut {
  readonly starts: Uint32Array;
  readonly lineOf: Uint32Array;
  readonly count: number;
  readonly lines: number;
}

/** Where rows begin: behind a line end, and after so many columns. A character is never divided. */
function cut(bytes: Uint8Array, columns: number): Cut {
  let starts = new Uint32Array(1024);
  let lineOf = new Uint32Array(1024);
  let count = 0;
  let line = 1;
  const add = (start: number): void => {
    if (count === starts.length) {
      starts = doubled(starts);
      lineOf = doubled(lineOf);
    }
    starts[count] = start;
    lineOf[count] = line;
    count++;
  };
  add(0);
  let units = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) {
      line++;
      add(at + 1);
      units = 0;
      continue;
    }
    // Bytes that continue a character take no column; four bytes are a pair of surrogates.
    if (byte === CR || (byte & 0xc0) === 0x80) continue;
    if (units >= columns) {
      add(at);
      units = 0;
    }
    units += byte >= 0xf0 ? 2 : 1;
  }
  return { starts: starts.slice(0, count), lineOf: lineOf.slice(0, count), count, lines: line };
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
