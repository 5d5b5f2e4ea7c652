/** A report, section by section. Everything in it is bounded; see BUDGETS. */
import { checkParts } from '../check/check-options.ts';
import { type CheckTreeOptions, checkPages, checkSiteUrl, TreeRun } from '../check/check-tree.ts';
import type { Finding, RequestedPages } from '../check/finding.ts';
import { diffPages } from '../diff/diff-pages.ts';
import { partsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { placesOf } from '../sitemap/walk.ts';
import { Summarizer } from '../summary/summarize.ts';
import type { TreeSummary } from '../summary/tree-summary.ts';
import { chartsSection, drillData } from './figures.ts';
import { affectedData, FoundRules, findingsSection, fixFirstSection } from './findings.ts';
import { hasSitemaps } from './markup.ts';
import { pageAssets } from './page-assets.ts';
import { pageEnd, pageStart, verdictSection } from './report-page.ts';
import { Changes, requestedSection, samplesSection, sitemapsSection } from './sections.ts';

/** What a report shows besides the tree: the options of `checkTree`, and these. */
export interface ReportOptions extends CheckTreeOptions {
  /** An earlier tree of the site: the report then has what was added, changed and removed since. @default none */
  readonly before?: Sitemap | undefined;
  /** What the report is called. @default the host of the site */
  readonly title?: string | undefined;
  /** An image for the head of the report: PNG, JPEG, GIF, WebP or SVG, at most 256 KiB. @default none */
  readonly logo?: Uint8Array | undefined;
  /** The findings to show, where they are known already. @default what `checkTree` finds, with these options */
  readonly findings?: AsyncIterable<Finding> | Iterable<Finding> | undefined;
}

export async function* writtenReport(
  tree: Sitemap,
  { findings: given, before, title, logo, ...options }: ReportOptions,
): AsyncGenerator<string, void, undefined> {
  const { now, signal } = options;
  const found = new FoundRules();
  checkPages(options.pages);
  checkSiteUrl(options.site);
  const summarizer = new Summarizer(tree, { now: now === undefined ? undefined : new Date(now), signal });
  let requested: RequestedPages | undefined;
  if (given !== undefined) for await (const finding of given) found.add(finding);
  else {
    // What is checked is read along: parsing everything twice would take half as long again.
    const check = new TreeRun([tree], checkParts(options), options, (sitemap) => summarizer.reader(sitemap));
    for await (const findings of check.findings()) for (const finding of findings) found.add(finding);
    requested = check.summary.requestedPages;
  }
  const site = withName(await summarizer.summary(), tree, options.names?.get(tree));
  const changes = before === undefined ? '' : await changesSection(before, tree, signal);
  const assets = await pageAssets();
  const drill = drillData(site);
  const findings = { site, found };
  const hasPages = hasSitemaps(site);
  yield pageStart(site, { ...assets, title, logo }, [
    { id: 'fix-first', name: 'Fix first' },
    ...(changes === '' ? [] : [{ id: 'changes', name: 'Changes' }]),
    { id: 'findings', name: 'Findings' },
    ...(requested === undefined ? [] : [{ id: 'requested', name: 'Requested pages' }]),
    { id: 'sitemaps', name: 'Sitemaps' },
    ...(hasPages
      ? [
          { id: 'charts', name: 'Pages and limits' },
          { id: 'samples', name: 'Sample of pages' },
        ]
      : []),
  ]);
  yield verdictSection(site, found);
  yield fixFirstSection(findings);
  if (changes !== '') yield changes;
  yield findingsSection(findings);
  if (requested !== undefined) yield requestedSection(requested, site);
  yield sitemapsSection(site);
  if (hasPages) yield chartsSection(site, drill);
  if (hasPages) yield samplesSection(site);
  yield pageEnd(drill, affectedData(found), assets);
}

/** A file by its name: where it lies on the disk of whoever made the report is nobody else's business. */
function withName(summary: TreeSummary, { url }: Sitemap, name: string | undefined): TreeSummary {
  if (name === undefined) return summary;
  return JSON.parse(JSON.stringify(summary), (_key, value) => (value === url ? name : value));
}

async function changesSection(
  before: Sitemap,
  after: Sitemap,
  signal: AbortSignal | undefined,
): Promise<string> {
  const changes = new Changes();
  const diff = diffPages(before, after, { countSame: false, signal });
  for await (const change of diff) changes.add(change);
  return changes.section(diff.counts, readAt(before), after.url);
}

function readAt(tree: Sitemap): string | undefined {
  let first = Number.POSITIVE_INFINITY;
  for (const { sitemap } of placesOf(tree)) {
    const { requestedAt = first } = partsOf(sitemap).facts?.document ?? {};
    first = Math.min(first, requestedAt);
  }
  return Number.isFinite(first) ? new Date(first).toISOString() : undefined;
}
