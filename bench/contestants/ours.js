/** This library's core, as it is published. */
import { readFileSync } from 'node:fs';
import { parseSitemap } from '../../dist/parse/index.js';

export const name = 'ultimate-sitemap-parser';
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

export function parse(documents, onPage) {
  for (const document of documents) {
    for (const item of parseSitemap(document, { url: 'https://www.example.com/sitemap.xml' })) {
      if (item.type !== 'page') continue;
      const { page } = item;
      onPage(page.url, page.lastModified, page.priority, page.changeFrequency);
    }
  }
}
