/** The sections "Fix first" and "Findings by rule". */
import type { Finding } from '../check/finding.ts';
import { describeEntries, type FindingsByRule, type RuleFindings } from '../check/findings-by-rule.ts';
import type { RuleName, RuleRow, RuleSubject } from '../check/rule.ts';
import { findingsOf, firstSentence, isRuleName, RULES } from '../check/rule-table.ts';
import { isIndexKind } from '../parse/model/kinds.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';
import type { TreeSummary } from '../summary/tree-summary.ts';
import { count } from '../text/wording.ts';
import {
  BUDGETS,
  ByteBudget,
  badge,
  dataText,
  escaped,
  hasSitemaps,
  idOf,
  link,
  markdown,
  originOf,
  share,
  shortened,
  untrusted,
  withoutOrigin,
} from './markup.ts';

/** How many findings of each rule are shown. */
export const MOST_EXAMPLES = 10;

/** How many pages break each rule. */
export class BrokenPages {
  /** By rule: the number of pages, and the document and page of the last finding. */
  readonly #rules = new Map<string, { pages: number; document: string; page: string | undefined }>();
  /** The URLs of documents that list sitemaps instead of pages. */
  readonly #indexes: ReadonlySet<string>;

  constructor(tree: Sitemap) {
    const indexes = [tree, ...tree.allSitemaps()].filter(({ kind }) => isIndexKind(kind));
    this.#indexes = new Set(indexes.map(({ url }) => url));
  }

  add(finding: Finding): void {
    const { rule, document, page } = finding;
    const last = this.#rules.get(rule);
    const lastPage = last?.document === document ? last.page : undefined;
    const more = this.#indexes.has(document) ? Number.NaN : pagesOf(finding, lastPage);
    this.#rules.set(rule, { pages: (last?.pages ?? 0) + more, document, page });
  }

  /** `NaN` if some findings of the rule are not about pages. */
  of(rule: string): number {
    return this.#rules.get(rule)?.pages ?? Number.NaN;
  }
}

/** A rule about one of these subjects has at most one finding for a page. */
const ONCE_A_PAGE: ReadonlySet<RuleSubject> = new Set(['urls', 'lastmod', 'news', 'pages']);
/** These rules of the same subjects are about whole documents. */
const WHOLE_DOCUMENT_RULES: ReadonlySet<string> = new Set<RuleName>([
  'lastmod-all-equal',
  'lastmod-is-fetch-time',
  'index-lastmod-old',
  'news-too-many',
]);

/** How many further pages a finding is about; `NaN` if it is not about pages, or counts links, images or videos. */
function pagesOf({ rule, page, count: times }: Finding, last: string | undefined): number {
  if (page !== undefined && times === undefined) return page === last ? 0 : 1;
  const about = explain(rule)?.about;
  const isAboutPages = about !== undefined && ONCE_A_PAGE.has(about) && !WHOLE_DOCUMENT_RULES.has(rule);
  return isAboutPages ? (times ?? 1) : Number.NaN;
}

interface ReportFindings {
  readonly site: TreeSummary;
  readonly byRule: FindingsByRule;
  readonly broken: BrokenPages;
}

/** The row of a rule; undefined for a rule of the caller's own findings. */
function explain(rule: string): RuleRow | undefined {
  return isRuleName(rule) ? RULES[rule] : undefined;
}

const MOST_CAUSES = 5;

/** At most five rules, each with its fix. */
export function fixFirstSection(findings: ReportFindings): string {
  const ordered = findings.byRule.byUrgency
    .filter(({ severity }) => severity !== 'info')
    .slice(0, MOST_CAUSES);
  const budget = new ByteBudget(BUDGETS.fixFirst);
  const items = budget.fill(ordered.map((cause) => causeItem(cause, findings)));
  const nothing = hasSitemaps(findings.site)
    ? 'Nothing: there are no errors and no warnings.'
    : 'Make the sitemaps readable: see above.';
  const body =
    items.length === 0 ? `<p class="empty">${nothing}</p>` : `<ol class="causes">${items.join('')}</ol>`;
  return `<section id="fix-first"><h2>Fix first</h2>${body}</section>`;
}

function causeItem(rule: RuleFindings, findings: ReportFindings): string {
  const { site } = findings;
  const row = explain(rule.rule);
  const [example] = rule.examples;
  const facts = [extent(rule, findings)];
  if (example !== undefined) facts.push(`${rule.findings === 1 ? 'at' : 'first at'} ${where(example, site)}`);
  facts.push(`<a href="#${idOf('rule', rule.rule)}">more about <code>${escaped(rule.rule)}</code></a>`);
  return (
    `<li><h3>${badge(rule.severity)} ${headline(rule, row, site)}</h3>` +
    (row === undefined ? '' : `<p class="remedy">${markdown(row.explanation.fix)}</p>`) +
    `<p class="example">${facts.join(' <span class="dot" aria-hidden="true">·</span> ')}</p></li>`
  );
}

function extent(rule: RuleFindings, { site, broken }: ReportFindings): string {
  const pages = broken.of(rule.rule);
  if (Number.isNaN(pages) || site.pages.count === 0) return extentText(rule);
  return `${extentText(rule)}: ${share(pages, site.pages.count)} of the pages`;
}

function extentText({ findings, entries, documents }: RuleFindings): string {
  const numbers = [count(findings, 'finding'), describeEntries(findings, entries)];
  return `${numbers.filter((part) => part !== '').join(', ')} in ${count(documents, 'document')}`;
}

export function findingsSection(findings: ReportFindings): string {
  const rules = findings.byRule.byUrgency;
  const budget = new ByteBudget(BUDGETS.findings);
  const items: string[] = [];
  for (const each of rules) {
    // If a rule does not fit with its examples, it is shown with fewer.
    const whole = [MOST_EXAMPLES, 2, 0].map((most) => ruleItem(each, each.examples.slice(0, most), findings));
    const item = whole.find((one) => budget.takes(one));
    if (item !== undefined) items.push(item);
  }
  const hiddenRules = rules.length - items.length;
  const more =
    hiddenRules === 0
      ? ''
      : `<p class="left-out">and ${count(hiddenRules, 'more rule')}: usp check lists all rules.</p>`;
  const body =
    rules.length === 0
      ? '<p class="empty">No rule found anything.</p>'
      : `<div class="rules" data-search="findings">${items.join('')}</div>${more}`;
  return `<section id="findings"><h2>Findings by rule</h2>${body}</section>`;
}

function ruleItem(ofRule: RuleFindings, examples: readonly Finding[], { site }: ReportFindings): string {
  const row = explain(ofRule.rule);
  const exampleItems = examples.map((example) => `<li>${place(example, site)}</li>`);
  const hiddenFindings = examples.reduce((rest, example) => rest - findingsOf(example), ofRule.findings);
  const allOfThem = 'usp check --all lists up to 100 in each document';
  const more =
    hiddenFindings === 0
      ? ''
      : `<li class="left-out">and ${count(hiddenFindings, 'more finding')}: ${allOfThem}</li>`;
  const explanation =
    row === undefined
      ? ''
      : `<p>${markdown(row.explanation.what)} ${markdown(row.explanation.why)}</p>` +
        `<p><span class="label">To fix it:</span> ${markdown(row.explanation.fix)} ` +
        `<a href="${escaped(row.source)}" rel="noreferrer">Where the rule comes from</a></p>`;
  return (
    `<details id="${idOf('rule', ofRule.rule)}" class="rule"><summary><span class="line">${badge(ofRule.severity)} ` +
    `<code>${escaped(ofRule.rule)}</code> ` +
    `<span class="first">${headline(ofRule, row, site)}</span> ` +
    `<span class="extent">${extentText(ofRule)}</span></span></summary>` +
    `<div class="inside">${explanation}<ul class="examples">${exampleItems.join('')}${more}</ul></div></details>`
  );
}

/**
 * The message of a single finding. For several, the first sentence of the rule, since a message is about one finding.
 */
function headline(
  { findings, examples: [first] }: RuleFindings,
  row: RuleRow | undefined,
  site: TreeSummary,
): string {
  if (findings > 1 && row !== undefined) return markdown(firstSentence(row));
  return untrusted(withoutOrigin(first?.message ?? '', originOf(site.url)), 180);
}

function place(finding: Finding, site: TreeSummary): string {
  const { message, count: entries = 1 } = finding;
  const stands = describeEntries(findingsOf(finding), entries);
  const many = stands === '' ? '' : ` <span class="entries">(${stands})</span>`;
  const sentence = withoutOrigin(message, originOf(site.url));
  return `${untrusted(sentence, 400)}${many} ${where(finding, site)}`;
}

function where({ message, document, line, column, page }: Finding, site: TreeSummary): string {
  const origin = originOf(site.url);
  const at =
    line === undefined ? '' : `<span class="at">:${line}${column === undefined ? '' : `:${column}`}</span>`;
  const isSaid = page === undefined || page === document || message.includes(page);
  const what = isSaid ? '' : ` <span class="label">Page:</span> ${link(page, shortened(page, origin))}`;
  return `<span class="place">${link(document, shortened(document, origin))}${at}${what}</span>`;
}

/**
 * Affected addresses by rule, as many as fit, and how many more there are. The script of the page offers them as files.
 */
export function affectedData(byRule: FindingsByRule): AffectedData {
  let budget: number = BUDGETS.affected;
  const lists: Record<string, { readonly urls: string[]; readonly more: number }> = {};
  for (const { rule, affected, moreAffected } of byRule.byUrgency) {
    const urls: string[] = [];
    for (const url of affected) {
      budget -= Buffer.byteLength(dataText(url)) + 1;
      if (budget < 0) break;
      urls.push(url);
    }
    lists[rule] = { urls, more: moreAffected + affected.size - urls.length };
  }
  return lists;
}

export type AffectedData = Readonly<
  Record<string, { readonly urls: readonly string[]; readonly more: number }>
>;
