/** What has arrived of a document and is not done with. */

const NOTHING = new Uint8Array(0);

/**
 * Bytes that chunks are added to, and whose beginning is dropped as it is read. What is not all there waits, and is
 * looked at again when there is twice as much of it: so all looks together are linear, however a document is cut, and
 * nothing needs to go on in the middle of something.
 */
export class Window {
  bytes: Uint8Array = NOTHING;
  /** Where bytes live that wait, so that callers may use their chunks again. */
  #storage: Uint8Array = NOTHING;
  /** Where in the storage they begin. */
  #from = 0;
  #enough = 0;

  /** Adds a chunk; returns whether another look is worth it. After a look, {@link keepFrom} has to be called. */
  add(chunk: Uint8Array): boolean {
    const waiting = this.bytes;
    if (waiting.length === 0) {
      // It is read where it is.
      this.bytes = chunk;
    } else {
      const length = waiting.length + chunk.length;
      if (this.#from + length > this.#storage.length) this.#store(waiting, length);
      this.#storage.set(chunk, this.#from + waiting.length);
      this.bytes = this.#storage.subarray(this.#from, this.#from + length);
    }
    return this.bytes.length >= this.#enough;
  }

  /** Drops what is before a place. */
  keepFrom(place: number): void {
    const rest = this.bytes.subarray(place);
    this.#enough = 2 * rest.length;
    if (rest.length === 0) this.bytes = NOTHING;
    else if (rest.buffer !== this.#storage.buffer) this.#store(rest, rest.length);
    else {
      this.#from += place;
      this.bytes = rest;
    }
  }

  /** Puts bytes in front, and makes room for so many. It doubles, so that no byte is moved for each that comes. */
  #store(rest: Uint8Array, room: number): void {
    const storage = room <= this.#storage.length ? this.#storage : new Uint8Array(Math.max(room * 2, 1024));
    storage.set(rest);
    this.#storage = storage;
    this.#from = 0;
    this.bytes = storage.subarray(0, rest.length);
  }
}
