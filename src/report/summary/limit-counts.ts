/** Counts sitemaps by how much of the limits of sitemaps.org they use. */
import type { LimitHistogram, LimitSummary } from './summary.ts';

/** Entries of one sitemap (https://www.sitemaps.org/protocol.html). */
const MOST_ENTRIES = 50_000;
/** Bytes of one sitemap, without compression. */
const MOST_BYTES: number = 50 * 1024 * 1024;

const STEPS = 10;

class Histogram {
  readonly #limit: number;
  readonly #within: number[] = new Array<number>(STEPS).fill(0);
  #over = 0;
  #largest: { readonly url: string; readonly value: number } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(url: string, value: number): void {
    if (this.#largest === undefined || value > this.#largest.value) this.#largest = { url, value };
    if (value > this.#limit) this.#over++;
    // What is on a border belongs to the step below it: a full sitemap is within its limit.
    else this.#within[Math.max(0, Math.ceil((value / this.#limit) * STEPS) - 1)]!++;
  }

  get summary(): LimitHistogram {
    return {
      within: this.#within,
      over: this.#over,
      ...(this.#largest !== undefined && { largest: this.#largest }),
    };
  }
}

/** Counts sitemaps by how much of the limits they use. */
export class LimitCounts {
  readonly #entries = new Histogram(MOST_ENTRIES);
  readonly #bytes = new Histogram(MOST_BYTES);
  #sitemaps = 0;

  /** @param entries - the pages or sitemaps that it lists */
  add(url: string, entries: number, bytes: number): void {
    this.#sitemaps++;
    this.#entries.add(url, entries);
    this.#bytes.add(url, bytes);
  }

  summary(): LimitSummary {
    return { sitemaps: this.#sitemaps, entries: this.#entries.summary, bytes: this.#bytes.summary };
  }
}
