/**
 * Finds out whether two trees are of one site under two hosts, for example of a staging server and of the public site.
 */
import type { Sitemap } from '../sitemap/sitemap.ts';
import { parsedUrl } from '../url.ts';

/** How many pages of each tree are compared. */
const MOST_PAGES = 10_000;

/** Two hosts, with schemes if these differ. */
export interface MovedSite {
  readonly before: string;
  readonly after: string;
}

/** The hosts, if most pages of each tree are on one host, and at least half of the paths there are the same. */
export async function movedSite(before: Sitemap, after: Sitemap): Promise<MovedSite | undefined> {
  const [first, second] = [await mainOrigin(before), await mainOrigin(after)];
  if (first === undefined || second === undefined || first.origin === second.origin) return undefined;
  const same = [...second.paths].filter((path) => first.paths.has(path)).length;
  if (same * 2 < second.paths.size) return undefined;
  const { origin: from } = first;
  const { origin: to } = second;
  const [scheme = '', host = ''] = to.split('//');
  const isOneScheme = from.startsWith(`${scheme}//`);
  return isOneScheme ? { before: from.slice(scheme.length + 2), after: host } : { before: from, after: to };
}

interface OriginPages {
  readonly origin: string;
  readonly paths: ReadonlySet<string>;
}

/** The origin of most pages, with their paths: most sites also list a few pages of others. */
async function mainOrigin(tree: Sitemap): Promise<OriginPages | undefined> {
  const byOrigin = new Map<string, Set<string>>();
  let pages = 0;
  for await (const page of tree.allPages()) {
    const url = parsedUrl(page.url);
    if (url === undefined) continue;
    const paths = byOrigin.get(url.origin) ?? new Set();
    byOrigin.set(url.origin, paths.add(url.pathname + url.search));
    if (++pages === MOST_PAGES) break;
  }
  for (const [origin, paths] of byOrigin) if (paths.size * 2 > pages) return { origin, paths };
  return undefined;
}
