/**
 * The formats of listings: what a format is, what it is given, and those that are small. What needs more (`summary`,
 * `sitemap`) is loaded when it is used.
 */
import {
  type Sitemap,
  type SitemapPage,
  type SitemapPageJSON,
  type SitemapPlace,
  walkTree,
} from '../../index.ts';
import { isPagesKind, KIND_NAMES } from '../../parse/model/kinds.ts';
import { SeenUrls } from '../../parse/seen-urls.ts';
import { treeJson } from '../../sitemap/tree-json.ts';
import type { CsvCell } from '../../text/csv-lines.ts';
import { count, describePages, number } from '../../text/wording.ts';
import type { Colour } from '../io.ts';
import { missingIn, problemsShown } from '../messages/site-messages.ts';
import type { PageAndSitemap, PageFilter } from '../page-filter.ts';
import { csvOf, type ItemFormat, ndjsonOf, type RowStyle } from './item-format.ts';

/** A format that lists items one by one, as they arrive: `Item` is a page, a sitemap or a change. */
export interface LineFormat<Item> extends ItemFormat<Item, Style> {
  /** What else is to be said at the end, and whether nothing was worth printing. */
  remarks?(): { readonly notes: readonly string[]; readonly isEmpty: boolean };
}

export type TreeFormat = (tree: Sitemap, style: TreeStyle) => AsyncIterable<string>;

export interface Style extends RowStyle {
  /** A URL as it is shown: whole, or without the site's address. */
  shorten(url: string): string;
  /** Whether `shorten` does anything. */
  readonly isShort: boolean;
  /** Text in a colour, where it may have one. */
  paint(colour: Colour, text: string): string;
}

export interface TreeStyle extends Style {
  readonly filter: PageFilter;
  /** `--no-pages` makes it false. */
  readonly withPages: boolean;
  readonly signal: AbortSignal;
}

/** The name of a sitemap where people read it: its URL, which only a document from stdin may lack. */
function sitemapName({ url }: Sitemap, { shorten }: Style): string {
  return url === '' ? 'stdin' : shorten(url);
}

export const pages: LineFormat<PageAndSitemap> = {
  item: ({ page }, { shorten }) => `${shorten(page.url)}\n`,
};

/** Levels that are drawn: with all of them, a deep tree would be printed in a length that is quadratic in its depth. */
const MOST_DRAWN = 100;

/** Sitemaps and pages, one URL per line, each a tab deeper than the sitemap that lists it, as far as levels are drawn. */
export const tabtree: TreeFormat = async function* (top, style) {
  const { shorten, filter, withPages } = style;
  for (const { sitemap, depth } of walkTree(top)) {
    yield `${'\t'.repeat(Math.min(depth, MOST_DRAWN))}${sitemapName(sitemap, style)}\n`;
    if (!withPages || filter.isFull) continue;
    const indent = '\t'.repeat(Math.min(depth + 1, MOST_DRAWN));
    for await (const batch of sitemap.pages.batchesAsync()) {
      const pages = filter.keepPages(batch);
      if (pages.length > 0) yield pages.map((page) => `${indent}${shorten(page.url)}\n`).join('');
      if (filter.isFull) break;
    }
  }
};

/** One page per line, as in the tree's JSON, with the URL of its sitemap. */
export const ndjson: LineFormat<PageAndSitemap> = ndjsonOf<PageAndSitemap, Style>(
  ({ page, sitemap }, style) => Object.assign(pageJson(page, style), { sitemap: style.shorten(sitemap.url) }),
);

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
export const json: TreeFormat = async function* (top, style) {
  const { filter, isShort, shorten, withPages } = style;
  const pieces = treeJson(top, {
    pages: withPages,
    sitemapUrl: isShort ? shorten : undefined,
    pageBatch:
      filter.isOpen && !isShort && style.verdictOf === undefined
        ? undefined
        : (batch) =>
            filter.isFull ? undefined : filter.keepPages(batch).map((page) => pageJson(page, style)),
  });
  yield* pieces;
  yield '\n';
};

/**
 * One page per row. A page may have several values in one cell: URLs are separated by a space, words by a comma and a
 * space. A space inside a URL is written as `%20`, so that the cell can be split again.
 */
const PAGE_COLUMNS: Readonly<Record<string, (item: PageAndSitemap, style: Style) => CsvCell>> = {
  url: ({ page }, { shorten }) => shorten(page.url),
  sitemap: ({ sitemap }, { shorten }) => shorten(sitemap.url),
  lastModified: ({ page }) => page.lastModified?.toISOString(),
  priority: ({ page }) => page.declaredPriority,
  changeFrequency: ({ page }) => page.changeFrequency,
  newsTitle: ({ page }) => page.newsStory?.title,
  newsPublishDate: ({ page }) => page.newsStory?.publishDate?.toISOString(),
  newsPublicationName: ({ page }) => page.newsStory?.publicationName,
  newsPublicationLanguage: ({ page }) => page.newsStory?.publicationLanguage,
  newsGenres: ({ page }) => page.newsStory?.genres.join(', '),
  newsKeywords: ({ page }) => page.newsStory?.keywords.join(', '),
  images: ({ page }, style) => urls(page.images, style, ({ loc }) => loc),
  videos: ({ page }, style) =>
    urls(
      page.videos,
      style,
      ({ contentLoc, playerLoc, thumbnailLoc }) => contentLoc ?? playerLoc ?? thumbnailLoc,
    ),
  alternates: ({ page }, { shorten }) =>
    page.alternates.map(({ hreflang, href }) => unspaced(`${hreflang}=${shorten(href)}`)).join(' '),
  lastModifiedText: ({ page }) => page.lastModifiedText,
  newsStockTickers: ({ page }) => page.newsStory?.stockTickers.join(', '),
};

/** The inventory of a tree: what is not known or does not apply is undefined. */
const SITEMAP_COLUMNS: Readonly<Record<string, (place: SitemapPlace, style: Style) => CsvCell>> = {
  url: ({ sitemap }, { shorten }) => shorten(sitemap.url),
  kind: ({ sitemap }) => sitemap.kind,
  /** The sitemap that lists it; of one at the top, the site. */
  parent: ({ parent }, { shorten }) => (parent === undefined ? undefined : shorten(parent.url)),
  /** As its index declares it. */
  lastModified: ({ sitemap }) => sitemap.lastModified?.toISOString(),
  pageCount: ({ sitemap }) => (isPagesKind(sitemap.kind) ? sitemap.pageCount : undefined),
  bytes: ({ sitemap }) => sitemap.bytes,
  status: ({ sitemap }) => sitemap.status,
  /** Why it could not be read, or what is missing in it. */
  code: ({ sitemap }) => (sitemap.kind === 'invalid' ? sitemap.code : missingIn(sitemap)[0]?.code),
  reason: ({ sitemap }) => (sitemap.kind === 'invalid' ? sitemap.reason : missingIn(sitemap)[0]?.message),
};

export const CSV_COLUMNS = {
  pages: Object.keys(PAGE_COLUMNS) as readonly string[],
  sitemaps: Object.keys(SITEMAP_COLUMNS) as readonly string[],
} as const;

export const csv: LineFormat<PageAndSitemap> = csvOf(PAGE_COLUMNS, ({ page }) => page.url);

export const csvOfSitemaps: LineFormat<SitemapPlace> = csvOf(SITEMAP_COLUMNS);

export const ndjsonOfSitemaps: LineFormat<SitemapPlace> = ndjsonOf((place, style) =>
  Object.fromEntries(Object.entries(SITEMAP_COLUMNS).map(([name, cell]) => [name, cell(place, style)])),
);

function urls<Item>(
  items: readonly Item[],
  { shorten }: Style,
  urlOf: (item: Item) => string | undefined,
): string {
  return items
    .map((item) => unspaced(shorten(urlOf(item) ?? '')))
    .filter((url) => url !== '')
    .join(' ');
}

function unspaced(url: string): string {
  return url.replaceAll(' ', '%20');
}

/** Counts the pages of a tree, and how many of them are distinct: a page may be in several sitemaps. */
function pageCounter(top: Sitemap, { filter, signal }: TreeStyle) {
  const documents = new Set<string>();
  for (const { sitemap } of walkTree(top)) if (isPagesKind(sitemap.kind)) documents.add(sitemap.url);
  // One document lists each page once.
  const seen = documents.size > 1 ? new SeenUrls() : undefined;
  /** The listed pages of each document: one at several places of the tree counts once. */
  const counted = new Map<string, number>();
  let pages = 0;
  return {
    async count(sitemap: Sitemap): Promise<number> {
      const earlierCount = counted.get(sitemap.url);
      if (earlierCount !== undefined) return earlierCount;
      let pageCount = 0;
      // Not by `pageCount`, which reads the document in one go, and would not hear of an interruption.
      for await (const batch of sitemap.pages.batchesAsync()) {
        signal.throwIfAborted();
        const shownPages = filter.isOpen ? batch : filter.keepPages(batch);
        pageCount += shownPages.length;
        if (seen !== undefined) for (const { url } of shownPages) seen.add(url);
      }
      counted.set(sitemap.url, pageCount);
      pages += pageCount;
      return pageCount;
    },
    total: (): string => describePages(pages, seen?.size ?? pages),
  };
}

/** The sitemaps in box-drawing characters, each with what it is and how many pages it has. */
export const tree: TreeFormat = async function* (top, style) {
  const { paint } = style;
  const sitemaps = new Set<string>();
  let unreadable = 0;
  const counter = pageCounter(top, style);
  /** For each level down to the current node: whether the node there is the last child of its parent. */
  const isLastAt: boolean[] = [];
  for (const { sitemap: node, depth, isLast } of walkTree(top)) {
    isLastAt.length = depth;
    if (depth > 0) isLastAt[depth - 1] = isLast;
    const url = paint('blue', sitemapName(node, style));
    if (node.kind === 'website') {
      yield `${url}\n`;
      continue;
    }
    const branch = paint('dim', branchOf(isLastAt));
    if (node.kind === 'invalid') {
      // A child of a local document: it was not requested.
      if (node.code === 'not-fetched') {
        yield `${branch}${url} ${paint('dim', '(not fetched)')}\n`;
        continue;
      }
      unreadable++;
      yield `${branch}${url} ${paint('red', `(${whyUnreadable(node)})`)}\n`;
      continue;
    }
    if (node.kind !== 'robots-txt') sitemaps.add(node.url);
    const isCounted = style.withPages && isPagesKind(node.kind);
    const pages = isCounted ? pagesNote(await counter.count(node), node.pageCount) : '';
    const notes = [
      KIND_NAMES[node.kind],
      pages,
      node.freshness ?? '',
      redirectNote(node, style),
      problemNote(node, style),
    ];
    yield `${branch}${url} ${paint('green', `(${notes.filter((note) => note !== '').join(', ')})`)}\n`;
  }
  const total = [count(sitemaps.size, 'sitemap'), style.withPages ? counter.total() : ''];
  if (unreadable > 0) total.push(`${number(unreadable)} unreadable`);
  yield `\n${total.filter((part) => part !== '').join(', ')}\n`;
};

/** The lines to a node. Of a deep one, the number of levels that are left out, and the lowest ones. */
function branchOf(isLastAt: readonly boolean[]): string {
  const hiddenLevels = Math.max(0, isLastAt.length - MOST_DRAWN);
  const drawn = isLastAt.slice(hiddenLevels);
  const lines = drawn.map((isLast, index) => {
    if (index < drawn.length - 1) return isLast ? '    ' : '│   ';
    return isLast ? '└── ' : '├── ';
  });
  return `${hiddenLevels === 0 ? '' : `(${count(hiddenLevels, 'level')}) `}${lines.join('')}`;
}

function pagesNote(shownPages: number, all: number): string {
  return shownPages === all ? count(all, 'page') : `${number(shownPages)} of ${count(all, 'page')}`;
}

function whyUnreadable(node: Sitemap & { readonly kind: 'invalid' }): string {
  const why = node.status === undefined ? node.code.replaceAll('-', ' ') : `HTTP ${node.status}`;
  return `unreadable: ${why}`;
}

function redirectNote({ declaredUrl }: Sitemap, { shorten }: TreeStyle): string {
  return declaredUrl === undefined ? '' : `redirected from ${shorten(declaredUrl)}`;
}

function problemNote(node: Sitemap, { withPages }: TreeStyle): string {
  const problems = problemsShown(node, withPages);
  return problems === 0 ? '' : count(problems, 'problem');
}
