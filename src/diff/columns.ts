/**
 * Columns of numbers that grow in pieces: nothing is copied when they do, and a piece that is never written to takes no
 * memory.
 */

/** Entries in one piece. */
export const PIECE_BITS = 14;
export const PIECE: number = 1 << PIECE_BITS;
export const IN_PIECE: number = PIECE - 1;

/** Typed arrays that a column can be made of. */
type NumberArray = Uint16Array | Int32Array | Float64Array;

/** A column of numbers, 0 where nothing was written. */
export class Column {
  readonly #make: (length: number) => NumberArray;
  readonly #pieces: (NumberArray | undefined)[] = [];

  constructor(make: (length: number) => NumberArray) {
    this.#make = make;
  }

  get(entry: number): number {
    return this.#pieces[entry >>> PIECE_BITS]?.[entry & IN_PIECE] ?? 0;
  }

  set(entry: number, value: number): void {
    const number = entry >>> PIECE_BITS;
    let piece = this.#pieces[number];
    if (piece === undefined) {
      piece = this.#make(PIECE);
      this.#pieces[number] = piece;
    }
    piece[entry & IN_PIECE] = value;
  }
}

export const int32Column = (): Column => new Column((length) => new Int32Array(length));
export const uint16Column = (): Column => new Column((length) => new Uint16Array(length));
/** A column of integers that are not negative, and less than a limit. */
export const columnUpTo = (limit: number): Column => (limit <= 0x10000 ? uint16Column() : int32Column());
export const float64Column = (): Column => new Column((length) => new Float64Array(length));
