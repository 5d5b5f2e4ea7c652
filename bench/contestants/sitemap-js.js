/** sitemap (sitemap.js), the usual library for this in JavaScript, as its documentation uses it. */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { XMLToSitemapItemStream } from 'sitemap';
import { versionOf } from './version.js';

export const name = 'sitemap.js';
export const version = versionOf('sitemap');

/** As a file would come; one chunk of 8 MB only makes it slower. */
const CHUNK = 64 * 1024;

export async function pages({ documents }, reader) {
  for (const document of documents) for await (const item of itemsOf(document)) readPage(item, reader);
}

/**
 * One document: the url of each page, by events. An iterator over the same stream loses what is still in its buffer
 * when the parser meets a fault; a listener has it by then.
 */
export async function document({ documents: [bytes] }, reader) {
  const items = itemsOf(bytes);
  items.on('data', ({ url }) => reader.page(url));
  await finished(items);
}

export async function rich({ documents }, reader) {
  for (const document of documents) {
    for await (const item of itemsOf(document)) {
      readPage(item, reader);
      const { news, img, video, links } = item;
      const { name: publication, language } = news.publication;
      reader.news(news.title, publication, language, new Date(news.publication_date));
      for (const { url, title, caption } of img) reader.image(url, title, caption);
      for (const { thumbnail_loc: thumbnail, title, description, content_loc: content, ...more } of video) {
        const date = new Date(more.publication_date);
        reader.video(thumbnail, title, description, content, Number(more.duration), date);
      }
      for (const { lang, url } of links) reader.alternate(lang, url);
    }
  }
}

function itemsOf(document) {
  return Readable.from(chunksOf(document)).pipe(new XMLToSitemapItemStream({ logger: false }));
}

function* chunksOf(document) {
  for (let at = 0; at < document.length; at += CHUNK) yield document.subarray(at, at + CHUNK);
}

function readPage({ url, lastmod, priority, changefreq }, reader) {
  reader.page(url, lastmod === undefined ? undefined : new Date(lastmod), priority ?? 0.5, changefreq);
}
