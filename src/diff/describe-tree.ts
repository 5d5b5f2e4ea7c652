/**
 * From a tree to what a comparison needs of it: its documents for the rule of settled documents, and its page lists.
 */
import type { TriedPath } from '../sitemap/fields.ts';
import { isPagesKind } from '../sitemap/kind.ts';
import type { PageSource } from '../sitemap/page-source.ts';
import { type AbstractSitemap, partsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { walkTree } from '../sitemap/walk-tree.ts';
import { documentKey } from '../url.ts';
import type { DescribedDocument, DocumentState, Side, TreeDescription } from './settled.ts';

/** A document that lists pages, at the first place where the tree has it. */
export interface PageDocument {
  readonly sitemap: Sitemap;
  readonly source: PageSource;
  /** Its number in the description. */
  readonly document: number;
}

/** A tree, as a comparison sees it. */
export interface ComparedTree extends TreeDescription {
  /** Each document that lists pages once, in the order of the tree. */
  readonly pageDocuments: readonly PageDocument[];
}

/** The key of the top of a tree that is one sitemap: two files are compared whatever their names are. */
const TOP = 'top';

/** Describes a tree. @param damaged - the sitemaps whose documents cannot be read: nothing is known of these */
export function describeTree(
  top: Sitemap,
  side: Side,
  damaged: ReadonlySet<Sitemap> = new Set(),
): ComparedTree {
  const description = new Description(side, damaged);
  for (const { sitemap, parent } of walkTree(top)) description.add(sitemap, parent);
  if (top.kind === 'website') for (const path of top.triedPaths) description.addTried(path, top);
  description.end();
  return description;
}

/** A document while its places in the tree are collected. */
interface OpenDocument extends DescribedDocument {
  readonly keys: Set<string>;
  readonly parents: Set<number>;
  isTried: boolean;
}

class Description implements ComparedTree {
  readonly side: Side;
  readonly documents: OpenDocument[] = [];
  readonly states: Map<string, DocumentState> = new Map();
  readonly pageDocuments: PageDocument[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #sources = new Set<PageSource>();
  /** The keys of what leads to a document that the tree has at another place, or under another URL. */
  readonly #elsewhere: string[] = [];

  readonly #damaged: ReadonlySet<Sitemap>;

  constructor(side: Side, damaged: ReadonlySet<Sitemap>) {
    this.side = side;
    this.#damaged = damaged;
  }

  add(sitemap: Sitemap, parent: Sitemap | undefined): void {
    const isDamaged = this.#damaged.has(sitemap);
    const state = isDamaged ? 'unread' : stateOf(sitemap);
    for (const url of sitemap.filteredUrls) this.#note(documentKey(url), 'unread');
    if (sitemap.kind === 'website') return;
    const keys = [sitemap.url, sitemap.declaredUrl].filter((url) => url !== undefined).map(documentKey);
    if (parent === undefined) keys.push(TOP);
    const number = this.#numberOf(sitemap);
    const document = this.documents[number]!;
    for (const key of keys) {
      document.keys.add(key);
      if (isElsewhere(sitemap)) this.#elsewhere.push(key);
      else this.#note(key, state);
    }
    if (parent?.kind === 'website') document.isTried = true;
    else if (parent !== undefined) document.parents.add(this.#numberOf(parent));
    if (!isPagesKind(sitemap.kind) || isDamaged) return;
    const { source } = partsOf(sitemap);
    if (this.#sources.has(source)) return;
    this.#sources.add(source);
    this.pageDocuments.push({ sitemap, source, document: number });
  }

  /** A path that was tried. One that gave a sitemap which is not below the root leads to one that is declared. */
  addTried({ url, code, status }: TriedPath, { stopped }: Sitemap): void {
    const key = documentKey(url);
    if (code !== undefined) this.#note(key, failedState(code, status));
    else if (stopped?.limit === 'maxSitemaps') this.#note(key, 'unread');
    else this.#elsewhere.push(key);
  }

  end(): void {
    for (const key of this.#elsewhere) if (!this.states.has(key)) this.states.set(key, 'read');
  }

  /** Notes what is known under a key. A document that was read at one place is known, whatever happened at another. */
  #note(key: string, state: DocumentState): void {
    const known = this.states.get(key);
    if (known !== undefined && KNOWLEDGE.indexOf(known) <= KNOWLEDGE.indexOf(state)) return;
    this.states.set(key, state);
  }

  /** The number of the document behind a sitemap: all places that the same URL responded to have one. */
  #numberOf({ url }: AbstractSitemap): number {
    const key = documentKey(url);
    const number = this.#numbers.get(key);
    if (number !== undefined) return number;
    this.#numbers.set(key, this.documents.length);
    return this.documents.push({ keys: new Set(), parents: new Set(), isTried: false }) - 1;
  }
}

/** From the state that says most to the one that says least. */
const KNOWLEDGE: readonly DocumentState[] = ['read', 'stale', 'gone', 'unread'];

function stateOf(sitemap: Sitemap): DocumentState {
  if (sitemap.kind === 'invalid') return failedState(sitemap.code, sitemap.status);
  if (sitemap.truncated || hasChildrenLeftOut(sitemap)) return 'unread';
  return sitemap.freshness === 'stale' ? 'stale' : 'read';
}

function isElsewhere(sitemap: Sitemap): boolean {
  return sitemap.kind === 'invalid' && sitemap.code === 'recursion';
}

function failedState(code: string, status: number | undefined): DocumentState {
  return code === 'http-status' && (status === 404 || status === 410) ? 'gone' : 'unread';
}

/** Whether a limit left children of an index out of the tree. */
function hasChildrenLeftOut(sitemap: Sitemap): boolean {
  return partsOf(sitemap).problems.some(({ code }) => code === 'too-many-sitemaps');
}
