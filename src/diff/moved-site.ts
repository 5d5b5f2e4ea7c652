/** Whether two trees are of one site under two hosts: a staging server and the public site, say. */
import type { Sitemap } from '../sitemap/sitemap.ts';
import { parsedUrl } from '../url.ts';

/** So many pages of each tree are looked at. */
const MOST_PAGES = 10_000;

/** Two hosts, with schemes where these differ. */
export interface MovedSite {
  readonly before: string;
  readonly after: string;
}

/** The hosts, where all pages of each tree are on one, and at least half of the paths are the same. */
export async function movedSite(before: Sitemap, after: Sitemap): Promise<MovedSite | undefined> {
  const [first, second] = [await placesOf(before), await placesOf(after)];
  const [from = ''] = first.origins;
  const [to = ''] = second.origins;
  if (first.origins.size !== 1 || second.origins.size !== 1 || from === to) return undefined;
  const same = [...second.paths].filter((path) => first.paths.has(path)).length;
  if (same * 2 < second.paths.size) return undefined;
  const [scheme = '', host = ''] = to.split('//');
  const isOneScheme = from.startsWith(`${scheme}//`);
  return isOneScheme ? { before: from.slice(scheme.length + 2), after: host } : { before: from, after: to };
}

async function placesOf(tree: Sitemap): Promise<{ origins: Set<string>; paths: Set<string> }> {
  const [origins, paths] = [new Set<string>(), new Set<string>()];
  for await (const page of tree.allPages()) {
    const url = parsedUrl(page.url);
    if (url === undefined) continue;
    origins.add(url.origin);
    paths.add(url.pathname + url.search);
    if (origins.size > 1 || paths.size === MOST_PAGES) break;
  }
  return { origins, paths };
}
