/**
 * The sitemaps of a tree as rows. With more than 2,000 sitemaps, similar children of one parent (the same kind, and
 * URLs that are equal with digits replaced) are one row. If that is still too many, upper levels and failures come
 * first.
 */
import { type Freshness, placesOf } from '../sitemap/node-fields.ts';
import { internalsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { clip, LONGEST_TEXT } from '../text/wording.ts';
import { withoutNumbers } from './folder-counts.ts';
import type { Mutable, SummarizedSitemap } from './tree-summary.ts';

/** The most rows of a summary. With at most this number of sitemaps, each has a row of its own. */
const MOST_ROWS = 2_000;
/** How many levels are shown: elements of HTML cannot be nested much deeper. */
const MOST_LEVELS = 40;

type Row = Mutable<SummarizedSitemap>;

interface RowCounts {
  /** The pages that it lists. */
  readonly pages: number;
  readonly problems: number;
}

type Count = (sitemap: Sitemap) => RowCounts;

export function sitemapRows(tree: Sitemap, countOf: Count): SummarizedSitemap {
  const { pages, count } = totalsOf(tree, countOf);
  const isGrouped = count > MOST_ROWS;
  const top = rowOf([tree], pages, countOf);
  let remaining = MOST_ROWS - 1;
  let level: { readonly row: Row; readonly members: readonly Sitemap[] }[] = [{ row: top, members: [tree] }];
  // Level by level, so that a large branch does not use up the rows of the others.
  for (let depth = 0; level.length > 0; depth++) {
    const below: { row: Row; members: readonly Sitemap[] }[] = [];
    for (const { row, members } of level) {
      const children = members.flatMap(({ subSitemaps }) => subSitemaps);
      if (children.length === 0) continue;
      const groups = isGrouped ? alike(children) : children.map((child) => [child]);
      const shownGroups = depth < MOST_LEVELS ? chooseGroups(groups, remaining) : [];
      remaining -= shownGroups.length;
      row.more = groups.length - shownGroups.length;
      const entries = shownGroups.map((group) => ({ row: rowOf(group, pages, countOf), members: group }));
      row.sitemaps = entries.map((entry) => entry.row);
      below.push(...entries);
    }
    level = below;
  }
  return top;
}

/** How many sitemaps there are, and how many pages each has with those below it. */
function totalsOf(
  tree: Sitemap,
  countOf: Count,
): { readonly pages: ReadonlyMap<Sitemap, number>; readonly count: number } {
  const sitemaps = Array.from(placesOf(tree), ({ sitemap }) => sitemap);
  const pages = new Map<Sitemap, number>();
  // Children come after their parents.
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

/** A URL with digits replaced, except those of its host, which tell sites apart. */
function patternOf(url: string): string {
  const [, origin = '', path = url] = /^([a-z]+:\/\/[^/?#]*)(.*)$/is.exec(url) ?? [];
  return origin + withoutNumbers(path);
}

function chooseGroups(
  groups: readonly (readonly Sitemap[])[],
  most: number,
): readonly (readonly Sitemap[])[] {
  if (groups.length <= most) return groups;
  const failed = groups.filter(([first]) => first!.kind === 'invalid' || first!.truncated);
  const rest = groups.filter(([first]) => first!.kind !== 'invalid' && !first!.truncated);
  return [...failed, ...rest].slice(0, most);
}

function rowOf(group: readonly Sitemap[], pages: ReadonlyMap<Sitemap, number>, countOf: Count): Row {
  const first = group[0]!;
  const row: Row = {
    url: clip(group.length === 1 ? first.url : patternOf(first.url), LONGEST_TEXT),
    kind: first.kind,
    count: group.length,
    pages: 0,
    truncated: 0,
    problems: 0,
    sitemaps: [],
    more: 0,
  };
  if (group.length > 1) row.example = clip(first.url, LONGEST_TEXT);
  let newest: Date | undefined;
  const freshness = new Set<Freshness | undefined>();
  for (const sitemap of group) {
    row.pages += pages.get(sitemap)!;
    row.problems += countOf(sitemap).problems;
    if (sitemap.truncated) row.truncated++;
    if (sitemap.bytes !== undefined) row.bytes = (row.bytes ?? 0) + sitemap.bytes;
    const { lastModified } = sitemap;
    if (lastModified !== undefined && (newest === undefined || lastModified > newest)) newest = lastModified;
    const { durationMs } = internalsOf(sitemap).facts ?? {};
    if (durationMs !== undefined) row.durationMs = Math.round((row.durationMs ?? 0) + durationMs);
    freshness.add(sitemap.freshness);
  }
  if (newest !== undefined) row.lastModified = newest.toISOString();
  const [only] = freshness;
  if (freshness.size === 1 && only !== undefined) row.freshness = only;
  if (first.kind === 'invalid') {
    const { code, status, reason } = first;
    row.failure = { code, reason: clip(reason, LONGEST_TEXT), ...(status !== undefined && { status }) };
  }
  return row;
}
