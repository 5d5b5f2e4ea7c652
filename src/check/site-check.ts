/** The options of all checks, and SiteCheck: every rule over the documents of a site. */

import { isHtmlPage, notASitemapReason } from '../parse/detection/detect.ts';
import { badOption, type SitemapException } from '../problems/errors.ts';
import { isAgent } from '../robots/robots-rules.ts';
import { SummaryCounter } from './check-summary.ts';
import { DocumentCheck, type DocumentObserver, type DocumentToRead } from './document-check.ts';
import type { Finding } from './finding.ts';
import { Site } from './known-site.ts';
import { type DocumentRule, type RuleName, SEVERITIES, type Severity } from './rule.ts';
import { DOCUMENT_RULES, isRuleName, RULES } from './rule-table.ts';
import { type DeclaredSitemaps, declarations, failureRule } from './rules/declarations.ts';
import { NewestPage } from './rules/lastmod.ts';
import { pageListings } from './rules/listings.ts';

/** The setting of a rule: a severity, or `off`. */
export type RuleSetting = Severity | 'off';

/** The options of every check. */
export interface CheckOptions {
  /**
   * The time that dates are compared with, if the time of fetching is not known: a `Date`, or milliseconds since the
   * epoch.
   * @default now
   */
  readonly now?: Date | number | undefined;
  /** The crawler whose rules of robots.txt apply; if there are none for it, those of `*`. @default 'Googlebot' */
  readonly robotsAgent?: string | undefined;
  /** Severities of rules that differ from the default, or `'off'`. @default {} */
  readonly rules?: Readonly<Partial<Record<RuleName, RuleSetting>>> | undefined;
  /**
   * Called with each finding before it is counted. Returns the finding, another one instead, or `undefined` to leave it
   * out.
   * @default none
   */
  readonly adjust?: ((finding: Finding) => Finding | undefined) | undefined;
}

/** @internal */
export interface ResolvedCheckOptions {
  /** Undefined if the caller gave none. */
  readonly now: number | undefined;
  readonly agent: string;
  readonly adjust: (finding: Finding) => Finding | undefined;
}

/** @internal The names of the options that every check takes. */
export const CHECK_OPTIONS: readonly (keyof CheckOptions)[] = ['now', 'robotsAgent', 'rules', 'adjust'];

/** @internal The settings that a rule can have. */
export const RULE_SETTINGS: readonly RuleSetting[] = [...SEVERITIES, 'off'];

/**
 * @internal Checks the values of options. Their names were checked before.
 *
 * @throws SitemapException with code `bad-option`
 */
export function resolveCheckOptions({
  now,
  robotsAgent = 'Googlebot',
  rules = {},
  adjust,
}: CheckOptions): ResolvedCheckOptions {
  const time = now instanceof Date ? now.getTime() : now;
  if (time !== undefined && !Number.isFinite(time)) {
    throw mustBe('now', 'a Date or a number of milliseconds since the epoch');
  }
  if (!isAgent(robotsAgent)) {
    throw mustBe('robotsAgent', 'the name of a crawler, as "Googlebot"');
  }
  if (adjust !== undefined && typeof adjust !== 'function') throw mustBe('adjust', 'a function');
  const settings = settingsOf(rules);
  return {
    now: time,
    agent: robotsAgent,
    adjust(finding) {
      const set = withSetting(finding, settings.get(finding.rule));
      return set === undefined || adjust === undefined ? set : adjust(set);
    },
  };
}

/** @internal A finding with the severity of its rule's setting; undefined if the rule is off. */
export function withSetting(finding: Finding, setting: RuleSetting | undefined): Finding | undefined {
  if (setting === undefined || setting === finding.severity) return finding;
  return setting === 'off' ? undefined : { ...finding, severity: setting };
}

function settingsOf(rules: Readonly<Record<string, unknown>>): ReadonlyMap<RuleName, RuleSetting> {
  if (typeof rules !== 'object' || rules === null)
    throw mustBe('rules', 'an object, as {"url-fragment": "off"}');
  const settings = new Map<RuleName, RuleSetting>();
  for (const [name, setting] of Object.entries(rules)) {
    if (setting === undefined) continue;
    if (!isRuleName(name)) throw mustBe('rules', `an object with names of rules; there is no rule "${name}"`);
    const ruleSetting = RULE_SETTINGS.find((each) => each === setting);
    if (ruleSetting === undefined) {
      throw mustBe(
        'rules',
        `"error", "warning", "info" or "off" for each rule, not ${JSON.stringify(setting)}`,
      );
    }
    settings.set(name, ruleSetting);
  }
  return settings;
}

function mustBe(option: string, what: string): SitemapException {
  return badOption(`The option "${option}" must be ${what}.`, option);
}

/** @internal */
export interface SiteDocument extends DocumentToRead {
  /** The keys of the URLs that it was declared by. */
  readonly keys: readonly string[];
  /** The results of the sitemaps that it declares. */
  readonly sitemaps: DeclaredSitemaps;
  /** Whether a finding about the response already says that the end is missing. */
  readonly isExplained?: boolean;
}

/** @internal */
export class SiteCheck {
  readonly site: Site;
  readonly counter: SummaryCounter = new SummaryCounter();
  readonly #adjust: ResolvedCheckOptions['adjust'];
  #findings: Finding[] = [];

  /** @param isWhole - whether the documents are all of the site */
  constructor({ agent, adjust }: ResolvedCheckOptions, isWhole: boolean) {
    this.site = new Site(agent, isWhole);
    this.#adjust = adjust;
  }

  /** The findings since the last call, after the options were applied. */
  take(): readonly Finding[] {
    const findings = this.#findings;
    if (findings.length === 0) return findings;
    this.#findings = [];
    // Done here and not when a finding is added, since an error of the caller's function is not a fault of the
    // document.
    return findings.flatMap((finding) => {
      const adjusted = this.#adjust(finding);
      if (adjusted === undefined) return [];
      this.counter.add(adjusted);
      return adjusted;
    });
  }

  add(finding: Finding): void {
    const { message } = finding;
    // A quoted value may be cut in the middle of a character, which readers of JSON refuse.
    this.#findings.push(message.isWellFormed() ? finding : { ...finding, message: message.toWellFormed() });
  }

  /** Adds a finding about a document as a whole. */
  report(rule: RuleName, document: string, message: string): void {
    this.add({ rule, severity: RULES[rule].severity, message, document });
  }

  /** Starts to check a document, with every rule and `moreRules`. `observer` gets its pages. */
  begin(
    document: SiteDocument,
    moreRules: readonly DocumentRule[] = [],
    observer?: DocumentObserver,
  ): DocumentCheck {
    const { site } = this;
    const newest = new NewestPage();
    const rules = [
      ...DOCUMENT_RULES,
      pageListings(site, site.addDocument(document.name)),
      declarations(site, document.sitemaps),
      newest.rule,
      ...moreRules,
    ];
    const add = (finding: Finding): void => {
      const { about, documents } = RULES[finding.rule];
      // One fact gives one finding: a document ends too early because its response was cut.
      if (document.isExplained === true && finding.rule === 'truncated') return;
      // A URL in a robots.txt is that of a sitemap, which may be on any host: not all rules about URLs apply.
      if (about === 'urls' && run.kind === 'robots-txt' && !documents.includes(run.kind)) return;
      this.add(finding);
    };
    const run = new DocumentCheck(document, rules, add, observer, () => this.#end(document, run, newest));
    return run;
  }

  /** Called after the last document: the check is complete if each was read to its end. */
  finish(): void {
    this.counter.complete = this.site.documents.every(({ isComplete }) => isComplete);
  }

  /** Starts to check a document again, with one rule. */
  again(document: SiteDocument, rule: DocumentRule): DocumentCheck {
    return new DocumentCheck(document, [rule], (finding) => this.add(finding));
  }

  #end({ name, keys }: SiteDocument, { pageCount, description }: DocumentCheck, newest: NewestPage): void {
    if (description === undefined) this.counter.documents++;
    this.counter.pages += pageCount;
    this.counter.alternatesNotChecked = this.site.alternatesNotChecked;
    for (const { message, page, place } of newest.compare(name, this.site.takePending(keys))) {
      const { severity } = RULES['index-lastmod-old'];
      const related = [{ document: name }];
      this.add({ rule: 'index-lastmod-old', severity, message, ...place, page, related });
    }
    if (description === undefined) return;
    const reason = notASitemapReason(name || 'The document', description);
    const rule = failureRule({ code: 'not-a-sitemap', isHtml: isHtmlPage(description) });
    if (rule !== undefined) this.report(rule, name, reason);
  }
}
