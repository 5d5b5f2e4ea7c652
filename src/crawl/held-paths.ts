/**
 * Known paths that a stream has requested, but must not read yet. A stream cannot take pages back, and whether a known
 * path is declared is certain only when everything that is declared was read.
 */
export class HeldPaths {
  readonly #waiting = new Map<string, () => void>();
  #isReleased = false;

  /** Whether every known path may be read by now. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Resolves when the document with this key may be read. */
  async until(key: string): Promise<void> {
    if (!this.#isReleased) await new Promise<void>((resolve) => this.#waiting.set(key, resolve));
  }

  /** Something declares the document: it may be read at once. */
  release(key: string): void {
    this.#waiting.get(key)?.();
    this.#waiting.delete(key);
  }

  /** Everything that is declared is known. */
  releaseAll(): void {
    this.#isReleased = true;
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}
