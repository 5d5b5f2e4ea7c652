/** A long piece of work in a worker lets messages in every few milliseconds. */
const SLICE_MS = 25;

/** Says when it is time for a pause, and makes it. */
export class Pacer {
  #since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  async pause(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#since = performance.now();
  }
}
