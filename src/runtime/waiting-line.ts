/**
 * What waits for its turn, in order: requests of a host, documents, calls of filters.
 *
 * Not a `Set`: its outgrown tables refer to the table that followed, and one of them that V8 has moved out of its young
 * generation keeps everything that waited later alive until the whole heap is collected. Here a place is cleared as
 * soon as it is left.
 */

/** Below this number, places that were left are not cleared away. */
const FEW_PLACES = 64;

export class WaitingLine<Item> {
  readonly #items: (Item | undefined)[] = [];
  /** The first place that may not be empty. */
  #next = 0;
  size = 0;

  get first(): Item | undefined {
    while (this.#next < this.#items.length && this.#items[this.#next] === undefined) this.#next++;
    return this.#items[this.#next];
  }

  add(item: Item): void {
    this.#tidy();
    this.#items.push(item);
    this.size++;
  }

  /** Takes the first item out. */
  shift(): Item | undefined {
    const { first } = this;
    if (first !== undefined) this.delete(first);
    return first;
  }

  /** Removes an item, wherever it is; most often it is the first. */
  delete(item: Item): void {
    const place = this.#items.indexOf(item, this.#next);
    if (place < 0) return;
    this.#items[place] = undefined;
    this.size--;
  }

  #tidy(): void {
    if (this.size === 0) this.#next = this.#items.length;
    if (this.#next < FEW_PLACES || this.#next * 2 < this.#items.length) return;
    this.#items.copyWithin(0, this.#next);
    this.#items.length -= this.#next;
    this.#next = 0;
  }
}

/** Lets a limited number of pieces of work run at once; the others wait in line. */
export class Gate {
  readonly #width: number;
  readonly #waiting = new WaitingLine<() => void>();
  #inside = 0;

  constructor(width: number) {
    this.#width = width;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#width) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    else this.#inside++;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Waits inside {@link run} without a place. The work has its place back at once, even if there are too many then. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.#leave();
    try {
      return await wait();
    } finally {
      this.#inside++;
    }
  }

  // What leaves hands its place to the next in line, so that nothing slips in between.
  #leave(): void {
    const next = this.#inside > this.#width ? undefined : this.#waiting.shift();
    if (next === undefined) this.#inside--;
    else next();
  }
}
