/** The sitemaps, as nested details. */

import { bytes, count, number } from '../../problems/wording.ts';
import type { SitemapKind } from '../../sitemap/kind.ts';
import type { SummarizedSitemap, TreeSummary } from '../summary/summary.ts';
import { BUDGETS, ByteBudget } from './byte-budget.ts';
import { day, link, originOf, shortened, untrusted } from './markup.ts';
import { icon } from './severity.ts';

const KIND_NAMES: Readonly<Record<SitemapKind, string>> = {
  website: 'site',
  'robots-txt': 'robots.txt',
  'index-xml': 'index',
  'pages-xml': 'sitemap',
  'pages-text': 'text',
  'pages-rss': 'RSS',
  'pages-atom': 'Atom',
  invalid: 'unreadable',
};

/** Up to so many rows are shown unfolded. */
const OPEN_ROWS = 40;

/** The section with the tree. */
export function sitemapsSection(site: TreeSummary): string {
  const origin = originOf(site.url);
  const budget = new ByteBudget(BUDGETS.sitemaps);
  const all = rowsBelow(site.tree);
  const tree = new Tree({ origin, budget, isOpen: all <= OPEN_ROWS, hasFreshness: hasFreshness(site.tree) });
  const body = `<ul class="tree" data-search="sitemaps">${tree.item(site.tree)}</ul>`;
  const left = tree.left;
  const more =
    left === 0
      ? ''
      : `<p class="left-out">${count(left, 'row')} did not fit into the report; usp ls -f tree lists all.</p>`;
  return `<section id="sitemaps"><h2>Sitemaps</h2>${body}${more}</section>`;
}

function rowsBelow({ sitemaps }: SummarizedSitemap): number {
  return sitemaps.reduce((sum, child) => sum + rowsBelow(child), 1);
}

/** Whether freshness says anything: without an earlier tree everything is new. */
function hasFreshness({ freshness, sitemaps }: SummarizedSitemap): boolean {
  return (freshness !== undefined && freshness !== 'new') || sitemaps.some(hasFreshness);
}

interface TreeParts {
  readonly origin: string;
  readonly budget: ByteBudget;
  readonly isOpen: boolean;
  readonly hasFreshness: boolean;
}

class Tree {
  readonly #parts: TreeParts;
  /** Rows that did not fit. */
  left = 0;

  constructor(parts: TreeParts) {
    this.#parts = parts;
  }

  /** A sitemap and those below; the summary keeps trees shallow enough for recursion. */
  item(row: SummarizedSitemap, depth = 0): string {
    const { budget, isOpen } = this.#parts;
    if (row.sitemaps.length === 0 && row.more === 0) {
      const leaf = `<li>${this.#row(row, depth, link)}</li>`;
      return budget.takes(leaf) ? leaf : this.#leave(row);
    }
    const start =
      `<li><details${isOpen || depth < 2 ? ' open' : ''}>` +
      `<summary>${this.#row(row, depth, (_, shown) => untrusted(shown))}</summary><ul>${opening(row)}`;
    const end = '</ul></details></li>';
    if (!budget.takes(start + end)) return this.#leave(row);
    const more =
      row.more === 0
        ? ''
        : `<li class="left-out">and ${count(row.more, 'more sitemap')} or groups of alike ones</li>`;
    budget.takes(more);
    return `${start}${row.sitemaps.map((child) => this.item(child, depth + 1)).join('')}${more}${end}`;
  }

  #leave(row: SummarizedSitemap): string {
    this.left += rowsBelow(row);
    return '';
  }

  #row(row: SummarizedSitemap, depth: number, linked: (url: string, shown: string) => string): string {
    const shown = depth === 0 ? row.url : shortened(row.url, this.#parts.origin);
    const name = row.count === 1 ? linked(row.url, shown) : untrusted(shown);
    return `<span class="url">${name}</span> <span class="facts">${this.#facts(row)
      .map((fact) => fact.replaceAll(' ', '&nbsp;'))
      .join(' · ')}</span>${failure(row, this.#parts.origin)}`;
  }

  #facts(row: SummarizedSitemap): readonly string[] {
    const isPages = row.kind.startsWith('pages-');
    const facts = [row.count === 1 ? KIND_NAMES[row.kind] : `${number(row.count)} × ${KIND_NAMES[row.kind]}`];
    if (isPages || row.sitemaps.length > 0) facts.push(count(row.pages, 'page'));
    if (row.bytes !== undefined) facts.push(bytes(row.bytes));
    if (row.lastModified !== undefined) facts.push(`changed ${day(row.lastModified)}`);
    if (row.durationMs !== undefined) facts.push(duration(row.durationMs));
    if (row.freshness !== undefined && this.#parts.hasFreshness) facts.push(row.freshness);
    if (row.problems > 0) facts.push(count(row.problems, 'problem'));
    return facts;
  }
}

/** What is clicked on to unfold cannot be a link. */
function opening({ url, count: times }: SummarizedSitemap): string {
  return times === 1 ? `<li class="open left-out">${link(url, '↗ open this document')}</li>` : '';
}

function failure(
  { url, example = url, failure: why, truncated, count: times }: SummarizedSitemap,
  origin: string,
): string {
  if (why !== undefined) {
    // The address is in front of it already.
    const isSaid = times === 1 && why.reason.startsWith(url);
    const reason = isSaid
      ? why.reason.slice(url.length).replace(/^: /, '')
      : why.reason.replaceAll(example, shortened(example, origin));
    return ` <span class="failure">${icon('error')} ${untrusted(reason, 300)}</span>`;
  }
  if (truncated === 0) return '';
  const what = times === 1 ? 'its end is missing' : `the end of ${number(truncated)} is missing`;
  return ` <span class="failure">${icon('warning')} truncated: ${what}</span>`;
}

function duration(ms: number): string {
  return ms < 1000 ? `${number(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
