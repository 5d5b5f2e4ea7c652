/** §11.2: what a later call sees of an earlier tree. */
import { expect, onTestFinished, test } from 'vitest';
import { DocumentPages } from '../../src/sitemap/page-source.ts';
import { Previous } from '../../src/sitemap/previous.ts';
import { IndexXMLSitemap, PagesXMLSitemap } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { SITE, urlset } from '../support/trees.ts';

const url = `${SITE}a.xml`;

test.each([
  ['the older one first', ['older', 'newer']],
  ['the newer one first', ['newer', 'older']],
])('of two versions of one document the newer one counts: %s', (_order, paths) => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const subSitemaps = paths.map((path) => {
    const writer = spool.writer();
    void writer.write(Buffer.from(urlset(path)));
    const requestedAt = Date.UTC(2024, 4, path === 'newer' ? 7 : 6);
    const options = { url, charset: undefined };
    const document = writer.end({ options, requestedAt, truncatedBy: undefined });
    return new PagesXMLSitemap({ url, pages: new DocumentPages(document), facts: { document } });
  });
  const tree = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps });
  const previous = new Previous(tree);
  onTestFinished(() => {
    previous.close();
    spool.close();
  });
  const [earlier, ...others] = previous.documents;
  expect(others).toEqual([]);
  expect(earlier?.goodAt).toBe(Date.UTC(2024, 4, 7));
  expect([...(earlier?.node.pages ?? [])].map((page) => page.url)).toEqual([`${SITE}newer`]);
  expect(previous.document(url)).toBe(earlier);
});
