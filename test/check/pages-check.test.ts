/** §12, pages: a sample that is the same every time, requested up to the end of the head. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { canonicalOf, headerSaysNoindex, readPageHead } from '../../src/check/check-pages.ts';
import {
  type CheckSiteOptions,
  checkSite,
  checkTree,
  type Finding,
  type RuleName,
  sitemapFromBytes,
} from '../../src/index.ts';
import { linksOfHeader } from '../../src/parse/formats/html-head.ts';
import { type ScriptedServer, type Site, startServer } from '../server/scripted-server.ts';
import { withMoreTime } from '../support/more-time.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const QUICK: CheckSiteOptions = {
  ...{ waitMs: 0, retries: 0, useKnownPaths: false, allowPrivateNetworks: true, proxy: false },
  rules: { 'lastmod-missing': 'off' },
};
const HTML = { 'content-type': 'text/html' };
const html = (head: string): { body: string; headers: Record<string, string> } => ({
  body: `<!doctype html><html><head>${head}</head><body>Hello</body></html>`,
  headers: HTML,
});
const urlset = (origin: string, paths: readonly string[]): string =>
  `<urlset ${NS}>\n${paths.map((path) => `<url><loc>${origin}${path}</loc></url>\n`).join('')}</urlset>`;

let server: ScriptedServer;
beforeAll(async () => {
  server = await startServer({});
});
afterAll(() => server.close());

function serve(pages: Site, sitemaps: Readonly<Record<string, readonly string[]>>): void {
  for (const path of Object.keys(server.site)) delete server.site[path];
  const { origin } = server;
  const declared = Object.keys(sitemaps).map((path) => `Sitemap: ${origin}${path}\n`);
  Object.assign(server.site, { '/robots.txt': declared.join('') }, pages);
  for (const [path, listed] of Object.entries(sitemaps)) {
    server.site[path] = { body: urlset(origin, listed), headers: { 'content-type': 'text/xml' } };
  }
}

async function findings(options: CheckSiteOptions): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of checkSite(server.origin, { ...QUICK, ...options })) found.push(finding);
  return found;
}

test('a web client that responds from memory leaves turns to others while pages are requested', async () => {
  const paths = Array.from({ length: 700 }, (_, at) => `/page/${at}`);
  const origin = 'https://a.example';
  const turns: number[] = [];
  let requests = 0;
  const timer = setInterval(() => turns.push(requests), 1);
  onTestFinished(() => clearInterval(timer));
  const webClient = async (url: string): Promise<Response> => {
    const { pathname } = new URL(url);
    if (pathname === '/robots.txt') return new Response(`Sitemap: ${origin}/s.xml`);
    if (pathname === '/s.xml') return new Response(urlset(origin, paths));
    requests++;
    return new Response('<title>Fine</title>', { headers: HTML });
  };
  const check = checkSite(origin, { useKnownPaths: false, webClient, requestPages: 'all' });
  for await (const { rule } of check) expect(rule).not.toBe('page-unreachable');
  expect(requests).toBe(paths.length);
  // Not only where pages begin and end.
  expect(turns.some((at) => at > 20 && at < 600)).toBe(true);
});

describe('a page', () => {
  test.each<[RuleName | 'nothing', Site[string]]>([
    ['nothing', html('<title>Fine</title>')],
    ['nothing', { body: '%PDF-', headers: { 'content-type': 'application/pdf' } }],
    ['page-missing', { status: 404 }],
    ['page-missing', { status: 410 }],
    ['page-error', { status: 500 }],
    ['page-redirected', { redirect: '/other' }],
    ['page-refused', { status: 401 }],
    ['page-refused', { status: 403 }],
    ['page-refused', { status: 429 }],
    ['page-unreachable', { hangUp: true }],
    ['page-unreachable', { redirect: '/page' }],
    ['page-noindex', html('<meta name="ROBOTS" content="follow, NOINDEX">')],
    ['page-noindex', html('<meta name="googlebot" content="none">')],
    ['page-noindex', { ...html(''), headers: { ...HTML, 'x-robots-tag': 'noindex' } }],
    [
      'page-noindex',
      { ...html(''), headers: { ...HTML, 'x-robots-tag': 'otherbot: nofollow, googlebot: noindex' } },
    ],
    ['nothing', { ...html(''), headers: { ...HTML, 'x-robots-tag': 'otherbot: noindex, nofollow' } }],
    ['nothing', html('<meta name="otherbot" content="noindex">')],
    ['nothing', html('<script>"<meta name=robots content=noindex>"</script>')],
    ['nothing', html('<meta name="description" content="noindex">')],
    ['page-canonical', html('<link rel="canonical" href="/other">')],
    ['page-canonical', { ...html(''), headers: { ...HTML, link: '</other>; rel="canonical"' } }],
    ['nothing', html('<link rel="canonical" href="/page#top">')],
    ['nothing', html('<link rel="canonical" hreflang="de" href="/other">')],
    ['nothing', html('<link rel="canonical" media="all" href="/other"><link rel="canonical" href="/page">')],
    ['page-canonical', html('<link rel="canonical" title="x" href="/other">')],
    ['nothing', { ...html(''), headers: { ...HTML, link: '</other>; rel="canonical"; type="text/html"' } }],
    // The names that a header gives its words to hold for that header alone.
    [
      'page-noindex',
      { ...html(''), headers: { ...HTML, 'x-robots-tag': ['otherbot: nofollow', 'noindex'] } },
    ],
    [
      'nothing',
      { ...html(''), headers: { ...HTML, 'x-robots-tag': ['googlebot: nofollow', 'otherbot: noindex'] } },
    ],
    // A comma in quotes does not end a link; a quoted text has no parameters.
    [
      'page-canonical',
      { ...html(''), headers: { ...HTML, link: '</other>; title="x, y"; rel="canonical"' } },
    ],
    [
      'page-canonical',
      { ...html(''), headers: { ...HTML, link: ['</a.css>; rel=preload', '</other>; rel=canonical'] } },
    ],
    ['nothing', { ...html(''), headers: { ...HTML, link: '</other>; title="a; rel=canonical"; rel=next' } }],
    // What links are relative to: the first `<base>` with an address, wherever in the head.
    ['nothing', html('<base href="/a/"><link rel="canonical" href="../page">')],
    ['page-canonical', html('<base href="/a/"><link rel="canonical" href="page">')],
    ['page-canonical', html('<link rel="canonical" href="page"><base target="_top"><base href="/a/">')],
    ['nothing', html('<base href="/"><base href="/a/"><link rel="canonical" href="page">')],
    ['nothing', html('<base href="data:text/plain,a"><link rel="canonical" href="page">')],
    ['nothing', { ...html('<base href="/a/">'), headers: { ...HTML, link: '<page>; rel="canonical"' } }],
    // The last tag ends where the document ends.
    ['page-noindex', { body: '<head><meta name=robots content=noindex>', headers: HTML }],
    ['nothing', { body: '<head><meta name=robots content=noindex', headers: HTML }],
    // Without the end of the head there is no verdict.
    [
      'nothing',
      {
        body: `<head><!--${'x'.repeat(600_000)}--><meta name="robots" content="noindex"></head>`,
        headers: HTML,
      },
    ],
  ])('%s: %j', async (rule, response) => {
    serve({ '/page': response, '/other': html('') }, { '/a.xml': ['/page'] });
    const found = await findings({ requestPages: 'all' });
    expect(found.map((finding) => finding.rule)).toEqual(rule === 'nothing' ? [] : [rule]);
    for (const finding of found) {
      expect(finding).toMatchObject({ document: `${server.origin}/a.xml`, page: `${server.origin}/page` });
    }
  });

  test('it is requested with the user and password of the site', async () => {
    const secret = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    const guarded = ({ headers }: { headers: { authorization?: string | undefined } }) =>
      headers.authorization === secret ? html('') : { status: 401 };
    serve({ '/page': guarded }, { '/a.xml': ['/page'] });
    const home = server.origin.replace('//', '//ann:secret@');
    const found: Finding[] = [];
    for await (const finding of checkSite(home, { ...QUICK, requestPages: 1 })) found.push(finding);
    expect(found.filter(({ rule }) => rule.startsWith('page-'))).toEqual([]);
  });

  test('when the time is over, the rest is not requested, and the summary says so', async () => {
    const paths = Array.from({ length: 20 }, (_, number) => `/${number}`);
    serve(Object.fromEntries(paths.map((path) => [path, { silent: true }])), { '/a.xml': paths });
    const check = checkSite(server.origin, { ...QUICK, requestPages: 'all', maxTimeMs: 1500 });
    for await (const _finding of check);
    expect(check.summary).toMatchObject({ complete: false, stopped: { limit: 'maxTimeMs' } });
  });

  test('a check that ends in time leaves no timer that keeps the process alive', async () => {
    serve({ '/page': html('') }, { '/a.xml': ['/page'] });
    const [started, ended] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    onTestFinished(() => void vi.restoreAllMocks());
    const maxTimeMs = 1_000_000_007;
    const check = checkSite(server.origin, { ...QUICK, requestPages: 'all', maxTimeMs });
    for await (const _finding of check);
    expect(check.summary.requestedPages?.requested).toBe(1);
    const timers = started.mock.results.filter((_, at) => started.mock.calls[at]?.[1] === maxTimeMs);
    const cleared = new Set<unknown>(ended.mock.calls.map(([timer]) => timer));
    // One for the crawl, and one for its pages.
    expect(timers.map(({ value }) => cleared.has(value))).toEqual([true, true]);
  });

  test('the summary says how many of the pages were requested, and with what result', async () => {
    const listed = ['/fine', '/gone', '/lost', '/hidden', '/moved', '/secret', '/blocked'];
    serve(
      {
        '/fine': html(''),
        '/gone': { status: 410 },
        '/hidden': html('<meta name="robots" content="noindex">'),
        '/moved': { redirect: '/fine' },
        '/secret': { status: 403 },
        '/blocked': html(''),
      },
      { '/a.xml': listed, '/b.xml': ['/fine'] },
    );
    server.site['/robots.txt'] = `User-agent: *\nDisallow: /blocked\n${server.site['/robots.txt']}`;
    const check = checkSite(server.origin, { ...QUICK, requestPages: 'all' });
    for await (const _finding of check);
    const url = (path: string): string => `${server.origin}${path}`;
    expect(check.summary.requestedPages).toEqual({
      listed: 7,
      requested: 7,
      results: [
        { result: 'indexable', status: 200, count: 1, examples: [url('/fine')] },
        { result: 'page-missing', status: 410, count: 1, examples: [url('/gone')] },
        { result: 'page-missing', status: 404, count: 1, examples: [url('/lost')] },
        { result: 'page-noindex', status: 200, count: 1, examples: [url('/hidden')] },
        { result: 'page-redirected', count: 1, examples: [url('/moved')] },
        { result: 'page-refused', status: 403, count: 1, examples: [url('/secret')] },
        { result: 'page-blocked', status: 200, count: 1, examples: [url('/blocked')] },
      ],
    });
    const sample = checkSite(server.origin, { ...QUICK, requestPages: 2 });
    for await (const _finding of sample);
    expect(sample.summary.requestedPages).toMatchObject({ listed: 7, requested: 2 });
  });

  test('pages with an ordinary address count as listed', async () => {
    // That of the test server has a port, which makes an address an unusual one.
    const paths = ['/a', '/b', '/c', '/b', '/index.html', '/index.php'];
    const xml = Buffer.from(urlset('https://example.org', paths));
    const tree = await sitemapFromBytes(xml, { url: 'https://example.org/sitemap.xml' });
    const webClient = async (): Promise<Response> => new Response('<title>Fine</title>', { headers: HTML });
    const check = checkTree(tree, { requestPages: 1, network: { webClient, waitMs: 0 } });
    for await (const _finding of check);
    tree.close();
    expect(check.summary.requestedPages).toMatchObject({ listed: 5, requested: 1 });
  });

  test('one that drips is not waited for longer than the time limit', async () => {
    const body = `<head>${'<!-- -->'.repeat(10_000)}`;
    serve(
      { '/slow': { body, headers: HTML, trickle: { bytes: 10, everyMs: 50 } }, '/fine': html('') },
      { '/a.xml': ['/slow', '/fine'] },
    );
    await withMoreTime([500, 5_000, 40_000], async (sitemapTimeoutMs) => {
      const check = checkSite(server.origin, { ...QUICK, requestPages: 'all', sitemapTimeoutMs });
      const found: Finding[] = [];
      for await (const finding of check) found.push(finding);
      expect(found).toMatchObject([{ rule: 'page-unreachable', page: `${server.origin}/slow` }]);
      // What did not arrive has no status, though it began with 200.
      expect(check.summary.requestedPages?.results).toEqual([
        { result: 'indexable', status: 200, count: 1, examples: [`${server.origin}/fine`] },
        { result: 'page-unreachable', count: 1, examples: [`${server.origin}/slow`] },
      ]);
    });
  });

  test.each([
    [true, []],
    [false, ['page-unreachable']],
  ])('cookies: %s', async (cookies, expected) => {
    const guarded = ({ headers }: { headers: { cookie?: string | undefined } }) =>
      headers.cookie === 'seen=1' ? html('') : { redirect: '/page', headers: { 'set-cookie': 'seen=1' } };
    serve({ '/page': guarded }, { '/a.xml': ['/page'] });
    const found = await findings({ requestPages: 'all', cookies });
    expect(found.map(({ rule }) => rule)).toEqual(expected);
  });

  test('no page is requested unless that is asked for', async () => {
    serve({}, { '/a.xml': ['/page'] });
    expect(await findings({})).toEqual([]);
  });

  test('it is read no further than its head', async () => {
    const body = `<head></head><body>${'x'.repeat(30_000_000)}`;
    serve({ '/page': { body, headers: HTML } }, { '/a.xml': ['/page'] });
    const before = server.bytesSent;
    expect(await findings({ requestPages: 1 })).toEqual([]);
    expect(server.bytesSent - before).toBeLessThan(body.length);
  });
});

describe('a connection is free again as soon as a page is judged', () => {
  const stalling = (type: string, start: string): Site[string] => ({
    ...{ body: start + 'x'.repeat(1000), headers: { 'content-type': type }, stallAfter: 500 },
  });
  test.each<[string, Site[string]]>([
    ['a PDF', stalling('application/pdf', '%PDF-')],
    ['plain text', stalling('text/plain', 'Hello')],
    ['HTML whose head has ended', stalling('text/html', '<head></head>')],
    ['a redirect to another page', { redirect: '/other' }],
  ])('%s', async (_what, response) => {
    const paths = ['/1', '/2', '/3'];
    const pages = Object.fromEntries(paths.map((path) => [path, response]));
    serve({ ...pages, '/other': stalling('text/html', '<head>') }, { '/a.xml': paths });
    const options = { ...QUICK, requestPages: 'all', perHostConcurrency: 1, maxTimeMs: 20_000 } as const;
    const check = checkSite(server.origin, options);
    for await (const _finding of check);
    expect(check.summary.stopped).toBeUndefined();
    expect(check.summary.requestedPages?.requested).toBe(3);
    await server.allSocketsClosed();
  });
});

describe('the sample', () => {
  const paths = (count: number, prefix: string): string[] =>
    Array.from({ length: count }, (_, number) => `/${prefix}${number}`);
  const digest = (path: string): string =>
    createHash('sha256').update(`${server.origin}${path}`).digest('hex');
  const smallest = (of: readonly string[]): string[] =>
    [...of].sort((a, b) => (digest(a) < digest(b) ? -1 : 1));
  const requested = async (pages: number): Promise<string[]> => {
    const before = server.requests.length;
    await findings({ requestPages: pages, concurrency: 1 });
    return server.requests
      .slice(before)
      .map(({ path }) => path)
      .filter((path) => !/\.(?:xml|txt)$/.test(path));
  };

  test('is one page of each sitemap, then those with the smallest SHA-256', async () => {
    const [a, b, c] = [paths(40, 'a'), paths(3, 'b'), paths(2, 'c')];
    serve({ '*': html('') }, { '/a.xml': a, '/b.xml': b, '/c.xml': [...c, ...a] });
    const firsts = [a, b, [...c, ...a]].map((each) => smallest(each)[0]!);
    const all = smallest([...a, ...b, ...c]);
    const expected = [...new Set([...smallest(firsts), ...all])].slice(0, 10);
    expect(new Set(await requested(10))).toEqual(new Set(expected));
    expect(new Set(await requested(10))).toEqual(new Set(expected));
    expect(new Set(await requested(2))).toEqual(new Set(smallest([...new Set(firsts)]).slice(0, 2)));
    expect(await requested(1000)).toHaveLength(45);
  });
});

describe('the head of a page', () => {
  test.each<[string, string, boolean]>([
    ['noindex', 'Googlebot', true],
    ['NOINDEX, nofollow', 'Googlebot', true],
    ['googlebot: noindex', 'Googlebot', true],
    ['googlebot: noindex', 'Googlebot/2.1 (+http://www.google.com/bot.html)', true],
    ['googlebot:noindex', 'Googlebot', true],
    ['googlebot :noindex', 'Googlebot', true],
    ['bingbot: noindex', 'Googlebot', false],
    ['bingbot:noindex', 'Googlebot', false],
    // A name holds for all words behind it, up to the next one.
    ['bingbot: nofollow, noindex', 'Googlebot', false],
    ['bingbot: nofollow, max-snippet: 20, noindex, googlebot: nofollow', 'Googlebot', false],
    ['googlebot: nofollow, noindex', 'Googlebot', true],
    ['noindex, bingbot: nofollow', 'Googlebot', true],
    ['bingbot:nofollow,googlebot:none', 'Googlebot', true],
    ['unavailable_after:25 Jun 2010,noindex', 'Googlebot', true],
    ['bingbot: noindex, googlebot: none', 'Googlebot', true],
    // All crawlers.
    ['bingbot: nofollow, *: noindex', 'Googlebot', true],
    ['*: nofollow, bingbot: noindex', 'Googlebot', false],
    ['max-snippet: 20, noindex', 'Googlebot', true],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST', 'Googlebot', false],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST, noindex', 'Googlebot', true],
    ['', 'Googlebot', false],
  ])('X-Robots-Tag %j for %s: %s', (header, agent, expected) => {
    expect(headerSaysNoindex(header, agent)).toBe(expected);
  });

  test.each<[string, string | undefined]>([
    ['</a.css>; rel=preload, </b>; rel="canonical"', '/b'],
    ['</a>; rel="alternate"', undefined],
    ['</b>; REL="next Canonical"', '/b'],
    ['</b>; title="a \\"quoted\\", <c>; rel=next"; rel = canonical', '/b'],
    ['</b>; rel="canonical', undefined],
    ['</a>; title="no end, </b>; rel=canonical', '/b'],
    ['</b>; rel=canonical; rel=next', '/b'],
  ])('a Link header %j names %s', (header, path) => {
    const expected = path === undefined ? undefined : `https://example.org${path}`;
    expect(canonicalOf(linksOfHeader(header), 'https://example.org/a/')).toBe(expected);
  });

  const NOINDEX = '<meta name="robots" content="noindex">';
  test.each<[string, boolean]>([
    // Raw text ends at its own end tag, whatever is in it.
    [`<script>var a = "<!--";</script>${NOINDEX}`, true],
    [`<script>var a = "<!-- <b>";</SCRIPT >${NOINDEX}`, true],
    [`<style>a::before { content: "<!--" }</style>${NOINDEX}`, true],
    [`<title>a <!-- b</title>${NOINDEX}`, true],
    [`<title>a <![CDATA[ b</title>${NOINDEX}`, true],
    [`<textarea><title></textarea>${NOINDEX}`, true],
    [`<script>"</scripts>${NOINDEX}"</script>`, false],
    [`<script>"</head>${NOINDEX}"</script>${NOINDEX}`, true],
    [`<script>${NOINDEX}</style></script>`, false],
    [`<noscript>${NOINDEX}</noscript>`, false],
    [`<script src="a>b">${NOINDEX}</script>`, false],
    // In a comment of a script, another script has an end tag of its own.
    [`<script><!-- <script>"</script>${NOINDEX}--></script>`, false],
    [`<script><!-- <script> --></script>${NOINDEX}`, true],
    [`<script><!-- <script></script> </script>${NOINDEX}`, true],
    [`<script><!--><script></script>${NOINDEX}`, true],
    // Comments.
    [`<!-- ${NOINDEX} -->`, false],
    [`<!-->${NOINDEX}`, true],
    [`<!--->${NOINDEX}`, true],
    [`<!-- a --!>${NOINDEX}`, true],
    [`<!----!>${NOINDEX}`, true],
    [`<!--!>${NOINDEX}-->`, false],
    [`<!---!>${NOINDEX}-->`, false],
    [`<!-- a -- > ${NOINDEX}-->`, false],
    [`<!--[if IE]>${NOINDEX}<![endif]-->`, false],
    [`<!--[if !IE]><!-->${NOINDEX}<!--<![endif]-->`, true],
    // What is like a comment ends at the first ">".
    [`<!a -->${NOINDEX}`, true],
    [`<?php echo "a" ?>${NOINDEX}`, true],
    [`<![CDATA[>${NOINDEX}`, true],
    [`</ a>${NOINDEX}`, true],
    [`</>${NOINDEX}`, true],
    // What is not a tag.
    [`a < b << c <3 ${NOINDEX}`, true],
    // Quotes.
    [`<meta name="description" content="<!-- a > b">${NOINDEX}`, true],
    [`<meta name='description' content='${NOINDEX}'>`, false],
    [`<meta name=description content=a"b>${NOINDEX}`, true],
    [`<meta name=description content=a="b>${NOINDEX}`, true],
    [`<meta name = "robots" content = noindex />`, true],
    [`<meta name="robots"content='noindex'/>`, true],
    // A template is not a part of the page.
    [`<template>${NOINDEX}</template>`, false],
    [`<template><template></template>${NOINDEX}</template>`, false],
    [`<template><script>"</template>"</script></head></template>${NOINDEX}`, true],
    // What comes behind the head.
    [`</head>${NOINDEX}`, false],
    [`<body>${NOINDEX}`, false],
    [`<header>${NOINDEX}`, true],
  ])('whether it says noindex: %j: %s', async (head, expected) => {
    const bytes = Buffer.from(`<!DOCTYPE html>\n<html><head>${head}`);
    const url = 'https://example.org/';
    const whole = await readPageHead(chunksOf(bytes, bytes.length), url, 'Googlebot');
    const cut = await readPageHead(chunksOf(bytes, 1), url, 'Googlebot');
    expect([whole.isNoindex, cut.isNoindex]).toEqual([expected, expected]);
  });

  test('a long tag hides nothing behind it', async () => {
    const bytes = Buffer.from(`<head><link href="data:image/png;base64,${'A'.repeat(100_000)}">${NOINDEX}`);
    const { isNoindex } = await readPageHead(chunksOf(bytes, 16_384), 'https://example.org/', 'Googlebot');
    expect(isNoindex).toBe(true);
  });

  test('in chunks of one byte', async () => {
    const text = '<HEAD><META CONTENT=noindex NAME=robots><link href="/a" rel="x canonical"></HEAD>';
    expect(await readPageHead(chunksOf(Buffer.from(text), 1), 'https://example.org/b', 'Googlebot')).toEqual({
      isNoindex: true,
      canonical: 'https://example.org/a',
    });
  });

  test('a slash at the end of a value without quotes belongs to it', async () => {
    const bytes = Buffer.from('<head><link rel=canonical href=/a/></head>');
    const { canonical } = await readPageHead(chunksOf(bytes, 64), 'https://example.org/b', 'Googlebot');
    expect(canonical).toBe('https://example.org/a/');
  });
});

async function* chunksOf(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
