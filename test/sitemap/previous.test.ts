/** §11.2: what a later call sees of an earlier tree. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FetchFacts } from '../../src/sitemap/kept-document.ts';
import { DocumentPages } from '../../src/sitemap/page-source.ts';
import { type EarlierDocument, Previous } from '../../src/sitemap/previous.ts';
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

describe('§11.2 a document of an earlier tree', () => {
  const REQUESTED = Date.UTC(2024, 4, 6);

  /** The document that is shown at a place for each of these dates. */
  function earlierOf(dates: readonly string[], head = '', facts: Partial<FetchFacts> = {}): EarlierDocument {
    const spool = new Spool({ memoryBytes: 1e6 });
    const writer = spool.writer(Buffer.from(head));
    writer.write(Buffer.from(urlset('1')));
    const options = { url, charset: undefined };
    const document = writer.end({ options, requestedAt: REQUESTED, truncatedBy: undefined });
    const pages = new DocumentPages(document);
    const subSitemaps = dates.map(
      (date) =>
        new PagesXMLSitemap({
          url,
          pages,
          lastModified: date === '' ? undefined : new Date(date),
          facts: { document, ...facts },
        }),
    );
    const previous = new Previous(new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps }));
    onTestFinished(() => {
      previous.close();
      spool.close();
    });
    return previous.document(url)!;
  }

  test.each<[string, readonly string[], string | undefined]>([
    ['one place', ['2013-05-06'], '2013-05-06'],
    ['two places with the same date', ['2013-05-06', '2013-05-06T00:00Z'], '2013-05-06'],
    ['two places with other dates', ['2013-05-06', '2013-05-07'], undefined],
    ['a date at the first place alone', ['2013-05-06', ''], undefined],
    ['a date at the second place alone', ['', '2013-05-06'], undefined],
  ])('has the time that all its indexes declare: %s', (_what, dates, time) => {
    expect(earlierOf(dates).declaredTime).toBe(time === undefined ? undefined : Date.parse(time));
  });

  test.each(['etag', 'ETag', 'ETAG'])(
    'has its validators, however its head writes the name: %s',
    async (name) => {
      const head = `HTTP/1.1 200 OK\r\n${name}: "v1"\r\n${name}: "v2"\r\nLast-Modified: then\r\n`;
      expect(await earlierOf([''], head).validators()).toEqual({ url, etag: '"v1"', lastModified: 'then' });
      const validators = { etag: '"v3"' };
      expect(await earlierOf([''], head, { validators }).validators()).toEqual({ url, ...validators });
    },
  );

  test('was good when it was requested, or when it was found to be the same later', () => {
    expect(earlierOf(['']).goodAt).toBe(REQUESTED);
    expect(earlierOf([''], '', { checkedAt: REQUESTED + 1 }).goodAt).toBe(REQUESTED + 1);
  });
});
