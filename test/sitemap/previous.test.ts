/** §11.2: what a later call sees of an earlier tree. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { SitemapException } from '../../src/problems/errors.ts';
import type { FetchFacts } from '../../src/sitemap/kept-document.ts';
import type { SitemapFields } from '../../src/sitemap/node-fields.ts';
import { DocumentPages } from '../../src/sitemap/page-source.ts';
import { type EarlierDocument, Previous } from '../../src/sitemap/previous.ts';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../src/sitemap/sitemap.ts';
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

describe('§11.2 an earlier tree as a whole', () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const documentOf = (at: string, requestedAt: number | null = 5, head = '') => {
    const writer = spool.writer(Buffer.from(head));
    writer.write(Buffer.from(urlset('1')));
    return writer.end({
      options: { url: at, charset: undefined },
      requestedAt: requestedAt ?? undefined,
      truncatedBy: undefined,
    });
  };
  const node = (
    name: string,
    fields: Partial<SitemapFields> = {},
    facts: Partial<FetchFacts> = {},
  ): Sitemap => {
    const document = documentOf(`${SITE}${name}`);
    const pages = new DocumentPages(document);
    return new PagesXMLSitemap({ url: `${SITE}${name}`, pages, ...fields, facts: { document, ...facts } });
  };
  const indexOf = (
    name: string,
    subSitemaps: readonly Sitemap[],
    fields: Partial<SitemapFields> = {},
  ): Sitemap =>
    new IndexXMLSitemap({
      url: `${SITE}${name}`,
      subSitemaps,
      ...fields,
      facts: { document: documentOf(`${SITE}${name}`) },
    });
  const undeclared = { unread: { runs: 3, undeclared: { since: 1, parents: [''] } } };
  const keysOf = (...names: readonly string[]) =>
    names.map((name) => (name === '' ? '' : documentKey(SITE + name)));

  function siteOf(): Previous {
    const shared = node('shared.xml', { lastModified: new Date(1) });
    const inner = indexOf('inner.xml', [shared]);
    const robots = new IndexRobotsTxtSitemap({
      url: `${SITE}robots.txt`,
      subSitemaps: [
        indexOf('outer.xml', [
          inner,
          new InvalidSitemap({
            url: `${SITE}gone.xml`,
            code: 'timeout',
            reason: 'x',
            facts: { unread: { runs: 2 } },
          }),
        ]),
      ],
      facts: { document: documentOf(`${SITE}robots.txt`) },
    });
    const redirected = node('new.xml', { declaredUrl: `${SITE}sitemap.xml` });
    const tree = new IndexWebsiteSitemap({
      url: SITE,
      complete: true,
      subSitemaps: [
        robots,
        redirected,
        shared,
        node('former.xml', {}, undeclared),
        new InvalidSitemap({ url: `${SITE}known.xml`, code: 'timeout', reason: 'x' }),
      ],
      redirectedTo: ['https://www.example.org/'],
      run: 7,
    });
    const previous = new Previous(tree);
    onTestFinished(() => previous.close());
    return previous;
  }

  test('has what was tried, its redirects, its run, and how many places something declares', () => {
    const previous = siteOf();
    expect([previous.triedUrls, previous.redirectedTo, previous.run, previous.places]).toEqual([
      [`${SITE}sitemap.xml`, `${SITE}shared.xml`],
      ['https://www.example.org/'],
      7,
      6,
    ]);
    expect(
      Array.from(previous.documents, ({ url: at, isIndex }) => [at.slice(SITE.length), isIndex]),
    ).toEqual([
      ['robots.txt', true],
      ['outer.xml', true],
      ['inner.xml', true],
      ['shared.xml', false],
      ['new.xml', false],
      ['former.xml', false],
    ]);
  });

  test('a tree of one sitemap has nothing that was tried, and no run', () => {
    const previous = previousOf((pagesAt) => [pagesAt(url, 'a', 6)]);
    expect([previous.triedUrls, previous.redirectedTo, previous.run, previous.places]).toEqual([
      [],
      [],
      0,
      2,
    ]);
  });

  test('knows each URL that it has a place for, and the runs that did not read it', () => {
    const previous = siteOf();
    const names = ['gone.xml', 'known.xml', 'sitemap.xml', 'new.xml', 'former.xml', 'other.xml', ''];
    expect(names.map((name) => previous.isKnown(SITE + name))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(names.map((name) => previous.unread(SITE + name)?.runs)).toEqual([
      2,
      undefined,
      undefined,
      undefined,
      3,
      undefined,
      undefined,
    ]);
  });

  test('a document has the indexes that lead to it, at any depth and at each of its places', () => {
    const previous = siteOf();
    const ofName = (name: string): EarlierDocument => previous.document(SITE + name)!;
    expect([...ofName('shared.xml').parents]).toEqual(keysOf('inner.xml', ''));
    expect([...ofName('new.xml').requestedUrls]).toEqual([`${SITE}sitemap.xml`]);
    expect(ofName('sitemap.xml')).toBe(ofName('new.xml'));
    expect([...previous.ancestorsOf(ofName('shared.xml'))]).toEqual(
      keysOf('inner.xml', '', 'outer.xml', 'robots.txt'),
    );
    expect([...previous.ancestorsOf(ofName('robots.txt'))]).toEqual(keysOf(''));
    const looped = previousOf(() => [indexOf('a.xml', [indexOf('b.xml', [indexOf('a.xml', [])])])]);
    expect([...looped.ancestorsOf(looped.document(`${SITE}a.xml`)!)]).toEqual(
      keysOf('index.xml', 'b.xml', 'a.xml'),
    );
  });

  test('its problems are those of the document, not those of its place', () => {
    const problems = (['bad-date', 'stale', 'too-many-sitemaps', 'truncated'] as const).map((code) => ({
      code,
      message: code,
    }));
    const previous = previousOf(() => [node('a.xml', { problems, problemCount: 9 })]);
    const { kept, count } = previous.document(url)!.problems;
    expect([kept.map(({ code }) => code), count]).toEqual([['bad-date', 'truncated'], 7]);
  });

  test('a document that was not fetched is none, and a truncated one has no validators', async () => {
    const head = 'HTTP/1.1 200 OK\r\nX-ETag: no\r\nETag:"v:1" \r\n';
    const document = documentOf(url, 5, head);
    const facts = { document };
    const fields = { url, pages: new DocumentPages(document), facts };
    const validatorsOf = (truncated: boolean) =>
      previousOf(() => [new PagesXMLSitemap({ ...fields, truncated })])
        .document(url)!
        .validators();
    expect(await validatorsOf(false)).toEqual({ url, etag: '"v:1"', lastModified: undefined });
    expect(await validatorsOf(true)).toBeUndefined();
    const local = documentOf(url, null);
    const previous = previousOf(() => [
      new PagesXMLSitemap({ url, pages: new DocumentPages(local), facts: { document: local } }),
    ]);
    expect([previous.document(url), previous.isKnown(url), previous.places]).toEqual([undefined, false, 2]);
  });

  test('a damaged document, or one whose redirect is damaged, is not intact; another error is thrown', async () => {
    const checked = (code: string | undefined) => ({
      ...documentOf(url),
      head: async () => (code === undefined ? '' : Promise.reject(new SitemapException('x', { code }))),
      check: async () => {
        if (code !== undefined) throw new SitemapException('x', { code });
      },
    });
    const earlier = (code: string | undefined, ...hops: readonly (string | undefined)[]): EarlierDocument => {
      const document = Object.assign(documentOf(url), checked(code));
      const facts = { document, hops: hops.map((hop) => Object.assign(documentOf(url), checked(hop))) };
      return previousOf(() => [
        new PagesXMLSitemap({ url, pages: new DocumentPages(document), facts }),
      ]).document(url)!;
    };
    const damaged = 'archive-damaged';
    expect(
      await Promise.all(
        [earlier(undefined, undefined), earlier(damaged), earlier(undefined, undefined, damaged)].map(
          (each) => each.isIntact(),
        ),
      ),
    ).toEqual([true, false, false]);
    await expect(earlier('tree-closed').isIntact()).rejects.toMatchObject({ code: 'tree-closed' });
    expect(await earlier(damaged).validators()).toBeUndefined();
    await expect(earlier('tree-closed').validators()).rejects.toMatchObject({ code: 'tree-closed' });
  });

  test('what is no tree is refused, and so is a closed one', () => {
    expect(() => new Previous({} as Sitemap)).toThrow(
      expect.objectContaining({ code: 'bad-option', option: 'previous' }),
    );
    const own = new Spool({ memoryBytes: 1e6 });
    const tree = new IndexWebsiteSitemap({ url: SITE, subSitemaps: [], complete: true, documents: own });
    tree.close();
    expect(() => new Previous(tree)).toThrow(expect.objectContaining({ code: 'tree-closed' }));
  });
});
