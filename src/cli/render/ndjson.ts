/** `ndjson`: one page a line, as in the tree's JSON, with the URL of its sitemap. */
import type { ListedPage } from '../filter/page-filter.ts';
import type { PageFormat, Style } from './format.ts';
import { pageJson } from './page-json.ts';

export const ndjson: PageFormat = {
  header: '',
  lines: (listed, style) => style.defuse(listed.map((one) => `${line(one, style)}\n`).join('')),
};

function line({ page, sitemap }: ListedPage, style: Style): string {
  return JSON.stringify(Object.assign(pageJson(page, style), { sitemap: style.shorten(sitemap.url) }));
}
