/**
 * A tree in JSON: absent values and empty lists are left out, dates are UTC ISO strings. `toObject`, `toJSON`,
 * `JSON.stringify` and {@link jsonChunks} all say the same, in the same order.
 */
import type { SitemapPageJSON } from '../parse/model/page.ts';
import type { Problem } from '../problems/problem-list.ts';
import {
  type IndexSitemapKind,
  isIndexKind,
  isPagesKind,
  type PagesSitemapKind,
  type SitemapKind,
} from './kind.ts';
import type { PageList } from './page-list.ts';
import type { Sitemap, Stopped } from './sitemap.ts';

/** What every node has in JSON. */
export interface NodeJSON {
  url: string;
  declaredUrl?: string;
  lastModified?: string;
  problems?: Problem[];
  /** How many problems there were in all; `problems` holds at most a hundred. */
  problemCount?: number;
}

/** A node that lists sitemaps, in JSON. */
export interface IndexSitemapJSON extends NodeJSON {
  kind: IndexSitemapKind;
  subSitemaps: SitemapJSON[];
  /** Of the root: whether nothing that was declared was unreadable, not fetched or cut. */
  complete?: boolean;
  /** Of the root: the limit that ended the call before everything was fetched. */
  stopped?: Stopped;
}

/** A node that lists pages, in JSON. */
export interface PagesSitemapJSON extends NodeJSON {
  kind: PagesSitemapKind;
  /** Always there, unless `toObject` was told to leave pages out. */
  pages?: SitemapPageJSON[];
}

/** A node that could not be read, in JSON. */
export interface InvalidSitemapJSON extends NodeJSON {
  kind: 'invalid';
  code: string;
  reason: string;
}

/** A node and all below it in JSON. */
export type SitemapJSON = IndexSitemapJSON | PagesSitemapJSON | InvalidSitemapJSON;

/** What of a node is made into an object. */
export interface ToObjectOptions {
  /** @default true */
  readonly pages?: boolean | undefined;
}

/** What JSON needs of a node; each kind has what its JSON has. */
interface JSONSource {
  readonly kind: SitemapKind;
  readonly url: string;
  readonly declaredUrl: string | undefined;
  readonly lastModified: Date | undefined;
  readonly subSitemaps: readonly JSONSource[];
  readonly pages: PageList;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  readonly code?: string;
  readonly reason?: string;
  readonly complete: boolean | undefined;
  readonly stopped: Stopped | undefined;
}

/** A node and all below it as a plain object. */
export function sitemapToObject(node: JSONSource, options: ToObjectOptions = {}): SitemapJSON {
  const { kind } = node;
  if (kind === 'invalid') {
    return { kind, ...beginning(node), code: node.code ?? '', reason: node.reason ?? '', ...ending(node) };
  }
  if (isIndexKind(kind)) {
    const subSitemaps = node.subSitemaps.map((child) => sitemapToObject(child, options));
    return { kind, ...beginning(node), subSitemaps, ...ending(node) };
  }
  if (options.pages === false) return { kind, ...beginning(node), ...ending(node) };
  const pages: SitemapPageJSON[] = [];
  for (const batch of node.pages.batches()) for (const page of batch) pages.push(page.toJSON());
  return { kind, ...beginning(node), pages, ...ending(node) };
}

/** So many characters are put together before they are handed out. */
const PIECE = 64 * 1024;

/**
 * The JSON of a tree piece by piece, for trees whose JSON no string can hold. Put together, the pieces are exactly what
 * `JSON.stringify(tree)` gives.
 *
 * @example
 * ```ts
 * await pipeline(Readable.from(jsonChunks(tree)), createWriteStream('tree.json'));
 * ```
 */
export async function* jsonChunks(tree: Sitemap): AsyncGenerator<string, void, undefined> {
  const open: { readonly node: JSONSource; next: number }[] = [];
  let text = '';
  let node: JSONSource | undefined = tree;
  while (node !== undefined) {
    if (isIndexKind(node.kind)) {
      text += `${started({ kind: node.kind, ...beginning(node) })},"subSitemaps":[`;
      open.push({ node, next: 0 });
    } else if (isPagesKind(node.kind)) {
      text += `${started({ kind: node.kind, ...beginning(node) })},"pages":[`;
      let separator = '';
      for await (const batch of node.pages.batchesAsync()) {
        if (batch.length === 0) continue;
        text += separator + batch.map((page) => JSON.stringify(page)).join(',');
        separator = ',';
        if (text.length >= PIECE) {
          yield text;
          text = '';
        }
      }
      text += `]${finished(ending(node))}`;
    } else {
      text += JSON.stringify(sitemapToObject(node));
    }
    // Whatever has no child left is closed; the next node is the next child of what is still open.
    node = undefined;
    for (let parent = open.at(-1); parent !== undefined && node === undefined; parent = open.at(-1)) {
      node = parent.node.subSitemaps[parent.next];
      if (node === undefined) {
        text += `]${finished(ending(parent.node))}`;
        open.pop();
      } else if (parent.next++ > 0) {
        text += ',';
      }
    }
    if (text.length >= PIECE) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/** What stands before a node's lists. */
function beginning(node: JSONSource): Pick<NodeJSON, 'url' | 'declaredUrl' | 'lastModified'> {
  const { url, declaredUrl, lastModified } = node;
  return {
    url,
    ...(declaredUrl !== undefined && { declaredUrl }),
    ...(lastModified !== undefined && { lastModified: lastModified.toISOString() }),
  };
}

/** What stands behind a node's lists: problems are known only when its pages were read. */
function ending(
  node: JSONSource,
): Pick<IndexSitemapJSON, 'problems' | 'problemCount' | 'complete' | 'stopped'> {
  const { kind, problems, problemCount, complete, stopped } = node;
  return {
    ...(problemCount > 0 && { problems: [...problems], problemCount }),
    ...(kind === 'website' && complete !== undefined && { complete }),
    ...(kind === 'website' && stopped !== undefined && { stopped }),
  };
}

/** An object that goes on. */
function started(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}

/** The rest of an object that has members already. */
function finished(object: object): string {
  const rest = JSON.stringify(object).slice(1);
  return rest === '}' ? rest : `,${rest}`;
}
