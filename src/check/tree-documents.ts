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
  /** The keys of the URLs that lead to it, each once. */
  readonly keys: readonly string[];
  /** The hosts and the origins whose robots.txt declares it, or an index above it. */
  readonly declaredBy: ReadonlySet<string>;
}

/** A document whose places are not all known. There may be 50,000 of them: they share the set of their hosts. */
interface Known extends TreeDocument {
  readonly keys: string[];
  declaredBy: ReadonlySet<string>;
}

const NO_HOSTS: ReadonlySet<string> = new Set();

/** Collects the documents of a tree, in its order. */
export function documentsOf(top: Sitemap, topName: string | undefined): TreeDocument[] {
  const documents = new Map<KeptDocument | string, Known>();
  /** The hosts above the children of each node that has any. */
  const below = new Map<Sitemap, ReadonlySet<string>>();
  for (const { sitemap, parent } of walkTree(top)) {
    const hosts = (parent === undefined ? undefined : below.get(parent)) ?? NO_HOSTS;
    if (sitemap.subSitemaps.length > 0) below.set(sitemap, hostsBelow(sitemap, hosts));
    const document = partsOf(sitemap).facts?.document;
    if (document === undefined) continue;
    const key = sitemap.url === '' ? document : documentKey(sitemap.url);
    const name = (sitemap === top ? topName : undefined) ?? sitemap.url;
    const known = documents.get(key) ?? { sitemap, document, name, keys: [], declaredBy: hosts };
    documents.set(key, known);
    for (const url of [sitemap.url, sitemap.declaredUrl]) if (url) addKey(known.keys, documentKey(url));
    if (known.declaredBy !== hosts) known.declaredBy = new Set([...known.declaredBy, ...hosts]);
  }
  return [...documents.values()];
}

function addKey(keys: string[], key: string): void {
  if (!keys.includes(key)) keys.push(key);
}

/** The hosts above the children of a node. */
function hostsBelow(sitemap: Sitemap, inherited: ReadonlySet<string>): ReadonlySet<string> {
  if (sitemap.kind !== 'robots-txt') return inherited;
  const urls = [sitemap.url, sitemap.declaredUrl].filter((url) => url !== undefined && URL.canParse(url));
  return new Set([
    ...inherited,
    ...urls.map((url) => new URL(url!)).flatMap(({ host, origin }) => [host, origin]),
  ]);
}

/** What became of the sitemaps that a node declares, by their keys. */
export function declaredBy({ subSitemaps }: Sitemap): ReadonlyMap<string, DeclaredSitemap> {
  const declared = new Map<string, DeclaredSitemap>();
  /** Most children are of one kind, and nothing else is to be said of them. */
  const plain = new Map<string, DeclaredSitemap>();
  for (const child of subSitemaps) {
    const { kind, url, declaredUrl } = child;
    const failure = child.kind === 'invalid' ? { code: child.code, reason: child.reason } : undefined;
    const redirectedTo = declaredUrl === undefined ? undefined : url;
    const isPlain = failure === undefined && redirectedTo === undefined;
    const state = (isPlain ? plain.get(kind) : undefined) ?? { kind, redirectedTo, failure };
    if (isPlain) plain.set(kind, state);
    declared.set(documentKey(declaredUrl ?? url), state);
  }
  return declared;
}
