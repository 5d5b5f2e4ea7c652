/** The output formats. What needs more than others (`csv`, `tree`, `summary`) is loaded when it is used. */
import {
  jsonChunks,
  type Sitemap,
  type SitemapPage,
  type SitemapPageJSON,
  type SitemapPlace,
  walkTree,
} from '../../index.ts';
import type { ListedPage } from '../filter/page-filter.ts';
import { missingIn } from '../messages/site-result.ts';
import {
  type LineFormat,
  ndjsonOf,
  type SitemapRow,
  type Style,
  sitemapName,
  type TreeFormat,
} from './format.ts';

const pages: LineFormat<ListedPage> = {
  lines: (listed, { shorten }) => listed.map(({ page }) => `${shorten(page.url)}\n`).join(''),
};

/** Sitemaps and pages, one URL per line, each a tab deeper than the sitemap that lists it. */
const tabtree: TreeFormat = async function* (top, style) {
  const { shorten, filter, withPages } = style;
  for (const { sitemap, depth } of walkTree(top)) {
    yield `${'\t'.repeat(depth)}${sitemapName(sitemap, style)}\n`;
    if (!withPages || filter.isFull) continue;
    const indent = '\t'.repeat(depth + 1);
    for await (const batch of sitemap.pages.batchesAsync()) {
      const kept = filter.keep(batch, (page) => page);
      if (kept.length > 0) yield kept.map((page) => `${indent}${shorten(page.url)}\n`).join('');
      if (filter.isFull) break;
    }
  }
};

/** One page per line, as in the tree's JSON, with the URL of its sitemap. */
const ndjson = ndjsonOf<ListedPage>(({ page, sitemap }, style) =>
  Object.assign(pageJson(page, style), { sitemap: style.shorten(sitemap.url) }),
);

const ndjsonOfSitemaps = ndjsonOf<SitemapRow>((row, { shorten }) => {
  const parent = row.parent === undefined ? undefined : shorten(row.parent);
  return { ...row, url: shorten(row.url), parent };
});

/** A page in JSON, with every URL in it as it is to be shown: those of its images, videos and translations too. */
function pageJson(page: SitemapPage, { shorten, isShort, verdictOf }: Style): SitemapPageJSON {
  const json = Object.assign(page.toJSON(), verdictOf?.(page.url));
  if (!isShort) return json;
  json.url = shorten(json.url);
  const shortened = <Thing extends object>(thing: Thing, ...names: readonly (keyof Thing)[]): Thing => {
    const copy = { ...thing };
    for (const name of names) {
      const url = thing[name];
      if (typeof url === 'string') Object.assign(copy, { [name]: shorten(url) });
    }
    return copy;
  };
  if (json.images !== undefined) json.images = json.images.map((image) => shortened(image, 'loc', 'license'));
  if (json.alternates !== undefined) json.alternates = json.alternates.map((one) => shortened(one, 'href'));
  if (json.videos !== undefined) {
    json.videos = json.videos.map((video) => {
      const copy = shortened(video, 'thumbnailLoc', 'contentLoc', 'playerLoc');
      if (copy.uploader !== undefined) copy.uploader = shortened(copy.uploader, 'info');
      return copy;
    });
  }
  return json;
}

/** The tree as one document in one line, as `JSON.stringify(tree)` gives it; filters leave out pages. */
const json: TreeFormat = async function* (top, style) {
  const { filter, isShort, shorten, withPages } = style;
  const pieces = jsonChunks(top, {
    pages: withPages,
    sitemapUrl: isShort ? shorten : undefined,
    pageBatch:
      filter.isOpen && !isShort && style.verdictOf === undefined
        ? undefined
        : (batch) =>
            filter.isFull
              ? undefined
              : filter.keep(batch, (page) => page).map((page) => pageJson(page, style)),
  });
  yield* pieces;
  yield '\n';
};

/** The inventory of a tree: every sitemap below the site, or the sitemap that was asked for and all below it. */
export function* sitemapRows(tree: Sitemap): Generator<SitemapRow, void, undefined> {
  for (const place of walkTree(tree)) if (place.sitemap.kind !== 'website') yield rowOf(place);
}

function rowOf({ sitemap, parent }: SitemapPlace): SitemapRow {
  const { url, kind, lastModified, bytes, status } = sitemap;
  const [missing] = missingIn(sitemap);
  const failure = sitemap.kind === 'invalid' ? sitemap : undefined;
  return {
    url,
    kind,
    parent: parent?.url,
    lastModified: lastModified?.toISOString(),
    pages: kind.startsWith('pages-') ? sitemap.pageCount : undefined,
    bytes,
    status,
    code: failure?.code ?? missing?.code,
    reason: failure?.reason ?? missing?.message,
  };
}

type Formats<Format> = Readonly<Record<string, () => Format | Promise<Format>>>;

export const PAGE_FORMATS: Formats<LineFormat<ListedPage>> = {
  pages: () => pages,
  ndjson: () => ndjson,
  csv: async () => (await import('./csv.ts')).csv,
  sitemap: async () => (await import('./sitemap-format.ts')).sitemapFormat(),
};

export const SITEMAP_FORMATS: Formats<LineFormat<SitemapRow>> = {
  ndjson: () => ndjsonOfSitemaps,
  csv: async () => (await import('./csv.ts')).csvOfSitemaps,
};

export const TREE_FORMATS: Formats<TreeFormat> = {
  tabtree: () => tabtree,
  tree: async () => (await import('./drawn-tree.ts')).tree,
  json: () => json,
  summary: async () => (await import('./summary.ts')).summary,
  'summary-json': async () => (await import('./summary.ts')).summaryJson,
};
