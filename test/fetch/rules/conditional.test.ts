/** Specification §11.2: conditional requests, with validators for exactly one URL. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { conditionalHeaders, validatorsOf } from '../../../src/fetch/rules/headers.ts';
import type { WebClient } from '../../../src/options/web-seam.ts';
import type { ScriptedResponse, Site } from '../../server/scripted-server.ts';
import { collectAll, failed, fetched, fetching, readAll, serving } from '../../support/fetching.ts';

const etag = '"v1"';
const lastModified = 'Mon, 06 May 2024 10:00:00 GMT';

/** A 304 for requests that have the current version. */
const versioned =
  (body: string): Site[string] =>
  ({ headers }) =>
    headers['if-none-match'] === etag || headers['if-modified-since'] === lastModified
      ? { status: 304 }
      : { body, headers: { etag, 'last-modified': lastModified } };

describe('§11.2 validators', () => {
  const url = 'https://example.org/s.xml';
  test.each([
    [url, { url, etag, lastModified }, { 'if-none-match': etag, 'if-modified-since': lastModified }],
    [url, { url, etag }, { 'if-none-match': etag }],
    [url, { url, lastModified }, { 'if-modified-since': lastModified }],
    [url, { url: `${url}#part`, etag }, { 'if-none-match': etag }],
    [url, { url: 'HTTPS://EXAMPLE.org/s.xml', etag }, { 'if-none-match': etag }],
    [url, { url }, {}],
    [url, undefined, {}],
    [`${url}?a`, { url, etag }, {}],
    ['http://example.org/s.xml', { url, etag }, {}],
  ])('a request for %s with %j has the headers %j', (requested, validators, headers) => {
    expect(conditionalHeaders(new URL(requested), validators)).toEqual(headers);
  });

  test('are those of a response', () => {
    const header = (name: string): string | null => (name === 'etag' ? etag : null);
    expect(validatorsOf({ url, header })).toEqual({ url, etag, lastModified: undefined });
  });
});

describe('§11.2 a conditional request', () => {
  test('for the same version gives "unchanged", which is believed', async () => {
    const server = await serving({ '/s.xml': versioned('text') });
    const url = `${server.origin}/s.xml`;
    const outcome = await fetching(server.origin).fetch(url, { validators: { url, etag } });
    expect(outcome).toEqual({
      type: 'unchanged',
      url,
      isBelieved: true,
      requestedAt: expect.any(Number),
      hops: [],
    });
  });

  test('is from when it was made, however late its response comes', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    const webClient: WebClient = async () => {
      vi.setSystemTime(9_000);
      return { status: 304, headers: new Headers({ etag }), body: null };
    };
    const url = 'http://site.test/s.xml';
    const outcome = await fetching(url, { webClient }).fetch(url, { validators: { url, etag } });
    expect(outcome).toMatchObject({ type: 'unchanged', requestedAt: 1_000 });
  });

  test('a 304 with another ETag than ours is not believed', async () => {
    const server = await serving({ '/s.xml': { status: 304, headers: { etag: '"v2"' } } });
    const url = `${server.origin}/s.xml`;
    const outcome = await fetching(server.origin).fetch(url, { validators: { url, etag, lastModified } });
    expect(outcome).toMatchObject({ type: 'unchanged', isBelieved: false });
  });

  const other = 'Tue, 07 May 2024 10:00:00 GMT';
  test.each([
    [{ etag }, { etag }, true],
    [{ etag }, { etag: `W/${etag}` }, true],
    [{ etag: `W/${etag}` }, { etag }, true],
    [{ etag }, { etag: ` W/${etag} ` }, true],
    [{ etag }, { etag: `${etag}x` }, false],
    [{ etag }, { etag: `w/${etag}` }, false],
    [{ etag }, {}, true],
    [{ etag }, { 'last-modified': other }, true],
    [{ etag, lastModified }, { 'last-modified': other }, true],
    [{ etag, lastModified }, { etag, 'last-modified': other }, true],
    [{ lastModified }, {}, true],
    [{ lastModified }, { 'last-modified': lastModified }, true],
    [{ lastModified }, { 'last-modified': other }, false],
    [{ lastModified }, { etag }, false],
    [{ lastModified }, { etag, 'last-modified': lastModified }, false],
  ])('with %j and a 304 with %j is believed: %j', async (sent, headers, isBelieved) => {
    const url = 'http://site.test/s.xml';
    const webClient: WebClient = async () => new Response(null, { status: 304, headers: { ...headers } });
    const outcome = await fetching(url, { webClient }).fetch(url, { validators: { url, ...sent } });
    expect(outcome).toMatchObject({ type: 'unchanged', url, isBelieved });
  });

  test('for another version gives the document', async () => {
    const server = await serving({ '/s.xml': versioned('new text') });
    const url = `${server.origin}/s.xml`;
    const outcome = await fetching(server.origin).fetch(url, { validators: { url, etag: '"v0"' } });
    expect((await readAll(outcome)).text).toBe('new text');
  });

  test('sends validators behind a redirect only to the URL that they belong to', async () => {
    const server = await serving({ '/old.xml': { redirect: '/s.xml' }, '/s.xml': versioned('text') });
    const url = `${server.origin}/s.xml`;
    const fetcher = fetching(server.origin);
    const outcome = await fetcher.fetch(`${server.origin}/old.xml`, { validators: { url, etag } });
    expect(outcome).toMatchObject({ type: 'unchanged', url });
    expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, etag]);
  });

  test('of another URL sends nothing, and a 304 to it is a failure', async () => {
    const server = await serving({ '/s.xml': { redirect: '/t.xml' }, '/t.xml': { status: 304 } });
    const validators = { url: `${server.origin}/s.xml`, etag };
    const failure = failed(await fetched(server, '/s.xml', { validators }));
    expect(failure).toMatchObject({ code: 'http-status', status: 304 });
    expect(server.requests[1]?.headers).not.toHaveProperty('if-none-match');
  });

  test('is repeated after a failure, and not after the document was opened', async () => {
    const script: ScriptedResponse[] = [
      { status: 503 },
      { body: 'a'.repeat(1000), truncateAfter: 500 },
      { body: 'a'.repeat(1000) },
    ];
    const server = await serving({ '/s.xml': { script } });
    const url = `${server.origin}/s.xml`;
    const outcome = await fetching(server.origin).fetch(url, { validators: { url, etag } });
    expect((await collectAll(outcome)).text).toHaveLength(1000);
    expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([etag, etag, undefined]);
  });
});
