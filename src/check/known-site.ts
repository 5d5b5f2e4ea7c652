/** What is known of a whole site while its documents are checked one after the other: pure, and small per page. */

import { FingerprintTable, int32Column, type Print } from '../parse/fingerprint-table.ts';
import { AgentRules, type RobotsRules } from '../robots/robots-rules.ts';
import { parsedUrl } from '../url.ts';
import type { RelatedPlace } from './rule.ts';
import { UrlMark, type WordList } from './url-mark.ts';

/** What sort of sitemap a document is: pages may be listed once in each. */
export type SitemapSort = 'plain' | 'news' | 'image' | 'video' | 'feed';

interface KnownDocument {
  readonly name: string;
  sort: SitemapSort;
  isComplete: boolean;
  /** Whether it has alternates that must be looked at once more. */
  hasAlternates: boolean;
}

export interface DeclaredSitemap {
  /** The kind of its node. */
  readonly kind: string;
  readonly redirectedTo?: string | undefined;
  /** Why it could not be read. */
  readonly failure?: { readonly code: string; readonly reason: string; readonly isHtml: boolean } | undefined;
}

/** A date in an index, until the newest page of its sitemap is known. */
export interface PendingLastmod {
  readonly text: string;
  /** Where the date is. */
  readonly place: RelatedPlace;
}

interface SiteOptions {
  /** Whose rules of robots.txt count. */
  readonly agent: string;
  /** Whether the documents are all of the site: then a page that is in none of them is not listed. */
  readonly isWhole: boolean;
}

/** How many hosts are remembered that pages are listed on; no site has so many. */
const MOST_HOSTS = 100_000;

export class Site {
  readonly robots: AgentRules;
  readonly isWhole: boolean;
  readonly urls: SiteUrls = new SiteUrls();
  readonly mark: UrlMark = new UrlMark();
  /** How many pages are listed, each once. */
  distinctPages = 0;
  /** The documents that were checked, by number. */
  readonly documents: KnownDocument[] = [];
  readonly clusters: Clusters = new Clusters();
  readonly links: NotedLinks = new NotedLinks();
  /** The origins that pages are listed on. */
  readonly origins: Set<string> = new Set();
  /** Where each sitemap is declared first, by its key. */
  readonly declared: Map<string, string> = new Map();
  readonly #pending = new Map<string, PendingLastmod[]>();

  constructor({ agent, isWhole }: SiteOptions) {
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
    this.links.startDocument();
    return this.documents.push({ name, sort: 'plain', isComplete: false, hasAlternates: false }) - 1;
  }

  /** Remembers the date that an index gives a sitemap. */
  addPending(key: string, pending: PendingLastmod): void {
    const known = this.#pending.get(key);
    if (known === undefined) this.#pending.set(key, [pending]);
    else known.push(pending);
  }

  /** The dates that indexes give a sitemap, once. */
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
  /** The form in which it was listed, the first where there are several others. */
  readonly form: number;
  /** Whether that was the very same URL. */
  readonly isSame: boolean;
}

class SiteUrls {
  /** Pages, each by the form in which it was listed first; its other forms have the hash of their URL besides. */
  readonly #pages = new FingerprintTable();
  /** The hash of the URL as it was listed first. */
  readonly #exact = int32Column();
  /** The last document, and the form. */
  readonly #listed = int32Column();

  /** Says how many pages there will be, as far as is known. */
  expect(count: number): void {
    this.#pages.expect(count);
  }

  /** How a page was listed before; undefined where it was not. */
  find(mark: UrlMark): EarlierListing | undefined {
    const page = this.#pages.find(mark);
    if (page === -1) return undefined;
    const own = this.#exact.get(page) === mark.exact ? page : this.#pages.find(otherForm(mark));
    return this.#listing(own === -1 ? page : own, own !== -1);
  }

  /** The same, and from now on the page is listed by `document`. */
  add(mark: UrlMark, document: number): EarlierListing | undefined {
    const { size } = this.#pages;
    const page = this.#pages.add(mark);
    if (page === size) this.#exact.set(page, mark.exact);
    const own = this.#exact.get(page) === mark.exact ? page : this.#pages.add(otherForm(mark));
    const earlier = page === size ? undefined : this.#listing(own < size ? own : page, own < size);
    this.#listed.set(own, ((document % MOST_DOCUMENTS) << FORM_BITS) | mark.form);
    return earlier;
  }

  #listing(page: number, isSame: boolean): EarlierListing {
    const listed = this.#listed.get(page);
    return { document: listed >>> FORM_BITS, form: listed & ((1 << FORM_BITS) - 1), isSame };
  }
}

/** The first form of a page has 0 there. */
function otherForm({ a, b, exact }: UrlMark): Print {
  return { a, b, c: exact || 1 };
}

export interface AlternateSet extends Print {
  readonly size: number;
}

/** The sets of alternates of a site: how many pages have each of them, and how many members it has. */
class Clusters {
  readonly #sets = new FingerprintTable();
  readonly #pages = int32Column();
  readonly #members = int32Column();

  add(set: AlternateSet, pages: number): void {
    const number = this.#sets.add(set);
    this.#pages.set(number, this.#pages.get(number) + pages);
    this.#members.set(number, set.size);
  }

  /** Whether as many pages have a set as it has members. */
  isComplete(set: AlternateSet): boolean {
    const number = this.#sets.find(set);
    return number !== -1 && this.#pages.get(number) >= set.size;
  }

  /** How many links the sets have that are not complete. */
  get openLinks(): number {
    let links = 0;
    for (let set = 0; set < this.#sets.size; set++) {
      const pages = this.#pages.get(set);
      const members = this.#members.get(set);
      if (pages < members) links += Math.max(pages, 1) * members;
    }
    return links;
  }
}

/** Links that are noted while documents are checked, about 34 bytes each. */
const MOST_NOTED = 500_000;
const MOST_NOTED_ORIGINS = 10_000;
const RECORD = 4;

/** The links between the pages of a site, by document. Either all links of the site are kept, or none. */
class NotedLinks {
  /** Whether all are here. */
  isWhole = true;
  /** Each page, and behind it its links: the words of a mark each; and how many links there are, or an origin. */
  #records = int32Column();
  #size = 0;
  /** Where those of each document begin. */
  readonly #starts: number[] = [];
  #origins: string[] = [];
  readonly #numbers = new Map<string, number>();
  #lastOrigin = '';
  #lastNumber = 0;

  startDocument(): void {
    this.#starts.push(this.#size);
  }

  /** Adds the links of a page: four words each. */
  addPage(page: UrlMark, { words, length }: WordList): void {
    const count = length / RECORD;
    if (this.#size + count >= MOST_NOTED) this.giveUp();
    if (!this.isWhole) return;
    const records = this.#records;
    let at = this.#size * RECORD;
    records.set(at++, page.a);
    records.set(at++, page.b);
    records.set(at++, page.exact);
    records.set(at++, count);
    for (let index = 0; index < length; index++) records.set(at++, words[index]!);
    this.#size += 1 + count;
  }

  get size(): number {
    return this.#size;
  }

  startOf(document: number): number {
    return this.#starts[document] ?? this.#size;
  }

  endOf(document: number): number {
    return this.startOf(document + 1);
  }

  /** Gives `mark` the words of a record; returns the number behind them. */
  read(record: number, mark: UrlMark): number {
    const at = record * RECORD;
    mark.a = this.#records.get(at);
    mark.b = this.#records.get(at + 1);
    mark.exact = this.#records.get(at + 2);
    return this.#records.get(at + 3);
  }

  /** The number of the origin of a URL, or of an origin with a slash at its end: mostly that of the one before. */
  originOf(url: string): number {
    if (this.#lastOrigin !== '' && url.startsWith(this.#lastOrigin)) return this.#lastNumber;
    let start = url;
    let number = this.#numbers.get(start);
    if (number === undefined) {
      const origin = parsedUrl(url)?.origin ?? '';
      start = `${origin}/`;
      number = this.#numbers.get(start) ?? this.#origins.push(origin) - 1;
      this.#numbers.set(start, number);
    }
    this.#lastOrigin = start;
    this.#lastNumber = number;
    // One entry may name any number of them.
    if (number >= MOST_NOTED_ORIGINS) this.giveUp();
    return number;
  }

  origin(number: number): string {
    return this.#origins[number] ?? '';
  }

  giveUp(): void {
    this.isWhole = false;
    this.#records = int32Column();
    this.#origins = [];
    this.#numbers.clear();
    this.#lastOrigin = '';
  }
}
