/**
 * `csv`: one page a row, below a row of names. The columns are fixed; new ones will be added at the end. Where a page has
 * several of something, they stand in one cell, separated by a space (URLs) or a comma and a space (words).
 */
import { stringify } from 'csv-stringify/sync';
import type { SitemapPage } from '../../index.ts';
import type { PageFormat, Style } from './format.ts';

type Cell = (page: SitemapPage, sitemapUrl: string, style: Style) => string | number | undefined;

const COLUMNS: Readonly<Record<string, Cell>> = {
  url: (page, _sitemap, { shorten }) => shorten(page.url),
  sitemap: (_page, sitemap, { shorten }) => shorten(sitemap),
  lastModified: (page) => page.lastModified?.toISOString(),
  priority: (page) => page.priority,
  changeFrequency: (page) => page.changeFrequency,
  newsTitle: ({ newsStory }) => newsStory?.title,
  newsPublishDate: ({ newsStory }) => newsStory?.publishDate?.toISOString(),
  newsPublicationName: ({ newsStory }) => newsStory?.publicationName,
  newsPublicationLanguage: ({ newsStory }) => newsStory?.publicationLanguage,
  newsGenres: ({ newsStory }) => newsStory?.genres.join(', '),
  newsKeywords: ({ newsStory }) => newsStory?.keywords.join(', '),
  images: ({ images }, _sitemap, { shorten }) => images.map(({ loc }) => shorten(loc)).join(' '),
  videos: ({ videos }, _sitemap, { shorten }) =>
    videos.map((video) => shorten(video.contentLoc ?? video.playerLoc ?? video.title ?? '')).join(' '),
  alternates: ({ alternates }, _sitemap, { shorten }) =>
    alternates.map(({ hreflang, href }) => `${hreflang}=${shorten(href)}`).join(' '),
};

/** The names of the columns, in order. */
export const CSV_COLUMNS: readonly string[] = Object.keys(COLUMNS);

export const csv: PageFormat = {
  header: `${CSV_COLUMNS.join(',')}\n`,
  lines(listed, style) {
    const cells = Object.values(COLUMNS);
    const rows = listed.map(({ page, sitemap }) => cells.map((cell) => cell(page, sitemap.url, style)));
    // A cell that starts with =, +, -, @, tab or CR would be a formula to a spreadsheet: it gets a ' in front.
    const text = stringify(rows, { escape_formulas: true, quoted_match: /[\r\n]/ });
    return style.defuse(text);
  },
};
