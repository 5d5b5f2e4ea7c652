/** `json`: the tree as one document in one line, as `JSON.stringify(tree)` gives it; filters leave out pages. */
import { jsonChunks } from '../../reading.ts';
import type { TreeFormat } from './format.ts';
import { pageJson } from './page-json.ts';

export const json: TreeFormat = async function* (top, style) {
  const { filter, isShort, shorten, withPages } = style;
  const pieces = jsonChunks(top, {
    pages: withPages,
    sitemapUrl: isShort ? shorten : undefined,
    pageBatch:
      filter.isOpen && !isShort
        ? undefined
        : (batch) =>
            filter.isFull
              ? undefined
              : filter.keep(batch, (page) => page).map((page) => pageJson(page, style)),
  });
  for await (const piece of pieces) yield style.defuse(piece);
  yield '\n';
};
