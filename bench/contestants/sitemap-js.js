/** sitemap (sitemap.js), the usual library for this in JavaScript, as its documentation uses it. */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { XMLToSitemapItemStream } from 'sitemap';

export const name = 'sitemap.js';
export const { version } = JSON.parse(
  readFileSync(new URL('../node_modules/sitemap/package.json', import.meta.url), 'utf8'),
);

/** As a file would come; one chunk of 8 MB only makes it slower. */
const CHUNK = 64 * 1024;

export async function parse(documents, onPage) {
  for (const document of documents) {
    const items = Readable.from(chunksOf(document)).pipe(new XMLToSitemapItemStream({ logger: false }));
    for await (const { url, lastmod, priority, changefreq } of items) {
      onPage(url, lastmod === undefined ? undefined : new Date(lastmod), priority ?? 0.5, changefreq);
    }
  }
}

function* chunksOf(document) {
  for (let at = 0; at < document.length; at += CHUNK) yield document.subarray(at, at + CHUNK);
}
