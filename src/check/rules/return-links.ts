/**
 * Checks whether the pages of a site name each other as alternates. Sets keep the alternates of entries while documents
 * are checked. If a link of a set has no return link, the documents with that set are read again, for messages and
 * places.
 */
import { parsedUrl } from '../../url.ts';
import { MOST_OF_PAGE, type NumberedLink } from '../alternate-sets.ts';
import type { Site } from '../known-site.ts';
import type { AlternateLink } from '../ordinary-url.ts';
import { type DocumentRule, oneOrMany, type RuleNames, type RuleRows, ruleRows } from '../rule.ts';
import { UrlMark } from '../url-mark.ts';

const RETURN = {
  severity: 'warning',
  about: 'hreflang',
  documents: ['site'],
  source: 'https://developers.google.com/search/docs/specialty/international/localized-versions',
  aggregated: true,
} as const;

export const RETURN_RULES: RuleRows<RuleNames['returnLinks']> = ruleRows(RETURN, {
  'hreflang-no-return': {
    what:
      'A page names another page as its alternate, which is in a sitemap, too, and does not name the first page. ' +
      'Only pages in sitemaps that were read completely are checked.',
    why: 'Search engines ignore alternates that are not confirmed from the other side.',
    fix: 'List all versions of a page in the entry of each version.',
    bad: 'https://example.org/ names https://example.org/de/, which names nothing.',
    good: 'Both name both.',
  },
  'hreflang-not-listed': {
    severity: 'info',
    what: 'A page names an alternate that is in no sitemap. Reported only if everything that is declared was read.',
    why: 'A check cannot tell whether the alternate names the page in return, and search engines may find it late.',
    fix: 'List the alternate as a page of its own, with the same alternates.',
    bad: 'https://example.org/ names https://example.org/de/, which is not listed.',
    good: 'Both are listed.',
  },
});

/** Keeps the alternates of the entries of one document. */
export class Alternates {
  readonly #site: Site;
  readonly #base: string | undefined;
  readonly #mark = new UrlMark();
  #links: NumberedLink[] = [];
  #leftOut = 0;
  /** The numbers of the first and the last set of the document; the first is larger if there is none. */
  firstSet: number = Number.POSITIVE_INFINITY;
  lastSet = -1;

  /** @param base - the URL that relative URLs are resolved against */
  constructor(site: Site, base: string | undefined) {
    this.#site = site;
    this.#base = base;
  }

  start(): void {
    this.#links = [];
    this.#leftOut = 0;
  }

  link(link: AlternateLink): void {
    const href = link.key(this.#base);
    if (href === undefined) return;
    const { sets, linkedPages } = this.#site;
    if (this.#links.length === MOST_OF_PAGE || sets.isFull) {
      this.#leftOut++;
      return;
    }
    this.#mark.take(href);
    this.#links.push({ target: linkedPages.add(this.#mark.whole), language: 1 });
  }

  /** Called at the end of an entry; `site.mark` has its page. */
  endEntry(): void {
    const { mark, sets, linkedPages } = this.#site;
    if (this.#links.length > 0) {
      const set = sets.add(linkedPages.add(mark.whole), this.#links);
      if (set === undefined) this.#leftOut += this.#links.length;
      else {
        this.firstSet = Math.min(this.firstSet, set);
        this.lastSet = Math.max(this.lastSet, set);
      }
    }
    this.#site.alternatesNotChecked += this.#leftOut;
    this.start();
  }
}

type ReturnName = RuleNames['returnLinks'];

const WORDS: Readonly<Record<ReturnName, { readonly what: string; readonly many: string }>> = {
  'hreflang-no-return': { what: 'but is not named in return', many: 'do not name their page in return' },
  'hreflang-not-listed': { what: 'which is in no sitemap', many: 'are in no sitemap' },
};

/** The documents that have to be read again with {@link returnLinks}, by number. */
export function* withoutReturn(site: Site): Generator<number, void, undefined> {
  const broken = brokenSets(site);
  for (const [number, { firstSet, lastSet }] of site.documents.entries()) {
    const next = broken[firstAtLeast(broken, firstSet)];
    if (next !== undefined && next <= lastSet) yield number;
  }
}

/** The numbers of the sets that may have links without a return link, in order. */
function brokenSets(site: Site): readonly number[] {
  const broken: number[] = [];
  for (let set = 0; set < site.sets.size; set++) {
    if (site.sets.isReplaced(set) || hasBrokenLink(site, set)) broken.push(set);
  }
  return broken;
}

function hasBrokenLink(site: Site, set: number): boolean {
  for (const { target, links, returned } of site.sets.linksOf(set)) {
    if (returned === links) continue;
    const isListed = isListedHere(site, UrlMark.of(site.linkedPages.printOf(target)));
    if (isListed === true || (isListed === false && site.isWhole)) return true;
  }
  return false;
}

function firstAtLeast(numbers: readonly number[], least: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Whether a page is listed, in a document that was read to its end. Undefined if the document was cut, or if another
 * form of the URL is listed, which may be another page.
 */
function isListedHere(site: Site, page: UrlMark): boolean | undefined {
  const listedPage = site.urls.find(page);
  if (listedPage === undefined) return false;
  return listedPage.isSame && site.documents[listedPage.document]?.isComplete === true ? true : undefined;
}

/** Reports the links of a document that have no return link, or lead to a page that is not listed. */
export function returnLinks(site: Site): DocumentRule {
  return (document) => {
    const { sets, linkedPages } = site;
    let links: { readonly href: string; readonly offset: number }[] = [];
    const page = new UrlMark();
    const target = new UrlMark();
    /** The start of the last URL whose origin was checked: nearly all URLs have the same. */
    let lastStart = '';
    let isLastAtHome = false;
    const isAtHome = (href: string): boolean => {
      const start = href.slice(0, href.indexOf('/', 'https://'.length) + 1);
      if (start === '' || start !== lastStart) {
        lastStart = start;
        isLastAtHome = site.origins.has(parsedUrl(href)?.origin ?? '');
      }
      return isLastAtHome;
    };

    /** The rule that the link from the page to the target breaks. */
    const judge = (from: number, href: string): ReturnName | undefined => {
      const isListed = isListedHere(site, target);
      if (isListed === undefined) return undefined;
      if (isListed)
        return sets.names(linkedPages.find(target.whole), from) ? undefined : 'hreflang-no-return';
      return site.isWhole && isAtHome(href) ? 'hreflang-not-listed' : undefined;
    };
    const report = (rule: ReturnName, url: string, href: string, offset: number): void => {
      if (document.isOnlyCounted(rule)) return;
      const { what, many } = WORDS[rule];
      const message = `${url} names ${href} as an alternate, ${what}.`;
      const total = oneOrMany(
        message,
        (count) => `${count} alternates ${many}; the first is ${href}, of ${url}.`,
      );
      document.report({ rule, message, total, offset, page: url });
    };
    return {
      startTags: {
        'sitemap:url': () => {
          links = [];
        },
      },
      link: (link, offset) => {
        const href = link.key(document.url);
        if (href !== undefined && links.length < MOST_OF_PAGE) links.push({ href, offset });
      },
      location: ({ url, key }) => {
        page.take(key);
        const from = linkedPages.find(page.whole);
        if (from !== -1 && sets.isKnown(from)) {
          for (const { href, offset } of links) {
            target.take(href);
            const rule = page.isSame(target) ? undefined : judge(from, href);
            if (rule !== undefined) report(rule, url, href, offset);
          }
        }
        links = [];
      },
      // Problems were reported when the document was checked.
      problem: () => true,
    };
  };
}
