/** What an open document knows about itself. */
import { describe, expect, test } from 'vitest';
import { charsetOf } from '../../src/fetch/client/web-client.ts';
import { SitemapException, sitemapFromUrl } from '../../src/index.ts';
import { FAILURES, FETCH_PROBLEMS } from '../../src/problems/catalogue.ts';
import { codes, fetched, opened, readAll, serving } from '../support/fetching.ts';

describe('§2 the charset of the HTTP header', () => {
  test.each([
    ['text/xml; charset=UTF-8', 'utf-8'],
    ['text/xml;charset="ISO-8859-1"', 'iso-8859-1'],
    ["text/xml; charset='windows-1252'", 'windows-1252'],
    ['text/xml; version=1 ; CharSet = koi8-r ; x=y', 'koi8-r'],
    ['text/xml; charset=', undefined],
    ['text/xml; charset=""', undefined],
    ['text/xml', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j: %j', (header, charset) => expect(charsetOf(header)).toBe(charset));
});

describe('a 206 that was not asked for', () => {
  test.each([
    ['bytes 0-3/10', ['partial-content'], true],
    ['bytes 6-9/10', ['partial-content'], true],
    ['bytes 0-3/4', [], false],
    ['bytes 0-3/*', [], false],
    ['lines 0-3/10', [], false],
    [`bytes 0-3/${'9'.repeat(1000)}`, [], false],
    ['', [], false],
  ])('with Content-Range %j has the problems %j', async (range, problems, truncated) => {
    const headers = { 'content-range': range };
    const server = await serving({ '/s.txt': { status: 206, headers, body: 'part' } });
    const { text, end } = await readAll(await fetched(server, '/s.txt'));
    expect(text).toBe('part');
    expect(codes(end)).toEqual(problems);
    expect(end.truncated).toBe(truncated);
  });
});

test('a document knows its URL, charset and headers', async () => {
  const server = await serving({
    '/s.xml': {
      status: 203,
      headers: { 'content-type': 'text/xml; charset=latin1', link: '</feed>; rel="alternate"' },
      body: 'x',
    },
  });
  const document = opened(await fetched(server, '/s.xml#part'));
  expect(document).toMatchObject({
    type: 'document',
    url: `${server.origin}/s.xml`,
    redirected: false,
    response: { charset: 'latin1' },
  });
  expect(document.response.header('Link')).toBe('</feed>; rel="alternate"');
  expect(document.response.header('nothing')).toBeNull();
  expect(document.end).toBeUndefined();
  expect(await readAll(document)).toMatchObject({ text: 'x', end: { truncated: false } });
});

test.each([200, 204])('an empty body with status %i is an empty document', async (status) => {
  const server = await serving({ '/s.xml': { status } });
  const { text, end } = await readAll(await fetched(server, '/s.xml'));
  expect(text).toBe('');
  expect(end).toEqual({ truncated: false, problems: [] });
});

test('every code has a sentence', () => {
  for (const [code, sentence] of Object.entries({ ...FETCH_PROBLEMS, ...FAILURES })) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(sentence).toMatch(/^[A-Z].*[.]$/s);
  }
});

test('a failure is a value: no stack is recorded for it, and errors of others keep theirs', async () => {
  const failed = await sitemapFromUrl('http://127.0.0.1:1/sitemap.xml', { proxy: false, retries: 0 });
  if (failed.kind !== 'invalid') throw new Error(`a sitemap of kind ${failed.kind}`);
  const { error } = failed;
  expect(error).toBeInstanceOf(SitemapException);
  expect((error as SitemapException).stack).toBe(`SitemapException: ${failed.reason}`);
  expect(new Error('another').stack).toContain('document.test.ts');
});
