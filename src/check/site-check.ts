/** The documents of a site through all rules, one after the other: pure, fed by whoever has the documents. */
import type { CheckParts } from './check-options.ts';
import { DocumentCheck, type DocumentToRead, type ReadAlong } from './document-check.ts';
import type { CheckSummary, DocumentSummary, Finding, RequestedPages } from './finding.ts';
import { Site } from './known-site.ts';
import type { DocumentRule, RuleName, Severity } from './rule.ts';
import { DOCUMENT_RULES, RULES, timesOf } from './rule-table.ts';
import { type DeclaredSitemaps, declarations, failureRule } from './rules/declarations.ts';
import { NewestPage } from './rules/lastmod.ts';
import { pageListings } from './rules/listings.ts';

export interface SiteDocument extends DocumentToRead {
  /** The keys of the URLs that it was declared by. */
  readonly keys: readonly string[];
  /** What became of the sitemaps that it declares. */
  readonly sitemaps: DeclaredSitemaps;
  /** Whether a finding about the response says that the end is missing. */
  readonly isExplained?: boolean;
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
  begin(document: SiteDocument, besides: readonly DocumentRule[] = [], reader?: ReadAlong): DocumentCheck {
    const { site } = this;
    const newest = new NewestPage();
    const rules = [
      ...DOCUMENT_RULES,
      pageListings(site, site.addDocument(document.name)),
      declarations(site, document.sitemaps),
      newest.rule,
      ...besides,
    ];
    const add = (finding: Finding): void => {
      const { about, documents } = RULES[finding.rule];
      // One fact gives one finding: that a response was cut is also why its document ends too early.
      if (document.isExplained === true && finding.rule === 'truncated') return;
      // A URL of a robots.txt is that of a sitemap, which may be on any host: not all rules about URLs are about it.
      if (about === 'urls' && run.kind === 'robots-txt' && !documents.includes(run.kind)) return;
      this.add(finding);
    };
    const run = new DocumentCheck(document, rules, add, reader, () => this.#end(document, run, newest));
    return run;
  }

  /** Begins to look at a document once more, with one rule. */
  again(document: SiteDocument, rule: DocumentRule): DocumentCheck {
    return new DocumentCheck(document, [rule], (finding) => this.add(finding));
  }

  #end({ name, keys }: SiteDocument, { pageCount, description }: DocumentCheck, newest: NewestPage): void {
    this.counter.documents++;
    this.counter.pages += pageCount;
    for (const { message, place } of newest.compare(name, this.site.takePending(keys))) {
      const { severity } = RULES['index-lastmod-old'];
      this.add({ rule: 'index-lastmod-old', severity, message, ...place, related: [{ document: name }] });
    }
    if (description === undefined) return;
    const reason = `${name} is not a sitemap or feed: it is ${description.words}.`;
    const rule = failureRule({ code: 'not-a-sitemap', reason });
    if (rule !== undefined) this.report(rule, name, reason);
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
