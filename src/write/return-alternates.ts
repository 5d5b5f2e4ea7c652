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

interface Named {
  url: string;
  /** The language that it has by its own words, or else by those of others. */
  hreflang?: string;
  isOwnWord: boolean;
  /** The pages that name it. */
  by: Named[];
}

/**
 * Alternates in both directions. Pages are read once to note which names which, and once more to be completed: a page
 * names itself and each page that names it, where the language of the other page is known and not taken by another
 * alternate.
 */
export class ReturnAlternates {
  readonly #pages = new Map<string, Named>();
  readonly #onProblem: (problem: WriteProblem) => void;

  constructor(onProblem: (problem: WriteProblem) => void) {
    this.#onProblem = onProblem;
  }

  note(given: WritablePage): void {
    const alternates = readableAlternates(given);
    if (alternates.length === 0) return;
    const page = this.#named(givenText(addressOf(given)));
    for (const { hreflang, href } of alternates) {
      const other = this.#named(href);
      const isOwnWord = other === page;
      if (!isOwnWord && other.by.at(-1) !== page) other.by.push(page);
      const isDefault = hreflang.toLowerCase() === 'x-default';
      if (isDefault || other.isOwnWord || (other.hreflang !== undefined && !isOwnWord)) continue;
      other.hreflang = hreflang;
      other.isOwnWord = isOwnWord;
    }
  }

  /** The alternates of a page with those that it lacks; undefined where it lacks none. */
  completed(given: WritablePage): readonly SitemapAlternate[] | undefined {
    const page = givenPage(given);
    const known = this.#pages.get(urlKey(givenText(addressOf(page))));
    if (known === undefined) return undefined;
    const alternates = readableAlternates(page);
    const languages = new Set(alternates.map(({ hreflang }) => hreflang.toLowerCase()));
    const targets = new Set(alternates.map(({ href }) => urlKey(href)));
    const added: SitemapAlternate[] = [];
    for (const other of [known, ...known.by]) {
      const { url, hreflang } = other;
      if (targets.has(urlKey(url))) continue;
      if (hreflang === undefined || languages.has(hreflang.toLowerCase())) {
        const why =
          hreflang === undefined ? 'its language is not known' : `there is another one for "${hreflang}"`;
        const code = other === known ? 'hreflang-no-self' : 'hreflang-no-return';
        const message = `${url} cannot be named: ${why}.`;
        this.#onProblem({ code, message, url: givenText(addressOf(page)), dropped: undefined });
        continue;
      }
      added.push({ hreflang, href: url });
      languages.add(hreflang.toLowerCase());
      targets.add(urlKey(url));
    }
    return added.length === 0 ? undefined : [...givenAlternates(page.alternates), ...added];
  }

  #named(url: string): Named {
    const key = urlKey(url);
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const named: Named = { url, isOwnWord: false, by: [] };
    this.#pages.set(key, named);
    return named;
  }
}

/** The others cannot be compared; the writer reports them. */
function readableAlternates(page: WritablePage): readonly SitemapAlternate[] {
  return givenAlternates(givenPage(page).alternates).filter(
    (alternate) => typeof alternate?.hreflang === 'string' && typeof alternate.href === 'string',
  );
}
