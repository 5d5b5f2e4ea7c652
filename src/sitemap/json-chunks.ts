/** The JSON of a tree as text, piece by piece: the tree may be larger than any string. */

import { textForOneLoop } from '../errors.ts';
import { BOOLEAN, checkOptions } from '../options/names.ts';
import type { SitemapPage, SitemapPageJSON } from '../parse/model/page.ts';
import { isIndexKind, isPagesKind } from '../problems/kinds.ts';
import { placesOf } from './node-fields.ts';
import { checkIsSitemap, type Sitemap } from './sitemap.ts';
import {
  ending,
  invalidToObject,
  type JSONSource,
  type ToObjectOptions,
  valuesToObject,
} from './tree-json.ts';

/** @internal The same for what prints a tree: it may leave pages out, or write them differently. */
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

/**
 * The JSON of a tree piece by piece, for trees whose JSON no string can hold. The pieces together are exactly what
 * `JSON.stringify(tree)` gives.
 *
 * @example
 * ```ts
 * await pipeline(Readable.from(jsonChunks(tree)), createWriteStream('tree.json'));
 * ```
 *
 * @throws SitemapException with code `bad-input` where it is not a tree, or `bad-option`
 */
export function jsonChunks(
  tree: Sitemap,
  options: ToObjectOptions = {},
): AsyncGenerator<string, void, undefined> {
  checkIsSitemap(tree, 'jsonChunks');
  checkOptions(options, { pages: BOOLEAN });
  return textForOneLoop(treeJson(tree, options), 'jsonChunks');
}

/** @internal */
export async function* treeJson(
  tree: Sitemap,
  { pages: withPages = true, pageBatch = asTheyAre, sitemapUrl }: TreeJsonOptions,
): AsyncGenerator<string, void, undefined> {
  /** The indexes from the top down whose lists are not closed yet. */
  const open: JSONSource[] = [];
  let text = '';
  const close = (depth: number): void => {
    for (; open.length > depth; open.pop()) text += `]${finished(ending(open[open.length - 1]!))}`;
  };
  for (const { sitemap: node, depth, index } of placesOf<JSONSource>(tree)) {
    const { kind } = node;
    close(depth);
    if (index > 0) text += ',';
    if (isIndexKind(kind)) {
      text += `${started({ kind, ...valuesToObject(node, sitemapUrl) })},"subSitemaps":[`;
      open.push(node);
    } else if (isPagesKind(kind)) {
      text += started({ kind, ...valuesToObject(node, sitemapUrl) });
      if (withPages) {
        text += ',"pages":[';
        let separator = '';
        for await (const batch of node.pages.batchesAsync()) {
          const written = pageBatch(batch);
          if (written === undefined) break;
          if (written.length === 0) continue;
          text += separator + written.map((page) => JSON.stringify(page)).join(',');
          separator = ',';
          if (text.length >= PIECE) {
            yield text;
            text = '';
          }
        }
        text += ']';
      }
      text += finished(ending(node));
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
function started(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}

/** The rest of an object that has members already. */
function finished(object: object): string {
  const rest = JSON.stringify(object).slice(1);
  return rest === '}' ? rest : `,${rest}`;
}
