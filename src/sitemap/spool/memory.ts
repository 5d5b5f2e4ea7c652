/** The memory that spools may use before they use their files: of one tree, or of all trees of a process together. */
export class SpoolMemory {
  /** Bytes, when nothing is used. */
  readonly total: number;
  #left: number;

  constructor(total: number) {
    this.total = total;
    this.#left = total;
  }

  /** Bytes that are left; negative where a spool has no file and must use more. */
  get left(): number {
    return this.#left;
  }

  take(bytes: number): void {
    this.#left -= bytes;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}
