/**
 * The sitemap parser of Crawlee, as a stream of its items. Over HTTP even where others have the bytes in memory: for
 * content that it is given, version 3.18 computes a hash of the whole document for each page in it, which takes minutes
 * for one document of 50,000 pages and says nothing about its parser.
 */
import { parseSitemap, RobotsTxtFile } from '@crawlee/utils';
import { versionOf } from './version.js';

export const name = 'Crawlee';
export const version = versionOf('@crawlee/utils');

/** One document: the url of each page, as they come. */
export async function document({ url }, reader) {
  for await (const { loc } of itemsOf([{ type: 'url', url }])) reader.page(loc);
}

export async function site({ homepage }, reader) {
  const robotsTxt = await RobotsTxtFile.find(homepage);
  const sources = robotsTxt.getSitemaps().map((url) => ({ type: 'url', url }));
  for await (const { loc, lastmod, priority, changefreq } of itemsOf(sources)) {
    reader.page(loc, lastmod, priority ?? 0.5, changefreq);
  }
}

function itemsOf(sources) {
  // The pages are not on the host that their sitemaps are on.
  return parseSitemap(sources, undefined, { enqueueStrategy: 'all' });
}
