import { sized } from './tier.ts';

/**
 * A seed that is another one in each run, unless TEST_SEED names it: what chosen seeds do not find, one of many runs does.
 * A test that fails with it prints it.
 */
export const CHANGING_SEED: number = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);

/** Random numbers that can be repeated: the same seed gives the same numbers. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
  }

  /** From 0 to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Whether something with this probability happens. */
  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!;
  }
}

interface Seeds {
  /** The variables that ask for other seeds begin so: with FUZZ_SEED=7 and FUZZ_RUNS=1 there is one, 7. */
  readonly variable: string;
  /** The first seed of every run, and how many follow it. */
  readonly chosen: readonly [first: number, count: number];
  /** For this time, the full tier goes on from CHANGING_SEED. */
  readonly seconds: number;
}

/**
 * The seeds of a random test. The chosen ones have found faults, planted ones too. In the full tier others follow, which
 * no run had before, until their time is over: there is at least one.
 */
export function* seedsOf({ variable, chosen: [first, count], seconds }: Seeds): Generator<number> {
  const { [`${variable}_SEED`]: seed, [`${variable}_RUNS`]: runs } = process.env;
  const start = Number(seed ?? first);
  for (let at = 0; at < Number(runs ?? count); at++) yield start + at;
  if (seed !== undefined || runs !== undefined) return;
  const end = performance.now() + 1_000 * sized({ fast: 0, full: seconds, strong: 10 * seconds });
  for (let next = CHANGING_SEED; performance.now() < end; next++) yield next;
}
