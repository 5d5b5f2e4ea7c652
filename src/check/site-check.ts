/** The documents of a site through all rules, one after the other: pure, fed by whoever has the documents. */
import type { Position } from '../problems/position.ts';
import type { CheckParts } from './check-options.ts';
import type { ReadAlong } from './document-check.ts';
import { DocumentCheck, type DocumentToRead } from './document-check.ts';
import type { CheckSummary, DocumentSummary, Finding, RequestedPages } from './finding.ts';
import { Site } from './known-site.ts';
import type { DocumentRule, RuleName, Severity } from './rule.ts';
import { DOCUMENT_RULES, RULES, timesOf } from './rule-table.ts';
import { Declarations, type DeclaredSitemaps, failureRule } from './rules/declarations.ts';
import { NewestPage } from './rules/lastmod.ts';
import { PageListings } from './rules/listings.ts';
import { Alternates } from './rules/return-links.ts';

export interface SiteDocument extends DocumentToRead {
  /** The keys of the URLs that it was declared by. */
  readonly keys: readonly string[];
  /** What became of the sitemaps that it declares. */
  readonly sitemaps: DeclaredSitemaps;
}

export class SiteCheck {
  readonly site: Site;
  readonly counter: SummaryCounter = new SummaryCounter();
  readonly #adjust: CheckParts['adjust'];
  #found: Finding[] = [];

  /** @param isWhole - whether the documents are all of the site */
  constructor({ agent, adjust }: CheckParts, isWhole: boolean) {
    this.site = new Site({ agent, isWhole });
    this.#adjust = adjust;
  }

  /** The findings since the last time, as the options want them. */
  take(): readonly Finding[] {
    const found = this.#found;
    if (found.length === 0) return found;
    this.#found = [];
    // Here, not where they are found: what the caller's function throws is not a fault of the document.
    return found.flatMap((finding) => {
      const adjusted = this.#adjust(finding);
      if (adjusted === undefined) return [];
      this.counter.add(adjusted);
      return adjusted;
    });
  }

  add(finding: Finding): void {
    this.#found.push(finding);
  }

  /** Adds a finding about a document as a whole. */
  report(rule: RuleName, document: string, message: string): void {
    this.add({ rule, severity: RULES[rule].severity, message, document });
  }

  /** Begins to check a document, with every rule; `besides` is what else listens to it, `reader` reads along. */
  begin(
    document: SiteDocument,
    besides: readonly DocumentRule[] = [],
    reader?: ReadAlong,
  ): CheckedSiteDocument {
    return new CheckedSiteDocument(this, document, besides, reader);
  }

  /** Begins to look at a document once more, with one rule. */
  again(document: SiteDocument, rule: DocumentRule): DocumentCheck {
    return new DocumentCheck(document, [rule], (finding) => this.add(finding));
  }
}

/** A document that is being checked: {@link write} its bytes, {@link close} it, then {@link end} it. */
class CheckedSiteDocument {
  readonly #check: SiteCheck;
  readonly #document: SiteDocument;
  readonly #run: DocumentCheck;
  #newest: NewestPage | undefined;
  /** Whether a finding about the response says that the end is missing. */
  #isExplained = false;

  /** @param besides - what listens besides the rules */
  constructor(
    check: SiteCheck,
    document: SiteDocument,
    besides: readonly DocumentRule[],
    reader: ReadAlong | undefined,
  ) {
    this.#check = check;
    this.#document = document;
    const { site } = check;
    const number = site.addDocument(document.name);
    const among: DocumentRule[] = [
      (checked) => new PageListings(site, number, checked, new Alternates(site, checked.url)),
      (checked) => new Declarations(site, checked, document.sitemaps),
      (checked) => {
        this.#newest = new NewestPage(checked);
        return this.#newest;
      },
    ];
    const rules = [...DOCUMENT_RULES, ...among, ...besides];
    this.#run = new DocumentCheck(document, rules, (finding) => this.#add(finding), reader);
  }

  /** The offsets whose places are not known any more; {@link end} takes them. */
  get unplaced(): readonly number[] {
    return this.#run.unplaced;
  }

  write(chunk: Uint8Array): void {
    this.#run.write(chunk);
  }

  /**
   * @param isCut - whether the rest of it never arrived
   * @param isExplained - whether a finding says so already
   */
  close(isCut: boolean, isExplained = false): void {
    this.#isExplained = isExplained;
    this.#run.close(isCut);
  }

  end(positions?: readonly Position[]): void {
    const { counter, site } = this.#check;
    this.#run.end(positions);
    counter.documents++;
    counter.pages += this.#run.pageCount;
    for (const { message, place } of this.#newest?.compare(site.takePending(this.#document.keys)) ?? []) {
      const { severity } = RULES['index-lastmod-old'];
      const related = [{ document: this.#document.name }];
      this.#check.add({ rule: 'index-lastmod-old', severity, message, ...place, related });
    }
    const { description } = this.#run;
    if (description === undefined) return;
    const { name } = this.#document;
    const reason = `${name} is not a sitemap or feed: it is ${description.words}.`;
    const rule = failureRule({ code: 'not-a-sitemap', reason });
    if (rule !== undefined) this.#check.report(rule, name, reason);
  }

  #add(finding: Finding): void {
    const { rule } = finding;
    // One fact gives one finding: that a response was cut is also why its document ends too early.
    if (this.#isExplained && rule === 'truncated') return;
    // A URL of a robots.txt is that of a sitemap, which may be on any host: not all rules about URLs are about it.
    const { about, documents } = RULES[rule];
    const { kind } = this.#run;
    if (about === 'urls' && kind === 'robots-txt' && !documents.includes(kind)) return;
    this.#check.add(finding);
  }
}

const MOST_WORST = 10;
type Counts = Record<Severity, number>;

export class SummaryCounter {
  /** How many documents were checked, and how many pages they list. */
  documents = 0;
  pages = 0;
  complete = false;
  stopped: string | undefined;
  requestedPages: RequestedPages | undefined;
  readonly #all: Counts = { error: 0, warning: 0, info: 0 };
  readonly #rules: Partial<Record<RuleName, number>> = {};
  readonly #documents = new Map<string, Counts>();

  add(finding: Finding): void {
    const { rule, severity, document } = finding;
    const times = timesOf(finding);
    this.#all[severity] += times;
    this.#rules[rule] = (this.#rules[rule] ?? 0) + times;
    const counts = this.#documents.get(document) ?? { error: 0, warning: 0, info: 0 };
    counts[severity] += times;
    this.#documents.set(document, counts);
  }

  get summary(): CheckSummary {
    const { documents, pages, complete, stopped, requestedPages } = this;
    return {
      ...this.#all,
      rules: { ...this.#rules },
      documents,
      pages,
      complete,
      ...(stopped !== undefined && { stopped }),
      ...(requestedPages !== undefined && { requestedPages }),
      worst: this.#worst(),
    };
  }

  #worst(): DocumentSummary[] {
    return Array.from(this.#documents, ([document, counts]) => ({ document, ...counts }))
      .sort((a, b) => b.error - a.error || b.warning - a.warning || b.info - a.info)
      .slice(0, MOST_WORST);
  }
}
