/**
 * `csv`: one page per row, below a row of names; with `--no-pages` one sitemap per row. The columns are fixed; new
 * ones are added at the end, before those of `--agent` and before `site`, which is there where several sites are listed.
 *
 * A page may have several values in one cell: URLs are separated by a space, words by a comma and a space. A space
 * inside a URL is written as `%20`, so that the cell can be split again.
 */
import type { RobotsVerdict, SitemapPage } from '../../index.ts';
import { type CsvCell, csvLines } from '../../problems/csv-lines.ts';
import type { PageFormat, SitemapFormat, SitemapRow, Style } from './format.ts';

type PageCell = (page: SitemapPage, sitemapUrl: string, style: Style) => CsvCell;
type SitemapCell = (row: SitemapRow, style: Style) => CsvCell;

const PAGE_COLUMNS: Readonly<Record<string, PageCell>> = {
  url: (page, _sitemap, { shorten }) => shorten(page.url),
  sitemap: (_page, sitemap, { shorten }) => shorten(sitemap),
  lastModified: (page) => page.lastModified?.toISOString(),
  priority: (page) => page.priority,
  changeFrequency: (page) => page.changeFrequency,
  newsTitle: ({ newsStory }) => newsStory?.title,
  newsPublishDate: ({ newsStory }) => newsStory?.publishDate?.toISOString(),
  newsPublicationName: ({ newsStory }) => newsStory?.publicationName,
  newsPublicationLanguage: ({ newsStory }) => newsStory?.publicationLanguage,
  newsGenres: ({ newsStory }) => words(newsStory?.genres),
  newsKeywords: ({ newsStory }) => words(newsStory?.keywords),
  images: ({ images }, _sitemap, style) => urls(images, style, ({ loc }) => loc),
  videos: ({ videos }, _sitemap, style) =>
    urls(videos, style, ({ contentLoc, playerLoc, thumbnailLoc }) => contentLoc ?? playerLoc ?? thumbnailLoc),
  alternates: ({ alternates }, _sitemap, { shorten }) =>
    alternates.map(({ hreflang, href }) => unspaced(`${hreflang}=${shorten(href)}`)).join(' '),
  lastModifiedText: (page) => page.lastModifiedText,
  newsStockTickers: ({ newsStory }) => words(newsStory?.stockTickers),
};

/** Those of `--agent`. */
export const VERDICT_COLUMNS: readonly string[] = ['allowed', 'rule', 'ruleLine'];

export function verdictCells({ allowed, rule, ruleLine }: RobotsVerdict): readonly CsvCell[] {
  return [allowed?.toString(), rule, ruleLine];
}

const SITEMAP_COLUMNS: Readonly<Record<keyof SitemapRow, SitemapCell>> = {
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

export const csv: PageFormat = {
  header: (style) =>
    header(style.verdictOf === undefined ? CSV_COLUMNS : [...CSV_COLUMNS, ...VERDICT_COLUMNS], style),
  lines(listed, style) {
    const cells = Object.values(PAGE_COLUMNS);
    return table(
      listed.map(({ page, sitemap }) => {
        const verdict = style.verdictOf?.(page.url);
        const own = cells.map((cell) => cell(page, sitemap.url, style));
        return verdict === undefined ? own : [...own, ...verdictCells(verdict)];
      }),
      style,
    );
  },
};

export const csvOfSitemaps: SitemapFormat = {
  header: (style) => header(CSV_SITEMAP_COLUMNS, style),
  lines(rows, style) {
    const cells = Object.values(SITEMAP_COLUMNS);
    return table(
      rows.map((row) => cells.map((cell) => cell(row, style))),
      style,
    );
  },
};

function header(columns: readonly string[], { site }: Style): string {
  return `${[...columns, ...(site === undefined ? [] : ['site'])].join(',')}\n`;
}

function table(rows: readonly (readonly CsvCell[])[], { site, isRaw }: Style): string {
  const whole = site === undefined ? rows : rows.map((row) => [...row, site]);
  return csvLines(whole, isRaw);
}

function words(list: readonly string[] | undefined): string | undefined {
  return list?.join(', ');
}

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
