/**
 * Remembers which pages name each other as alternates.
 *
 * Pages that are translations of each other name the same set of pages, so a set is kept once, not once for each of its
 * pages: a site in ten languages needs a tenth of the memory. A set is a sorted list of numbers, each for a page and a
 * language. Sets are compared by their fingerprints.
 */
import {
  type Column,
  Fingerprint,
  FingerprintTable,
  float64Column,
  int32Column,
  uint16Column,
} from '../parse/fingerprint-table.ts';

/** Members of sets that are remembered, 8 bytes each. */
const MOST_MEMBERS = 8_000_000;
/** How many links of a page are checked. */
export const MOST_OF_PAGE = 200;

/** A member of a set is page × 1,024 + language. Language 0 means that a page does not name itself. */
const LANGUAGES = 1024;

export interface NumberedLink {
  /** The number of the page that is named. */
  readonly target: number;
  /** The number of its language, from 1 to 1,023. */
  readonly language: number;
}

/** Links to one page in one language, from all pages that have the same set. */
export interface LinksToPage extends NumberedLink {
  readonly links: number;
  /** How many of them the page returns. */
  readonly returned: number;
}

export class AlternateSets {
  readonly #sets = new FingerprintTable();
  readonly #print = new Fingerprint();
  /** The members of the set that is being added; the fingerprint is that of their bytes. */
  readonly #sorted = new Float64Array(2 * MOST_OF_PAGE);
  readonly #bytes = new Uint8Array(this.#sorted.buffer);
  readonly #view = new DataView(this.#sorted.buffer);
  /** The sets one after the other, and where each begins. */
  readonly #members: Column = float64Column();
  readonly #starts: Column = int32Column();
  #size = 0;
  /** By page: the set that it declares, plus one. */
  readonly #setOf: Column = int32Column();
  /** By set: 1 if a page had it, and has declared more since. */
  readonly #replaced: Column = uint16Column();

  /** How many different sets there are. */
  get size(): number {
    return this.#sets.size;
  }

  get isFull(): boolean {
    return this.#size + MOST_OF_PAGE >= MOST_MEMBERS;
  }

  /**
   * Adds a declaration of a page. A page may be listed several times: new links are added to the earlier ones.
   *
   * @param links - at most {@link MOST_OF_PAGE}
   * @returns the number of the set that the page declares now; undefined if there is no room for it
   */
  add(page: number, links: readonly NumberedLink[]): number | undefined {
    const earlier = this.#setOf.get(page) - 1;
    const members = earlier === -1 ? [] : this.#membersOf(earlier);
    for (const { target, language } of links) {
      const member = target * LANGUAGES + language;
      if (!members.includes(member)) members.push(member);
    }
    if (!members.some((member) => pageOf(member) === page)) members.push(page * LANGUAGES);
    if (members.length > 2 * MOST_OF_PAGE || this.isFull) return undefined;
    members.sort((a, b) => a - b);
    this.#sorted.set(members);
    this.#print.takeBytes(this.#bytes, this.#view, 0, members.length * Float64Array.BYTES_PER_ELEMENT);
    const set = this.#sets.add(this.#print);
    if (this.#endOf(set) === 0) {
      for (const member of members) this.#members.set(this.#size++, member);
      this.#starts.set(set + 1, this.#size);
    }
    if (earlier !== -1 && earlier !== set) this.#replaced.set(earlier, 1);
    this.#setOf.set(page, set + 1);
    return set;
  }

  /** Whether a page has declared alternates, and they are remembered. */
  isKnown(page: number): boolean {
    return this.#setOf.get(page) !== 0;
  }

  /** Whether a page names another one. */
  names(page: number, other: number): boolean {
    const set = this.#setOf.get(page) - 1;
    if (set === -1) return false;
    let low = this.#starts.get(set);
    let high = this.#endOf(set);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const middlePage = pageOf(this.#members.get(middle));
      if (middlePage === other) return true;
      if (middlePage < other) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  /** Whether a page had this set, and declared more in another place. */
  isReplaced(set: number): boolean {
    return this.#replaced.get(set) === 1;
  }

  /** The links of a set, by the pages that they lead to. */
  *linksOf(set: number): Generator<LinksToPage, void, undefined> {
    const members = this.#membersOf(set);
    const declaring = new Set(members.map(pageOf).filter((page) => this.#setOf.get(page) === set + 1));
    for (const member of members) {
      const language = member % LANGUAGES;
      if (language === 0) continue;
      const target = pageOf(member);
      if (declaring.has(target)) {
        const links = declaring.size - 1;
        yield { target, language, links, returned: links };
        continue;
      }
      let returned = 0;
      if (this.isKnown(target)) for (const page of declaring) if (this.names(target, page)) returned++;
      yield { target, language, links: declaring.size, returned };
    }
  }

  #membersOf(set: number): number[] {
    const members: number[] = [];
    for (let at = this.#starts.get(set); at < this.#endOf(set); at++) members.push(this.#members.get(at));
    return members;
  }

  /** 0 for a set whose members are not known yet. */
  #endOf(set: number): number {
    return this.#starts.get(set + 1);
  }
}

function pageOf(member: number): number {
  return Math.floor(member / LANGUAGES);
}
