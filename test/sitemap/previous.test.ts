/** §11.2: what a later call sees of an earlier tree. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FetchFacts } from '../../src/sitemap/kept-document.ts';
import { DocumentPages } from '../../src/sitemap/page-source.ts';
import { type EarlierDocument, Previous } from '../../src/sitemap/previous.ts';
import { IndexXMLSitemap, PagesXMLSitemap, type Sitemap } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { documentKey } from '../../src/url.ts';
import { SITE, urlset } from '../support/trees.ts';

const url = `${SITE}a.xml`;

/** What a later call sees of a tree of these nodes; closed when the test ends. */
function previousOf(nodes: (pagesAt: PagesAt) => readonly Sitemap[]): Previous {
  const spool = new Spool({ memoryBytes: 1e6 });
  const pagesAt: PagesAt = (at, path, day, fields, facts) => {
    const writer = spool.writer();
    void writer.write(Buffer.from(urlset(path)));
    const options = { url: at, charset: undefined };
    const requestedAt = Date.UTC(2024, 4, day);
    const document = writer.end({ options, requestedAt, truncatedBy: undefined });
    const pages = new DocumentPages(document);
    return new PagesXMLSitemap({ url: at, pages, ...fields, facts: { document, ...facts } });
  };
  const previous = new Previous(
    new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: nodes(pagesAt) }),
  );
  onTestFinished(() => {
    previous.close();
    spool.close();
  });
  return previous;
}

/** A sitemap with one page that was requested on a day of May 2024. */
type PagesAt = (
  url: string,
  path: string,
  day: number,
  fields?: { readonly declaredUrl: string },
  facts?: Partial<FetchFacts>,
) => PagesXMLSitemap;

test.each([
  ['the older one first', ['older', 'newer']],
  ['the newer one first', ['newer', 'older']],
])('of two versions of one document the newer one counts: %s', (_order, paths) => {
  const previous = previousOf((pagesAt) => paths.map((path) => pagesAt(url, path, path === 'newer' ? 7 : 6)));
  const [earlier, ...others] = previous.documents;
  expect(others).toEqual([]);
  expect(earlier?.goodAt).toBe(Date.UTC(2024, 4, 7));
  expect([...(earlier?.node.pages ?? [])].map((page) => page.url)).toEqual([`${SITE}newer`]);
  expect(previous.document(url)).toBe(earlier);
});

test.each([
  ['itself first', [0, 1, 2]],
  ['itself last', [2, 1, 0]],
])('a URL leads to what it responded with itself, before what it redirected to: %s', (_order, order) => {
  const target = `${SITE}target.xml`;
  const alias = `${SITE}alias.xml`;
  const previous = previousOf((pagesAt) => {
    const itself = pagesAt(url, 'itself', 6);
    const redirected = pagesAt(target, 'target', 7, { declaredUrl: url });
    const other = pagesAt(target, 'target', 7, { declaredUrl: alias });
    return order.map((at) => [itself, redirected, other][at]!);
  });
  expect([url, target, alias].map((each) => previous.document(each)?.url)).toEqual([url, target, target]);
});

test('a document that nothing declares any more has the indexes that declared it, not the place that it has now', () => {
  const undeclared = { since: 2, parents: ['', `${SITE}former.xml`] };
  const previous = previousOf((pagesAt) => [
    pagesAt(url, 'a', 6, undefined, { unread: { runs: 1, undeclared } }),
    pagesAt(`${SITE}b.xml`, 'b', 6),
  ]);
  const parentsOf = (each: string) => [...(previous.document(each)?.parents ?? [])];
  expect(parentsOf(url)).toEqual(['', documentKey(`${SITE}former.xml`)]);
  expect(parentsOf(`${SITE}b.xml`)).toEqual([documentKey(`${SITE}index.xml`)]);
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
