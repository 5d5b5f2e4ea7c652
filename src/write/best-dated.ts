/** Which of the entries of a page is kept, where several documents or one document list it more than once. */
import { urlKey } from '../check/ordinary-url.ts';
import { Fingerprint, FingerprintTable, float64Column, int32Column } from '../parse/fingerprint-table.ts';
import { type SitemapPage, timeOf } from '../parse/model/page.ts';
import type { PageRepair } from './repair.ts';

/** The sorts of listings: a page may be listed once in each, in different documents. */
const SORTS = ['plain', 'news', 'videos', 'images'] as const;

function sortOf(page: SitemapPage): number {
  if (page.newsStory !== undefined) return 1;
  if (page.videos.length > 0) return 2;
  return page.images.length > 0 ? 3 : 0;
}

const UNDATED = Number.MIN_SAFE_INTEGER;

/** The facts of an entry that are compared, and its place. */
interface Candidate {
  readonly time: number;
  /** How many images, videos, news and alternates it has. */
  readonly richness: number;
  /** The number of the entry, from 1. */
  readonly number: number;
  /** A part of the fingerprint of its URL, where URLs are compared without their last slash. */
  readonly urlHash: number;
}

function isBetter(one: Candidate, other: Candidate): boolean {
  return one.time > other.time || (one.time === other.time && one.richness > other.richness);
}

/** For each page the best of the entries that were offered; columns, as these are millions. */
class BestEntries {
  readonly #times = float64Column();
  readonly #richness = int32Column();
  readonly #numbers = int32Column();
  readonly #urlHashes = int32Column();

  /** 0 where there is none. */
  numberAt(place: number): number {
    return this.#numbers.get(place);
  }

  at(place: number): Candidate {
    return {
      time: this.#times.get(place),
      richness: this.#richness.get(place),
      number: this.#numbers.get(place),
      urlHash: this.#urlHashes.get(place),
    };
  }

  /** Takes an entry that is better than the one that is there. */
  offer(place: number, candidate: Candidate): void {
    if (this.numberAt(place) !== 0 && !isBetter(candidate, this.at(place))) return;
    const { time, richness, number, urlHash } = candidate;
    this.#times.set(place, time);
    this.#numbers.set(place, number);
    // A column that has only zeros takes no memory.
    if (richness !== this.#richness.get(place)) this.#richness.set(place, richness);
    if (urlHash !== this.#urlHashes.get(place)) this.#urlHashes.set(place, urlHash);
  }
}

/**
 * Finds which of the entries of a page is kept: the best-dated, of equal ones the richest, then the first. A document
 * keeps one at most; its best one competes with those of other documents. All pages are noted first, then asked about
 * in the same order. About 35 bytes for a URL: fingerprints and numbers, no texts.
 */
export class BestDated {
  readonly #table = new FingerprintTable();
  readonly #print = new Fingerprint();
  /** What is kept of each page, by sort. */
  readonly #bestOfSorts = SORTS.map(() => new BestEntries());
  /** The best entries of the document that is noted, by page. */
  readonly #ownCandidates = new Map<number, Candidate & { readonly sort: number }>();
  readonly #options: { readonly bySort: boolean; readonly canonicalSlash: boolean };
  /** Where the entries of each document begin, by number. */
  readonly #starts: { readonly first: number; readonly name: string }[] = [];
  #noted = 0;
  #askedCount = 0;

  /** @param options - whether a page may be listed once in each sort of sitemap */
  constructor(options: { readonly bySort: boolean; readonly canonicalSlash: boolean }) {
    this.#options = options;
  }

  /** The entries that are noted from now on are those of this document. */
  startNoting(name: string): void {
    this.endNoting();
    this.#starts.push({ first: this.#noted + 1, name });
  }

  note(page: SitemapPage): void {
    const key = this.#table.add(this.#print.take(this.#key(page)));
    const time = timeOf(page);
    const entry = {
      time: Number.isNaN(time) ? UNDATED : time,
      richness: page.images.length + page.videos.length + page.alternates.length + (page.newsStory ? 1 : 0),
      number: ++this.#noted,
      urlHash: this.#urlHashOf(page),
      sort: this.#sortOf(page),
    };
    const best = this.#ownCandidates.get(key);
    if (best === undefined || isBetter(entry, best)) this.#ownCandidates.set(key, entry);
  }

  /** All entries of the document are noted. */
  endNoting(): void {
    for (const [key, entry] of this.#ownCandidates) this.#bestOfSorts[entry.sort]!.offer(key, entry);
    this.#ownCandidates.clear();
  }

  /** Why the entry is dropped; undefined where it is kept. */
  reasonToDrop(page: SitemapPage): PageRepair | undefined {
    const number = ++this.#askedCount;
    const key = this.#table.find(this.#print.take(this.#key(page)));
    const ownSort = this.#bestOfSorts[this.#sortOf(page)]!;
    if (ownSort.numberAt(key) === number) return undefined;
    const document = this.#documentOf(number);
    const candidates = [ownSort, ...this.#bestOfSorts]
      .filter((sort) => sort.numberAt(key) !== 0)
      .map((sort) => sort.at(key));
    const inDocument = candidates.find((each) => this.#documentOf(each.number) === document);
    const better = inDocument ?? candidates[0]!;
    const isVariant = better.urlHash !== this.#urlHashOf(page);
    const where =
      inDocument === undefined
        ? `${this.#documentOf(better.number)?.name} lists the page too`
        : 'The document lists the page more than once';
    const variant = isVariant ? ', with or without a slash at the end' : '';
    const which = better.number < number ? 'an entry before this one' : 'a later entry';
    const repeated = inDocument === undefined ? 'url-in-several-sitemaps' : 'url-repeated';
    const rule = isVariant ? 'url-variants' : repeated;
    return { action: 'dropped', rule, message: `${where}${variant}; ${which} is kept.` };
  }

  #urlHashOf({ url }: SitemapPage): number {
    return this.#options.canonicalSlash ? this.#print.take(urlKey(url)).a : 0;
  }

  #key({ url }: SitemapPage): string {
    const key = urlKey(url);
    return this.#options.canonicalSlash ? key.replace(/^([^?]*)\/(?=$|\?)/, '$1') : key;
  }

  #sortOf(page: SitemapPage): number {
    return this.#options.bySort ? sortOf(page) : 0;
  }

  #documentOf(number: number): { readonly name: string } | undefined {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (starts[middle]!.first <= number) low = middle;
      else high = middle;
    }
    return starts[low];
  }
}
