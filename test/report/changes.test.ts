/** §13: what changed since an earlier tree. */
import { expect, test } from 'vitest';
import { reportHtml, type Sitemap, sitemapFromString } from '../../src/index.ts';
import { DocumentPages } from '../../src/sitemap/page-source.ts';
import { IndexWebsiteSitemap, PagesXMLSitemap } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { pagesNode, SITE, urlset } from '../support/trees.ts';

async function htmlOf(tree: Sitemap, { before }: { readonly before: Sitemap }): Promise<string> {
  let html = '';
  for await (const piece of reportHtml(tree, { findings: [], before })) html += piece;
  return html;
}

test('changes since an earlier tree are counted and shown', async () => {
  const spool = new Spool({ memoryBytes: 1_000_000 });
  const site = (...paths: readonly string[]) =>
    new IndexWebsiteSitemap({
      url: SITE,
      complete: true,
      subSitemaps: [pagesNode(spool, 'a.xml', ...paths)],
      documents: spool,
    });
  const html = await htmlOf(site('kept', 'new'), { before: site('kept', 'old') });
  expect(html).toMatch(
    /<strong>1<\/strong> added[\s\S]*\/new<[\s\S]*<strong>0<\/strong> changed[\s\S]*<strong>1<\/strong> removed[\s\S]*\/old</,
  );
});

test.each([
  ['2026-01-17T01:02:03Z', '2026-01-17T04:05:06.700Z', '2026-01-17T01:02:03Z → 2026-01-17T04:05:06.700Z'],
  ['2026-01-17', '2026-01-17T04:05:06Z', '2026-01-17T00:00:00Z → 2026-01-17T04:05:06Z'],
  ['2026-01-17T01:02:03Z', '2026-01-18T01:02:03Z', '2026-01-17 → 2026-01-18'],
])('a date that changed from %s to %s shows the time where the day is equal', async (from, to, shown) => {
  const tree = (date: string) =>
    sitemapFromString(`<urlset><url><loc>${SITE}p</loc><lastmod>${date}</lastmod></url></urlset>`, {
      url: `${SITE}a.xml`,
    });
  expect(await htmlOf(await tree(to), { before: await tree(from) })).toContain(`lastmod ${shown}<`);
});

test('the heading has the day on which the earlier tree was read', async () => {
  const spool = new Spool({ memoryBytes: 1_000_000 });
  const readOn = (day: string): Sitemap => {
    const url = `${SITE}a.xml`;
    const writer = spool.writer();
    void writer.write(Buffer.from(urlset('p')));
    const options = { url, charset: undefined };
    const document = writer.end({ options, requestedAt: Date.parse(day), truncatedBy: undefined });
    return new PagesXMLSitemap({ url, pages: new DocumentPages(document), facts: { document } });
  };
  const html = await htmlOf(readOn('2016-02-03'), { before: readOn('2015-01-02') });
  expect(html).toContain('<h2>Changes since 2015-01-02</h2>');
});
