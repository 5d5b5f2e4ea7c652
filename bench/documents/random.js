/** What the generators draw from: the same for the same seed, on every machine. */

const WORDS =
  'river stone market summer garden silver window paper mountain coffee letter winter forest orange bridge harbour music kitchen travel science'.split(
    ' ',
  );

const START = Date.UTC(2015, 0, 1);
const TEN_YEARS_IN_SECONDS = 315_000_000;

/** A source of numbers, words, dates for one document. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 up to, not including, the limit (mulberry32). */
  upTo(limit) {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    const state = this.#state;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }

  of(list) {
    return list[this.upTo(list.length)];
  }

  words(count) {
    return Array.from({ length: count }, () => this.of(WORDS));
  }

  /** Any second of ten years, so that hardly a date comes twice: no parser lives on remembering them. */
  date() {
    return new Date(START + this.upTo(TEN_YEARS_IN_SECONDS) * 1000);
  }

  /** The address of a page; its number makes it the only one of its kind. */
  pageUrl(number) {
    return `https://www.example.com/${this.words(1)}/${this.words(3).join('-')}-${number}.html`;
  }

  title(number) {
    return `${this.words(6).join(' ')} &amp; ${this.of(WORDS)} ${number}`;
  }
}

/** A date as sitemaps have it most often. */
export function w3cDate(date) {
  return `${date.toISOString().slice(0, 19)}+00:00`;
}
