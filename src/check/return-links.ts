/**
 * Whether alternates name each other, for the sets of pages that are not all alike. Their documents are read again, as
 * often as the links are too many for one table: once to note each link, once to look for its return.
 */
import { Alternates, alternateHref } from './alternates.ts';
import { PairTable } from './pair-table.ts';
import type { CheckedDocument, DocumentListener, DocumentRule } from './rule.ts';
import type { RuleName } from './rule-table.ts';
import type { Site } from './site.ts';
import { urlKey } from './url-key.ts';
import { UrlMark } from './url-mark.ts';

/** The links of one round: 16 bytes each, and room for growth. */
const MOST_LINKS = 4_000_000;

/** A link of a page to an alternate, and where it is. */
interface Link {
  readonly href: string;
  readonly offset: number;
}

/** The rounds that are needed, each of which reads the documents with {@link note} and then with {@link find}. */
export class ReturnLinks {
  readonly #site: Site;
  readonly rounds: number;
  #round = 0;
  #links = new PairTable();

  constructor(site: Site) {
    this.#site = site;
    let links = 0;
    for (const [pages, members] of site.clusters.numbers()) {
      if (pages < members) links += Math.max(pages, 1) * members;
    }
    this.rounds = Math.ceil(links / MOST_LINKS);
  }

  /** Begins a round, from 0. */
  begin(round: number): void {
    this.#round = round;
    this.#links = new PairTable();
  }

  /** Notes the links of a document. */
  readonly note: DocumentRule<RuleName> = (document): DocumentListener =>
    this.#listener(document, (page, target) => {
      if (this.#isOfRound(page, target)) this.#links.add(...linkKey(page, target), 1, 0);
    });

  /** Finds the links of a document that do not return, or lead to a page that is not listed. */
  readonly find: DocumentRule<RuleName> = (document): DocumentListener => {
    const site = this.#site;
    const report = (rule: RuleName, page: string, link: Link, what: string, many: string): void =>
      document.report({
        rule,
        message: `${page} names ${link.href} as an alternate, ${what}.`,
        total: (count) =>
          count === 1
            ? `${page} names ${link.href} as an alternate, ${what}.`
            : `${count.toLocaleString('en')} alternates ${many}; the first is ${link.href}, of ${page}.`,
        offset: link.offset,
        page,
      });
    return this.#listener(document, (page, target, url, link) => {
      const listed = site.urls.find(target);
      if (listed === undefined) {
        const isKnownHost = site.isWhole && this.#round === 0 && site.origins.has(new URL(link.href).origin);
        if (isKnownHost) {
          report('hreflang-not-listed', url, link, 'which is in no sitemap', 'are in no sitemap');
        }
        return;
      }
      // Another form of the URL is listed: whether that is the same page cannot be told.
      if (!listed.isSame || site.documents[listed.document]?.isComplete !== true) return;
      if (!this.#isOfRound(page, target) || this.#links.first(...linkKey(target, page)) > 0) return;
      report(
        'hreflang-no-return',
        url,
        link,
        'but is not named in return',
        'do not name their page in return',
      );
    });
  };

  /** Hears of each link of the pages whose set is not complete, to another page. */
  #listener(
    document: CheckedDocument<RuleName>,
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
        'xhtml:link': (offset, attributes) => {
          const href = alternateHref(attributes, document.url);
          if (href === undefined) return;
          alternates.link(attributes);
          links.push({ href, offset });
        },
      },
      location: (url) => {
        if (links.length === 0) return;
        page.take(urlKey(url));
        const { high, low, size } = alternates.takeSet(page);
        if (clusters.first(high, low) < size) {
          for (const link of links) {
            target.take(link.href);
            if (target.a !== page.a || target.exact !== page.exact) heard(page, target, url, link);
          }
        }
        start();
      },
      plainPage: start,
      // Everything else about the document was said before.
      problem: () => true,
    };
  }

  /** Whether both directions of a link are looked at in this round. */
  #isOfRound(one: UrlMark, other: UrlMark): boolean {
    return (
      this.rounds <= 1 || ((one.b ^ one.exact ^ other.b ^ other.exact) >>> 0) % this.rounds === this.#round
    );
  }
}

function linkKey(from: UrlMark, to: UrlMark): [high: number, low: number] {
  return [
    Math.imul(from.a ^ from.exact, 0x2c1b3c6d) ^ to.b,
    (Math.imul(to.a ^ to.exact, 0x297a2d39) + from.b) | 0,
  ];
}
