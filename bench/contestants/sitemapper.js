/**
 * sitemapper, which fetches what it parses. It reads no robots.txt, so it is given the index at once; its timeout is
 * for a whole document, parsing of others included, so it is given time.
 */
import Sitemapper from 'sitemapper';
import { MAX_PASS_SECONDS } from '../measure/processes.js';
import { versionOf } from './version.js';

export const name = 'sitemapper';
export const version = versionOf('sitemapper');

/** One document: the url of each page, which is what it hands over unless it is asked for more. */
export async function document({ url }, reader) {
  const { sites, errors } = await new Sitemapper().fetch(url);
  for (const loc of sites) reader.page(loc);
  if (errors.length > 0) throw new Error(`sitemapper: ${errors[0].message}`);
}

export async function site({ homepage }, reader) {
  const sitemapper = new Sitemapper({
    url: `${homepage}index.xml`,
    timeout: MAX_PASS_SECONDS * 1000,
    fields: { loc: true, lastmod: true, priority: true, changefreq: true },
  });
  const { sites, errors } = await sitemapper.fetch();
  for (const { loc, lastmod, priority, changefreq } of sites) {
    reader.page(loc, new Date(lastmod), priority === undefined ? 0.5 : Number(priority), changefreq);
  }
  // What it could not read is a part of its result, and not the end of it.
  if (errors.length === 0) return {};
  return { isIncomplete: true, note: `${errors.length} errors, the first: ${errors[0].message}` };
}
