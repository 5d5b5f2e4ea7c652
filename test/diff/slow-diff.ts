/**
 * The rule of settled documents (specification §11.3), slow and obvious: every question is answered by looking through
 * the whole tree again. It shares no code with the comparison.
 */
import { internalsOf, type Sitemap, walkTree } from '../../src/sitemap/sitemap.ts';

export interface SlowDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly same: readonly string[];
  readonly unknown: readonly string[];
}

type Side = 'before' | 'after';
interface Tree {
  readonly top: Sitemap;
  readonly side: Side;
}
/** A document is the set of URLs by which a tree knows it. */
interface Declaration {
  readonly sitemap: Sitemap;
  readonly date: number | undefined;
}

export function slowDiff(earlier: Sitemap, later: Sitemap): SlowDiff {
  const before: Tree = { top: earlier, side: 'before' };
  const after: Tree = { top: later, side: 'after' };
  const was = declarations(before);
  const is = declarations(after);
  const diff = { added: [], removed: [], changed: [], same: [], unknown: [] } as Record<
    keyof SlowDiff,
    string[]
  >;
  const settledInAfter = ({ sitemap }: Declaration) => isSettled(sitemap, before, after, []);
  const settledInBefore = ({ sitemap }: Declaration) => isSettled(sitemap, after, before, []);
  for (const [url, listed] of is) {
    const first = was.get(url)?.[0];
    if (first === undefined) diff[listed.every(settledInBefore) ? 'added' : 'unknown'].push(url);
    else if (!settledInAfter(first) || !settledInBefore(listed[0]!)) diff.unknown.push(url);
    else diff[first.date === listed[0]!.date ? 'same' : 'changed'].push(url);
  }
  for (const [url, listed] of was) {
    if (!is.has(url)) diff[listed.every(settledInAfter) ? 'removed' : 'unknown'].push(url);
  }
  return diff;
}

function declarations({ top }: Tree): Map<string, Declaration[]> {
  const found = new Map<string, Declaration[]>();
  for (const { sitemap } of walkTree(top)) {
    for (const page of sitemap.pages) {
      const list = found.get(page.url) ?? [];
      list.push({ sitemap, date: page.lastModified?.getTime() });
      found.set(page.url, list);
    }
  }
  return found;
}

/** Whether the document of a sitemap of one tree is settled in the other tree. */
function isSettled(sitemap: Sitemap, here: Tree, there: Tree, asked: readonly string[]): boolean {
  if (asked.includes(sitemap.url)) return true;
  const places = [...walkTree(here.top)].filter((place) => place.sitemap.url === sitemap.url);
  const urls = new Set(
    places.flatMap((place) => [place.sitemap.url, place.sitemap.declaredUrl ?? sitemap.url]),
  );
  const verdicts = [...urls]
    .map((url) => isUrlSettled(url, there, Math.max(...places.map((place) => goodAt(place.sitemap)))))
    .filter((verdict) => verdict !== undefined);
  if (verdicts.length > 0) return verdicts.every((verdict) => verdict);
  const isParentSettled = (parent: Sitemap | undefined): boolean =>
    parent !== undefined &&
    parent.kind !== 'website' &&
    isSettled(parent, here, there, [...asked, sitemap.url]);
  return places.every((place) => {
    // What nothing declares any more is below the site, and belongs to the indexes that declared it.
    const { undeclared } = internalsOf(place.sitemap).facts?.unread ?? {};
    if (undeclared === undefined) return isParentSettled(place.parent);
    const nodes = [...walkTree(here.top)].map((each) => each.sitemap);
    const former = nodes.filter(({ url }) => undeclared.parents.includes(url));
    return former.every(isParentSettled);
  });
}

/** When a document was last known to be what a tree shows; what has no date says nothing about that. */
function goodAt(sitemap: Sitemap): number {
  const { checkedAt, document } = internalsOf(sitemap).facts ?? {};
  return checkedAt ?? document?.requestedAt ?? (sitemap.freshness === 'stale' ? -1 : 0);
}

/** Whether all is known of what a URL says; undefined where the tree has nothing to do with the URL. */
function isUrlSettled(url: string, { top, side }: Tree, since: number): boolean | undefined {
  const nodes = [...walkTree(top)].map(({ sitemap }) => sitemap);
  const here = nodes.filter(
    (node) => node.kind !== 'website' && (node.url === url || node.declaredUrl === url),
  );
  const tried = top.kind === 'website' ? top.triedPaths.filter((path) => path.url === url) : [];
  const isFiltered = nodes.some(({ filteredUrls }) => filteredUrls.includes(url));
  const isPointer = (node: Sitemap) => node.kind === 'invalid' && node.code === 'recursion';
  const isGone = ({ code, status }: { code?: string | undefined; status?: number | undefined }) =>
    code === 'http-status' && (status === 404 || status === 410);
  const real = here.filter((node) => !isPointer(node));
  if (real.some((node) => node.kind !== 'invalid' && isWhole(node))) {
    const isFresh = real.some(
      (node) =>
        node.kind !== 'invalid' &&
        isWhole(node) &&
        (node.freshness !== 'stale' || (side === 'after' && goodAt(node) >= since)),
    );
    return isFresh || side === 'before';
  }
  if (real.some((node) => node.kind === 'invalid' && isGone(node)) || tried.some(isGone)) return true;
  if (real.length > 0 || isFiltered || tried.some(({ code }) => code !== undefined)) return false;
  if (here.length > 0) return true;
  if (tried.length > 0) return top.stopped?.limit !== 'maxSitemaps';
  return undefined;
}

function isWhole(node: Sitemap): boolean {
  return !node.truncated && !node.problems.some(({ code }) => code === 'too-many-sitemaps');
}
