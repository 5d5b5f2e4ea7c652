/**
 * Makes a report: the page around its sections, and the first section, which has the verdict, whether everything was
 * read, and the numbers. Every section has a size limit: see BUDGETS.
 */
import { createHash } from 'node:crypto';
import { type CheckTreeOptions, isComplete, resolveCheckTreeOptions, TreeRun } from '../check/check-tree.ts';
import type { Finding, RequestedPages } from '../check/finding.ts';
import { describeEntries, FindingsByRule } from '../check/findings-by-rule.ts';
import { SEVERITIES, type Severity } from '../check/rule.ts';
import { diffPages } from '../diff/diff-pages.ts';
import { VERSION } from '../options/version.ts';
import { IndexWebsiteSitemap, type Sitemap } from '../sitemap/sitemap.ts';
import { firstRequest } from '../summary/sitemap-counts.ts';
import { Summarizer } from '../summary/summarize.ts';
import type { TreeSummary } from '../summary/tree-summary.ts';
import { bytes, count, list, number } from '../text/wording.ts';
import { parsedUrl } from '../url.ts';
import type { DrillData } from './charts.ts';
import { chartsSection, drillData } from './figures.ts';
import {
  type AffectedData,
  affectedData,
  BrokenPages,
  findingsSection,
  fixFirstSection,
  MOST_EXAMPLES,
} from './findings.ts';
import {
  dataText,
  escaped,
  hasSitemaps,
  icon,
  severityCount,
  severityName,
  untrusted,
  withoutMiddle,
} from './markup.ts';
import { type PageAssets, pageAssets } from './page-assets.ts';
import { ChangedPages, requestedSection, samplesSection, sitemapsSection } from './sections.ts';

/** Options of `reportHtml`: those of `checkTree`, and these. */
export interface ReportOptions extends CheckTreeOptions {
  /**
   * An earlier tree of the site: the report then shows pages that were added, changed or removed since.
   *
   * @default none
   */
  readonly before?: Sitemap | undefined;
  /** The title of the report. @default the host of the site */
  readonly title?: string | undefined;
  /** An image for the head of the report: PNG, JPEG, GIF, WebP or SVG, at most 256 KiB. @default none */
  readonly logo?: Uint8Array | undefined;
  /** The findings to show, if they are known already. @default the findings of `checkTree` with these options */
  readonly findings?: AsyncIterable<Finding> | Iterable<Finding> | undefined;
}

/** @param logo - the data URL of the image in its head */
export async function* writtenReport(
  trees: readonly Sitemap[],
  { findings: givenFindings, before, title, ...options }: ReportOptions,
  logo: string | undefined,
): AsyncGenerator<string, void, undefined> {
  const { now, signal } = options;
  const tree = joinedTree(trees);
  const resolved = resolveCheckTreeOptions(options);
  const byRule = new FindingsByRule(MOST_EXAMPLES);
  const broken = new BrokenPages(tree);
  const add = (finding: Finding): void => {
    byRule.add(finding);
    broken.add(finding);
  };
  const summarizer = new Summarizer(tree, { now: now === undefined ? undefined : new Date(now), signal });
  let requested: RequestedPages | undefined;
  if (givenFindings !== undefined) for await (const finding of givenFindings) add(finding);
  else {
    // The summary reads documents together with the check: to parse them twice would take 50 % more time.
    const check = new TreeRun(trees, resolved, options, {
      documentObserver: (sitemap) => summarizer.reader(sitemap),
    });
    for await (const findings of check.findings()) for (const finding of findings) add(finding);
    requested = check.summary.requestedPages;
  }
  const site = withNames(await summarizer.summary(), options.names);
  const changes = before === undefined ? '' : await changesSection(before, tree, signal);
  const assets = await pageAssets();
  const drill = drillData(site);
  const findings = { site, byRule, broken };
  const hasPages = hasSitemaps(site);
  const sections = [
    { id: 'fix-first', name: 'Fix first', html: fixFirstSection(findings) },
    { id: 'changes', name: 'Changes', html: changes },
    { id: 'findings', name: 'Findings', html: findingsSection(findings) },
    {
      id: 'requested',
      name: 'Requested pages',
      html: requested === undefined ? '' : requestedSection(requested, site),
    },
    { id: 'sitemaps', name: 'Sitemaps', html: sitemapsSection(site) },
    { id: 'charts', name: 'Pages and limits', html: hasPages ? chartsSection(site, drill) : '' },
    { id: 'samples', name: 'Sample of pages', html: hasPages ? samplesSection(site) : '' },
  ].filter(({ html }) => html !== '');
  yield pageStart(site, { ...assets, title, logo }, sections);
  yield verdictSection(site, byRule);
  for (const { html } of sections) yield html;
  yield pageEnd(drill, affectedData(byRule), assets);
}

/** Several files as the sitemaps of one site. */
function joinedTree(trees: readonly Sitemap[]): Sitemap {
  const [first] = trees;
  if (first !== undefined && trees.length === 1) return first;
  const complete = trees.every(isComplete);
  return new IndexWebsiteSitemap({ url: `${trees.length} files`, subSitemaps: trees, complete });
}

/** Replaces URLs of files by their names: a report does not show where they are on a disk. */
function withNames(summary: TreeSummary, names: ReportOptions['names'] = new Map()): TreeSummary {
  if (names.size === 0) return summary;
  const byUrl = new Map<unknown, string>(Array.from(names, ([{ url }, name]) => [url, name]));
  return JSON.parse(JSON.stringify(summary), (_key, value) => byUrl.get(value) ?? value);
}

async function changesSection(
  before: Sitemap,
  after: Sitemap,
  signal: AbortSignal | undefined,
): Promise<string> {
  const changes = new ChangedPages();
  const diff = diffPages(before, after, { countSame: false, signal });
  for await (const change of diff) changes.add(change);
  return changes.section(diff.counts, firstRequest(before), after.url);
}

interface PageHead extends PageAssets {
  readonly title: string | undefined;
  readonly logo: string | undefined;
}

function pageStart(
  site: TreeSummary,
  { script, style, title, logo }: PageHead,
  sections: readonly { readonly id: string; readonly name: string }[],
): string {
  const name = title === undefined ? hostOf(site.url) : withoutMiddle(title, MOST_OF_TITLE);
  const image = logo === undefined ? '' : `<img class="logo" alt="" src="${logo}">`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    ...(logo === undefined ? [] : ['img-src data:']),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const links = sections.map(({ id, name }) => `<li><a href="#${id}">${name}</a></li>`).join('');
  return (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
    `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">' +
    `<meta name="color-scheme" content="light dark"><title>Sitemap report: ${escaped(name)}</title>` +
    `<style>${style}</style></head><body>` +
    '<a class="skip" href="#main">Skip to the report</a>' +
    `<header class="top">${image}<h1>` +
    `<span class="kind">Sitemap report</span> ${untrusted(name)}</h1>${readAt(site)}</header>` +
    `<nav aria-label="Sections"><ul>${links}</ul></nav><main id="main">${PATTERNS}`
  );
}

const MOST_OF_TITLE = 120;

function pageEnd(drill: DrillData, affected: AffectedData, { script }: PageAssets): string {
  return (
    `</main><footer><p>Made by ultimate-sitemap-parser ${escaped(VERSION)}. Dates are in UTC.</p></footer>` +
    `<script type="application/json" id="drill-data">${dataText(drill)}</script>` +
    `<script type="application/json" id="affected-data">${dataText(affected)}</script>` +
    `<script type="module">${script}</script></body></html>\n`
  );
}

function readAt({ readAt: time }: TreeSummary): string {
  if (time === undefined) return '';
  const text = `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
  return `<p class="read-at">Read <time datetime="${escaped(time)}">${escaped(text)}</time></p>`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The patterns of charts, for readers who cannot tell the colours apart. */
const PATTERNS =
  '<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>' +
  '<pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
  '<rect width="6" height="6" class="paper"/><rect width="3" height="6" class="ink"/></pattern>' +
  '<pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse">' +
  '<rect width="5" height="5" class="paper"/><circle cx="2.5" cy="2.5" r="1" class="ink"/></pattern>' +
  '</defs></svg>';

/** How many reasons are named; the section of sitemaps has all. */
const MOST_REASONS = 4;

function verdictSection(site: TreeSummary, byRule: FindingsByRule): string {
  const { mark, sentence } = verdict(site, byRule);
  return (
    `<section id="verdict" class="verdict ${mark}">` +
    `<p class="sentence">${icon(mark)}<span>${sentence}</span></p>` +
    `<p class="completeness">${completeness(site)}</p>${tiles(site, byRule)}</section>`
  );
}

function verdict(site: TreeSummary, byRule: FindingsByRule) {
  const [errors, warnings, infos] = SEVERITIES.map((severity) => byRule.count(severity).findings);
  const numberOf = (severity: Severity): string => {
    const { findings, entries } = byRule.count(severity);
    const stand = describeEntries(findings, entries);
    return `${severityCount(severity, findings)}${stand === '' ? '' : ` (${stand})`}`;
  };
  const name = untrusted(hostOf(site.url));
  if (!hasSitemaps(site)) {
    const isAllRead = site.sitemaps.unreadable + site.sitemaps.notFetched === 0 && site.complete === true;
    // Not "has no sitemap": filters may have left some out. A rule reports a site without sitemaps.
    const sentence = `No sitemap of ${name} ${isAllRead ? 'was found' : 'could be read'}.`;
    return { mark: 'error', sentence } as const;
  }
  if (errors! > 0) {
    const need = errors === 1 ? 'needs' : 'need';
    return {
      mark: 'error',
      sentence: `${numberOf('error')} ${need} fixing in the sitemaps of ${name}.`,
    } as const;
  }
  if (warnings! > 0) {
    const sentence =
      `The sitemaps of ${name} work. ${numberOf('warning')} ` +
      `${warnings === 1 ? 'is' : 'are'} worth a look.`;
    return { mark: 'warning', sentence } as const;
  }
  const rest = infos! > 0 ? ` There ${infos === 1 ? 'is' : 'are'} ${numberOf('info')}.` : '';
  return { mark: 'ok', sentence: `The sitemaps of ${name} are in good order.${rest}` } as const;
}

function hostOf(url: string): string {
  return withoutMiddle(parsedUrl(url)?.host || url, 80);
}

function completeness(site: TreeSummary): string {
  const { complete, stopped, sitemaps, problems } = site;
  const notRead = sitemaps.unreadable + sitemaps.notFetched;
  const sentences: string[] = [];
  if (stopped !== undefined) sentences.push(`Not complete: ${untrusted(stopped.message)}`);
  else if (notRead > 0 || sitemaps.truncated > 0) {
    const missing = [
      notRead > 0 ? `${count(notRead, 'sitemap')} could not be read (${reasons(site)})` : '',
      sitemaps.truncated > 0
        ? `${count(sitemaps.truncated, 'sitemap')} ${sitemaps.truncated === 1 ? 'ends' : 'end'} too early`
        : '',
    ];
    sentences.push(`Not complete: ${list(missing.filter((part) => part !== ''))}.`);
  } else if (complete === true && hasSitemaps(site))
    sentences.push('Complete: everything that is declared was read to its end.');
  else if (complete === false) sentences.push('Not complete: something that is declared could not be read.');
  else if (complete === undefined) sentences.push('Only this document was read.');
  // If no sitemap was read, the problems of the site itself are shown.
  if (!hasSitemaps(site))
    sentences.push(...problems.codes.slice(0, MOST_REASONS).map(({ message }) => untrusted(message, 300)));
  if (sitemaps.stale > 0)
    sentences.push(
      `${count(sitemaps.stale, 'sitemap', 'sitemaps')} could not be read again; ` +
        `${sitemaps.stale === 1 ? 'its' : 'their'} earlier content is shown.`,
    );
  return sentences.join(' ');
}

function reasons({ failures }: TreeSummary): string {
  const causes = failures.slice(0, MOST_REASONS).map(({ code, status, count: times }) => {
    const why = status === undefined ? code.replaceAll('-', ' ') : `HTTP ${status}`;
    return `${number(times)} × ${escaped(why)}`;
  });
  return [...causes, ...(failures.length > MOST_REASONS ? ['other reasons'] : [])].join(', ');
}

function tiles(site: TreeSummary, byRule: FindingsByRule): string {
  const { sitemaps, pages } = site;
  const notRead = sitemaps.unreadable + sitemaps.notFetched;
  const tile = (value: string, name: string, note = '', kind = ''): string =>
    `<li${kind === '' ? '' : ` class="${kind}"`}>` +
    `<span class="value">${value}</span> <span class="name">${name}</span>` +
    `${note === '' ? '' : ` <span class="note">${note}</span>`}</li>`;
  const all = [
    tile(
      number(sitemaps.count),
      sitemaps.count === 1 ? 'sitemap' : 'sitemaps',
      notRead > 0 ? `${number(notRead)} not read` : '',
    ),
    tile(
      number(pages.count),
      pages.count === 1 ? 'page' : 'pages',
      pages.distinct < pages.count ? `${number(pages.distinct)} distinct` : '',
    ),
    tile(bytes(site.bytes), 'total size'),
    ...SEVERITIES.map((severity) => {
      const { findings, entries } = byRule.count(severity);
      const name = `${icon(severity)} ${severityName(severity, findings)}`;
      const kind = findings === 0 ? 'none' : severity;
      return tile(number(findings), name, describeEntries(findings, entries), kind);
    }),
  ];
  return `<ul class="tiles">${all.join('')}</ul>`;
}
