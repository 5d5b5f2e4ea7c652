/** What an open document knows about itself. */
import { describe, expect, test } from 'vitest';
import { charsetOf } from '../../src/fetch/client/web-client.ts';
import { SitemapException, sitemapFromUrl } from '../../src/index.ts';
import type { WebResponse } from '../../src/options/web-seam.ts';
import { FAILURES, FETCH_PROBLEMS } from '../../src/problems/catalogue.ts';
import { Stop } from '../../src/runtime/abort.ts';
import { systemClock } from '../../src/runtime/time.ts';
import { codes, failed, fetched, fetching, opened, readAll, serving } from '../support/fetching.ts';

describe('§2 the charset of the HTTP header', () => {
  test.each([
    ['text/xml; charset=UTF-8', 'utf-8'],
    ['text/xml;charset="ISO-8859-1"', 'iso-8859-1'],
    ["text/xml; charset='windows-1252'", 'windows-1252'],
    ['text/xml; version=1 ; CharSet = koi8-r ; x=y', 'koi8-r'],
    ['text/xml;charset=utf-8,text/xml', 'utf-8'],
    ['text/xml; charset=koi8-r; charset=utf-8', 'koi8-r'],
    ['text/xml; charset = " Big5 "', 'big5'],
    ['text/xml; x-charset=a; charset=utf-8', 'utf-8'],
    ['text/xml; x-charset=a', undefined],
    ['charset=utf-8', undefined],
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
    ['bytes 0-2/4', ['partial-content'], true],
    ['bytes 1-3/4', ['partial-content'], true],
    ['BYTES 0-3/10', ['partial-content'], true],
    [' bytes  0-3/10 ', ['partial-content'], true],
    ['bytes 0-3/4', [], false],
    ['bytes 0-4/4', [], false],
    ['bytes 0-3/10, 5-6/10', [], false],
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

describe('what a client responds', () => {
  const URL_OF = 'http://site.test/s.xml';
  const fetchedBy = (response: object): ReturnType<typeof fetched> =>
    fetching(URL_OF, { webClient: async () => Object(response), retries: 2 }).fetch(URL_OF);
  const headers = new Headers();

  test.each([
    [100, undefined],
    [999, undefined],
    [99, 'web-client'],
    [1000, 'web-client'],
    [200, 'document'],
    [299, 'document'],
    [199, undefined],
    [300, undefined],
  ])(
    'with status %i is a document, a failure of the client, or a failure with that status',
    async (status, what) => {
      const result = await fetchedBy({ status, headers, body: null });
      if (what === 'document') return expect((await readAll(result)).text).toBe('');
      expect(failed(result)).toMatchObject(
        what === undefined ? { code: 'http-status', status } : { code: what },
      );
    },
  );

  test.each([
    ['', '404'],
    ['Not here', '404 Not here'],
    ['x'.repeat(1000), expect.stringMatching(/^404 x{50,400}…$/)],
  ])('with the status text %j has it in its reason', async (statusText, says) => {
    const { reason } = failed(await fetchedBy({ status: 404, statusText, headers, body: null }));
    expect(reason.replace(/^.* responded with (.*)\.$/, '$1')).toEqual(says);
  });

  test.each([
    [true, 1],
    [false, 3],
    ['yes', 3],
  ])('that is recorded (%j) is requested %i times', async (isRecorded, times) => {
    let requests = 0;
    const webClient = async (): Promise<WebResponse> => {
      requests++;
      const retryAfter = new Headers({ 'retry-after': '1000' });
      return Object({
        status: 502,
        headers: isRecorded === true ? retryAfter : headers,
        body: null,
        isRecorded,
      });
    };
    const result = await fetching(URL_OF, { webClient, retries: 2 }).fetch(URL_OF);
    expect(failed(result)).toMatchObject({ code: 'http-status', status: 502 });
    expect(requests).toBe(times);
  });

  test.each([
    ['http://site.test/t.xml', true],
    ['http://user:secret@site.test/t.xml#part', true],
    ['http://site.test/s.xml#part', false],
    ['', false],
  ])('at %j is redirected: %j', async (url, redirected) => {
    const document = opened(await fetchedBy({ status: 200, url, headers, body: null }));
    expect(document).toMatchObject({ url: `http://site.test/${redirected ? 't' : 's'}.xml`, redirected });
    await document.close();
  });

  test('has its headers in their order, whatever their case; or those that are well known', async () => {
    const pairs = [
      ['X-B', '1'],
      ['ETag', '"1"'],
      ['X-A', '2'],
    ] as const;
    const get = (name: string): string | null =>
      pairs.find((pair) => pair[0].toLowerCase() === name.toLowerCase())?.[1] ?? null;
    const responseOf = async (given: object) => {
      const document = opened(await fetchedBy({ status: 200, headers: given, body: null }));
      await document.close();
      return document.response;
    };
    const iterable = await responseOf({ get, [Symbol.iterator]: () => pairs.values() });
    expect([...iterable.headers()]).toEqual(pairs);
    expect([iterable.header('X-a'), iterable.header('etag'), iterable.header('ETAG')]).toEqual([
      '2',
      '"1"',
      '"1"',
    ]);
    expect([...(await responseOf({ get })).headers()]).toEqual([['etag', '"1"']]);
    expect((await responseOf({ get })).header('x-b')).toBe('1');
  });

  test.each(['http', 'https'])(
    'over %s says that the port speaks HTTPS only where that is http',
    async (scheme) => {
      const body = 'The plain HTTP request was sent to HTTPS port';
      const url = `${scheme}://site.test/`;
      for (const status of [400, 404]) {
        const webClient = async (): Promise<WebResponse> => new Response(body, { status });
        const { reason } = failed(await fetching(url, { webClient, retries: 0 }).fetch(url));
        expect(reason.includes('speaks HTTPS')).toBe(scheme === 'http' && status === 400);
      }
    },
  );
});

test('what had arrived when its signal ended it is kept where the caller has a problem for that', async () => {
  const server = await serving({ '/s.txt': { body: 'a'.repeat(1000), stallAfter: 100 } });
  const problem = { code: 'cut-by-limit', message: 'The time was over.' } as const;
  const cutBy = (reason: unknown) => (reason === 'over' ? problem : undefined);
  for (const reason of ['over', 'cancelled']) {
    const signal = new Stop();
    const fetcher = fetching(server.origin, {}, { clock: systemClock });
    const document = opened(await fetcher.fetch(`${server.origin}/s.txt`, { signal, cutBy }));
    let arrived = 0;
    const reading = (async () => {
      for await (const chunk of document.bytes()) {
        arrived += chunk.length;
        if (arrived === 100) signal.abort(reason);
      }
      return document.end;
    })();
    if (reason === 'over') expect(await reading).toMatchObject({ problems: [problem], truncated: true });
    else await expect(reading).rejects.toBe(reason);
    expect(arrived).toBe(100);
  }
});

test('every code has a sentence', () => {
  for (const [code, sentence] of Object.entries({ ...FETCH_PROBLEMS, ...FAILURES })) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(sentence).toMatch(/^[A-Z].*[.]$/s);
  }
});

test('a failure is a value: no stack is recorded for it, and errors of others keep theirs', async () => {
  const sitemap = await sitemapFromUrl('http://127.0.0.1:1/sitemap.xml', { proxy: false, retries: 0 });
  if (sitemap.kind !== 'invalid') throw new Error(`a sitemap of kind ${sitemap.kind}`);
  const { error, reason } = sitemap;
  expect(error).toBeInstanceOf(SitemapException);
  expect((error as SitemapException).stack).toBe(`SitemapException: ${reason}`);
  expect(new Error('another').stack).toContain('document.test.ts');
});
