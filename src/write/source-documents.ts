/** The documents of the trees that are repaired: their addresses, and which index lists which of them. */
import { documentsOf, type TreeDocument } from '../check/check-tree.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import { FairShare } from '../runtime/time.ts';
import { type Sitemap, walkTree } from '../sitemap/sitemap.ts';
import { documentKey, webUrl } from '../url.ts';
import { addressesOfFiles } from './file-addresses.ts';

/** What is read: a tree, and what its document is called where it came from a file. */
export interface RepairInput {
  readonly tree: Sitemap;
  readonly fileName?: string | undefined;
}

export interface SourceDocument extends TreeDocument {
  /** Its URL, or the URL by which an index among the inputs lists it. */
  readonly address: string;
}

export class SourceDocuments {
  /** Indexes and sitemaps of pages, in the order of the inputs. */
  readonly all: readonly SourceDocument[];
  readonly #inputs: readonly RepairInput[];
  readonly #bySitemap: ReadonlyMap<Sitemap, SourceDocument>;
  readonly #byKey: ReadonlyMap<string, SourceDocument>;

  static async of(inputs: readonly RepairInput[], signal: AbortSignal | undefined): Promise<SourceDocuments> {
    const pace = { share: new FairShare(), signal };
    const documents: TreeDocument[] = [];
    for (const { tree, fileName } of inputs) documents.push(...(await documentsOf(tree, fileName, pace)));
    return new SourceDocuments(inputs, documents);
  }

  private constructor(inputs: readonly RepairInput[], documents: readonly TreeDocument[]) {
    this.#inputs = inputs;
    const isFile = ({ sitemap }: TreeDocument): boolean => webUrl(sitemap.url) === undefined;
    const addresses = addressesOfFiles(documents.filter(isFile), this.#unfetched);
    this.all = documents
      .filter(({ sitemap }) => sitemap.kind === 'index-xml' || isPagesKind(sitemap.kind))
      .map((document) => {
        if (!isFile(document)) return { ...document, address: document.sitemap.url };
        const address = addresses.get(document) ?? document.name;
        return { ...document, address, keys: [...document.keys, documentKey(address)] };
      });
    this.#bySitemap = new Map(this.all.map((each) => [each.sitemap, each]));
    this.#byKey = new Map(this.all.flatMap((each) => each.keys.map((key) => [key, each] as const)));
  }

  /** What indexes list and no input has, of indexes that were read without a network. */
  get notFetched(): readonly string[] {
    return this.#unfetched.map(({ url }) => url).filter((url) => !this.#byKey.has(documentKey(url)));
  }

  get #unfetched(): readonly Sitemap[] {
    return this.#inputs
      .flatMap(({ tree }) => tree.subSitemaps)
      .filter((child) => child.kind === 'invalid' && child.code === 'not-fetched');
  }

  /** The addresses of what could not be read, and is not among the documents by another way. */
  get unreadAddresses(): readonly string[] {
    const addresses = new Map<string, string>();
    for (const { sitemap } of this.#inputs.flatMap(({ tree }) => [...walkTree(tree)])) {
      const key = documentKey(sitemap.url);
      const isUnread = sitemap.kind === 'invalid' && webUrl(sitemap.url) !== undefined;
      if (isUnread && !this.#byKey.has(key)) addresses.set(key, sitemap.url);
    }
    return [...addresses.values()];
  }

  /** The keys of the URLs that a robots.txt declares. */
  get declaredKeys(): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const { tree } of this.#inputs) {
      for (const { sitemap, parent } of walkTree(tree)) {
        if (parent?.kind !== 'robots-txt') continue;
        for (const url of [sitemap.url, sitemap.declaredUrl]) if (url) keys.add(documentKey(url));
      }
    }
    return keys;
  }

  /** The documents below an index, each once, in order; also those that are inputs themselves. */
  *below(
    index: SourceDocument,
    seen: Set<SourceDocument> = new Set([index]),
  ): Generator<SourceDocument, void, undefined> {
    for (const { sitemap } of walkTree(index.sitemap)) {
      const child = this.#sourceOf(sitemap);
      if (child === undefined || seen.has(child)) continue;
      seen.add(child);
      yield child;
      if (child.sitemap !== sitemap) yield* this.below(child, seen);
    }
  }

  /** The URLs by which an index lists itself, or an index above it. */
  recursionsOf(index: SourceDocument): readonly string[] {
    return index.sitemap.subSitemaps
      .filter((child) => {
        const isRecursion = child.kind === 'invalid' && child.code === 'recursion';
        return isRecursion || this.#sourceOf(child) === index;
      })
      .map(({ url }) => url);
  }

  /** Each index with the one that lists it, directly or not; without one where something else declares it, too. */
  topsOf(indexes: readonly SourceDocument[]): ReadonlyMap<SourceDocument, SourceDocument | undefined> {
    const listedDocuments = new Set<SourceDocument>();
    const declared = new Set<SourceDocument>();
    for (const { tree } of this.#inputs) {
      for (const { sitemap, parent } of walkTree(tree)) {
        const source = this.#sourceOf(sitemap);
        if (source === undefined || parent === undefined || this.#sourceOf(parent) === source) continue;
        (parent.kind === 'index-xml' ? listedDocuments : declared).add(source);
      }
    }
    const tops = new Map<SourceDocument, SourceDocument | undefined>();
    const take = (top: SourceDocument): void => {
      tops.set(top, undefined);
      for (const each of this.below(top)) if (!tops.has(each)) tops.set(each, top);
    };
    const isTop = (each: SourceDocument): boolean => declared.has(each) || !listedDocuments.has(each);
    for (const each of indexes.filter(isTop)) take(each);
    // Indexes that list each other.
    for (const each of indexes) if (!tops.has(each)) take(each);
    return new Map(indexes.map((each) => [each, tops.get(each)]));
  }

  #sourceOf(sitemap: Sitemap): SourceDocument | undefined {
    const source = this.#bySitemap.get(sitemap);
    if (source !== undefined) return source;
    const keys = [sitemap.url, sitemap.declaredUrl].flatMap((url) => (url ? documentKey(url) : []));
    return keys.map((key) => this.#byKey.get(key)).find((other) => other !== undefined);
  }
}

/** Whether something below one of the documents could not be read. */
export function hasUnread(documents: readonly SourceDocument[]): boolean {
  const below = documents.flatMap(({ sitemap }) => [...walkTree(sitemap)]);
  return below.some(({ sitemap }) => sitemap.kind === 'invalid');
}
