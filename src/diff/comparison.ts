/**
 * What a comparison remembers of each URL: which document lists it first in each tree, whether its documents are
 * settled, and in which fields it differs. A URL that both trees list takes about 40 bytes.
 */

import type { SitemapImage } from '../parse/extensions/image.ts';
import {
  type Column,
  columnUpTo,
  Fingerprint,
  FingerprintTable,
  float64Column,
  int32Column,
  uint16Column,
} from '../parse/fingerprint-table.ts';
import { type SitemapAlternate, type SitemapPage, timeOf } from '../parse/model/page.ts';
import { SoughtUrls } from '../parse/seen-urls.ts';
import { CHANGE_FREQUENCIES } from '../parse/values/change-frequency.ts';
import type { FairShare } from '../runtime/time.ts';
import {
  type ChangedPage,
  COMPARED_FIELDS,
  type ComparedField,
  type EarlierPage,
  HASHED_FIELDS,
} from './page-change.ts';
import type { Side } from './settled.ts';

/** The result for a page. `recheck`: its values must be compared when its document in `after` is read again. */
type Verdict = 'added' | 'removed' | 'changed' | 'same' | 'unknown' | 'recheck';

// Notes about a URL, as bits. For each tree: whether the URL is listed there; whether any document that lists it there
// is not settled in the other tree; whether the first such document is not settled.
const LISTED = { before: 1, after: 2 } as const;
const OPEN = { before: 4, after: 8 } as const;
const FIRST_OPEN = { before: 16, after: 32 } as const;
const RECHECK = 64;
const IN_EQUAL = 128;
const REPORTED = 256;
/** How many bits are above. The seven bits of the fields that differ follow, which makes sixteen. */
const NOTES = 9;

interface Listing {
  readonly place: number;
  readonly isSettled: boolean;
}

export class Comparison {
  readonly #urls = new FingerprintTable();
  readonly #print = new Fingerprint();
  readonly #notes = uint16Column();
  readonly #first: Readonly<Record<Side, Column>>;
  readonly #values: PageValues;

  /**
   * @param compared - the fields that are compared, as bits
   * @param documents - how many there are in each tree
   */
  constructor(compared: number, documents: Readonly<Record<Side, number>>) {
    this.#values = new PageValues(compared);
    this.#first = { before: columnUpTo(documents.before), after: columnUpTo(documents.after) };
  }

  /** The URLs of the pages that were noted. Other pages of a document need not be parsed. */
  get noted(): SoughtUrls {
    return new SoughtUrls((print) => this.#urls.find(print) !== -1);
  }

  /** Notes that `before` lists a page. Documents must come in order, and all of them before those of `after`. */
  noteBefore(page: SitemapPage, listing: Listing): void {
    const entry = this.#urls.add(this.#print.take(page.url));
    if (this.#note(entry, 'before', listing)) this.#values.set(entry, page);
  }

  /** Notes that `after` lists a page, compares it, and returns its number. Documents must come in order. */
  noteAfter(page: SitemapPage, listing: Listing): number {
    const entry = this.#urls.add(this.#print.take(page.url));
    if (this.#note(entry, 'after', listing) && this.#has(entry, LISTED.before)) {
      this.#setDifferences(entry, this.#values.differences(entry, page));
    }
    return entry;
  }

  /**
   * Notes that a document lists a page which is equal in both trees, and settled. Documents must come in order, after
   * all others.
   *
   * @returns whether any other document lists the page
   */
  noteEqual(page: SitemapPage, places: Readonly<Record<Side, number>>): boolean {
    const entry = this.find(page);
    if (entry === -1) return false;
    // The first equal document comes first in both trees, with the same values.
    if (this.#has(entry, IN_EQUAL)) return true;
    this.#set(entry, IN_EQUAL);
    const isFirstBefore = this.#noteFirst(entry, 'before', places.before);
    const isFirstAfter = this.#noteFirst(entry, 'after', places.after);
    if (isFirstBefore) this.#values.set(entry, page);
    if (isFirstAfter) {
      this.#setDifferences(entry, isFirstBefore ? 0 : this.#values.differences(entry, page));
    } else if (isFirstBefore) this.#set(entry, RECHECK);
    return true;
  }

  /**
   * The place from which equal documents cannot change any verdict, in the order of `after`. They matter for a page
   * that only one tree lists, or that documents which are not a pair list, and for a difference in a later document.
   *
   * @param earlier - the places of the documents of `after` in `before`
   */
  async decidedFrom(earlier: readonly number[], share: FairShare): Promise<number> {
    let place = 0;
    for (let entry = 0; entry < this.#urls.size; entry++) {
      if ((entry & 0xffff) === 0xffff && share.isUsedUp) await share.turn();
      const isInBoth = this.#has(entry, LISTED.before) && this.#has(entry, LISTED.after);
      const after = this.#first.after.get(entry);
      if (!isInBoth || earlier[after] !== this.#first.before.get(entry)) return Number.POSITIVE_INFINITY;
      if (this.#verdict(entry) !== 'same') place = Math.max(place, after);
    }
    return place;
  }

  /** The number of a page; -1 if no document that was noted lists it. */
  find(page: SitemapPage): number {
    return this.#urls.find(this.#print.take(page.url));
  }

  /**
   * Calls `take` with the verdict of each page that was not reported, and the place of the document that must report
   * it.
   */
  async forEach(share: FairShare, take: (verdict: Verdict, place: number) => void): Promise<void> {
    for (let entry = 0; entry < this.#urls.size; entry++) {
      if ((entry & 0xffff) === 0xffff && share.isUsedUp) await share.turn();
      if (this.#has(entry, REPORTED)) continue;
      const verdict = this.#verdict(entry);
      take(verdict, this.#first[verdict === 'removed' ? 'before' : 'after'].get(entry));
    }
  }

  /**
   * The verdict that the document at this place must report for a page, once for each page. Undefined if another
   * document reports it, or if it was the same or unknown before; `same` if that is known only now.
   */
  report(entry: number, page: SitemapPage, side: Side, place: number): Verdict | undefined {
    if (entry === -1) return undefined;
    const notes = this.#notes.get(entry);
    if ((notes & REPORTED) !== 0 || this.#first[side].get(entry) !== place) return undefined;
    const verdict = verdictOf(notes);
    if (verdict === 'same' || verdict === 'unknown') return undefined;
    this.#notes.set(entry, notes | REPORTED);
    if (verdict !== 'recheck') return verdict;
    this.#setDifferences(entry, this.#values.differences(entry, page));
    return this.#verdict(entry);
  }

  /** The page in `before`, and the fields that differ. */
  earlier(entry: number): Pick<ChangedPage, 'before' | 'fields'> {
    return { before: this.#values.get(entry), fields: fieldsOf(this.#notes.get(entry) >>> NOTES) };
  }

  #verdict(entry: number): Verdict {
    return verdictOf(this.#notes.get(entry));
  }

  /** Notes that a document lists a page; returns whether it is the first document that does. */
  #note(entry: number, side: Side, { place, isSettled }: Listing): boolean {
    const notes = this.#notes.get(entry);
    const isFirst = (notes & LISTED[side]) === 0;
    if (isFirst) this.#first[side].set(entry, place);
    const open = isSettled ? 0 : isFirst ? OPEN[side] | FIRST_OPEN[side] : OPEN[side];
    this.#notes.set(entry, notes | LISTED[side] | open);
    return isFirst;
  }

  /** Notes a settled document. Returns whether it comes before the first one so far. */
  #noteFirst(entry: number, side: Side, place: number): boolean {
    if (this.#has(entry, LISTED[side]) && this.#first[side].get(entry) < place) return false;
    this.#first[side].set(entry, place);
    this.#notes.set(entry, (this.#notes.get(entry) & ~FIRST_OPEN[side]) | LISTED[side]);
    return true;
  }

  #has(entry: number, note: number): boolean {
    return (this.#notes.get(entry) & note) !== 0;
  }

  #set(entry: number, notes: number): void {
    this.#notes.set(entry, this.#notes.get(entry) | notes);
  }

  #setDifferences(entry: number, fields: number): void {
    const notes = this.#notes.get(entry) & ((1 << NOTES) - 1) & ~RECHECK;
    this.#notes.set(entry, notes | (fields << NOTES));
  }
}

function verdictOf(notes: number): Verdict {
  if ((notes & LISTED.after) === 0) return (notes & OPEN.before) === 0 ? 'removed' : 'unknown';
  if ((notes & LISTED.before) === 0) return (notes & OPEN.after) === 0 ? 'added' : 'unknown';
  if ((notes & (FIRST_OPEN.before | FIRST_OPEN.after)) !== 0) return 'unknown';
  if ((notes & RECHECK) !== 0) return 'recheck';
  return notes >>> NOTES === 0 ? 'same' : 'changed';
}

const FREQUENCIES = [undefined, ...CHANGE_FREQUENCIES];
const FREQUENCY_BITS = 3;

/** A priority with at most four decimals is kept as a whole number; others are in a list. */
const PRIORITY_STEPS = 10_000;

/** Gives the fields of an image a fixed order: they come in the order of the document. */
const IMAGE_FIELDS = Object.keys({
  loc: true,
  caption: true,
  geoLocation: true,
  title: true,
  license: true,
} satisfies Record<keyof SitemapImage, true>);

export function fieldBits(fields: readonly ComparedField[]): number {
  return fields.reduce((bits, field) => bits | (1 << COMPARED_FIELDS.indexOf(field)), 0);
}

function fieldsOf(bits: number): readonly ComparedField[] {
  return COMPARED_FIELDS.filter((_field, index) => (bits & (1 << index)) !== 0);
}

const LAST_MODIFIED = fieldBits(['lastModified']);
const PRIORITY = fieldBits(['priority']);
const CHANGE_FREQUENCY = fieldBits(['changeFrequency']);
const FIRST_HASHED = COMPARED_FIELDS.indexOf(HASHED_FIELDS[0]);

/**
 * The values of pages in the earlier tree, in columns: 16 bytes for a page, and 16 more if it has a news story, images,
 * videos or alternates, of which only hashes are kept.
 */
class PageValues {
  readonly #compared: number;
  readonly #times = float64Column();
  readonly #scalars = int32Column();
  /** The index of the hashes of a page, plus one; 0 if it has none. */
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
      // Written only if the value changes: a column that is never written to takes no memory.
      if (this.#hashed.get(entry) !== 0) this.#hashed.set(entry, 0);
      return;
    }
    const at = this.#hashCount;
    this.#hashCount += HASHED_FIELDS.length;
    for (let index = 0; index < HASHED_FIELDS.length; index++)
      this.#hashes.set(at + index, this.#hash(page, index));
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
    for (let index = 0; index < HASHED_FIELDS.length; index++) {
      const before = at === 0 ? 0 : this.#hashes.get(at - 1 + index);
      if (before !== this.#hash(page, index)) bits |= 1 << (FIRST_HASHED + index);
    }
    return bits;
  }

  /**
   * 32 bits of a field; 0 if the page does not have it. 32 bits are enough, since only two values of one page are
   * compared.
   */
  #hash(page: SitemapPage, index: number): number {
    const field = HASHED_FIELDS[index]!;
    if ((this.#compared & (1 << (FIRST_HASHED + index))) === 0) return 0;
    const value = field === 'alternates' ? page.alternates.map(textOf).sort() : page[field];
    if (value === undefined || ('length' in value && value.length === 0)) return 0;
    const json =
      field === 'images' ? JSON.stringify(value, IMAGE_FIELDS) : JSON.stringify(value, withoutTexts);
    const { a } = this.#print.take(json);
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

/** The order of alternates does not matter: programs change it without a reason. */
function textOf({ hreflang, href }: SitemapAlternate): string {
  return `${hreflang} ${href}`;
}

/** A date that is only written in another way is not a change. */
function withoutTexts(name: string, value: unknown): unknown {
  return name.endsWith('Text') ? undefined : value;
}

function hasExtensions({ newsStory, images, videos, alternates }: SitemapPage): boolean {
  return newsStory !== undefined || images.length + videos.length + alternates.length > 0;
}
