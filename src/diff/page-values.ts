/**
 * What the earlier tree says about pages, in columns: 16 bytes for a page, and 16 more where it has a news story,
 * images, videos or alternates, of which only hashes are kept.
 */
import { Fingerprint, float64Column, int32Column } from '../parse/fingerprint-table.ts';
import { type SitemapPage, timeOf } from '../parse/model/page.ts';
import type { ChangeFrequency } from '../parse/values/change-frequency.ts';
import { COMPARED_FIELDS, type ComparedField, type EarlierPage } from './page-change.ts';

const FREQUENCIES: readonly (ChangeFrequency | undefined)[] = [
  undefined,
  'always',
  'hourly',
  'daily',
  'weekly',
  'monthly',
  'yearly',
  'never',
];
const FREQUENCY_BITS = 3;

/** Priorities with four decimals or fewer are kept as that number; others are in a list. */
const PRIORITY_STEPS = 10_000;

const HASHED = ['newsStory', 'images', 'videos', 'alternates'] as const satisfies readonly ComparedField[];

export function fieldBits(fields: readonly ComparedField[]): number {
  return fields.reduce((bits, field) => bits | (1 << COMPARED_FIELDS.indexOf(field)), 0);
}

export function fieldsOf(bits: number): readonly ComparedField[] {
  return COMPARED_FIELDS.filter((_field, index) => (bits & (1 << index)) !== 0);
}

const LAST_MODIFIED = fieldBits(['lastModified']);
const PRIORITY = fieldBits(['priority']);
const CHANGE_FREQUENCY = fieldBits(['changeFrequency']);
const FIRST_HASHED = COMPARED_FIELDS.indexOf(HASHED[0]);

export class PageValues {
  readonly #compared: number;
  readonly #times = float64Column();
  readonly #scalars = int32Column();
  /** Where the hashes of a page are, plus one; 0 where it has nothing to hash. */
  readonly #hashed = int32Column();
  readonly #hashes = int32Column();
  #hashCount = 0;
  readonly #priorities: number[] = [];
  readonly #print = new Fingerprint();

  /** @param compared - the fields that are compared, as bits */
  constructor(compared: number) {
    this.#compared = compared;
  }

  set(entry: number, page: SitemapPage): void {
    this.#times.set(entry, timeOf(page));
    const priority = this.#priorityCode(page.priority) << FREQUENCY_BITS;
    this.#scalars.set(entry, priority | FREQUENCIES.indexOf(page.changeFrequency));
    if (!hasExtensions(page)) {
      // Written only where there was something else: a column that is never written to takes no memory.
      if (this.#hashed.get(entry) !== 0) this.#hashed.set(entry, 0);
      return;
    }
    const at = this.#hashCount;
    this.#hashCount += HASHED.length;
    for (let index = 0; index < HASHED.length; index++) this.#hashes.set(at + index, this.#hash(page, index));
    this.#hashed.set(entry, at + 1);
  }

  get(entry: number): EarlierPage {
    const time = this.#times.get(entry);
    const scalars = this.#scalars.get(entry);
    return {
      lastModified: Number.isNaN(time) ? undefined : new Date(time),
      priority: this.#priorityOf(scalars >> FREQUENCY_BITS),
      changeFrequency: FREQUENCIES[scalars & ((1 << FREQUENCY_BITS) - 1)],
    };
  }

  differences(entry: number, page: SitemapPage): number {
    const scalars = this.#scalars.get(entry);
    let bits = 0;
    if (!Object.is(timeOf(page), this.#times.get(entry))) bits |= LAST_MODIFIED;
    if (page.priority !== this.#priorityOf(scalars >> FREQUENCY_BITS)) bits |= PRIORITY;
    if (FREQUENCIES[scalars & ((1 << FREQUENCY_BITS) - 1)] !== page.changeFrequency) bits |= CHANGE_FREQUENCY;
    const at = this.#hashed.get(entry);
    if (at !== 0 || hasExtensions(page)) bits |= this.#extensionDifferences(at, page);
    return bits & this.#compared;
  }

  #extensionDifferences(at: number, page: SitemapPage): number {
    let bits = 0;
    for (let index = 0; index < HASHED.length; index++) {
      const before = at === 0 ? 0 : this.#hashes.get(at - 1 + index);
      if (before !== this.#hash(page, index)) bits |= 1 << (FIRST_HASHED + index);
    }
    return bits;
  }

  /** 32 bits of a field; 0 where the page has nothing there. Two values of one page are compared, not one with all. */
  #hash(page: SitemapPage, index: number): number {
    const field = HASHED[index]!;
    if ((this.#compared & (1 << (FIRST_HASHED + index))) === 0) return 0;
    const value = page[field];
    if (value === undefined || ('length' in value && value.length === 0)) return 0;
    const { a } = this.#print.take(JSON.stringify(value));
    return a === 0 ? 1 : a;
  }

  #priorityCode(priority: number): number {
    const steps = Math.round(priority * PRIORITY_STEPS);
    if (steps >= 0 && steps <= PRIORITY_STEPS && steps / PRIORITY_STEPS === priority) return steps;
    this.#priorities.push(priority);
    return PRIORITY_STEPS + this.#priorities.length;
  }

  #priorityOf(code: number): number {
    if (code <= PRIORITY_STEPS) return code / PRIORITY_STEPS;
    return this.#priorities[code - PRIORITY_STEPS - 1] ?? Number.NaN;
  }
}

function hasExtensions({ newsStory, images, videos, alternates }: SitemapPage): boolean {
  return newsStory !== undefined || images.length + videos.length + alternates.length > 0;
}
