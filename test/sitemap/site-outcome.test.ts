/** §5 `tree.outcome`: one word for what came of a site, the same as in `sites.ndjson`; and `collectPages`. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import {
  collectPages,
  loadTree,
  type SitemapOptions,
  saveTree,
  sitemapTreeForHomepage,
  streamPages,
  streamSitemap,
} from '../../src/index.ts';
import type { Problem } from '../../src/problems/problem-list.ts';
import { OutcomeNotes } from '../../src/sitemap/site-outcome.ts';
import { closedPort } from '../server/raw-server.ts';
import type { Site } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { temporaryFolder } from '../support/real-servers.ts';
import { openSpools, SHOWS_OPEN_FILES } from '../support/sitemaps.ts';

interface Case {
  readonly name: string;
  readonly site: (origin: string) => Site;
  readonly options?: SitemapOptions;
  readonly outcome: string;
  readonly code?: string;
  readonly reason?: RegExp;
}

const PAGES = urlset('https://x.example/1', 'https://x.example/2');

const CASES: readonly Case[] = [
  {
    name: 'everything that is declared was read',
    site: (at) => ({ '/robots.txt': robots(`${at}/a.xml`), '/a.xml': PAGES }),
    outcome: 'complete',
  },
  {
    name: 'one sitemap of two is missing',
    site: (at) => ({ '/robots.txt': robots(`${at}/a.xml`, `${at}/b.xml`), '/a.xml': PAGES }),
    outcome: 'partial',
    code: 'http-status',
    reason: /b\.xml: the server responded with 404/,
  },
  {
    name: 'a sitemap is truncated',
    site: (at) => ({ '/robots.txt': robots(`${at}/a.xml`), '/a.xml': PAGES.slice(0, -20) }),
    outcome: 'partial',
    code: 'truncated',
    reason: /a\.xml is truncated: its end is missing\./,
  },
  {
    name: 'two sitemaps are truncated: the first is named',
    site: (at) => ({
      '/robots.txt': robots(`${at}/a.xml`, `${at}/b.xml`),
      '/a.xml': PAGES.slice(0, -20),
      '/b.xml': PAGES.slice(0, -20),
    }),
    outcome: 'partial',
    code: 'truncated',
    reason: /a\.xml is truncated: its end is missing\./,
  },
  {
    name: 'a limit ended it',
    site: (at) => ({
      '/robots.txt': robots(`${at}/i.xml`),
      '/i.xml': index(`${at}/a.xml`, `${at}/b.xml`),
      '/a.xml': PAGES,
      '/b.xml': PAGES,
    }),
    options: { maxSitemaps: 3 },
    outcome: 'partial',
    code: 'limit',
    reason: /maxSitemaps/,
  },
  {
    name: 'the site has no sitemap',
    site: () => ({ '/robots.txt': 'User-agent: *\n' }),
    outcome: 'none',
    code: 'no-sitemap',
    reason: /^No sitemap was found\.$/,
  },
  {
    name: 'the only sitemap is an HTML page',
    site: (at) => ({ '/robots.txt': robots(`${at}/a.xml`), '/a.xml': '<!doctype html><title>Hello</title>' }),
    outcome: 'none',
    code: 'not-a-sitemap',
  },
  {
    name: 'the site refuses every request',
    site: () => ({ '*': { status: 403 } }),
    outcome: 'failed',
    code: 'http-status',
    reason: /403/,
  },
  {
    name: 'robots.txt is good, and the only sitemap responds with 503',
    site: (at) => ({ '/robots.txt': robots(`${at}/a.xml`), '/a.xml': { status: 503 } }),
    outcome: 'failed',
    code: 'http-status',
    reason: /a\.xml: the server responded with 503/,
  },
  {
    name: 'the same where known paths are not there',
    site: (at) => ({ '/robots.txt': robots(`${at}/a.xml`), '/a.xml': { status: 503 } }),
    options: { useKnownPaths: true },
    outcome: 'failed',
    code: 'http-status',
  },
  {
    name: 'of two sitemaps one responds with 503 and the other is not there',
    site: (at) => ({ '/robots.txt': robots(`${at}/a.xml`, `${at}/b.xml`), '/a.xml': { status: 503 } }),
    outcome: 'none',
    code: 'http-status',
  },
  {
    name: 'the only sitemap is at a private address',
    site: () => ({ '/robots.txt': robots('http://10.0.0.1/a.xml') }),
    outcome: 'failed',
    code: 'private-network',
    reason: /10\.0\.0\.1 is not a public address/,
  },
  {
    name: 'robots.txt leads to a private address, and so does every known path',
    site: () => ({ '*': { status: 302, headers: { location: 'http://10.0.0.1/' } } }),
    options: { useKnownPaths: true },
    outcome: 'failed',
    code: 'private-network',
  },
  {
    name: 'robots.txt declares nothing, and every known path is refused',
    site: () => ({ '/robots.txt': 'User-agent: *\n', '*': { status: 403 } }),
    options: { useKnownPaths: true },
    outcome: 'failed',
    code: 'http-status',
  },
];

describe('§5 the outcome of a tree', () => {
  test.each(CASES)('$outcome: $name', async ({ site, options, outcome, code, reason }) => {
    const server = await siteOf(site);
    const tree = await treeOf(server, { ...DECLARED, ...options });
    const found = { outcome: tree.outcome, code: tree.code, reason: tree.reason };
    expect(found).toEqual({ outcome, code, reason: reason === undefined ? tree.reason : found.reason });
    if (reason !== undefined) expect(tree.reason).toMatch(reason);
    expect(tree.reason === undefined).toBe(outcome === 'complete');

    // The same words in sites.ndjson.
    for await (const { outcome, code, reason } of crawlSites([server.origin], { ...DECLARED, ...options }))
      expect({ outcome, code, reason }).toEqual(found);

    // And of the tree that is saved and loaded.
    const file = join(temporaryFolder(), 'site.warc.gz');
    await saveTree(tree, file);
    const loaded = await loadTree(file);
    expect(loaded).toMatchObject(found);
    loaded.close();

    // And in the exit code.
    const { useKnownPaths, maxSitemaps } = { ...DECLARED, ...options };
    const flags = [
      ...(useKnownPaths === false ? ['--no-known'] : []),
      ...(maxSitemaps === undefined ? [] : ['--max-sitemaps', String(maxSitemaps)]),
    ];
    const { code: exitCode } = await usp(['ls', server.origin, '--strict', '--retries', '0', ...flags]);
    const byOutcome = { complete: 0, partial: maxSitemaps === undefined ? 4 : 3, none: 1, failed: 6 };
    expect(exitCode).toBe(byOutcome[tree.outcome]);

    // And of the list.
    const list = await collectPages(server.origin, { ...DECLARED, ...options });
    expect(list).toMatchObject(found);
    expect(list.pages.length > 0).toBe(outcome === 'complete' || outcome === 'partial');
    expect(list.missing.length === 0).toBe(outcome === 'complete' || code === 'no-sitemap');
    expect(list).toMatchObject({ complete: tree.complete, stopped: tree.stopped });
    for (const { url, message } of list.missing) expect(message).toContain(url);

    // And of the stream, once it ended.
    const stream = streamPages(server.origin, { ...DECLARED, ...options });
    expect(stream).toMatchObject({ complete: false, outcome: undefined });
    for await (const _ of stream);
    expect(stream).toMatchObject({ complete: tree.complete, stopped: tree.stopped, outcome, code });
    if (reason !== undefined) expect(stream.reason).toMatch(reason);
  });

  test('failed tells refused from unreachable by its code', async () => {
    const port = await closedPort();
    const tree = await sitemapTreeForHomepage(`http://127.0.0.1:${port}/`, DECLARED);
    expect([tree.outcome, tree.code]).toEqual(['failed', 'refused']);
    tree.close();
  });

  test('what is shown as an earlier tree has it was not read', async () => {
    const server = await siteOf((at) => ({ '/robots.txt': robots(`${at}/a.xml`), '/a.xml': PAGES }));
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = { status: 503 };
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    expect([tree.outcome, tree.code]).toEqual(['failed', 'http-status']);
    expect([...tree.allPages()]).toHaveLength(2);
  });
});

describe('§5 the outcome of a site, and why', () => {
  type Sitemaps = Parameters<OutcomeNotes['add']>[0];
  type End = Partial<Parameters<OutcomeNotes['end']>[0]>;
  const page: Sitemaps = { kind: 'pages-xml', url: 'a' };
  const cut = (url: string): Sitemaps => ({ kind: 'pages-text', url, truncated: true });
  const robotsTxt: Sitemaps = { kind: 'robots-txt', url: 'robots.txt' };
  const failed = (code: string, status?: number): Sitemaps => ({
    kind: 'invalid',
    url: code,
    code,
    reason: `${code} ${status ?? ''}`,
    status,
  });
  const stale: Sitemaps = { kind: 'index-xml', url: 's', freshness: 'stale', truncated: false };
  const stopped = { limit: 'maxSitemaps', message: 'Enough.' };
  const elsewhere: Problem = { code: 'sitemaps-elsewhere', message: 'Elsewhere.' };
  const robotsFailed: Problem = { code: 'robots-txt-failed', message: 'No robots.', failure: 'timeout' };
  const knownFailed: Problem = {
    code: 'known-path-failed',
    message: 'Known.',
    failure: 'http-status',
    status: 403,
    documents: 2,
  };
  const tried = (...paths: readonly string[]) => paths.map((path) => ({ url: `https://a.test/${path}` }));
  test.each<[string, readonly Sitemaps[], End, readonly (string | undefined)[]]>([
    ['all was read', [robotsTxt, page], { complete: true }, ['complete']],
    ['an index is read as well', [{ kind: 'index-xml', url: 'i' }], { complete: true }, ['complete']],
    [
      'a robots.txt alone is no sitemap',
      [robotsTxt],
      { complete: true },
      ['none', 'no-sitemap', 'No sitemap was found.'],
    ],
    [
      'nothing says what is missing',
      [page],
      {},
      ['partial', 'incomplete', 'Something that is declared was not read.'],
    ],
    ['the first of two failures', [failed('reset'), page, failed('tls')], {}, ['partial', 'reset', 'reset ']],
    ['a failure before a truncation', [cut('c'), failed('tls')], {}, ['partial', 'tls', 'tls ']],
    [
      'the first of two truncations',
      [page, cut('c'), cut('d')],
      {},
      ['partial', 'truncated', 'c is truncated: its end is missing.'],
    ],
    ['a limit before a failure', [page, failed('tls')], { stopped }, ['partial', 'limit', 'Enough.']],
    [
      'a problem before a truncation',
      [cut('c')],
      { problems: [robotsFailed] },
      ['partial', 'timeout', 'No robots.'],
    ],
    [
      'a sitemap before a problem',
      [page, failed('tls')],
      { problems: [robotsFailed] },
      ['partial', 'tls', 'tls '],
    ],
    [
      'sitemaps elsewhere are no reason',
      [page],
      { problems: [elsewhere, robotsFailed] },
      ['partial', 'timeout', 'No robots.'],
    ],
    [
      'sitemaps elsewhere alone',
      [],
      { problems: [elsewhere] },
      ['none', 'no-sitemap', 'No sitemap was found.'],
    ],
    [
      'a problem without a failure has its own code',
      [page],
      { problems: [{ code: 'not-kept', message: 'Not kept.' }] },
      ['partial', 'not-kept', 'Not kept.'],
    ],
    ['what was not fetched is no failure', [page, failed('not-fetched')], { complete: true }, ['complete']],
    [
      'not fetched and nothing else',
      [failed('not-fetched')],
      {},
      ['none', 'no-sitemap', 'No sitemap was found.'],
    ],
    ['nothing but silence', [failed('timeout')], { complete: true }, ['failed', 'timeout', 'timeout ']],
    [
      'an answer and silence',
      [failed('timeout'), failed('http-status', 404)],
      {},
      ['none', 'timeout', 'timeout '],
    ],
    ['an answer, and a limit', [failed('http-status', 404)], { stopped }, ['failed', 'limit', 'Enough.']],
    ['silence before a limit', [failed('timeout')], { stopped }, ['failed', 'timeout', 'timeout ']],
    ['a limit and nothing else', [], { stopped }, ['failed', 'limit', 'Enough.']],
    [
      'robots.txt failed, and nothing else was tried',
      [],
      { problems: [robotsFailed], triedPaths: tried('robots.txt') },
      ['failed', 'timeout', 'No robots.'],
    ],
    [
      'all known paths failed, robots.txt is not one',
      [],
      { problems: [knownFailed], triedPaths: tried('robots.txt', 'x', 'y') },
      ['failed', 'http-status', 'Known.'],
    ],
    [
      'one known path is missing',
      [],
      { problems: [knownFailed], triedPaths: tried('x', 'y', 'z') },
      ['none', 'http-status', 'Known.'],
    ],
    ['a stale document without its reason', [stale], {}, ['none', 'stale', '']],
  ])('%s', (_what, sitemaps, end, expected) => {
    const notes = new OutcomeNotes();
    for (const sitemap of sitemaps) notes.add(sitemap, []);
    const { outcome, code, reason } = notes.end({
      complete: undefined,
      stopped: undefined,
      problems: [],
      ...end,
    });
    expect([outcome, code, reason]).toEqual([0, 1, 2].map((at) => expected[at]));
    // Pages in any sitemap are something that was read.
    notes.addPages();
    const { outcome: withPages } = notes.end({ complete: true, stopped: undefined, problems: [] });
    expect(withPages).toBe('complete');
  });

  test('a stale document was not read: why is in its problem', () => {
    const problems: readonly Problem[] = [
      { code: 'bad-date', message: 'A date.', failure: 'x', status: 1 },
      { code: 'stale', message: 'Since May.', failure: 'http-status', status: 503 },
    ];
    const notes = new OutcomeNotes();
    notes.add(stale, problems);
    const end = { complete: false, stopped: undefined, problems: [] };
    expect(notes.end(end)).toEqual({ outcome: 'failed', code: 'http-status', reason: 'Since May.' });
    notes.add({ ...stale, freshness: 'unchanged' }, problems);
    expect(notes.end(end)).toEqual({ outcome: 'partial', code: 'http-status', reason: 'Since May.' });
  });
});

describe('collectPages', () => {
  test('gives each page once, in the order of declaration, and names what is missing', async () => {
    const server = await siteOf((at) => ({
      '/robots.txt': robots(
        `${at}/b.xml`,
        `${at}/gone.xml`,
        `${at}/a.xml`,
        `${at}/gone.xml`,
        `${at}/cut.xml`,
        `${at}/i.xml`,
      ),
      // What two places declare is missing once.
      '/i.xml': index(`${at}/gone.xml`, `${at}/cut.xml`),
      '/a.xml': urlset('https://x.example/1', 'https://x.example/2', 'https://x.example/1'),
      '/b.xml': urlset('https://x.example/3', 'https://x.example/2'),
      '/cut.xml': urlset('https://x.example/4').slice(0, -9),
    }));
    const { pages, outcome, missing } = await collectPages(server.origin, DECLARED);
    expect(pages.map(({ url }) => url.slice(-1))).toEqual(['3', '2', '1', '4']);
    expect(outcome).toBe('partial');
    const named = missing.map(({ url, code }) => `${url.replace(server.origin, '')} ${code}`);
    expect(named).toEqual(['/gone.xml http-status', '/cut.xml truncated']);
    for (const { url, message } of missing) expect(message.split(url)).toHaveLength(2);
  });

  test('names everything that is missing of one sitemap, and the limit that came first', async () => {
    const server = await siteOf((at) => ({
      '/robots.txt': robots(`${at}/i.xml`),
      '/i.xml': index(`${at}/a.xml`, `${at}/b.xml`, `${at}/c.xml`).replace('</sitemapindex>', ''),
      '*': PAGES,
    }));
    const { stopped, reason, missing } = await collectPages(server.origin, {
      ...DECLARED,
      maxSitemaps: 3,
      maxPages: 1,
    });
    expect(stopped).toEqual({ limit: 'maxSitemaps', message: reason });
    const ofIndex = missing.filter(({ url }) => url.endsWith('/i.xml'));
    expect(ofIndex.map(({ code }) => code).sort()).toEqual(['too-many-sitemaps', 'truncated']);
  });

  testIf(SHOWS_OPEN_FILES)('leaves no file open', async () => {
    const server = await siteOf((at) => ({ '/robots.txt': robots(`${at}/a.xml`), '/a.xml': PAGES }));
    const spoolDirectory = temporaryFolder();
    const options = { ...DECLARED, spoolMemoryBytes: 0, spoolDirectory };
    expect((await collectPages(server.origin, options)).pages).toHaveLength(2);
    expect(openSpools(spoolDirectory)).toEqual([]);
    const tree = await treeOf(server, options);
    expect(openSpools(spoolDirectory)).toHaveLength(1);
    tree.close();
  });

  test('gives the first pages where there are more than maxPages, counted after the filters, and says so', async () => {
    const server = await siteOf((at) => ({ '/robots.txt': robots(`${at}/a.xml`), '/a.xml': PAGES }));
    const all = await collectPages(server.origin, { ...DECLARED, maxPages: 2 });
    expect(all).toMatchObject({ complete: true, stopped: undefined, outcome: 'complete', missing: [] });
    const first = await collectPages(server.origin, { ...DECLARED, maxPages: 1 });
    const reason = expect.stringMatching(/more than 1 pages \(maxPages\).*streamPages/);
    expect(first).toMatchObject({
      ...{
        complete: false,
        stopped: { limit: 'maxPages', message: reason },
        outcome: 'partial',
        code: 'limit',
        reason,
      },
      missing: [
        {
          url: `${server.origin}/`,
          code: 'limit',
          message: expect.stringContaining(`${server.origin}/: There are`),
        },
      ],
    });
    expect(first.pages.map(({ url }) => url)).toEqual(['https://x.example/1']);
    const second = await collectPages(server.origin, { ...DECLARED, maxPages: 1, exclude: '/1' });
    expect(second.pages.map(({ url }) => url)).toEqual(['https://x.example/2']);
    expect(second.complete).toBe(true);
    await expect(collectPages(server.origin, { ...DECLARED, maxPages: 0 })).rejects.toMatchObject({
      code: 'bad-option',
    });
  });
});

describe('a stream', () => {
  const site = (at: string) => ({
    '/robots.txt': robots(`${at}/i.xml`),
    '/i.xml': index(`${at}/a.xml`, `${at}/gone.xml`),
    '/a.xml': PAGES,
  });

  test('that maxPages ended has the outcome of a limit', async () => {
    const server = await siteOf(site);
    const stream = streamPages(server.origin, { ...DECLARED, maxPages: 1 });
    for await (const _ of stream);
    expect(stream).toMatchObject({ complete: false, outcome: 'partial', code: 'limit' });
    expect(stream).toMatchObject({ stopped: { limit: 'maxPages', message: stream.reason } });
  });

  test('of one sitemap has an outcome, too', async () => {
    const server = await siteOf(site);
    const read = async (path: string) => {
      const stream = streamSitemap(`${server.origin}${path}`, { proxy: false, retries: 0 });
      for await (const _ of stream);
      return [stream.outcome, stream.code];
    };
    expect(await read('/a.xml')).toEqual(['complete', undefined]);
    expect(await read('/i.xml')).toEqual(['partial', 'http-status']);
    expect(await read('/gone.xml')).toEqual(['none', 'http-status']);
  });

  test('whose loop was left says nothing about the site', async () => {
    const server = await siteOf(site);
    const stream = streamPages(server.origin, DECLARED);
    for await (const _ of stream) break;
    expect(stream).toMatchObject({ complete: false, stopped: undefined, outcome: undefined });
  });

  test('throws in a second loop, and requests nothing', async () => {
    const server = await siteOf(site);
    const stream = streamPages(server.origin, DECLARED);
    for await (const _ of stream);
    const { length } = server.requests;
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'stream-used' });
    expect(server.requests).toHaveLength(length);
  });
});
