/**
 * The rule of settled documents (specification §11.3), which decides what a comparison may claim.
 *
 * A document is settled in a tree if that tree knows all that the document says there:
 *
 * 1. it was read to its end (a stale one only if its last good read is not older than that of the other tree),
 * 2. or it responded with 404 or 410,
 * 3. or nothing in the tree declares it, while every index that leads to it in the other tree is settled in this one.
 *
 * Everything else, a failure, a limit, a filter, a path that was not tried, leaves it open what the document says.
 *
 * A document is known by its keys: the URL by which it is declared, and the one that it redirects to. robots.txt and
 * the known paths are tried, not declared, so rule 3 does not apply to them: what was not tried is not settled.
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
 * What a tree knows of a document. `read`: all of it. `stale`: all that it said at an earlier time. `gone`: 404 or 410.
 * `unread`: not all of it, for whatever reason.
 */
export type DocumentState = 'read' | 'stale' | 'gone' | 'unread';

interface DocumentKnowledge {
  readonly state: DocumentState;
  /** When it was last known to say this, in milliseconds since the epoch. */
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
  /** What is known of each URL that is declared in the tree or was tried, by its key. */
  readonly states: ReadonlyMap<string, DocumentKnowledge>;
}

/**
 * Which documents of a tree are settled in the other one, by their numbers.
 *
 * @param tree - the tree whose documents are asked about
 * @param other - the tree in which they are settled or not
 */
export function settledDocuments(tree: TreeDescription, other: TreeDescription): readonly boolean[] {
  const { documents } = tree;
  const verdicts = documents.map((document) => isSettledThere(document, other));
  const children: number[][] = documents.map(() => []);
  for (const [number, { parents }] of documents.entries()) {
    for (const parent of parents) children[parent]?.push(number);
  }
  // Rule 3, from the indexes down: whatever only an unsettled index leads to is not settled either. Indexes may list
  // each other, so this follows the documents that are not settled, each once.
  const settled = documents.map(({ isTried }, number) => verdicts[number] ?? !isTried);
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

/** Rules 1 and 2: whether a document is settled in a tree; undefined where nothing there declares it. */
function isSettledThere(
  { keys, goodAt }: DescribedDocument,
  { states, side }: TreeDescription,
): boolean | undefined {
  const there = Array.from(keys, (key) => states.get(key)).filter((state) => state !== undefined);
  // A document may be declared under one key and found under another: if either is open, what it says is open.
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

/** The key of the top of a tree that is one sitemap: two files are compared whatever their names are. */
const TOP = 'top';

/** What a comparison needs of a tree: its documents for the rule of settled documents, and its page lists. */
export class ComparedTree implements TreeDescription {
  readonly side: Side;
  readonly documents: DescribedDocument[] = [];
  readonly states: Map<string, DocumentKnowledge> = new Map();
  /** Each document that lists pages once, in the order of the tree. */
  readonly pageDocuments: PageDocument[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #sources = new Set<PageSource>();

  /** @param damaged - the sitemaps whose documents cannot be read: nothing is known of these */
  constructor(top: Sitemap | undefined, side: Side, damaged: ReadonlySet<Sitemap>) {
    this.side = side;
    if (top === undefined) return;
    /** The keys of what leads to a document that the tree has at another place, or under another URL. */
    const elsewhere: string[] = [];
    for (const { sitemap, parent } of walkTree(top)) {
      this.#add(sitemap, parent, damaged.has(sitemap));
      if (isElsewhere(sitemap)) elsewhere.push(...keysOf(sitemap, parent));
    }
    for (const path of top.kind === 'website' ? top.triedPaths : []) {
      const key = documentKey(path.url);
      if (path.code !== undefined) this.#note(key, { state: failedState(path), goodAt: 0 });
      else if (top.stopped?.limit === 'maxSitemaps') this.#note(key, UNREAD);
      // One that gave a sitemap which is not below the root leads to one that is declared.
      else elsewhere.push(key);
    }
    for (const key of elsewhere)
      if (!this.states.has(key)) this.states.set(key, { state: 'read', goodAt: 0 });
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

  /** Notes what is known under a key. A document that was read at one place is known, whatever happened at another. */
  #note(key: string, state: DocumentKnowledge): void {
    const before = this.states.get(key);
    if (before !== undefined && KNOWLEDGE.indexOf(before.state) <= KNOWLEDGE.indexOf(state.state)) return;
    this.states.set(key, state);
  }

  /** The number of the document behind a sitemap: all places that the same URL responded to have one. */
  #numberOf({ url }: Pick<AbstractSitemap, 'url'>): number {
    const key = documentKey(url);
    const number = this.#numbers.get(key);
    if (number !== undefined) return number;
    this.#numbers.set(key, this.documents.length);
    return this.documents.push({ keys: new Set(), parents: new Set(), isTried: false, goodAt: -1 }) - 1;
  }
}

const UNREAD: DocumentKnowledge = { state: 'unread', goodAt: 0 };

/** From the state that says most to the one that says least. */
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
