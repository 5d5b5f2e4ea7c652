/**
 * `ndjson`: one page per line, as in the tree's JSON, with the URL of its sitemap; with `--no-pages` one sitemap per
 * line.
 */
import type { ListedPage } from '../filter/page-filter.ts';
import type { PageFormat, SitemapFormat, SitemapRow, Style } from './format.ts';
import { pageJson } from './page-json.ts';

export const ndjson: PageFormat = {
  header: () => '',
  lines: (listed, style) => style.defuse(listed.map((one) => line(ofPage(one, style), style)).join('')),
};

export const ndjsonOfSitemaps: SitemapFormat = {
  header: () => '',
  lines: (rows, style) => style.defuse(rows.map((row) => line(ofSitemap(row, style), style)).join('')),
};

function ofPage({ page, sitemap }: ListedPage, style: Style): object {
  return Object.assign(pageJson(page, style), { sitemap: style.shorten(sitemap.url) });
}

function ofSitemap(row: SitemapRow, { shorten }: Style): object {
  const parent = row.parent === undefined ? undefined : shorten(row.parent);
  return { ...row, url: shorten(row.url), parent };
}

// `JSON.stringify` leaves out what is undefined.
function line(value: object, { site }: Style): string {
  return `${JSON.stringify(site === undefined ? value : { ...value, site })}\n`;
}
