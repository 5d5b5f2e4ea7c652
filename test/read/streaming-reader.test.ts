/** §5, §11.2: a stream hands on every page of a document and counts it, whether it arrives or was kept. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { streamPages, type WebClient } from '../../src/index.ts';
import { PageChannel } from '../../src/read/page-channel.ts';
import { EntryAllowance } from '../../src/read/reader.ts';
import { StreamingReader } from '../../src/read/streaming-reader.ts';
import { Stop } from '../../src/runtime/abort.ts';
import { DECLARED, siteOf, streamed, treeOf, urlsOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { fetched, opened, serving } from '../support/fetching.ts';
import { withMoreTime } from '../support/more-time.ts';

const URLS = ['https://example.org/1', 'https://example.org/2', 'https://example.org/3'];

test.each([
  // No line break behind the last URL: only the end of the document ends it.
  ['a plain text', URLS.join('\n'), []],
  ['a urlset', urlset(...URLS), []],
  ['a urlset that is cut', urlset(...URLS).replace('</urlset>', ''), ['truncated']],
])('%s', async (_what, body, codes) => {
  const etag = '"v1"';
  const server = await siteOf({
    '/robots.txt': ['/sitemap'],
    '/sitemap': ({ headers }) =>
      headers['if-none-match'] === etag ? { status: 304 } : { body, headers: { etag } },
  });
  for (const previous of [undefined, await treeOf(server, DECLARED)]) {
    const found: string[] = [];
    const stream = streamPages(server.origin, {
      ...DECLARED,
      previous,
      onProgress: (event) => {
        if (event.type === 'problems') found.push(...event.problems.map(({ code }) => code));
      },
    });
    const urls: string[] = [];
    for await (const { page } of stream) urls.push(page.url);
    expect(urls).toEqual(URLS);
    expect([stream.totals.pages, found]).toEqual([URLS.length, codes]);
    // A cut document is not complete, also where it is only said again what was known of it.
    expect([stream.complete, stream.incompleteSitemaps.length]).toEqual([codes.length === 0, codes.length]);
  }
});

test('no more of a document is taken than its consumer wants', async () => {
  const chunk = Buffer.from('<url><loc>https://example.org/page</loc></url>'.repeat(500));
  let taken = 0;
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    yield Buffer.from('<urlset>');
    for (; taken < 1000; taken++) yield chunk;
  }
  const webClient: WebClient = async (url) =>
    url.endsWith('robots.txt')
      ? new Response('Sitemap: https://example.org/sitemap.xml')
      : { status: 200, statusText: 'OK', headers: new Headers(), body: body() };
  const batches = streamPages('https://example.org/', { ...DECLARED, proxy: undefined, webClient }).batches();
  await batches.next();
  for (let turns = 0; turns < 1000; turns++) await turn();
  expect(taken).toBeLessThan(100);
  await batches.return?.();
});

test('a document that waits for its first turn when the consumer has gone rejects nothing that nobody hears', async () => {
  const server = await siteOf({ '/robots.txt': ['/1.xml', '/2.xml', '/3.xml'], '*': urlset(...URLS) });
  const batches = streamPages(server.origin, DECLARED).batches();
  await batches.next();
  await expect.poll(() => server.paths()).toHaveLength(4);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await batches.return?.();
  await turn();
});

test('a document of which too little arrived before the time was up failed for that, and is not "not a sitemap"', async () => {
  const server = await siteOf({
    '/robots.txt': ['/s.xml'],
    '/s.xml': { body: `<!--${' '.repeat(5000)}-->${urlset(...URLS)}`, stallAfter: 100 },
  });
  // On a busy machine the first bytes may not have arrived by then.
  await withMoreTime([300, 1000, 8000], async (maxTimeMs) => {
    const before = server.requests.length;
    const stream = streamPages(server.origin, { ...DECLARED, maxTimeMs });
    for await (const _ of stream.batches());
    expect(server.paths().slice(before)).toEqual(['/robots.txt', '/s.xml']);
    const [invalid] = stream.invalidSitemaps;
    expect(invalid).toMatchObject({ url: `${server.origin}/s.xml`, code: 'limit' });
    expect(invalid?.reason).toMatch(/, and 100 bytes of it had arrived\.$/);
  });
});

test('what arrived as a whole is what it is, also when the time is up by then', async () => {
  const server = await serving({ '/s.xml': '<other/>' });
  const nothing = (): void => {};
  const reader = new StreamingReader({
    channel: new PageChannel(),
    allowance: new EntryAllowance(1, { isFiltered: false }),
    problemPositions: false,
    followsListed: false,
    keepsRobots: false,
    onOpen: nothing,
    onPages: nothing,
    onProblems: nothing,
  });
  const place = { url: `${server.origin}/s.xml`, lastModified: undefined, parentUrls: new Set<string>() };
  const deadline = new Stop();
  deadline.abort(new RangeError('the time is up'));
  const outcome = await reader.read(opened(await fetched(server, '/s.xml')), place, deadline);
  expect(outcome).toMatchObject({ type: 'invalid', code: 'not-a-sitemap' });
});

test('§11.2 what cannot be read this time is handed on as it was: once, and without a line that is cut', async () => {
  const text = URLS.join('\n');
  const server = await siteOf({
    '/robots.txt': ['/1', '/2', '/cut.txt'],
    '/1': { redirect: '/s.xml' },
    '/2': { redirect: '/s.xml' },
    '/s.xml': urlset('https://example.org/a', 'https://example.org/b'),
    '/cut.txt': { body: text, truncateAfter: text.length - 1 },
  });
  const previous = await treeOf(server, DECLARED);
  Object.assign(server.site, { '/1': { status: 500 }, '/2': { status: 500 }, '/cut.txt': { status: 500 } });
  const pages = await streamed(server, { ...DECLARED, previous, staleIfError: true });
  expect(urlsOf(pages.map(({ page }) => page)).toSorted()).toEqual([
    ...URLS.slice(0, 2),
    'https://example.org/a',
    'https://example.org/b',
  ]);
});
