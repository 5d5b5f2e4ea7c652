/**
 * The tags of a document as they are written (`<image:loc>`, `</image:loc>`, `<xhtml:link `), each with the one that
 * followed it last time. Documents are written by programs, so that is nearly always the one that follows this time: a
 * few words are compared, and no name is looked for.
 */
import { COLON, GT, SLASH } from '../values/byte-codes.ts';

const MOST_TAGS = 256;
const SLOTS = 1024;
/** How many slots are looked at for a tag: tags that were made to collide are not remembered. */
const MAX_STEPS = 4;
const MAX_LENGTH = 64;
const LOC = Uint8Array.of(0x6c, 0x6f, 0x63);

/** One tag from its `<` to its `>`, or to the white space behind its name. */
export class RawTag {
  readonly length: number;
  /** What followed it last time. */
  next: RawTag | undefined;
  /** Its end tag, where it is a start tag. */
  readonly end: RawTag | undefined;
  readonly isEnd: boolean;
  readonly hasAttributes: boolean;
  /** Whether it is the start tag of a `loc`, under any prefix. */
  readonly isLoc: boolean;
  /** See {@link nameNumber}. */
  readonly name: number;
  /** The number of the format's tag that it is, or 0, as long as names are in the scope with this number. */
  meaning = 0;
  scope = 0;
  /** Its first four bytes. */
  readonly word: number;
  readonly #words: Int32Array;
  /** Its last four bytes, which may overlap with those before. */
  readonly #last: number;

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer);
    this.length = bytes.length;
    this.#words = new Int32Array((bytes.length - 1) >> 2);
    for (let at = 0; at < this.#words.length; at++) this.#words[at] = view.getInt32(4 * at, true);
    this.word = view.getInt32(0, true);
    this.#last = view.getInt32(bytes.length - 4, true);
    this.isEnd = bytes[1] === SLASH;
    this.hasAttributes = bytes[bytes.length - 1] !== GT;
    this.name = nameNumber(bytes, this.isEnd ? 2 : 1, bytes.length - 1);
    this.isLoc = !this.isEnd && isLocName(bytes, 1, bytes.length - 1);
    this.end = this.isEnd ? undefined : new RawTag(endTagOf(bytes));
  }

  /** Whether it is here, where there must be room for it. */
  isAt(view: DataView, at: number): boolean {
    if (view.getInt32(at, true) !== this.word) return false;
    if (view.getInt32(at + this.length - 4, true) !== this.#last) return false;
    const words = this.#words;
    for (let index = 1, place = at + 4; index < words.length; index++, place += 4) {
      if (view.getInt32(place, true) !== words[index]) return false;
    }
    return true;
  }
}

function endTagOf(tag: Uint8Array): Uint8Array {
  const end = new Uint8Array(tag.length + 1);
  end.set(tag, 1);
  end[0] = tag[0]!;
  end[1] = SLASH;
  end[tag.length] = GT;
  return end;
}

/** The tags that were there before, in this document or in others: those of a site are written by one program. */
export class RawTags {
  readonly #slots: (RawTag | undefined)[] = new Array<RawTag | undefined>(SLOTS).fill(undefined);
  #room = MOST_TAGS;

  get isFull(): boolean {
    return this.#room === 0;
  }

  /** The tag from `start` to `end`; undefined where it is not remembered. */
  get(bytes: Uint8Array, view: DataView, start: number, end: number): RawTag | undefined {
    const length = end - start;
    if (length < 4 || length > MAX_LENGTH) return undefined;
    let slot = length * 67 + bytes[start + 1]! * 31 + bytes[start + (length >> 1)]! * 7 + bytes[end - 2]!;
    for (let step = 0; step < MAX_STEPS; step++, slot++) {
      const cached = this.#slots[slot & (SLOTS - 1)];
      if (cached === undefined) {
        if (this.#room === 0) return undefined;
        this.#room--;
        const tag = new RawTag(new Uint8Array(bytes.subarray(start, end)));
        this.#slots[slot & (SLOTS - 1)] = tag;
        return tag;
      }
      if (cached.length === length && cached.isAt(view, start)) return cached;
    }
    return undefined;
  }
}

let shared = new RawTags();

export function rawTags(): RawTags {
  // One with hundreds of tags must not slow down those after it.
  if (shared.isFull) shared = new RawTags();
  return shared;
}

/** A number for the name of a tag. Names are compared by it: those that collide count as one. */
export function nameNumber(bytes: Uint8Array, start: number, end: number): number {
  let number = 0x811c9dc5;
  for (let at = start; at < end; at++) number = Math.imul(number ^ bytes[at]!, 0x01000193);
  return number;
}

/** Whether a name is `loc`, under any prefix. */
export function isLocName(bytes: Uint8Array, start: number, end: number): boolean {
  const from = end - LOC.length;
  if (from < start || (from > start && bytes[from - 1] !== COLON)) return false;
  return LOC.every((byte, at) => bytes[from + at] === byte);
}
