/**
 * Knows when everything was read that may declare a sitemap. What depends on all declarations of a document waits for
 * that: then it does not depend on which of two indexes arrives first.
 */
export class Declaring {
  #open = 0;
  #waiting: (() => void)[] = [];

  /** Something that may declare sitemaps is being read, until the result is called. */
  begin(): () => void {
    this.#open++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      // What was read is followed in the same turn of the event loop: only after that nothing may be left.
      setImmediate(() => {
        this.#open--;
        if (this.#open > 0) return;
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const resolve of waiting) resolve();
      });
    };
  }

  /** Resolves when nothing is being read that may declare sitemaps. */
  async isOver(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
