/** The sections with lists: the sitemaps as nested details, requested pages, a sample of pages, and changes. */

import type { RequestedPages } from '../check/finding.ts';
import type { DiffCounts, PageChange } from '../diff/page-change.ts';
import { isPagesKind, KIND_NAMES } from '../parse/model/kinds.ts';
import type { SampledPage, SitemapSample, SummarizedSitemap, TreeSummary } from '../summary/tree-summary.ts';
import { bytes, clip, count, LONGEST_TEXT, number } from '../text/wording.ts';
import {
  BUDGETS,
  ByteBudget,
  day,
  escaped,
  icon,
  idOf,
  isLinked,
  link,
  originOf,
  share,
  shortened,
  untrusted,
  withoutOrigin,
} from './markup.ts';

/** With at most this number of rows, all are unfolded. */
const OPEN_ROWS = 40;

export function sitemapsSection(site: TreeSummary): string {
  const origin = originOf(site.url);
  const budget = new ByteBudget(BUDGETS.sitemaps);
  const isOpen = rowsBelow(site.tree) <= OPEN_ROWS;
  const isFresh = hasFreshness(site.tree);
  let hiddenRows = 0;

  const line = (row: SummarizedSitemap, depth: number, linkTo: (url: string, label: string) => string) => {
    const label = depth === 0 ? row.url : shortened(row.url, origin);
    const name = row.count === 1 ? linkTo(row.url, label) : untrusted(label);
    const facts = factsOf(row, isFresh).map((fact) => fact.replaceAll(' ', '&nbsp;'));
    return (
      `<span class="url">${name}</span> <span class="facts">${facts.join(' · ')}</span>` +
      failure(row, origin)
    );
  };
  /** A sitemap and the sitemaps below it. The summary limits the depth, so recursion is safe. */
  const item = (row: SummarizedSitemap, depth: number): string => {
    const isLeaf = row.sitemaps.length === 0 && row.more === 0;
    const start = isLeaf
      ? `<li>${line(row, depth, link)}`
      : `<li><details${isOpen || depth < 2 ? ' open' : ''}>` +
        `<summary>${line(row, depth, (_, label) => untrusted(label))}</summary><ul>${linkToOpen(row)}`;
    const end = isLeaf ? '</li>' : '</ul></details></li>';
    const more =
      row.more === 0 ? '' : `<li class="left-out">and ${count(row.more, 'more row')} of sitemaps</li>`;
    if (!budget.takes(start + more + end)) {
      hiddenRows += rowsBelow(row);
      return '';
    }
    return `${start}${row.sitemaps.map((child) => item(child, depth + 1)).join('')}${more}${end}`;
  };

  const body = `<ul class="tree" data-search="sitemaps">${item(site.tree, 0)}</ul>`;
  const more =
    hiddenRows === 0
      ? ''
      : `<p class="left-out">${count(hiddenRows, 'row')} did not fit into the report; usp ls -f tree lists all.</p>`;
  return `<section id="sitemaps"><h2>Sitemaps</h2>${body}${more}</section>`;
}

function rowsBelow({ sitemaps }: SummarizedSitemap): number {
  return sitemaps.reduce((sum, child) => sum + rowsBelow(child), 1);
}

/** Whether freshness is shown: without an earlier tree every sitemap is new. */
function hasFreshness({ freshness, sitemaps }: SummarizedSitemap): boolean {
  return (freshness !== undefined && freshness !== 'new') || sitemaps.some(hasFreshness);
}

function factsOf(row: SummarizedSitemap, hasFreshness: boolean): readonly string[] {
  const isPages = isPagesKind(row.kind);
  const facts = [row.count === 1 ? KIND_NAMES[row.kind] : `${number(row.count)} × ${KIND_NAMES[row.kind]}`];
  if (isPages || row.sitemaps.length > 0) facts.push(count(row.pages, 'page'));
  if (row.bytes !== undefined) facts.push(bytes(row.bytes));
  if (row.lastModified !== undefined) facts.push(`changed ${day(row.lastModified)}`);
  if (row.durationMs !== undefined) facts.push(duration(row.durationMs));
  if (row.freshness !== undefined && hasFreshness) facts.push(row.freshness);
  if (row.problems > 0) facts.push(count(row.problems, 'problem'));
  return facts;
}

/** A link to the document: the row itself cannot be a link, since a click unfolds it. */
function linkToOpen({ url, kind, count: times }: SummarizedSitemap): string {
  // A site is not a document, and a file on a disk is not linked.
  return times === 1 && kind !== 'website' && isLinked(url)
    ? `<li class="open left-out">${link(url, '↗ open this document')}</li>`
    : '';
}

function failure({ failure: why, truncated, count: times }: SummarizedSitemap, origin: string): string {
  if (why !== undefined) {
    const reason = untrusted(withoutOrigin(why.reason, origin), 300);
    return ` <span class="failure">${icon('error')} ${reason}</span>`;
  }
  if (truncated === 0) return '';
  const what = times === 1 ? 'its end is missing' : `the end of ${number(truncated)} is missing`;
  return ` <span class="failure">${icon('warning')} truncated: ${what}</span>`;
}

function duration(ms: number): string {
  return ms < 1000 ? `${number(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function requestedSection(
  { listed, requested, results }: RequestedPages,
  { url }: TreeSummary,
): string {
  const origin = originOf(url);
  const budget = new ByteBudget(BUDGETS.requested);
  const rows = results.map(({ result, status, count: times, examples }) => {
    const name =
      result === 'indexable'
        ? 'listed and indexable'
        : result === 'not-requested'
          ? 'not requested'
          : `<a href="#${idOf('rule', result)}"><code>${escaped(result)}</code></a>`;
    const links = examples.map((each) => link(each, shortened(each, origin))).join(', ');
    return (
      `<tr><th scope="row">${name}</th><td class="n">${status ?? ''}</td><td class="n">${number(times)}</td>` +
      `<td class="n">${result === 'not-requested' ? '' : share(times, requested)}</td><td class="place">${links}</td></tr>`
    );
  });
  const head = ['Result', 'Status', 'Pages', 'Share', 'Examples'].map(
    (name) => `<th scope="col">${name}</th>`,
  );
  return (
    `<section id="requested"><h2>Listed and indexable</h2><p class="note">${number(requested)} of ` +
    `${count(listed, 'page')} ${requested === 1 ? 'was' : 'were'} requested.</p>` +
    `<table><thead><tr>${head.join('')}</tr></thead>` +
    `<tbody>${budget.fill(rows).join('')}</tbody></table></section>`
  );
}

export function samplesSection({ samples, url }: TreeSummary): string {
  const origin = originOf(url);
  const budget = new ByteBudget(BUDGETS.samples);
  const rows = fittingRows(samples, origin, budget);
  const groups = samples.map((sample, index) => {
    const row = rows[index] ?? [];
    return row.length === 0 ? '' : `<tbody>${headRow(sample, row.length, origin)}${row.join('')}</tbody>`;
  });
  const pages = rows.reduce((sum, group) => sum + group.length, 0);
  const sitemaps = rows.filter((group) => group.length > 0).length;
  const note =
    pages === 0
      ? '<p class="empty">There is no page.</p>'
      : `<p class="note">${count(pages, 'page')} from ${count(sitemaps, 'sitemap')}, evenly spaced. ` +
        'usp ls lists all pages.</p>' +
        '<table class="samples" data-search="samples"><thead><tr><th scope="col">Page</th>' +
        '<th scope="col">Last modified</th><th scope="col">More</th></tr>' +
        `</thead>${groups.join('')}</table>`;
  return `<section id="samples"><h2>Sample of pages</h2>${note}</section>`;
}

/** As many rows as fit: the first page of every sitemap before the second page of any. */
function fittingRows(
  samples: readonly SitemapSample[],
  origin: string,
  budget: ByteBudget,
): readonly string[][] {
  const rows: string[][] = samples.map(() => []);
  const most = Math.max(0, ...samples.map(({ pages }) => pages.length));
  for (let round = 0; round < most; round++) {
    for (const [index, sample] of samples.entries()) {
      const page = sample.pages[round];
      if (page === undefined) continue;
      const row = pageRow(page, origin);
      const head = round === 0 ? `<tbody>${headRow(sample, 0, origin)}</tbody>` : '';
      if (!budget.takes(head + row)) return rows;
      rows[index]!.push(row);
    }
  }
  return rows;
}

function headRow({ sitemap, of }: SitemapSample, shownCount: number, origin: string): string {
  const many = shownCount < of ? `${number(shownCount)} of ${count(of, 'page')}` : count(of, 'page');
  return (
    `<tr class="of"><th colspan="3" scope="rowgroup">${link(sitemap, shortened(sitemap, origin))} ` +
    `<span class="facts">${many}</span></th></tr>`
  );
}

function pageRow(page: SampledPage, origin: string): string {
  const { url, lastModified } = page;
  const time =
    lastModified === undefined
      ? ''
      : `<time datetime="${escaped(lastModified)}">${escaped(day(lastModified))}</time>`;
  return `<tr><td>${link(url, shortened(url, origin))}</td><td>${time}</td><td>${more(page)}</td></tr>`;
}

function more({ title, priority, changeFrequency, images, videos, alternates }: SampledPage): string {
  const facts = [
    title === undefined ? '' : untrusted(title, 80),
    priority === undefined ? '' : `priority ${priority}`,
    changeFrequency === undefined ? '' : escaped(changeFrequency),
    images === 0 ? '' : count(images, 'image'),
    videos === 0 ? '' : count(videos, 'video'),
    alternates === 0 ? '' : count(alternates, 'alternate'),
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

const MOST_EXAMPLES = 50;

/** The section "Changes", with the first changes of each kind. */
export class ChangedPages {
  readonly #examples: Record<PageChange['type'], { url: string; note: string }[]> = {
    added: [],
    changed: [],
    removed: [],
  };

  add(change: PageChange): void {
    const examples = this.#examples[change.type];
    if (examples.length < MOST_EXAMPLES)
      examples.push({ url: clip(change.page.url, LONGEST_TEXT), note: noteOf(change) });
  }

  /** The section. @param since - when the earlier tree was read */
  section(counts: DiffCounts, since: string | undefined, siteUrl: string): string {
    const origin = originOf(siteUrl);
    const groups = (['added', 'changed', 'removed'] as const).map((type) => {
      // Each kind has a budget of its own, so that one cannot take the place of the others.
      const budget = new ByteBudget(BUDGETS.changes / 3);
      const items = budget.fill(
        this.#examples[type].map(({ url, note }) => `<li>${link(url, shortened(url, origin))}${note}</li>`),
      );
      const hiddenCount = counts[type] - items.length;
      const more =
        hiddenCount === 0
          ? ''
          : `<li class="left-out">and ${number(hiddenCount)} more: usp diff lists all</li>`;
      if (counts[type] === 0) return `<p class="none"><strong>0</strong> ${type}</p>`;
      return (
        `<details id="changes-${type}"><summary><strong>${number(counts[type])}</strong> ${type}</summary>` +
        `<ul class="changed">${items.join('')}${more}</ul></details>`
      );
    });
    const unknown =
      counts.unknown === 0
        ? ''
        : `<p class="note">${count(counts.unknown, 'page')} could not be compared: a document that lists them ` +
          'could not be read in one of the two runs.</p>';
    const heading = since === undefined ? 'Changes' : `Changes since ${escaped(day(since))}`;
    return `<section id="changes"><h2>${heading}</h2>${groups.join('')}${unknown}</section>`;
  }
}

function noteOf(change: PageChange): string {
  if (change.type !== 'changed') return '';
  const { before, page, fields } = change;
  const others = fields.filter((field) => field !== 'lastModified').join(', ');
  if (!fields.includes('lastModified')) return ` <span class="facts">${others}</span>`;
  const [from, to] = [before.lastModified?.toISOString(), page.lastModified?.toISOString()];
  const isOneDay = from !== undefined && to !== undefined && day(from) === day(to);
  const text = (time: string | undefined): string =>
    time === undefined ? 'no date' : isOneDay ? time.replace(/\.000(?=Z$)/, '') : day(time);
  const dates = `lastmod ${text(from)} → ${text(to)}`;
  return ` <span class="facts">${others === '' ? dates : `${dates}, ${others}`}</span>`;
}
