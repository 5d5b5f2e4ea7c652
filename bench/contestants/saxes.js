/**
 * saxes, the fastest strict XML parser in JavaScript, with the shortest extraction that gives the same pages. It is
 * spared what it could do without: namespaces and positions. Repeated pages are dropped, as we drop them.
 */
import { readFileSync } from 'node:fs';
import { SaxesParser } from 'saxes';

export const name = 'saxes';
export const { version } = JSON.parse(
  readFileSync(new URL('../node_modules/saxes/package.json', import.meta.url), 'utf8'),
);

export function parse(documents, onPage) {
  for (const document of documents) parseOne(new TextDecoder().decode(document), onPage);
}

function parseOne(xml, onPage) {
  const seen = new Set();
  let text = '';
  let url = '';
  let lastModified;
  let priority = 0.5;
  let changeFrequency;
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name: tag }) => {
    text = '';
    if (tag !== 'url') return;
    url = '';
    lastModified = undefined;
    priority = 0.5;
    changeFrequency = undefined;
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('closetag', ({ name: tag }) => {
    switch (tag) {
      case 'loc':
        url = text.trim();
        break;
      case 'lastmod':
        lastModified = new Date(text.trim());
        break;
      case 'priority':
        priority = Number(text);
        break;
      case 'changefreq':
        changeFrequency = text.trim();
        break;
      case 'url':
        if (seen.has(url)) break;
        seen.add(url);
        onPage(url, lastModified, priority, changeFrequency);
    }
  });
  parser.write(xml).close();
}
