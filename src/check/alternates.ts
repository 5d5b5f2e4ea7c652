/**
 * The alternates of the entries of one document, as fingerprints. A page and its alternates make a set. Where as many
 * pages have a set as it has members, each member lists all others, and nothing more need be known; only the sets that
 * are left are looked at link by link.
 */
import type { TagAttribute } from '../parse/listener.ts';
import type { Site } from './site.ts';
import { urlKey } from './url-key.ts';
import { UrlMark } from './url-mark.ts';

/** The members of a set that are compared with each other; no page exists in so many languages. */
const MOST_MEMBERS = 500;

/** Collects the alternates of one entry after the other. */
export class Alternates {
  readonly #site: Site;
  readonly #base: string | undefined;
  readonly #mark = new UrlMark();
  /** The members of the entry's set: two words each. */
  readonly #members: number[] = [];
  #isUsed = false;

  /** @param base - what relative URLs are resolved against */
  constructor(site: Site, base: string | undefined) {
    this.#site = site;
    this.#base = base;
  }

  /** Whether any entry had alternates. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** An entry begins. */
  start(): void {
    if (this.#members.length > 0) this.#members.length = 0;
  }

  /** An `xhtml:link` of the entry. */
  link(attributes: readonly TagAttribute[]): void {
    const href = alternateHref(attributes, this.#base);
    if (href === undefined) return;
    this.#mark.take(href);
    this.#add(this.#mark);
  }

  /** The entry ends, and its page is the one that the site has taken last; `isFirst` where it was not listed before. */
  endEntry(isFirst: boolean): void {
    if (this.#members.length === 0) return;
    this.#isUsed = true;
    const { high, low, size } = this.takeSet(this.#site.mark);
    if (size > 1) this.#site.clusters.add(high, low, isFirst ? 1 : 0, size);
    this.#members.length = 0;
  }

  /** The key of the set that the alternates and the page itself make, and how many members it has. */
  takeSet(page: UrlMark): { readonly high: number; readonly low: number; readonly size: number } {
    this.#add(page);
    const members = this.#members;
    let high = 0;
    let low = 0;
    // The order does not matter.
    for (let at = 0; at < members.length; at += 2) {
      high = (high + Math.imul(members[at]! ^ (members[at]! >>> 15), 0x2c1b3c6d)) | 0;
      low = (low + Math.imul(members[at + 1]! ^ (members[at]! >>> 13), 0x297a2d39)) | 0;
    }
    return { high, low, size: members.length / 2 };
  }

  #add({ a, b, exact }: UrlMark): void {
    const members = this.#members;
    const high = a ^ exact;
    const low = (b + exact) | 0;
    for (let at = 0; at < members.length; at += 2) {
      if (members[at] === high && members[at + 1] === low) return;
    }
    if (members.length < 2 * MOST_MEMBERS) members.push(high, low);
  }
}

/** The key of the page that a link names as an alternate; undefined where it names none. */
export function alternateHref(
  attributes: readonly TagAttribute[],
  base: string | undefined,
): string | undefined {
  let href: string | undefined;
  let isAlternate = false;
  let hasLanguage = false;
  for (const { name, value } of attributes) {
    switch (name.toLowerCase()) {
      case 'rel':
        isAlternate = value.trim().toLowerCase() === 'alternate';
        break;
      case 'hreflang':
        hasLanguage = value.trim() !== '';
        break;
      case 'href':
        href = value.trim();
        break;
    }
  }
  if (!isAlternate || !hasLanguage || href === undefined || href === '') return undefined;
  if (/^https?:/.test(href)) return urlKey(href);
  return base !== undefined && URL.canParse(href, base) ? urlKey(new URL(href, base).href) : undefined;
}
