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

/** Small: a place before the last one is counted from the beginning of its block. */
const BLOCK_BYTES = 2 * 1024;
const KEPT_BLOCKS = 512;
const LF = 0x0a;
const CR = 0x0d;
const FOUR_LF = 0x0a0a0a0a;
const HIGH_BITS = 0x80808080 | 0;

interface Count {
  line: number;
  column: number;
  /** Whether the last byte was a CR, which ends its line unless a LF follows. */
  afterCr: boolean;
}

const START: Count = { line: 1, column: 1, afterCr: false };

interface Block {
  readonly bytes: Uint8Array;
  length: number;
  start: Count;
}

/**
 * Offsets → positions while a document goes by. The last MiB of its text is kept: nearly every finding is about
 * something that was written a moment ago.
 */
export class Places {
  /** A ring: block `n` of the text is at `n % KEPT_BLOCKS`. */
  readonly #blocks: Block[] = [newBlock({ ...START })];
  /** The number of the block that is being filled. */
  #last = 0;
  /** The last place that was asked for: most are asked for in the order of the text. */
  readonly #reached: { block: number; at: number; count: Count } = { block: -1, at: 0, count: START };

  /** Takes in the next bytes of the text, as UTF-8 and without a byte order mark. They are copied. */
  write(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const block = this.#open();
      const size = Math.min(chunk.length - at, BLOCK_BYTES - block.length);
      block.bytes.set(chunk.subarray(at, at + size), block.length);
      block.length += size;
      at += size;
    }
  }

  #open(): Block {
    const current = this.#blocks[this.#last % KEPT_BLOCKS]!;
    if (current.length < BLOCK_BYTES) return current;
    const start = { ...current.start };
    pass(start, current.bytes);
    this.#last++;
    const reused = this.#blocks[this.#last % KEPT_BLOCKS];
    if (reused === undefined) {
      const block = newBlock(start);
      this.#blocks.push(block);
      return block;
    }
    reused.length = 0;
    reused.start = start;
    return reused;
  }

  /** The place of an offset; undefined where the text is no longer kept. One behind the end is at the end. */
  at(offset: number): Position | undefined {
    const number = Math.min(Math.floor(offset / BLOCK_BYTES), this.#last);
    if (number <= this.#last - KEPT_BLOCKS) return undefined;
    const { bytes, length, start } = this.#blocks[number % KEPT_BLOCKS]!;
    const end = Math.min(offset - number * BLOCK_BYTES, length);
    const reached = this.#reached;
    if (reached.block !== number || reached.at > end) {
      reached.block = number;
      reached.at = 0;
      reached.count = { ...start };
    }
    pass(reached.count, bytes.subarray(reached.at, end));
    reached.at = end;
    const { line, column, afterCr } = reached.count;
    const isNextLine = afterCr && !(end < length && bytes[end] === LF);
    return isNextLine ? { line: line + 1, column: 1 } : { line, column };
  }
}

function newBlock(start: Count): Block {
  return { bytes: new Uint8Array(BLOCK_BYTES), length: 0, start };
}

function pass(count: Count, text: Uint8Array): void {
  if (count.afterCr || text.includes(CR)) {
    for (const byte of text) passByte(count, byte);
    return;
  }
  const lines = linesIn(text);
  const start = lines === 0 ? 0 : text.lastIndexOf(LF) + 1;
  if (lines > 0) count.column = 1;
  count.line += lines;
  // Of a number of its own: all of a document may be one line, and a field takes five times as long.
  let units = 0;
  for (let at = start; at < text.length; at++) units += unitsOf(text[at]!);
  count.column += units;
}

/** How many LF are in a text. Four bytes at a time: all of a document goes through here. */
function linesIn(text: Uint8Array): number {
  const view = new DataView(text.buffer, text.byteOffset, text.length);
  const words = text.length >> 2;
  let lines = 0;
  for (let word = 0; word < words; word++) {
    const bytes = view.getInt32(word * 4, true) ^ FOUR_LF;
    const hasLf = ((bytes - 0x01010101) & ~bytes & HIGH_BITS) !== 0;
    if (hasLf) for (let at = word * 4; at < word * 4 + 4; at++) if (text[at] === LF) lines++;
  }
  for (let at = words * 4; at < text.length; at++) if (text[at] === LF) lines++;
  return lines;
}

function passByte(count: Count, byte: number): void {
  if (byte === LF) {
    count.line++;
    count.column = 1;
    count.afterCr = false;
    return;
  }
  if (count.afterCr) {
    count.line++;
    count.column = 1;
  }
  count.afterCr = byte === CR;
  count.column += unitsOf(byte);
}

/** How many UTF-16 code units a character takes that begins with this byte; 0 for a byte inside of one. */
function unitsOf(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}
