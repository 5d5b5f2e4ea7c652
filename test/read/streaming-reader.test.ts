/** §5, §11.2: a stream hands on every page of a document and counts it, whether it arrives or was kept. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type StreamOptions, streamPages, type WebClient } from '../../src/index.ts';
import { PageChannel } from '../../src/read/page-channel.ts';
import { EntryAllowance } from '../../src/read/reader.ts';
import { type StreamedPage, StreamingReader } from '../../src/read/streaming-reader.ts';
import { Stop } from '../../src/runtime/abort.ts';
import type { ScriptedResponse, ScriptedServer } from '../server/scripted-server.ts';
import { DECLARED, signalling, siteOf, streamed, treeOf, urlsOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { fetched, fetching, opened, serving } from '../support/fetching.ts';
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

test('all pages of a document come with one sitemap, however many pieces it comes in', async () => {
  const urls = Array.from({ length: 5_000 }, (_, at) => `https://example.org/page/${at}`);
  const server = await siteOf({ '/robots.txt': ['/s.xml'], '/s.xml': urlset(...urls) });
  const items = await streamed(server, DECLARED);
  expect([items.length, new Set(items.map(({ sitemap }) => sitemap)).size]).toEqual([urls.length, 1]);
});

test.each<[string, ScriptedResponse, boolean]>([
  ['has not changed', { status: 304 }, true],
  ['cannot be read, and is stale', { status: 503 }, true],
  ['has other rules now', { body: 'User-agent: *\nDisallow: /new' }, false],
])('an update in a stream knows the rules of a robots.txt that %s', async (_what, response, isSame) => {
  const server = await siteOf((at) => ({
    '/robots.txt': { body: `User-agent: *\nDisallow: /x\nSitemap: ${at}/s.xml`, headers: { etag: '"1"' } },
    '/s.xml': urlset(...URLS),
  }));
  const previous = await treeOf(server, DECLARED);
  server.site['/robots.txt'] = response;
  const options = { ...DECLARED, previous, staleIfError: true, robotsAgent: 'GPTBot' };
  const stream = streamPages(server.origin, options);
  for await (const _ of stream);
  const verdicts = ['/x', '/new'].map((path) => stream.verdictOf(server.origin + path).allowed);
  expect(verdicts).toEqual([!isSame, isSame]);
});

test.each([
  [undefined, false],
  [1, true],
])(
  'a problem of an unchanged document has line %s in a stream with problemPositions: %s',
  async (line, wanted) => {
    const body = urlset(...URLS).replace('</urlset>', '<url></url>$&');
    const server = await siteOf({
      '/robots.txt': ['/s.xml'],
      '/s.xml': ({ headers }) =>
        headers['if-none-match'] === '"1"' ? { status: 304 } : { body, headers: { etag: '"1"' } },
    });
    const previous = await treeOf(server, { ...DECLARED, problemPositions: !wanted });
    const found: unknown[] = [];
    await streamed(server, {
      ...DECLARED,
      ...{ previous, problemPositions: wanted },
      onProgress: (event) => {
        if (event.type === 'problems')
          found.push(...event.problems.map((problem) => [problem.code, problem.line]));
      },
    });
    expect(found).toEqual([['entry-without-loc', line]]);
  },
);

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

describe('§11.2 a consumer that does something else after each batch', () => {
  /** Long enough that its pages come in several batches, also as a text, which shows what it is only after 64 KiB. */
  const MANY = Array.from({ length: 500 }, (_, at) => `https://example.org/${'x'.repeat(500)}${at}`);

  async function takenFrom(server: ScriptedServer, options: StreamOptions, onBatch = () => {}) {
    const urls: string[] = [];
    for await (const batch of streamPages(server.origin, { ...DECLARED, ...options }).batches()) {
      urls.push(...urlsOf(batch.map(({ page }) => page)));
      onBatch();
      for (let turns = 0; turns < 100; turns++) await turn();
    }
    return urls;
  }

  test('gets the last line of a text, also where the text is still the same', async () => {
    const server = await siteOf({
      '/robots.txt': ['/s.txt'],
      '/s.txt': { body: MANY.join('\n'), headers: { etag: '"1"' } },
    });
    const previous = await treeOf(server, DECLARED);
    expect(await takenFrom(server, {})).toEqual(MANY);
    server.site['/s.txt'] = { status: 304 };
    expect(await takenFrom(server, { previous })).toEqual(MANY);
  });

  test('gets the pages of a stale document once, although two URLs lead to it', async () => {
    const { promise: held, resolve: release } = signalling();
    onTestFinished(release);
    const server = await siteOf({
      '/robots.txt': ['/1', '/2'],
      '/1': { redirect: '/s.xml' },
      '/2': { redirect: '/s.xml' },
      '/s.xml': urlset(...MANY),
    });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, { '/1': { status: 500 }, '/2': () => held.then(() => ({ status: 500 })) });
    expect(await takenFrom(server, { previous, staleIfError: true }, release)).toEqual(MANY);
  });
});

describe('what a stream says of one document', () => {
  const SITE = 'http://site.test';

  /** Reads a document of a client, which may be at another URL, and all that is said of it. */
  async function readingOf(
    body: string,
    {
      path = '/s.xml',
      at = path,
      status = 200,
      headers = {},
      parents = [],
      keepsRobots = false,
      followsListed = false,
      problemPositions = false,
      host = SITE,
    }: {
      path?: string;
      at?: string;
      status?: number;
      headers?: Record<string, string>;
      parents?: readonly string[];
      keepsRobots?: boolean;
      followsListed?: boolean;
      problemPositions?: boolean;
      host?: string;
    } = {},
  ) {
    const said: unknown[] = [];
    const channel = new PageChannel<StreamedPage>();
    const reader = new StreamingReader({
      ...{ channel, keepsRobots, followsListed, problemPositions },
      allowance: new EntryAllowance(1, { isFiltered: false }),
      onOpen: (place, url) => said.push(['open', place.url, url]),
      onPages: (count) => said.push(['pages', count]),
      onProblems: (url, problems, count) =>
        said.push(['problems', url, problems.map(({ code }) => code), count]),
    });
    const response = { status, headers: new Headers(headers), url: host + at };
    const webClient: WebClient = async () => ({ ...response, body: new Response(body).body });
    const document = opened(await fetching(SITE, { webClient }).fetch(SITE + path.replace(/#.*/, '')));
    const place = { url: SITE + path, lastModified: new Date(0), parentUrls: new Set(parents) };
    const reading = reader.read(document, place, new Stop(), 'changed').finally(() => channel.end());
    const pages: StreamedPage[] = [];
    for (let batch = await channel.take(); batch !== undefined; batch = await channel.take())
      pages.push(...batch);
    return { outcome: await reading, pages, said, place };
  }

  test('its pages, each with the place where it was declared', async () => {
    const { outcome, pages, said, place } = await readingOf(urlset(...URLS), { parents: ['http://a.test/'] });
    expect(pages.map(({ page }) => page.url)).toEqual(URLS);
    const { url, lastModified, parentUrls } = place;
    expect(pages[0]?.sitemap).toEqual({
      kind: 'pages-xml',
      url,
      lastModified,
      parentUrls,
      freshness: 'changed',
    });
    expect(new Set(pages.map(({ sitemap }) => sitemap)).size).toBe(1);
    expect(said).toEqual([
      ['open', url, url],
      ['pages', 3],
    ]);
    expect(outcome).toEqual({
      ...{ type: 'pages', kind: 'pages-xml', url, problems: [], problemCount: 0, truncated: false },
      ...{ isHandedOn: true, pages: undefined, listed: undefined },
    });
  });

  test.each([
    ['/s.xml', '/t.xml', '/t.xml'],
    ['/s.xml#part', '/s.xml', '/s.xml#part'],
  ])('declared as %s and read at %s, it is at %s', async (path, at, expected) => {
    const { outcome, pages, said } = await readingOf(urlset(...URLS), { path, at });
    expect(pages[0]?.sitemap.url).toBe(SITE + expected);
    expect(said[0]).toEqual(['open', SITE + path, SITE + at]);
    expect(outcome).toMatchObject({ url: SITE + at });
  });

  test('without pages nothing of it was handed on', async () => {
    const { outcome, pages, said } = await readingOf(urlset());
    expect(outcome).toMatchObject({ type: 'pages', isHandedOn: false });
    expect([pages, said]).toEqual([[], [['open', `${SITE}/s.xml`, `${SITE}/s.xml`]]]);
  });

  test('the problems of the fetch and then its own, at the URL that responded, and how many there were', async () => {
    const body = urlset(...URLS).replace('<url>', `${'<url></url>'.repeat(150)}$&`);
    const range = { 'content-range': 'bytes 0-3/10' };
    const { outcome, said } = await readingOf(body, { at: '/t.xml', status: 206, headers: range });
    const [, url, codes, count] = said.at(-1) as [string, string, string[], number];
    expect([url, codes[0], codes[1], count]).toEqual([
      ...[`${SITE}/t.xml`, 'partial-content', 'entry-without-loc', 151],
    ]);
    // What is kept as long as the call is only what says that something is missing.
    expect(outcome).toMatchObject({
      truncated: true,
      problemCount: 1,
      problems: [{ code: 'partial-content' }],
    });
    const { outcome: whole } = await readingOf(body);
    expect(whole).toMatchObject({ truncated: false, problemCount: 0, problems: [] });
    const cutBody = urlset(...URLS).replace('</urlset>', '');
    const { outcome: cut } = await readingOf(cutBody);
    expect(cut).toMatchObject({ truncated: true, problemCount: 1, problems: [{ code: 'truncated' }] });
    expect(cut.type === 'pages' && cut.problems[0]).not.toHaveProperty('line');
    const { outcome: withPlaces } = await readingOf(cutBody, { problemPositions: true });
    expect(withPlaces).toMatchObject({ problems: [{ code: 'truncated', line: 1 }] });
  });

  test('the children of an index, and nothing of it was handed on', async () => {
    const { outcome, said } = await readingOf(index(...URLS));
    expect(outcome).toMatchObject({ type: 'index', kind: 'index-xml', leftOut: 0, isHandedOn: false });
    expect(outcome.type === 'index' && outcome.entries.map(({ url }) => url)).toEqual(URLS);
    expect(said).toHaveLength(1);
  });

  const ROBOTS = 'User-agent: *\nDisallow: /a\nSitemap: /s.xml\n';
  test.each([
    ['/robots.txt', '/robots.txt', [], true, true],
    ['/robots.txt', '/rules', [], true, true],
    ['/robots.txt', '/robots.txt', [], false, false],
    ['/robots.txt', '/robots.txt', ['http://site.test/'], true, false],
  ])('%s at %s below %j, wanted %j: its text is kept: %j', async (path, at, parents, keepsRobots, isKept) => {
    const { outcome } = await readingOf(ROBOTS, { path, at, parents, keepsRobots });
    if (outcome.type !== 'index') throw new Error(outcome.type);
    expect([outcome.kind, outcome.text && Buffer.from(outcome.text).toString()]).toEqual([
      ...['robots-txt', isKept ? ROBOTS : undefined],
    ]);
  });

  const LISTED = `${SITE}/sitemap-2.xml`;
  test('the sitemaps among its pages are those of the host that responded, behind a redirect', async () => {
    const listed = 'http://www.site.test/sitemap-2.xml';
    const host = 'http://www.site.test';
    const { outcome } = await readingOf(urlset(listed, ...URLS), { followsListed: true, host });
    expect(outcome).toMatchObject({ listed: { entries: [{ url: listed }] } });
  });

  const feed = `<rss version="2.0"><channel><item><link>${LISTED}</link></item></channel></rss>`;
  test.each([
    ['a urlset', urlset(LISTED, ...URLS), true, true],
    ['a urlset', urlset(LISTED, ...URLS), false, false],
    ['a feed', feed, true, false],
  ])(
    'the sitemaps among the pages of %s, where they are followed (%#)',
    async (_what, body, followsListed, has) => {
      const { outcome } = await readingOf(body, { followsListed });
      const listed = has ? { entries: [{ url: LISTED, lastModified: undefined }], leftOut: 0 } : undefined;
      expect(outcome).toMatchObject({ type: 'pages', listed });
    },
  );
});
