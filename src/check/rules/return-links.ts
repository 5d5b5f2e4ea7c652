/**
 * Whether the pages of a site name each other as alternates.
 *
 * A page and its alternates make a set, of which fingerprints are kept. Where as many pages have a set as it has members,
 * each member lists all others, and nothing more need be known.
 *
 * For the sets that are left, each link is looked for from the other side. The links of most sites were noted while their
 * documents were checked, so it is known what there is to say; a document is read again for the words of the first cases.
 * The links of a large site are noted in readings of their own, as many as it takes for one table.
 */
import { FingerprintTable, type Print } from '../../parse/fingerprint-table.ts';
import { parsedUrl } from '../../url.ts';
import type { AlternateSet, Site } from '../known-site.ts';
import type { AlternateLink } from '../ordinary-url.ts';
import {
  type CheckedDocument,
  type DocumentListener,
  type DocumentRule,
  oneOrMany,
  type RuleNames,
  type RuleRows,
  ruleRows,
} from '../rule.ts';
import { UrlMark, WordList } from '../url-mark.ts';

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
      'A page names another as its alternate, which is in a sitemap too and does not name the first one. ' +
      'Only pages in sitemaps that were read completely are looked at.',
    why: 'Search engines ignore alternates that are not confirmed from the other side.',
    fix: 'List all versions of a page, the same ones, at each of them.',
    bad: 'https://example.org/ names https://example.org/de/, which names nothing.',
    good: 'Both name both.',
  },
  'hreflang-not-listed': {
    severity: 'info',
    what: 'A page names an alternate that is in no sitemap. Reported only where everything that is declared was read.',
    why: 'Whether the alternate names the page in return cannot be seen here, and search engines may find it late.',
    fix: 'List the alternate as a page of its own, with the same alternates.',
    bad: 'https://example.org/ names https://example.org/de/, which is not listed.',
    good: 'Both are listed.',
  },
});

/** The members of a set that are compared with each other; no page exists in so many languages. */
const MOST_MEMBERS = 500;

export class Alternates {
  readonly #site: Site;
  readonly #base: string | undefined;
  readonly #mark = new UrlMark();
  /** The members of the entry's set: two words each. */
  readonly #members = new WordList();
  /** Its links one by one: the words of their marks, and of their origins. */
  readonly #links = new WordList();
  /** Whether any entry had alternates. */
  isUsed = false;

  /** @param base - what relative URLs are resolved against */
  constructor(site: Site, base: string | undefined) {
    this.#site = site;
    this.#base = base;
  }

  start(): void {
    this.#members.length = 0;
    this.#links.length = 0;
  }

  link(link: AlternateLink): void {
    const mark = this.#mark;
    const href = link.key(this.#base);
    if (href === undefined) return;
    mark.take(href);
    this.addMark(mark);
    const { links } = this.#site;
    if (this.#links.length >= 4 * MOST_OF_PAGE) links.giveUp();
    if (!links.isWhole) return;
    for (const word of [mark.a, mark.b, mark.exact, links.originOf(href)]) this.#links.push(word);
  }

  /** The entry ends, and its page is the one that the site has taken last; `isFirst` where it was not listed before. */
  endEntry(isFirst: boolean): void {
    if (this.#members.length === 0) return;
    this.isUsed = true;
    const { mark, clusters, links } = this.#site;
    const set = this.takeSet(mark);
    if (set.size > 1) clusters.add(set, isFirst ? 1 : 0);
    if (set.size >= MOST_MEMBERS) links.giveUp();
    links.addPage(mark, this.#links);
    this.start();
  }

  /** The set that the alternates and the page itself make. */
  takeSet(page: UrlMark): AlternateSet {
    this.addMark(page);
    const { words, length } = this.#members;
    let a = 0;
    let b = 0;
    // The order does not matter.
    for (let at = 0; at < length; at += 2) {
      a = (a + Math.imul(words[at]! ^ (words[at]! >>> 15), 0x2c1b3c6d)) | 0;
      b = (b + Math.imul(words[at + 1]! ^ (words[at]! >>> 13), 0x297a2d39)) | 0;
    }
    return { a, b, c: 0, size: length / 2 };
  }

  addMark(mark: UrlMark): void {
    const { words, length } = this.#members;
    const high = highOf(mark);
    const low = lowOf(mark);
    for (let at = 0; at < length; at += 2) {
      if (words[at] === high && words[at + 1] === low) return;
    }
    if (length === 2 * MOST_MEMBERS) return;
    this.#members.push(high);
    this.#members.push(low);
  }
}

/** The links of one round: about 18 bytes each. */
const MOST_LINKS = 4_000_000;

/** The links of one page that are looked at: ten times the members that a set may have. */
const MOST_OF_PAGE = 10 * MOST_MEMBERS;

interface Link {
  readonly href: string;
  readonly offset: number;
}

type ReturnName = RuleNames['returnLinks'];
type Cases = Record<ReturnName, number>;

const RETURN_NAMES: readonly ReturnName[] = ['hreflang-no-return', 'hreflang-not-listed'];

const WORDS: Readonly<Record<ReturnName, { readonly what: string; readonly many: string }>> = {
  'hreflang-no-return': { what: 'but is not named in return', many: 'do not name their page in return' },
  'hreflang-not-listed': { what: 'which is in no sitemap', many: 'are in no sitemap' },
};

/** A document that has to be read again, with one rule. */
interface Reading {
  readonly document: number;
  readonly rule: DocumentRule;
  /** Whether the rest of the document need not be read. */
  isDone(): boolean;
}

export class ReturnLinks {
  readonly #site: Site;
  readonly #rounds: number;
  readonly #areNoted: boolean;
  #round = 0;
  /** The links of the round; those that are noted are put into a table once one of them is looked for. */
  #links: FingerprintTable | undefined;

  constructor(site: Site) {
    const { clusters, links } = site;
    this.#site = site;
    this.#areNoted = links.isWhole;
    const most = this.#areNoted ? Number.POSITIVE_INFINITY : MOST_LINKS;
    this.#rounds = clusters.openLinks === 0 ? 0 : Math.max(1, Math.ceil(clusters.openLinks / most));
  }

  /**
   * What is to be read, each before the next is asked for. A round notes the links of all documents, unless they are
   * noted, and then looks for what there is to say, where there is something.
   */
  *readings(): Generator<Reading, void, undefined> {
    const { documents: known } = this.#site;
    const documents = [...known.keys()].filter((number) => known[number]!.hasAlternates);
    for (this.#round = 0; this.#round < this.#rounds; this.#round++) {
      if (!this.#areNoted) {
        this.#links = new FingerprintTable();
        for (const document of documents) yield { document, rule: this.#note, isDone: () => false };
      }
      for (const document of documents) {
        const reading = this.#find(document);
        if (!reading.isDone()) yield reading;
      }
    }
  }

  readonly #note: DocumentRule = (document) =>
    this.#listener(document, (page, target) => {
      if (this.#isOfRound(page, target)) this.#links?.add(linkOf(page, target));
    });

  /** How many cases of each rule there are in a document; undefined where that is not known before it is read. */
  #casesIn(document: number): Cases | undefined {
    if (!this.#areNoted) return undefined;
    const { links, clusters } = this.#site;
    const cases: Cases = { 'hreflang-no-return': 0, 'hreflang-not-listed': 0 };
    const alternates = new Alternates(this.#site, undefined);
    const page = new UrlMark();
    const target = new UrlMark();
    const end = links.endOf(document);
    for (let at = links.startOf(document); at < end; ) {
      const count = links.read(at, page);
      const first = at + 1;
      at = first + count;
      for (let link = first; link < at; link++) {
        links.read(link, target);
        alternates.addMark(target);
      }
      const isComplete = clusters.isComplete(alternates.takeSet(page));
      alternates.start();
      for (let link = first; link < at && !isComplete; link++) {
        const origin = links.read(link, target);
        if (isSame(page, target)) continue;
        const rule = this.#judge(page, target, () => links.origin(origin));
        if (rule !== undefined) cases[rule]++;
      }
    }
    return cases;
  }

  #hasLink(from: UrlMark, to: UrlMark): boolean {
    this.#links ??= this.#noted();
    return this.#links.find(linkOf(from, to)) !== -1;
  }

  #noted(): FingerprintTable {
    const { links } = this.#site;
    const table = new FingerprintTable();
    const page = new UrlMark();
    const target = new UrlMark();
    for (let at = 0; at < links.size; ) {
      const end = at + links.read(at, page);
      while (at++ < end) {
        links.read(at, target);
        table.add(linkOf(page, target));
      }
    }
    return table;
  }

  /** What is wrong with a link: it does not return, or it leads to a page that is not listed. */
  #judge(page: UrlMark, target: UrlMark, originOf: () => string): ReturnName | undefined {
    const site = this.#site;
    const listed = site.urls.find(target);
    if (listed === undefined) {
      const isAtHome = site.isWhole && this.#round === 0 && site.origins.has(originOf());
      return isAtHome ? 'hreflang-not-listed' : undefined;
    }
    // Another form of the URL is listed: whether that is the same page cannot be told.
    if (!listed.isSame || site.documents[listed.document]?.isComplete !== true) return undefined;
    if (!this.#isOfRound(page, target) || this.#hasLink(target, page)) return undefined;
    return 'hreflang-no-return';
  }

  /** Finds what there is to say about the links of a document: where its cases are known, until their words are. */
  #find(number: number): Reading {
    const cases = this.#casesIn(number);
    const reported: Cases = { 'hreflang-no-return': 0, 'hreflang-not-listed': 0 };
    const isDone = (): boolean =>
      cases !== undefined && RETURN_NAMES.every((name) => reported[name] === cases[name]);
    const rule: DocumentRule = (document) =>
      this.#listener(document, (page, target, url, { href, offset }) => {
        const name = this.#judge(page, target, () => parsedUrl(href)?.origin ?? '');
        if (name === undefined || reported[name] === cases?.[name]) return;
        reported[name]++;
        if (document.counts(name)) {
          if (cases === undefined) return;
          // Only the number of the others is wanted.
          const count = cases[name] - reported[name];
          if (count > 0) document.report({ rule: name, message: '', count });
          reported[name] = cases[name];
          return;
        }
        const { what, many } = WORDS[name];
        const message = `${url} names ${href} as an alternate, ${what}.`;
        const total = oneOrMany(
          message,
          (count) => `${count} alternates ${many}; the first is ${href}, of ${url}.`,
        );
        document.report({ rule: name, message, total, offset, page: url });
      });
    return { document: number, rule, isDone };
  }

  /** Hears of each link of the pages whose set is not complete, to another page. */
  #listener(
    document: CheckedDocument,
    heard: (page: UrlMark, target: UrlMark, url: string, link: Link) => void,
  ): DocumentListener {
    const { clusters } = this.#site;
    const alternates = new Alternates(this.#site, document.url);
    const links: Link[] = [];
    const page = new UrlMark();
    const target = new UrlMark();
    const start = (): void => {
      links.length = 0;
      alternates.start();
    };
    return {
      startTags: {
        'sitemap:url': start,
      },
      link: (link, offset) => {
        const href = link.key(document.url);
        if (href === undefined) return;
        alternates.link(link);
        if (links.length < MOST_OF_PAGE) links.push({ href, offset });
      },
      location: ({ url, key }) => {
        if (links.length === 0) return;
        page.take(key);
        if (!clusters.isComplete(alternates.takeSet(page))) {
          for (const link of links) {
            target.take(link.href);
            if (!isSame(page, target)) heard(page, target, url, link);
          }
        }
        start();
      },
      // Everything else about the document was said before.
      problem: () => true,
    };
  }

  /** Whether both directions of a link are looked at in this round. */
  #isOfRound(one: UrlMark, other: UrlMark): boolean {
    return (
      this.#rounds <= 1 || ((one.b ^ one.exact ^ other.b ^ other.exact) >>> 0) % this.#rounds === this.#round
    );
  }
}

function isSame(one: UrlMark, other: UrlMark): boolean {
  return one.a === other.a && one.exact === other.exact;
}

/** What is compared of a page: two words. */
function highOf({ a, exact }: UrlMark): number {
  return a ^ exact;
}

function lowOf({ b, exact }: UrlMark): number {
  return (b + exact) | 0;
}

function linkOf(from: UrlMark, to: UrlMark): Print {
  return {
    a: Math.imul(highOf(from), 0x2c1b3c6d) ^ lowOf(to),
    b: (Math.imul(highOf(to), 0x297a2d39) + lowOf(from)) | 0,
    c: 0,
  };
}
