/**
 * Fingerprints of 128 bits of URLs, as `SeenUrls` has them. Two different URLs are taken for one with a probability of
 * about n²/2¹²⁹. They are seeded anew in each process, so that URLs which fall into one place cannot be prepared.
 */
const seed = (): number => (Math.random() * 0x1_0000_0000) | 0;
const SEEDS = [seed(), seed(), seed(), seed()] as const;

/** Takes the fingerprint of one text at a time; its four words are read from here. */
export class Fingerprint {
  a = 0;
  b = 0;
  c = 0;
  d = 0;

  /** Takes the fingerprint of a text. */
  take(text: string): void {
    const { length } = text;
    let a: number = SEEDS[0];
    let b: number = SEEDS[1];
    let c: number = SEEDS[2];
    let d: number = SEEDS[3];
    // Four code units at a time, two in each word. Behind the end there is `NaN`, which counts as 0; the length, which
    // is mixed in last, tells texts apart that differ only there.
    for (let at = 0; at < length; at += 4) {
      const first = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
      const second = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16);
      a = Math.imul(a ^ first, 0x2c1b3c6d);
      a ^= a >>> 15;
      b = Math.imul(b ^ second, 0x297a2d39);
      b ^= b >>> 13;
      c = Math.imul(c + a, 0x1b56c4e9) ^ b;
      d = Math.imul(d + b, 0x85ebca6b) ^ (c >>> 16);
    }
    a = Math.imul(a ^ (a >>> 16) ^ length, 0x7feb352d);
    b = Math.imul(b ^ (b >>> 15) ^ a, 0x846ca68b);
    c = Math.imul(c ^ (c >>> 16) ^ b, 0xc2b2ae35);
    d = Math.imul(d ^ (d >>> 13) ^ c, 0x27d4eb2f);
    this.a = a ^ (d >>> 15);
    this.b = b;
    this.c = c;
    this.d = d;
  }
}
