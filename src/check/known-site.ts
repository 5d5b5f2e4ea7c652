/**
 * What is remembered of a whole site while its documents are checked one after the other, with little memory per page.
 */

import { FingerprintTable, int32Column, type Print } from '../parse/fingerprint-table.ts';
import { AgentRules, type RobotsRules } from '../robots/robots-rules.ts';
import { AlternateSets } from './alternate-sets.ts';
import type { RelatedPlace } from './rule.ts';
import { UrlMark } from './url-mark.ts';

/** The sort of a sitemap: a page may be listed once in each sort. */
export type SitemapSort = 'plain' | 'news' | 'image' | 'video' | 'feed';

interface KnownDocument {
  readonly name: string;
  sort: SitemapSort;
  isComplete: boolean;
  /** The numbers of its first and its last set of alternates. */
  firstSet: number;
  lastSet: number;
}

export interface DeclaredSitemap {
  readonly kind: string;
  readonly redirectedTo?: string | undefined;
  /** Why it could not be read. */
  readonly failure?: { readonly code: string; readonly reason: string; readonly isHtml: boolean } | undefined;
}

/** A date in an index, until the newest page of its sitemap is known. */
export interface PendingLastmod {
  readonly text: string;
  /** The sitemap, as the index names it. */
  readonly page: string;
  /** Where the date is. */
  readonly place: RelatedPlace;
}

/** How many origins of pages are remembered; no site has so many. */
const MOST_HOSTS = 100_000;

export class Site {
  readonly robots: AgentRules;
  readonly isWhole: boolean;
  readonly urls: SiteUrls = new SiteUrls();
  readonly mark: UrlMark = new UrlMark();
  /** How many different pages are listed. */
  distinctPages = 0;
  readonly documents: KnownDocument[] = [];
  /** The alternates of pages. A page's number in these sets is its index in `linkedPages`. */
  readonly sets: AlternateSets = new AlternateSets();
  readonly linkedPages: FingerprintTable = new FingerprintTable();
  /** How many alternates were not checked: there were too many to remember. */
  alternatesNotChecked = 0;
  /** The origins of the listed pages. */
  readonly origins: Set<string> = new Set();
  /** Where each sitemap is declared first, by its key. */
  readonly declared: Map<string, string> = new Map();
  readonly #pending = new Map<string, PendingLastmod[]>();

  /**
   * @param agent - whose rules of robots.txt count
   * @param isWhole - whether the documents are all of the site: then a page that is in none of them is not listed
   */
  constructor(agent: string, isWhole: boolean) {
    this.robots = new AgentRules(agent);
    this.isWhole = isWhole;
  }

  /** The rules for a URL that is listed; undefined where the robots.txt of its origin was not read. */
  robotsFor(url: string): RobotsRules | undefined {
    const rules = this.robots.of(url);
    const { origin } = this.robots;
    if (origin !== '' && this.origins.size < MOST_HOSTS) this.origins.add(origin);
    return rules;
  }

  /** Gives a document its number. */
  addDocument(name: string): number {
    return this.documents.push({ name, sort: 'plain', isComplete: false, firstSet: 0, lastSet: -1 }) - 1;
  }

  /** Remembers the date that an index gives a sitemap. */
  addPending(key: string, pending: PendingLastmod): void {
    const earlier = this.#pending.get(key);
    if (earlier === undefined) this.#pending.set(key, [pending]);
    else earlier.push(pending);
  }

  /** Removes and returns the dates that indexes give a sitemap. */
  takePending(keys: readonly string[]): readonly PendingLastmod[] {
    return keys.flatMap((key) => {
      const pending = this.#pending.get(key) ?? [];
      this.#pending.delete(key);
      return pending;
    });
  }
}

const FORM_BITS = 5;
const MOST_DOCUMENTS = 1 << (31 - FORM_BITS);

export interface EarlierListing {
  /** The number of the document that listed it last. */
  readonly document: number;
  /** Its form; that of the first listing if only other forms are listed. */
  readonly form: number;
  /** Whether exactly this URL was listed. */
  readonly isSame: boolean;
}

class SiteUrls {
  /**
   * Pages, each in the form in which it was listed first. Its other forms are further entries, with the hash of their
   * URL.
   */
  readonly #pages = new FingerprintTable();
  /** The hash of the URL as it was listed first. */
  readonly #exact = int32Column();
  /** The last document, and the form. */
  readonly #lastListing = int32Column();

  /** How a page was listed before; undefined if it was not. */
  find(mark: UrlMark): EarlierListing | undefined {
    const page = this.#pages.find(mark);
    if (page === -1) return undefined;
    const form = this.#exact.get(page) === mark.exact ? page : this.#pages.find(otherForm(mark));
    return this.#listing(form === -1 ? page : form, form !== -1);
  }

  /** Remembers that `document` lists a page. Returns how it was listed before; undefined if it was not. */
  add(mark: UrlMark, document: number): EarlierListing | undefined {
    const { size } = this.#pages;
    const page = this.#pages.add(mark);
    if (page === size) this.#exact.set(page, mark.exact);
    const form = this.#exact.get(page) === mark.exact ? page : this.#pages.add(otherForm(mark));
    const earlier = page === size ? undefined : this.#listing(form < size ? form : page, form < size);
    this.#lastListing.set(form, ((document % MOST_DOCUMENTS) << FORM_BITS) | mark.form);
    return earlier;
  }

  #listing(page: number, isSame: boolean): EarlierListing {
    const listing = this.#lastListing.get(page);
    return { document: listing >>> FORM_BITS, form: listing & ((1 << FORM_BITS) - 1), isSame };
  }
}

/** A further form has the hash of its URL as `c`; the first has 0, hence `|| 1`. */
function otherForm({ a, b, exact }: UrlMark): Print {
  return { a, b, c: exact || 1 };
}
