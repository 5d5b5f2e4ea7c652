/** The option that completes alternates in both directions. */
import { urlKey } from '../check/ordinary-url.ts';
import type { SitemapAlternate } from '../parse/model/page.ts';
import { givenText } from './value-text.ts';
import {
  addressOf,
  givenAlternates,
  givenPage,
  type WritablePage,
  type WriteProblem,
} from './writable-page.ts';

interface LinkedPage {
  url: string;
  /** The language that it has by its own words, or else by those of others. */
  hreflang?: string;
  isOwnWord: boolean;
  /** The pages that name it. */
  by: LinkedPage[];
}

/**
 * Alternates in both directions. Pages are read once to note which names which, and once more to be completed: a page
 * names itself and each page that names it, where the language of the other page is known and not taken by another
 * alternate.
 */
export class ReturnAlternates {
  readonly #pages = new Map<string, LinkedPage>();
  readonly #onProblem: (problem: WriteProblem) => void;

  constructor(onProblem: (problem: WriteProblem) => void) {
    this.#onProblem = onProblem;
  }

  note(input: WritablePage): void {
    const alternates = readableAlternates(input);
    if (alternates.length === 0) return;
    const page = this.#namedPage(givenText(addressOf(input)));
    for (const { hreflang, href } of alternates) {
      const other = this.#namedPage(href);
      const isOwnWord = other === page;
      if (!isOwnWord && other.by.at(-1) !== page) other.by.push(page);
      const isDefault = hreflang.toLowerCase() === 'x-default';
      if (isDefault || other.isOwnWord || (other.hreflang !== undefined && !isOwnWord)) continue;
      other.hreflang = hreflang;
      other.isOwnWord = isOwnWord;
    }
  }

  /** The alternates of a page with those that it lacks; undefined where it lacks none. */
  completed(input: WritablePage): readonly SitemapAlternate[] | undefined {
    const page = givenPage(input);
    const namedPage = this.#pages.get(urlKey(givenText(addressOf(page))));
    if (namedPage === undefined) return undefined;
    const alternates = readableAlternates(page);
    const languages = new Set(alternates.map(({ hreflang }) => hreflang.toLowerCase()));
    const targets = new Set(alternates.map(({ href }) => urlKey(href)));
    const additions: SitemapAlternate[] = [];
    for (const other of new Set([namedPage, ...namedPage.by])) {
      const { url, hreflang } = other;
      if (targets.has(urlKey(url))) continue;
      if (hreflang === undefined || languages.has(hreflang.toLowerCase())) {
        const why =
          hreflang === undefined ? 'its language is not known' : `there is another one for "${hreflang}"`;
        const code = other === namedPage ? 'hreflang-no-self' : 'hreflang-no-return';
        const message = `${url} cannot be named: ${why}.`;
        this.#onProblem({ code, message, url: givenText(addressOf(page)), dropped: undefined });
        continue;
      }
      additions.push({ hreflang, href: url });
      languages.add(hreflang.toLowerCase());
      targets.add(urlKey(url));
    }
    return additions.length === 0 ? undefined : [...givenAlternates(page.alternates), ...additions];
  }

  #namedPage(url: string): LinkedPage {
    const key = urlKey(url);
    const earlier = this.#pages.get(key);
    if (earlier !== undefined) return earlier;
    const newPage: LinkedPage = { url, isOwnWord: false, by: [] };
    this.#pages.set(key, newPage);
    return newPage;
  }
}

/** Alternates without a language or an address cannot be compared; the writer reports them. */
function readableAlternates(page: WritablePage): readonly SitemapAlternate[] {
  return givenAlternates(givenPage(page).alternates).filter(
    (alternate) => typeof alternate?.hreflang === 'string' && typeof alternate.href === 'string',
  );
}
