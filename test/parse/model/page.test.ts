/** What a page shows of itself: in Node's console, all that it carries. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { parseSitemap } from '../../../src/parse/index.ts';

test('console.log shows a page with its date and its alternates', () => {
  const [item] = parseSitemap(
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url>' +
      '<loc>https://example.org/</loc><lastmod>2024-05-06</lastmod>' +
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de"/></url></urlset>',
  );
  const shown = inspect(item?.type === 'page' ? item.page : undefined);
  expect(shown).toMatch(/^SitemapPage \{/);
  expect(shown).toContain('2024-05-06T00:00:00.000Z');
  expect(shown).toContain("hreflang: 'de'");
});
