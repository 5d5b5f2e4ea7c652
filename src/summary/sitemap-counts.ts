/** Counts sitemaps: of which kinds, why some could not be read, and what the parser noticed. */
import { isPagesKind, type SitemapKind } from '../parse/model/kinds.ts';
import type { Problem } from '../problems/problem-list.ts';
import { type Freshness, placesOf } from '../sitemap/node-fields.ts';
import { partsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { withoutNumbers } from './page-counts.ts';
import {
  cut,
  type FailureCount,
  type LimitHistogram,
  type Mutable,
  type ProblemCount,
  type SitemapTotals,
  type SummarizedSitemap,
  type TreeSummary,
} from './tree-summary.ts';

const NOT_FETCHED: ReadonlySet<string> = new Set(['limit', 'not-fetched']);

export interface Noticed {
  /** At most a hundred. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

export class SitemapCounts {
  readonly #kinds: Partial<Record<SitemapKind, number>> = {};
  readonly #totals: Mutable<Omit<SitemapTotals, 'kinds'>> = {
    count: 0,
    unreadable: 0,
    notFetched: 0,
    truncated: 0,
    stale: 0,
  };
  readonly #failures = new Map<string, Mutable<FailureCount>>();
  readonly #problems = new Map<string, Mutable<ProblemCount>>();
  #problemCount = 0;
  #bytes = 0;

  /**
   * @param isRepeated - whether its document was counted at another place of the tree
   * @param noticed - its problems, which to ask itself for may mean to parse its document
   */
  add(sitemap: Sitemap, isRepeated: boolean, noticed: Noticed): void {
    const totals = this.#totals;
    if (sitemap.kind === 'invalid') this.#addFailure(sitemap);
    if (isRepeated) return;
    this.#kinds[sitemap.kind] = (this.#kinds[sitemap.kind] ?? 0) + 1;
    if (sitemap.kind === 'index-xml' || isPagesKind(sitemap.kind)) totals.count++;
    if (sitemap.truncated) totals.truncated++;
    if (sitemap.freshness === 'stale') totals.stale++;
    this.#bytes += sitemap.bytes ?? 0;
    this.#problemCount += noticed.problemCount;
    for (const { code, message } of noticed.problems) {
      const known = this.#problems.get(code);
      if (known !== undefined) known.count++;
      else this.#problems.set(code, { code, count: 1, url: cut(sitemap.url), message: cut(message) });
    }
  }

  #addFailure({ code, status, url, reason, option }: Sitemap & { readonly kind: 'invalid' }): void {
    if (NOT_FETCHED.has(code)) this.#totals.notFetched++;
    else this.#totals.unreadable++;
    const key = `${code} ${status ?? ''}`;
    const known = this.#failures.get(key);
    if (known !== undefined) known.count++;
    else {
      this.#failures.set(key, {
        code,
        ...(status !== undefined && { status }),
        count: 1,
        url: cut(url),
        reason: cut(reason),
        ...(option !== undefined && { option }),
      });
    }
  }

  summary(): Pick<TreeSummary, 'sitemaps' | 'bytes' | 'failures' | 'problems'> {
    const mostFirst = (a: { readonly count: number }, b: { readonly count: number }): number =>
      b.count - a.count;
    return {
      sitemaps: { ...this.#totals, kinds: this.#kinds },
      bytes: this.#bytes,
      failures: [...this.#failures.values()].sort(mostFirst),
      problems: { count: this.#problemCount, codes: [...this.#problems.values()].sort(mostFirst) },
    };
  }
}

/** When the first document of a tree was requested; undefined where none was. */
export function firstRequest(tree: Sitemap): string | undefined {
  let first = Number.POSITIVE_INFINITY;
  for (const { sitemap } of placesOf(tree)) {
    const { requestedAt = first } = partsOf(sitemap).facts?.document ?? {};
    first = Math.min(first, requestedAt);
  }
  return Number.isFinite(first) ? new Date(first).toISOString() : undefined;
}

const STEPS = 10;

/** Counts sitemaps by how much of a limit they use. */
export class LimitCounts {
  readonly #limit: number;
  readonly #within: number[] = new Array<number>(STEPS).fill(0);
  #over = 0;
  #largest: { readonly url: string; readonly value: number } | undefined;
  sitemaps = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(url: string, value: number): void {
    this.sitemaps++;
    if (this.#largest === undefined || value > this.#largest.value) this.#largest = { url, value };
    if (value > this.#limit) this.#over++;
    // What is on a border belongs to the step below it: a full sitemap is within its limit.
    else this.#within[Math.max(0, Math.ceil((value / this.#limit) * STEPS) - 1)]!++;
  }

  summary(): LimitHistogram {
    return {
      within: this.#within,
      over: this.#over,
      ...(this.#largest !== undefined && { largest: this.#largest }),
    };
  }
}

/**
 * The sitemaps of a tree as rows. Above 2,000 sitemaps, alike children of one parent (the same kind, URLs that are
 * equal with digits replaced) are one row. If that is still too many, the upper levels are kept, and what failed.
 */

/** Rows in a summary, and sitemaps up to which each has a row of its own. */
const MOST_ROWS = 2_000;
/** Levels that are shown: elements of HTML cannot be nested much deeper. */
const MOST_LEVELS = 40;

type Row = Mutable<SummarizedSitemap>;

interface Counted {
  /** That it lists. */
  readonly pages: number;
  readonly problems: number;
}

type Count = (sitemap: Sitemap) => Counted;

export function sitemapRows(tree: Sitemap, countOf: Count): SummarizedSitemap {
  const { pages, count } = totalsOf(tree, countOf);
  const isGrouped = count > MOST_ROWS;
  const top = rowOf([tree], pages, countOf);
  let left = MOST_ROWS - 1;
  let level: { readonly row: Row; readonly members: readonly Sitemap[] }[] = [{ row: top, members: [tree] }];
  // Level by level, so that a large branch does not use up the rows of the others.
  for (let depth = 0; level.length > 0; depth++) {
    const below: { row: Row; members: readonly Sitemap[] }[] = [];
    for (const { row, members } of level) {
      const children = members.flatMap(({ subSitemaps }) => subSitemaps);
      if (children.length === 0) continue;
      const groups = isGrouped ? alike(children) : children.map((child) => [child]);
      const kept = depth < MOST_LEVELS ? chosen(groups, left) : [];
      left -= kept.length;
      row.more = groups.length - kept.length;
      const entries = kept.map((group) => ({ row: rowOf(group, pages, countOf), members: group }));
      row.sitemaps = entries.map((entry) => entry.row);
      below.push(...entries);
    }
    level = below;
  }
  return top;
}

/** How many sitemaps there are, and how many pages are in each of them and below. */
function totalsOf(
  tree: Sitemap,
  countOf: Count,
): { readonly pages: ReadonlyMap<Sitemap, number>; readonly count: number } {
  const sitemaps = Array.from(placesOf(tree), ({ sitemap }) => sitemap);
  const pages = new Map<Sitemap, number>();
  // Children come behind their parents.
  for (const sitemap of sitemaps.toReversed()) {
    if (pages.has(sitemap)) continue;
    const below = sitemap.subSitemaps.reduce((sum, child) => sum + (pages.get(child) ?? 0), 0);
    pages.set(sitemap, countOf(sitemap).pages + below);
  }
  return { pages, count: sitemaps.length };
}

function alike(sitemaps: readonly Sitemap[]): Sitemap[][] {
  const groups = new Map<string, Sitemap[]>();
  for (const sitemap of sitemaps) {
    const key = `${sitemap.kind} ${sitemap.kind === 'invalid' ? sitemap.code : ''} ${patternOf(sitemap.url)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sitemap]);
    else group.push(sitemap);
  }
  return [...groups.values()];
}

/** A URL with digits replaced; those of its host tell sites apart. */
function patternOf(url: string): string {
  const [, origin = '', path = url] = /^([a-z]+:\/\/[^/?#]*)(.*)$/is.exec(url) ?? [];
  return origin + withoutNumbers(path);
}

function chosen(groups: readonly (readonly Sitemap[])[], most: number): readonly (readonly Sitemap[])[] {
  if (groups.length <= most) return groups;
  const failed = groups.filter(([first]) => first!.kind === 'invalid' || first!.truncated);
  const rest = groups.filter(([first]) => first!.kind !== 'invalid' && !first!.truncated);
  return [...failed, ...rest].slice(0, most);
}

function rowOf(group: readonly Sitemap[], pages: ReadonlyMap<Sitemap, number>, countOf: Count): Row {
  const first = group[0]!;
  const row: Row = {
    url: cut(group.length === 1 ? first.url : patternOf(first.url)),
    kind: first.kind,
    count: group.length,
    pages: 0,
    truncated: 0,
    problems: 0,
    sitemaps: [],
    more: 0,
  };
  if (group.length > 1) row.example = cut(first.url);
  let newest: Date | undefined;
  const freshness = new Set<Freshness | undefined>();
  for (const sitemap of group) {
    row.pages += pages.get(sitemap)!;
    row.problems += countOf(sitemap).problems;
    if (sitemap.truncated) row.truncated++;
    if (sitemap.bytes !== undefined) row.bytes = (row.bytes ?? 0) + sitemap.bytes;
    const { lastModified } = sitemap;
    if (lastModified !== undefined && (newest === undefined || lastModified > newest)) newest = lastModified;
    const { durationMs } = partsOf(sitemap).facts ?? {};
    if (durationMs !== undefined) row.durationMs = Math.round((row.durationMs ?? 0) + durationMs);
    freshness.add(sitemap.freshness);
  }
  if (newest !== undefined) row.lastModified = newest.toISOString();
  const [only] = freshness;
  if (freshness.size === 1 && only !== undefined) row.freshness = only;
  if (first.kind === 'invalid') {
    const { code, status, reason } = first;
    row.failure = { code, reason: cut(reason), ...(status !== undefined && { status }) };
  }
  return row;
}
