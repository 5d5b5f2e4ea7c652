/** fast-xml-parser, which makes an object of the whole document. It is spared guessing at the types of values. */
import { XMLParser } from 'fast-xml-parser';
import { versionOf } from './version.js';

export const name = 'fast-xml-parser';
export const version = versionOf('fast-xml-parser');

export function pages({ documents }, reader) {
  const parser = new XMLParser({ parseTagValue: false });
  for (const document of documents) {
    for (const { loc, lastmod, priority, changefreq } of parser.parse(text(document)).urlset.url) {
      reader.page(loc, new Date(lastmod), priority === undefined ? 0.5 : Number(priority), changefreq);
    }
  }
}

export function rich({ documents }, reader) {
  const parser = new XMLParser({ parseTagValue: false, ignoreAttributes: false, attributeNamePrefix: '' });
  for (const document of documents) {
    for (const entry of parser.parse(text(document)).urlset.url) {
      reader.page(entry.loc, new Date(entry.lastmod), 0.5, undefined);
      const news = entry['news:news'];
      const { 'news:name': publication, 'news:language': language } = news['news:publication'];
      reader.news(news['news:title'], publication, language, new Date(news['news:publication_date']));
      for (const image of entry['image:image']) {
        reader.image(image['image:loc'], image['image:title'], image['image:caption']);
      }
      const video = entry['video:video'];
      reader.video(
        video['video:thumbnail_loc'],
        video['video:title'],
        video['video:description'],
        video['video:content_loc'],
        Number(video['video:duration']),
        new Date(video['video:publication_date']),
      );
      for (const { hreflang, href } of entry['xhtml:link']) reader.alternate(hreflang, href);
    }
  }
}

export function feed({ documents }, reader) {
  const parser = new XMLParser({ parseTagValue: false, ignoreAttributes: false, attributeNamePrefix: '' });
  for (const document of documents) {
    const { rss, feed: atom } = parser.parse(text(document));
    for (const entry of rss?.channel.item ?? atom.entry) {
      const date = new Date(entry.pubDate ?? entry.published);
      reader.page(entry.link.href ?? entry.link, date, 0.5, undefined);
      reader.news(entry.title, undefined, undefined, date);
    }
  }
}

function text(document) {
  return new TextDecoder().decode(document);
}
