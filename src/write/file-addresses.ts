/** Local files and the addresses that indexes among the inputs list: which file is which sitemap. */
import { documentKey, parsedUrl, unescaped } from '../url.ts';

interface ChildSitemap {
  readonly url: string;
}

interface NamedFile {
  readonly name: string;
  readonly sitemap: { readonly subSitemaps: readonly ChildSitemap[] };
}

interface Pair {
  readonly file: NamedFile;
  readonly url: string;
  /** How many segments of the paths are the same, from the end. */
  readonly score: number;
}

/**
 * Which of the addresses that indexes list belongs to which file: the one whose path ends like that of the file. What
 * is not clear stays open: two files that could be the same sitemap, or two sitemaps of which there is one file. A file
 * is not what it lists itself, unless {@link isOwnAddress}.
 *
 * @param listed - what was not fetched
 */
export function addressesOfFiles(
  files: readonly NamedFile[],
  listed: readonly ChildSitemap[],
): ReadonlyMap<NamedFile, string> {
  const addresses = new Map<NamedFile, string>();
  const decided = new Set<NamedFile | string>();
  const pairs = pairsOf(files, listed);
  const scores = [...new Set(pairs.map(({ score }) => score))].sort((a, b) => b - a);
  for (const level of scores) {
    const open = pairs.filter(
      ({ file, url, score }) => score === level && !decided.has(file) && !decided.has(url),
    );
    const times = new Map<NamedFile | string, number>();
    for (const { file, url } of open)
      for (const each of [file, url]) times.set(each, (times.get(each) ?? 0) + 1);
    for (const { file, url } of open) {
      if (times.get(file) === 1 && times.get(url) === 1) addresses.set(file, url);
      decided.add(file).add(url);
    }
  }
  return addresses;
}

function pairsOf(files: readonly NamedFile[], listed: readonly ChildSitemap[]): readonly Pair[] {
  const urls = new Map(listed.map(({ url }) => [documentKey(url), url]));
  const byEnd = new Map<string, { readonly url: string; readonly segments: readonly string[] }[]>();
  for (const url of urls.values()) {
    for (const segments of pathsOf(url)) {
      const end = segments.at(-1)!;
      const sameEnd = byEnd.get(end);
      if (sameEnd === undefined) byEnd.set(end, [{ url, segments }]);
      else sameEnd.push({ url, segments });
    }
  }
  return files.flatMap((file) => {
    const children = new Set(file.sitemap.subSitemaps.map(({ url }) => documentKey(url)));
    const segments = file.name.split(/[\\/]/);
    return (byEnd.get(segments.at(-1)!) ?? [])
      .filter(({ url }) => !children.has(documentKey(url)) || isOwnAddress(url, file.sitemap.subSitemaps))
      .map((each) => ({ file, url: each.url, score: commonEnd(segments, each.segments) }));
  });
}

/**
 * Whether an index that lists the address of its own name lists itself: at the root of a host that has all that it
 * lists. Else `/sitemap.xml` could list `/blog/sitemap.xml`, or that of another host.
 */
function isOwnAddress(address: string, listed: readonly ChildSitemap[]): boolean {
  const url = parsedUrl(address);
  if (url === undefined || listed.length < 2 || url.pathname.lastIndexOf('/') !== 0) return false;
  return listed.every((each) => parsedUrl(each.url)?.origin === url.origin);
}

/** The segments of an address as a file may be called: with its query, where it has one, and without. */
function pathsOf(address: string): readonly (readonly string[])[] {
  const url = parsedUrl(address);
  if (url === undefined) return [];
  const segments = [url.host, ...url.pathname.slice(1).split('/').map(unescaped)];
  if (segments.at(-1) === '') return [];
  const withQuery = [...segments.slice(0, -1), `${segments.at(-1)}${url.search}`];
  return url.search === '' ? [segments] : [withQuery, segments];
}

function commonEnd(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  while (count < one.length && one.at(-1 - count) === other.at(-1 - count)) count++;
  return count;
}
