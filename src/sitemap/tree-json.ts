/**
 * A tree in JSON: absent values and empty lists are left out, dates are UTC ISO strings. `toObject`, `toJSON`,
 * `JSON.stringify` and `jsonChunks` all write the same members in the same order.
 */

import {
  type IndexSitemapKind,
  isIndexKind,
  isPagesKind,
  type PagesSitemapKind,
  type SitemapKind,
} from '../parse/model/kinds.ts';
import type { SitemapPage, SitemapPageJSON } from '../parse/model/page.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { RobotsDirective } from '../robots/robots-rules.ts';
import {
  type Freshness,
  NODE_VALUES,
  type NodeValues,
  placesOf,
  type SiteOutcome,
  type Stopped,
} from './node-fields.ts';
import type { PageList } from './page-list.ts';

/** What every node has in JSON. */
export interface NodeJSON {
  url: string;
  declaredUrl?: string;
  lastModified?: string;
  /** How its document compares with that of the `previous` tree, where there was one. */
  freshness?: Freshness;
  /** The HTTP status, where there was a response. */
  status?: number;
  /** The bytes of its document after all decoding, where it was read. */
  bytes?: number;
  /** The CRC-32 of these bytes. */
  crc32?: number;
  /** Whether something is missing at the end of its document; absent where nothing is. */
  truncated?: true;
  /** For the result of a call: whether nothing that was declared was unreadable, not fetched or truncated. */
  complete?: boolean;
  /** For the result of a call: the limit that ended it before everything was fetched. */
  stopped?: Stopped;
  /** For the result of a call. */
  outcome?: SiteOutcome;
  /** Why the outcome is not `complete`, or why an invalid sitemap could not be read. */
  code?: string;
  /** The meaning of `code` in a sentence. */
  reason?: string;
  problems?: Problem[];
  /** How many problems there were in all; `problems` holds at most a hundred. */
  problemCount?: number;
}

/** A node that lists sitemaps, in JSON. */
export interface IndexSitemapJSON extends NodeJSON {
  kind: IndexSitemapKind;
  subSitemaps: SitemapJSON[];
  /** For a robots.txt: its lines `Crawl-delay`, `Content-Signal`, `Content-Usage` and `AI-…`, if it has them. */
  directives?: RobotsDirective[];
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

/** Options for what prints a tree: it may leave pages out, or write them differently. */
export interface TreeJsonOptions extends ToObjectOptions {
  /**
   * The JSON of a batch of pages. `undefined` leaves out the rest of the sitemap's pages too, which then are not read.
   * @default `page.toJSON()` of each
   */
  readonly pageBatch?:
    | ((pages: readonly SitemapPage[]) => readonly SitemapPageJSON[] | undefined)
    | undefined;
  /** How the URLs of sitemaps are written. @default as they are */
  readonly sitemapUrl?: ((url: string) => string) | undefined;
}

/** Pieces are handed out once they have this many characters. */
const PIECE = 64 * 1024;

export interface JSONSource extends NodeValues {
  readonly kind: SitemapKind;
  readonly subSitemaps: readonly JSONSource[];
  readonly pages: PageList;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  readonly option?: string | undefined;
  readonly directives?: readonly RobotsDirective[] | undefined;
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
  if (isIndexKind(kind)) return { kind, ...valuesToObject(node), subSitemaps: [], ...membersAfterList(node) };
  if (options.pages === false) return { kind, ...valuesToObject(node), ...membersAfterList(node) };
  const pages: SitemapPageJSON[] = [];
  for (const batch of node.pages.batches()) for (const page of batch) pages.push(page.toJSON());
  return { kind, ...valuesToObject(node), pages, ...membersAfterList(node) };
}

function invalidToObject(node: JSONSource, urlOf?: (url: string) => string): InvalidSitemapJSON {
  const { code = '', reason = '', option } = node;
  const values = { ...valuesToObject(node, urlOf), code, reason, ...(option !== undefined && { option }) };
  return { kind: 'invalid', ...values, ...membersAfterList(node) };
}

/** The members before a node's list, which its line in an archive has, too. */
export function valuesToObject(
  node: NodeValues,
  urlOf: (url: string) => string = (asItIs) => asItIs,
): Omit<NodeJSON, 'problems' | 'problemCount'> {
  const { declaredUrl, lastModified, truncated } = node;
  const url = urlOf(node.url);
  const values: Readonly<Record<string, unknown>> = {
    ...node,
    url,
    declaredUrl: declaredUrl && urlOf(declaredUrl),
    lastModified: lastModified?.toISOString(),
    truncated: truncated || undefined,
  };
  const names = NODE_VALUES.filter((name) => values[name] !== undefined);
  return { url, ...Object.fromEntries(names.map((name) => [name, values[name]])) };
}

/** The members after a node's list: the problems of a document are known once its pages were read. */
function membersAfterList(
  node: JSONSource,
): Pick<IndexSitemapJSON, 'directives' | 'problems' | 'problemCount'> {
  const { directives = [], problems, problemCount } = node;
  return {
    ...(directives.length > 0 && { directives: [...directives] }),
    ...(problemCount > 0 && { problems: [...problems], problemCount }),
  };
}

/** The JSON of a tree as text, piece by piece: the tree may be larger than any string. */
export async function* treeJson(
  tree: JSONSource,
  { pages: withPages = true, pageBatch = asTheyAre, sitemapUrl }: TreeJsonOptions,
): AsyncGenerator<string, void, undefined> {
  /** The indexes from the top down whose lists are not closed yet. */
  const open: JSONSource[] = [];
  let text = '';
  const close = (depth: number): void => {
    for (; open.length > depth; open.pop())
      text += `]${closeObject(membersAfterList(open[open.length - 1]!))}`;
  };
  for (const { sitemap: node, depth, index } of placesOf(tree)) {
    const { kind } = node;
    close(depth);
    if (index > 0) text += ',';
    if (isIndexKind(kind)) {
      text += `${openObject({ kind, ...valuesToObject(node, sitemapUrl) })},"subSitemaps":[`;
      open.push(node);
    } else if (isPagesKind(kind)) {
      text += openObject({ kind, ...valuesToObject(node, sitemapUrl) });
      if (withPages) {
        text += ',"pages":[';
        let separator = '';
        for await (const batch of node.pages.batchesAsync()) {
          const pages = pageBatch(batch);
          if (pages === undefined) break;
          if (pages.length === 0) continue;
          text += separator + pages.map((page) => JSON.stringify(page)).join(',');
          separator = ',';
          if (text.length >= PIECE) {
            yield text;
            text = '';
          }
        }
        text += ']';
      }
      text += closeObject(membersAfterList(node));
    } else {
      text += JSON.stringify(invalidToObject(node, sitemapUrl));
    }
    if (text.length >= PIECE) {
      yield text;
      text = '';
    }
  }
  close(0);
  yield text;
}

function asTheyAre(pages: readonly SitemapPage[]): readonly SitemapPageJSON[] {
  return pages.map((page) => page.toJSON());
}

/** An object whose last brace is still to come. */
function openObject(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}

/** The rest of an object that has members already. */
function closeObject(object: object): string {
  const rest = JSON.stringify(object).slice(1);
  return rest === '}' ? rest : `,${rest}`;
}
