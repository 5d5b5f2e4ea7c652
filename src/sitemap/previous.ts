/**
 * An earlier tree of a site, as a later call sees it: the documents that it holds, by their URLs. A document is known
 * by the URL that responded, and by the one that was declared and led there.
 */

import type { PreviousTree } from '../options/options.ts';
import { isIndexKind } from '../parse/model/kinds.ts';
import { SitemapException } from '../problems/errors.ts';
import type { Problem } from '../problems/problem-list.ts';
import { documentKey } from '../url.ts';
import {
  type Closes,
  type FetchFacts,
  isDamage,
  type KeptDocument,
  type KeptValidators,
  type SharedSource,
  treeClosed,
  type UnreadRecord,
} from './kept-document.ts';
import type { DocumentSitemapKind } from './node-fields.ts';
import { internalsOf, isSitemap, type Sitemap, walkTree } from './sitemap.ts';

const OF_THE_PLACE: ReadonlySet<string> = new Set(['too-many-sitemaps', 'stale']);

export class EarlierDocument {
  readonly kind: DocumentSitemapKind;
  /** The URL that responded. */
  readonly url: string;
  readonly document: KeptDocument;
  /** When it was requested: its last good read, unless it was found to be the same later. */
  readonly requestedAt: number;
  /** The first place that shows it. */
  readonly node: Sitemap;
  readonly facts: FetchFacts;
  /** As its indexes declared it, in milliseconds since the epoch. */
  readonly #declaredTimes = new Set<number | undefined>();
  /** The keys of the indexes that declared it; {@link THE_SITE} where it was found without a declaration. */
  readonly parents: Set<string> = new Set();
  /** The URLs that led to it: the one that was declared, at each place. */
  readonly requestedUrls: Set<string> = new Set();
  /** The validators of its own response; undefined where the document is damaged. */
  #ownValidators: Promise<KeptValidators | undefined> | undefined;
  #isIntact: Promise<boolean> | undefined;

  constructor(node: Sitemap, kind: DocumentSitemapKind, document: FetchedDocument) {
    this.node = node;
    this.facts = internalsOf(node).facts ?? {};
    this.kind = kind;
    this.url = node.url;
    this.document = document;
    this.requestedAt = document.requestedAt;
  }

  addPlace(node: Sitemap, parent: Sitemap | undefined): void {
    this.#declaredTimes.add(node.lastModified?.getTime());
    this.requestedUrls.add(node.declaredUrl ?? node.url);
    const { undeclared } = internalsOf(node).facts?.unread ?? {};
    const isFound = parent === undefined || parent.kind === 'website';
    for (const url of undeclared?.parents ?? [isFound ? THE_SITE : parent.url]) {
      this.parents.add(url === THE_SITE ? url : documentKey(url));
    }
  }

  get isIndex(): boolean {
    return isIndexKind(this.kind);
  }

  /** The last time at which this is known to have been the document. */
  get goodAt(): number {
    return this.facts.checkedAt ?? this.requestedAt;
  }

  /** The time that all its indexes declared at its last good read; undefined where there is no such time. */
  get declaredTime(): number | undefined {
    const [time, ...others] = this.#declaredTimes;
    return others.length === 0 ? time : undefined;
  }

  /** The problems of its fetch and, for an index, of its document. */
  get problems(): { readonly kept: readonly Problem[]; readonly count: number } {
    const { problems, problemCount } = internalsOf(this.node);
    const ofDocument = problems.filter(({ code }) => !OF_THE_PLACE.has(code));
    return { kept: ofDocument, count: problemCount - (problems.length - ofDocument.length) };
  }

  /** Whether it can be read; a document in an archive may be damaged. All of it is read for that, once. */
  isIntact(): Promise<boolean> {
    this.#isIntact ??= orDamaged(async () => {
      for (const document of [this.document, ...(this.facts.hops ?? [])]) await document.check?.();
      return true;
    }).then((isIntact) => isIntact ?? false);
    return this.#isIntact;
  }

  /**
   * What to send to ask whether it is still the same; undefined where it is not complete. Only its head is read: where
   * the answer is yes, {@link isIntact} has the last word.
   */
  async validators(): Promise<({ readonly url: string } & KeptValidators) | undefined> {
    if (this.node.truncated) return undefined;
    this.#ownValidators ??= orDamaged(async () => {
      const head = await this.document.head();
      return { etag: headerOf(head, 'etag'), lastModified: headerOf(head, 'last-modified') };
    });
    const headerValidators = await this.#ownValidators;
    return headerValidators && { url: this.url, ...(this.facts.validators ?? headerValidators) };
  }
}

async function orDamaged<Result>(attempt: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** The first header of a name. @param head - status line and headers, each with CRLF behind it */
function headerOf(head: string, name: string): string | undefined {
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (line.slice(0, colon).toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return undefined;
}

/** The parent of robots.txt, of known paths and of what the homepage links to. */
export const THE_SITE = '';

/** The documents of an earlier tree. What they come from stays open until it is closed. */
export class Previous implements Closes {
  /** The URLs right below its top, as they were tried; robots.txt is not one of them. */
  readonly triedUrls: readonly string[];
  /** Where its robots.txt and homepage redirected to. */
  readonly redirectedTo: readonly string[];
  /** How many runs led to it. */
  readonly run: number;
  /** How many places of documents it has that something declares, or that were found. */
  readonly places: number;
  readonly #documents = new Map<string, EarlierDocument>();
  /** What is remembered of the URLs that gave no document, by their keys. */
  readonly #failed = new Map<string, UnreadRecord | undefined>();
  readonly #uses: Closes[] = [];

  /** @throws SitemapException where this is not a tree, or one that is closed */
  constructor(tree: PreviousTree) {
    if (!isSitemap(tree)) {
      throw new SitemapException(
        'The option "previous" must be a sitemap, as sitemapTreeForHomepage, sitemapFromUrl or loadTree of ' +
          'this very package gives it.',
        { code: 'bad-option', option: 'previous' },
      );
    }
    // A tree is closed even where another one keeps its documents open.
    if (internalsOf(tree).top?.isClosed === true) throw treeClosed();
    const aliases: (readonly [string, string])[] = [];
    this.run = internalsOf(tree).top?.run ?? 0;
    let places = 0;
    for (const { sitemap, parent } of walkTree(tree)) {
      if (sitemap.kind === 'invalid') this.#failed.set(documentKey(sitemap.url), unreadOf(sitemap));
      else this.#add(sitemap, parent);
      if (isDocument(sitemap) && unreadOf(sitemap)?.undeclared === undefined) places++;
      if (sitemap.declaredUrl !== undefined) aliases.push([sitemap.declaredUrl, sitemap.url]);
    }
    // What a URL responded with itself comes before what it once led to.
    for (const [from, to] of aliases) {
      const key = documentKey(from);
      const document = this.document(to);
      if (document !== undefined && !this.#documents.has(key)) this.#documents.set(key, document);
    }
    this.places = places;
    this.#keepOpen();
    this.redirectedTo = tree.kind === 'website' ? tree.redirectedTo : [];
    const top = tree.kind === 'website' ? tree.subSitemaps : [];
    this.triedUrls = top
      .filter((node) => isDocument(node) && node.kind !== 'robots-txt')
      .filter((node) => unreadOf(node)?.undeclared === undefined)
      .map(({ url, declaredUrl }) => declaredUrl ?? url);
  }

  #add(node: Sitemap, parent: Sitemap | undefined): void {
    const { kind } = node;
    const document = internalsOf(node).facts?.document;
    if (kind === 'website' || kind === 'invalid' || !isFetched(document)) return;
    const key = documentKey(node.url);
    let earlier = this.#documents.get(key);
    // Two versions of one document are in a tree only if it was requested anew for one of its places.
    if (earlier === undefined || earlier.requestedAt < document.requestedAt) {
      earlier = new EarlierDocument(node, kind, document);
      this.#documents.set(key, earlier);
    }
    earlier.addPlace(node, parent);
  }

  /** Each document once, in the order of the tree. */
  get documents(): ReadonlySet<EarlierDocument> {
    return new Set(this.#documents.values());
  }

  document(url: string): EarlierDocument | undefined {
    return this.#documents.get(documentKey(url));
  }

  /** The keys of the indexes that lead to a document, at any depth. */
  ancestorsOf(document: EarlierDocument): ReadonlySet<string> {
    const keys = new Set<string>();
    const documents = [document];
    for (const { parents } of documents) {
      for (const key of parents) {
        const parent = keys.has(key) ? undefined : this.#documents.get(key);
        keys.add(key);
        if (parent !== undefined) documents.push(parent);
      }
    }
    return keys;
  }

  /** Whether the tree has a place for a URL, with any outcome. */
  isKnown(url: string): boolean {
    return this.#failed.has(documentKey(url)) || this.document(url) !== undefined;
  }

  unread(url: string): UnreadRecord | undefined {
    return this.document(url)?.facts.unread ?? this.#failed.get(documentKey(url));
  }

  /** @throws SitemapException with code `tree-closed` */
  #keepOpen(): void {
    const sources = new Set<SharedSource>();
    for (const { document, facts } of this.documents)
      for (const { shared } of [document, ...(facts.hops ?? [])]) sources.add(shared);
    try {
      for (const source of sources) this.#uses.push(source.use());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    for (const use of this.#uses.splice(0)) use.close();
  }
}

type FetchedDocument = KeptDocument & { readonly requestedAt: number };

function isFetched(document: KeptDocument | undefined): document is FetchedDocument {
  return document?.requestedAt !== undefined;
}

function isDocument({ kind }: Sitemap): boolean {
  return kind !== 'website' && kind !== 'invalid';
}

function unreadOf(node: Sitemap): UnreadRecord | undefined {
  return internalsOf(node).facts?.unread;
}
