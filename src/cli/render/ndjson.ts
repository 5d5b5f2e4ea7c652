/** `ndjson`: one page a line, as in the tree's JSON, with the URL of its sitemap. */
import type { ListedPage } from '../page-filter.ts';
import type { PageFormat, Style } from './format.ts';

export const ndjson: PageFormat = {
  header: '',
  lines: (listed, style) => style.defuse(listed.map((one) => `${line(one, style)}\n`).join('')),
};

function line({ page, sitemap }: ListedPage, { shorten }: Style): string {
  const json = page.toJSON();
  json.url = shorten(page.url);
  return JSON.stringify(Object.assign(json, { sitemap: shorten(sitemap.url) }));
}
