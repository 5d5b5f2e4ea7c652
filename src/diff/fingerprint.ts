/**
 * Fingerprints of 96 bits of texts. In n URLs, two are taken for one with a probability of about n²/2⁹⁷: 10⁻¹⁴ for
 * fifty million. They are seeded anew in each process, so that URLs which fall into one place cannot be prepared.
 */
const encoder = new TextEncoder();

const seed = (): number => (Math.random() * 0x1_0000_0000) | 0;
const SEEDS = [seed(), seed(), seed(), seed()] as const;

/** Takes the fingerprint of one text at a time; its three words are read from here. */
export class Fingerprint {
  a = 0;
  b = 0;
  c = 0;
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);

  /** Takes the fingerprint of a text. */
  take(text: string): void {
    // UTF-8 has at most three bytes for a code unit.
    if (text.length * 3 > this.#bytes.length) this.#makeRoom(text.length * 3);
    const { written } = encoder.encodeInto(text, this.#bytes);
    this.takeBytes(this.#bytes, this.#view, 0, written);
  }

  /** The same of a text in UTF-8 bytes, which the view shows too. */
  takeBytes(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    let a: number = SEEDS[0];
    let b: number = SEEDS[1];
    let c: number = SEEDS[2];
    let d: number = SEEDS[3];
    // A word into each of two lanes, and those on into the other two. A lane is a bijection of its word, so texts that
    // differ in one word never meet.
    for (let at = start; at < end; at += 8) {
      const first = at + 4 <= end ? view.getInt32(at, true) : lastWord(bytes, at, end);
      const second = at + 8 <= end ? view.getInt32(at + 4, true) : lastWord(bytes, at + 4, end);
      a = Math.imul(a ^ first, 0x2c1b3c6d);
      a ^= a >>> 15;
      b = Math.imul(b ^ second, 0x297a2d39);
      b ^= b >>> 13;
      c = Math.imul(c + a, 0x1b56c4e9) ^ b;
      d = Math.imul(d + b, 0x85ebca6b) ^ (c >>> 16);
    }
    a = Math.imul(a ^ (a >>> 16) ^ (end - start), 0x7feb352d);
    b = Math.imul(b ^ (b >>> 15) ^ a, 0x846ca68b);
    c = Math.imul(c ^ (c >>> 16) ^ b, 0xc2b2ae35);
    d = Math.imul(d ^ (d >>> 13) ^ c, 0x27d4eb2f);
    this.a = a ^ (d >>> 15);
    this.b = b;
    this.c = c ^ (d >>> 7);
  }

  #makeRoom(length: number): void {
    this.#bytes = new Uint8Array(Math.ceil(length / 1024) * 1024);
    this.#view = new DataView(this.#bytes.buffer);
  }
}

/** The bytes that are left, at most three, as a word that is filled up with zeroes. */
function lastWord(bytes: Uint8Array, start: number, end: number): number {
  let word = 0;
  for (let at = end - 1; at >= start; at--) word = (word << 8) | bytes[at]!;
  return word;
}
