/**
 * Which links between languages are returned.
 *
 * Pages that are translations of each other name the same set of pages, so a set is kept once, not once for each of its
 * pages: a site in ten languages costs a tenth. A set is a sorted list of numbers, of which each is a page and a
 * language. Sets are found by the smallest page in them, and compared as they are.
 */

import { urlKey } from '../check/ordinary-url.ts';
import {
  type Column,
  Fingerprint,
  type FingerprintTable,
  float64Column,
  int32Column,
} from '../parse/fingerprint-table.ts';
import type { SitemapAlternate } from '../parse/model/page.ts';
import { FairShare } from '../runtime/time.ts';
import type { LanguageCount, LanguageSummary } from './tree-summary.ts';

/** Links that are remembered, 8 bytes each. */
const MOST_LINKS = 8_000_000;
const MOST_OF_PAGE = 200;
/** Sets with the same smallest page: more make finding one slow. */
const MOST_ALIKE = 32;
const MOST_LANGUAGES = 500;
const LONGEST_CODE = 35;

/** Links that are counted in one turn of the event loop. */
const LINKS_OF_TURN = 8_192;

/** A page and a language in one number; 0 is no language. */
const LANGUAGES = 1024;

const NONE: readonly number[] = [];

type Counts = { -readonly [Key in keyof LanguageCount]: LanguageCount[Key] };

/**
 * Follows the links between languages. Pages are numbered by a table, which the targets of links are added to; both by
 * what URLs are compared by.
 */
export class LanguageLinks {
  readonly #urls: FingerprintTable;
  readonly #print = new Fingerprint();
  readonly #languages = new Map<string, number>();
  readonly #counts: Counts[] = [];
  /** The sets one after the other. */
  readonly #members: Column = float64Column();
  #size = 0;
  readonly #starts: number[] = [];
  /** The next set with the same smallest page, plus one. */
  readonly #next: number[] = [];
  /** By page: the first set of which it is the smallest, plus one. */
  readonly #first: Column = int32Column();
  /** By page: the set that it declares, plus one. */
  readonly #setOf: Column = int32Column();
  #pages = 0;
  #notChecked = 0;

  constructor(urls: FingerprintTable) {
    this.#urls = urls;
  }

  /** Adds a declaration of a page. All of them count, whichever comes first: links that are new join the others. */
  add(page: number, alternates: readonly SitemapAlternate[]): void {
    const earlier = this.#membersOf(page);
    if (earlier.length === 0) this.#pages++;
    const followed = alternates.length > MOST_OF_PAGE ? alternates.slice(0, MOST_OF_PAGE) : alternates;
    for (let at = MOST_OF_PAGE; at < alternates.length; at++) this.#leaveOut(alternates[at]!.hreflang);
    if (this.#size + earlier.length + followed.length + 1 > MOST_LINKS) {
      for (const { hreflang } of followed) this.#leaveOut(hreflang);
      return;
    }
    const members = [...earlier];
    for (const { hreflang, href } of followed) {
      const target = this.#urls.add(this.#print.take(urlKey(href)));
      const language = this.#language(hreflang);
      const member = target * LANGUAGES + language;
      if (earlier.includes(member)) continue;
      members.push(member);
      if (target !== page) this.#counts[language - 1]!.links++;
    }
    if (earlier.length > 0 && members.length === earlier.length) return;
    if (!members.some((member) => pageOf(member) === page)) members.push(page * LANGUAGES);
    const set = this.#setWith(sorted(members));
    if (set !== undefined) this.#setOf.set(page, set + 1);
    // Counted as links already.
    else for (const member of members) if (pageOf(member) !== page) this.#notChecked++;
  }

  /** @param isListed - whether a sitemap lists the page with this number */
  async summary(isListed: (page: number) => boolean, signal?: AbortSignal): Promise<LanguageSummary> {
    const share = new FairShare();
    let turnAt = LINKS_OF_TURN;
    for (let set = 0; set < this.#starts.length; set++) {
      this.#count(set, isListed);
      if (this.#endOf(set) < turnAt) continue;
      await share.turn();
      signal?.throwIfAborted();
      turnAt = this.#endOf(set) + LINKS_OF_TURN;
    }
    const languages = this.#counts.filter(({ links }) => links > 0);
    languages.sort((a, b) => b.notReturned - a.notReturned || b.notListed - a.notListed || b.links - a.links);
    return { pages: this.#pages, languages, notChecked: this.#notChecked };
  }

  #leaveOut(hreflang: string): void {
    this.#counts[this.#language(hreflang) - 1]!.links++;
    this.#notChecked++;
  }

  #language(hreflang: string): number {
    // Most are written in lower case.
    const usual = this.#languages.get(hreflang);
    if (usual !== undefined) return usual;
    const code = hreflang.slice(0, LONGEST_CODE).toLowerCase();
    const name = this.#languages.has(code) || this.#languages.size < MOST_LANGUAGES ? code : 'other';
    const known = this.#languages.get(name);
    if (known !== undefined) return known;
    this.#counts.push({ language: name, links: 0, returned: 0, notReturned: 0, notListed: 0 });
    this.#languages.set(name, this.#counts.length);
    return this.#counts.length;
  }

  /** The set with these members; undefined where too many begin with the same page. */
  #setWith(members: readonly number[]): number | undefined {
    const smallest = pageOf(members[0]!);
    let alike = 0;
    for (let at = this.#first.get(smallest); at !== 0; at = this.#next[at - 1]!) {
      if (this.#isEqual(at - 1, members)) return at - 1;
      if (++alike === MOST_ALIKE) return undefined;
    }
    const set = this.#starts.length;
    this.#starts.push(this.#size);
    this.#next.push(this.#first.get(smallest));
    this.#first.set(smallest, set + 1);
    for (const member of members) this.#members.set(this.#size++, member);
    return set;
  }

  #membersOf(page: number): readonly number[] {
    const set = this.#setOf.get(page) - 1;
    if (set === -1) return NONE;
    const start = this.#starts[set]!;
    return Array.from({ length: this.#endOf(set) - start }, (_, at) => this.#members.get(start + at));
  }

  #endOf(set: number): number {
    return this.#starts[set + 1] ?? this.#size;
  }

  #isEqual(set: number, members: readonly number[]): boolean {
    const start = this.#starts[set]!;
    if (this.#endOf(set) - start !== members.length) return false;
    return members.every((member, at) => this.#members.get(start + at) === member);
  }

  /** Whether a set has a page. */
  #has(set: number, page: number): boolean {
    let low = this.#starts[set]!;
    let high = this.#endOf(set);
    const least = page * LANGUAGES;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#members.get(middle) < least) low = middle + 1;
      else high = middle;
    }
    return low < this.#endOf(set) && pageOf(this.#members.get(low)) === page;
  }

  #count(set: number, isListed: (page: number) => boolean): void {
    const declaring = new Set<number>();
    const end = this.#endOf(set);
    for (let at = this.#starts[set]!; at < end; at++) {
      const page = pageOf(this.#members.get(at));
      if (this.#setOf.get(page) === set + 1) declaring.add(page);
    }
    for (let at = this.#starts[set]!; at < end; at++) {
      const member = this.#members.get(at);
      const language = member % LANGUAGES;
      if (language === 0) continue;
      const counts = this.#counts[language - 1]!;
      const target = pageOf(member);
      if (declaring.has(target)) counts.returned += declaring.size - 1;
      else if (!isListed(target)) counts.notListed += declaring.size;
      else {
        const other = this.#setOf.get(target) - 1;
        for (const page of declaring) {
          if (other !== -1 && this.#has(other, page)) counts.returned++;
          else counts.notReturned++;
        }
      }
    }
  }
}

/** Sorts a few numbers in their place: faster than `sort` with a function. */
function sorted(members: number[]): readonly number[] {
  for (let at = 1; at < members.length; at++) {
    const member = members[at]!;
    let place = at;
    for (; place > 0 && members[place - 1]! > member; place--) members[place] = members[place - 1]!;
    members[place] = member;
  }
  return members;
}

function pageOf(member: number): number {
  return Math.floor(member / LANGUAGES);
}
