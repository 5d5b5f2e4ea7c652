/** Holds the beginning of a document until it is known what to do with it. */

/** Bytes that are added to at the end. */
export class Head {
  #storage = new Uint8Array(2048);
  #length = 0;
  /** How many bytes there must be before another look is worth it: looks get rarer as the head grows. */
  #nextLook = 1;

  get bytes(): Uint8Array {
    return this.#storage.subarray(0, this.#length);
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#storage.length) {
      const grown = new Uint8Array(length * 2);
      grown.set(this.bytes);
      this.#storage = grown;
    }
    this.#storage.set(chunk, this.#length);
    this.#length = length;
  }

  /** Whether it has doubled since the last look, so that all looks together cost no more than a few. */
  isWorthALook(): boolean {
    if (this.#length < this.#nextLook) return false;
    while (this.#nextLook <= this.#length) this.#nextLook *= 2;
    return true;
  }
}
