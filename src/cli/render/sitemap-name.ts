/** What the formats that show a tree have in common. */
import type { Sitemap } from '../../index.ts';
import type { Style } from './format.ts';

/** The name of a sitemap where people read it: its URL, which only a document from stdin may lack. */
export function sitemapName({ url }: Sitemap, { shorten }: Style): string {
  return url === '' ? 'stdin' : shorten(url);
}
