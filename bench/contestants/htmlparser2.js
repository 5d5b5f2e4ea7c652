/** htmlparser2, the fastest tolerant parser in JavaScript, in its XML mode. */
import { Parser } from 'htmlparser2';
import { FeedExtraction, SitemapExtraction } from './sax-extraction.js';
import { versionOf } from './version.js';

export const name = 'htmlparser2';
export const version = versionOf('htmlparser2');

export function pages({ documents }, reader) {
  for (const document of documents) parse(document, new SitemapExtraction(reader));
}

export const rich = pages;

// With the same few lines as for saxes: its own parseFeed makes a whole document first.
export function feed({ documents }, reader) {
  for (const document of documents) parse(document, new FeedExtraction(reader));
}

function parse(document, extraction) {
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => extraction.open(tag, attributes),
      ontext: (piece) => extraction.text(piece),
      onclosetag: (tag) => extraction.close(tag),
    },
    { xmlMode: true },
  );
  parser.end(new TextDecoder().decode(document));
}
