/** The bytes that wait for more: the start of a tag, of a character, of a reference. */
export class HeldBytes {
  /** Longer than {@link length}: what is behind it are bytes of before. */
  bytes: Uint8Array = new Uint8Array(0);
  length = 0;
  /** How many bytes there must be before it is worth trying again; doubled each time, so that the work is linear. */
  #needed = 0;

  get isReady(): boolean {
    return this.length >= this.#needed;
  }

  add(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (length > this.bytes.length) {
      const larger = new Uint8Array(length * 2);
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.length);
    this.length = length;
  }

  /** Keeps what waits for more, in memory of its own: the caller may use the chunk's again. */
  keep(bytes: Uint8Array, from: number, end: number): void {
    this.#needed = (end - from) * 2;
    if (bytes === this.bytes) {
      bytes.copyWithin(0, from, end);
      this.length = end - from;
      return;
    }
    this.length = 0;
    if (from < end) this.add(bytes.subarray(from, end));
  }

  clear(): void {
    this.bytes = new Uint8Array(0);
    this.length = 0;
  }
}
