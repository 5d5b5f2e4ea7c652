/** `reportHtml`: a tree as one HTML file that needs nothing else. Everything in it is bounded; see byte-budget.ts. */
import type { Finding } from '../check/finding.ts';
import type { RuleRow } from '../check/rule.ts';
import { RULES } from '../check/rule-table.ts';
import { diffPages } from '../diff/diff-pages.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';
import { FoundRules } from './found-rules.ts';
import { Changes } from './html/changes.ts';
import { chartsSection, drillData } from './html/charts.ts';
import { findingsSection, fixFirstSection } from './html/findings.ts';
import { pageEnd, pageStart } from './html/page.ts';
import { samplesSection } from './html/samples.ts';
import { sitemapsSection } from './html/sitemaps.ts';
import { verdictSection } from './html/verdict.ts';
import { pageAssets } from './page-assets.ts';
import { summarize } from './summary/summarize.ts';

/** What a report shows besides the tree. */
export interface ReportOptions {
  /** An earlier tree of the site: the report then has what was added, changed and removed. @default none */
  readonly before?: Sitemap | undefined;
  /** The findings to show. @default none */
  readonly findings?: AsyncIterable<Finding> | undefined;
  /** Ends it; the iteration then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

export async function* reportHtml(
  tree: Sitemap,
  options: ReportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const found = new FoundRules();
  if (options.findings !== undefined) for await (const finding of options.findings) found.add(finding);
  const site = await summarize(tree, { signal: options.signal });
  const changes = options.before === undefined ? '' : await changesSection(options.before, tree, options);
  const assets = await pageAssets();
  const drill = drillData(site);
  const findings = { site, found, explain };
  const sections = [
    { id: 'fix-first', name: 'Fix first' },
    ...(changes === '' ? [] : [{ id: 'changes', name: 'Changes' }]),
    { id: 'findings', name: 'Findings' },
    { id: 'sitemaps', name: 'Sitemaps' },
    { id: 'charts', name: 'Pages and limits' },
    { id: 'samples', name: 'Sample of pages' },
  ];
  yield pageStart(site, assets, sections);
  yield verdictSection(site, found);
  yield fixFirstSection(findings);
  yield changes;
  yield findingsSection(findings);
  yield sitemapsSection(site);
  yield chartsSection(site, drill);
  yield samplesSection(site);
  yield pageEnd(drill, assets);
}

const ROWS: Readonly<Record<string, RuleRow>> = RULES;

function explain(rule: string): RuleRow | undefined {
  return Object.hasOwn(ROWS, rule) ? ROWS[rule] : undefined;
}

async function changesSection(before: Sitemap, after: Sitemap, { signal }: ReportOptions): Promise<string> {
  const changes = new Changes();
  const diff = diffPages(before, after, { countSame: false, signal });
  for await (const change of diff) changes.add(change);
  return changes.section(diff.counts, undefined, after.url);
}
