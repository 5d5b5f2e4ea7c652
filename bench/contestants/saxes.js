/**
 * saxes, the fastest strict XML parser in JavaScript. It is spared what it could do without: namespaces and positions.
 */
import { SaxesParser } from 'saxes';
import { FeedExtraction, SitemapExtraction } from './sax-extraction.js';
import { versionOf } from './version.js';

export const name = 'saxes';
export const version = versionOf('saxes');

export function pages({ documents }, reader) {
  for (const document of documents) parse(document, new SitemapExtraction(reader));
}

export const rich = pages;

export function feed({ documents }, reader) {
  for (const document of documents) parse(document, new FeedExtraction(reader));
}

function parse(document, extraction) {
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => extraction.open(tag.name, tag.attributes));
  parser.on('text', (piece) => extraction.text(piece));
  parser.on('cdata', (piece) => extraction.text(piece));
  parser.on('closetag', (tag) => extraction.close(tag.name));
  parser.write(new TextDecoder().decode(document)).close();
}
