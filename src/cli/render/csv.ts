/**
 * `csv`: one page per row; with `--no-pages` one sitemap per row.
 *
 * A page may have several values in one cell: URLs are separated by a space, words by a comma and a space. A space
 * inside a URL is written as `%20`, so that the cell can be split again.
 */
import type { CsvCell } from '../../problems/csv-lines.ts';
import type { ListedPage } from '../filter/page-filter.ts';
import { csvOf, type LineFormat, type SitemapRow, type Style } from './format.ts';

const PAGE_COLUMNS: Readonly<Record<string, (listed: ListedPage, style: Style) => CsvCell>> = {
  url: ({ page }, { shorten }) => shorten(page.url),
  sitemap: ({ sitemap }, { shorten }) => shorten(sitemap.url),
  lastModified: ({ page }) => page.lastModified?.toISOString(),
  priority: ({ page }) => page.priority,
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

const SITEMAP_COLUMNS: Readonly<Record<keyof SitemapRow, (row: SitemapRow, style: Style) => CsvCell>> = {
  url: (row, { shorten }) => shorten(row.url),
  kind: (row) => row.kind,
  parent: ({ parent }, { shorten }) => (parent === undefined ? undefined : shorten(parent)),
  lastModified: (row) => row.lastModified,
  pages: (row) => row.pages,
  bytes: (row) => row.bytes,
  status: (row) => row.status,
  code: (row) => row.code,
  reason: (row) => row.reason,
};

export const CSV_COLUMNS: readonly string[] = Object.keys(PAGE_COLUMNS);

export const CSV_SITEMAP_COLUMNS: readonly string[] = Object.keys(SITEMAP_COLUMNS);

export const csv: LineFormat<ListedPage> = csvOf(PAGE_COLUMNS, ({ page }) => page.url);

export const csvOfSitemaps: LineFormat<SitemapRow> = csvOf(SITEMAP_COLUMNS);

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
