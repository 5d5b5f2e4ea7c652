/**
 * A tree in JSON: absent values and empty lists are left out, dates are UTC ISO strings. `toObject`, `toJSON`,
 * `JSON.stringify` and `jsonChunks` all write the same members in the same order.
 */

import type { SitemapPageJSON } from '../parse/model/page.ts';
import {
  type IndexSitemapKind,
  isIndexKind,
  type PagesSitemapKind,
  type SitemapKind,
} from '../problems/kinds.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { RobotsDirective } from '../robots/robots-rules.ts';
import { type Freshness, placesOf, type Stopped } from './node-fields.ts';
import type { PageList } from './page-list.ts';

/** What every node has in JSON. */
export interface NodeJSON {
  url: string;
  declaredUrl?: string;
  lastModified?: string;
  /** How its document compares with that of the `previous` tree, where there was one. */
  freshness?: Freshness;
  problems?: Problem[];
  /** How many problems there were in all; `problems` holds at most a hundred. */
  problemCount?: number;
}

/** A node that lists sitemaps, in JSON. */
export interface IndexSitemapJSON extends NodeJSON {
  kind: IndexSitemapKind;
  subSitemaps: SitemapJSON[];
  /** Of a robots.txt: its lines `Crawl-delay`, `Content-Signal`, `Content-Usage` and `AI-…`, where it has any. */
  directives?: RobotsDirective[];
  /** Of the root: whether nothing that was declared was unreadable, not fetched or truncated. */
  complete?: boolean;
  /** Of the root: the limit that ended the call before everything was fetched. */
  stopped?: Stopped;
}

/** A node that lists pages, in JSON. */
export interface PagesSitemapJSON extends NodeJSON {
  kind: PagesSitemapKind;
  /** Always there, unless `toObject` was asked to leave pages out. */
  pages?: SitemapPageJSON[];
}

/** A node that could not be read, in JSON. */
export interface InvalidSitemapJSON extends NodeJSON {
  kind: 'invalid';
  code: string;
  reason: string;
  /** The HTTP status, where there was a response. */
  status?: number;
  /** The option that would change it, where there is one. */
  option?: string;
}

/** A node and all below it in JSON. */
export type SitemapJSON = IndexSitemapJSON | PagesSitemapJSON | InvalidSitemapJSON;

/** What of a node is made into an object. */
export interface ToObjectOptions {
  /** @default true */
  readonly pages?: boolean | undefined;
}

export interface JSONSource {
  readonly kind: SitemapKind;
  readonly url: string;
  readonly declaredUrl: string | undefined;
  readonly lastModified: Date | undefined;
  readonly freshness: Freshness | undefined;
  readonly subSitemaps: readonly JSONSource[];
  readonly pages: PageList;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly status?: number | undefined;
  readonly option?: string | undefined;
  readonly directives?: readonly RobotsDirective[] | undefined;
  readonly complete: boolean | undefined;
  readonly stopped: Stopped | undefined;
}

export function sitemapToObject(top: JSONSource, options: ToObjectOptions = {}): SitemapJSON {
  let object: SitemapJSON | undefined;
  /** The lists of children from the top down to the node that was read last. */
  const open: SitemapJSON[][] = [];
  for (const { sitemap, depth } of placesOf(top)) {
    const json = nodeToObject(sitemap, options);
    object ??= json;
    open[depth - 1]?.push(json);
    if ('subSitemaps' in json) open[depth] = json.subSitemaps;
  }
  return object ?? nodeToObject(top, options);
}

function nodeToObject(node: JSONSource, options: ToObjectOptions): SitemapJSON {
  const { kind } = node;
  if (kind === 'invalid') return invalidToObject(node);
  if (isIndexKind(kind)) return { kind, ...beginning(node), subSitemaps: [], ...ending(node) };
  if (options.pages === false) return { kind, ...beginning(node), ...ending(node) };
  const pages: SitemapPageJSON[] = [];
  for (const batch of node.pages.batches()) for (const page of batch) pages.push(page.toJSON());
  return { kind, ...beginning(node), pages, ...ending(node) };
}

export function invalidToObject(node: JSONSource, urlOf?: (url: string) => string): InvalidSitemapJSON {
  const { code = '', reason = '', status, option } = node;
  return {
    kind: 'invalid',
    ...beginning(node, urlOf),
    code,
    reason,
    ...(status !== undefined && { status }),
    ...(option !== undefined && { option }),
    ...ending(node),
  };
}

/** The members before a node's list. */
export function beginning(
  { url, declaredUrl, lastModified, freshness }: JSONSource,
  urlOf: (url: string) => string = (asItIs) => asItIs,
): Pick<NodeJSON, 'url' | 'declaredUrl' | 'lastModified' | 'freshness'> {
  return {
    url: urlOf(url),
    ...(declaredUrl !== undefined && { declaredUrl: urlOf(declaredUrl) }),
    ...(lastModified !== undefined && { lastModified: lastModified.toISOString() }),
    ...(freshness !== undefined && { freshness }),
  };
}

/** The members after a node's list: the problems of a document are known once its pages were read. */
export function ending(
  node: JSONSource,
): Pick<IndexSitemapJSON, 'directives' | 'problems' | 'problemCount' | 'complete' | 'stopped'> {
  const { kind, directives = [], problems, problemCount, complete, stopped } = node;
  return {
    ...(directives.length > 0 && { directives: [...directives] }),
    ...(problemCount > 0 && { problems: [...problems], problemCount }),
    ...(kind === 'website' && complete !== undefined && { complete }),
    ...(kind === 'website' && stopped !== undefined && { stopped }),
  };
}
