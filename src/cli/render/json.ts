/** `json`: the tree as one document in one line, as `JSON.stringify(tree)` gives it; filters leave out pages. */
import { jsonChunks, type Sitemap } from '../../index.ts';
import type { TreeFormat, TreeStyle } from './format.ts';
import { pageJson } from './page-json.ts';

export const json: TreeFormat = async function* (top, style) {
  const isWhole = style.withPages && style.filter.isOpen && !style.isShort;
  for await (const piece of isWhole ? jsonChunks(top) : node(top, style)) yield style.defuse(piece);
  yield '\n';
};

async function* node(sitemap: Sitemap, style: TreeStyle): AsyncGenerator<string, void, undefined> {
  if (sitemap.kind === 'invalid') {
    yield JSON.stringify({ ...sitemap.toObject(), ...addresses(sitemap, style) });
    return;
  }
  const { kind, lastModified } = sitemap;
  const head = { kind, ...addresses(sitemap, style), lastModified };
  yield JSON.stringify(head).slice(0, -1);
  if (kind.startsWith('pages-')) {
    if (style.withPages) yield* pages(sitemap, style);
  } else {
    yield ',"subSitemaps":[';
    for (const [index, child] of sitemap.subSitemaps.entries()) {
      if (index > 0) yield ',';
      yield* node(child, style);
    }
    yield ']';
  }
  const tail = JSON.stringify(ending(sitemap)).slice(1);
  yield tail === '}' ? tail : `,${tail}`;
}

async function* pages(sitemap: Sitemap, style: TreeStyle): AsyncGenerator<string, void, undefined> {
  yield ',"pages":[';
  let separator = '';
  for await (const batch of sitemap.pages.batchesAsync()) {
    if (style.filter.isFull) break;
    const kept = style.filter.keep(batch, (page) => page);
    if (kept.length === 0) continue;
    yield separator + kept.map((page) => JSON.stringify(pageJson(page, style))).join(',');
    separator = ',';
  }
  yield ']';
}

function addresses({ url, declaredUrl }: Sitemap, { shorten }: TreeStyle): object {
  return { url: shorten(url), ...(declaredUrl !== undefined && { declaredUrl: shorten(declaredUrl) }) };
}

// After the pages, as the library has it: a document's problems are known only when it was read.
function ending(sitemap: Sitemap): object {
  const { problems, problemCount } = sitemap;
  return {
    ...(problemCount > 0 && { problems, problemCount }),
    ...(sitemap.kind === 'website' && { complete: sitemap.complete, stopped: sitemap.stopped }),
  };
}
