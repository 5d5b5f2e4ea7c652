/** From a tree to what a check needs of it: its documents, each once, and what became of what they declare. */
import type { KeptDocument } from '../sitemap/kept-document.ts';
import { partsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { walkTree } from '../sitemap/walk-tree.ts';
import { documentKey } from '../url.ts';
import type { DeclaredSitemap } from './site.ts';

/** A document of a tree, at the first place where the tree has it. */
export interface TreeDocument {
  readonly sitemap: Sitemap;
  readonly document: KeptDocument;
  /** What findings call it. */
  readonly name: string;
  /** The keys of the URLs that lead to it. */
  readonly keys: Set<string>;
  /** The hosts and the origins whose robots.txt declares it, or an index above it. */
  readonly declaredBy: Set<string>;
}

/** Collects the documents of a tree, in its order. */
export function documentsOf(top: Sitemap, topName: string | undefined): TreeDocument[] {
  const documents = new Map<KeptDocument | string, TreeDocument>();
  /** The hosts above each node, those of the top being none. */
  const above = new Map<Sitemap, ReadonlySet<string>>();
  for (const { sitemap, parent } of walkTree(top)) {
    const hosts = hostsAbove(parent, above);
    above.set(sitemap, hosts);
    const document = partsOf(sitemap).facts?.document;
    if (document === undefined) continue;
    const key = sitemap.url === '' ? document : documentKey(sitemap.url);
    const name = (sitemap === top ? topName : undefined) ?? sitemap.url;
    const known = documents.get(key) ?? { sitemap, document, name, keys: new Set(), declaredBy: new Set() };
    documents.set(key, known);
    for (const url of [sitemap.url, sitemap.declaredUrl]) if (url) known.keys.add(documentKey(url));
    for (const host of hosts) known.declaredBy.add(host);
  }
  return [...documents.values()];
}

function hostsAbove(
  parent: Sitemap | undefined,
  above: ReadonlyMap<Sitemap, ReadonlySet<string>>,
): ReadonlySet<string> {
  if (parent === undefined) return new Set();
  const inherited = above.get(parent) ?? new Set();
  if (parent.kind !== 'robots-txt') return inherited;
  const urls = [parent.url, parent.declaredUrl].filter((url) => url !== undefined && URL.canParse(url));
  return new Set([
    ...inherited,
    ...urls.map((url) => new URL(url!)).flatMap(({ host, origin }) => [host, origin]),
  ]);
}

/** What became of the sitemaps that a node declares, by their keys. */
export function declaredBy({ subSitemaps }: Sitemap): ReadonlyMap<string, DeclaredSitemap> {
  const declared = new Map<string, DeclaredSitemap>();
  for (const child of subSitemaps) {
    const { kind, url, declaredUrl } = child;
    const failure = child.kind === 'invalid' ? { code: child.code, reason: child.reason } : undefined;
    const redirectedTo = declaredUrl === undefined ? undefined : url;
    declared.set(documentKey(declaredUrl ?? url), { kind, redirectedTo, failure });
  }
  return declared;
}
