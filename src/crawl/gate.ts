/** Lets a limited number of pieces of work run at once; the others wait in line. */
export class Gate {
  readonly #width: number;
  readonly #waiting: (() => void)[] = [];
  #next = 0;
  #inside = 0;

  constructor(width: number) {
    this.#width = width;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#width) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inside++;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  // What leaves hands its place to the next in line, so that nothing slips in between.
  #leave(): void {
    const next = this.#waiting[this.#next];
    if (next === undefined) {
      this.#inside--;
      this.#waiting.length = 0;
      this.#next = 0;
      return;
    }
    this.#next++;
    next();
  }
}
