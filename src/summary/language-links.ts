/** Counts the links of pages to their translations, by language. */
import { AlternateSets, MOST_OF_PAGE } from '../check/alternate-sets.ts';
import { urlKey } from '../check/ordinary-url.ts';
import { Fingerprint, type FingerprintTable } from '../parse/fingerprint-table.ts';
import type { SitemapAlternate } from '../parse/model/page.ts';
import { FairShare } from '../runtime/time.ts';
import type { LanguageCount, LanguageSummary, Mutable } from './tree-summary.ts';

const MOST_LANGUAGES = 500;
const LONGEST_CODE = 35;

/** How many sets are counted in one turn of the event loop. */
const SETS_OF_TURN = 1_024;

/**
 * Counts which links between languages have a return link. A table gives numbers to pages and targets of links, by the
 * keys by which URLs are compared.
 */
export class LanguageLinks {
  readonly #urls: FingerprintTable;
  readonly #print = new Fingerprint();
  readonly #sets = new AlternateSets();
  readonly #languages = new Map<string, number>();
  readonly #counts: Mutable<LanguageCount>[] = [];
  #pages = 0;
  #notChecked = 0;

  constructor(urls: FingerprintTable) {
    this.#urls = urls;
  }

  /** Adds a declaration of a page. */
  add(page: number, alternates: readonly SitemapAlternate[]): void {
    if (!this.#sets.isKnown(page)) this.#pages++;
    const room = this.#sets.isFull ? 0 : MOST_OF_PAGE;
    const links = alternates.slice(0, room).map(({ hreflang, href }) => {
      const target = this.#urls.add(this.#print.take(urlKey(href)));
      return { target, language: this.#language(hreflang) };
    });
    const isAdded = links.length > 0 && this.#sets.add(page, links) !== undefined;
    for (const { hreflang } of isAdded ? alternates.slice(room) : alternates) {
      this.#counts[this.#language(hreflang) - 1]!.links++;
      this.#notChecked++;
    }
  }

  /** @param isListed - whether a sitemap lists the page with this number */
  async summary(isListed: (page: number) => boolean, signal?: AbortSignal): Promise<LanguageSummary> {
    const share = new FairShare();
    for (let set = 0; set < this.#sets.size; set++) {
      for (const { target, language, links, returned } of this.#sets.linksOf(set)) {
        const counts = this.#counts[language - 1]!;
        counts.links += links;
        counts.returned += returned;
        if (isListed(target)) counts.notReturned += links - returned;
        else counts.notListed += links - returned;
      }
      if (set % SETS_OF_TURN !== 0) continue;
      await share.turn();
      signal?.throwIfAborted();
    }
    const languages = this.#counts.filter(({ links }) => links > 0);
    languages.sort((a, b) => b.notReturned - a.notReturned || b.notListed - a.notListed || b.links - a.links);
    return { pages: this.#pages, languages, notChecked: this.#notChecked };
  }

  #language(hreflang: string): number {
    // Most codes are written in lower case.
    const usual = this.#languages.get(hreflang);
    if (usual !== undefined) return usual;
    // Not `clip`: links are grouped by it.
    const code = hreflang.slice(0, LONGEST_CODE).toLowerCase();
    const name = this.#languages.has(code) || this.#languages.size < MOST_LANGUAGES ? code : 'other';
    const ofLanguage = this.#languages.get(name);
    if (ofLanguage !== undefined) return ofLanguage;
    this.#counts.push({ language: name, links: 0, returned: 0, notReturned: 0, notListed: 0 });
    this.#languages.set(name, this.#counts.length);
    return this.#counts.length;
  }
}
