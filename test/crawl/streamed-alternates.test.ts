/** §9: alternates that wait in a spool come out as they went in, wherever its blocks end. */
import { expect, test } from 'vitest';
import { StreamedAlternates } from '../../src/crawl/streamed-alternates.ts';
import { streamPages } from '../../src/index.ts';
import { SitemapPage } from '../../src/parse/model/page.ts';
import type { StreamedSitemap } from '../../src/read/streaming-reader.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { testIf } from '../support/collected.ts';
import { DECLARED, siteOf, urlsOf } from '../support/crawled-site.ts';
import { folder } from '../support/folder.ts';
import { openSpools, SHOWS_OPEN_FILES } from '../support/sitemaps.ts';

const sitemap: StreamedSitemap = {
  kind: 'pages-xml',
  url: 'https://example.org/sitemap.xml',
  lastModified: undefined,
  parentUrls: new Set(),
  freshness: undefined,
};

// A block ends inside a character of three bytes with at least one of these.
test.each(['', 'x', 'xx'])('more than one block of them, %j in front', async (front) => {
  const hrefs = Array.from(
    { length: 1200 },
    (_, at) => `https://example.org/${front}${at}/${'€'.repeat(100)}`,
  );
  hrefs[0] = `https://example.org/${front}`;
  const alternates = hrefs.map((href) => ({ hreflang: 'de', href }));
  const waiting = new StreamedAlternates(new Spool({ memoryBytes: 1e6 }));
  waiting.note([{ page: new SitemapPage({ url: 'https://example.org/', alternates }), sitemap }]);
  const found: string[] = [];
  for await (const pages of waiting.pages()) found.push(...urlsOf(pages.map(({ page }) => page)));
  waiting.close();
  expect(found).toEqual(hrefs.filter((href) => href !== 'https://example.org/'));
});

test('one that a later sitemap lists as a page is left out, and so is one that was named before', async () => {
  const pageOf = (url: string, ...hrefs: readonly string[]): SitemapPage =>
    new SitemapPage({ url, alternates: hrefs.map((href) => ({ hreflang: 'de', href })) });
  const other = { ...sitemap, url: 'https://example.org/de.xml' };
  const waiting = new StreamedAlternates(new Spool({ memoryBytes: 1e6 }));
  const [en, de, fr, it, es, pt] = ['en', 'de', 'fr', 'it', 'es', 'pt'].map(
    (name) => `https://example.org/${name}/`,
  );
  waiting.note([{ page: pageOf(en!, en!, de!, fr!, es!), sitemap }]);
  waiting.note([{ page: pageOf(de!, en!, fr!, it!), sitemap: other }]);
  waiting.note([{ page: pageOf(es!), sitemap: other }]);
  waiting.note([{ page: pageOf(en!, pt!), sitemap }]);
  const found: string[] = [];
  for await (const pages of waiting.pages()) {
    for (const { page, sitemap: shownBy } of pages) found.push(`${page.url} ${shownBy.url}`);
  }
  waiting.close();
  expect(found).toEqual([`${fr} ${sitemap.url}`, `${it} ${other.url}`, `${pt} ${sitemap.url}`]);
});

testIf(SHOWS_OPEN_FILES)(
  'their temporary file is closed with a stream that is left before its end',
  async () => {
    const alternate = '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>';
    const url = `<url><loc>https://example.org/</loc>${alternate}</url>`;
    const body =
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">';
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': `${body}${url}</urlset>` });
    const spoolDirectory = folder();
    const options = { ...DECLARED, listAlternates: true, spoolMemoryBytes: 0, spoolDirectory };
    for await (const { page } of streamPages(server.origin, options)) {
      if (page.url.endsWith('.org/')) continue;
      expect(openSpools(spoolDirectory)).toHaveLength(1);
      break;
    }
    expect(openSpools(spoolDirectory)).toEqual([]);
  },
);
