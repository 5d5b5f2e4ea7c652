/** §2, §5: what a node is made of, and why a document that ends too early failed. */
import { describe, expect, test } from 'vitest';
import { SitemapException, SitemapXMLParsingException, sitemapFromString } from '../../src/index.ts';
import {
  type IndexOutcome,
  type InvalidOutcome,
  notASitemap,
  type PagesOutcome,
  recursion,
  redirectedFrom,
  treeNodes,
  unlessCut,
} from '../../src/read/outcome.ts';
import { index } from '../support/documents.ts';

const URL = 'https://example.org/s.xml';

describe('§2 of two causes for a missing end, the fault of the server is the reason', () => {
  const tooLarge = { code: 'too-large', message: 'The document is larger than 100 bytes.' } as const;
  const broken = { code: 'connection-broke', message: 'The connection broke.' } as const;
  const unsure = notASitemap(URL, { what: 'text', words: 'a text' });

  test.each([
    [[tooLarge, broken], 'bad-response', /: the connection broke\.$/i],
    [[broken, tooLarge], 'bad-response', /: the connection broke\.$/i],
    [[tooLarge], 'not-a-sitemap', /\(too-large\)\.$/],
    [[], 'not-a-sitemap', /: it is a text\.$/],
  ])('%j', (problems, code, reason) => {
    const outcome = unlessCut(URL, unsure, { problems, truncated: true });
    expect(outcome).toMatchObject({ type: 'invalid', code, reason: expect.stringMatching(reason) });
  });
});

test('§7 the problems of an index that a limit adds are counted too', async () => {
  const text = index('https://example.org/1', 'https://example.org/2').replace(
    '<sitemap>',
    '<sitemap></sitemap>$&',
  );
  const { problems, problemCount } = await sitemapFromString(text, { maxSitemaps: 1 });
  expect([problems.map(({ code }) => code), problemCount]).toEqual([
    ['entry-without-loc', 'too-many-sitemaps'],
    2,
  ]);
});

describe('§2 a document that is not a sitemap and whose end is missing', () => {
  const broken = { code: 'connection-broke', message: 'The rest could not be read.' } as const;
  const cut = { problems: [broken], truncated: true };

  test.each([
    ['empty', true],
    ['other-xml', true],
    ['text', true],
    ['html', false],
    ['json', false],
  ] as const)('of the kind %s may be one: %j', (what, isUnsure) => {
    const outcome = notASitemap(URL, { what, words: 'something' });
    const isXml = what === 'other-xml';
    expect(outcome).toMatchObject({ code: 'not-a-sitemap', isUnsure, isHtml: what === 'html' });
    expect(outcome.error).toMatchObject({ code: 'not-a-sitemap', url: URL, message: outcome.reason });
    expect(outcome.error instanceof SitemapXMLParsingException).toBe(isXml);
    expect(unlessCut(URL, outcome, cut).type === 'invalid').toBe(true);
    expect(unlessCut(URL, outcome, cut)).toMatchObject({ code: isUnsure ? 'bad-response' : 'not-a-sitemap' });
    expect(unlessCut(URL, outcome, { problems: [], truncated: true })).toBe(outcome);
  });

  test('failed for the failure of the fetch, with all that is known of it', () => {
    const error = new SitemapException('It timed out.', { code: 'timeout' });
    const failure = {
      ...({ type: 'failed', url: URL, code: 'timeout', reason: 'It timed out.', status: 503 } as const),
      ...{ option: 'sitemapTimeoutMs', mayPass: true, error, responses: [] },
    };
    const outcome = unlessCut(URL, notASitemap(URL, { what: 'empty', words: 'empty' }), { ...cut, failure });
    expect(outcome).toEqual({
      ...{ type: 'invalid', code: 'timeout', reason: 'It timed out.', status: 503 },
      ...{ option: 'sitemapTimeoutMs', error },
    });
  });

  test('is named in the reason and in the error, where its URL is known', () => {
    const unsure = notASitemap(URL, { what: 'empty', words: 'empty' });
    const reasons = [URL, undefined].map((url) => {
      const outcome = unlessCut(url, unsure, cut);
      if (outcome.type !== 'invalid') throw new Error(outcome.type);
      expect(outcome.error).toMatchObject({ code: 'bad-response', message: outcome.reason });
      return [outcome.reason, outcome.error instanceof SitemapException ? outcome.error.url : 'another'];
    });
    expect(reasons).toEqual([
      [`${URL}: the rest could not be read.`, URL],
      ['The rest could not be read.', undefined],
    ]);
  });

  test('is another XML document also where it is larger than allowed, and anything else is too large', () => {
    const tooLarge = { code: 'too-large', message: 'The document is larger than 100 bytes.' } as const;
    const end = { problems: [tooLarge], truncated: true };
    const xml = notASitemap(URL, { what: 'other-xml', words: 'a document with the root <other>' });
    expect(unlessCut(URL, xml, end)).toBe(xml);
    expect(unlessCut(URL, notASitemap(URL, { what: 'text', words: 'a text' }), end)).toMatchObject({
      code: 'not-a-sitemap',
      reason: `${URL}: the document is larger than 100 bytes. Up to there it is not a sitemap (too-large).`,
    });
  });
});

describe('§5 what a node has of the place where it was declared, and of its document', () => {
  const target = 'https://example.org/t.xml';
  const declared = { url: URL, lastModified: new Date(0) };
  const own = { code: 'truncated', message: 'It is cut.' } as const;
  const more = { code: 'too-many-sitemaps', message: 'There are more.' } as const;
  const read = {
    ...{ url: target, status: 203, bytes: 5, crc32: 7, truncated: true, freshness: 'new' as const },
    ...{ problems: [own], problemCount: 3 },
  } as const;
  const pages: PagesOutcome = { ...read, type: 'pages', kind: 'pages-xml', pages: undefined };
  const all: IndexOutcome = { ...read, type: 'index', kind: 'index-xml', entries: [], leftOut: 0 };
  const invalid: InvalidOutcome = { type: 'invalid', code: 'http-status', reason: 'No.', status: 404 };

  test('without a redirect it has the declared URL alone', () => {
    const node = treeNodes.pages(declared, pages);
    expect(node).toMatchObject({ ...read, url: URL, lastModified: declared.lastModified });
    expect(node.declaredUrl).toBeUndefined();
  });

  test('behind a redirect it has both URLs', () => {
    const node = treeNodes.pages(declared, { ...pages, redirected: true });
    expect([node.url, node.declaredUrl]).toEqual([target, URL]);
  });

  test('an index has its own problems first, and those of its place behind them', () => {
    const child = treeNodes.pages(declared, pages);
    const node = treeNodes.index(declared, all, [child], [more], ['https://example.org/f.xml']);
    expect([node.problems, node.problemCount, node.subSitemaps]).toEqual([[own, more], 4, [child]]);
    const filteredUrls = ['https://example.org/f.xml'];
    expect(node).toMatchObject({ kind: 'index-xml', status: 203, truncated: true, filteredUrls });
    const plain = treeNodes.index(declared, all, [], []);
    expect([plain.problems, plain.problemCount]).toEqual([[own], 3]);
  });

  test('an invalid sitemap keeps the declared URL, and says to which one that redirects', () => {
    const outcome = redirectedFrom(URL, target, invalid);
    expect(outcome).toEqual({ ...invalid, target, reason: `${URL} redirects: No.` });
    if (outcome.type !== 'invalid') throw new Error(outcome.type);
    const node = treeNodes.invalid(declared, outcome);
    expect(node).toMatchObject({
      url: URL,
      lastModified: declared.lastModified,
      code: 'http-status',
      status: 404,
    });
  });

  test('a document behind a redirect keeps its facts beside the redirects that led to it', () => {
    const hop = { bytes: 0 } as never;
    const facts = { checkedAt: 5 };
    expect(redirectedFrom(URL, target, { ...pages, facts }, [hop])).toEqual({
      ...pages,
      redirected: true,
      facts: { checkedAt: 5, hops: [hop] },
    });
    expect(redirectedFrom(URL, target, { ...pages, facts })).toEqual({ ...pages, redirected: true, facts });
  });

  test('one that is not read again says why', () => {
    expect(recursion(URL, 'it is an ancestor')).toEqual({
      ...{ type: 'invalid', code: 'recursion' },
      reason: `${URL} was not read again: it is an ancestor (recursion).`,
    });
  });
});
