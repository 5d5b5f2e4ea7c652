/**
 * The rule of settled documents (specification §11.3), which decides what a comparison may report.
 *
 * A document is settled in a tree if that tree knows everything that the document lists there:
 *
 * 1. it was read to its end (a stale one only if its last good read is not older than that of the other tree),
 * 2. or it responded with 404 or 410,
 * 3. or nothing in the tree declares it, while every index that leads to it in the other tree is settled in this one.
 *
 * In all other cases (a failure, a limit, a filter, a path that was not tried) the tree does not know what it lists.
 *
 * A site and a single sitemap have different documents. There, one that the other tree does not declare is settled if
 * all of that tree was read.
 *
 * The keys of a document are the URL by which it is declared, and the one that it redirects to. robots.txt and the
 * known paths are tried, not declared, so rule 3 does not apply to them: a path that was not tried is not settled.
 */

import { isPagesKind } from '../parse/model/kinds.ts';
import { isMissing } from '../problems/catalogue.ts';
import type { TriedPath } from '../sitemap/node-fields.ts';
import type { PageSource } from '../sitemap/page-source.ts';
import { THE_SITE } from '../sitemap/previous.ts';
import { type AbstractSitemap, internalsOf, type Sitemap, walkTree } from '../sitemap/sitemap.ts';
import { documentKey } from '../url.ts';

export type Side = 'before' | 'after';

/**
 * What a tree knows of a document. `read`: all of it. `stale`: all of an earlier version. `gone`: 404 or 410. `unread`:
 * not all of it, for any reason.
 */
export type DocumentState = 'read' | 'stale' | 'gone' | 'unread';

interface DocumentKnowledge {
  readonly state: DocumentState;
  /** When this was last known, in milliseconds since the epoch. */
  readonly goodAt: number;
}

interface DescribedDocument {
  /** The keys under which the other tree may know it. */
  readonly keys: Set<string>;
  /** The numbers of the indexes that declare it. */
  readonly parents: Set<number>;
  /** Whether it was tried although nothing declares it, as robots.txt and known paths are. */
  isTried: boolean;
  /** When it was last known to be what the tree shows, in milliseconds since the epoch. */
  goodAt: number;
}

export interface TreeDescription {
  readonly side: Side;
  readonly documents: readonly DescribedDocument[];
  /** What the tree knows of each URL that it declares or tried, by its key. */
  readonly states: ReadonlyMap<string, DocumentKnowledge>;
  /** Whether it is a site, not a single sitemap; undefined where there is no tree. */
  readonly isSite: boolean | undefined;
  /** Whether all of it was read. */
  readonly isWhole: boolean;
}

/**
 * Whether each document of a tree is settled in the other tree, by number.
 *
 * @param tree - the tree that has the documents
 * @param other - the tree in which they are settled or not
 */
export function settledDocuments(tree: TreeDescription, other: TreeDescription): readonly boolean[] {
  const { documents } = tree;
  const verdicts = documents.map((document) => isSettledThere(document, other));
  const children: number[][] = documents.map(() => []);
  for (const [number, { parents }] of documents.entries()) {
    for (const parent of parents) children[parent]?.push(number);
  }
  // Rule 3, from the indexes down: a document that only an unsettled index leads to is not settled either. Indexes may
  // list each other, so this follows the documents that are not settled, each once.
  const isMixed = tree.isSite !== undefined && other.isSite !== undefined && tree.isSite !== other.isSite;
  const settled = documents.map(
    ({ isTried }, number) => verdicts[number] ?? (isMixed ? other.isWhole : !isTried),
  );
  const open = [...settled.keys()].filter((number) => !settled[number]);
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    for (const child of children[number] ?? []) {
      if (verdicts[child] !== undefined || !settled[child]) continue;
      settled[child] = false;
      open.push(child);
    }
  }
  return settled;
}

/** Rules 1 and 2: whether a document is settled in a tree; undefined if nothing there declares it. */
function isSettledThere(
  { keys, goodAt }: DescribedDocument,
  { states, side }: TreeDescription,
): boolean | undefined {
  const there = Array.from(keys, (key) => states.get(key)).filter((state) => state !== undefined);
  // A document may have two keys in the tree: it is settled only under both.
  const isSettled = (state: DocumentKnowledge): boolean =>
    state.state === 'stale'
      ? side === 'before' || state.goodAt >= goodAt
      : state.state === 'read' || state.state === 'gone';
  return there.length === 0 ? undefined : there.every(isSettled);
}

export interface PageDocument {
  readonly sitemap: Sitemap;
  readonly source: PageSource;
  /** Its number in the description. */
  readonly document: number;
  readonly side: Side;
  /** Its number among the documents with pages of its tree. */
  readonly place: number;
}

/** The key of the top of a tree that is one sitemap: two files are compared even if their names differ. */
const TOP = 'top';

/** A tree as a comparison sees it: its documents for the rule of settled documents, and its page lists. */
export class ComparedTree implements TreeDescription {
  readonly side: Side;
  readonly documents: DescribedDocument[] = [];
  readonly states: Map<string, DocumentKnowledge> = new Map();
  /** The documents that list pages, each once, in the order of the tree. */
  readonly pageDocuments: PageDocument[] = [];
  readonly isSite: boolean | undefined;
  readonly isWhole: boolean = false;
  readonly #numbers = new Map<string, number>();
  readonly #sources = new Set<PageSource>();

  /** @param damaged - the sitemaps whose documents cannot be read */
  constructor(top: Sitemap | undefined, side: Side, damaged: ReadonlySet<Sitemap>) {
    this.side = side;
    if (top === undefined) return;
    /** The keys of documents that the tree has at another place, or under another URL. */
    const elsewhere: string[] = [];
    for (const { sitemap, parent } of walkTree(top)) {
      this.#add(sitemap, parent, damaged.has(sitemap));
      if (isElsewhere(sitemap)) elsewhere.push(...keysOf(sitemap, parent));
    }
    for (const path of top.kind === 'website' ? top.triedPaths : []) {
      const key = documentKey(path.url);
      if (path.code !== undefined) this.#note(key, { state: failedState(path), goodAt: 0 });
      else if (top.stopped?.limit === 'maxSitemaps') this.#note(key, UNREAD);
      // A tried path whose sitemap is not below the root leads to a declared one.
      else elsewhere.push(key);
    }
    for (const key of elsewhere)
      if (!this.states.has(key)) this.states.set(key, { state: 'read', goodAt: 0 });
    this.isSite = top.kind === 'website';
    this.isWhole =
      top.kind === 'website'
        ? top.complete && damaged.size === 0
        : [...this.states.values()].every(({ state }) => state !== 'unread');
  }

  #add(sitemap: Sitemap, parent: Sitemap | undefined, isDamaged: boolean): void {
    const { facts, source } = internalsOf(sitemap);
    for (const url of sitemap.filteredUrls) this.#note(documentKey(url), UNREAD);
    if (sitemap.kind === 'website') return;
    const unknownTime = sitemap.freshness === 'stale' ? -1 : 0;
    const goodAt = facts?.checkedAt ?? facts?.document?.requestedAt ?? unknownTime;
    const state = { state: isDamaged ? 'unread' : stateOf(sitemap), goodAt } as const;
    const number = this.#numberOf(sitemap);
    const document = this.documents[number]!;
    for (const key of keysOf(sitemap, parent)) {
      document.keys.add(key);
      if (!isElsewhere(sitemap)) this.#note(key, state);
    }
    document.goodAt = Math.max(document.goodAt, goodAt);
    const { undeclared } = facts?.unread ?? {};
    for (const url of undeclared?.parents ?? []) {
      if (url !== THE_SITE) document.parents.add(this.#numberOf({ url }));
    }
    if (parent?.kind === 'website') document.isTried ||= undeclared === undefined;
    else if (parent !== undefined) document.parents.add(this.#numberOf(parent));
    if (!isPagesKind(sitemap.kind) || isDamaged || this.#sources.has(source)) return;
    this.#sources.add(source);
    const place = this.pageDocuments.length;
    this.pageDocuments.push({ sitemap, source, document: number, side: this.side, place });
  }

  /** Notes what is known under a key. If a document was read at one place, a failure at another does not matter. */
  #note(key: string, state: DocumentKnowledge): void {
    const before = this.states.get(key);
    if (before !== undefined && KNOWLEDGE.indexOf(before.state) <= KNOWLEDGE.indexOf(state.state)) return;
    this.states.set(key, state);
  }

  /** The number of the document of a sitemap: all places with the same final URL have the same number. */
  #numberOf({ url }: Pick<AbstractSitemap, 'url'>): number {
    const key = documentKey(url);
    const number = this.#numbers.get(key);
    if (number !== undefined) return number;
    this.#numbers.set(key, this.documents.length);
    return this.documents.push({ keys: new Set(), parents: new Set(), isTried: false, goodAt: -1 }) - 1;
  }
}

const UNREAD: DocumentKnowledge = { state: 'unread', goodAt: 0 };

/** From the state that tells most to the one that tells least. */
const KNOWLEDGE: readonly DocumentState[] = ['read', 'stale', 'gone', 'unread'];

function stateOf(sitemap: Sitemap): DocumentState {
  if (sitemap.kind === 'invalid') return failedState(sitemap);
  if (sitemap.truncated || hasChildrenLeftOut(sitemap)) return 'unread';
  return sitemap.freshness === 'stale' ? 'stale' : 'read';
}

function keysOf({ url, declaredUrl }: Sitemap, parent: Sitemap | undefined): readonly string[] {
  const keys = [url, declaredUrl].filter((each) => each !== undefined).map(documentKey);
  return parent === undefined ? [...keys, TOP] : keys;
}

function isElsewhere(sitemap: Sitemap): boolean {
  return sitemap.kind === 'invalid' && sitemap.code === 'recursion';
}

function failedState(failure: Pick<TriedPath, 'code' | 'status'>): DocumentState {
  return isMissing(failure) ? 'gone' : 'unread';
}

/** Whether a limit left children of an index out of the tree. */
function hasChildrenLeftOut(sitemap: Sitemap): boolean {
  return internalsOf(sitemap).problems.some(({ code }) => code === 'too-many-sitemaps');
}
