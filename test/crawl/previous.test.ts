/** Specification §11.2: a site is read again with `previous`, `trustLastmod` and `staleIfError`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type IndexWebsiteSitemap,
  loadTree,
  type Sitemap,
  type SitemapOptions,
  saveTree,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import { internalsOf, walkTree } from '../../src/sitemap/sitemap.ts';
import type { ScriptedResponse, ScriptedServer, Site } from '../server/scripted-server.ts';
import { nodesOf } from '../support/archives.ts';
import { testIf } from '../support/collected.ts';
import {
  codesOf,
  DECLARED,
  outline,
  QUICK,
  siteOf,
  streamed,
  timesAsked,
  treeOf,
  urlsOf,
} from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { folder, openFiles } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';
import { SHOWS_OPEN_FILES } from '../support/sitemaps.ts';
import { sized } from '../support/tier.ts';

/** A document with validators: a 304 for requests that have them. */
function versioned(response: ScriptedResponse, validators: Readonly<Record<string, string>>): Site[string] {
  return ({ headers }) => {
    const asked = headers['if-none-match'] ?? headers['if-modified-since'];
    return asked !== undefined && Object.values(validators).includes(asked)
      ? { status: 304 }
      : { ...response, headers: validators };
  };
}

const ETAG = { etag: '"v1"' };
const DATED = { 'last-modified': 'Mon, 06 May 2013 10:00:00 GMT' };

/** robots.txt → index.xml → a.xml (ETag), b.xml (Last-Modified), c.xml (neither). */
const small: Site = {
  '/robots.txt': ['/index.xml'],
  '/index.xml': versioned({ body: ['/a.xml', '/b.xml', '/c.xml'] }, ETAG),
  '/a.xml': versioned({ pages: ['/1', '/2'] }, ETAG),
  '/b.xml': versioned({ pages: ['/3'] }, DATED),
  '/c.xml': { pages: ['/4'] },
};

const freshnessOf = (tree: Sitemap, { origin }: { readonly origin: string }): string[] =>
  [...walkTree(tree)]
    .map(({ sitemap }) => sitemap)
    .filter(({ kind }) => kind !== 'website')
    .map((node) => {
      const what = node.kind === 'invalid' ? (node.status ?? node.code) : node.freshness;
      return `${node.url.replace(origin, '')} ${what}`;
    });

/** The tree, saved and loaded. */
async function archived(tree: Sitemap, name = 'tree.warc.gz'): Promise<Sitemap> {
  const path = `${folder()}/${name}`;
  await saveTree(tree, path);
  const loaded = await loadTree(path);
  onTestFinished(() => loaded.close());
  return loaded;
}

/** The header of the requests since some request, by path. */
const sent = (server: ScriptedServer, header: string, since: number): Record<string, unknown> =>
  Object.fromEntries(server.requests.slice(since).map(({ path, headers }) => [path, headers[header]]));

/** How the tree before is there. */
const KEPT: readonly (readonly [string, (tree: Sitemap) => Promise<Sitemap>])[] = [
  ['a loaded tree', (tree) => archived(tree)],
  ['a living tree', async (tree) => tree],
  ['a tree in a plain archive', (tree) => archived(tree, 'tree.warc')],
];

// In the fast tier the tests further below have living trees.
describe.each(KEPT.slice(0, sized({ fast: 1, full: 3 })))('§11.2 with %s as previous', (_what, prepare) => {
  const again = async (server: ScriptedServer, tree: Sitemap, options: SitemapOptions = {}) =>
    treeOf(server, { ...DECLARED, previous: await prepare(tree), ...options });

  test('documents are asked for with their validators, and used where they are the same', async () => {
    const server = await siteOf(small);
    const first = await treeOf(server, DECLARED);
    expect([...walkTree(first)].map(({ sitemap }) => sitemap.freshness)).toEqual(
      new Array(6).fill(undefined),
    );
    const since = server.requests.length;
    const second = await again(server, first);
    expect(sent(server, 'if-none-match', since)).toEqual({
      '/robots.txt': undefined,
      '/index.xml': '"v1"',
      '/a.xml': '"v1"',
      '/b.xml': undefined,
      '/c.xml': undefined,
    });
    expect(sent(server, 'if-modified-since', since)).toMatchObject({
      '/a.xml': undefined,
      '/b.xml': DATED['last-modified'],
    });
    expect(freshnessOf(second, server)).toEqual([
      '/robots.txt unchanged',
      '/index.xml unchanged',
      '/a.xml unchanged',
      '/b.xml unchanged',
      '/c.xml unchanged',
    ]);
    expect(urlsOf(second.allPages())).toEqual(urlsOf(first.allPages()));
    expect(second.complete).toBe(true);
  });

  test('a document that differs is changed, one that was not there is new, and one that is gone has no node', async () => {
    const server = await siteOf(small);
    const first = await treeOf(server, DECLARED);
    server.site['/index.xml'] = ['/a.xml', '/c.xml', '/d.xml'];
    server.site['/c.xml'] = { pages: ['/4', '/5'] };
    server.site['/d.xml'] = { pages: ['/6'] };
    expect(freshnessOf(await again(server, first), server)).toEqual([
      '/robots.txt unchanged',
      '/index.xml changed',
      '/a.xml unchanged',
      '/c.xml changed',
      '/d.xml new',
    ]);
  });

  test('the tree outlives its previous one, and is saved with its documents', async () => {
    const server = await siteOf(small);
    const previous = await prepare(await treeOf(server, DECLARED));
    const second = await treeOf(server, { ...DECLARED, previous });
    const json = JSON.stringify(second);
    previous.close();
    const third = await archived(second);
    second.close();
    expect(JSON.stringify(third)).toBe(json);
  });

  test('the time of a 304 is kept; its validators are not, since they came without a body', async () => {
    const server = await siteOf(small);
    const first = await treeOf(server, DECLARED);
    server.site['/a.xml'] = { status: 304, headers: { etag: 'W/"v1"', ...DATED } };
    const second = await again(server, first);
    const third = await again(server, second);
    const since = server.requests.length;
    await again(server, third);
    expect(sent(server, 'if-none-match', since)).toMatchObject({ '/a.xml': '"v1"' });
    expect(sent(server, 'if-modified-since', since)['/a.xml']).toBeUndefined();
    const facts = (tree: Sitemap) => {
      const node = [...tree.allSitemaps()].find(({ url }) => url.endsWith('/a.xml'));
      return node && internalsOf(node).facts;
    };
    expect(facts(second)?.document?.requestedAt).toBe(facts(first)?.document?.requestedAt);
    expect(facts(second)?.checkedAt).toBeGreaterThanOrEqual(
      facts(first)?.document?.requestedAt ?? Number.NaN,
    );
    expect(facts(third)?.checkedAt).toBeGreaterThanOrEqual(facts(second)?.checkedAt ?? Number.NaN);
  });

  test.each([
    ['another tag', ETAG, { etag: '"v2"' }, 'changed'],
    ['a tag where we have none', DATED, { etag: '"v2"' }, 'changed'],
    [
      'another Last-Modified and no tag',
      DATED,
      { 'last-modified': 'Tue, 07 May 2013 10:00:00 GMT' },
      'changed',
    ],
    ['the same tag, weak', ETAG, { etag: 'W/"v1"' }, 'unchanged'],
    ['no tag', ETAG, DATED, 'unchanged'],
    ['the same Last-Modified', DATED, DATED, 'unchanged'],
    ['neither', DATED, {}, 'unchanged'],
  ])('a 304 with %s: %s, then %s, is %s', async (_what, validators, headers, freshness) => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { pages: ['/1'], headers: validators },
    });
    const first = await treeOf(server, DECLARED);
    server.site['/a.xml'] = ({ headers: asked }) =>
      asked['if-none-match'] === undefined && asked['if-modified-since'] === undefined
        ? { pages: ['/2'] }
        : { status: 304, headers };
    const tree = await again(server, first);
    expect(freshnessOf(tree, server).at(-1)).toBe(`/a.xml ${freshness}`);
  });

  test('what failed is shown as it was, over any number of runs', async () => {
    const server = await siteOf(small);
    const first = await treeOf(server, DECLARED);
    for (const path of Object.keys(server.site)) server.site[path] = { status: 503 };
    let tree: IndexWebsiteSitemap = first;
    for (let run = 0; run < 3; run++) tree = await again(server, tree, { staleIfError: true });
    expect(urlsOf(tree.allPages())).toEqual(urlsOf(first.allPages()));
    expect(freshnessOf(tree, server)).toEqual(
      ['/robots.txt', '/index.xml', '/a.xml', '/b.xml', '/c.xml'].map((path) => `${path} stale`),
    );
    const dates = (top: Sitemap) =>
      [...top.allSitemaps()].map((node) => internalsOf(node).facts?.document?.requestedAt);
    expect(dates(tree)).toEqual(dates(first));
    for (const { problems, problemCount } of tree.allSitemaps()) {
      expect(problems).toMatchObject([{ code: 'stale', failure: 'http-status', status: 503 }]);
      expect(problemCount).toBe(1);
    }
    expect(tree.complete).toBe(false);
    expect(codesOf(tree.problems)).toEqual([]);
  });
});

describe('§11.2 validators', () => {
  test('go only to the URL that sent them, behind a redirect to the final one', async () => {
    const server = await siteOf({
      '/robots.txt': ['/old.xml'],
      '/old.xml': { redirect: '/new.xml' },
      '/new.xml': versioned({ pages: ['/1'] }, ETAG),
    });
    const previous = await archived(await treeOf(server, DECLARED));
    const since = server.requests.length;
    const tree = await treeOf(server, { ...DECLARED, previous });
    expect(sent(server, 'if-none-match', since)).toEqual({
      '/robots.txt': undefined,
      '/old.xml': undefined,
      '/new.xml': '"v1"',
    });
    expect(outline(tree, server)).toEqual(['robots-txt /robots.txt', '  pages-xml /new.xml (/old.xml) 1']);
    expect(freshnessOf(tree, server)).toEqual(['/robots.txt unchanged', '/new.xml unchanged']);
    // The redirect is in the archive again.
    const path = `${folder()}/again.warc.gz`;
    await saveTree(tree, path);
    expect(nodesOf(path).nodes.at(-1)).toMatchObject({ hops: [expect.any(Number)], freshness: 'unchanged' });
  });

  test('are not sent where the URL redirects to another one now', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': versioned({ pages: ['/1'] }, ETAG),
      '/b.xml': versioned({ pages: ['/1'] }, ETAG),
    });
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = { redirect: '/b.xml' };
    const since = server.requests.length;
    const tree = await treeOf(server, { ...DECLARED, previous });
    expect(sent(server, 'if-none-match', since)['/b.xml']).toBeUndefined();
    // The same bytes at another URL are another document.
    expect(freshnessOf(tree, server)).toEqual(['/robots.txt unchanged', '/b.xml changed']);
  });

  test('are not sent for a document that was truncated', async () => {
    const body = urlset('http://127.0.0.1/1', 'http://127.0.0.1/2');
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { body, headers: ETAG, truncateAfter: body.length - 30 },
    });
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = versioned({ body }, ETAG);
    const tree = await treeOf(server, { ...DECLARED, previous });
    expect(server.requests.at(-1)?.headers['if-none-match']).toBeUndefined();
    expect(freshnessOf(tree, server)).toEqual(['/robots.txt unchanged', '/a.xml changed']);
  });

  test.each<[string, (body: string) => Site[string]]>([
    ['by its validator', (body) => versioned({ body }, ETAG)],
    ['by its bytes', (body) => ({ body })],
  ])(
    'a document whose end is missing is no more whole where it is unchanged %s',
    async (_how, responseOf) => {
      const body = urlset('http://127.0.0.1/1', 'http://127.0.0.1/2').replace('</urlset>', '');
      const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': responseOf(body) });
      const first = await treeOf(server, DECLARED);
      const second = await treeOf(server, { ...DECLARED, previous: await archived(first) });
      expect(freshnessOf(second, server)).toEqual(['/robots.txt unchanged', '/a.xml unchanged']);
      for (const tree of [first, second]) {
        const [sitemap] = tree.subSitemaps[0]!.subSitemaps;
        expect([sitemap?.truncated, tree.complete]).toEqual([true, false]);
        expect(sitemap?.problems.map(({ code }) => code)).toEqual(['truncated']);
      }
    },
  );

  test('a document that is damaged in the archive is requested again without them', async () => {
    const server = await siteOf(small);
    const path = `${folder()}/tree.warc`;
    await saveTree(await treeOf(server, DECLARED), path);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf(`<loc>${server.origin}/1</loc>`) + 6] = 0x58;
    writeFileSync(path, bytes);
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (text: string) => warnings.push(text) };
    const since = server.requests.length;
    const tree = await treeOf(server, { ...DECLARED, previous: await loadTree(path), logger });
    expect(sent(server, 'if-none-match', since)).toMatchObject({ '/index.xml': '"v1"', '/a.xml': undefined });
    expect(urlsOf(tree.allPages())).toContain(`${server.origin}/1`);
    expect(warnings).toEqual([`${server.origin}/a.xml is damaged in the archive; it is requested again.`]);
  });

  test('a document that is damaged in the archive is requested although its lastmod is trusted', async () => {
    const day = '2013-05-06';
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': [
        ['/a.xml', day],
        ['/b.xml', day],
      ],
      '/a.xml': { pages: ['/1'] },
      '/b.xml': { pages: ['/2'] },
    });
    const path = `${folder()}/tree.warc`;
    await saveTree(await treeOf(server, DECLARED), path);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf(`<loc>${server.origin}/1</loc>`) + 6] = 0x58;
    writeFileSync(path, bytes);
    const since = server.requests.length;
    const tree = await treeOf(server, { ...DECLARED, previous: await loadTree(path), trustLastmod: true });
    expect(server.requests.slice(since).map((request) => request.path)).toContain('/a.xml');
    expect(server.requests.slice(since).map((request) => request.path)).not.toContain('/b.xml');
    expect(urlsOf(tree.allPages())).toEqual([`${server.origin}/1`, `${server.origin}/2`]);
    // It is not shown where it fails, nor where nothing declares it.
    for (const inIndex of [
      ['/a.xml', '/b.xml'],
      ['/b.xml', '/new.xml'],
    ]) {
      Object.assign(server.site, {
        '/index.xml': inIndex,
        '/a.xml': { status: 503 },
        '/new.xml': { status: 503 },
      });
      const options = { ...DECLARED, previous: await loadTree(path), staleIfError: true };
      expect(urlsOf((await treeOf(server, options)).allPages())).toEqual([`${server.origin}/2`]);
    }
  });

  testIf(SHOWS_OPEN_FILES)(
    'an archive that was given as previous is closed with the last tree that uses it',
    async () => {
      const server = await siteOf(small);
      const path = `${folder()}/tree.warc.gz`;
      await saveTree(await treeOf(server, DECLARED), path);
      const open = (): number => openFiles(path).length;
      for (const change of [false, true]) {
        const previous = await loadTree(path);
        if (change)
          for (const name of ['/index.xml', '/a.xml', '/b.xml']) server.site[name] = { pages: ['/5'] };
        const tree = await treeOf(server, { ...DECLARED, previous });
        const stream = streamPages(server.origin, { ...DECLARED, previous });
        for await (const _ of stream.batches());
        previous.close();
        // What the new tree shows may be in the archive.
        if (!change) expect(open()).toBe(1);
        tree.close();
        expect(open()).toBe(0);
      }
    },
  );

  test('a document behind a redirect that is damaged in the archive is requested again', async () => {
    const server = await siteOf({
      '/robots.txt': ['/old.xml'],
      '/old.xml': { redirect: '/new.xml' },
      '/new.xml': versioned({ pages: ['/1'] }, ETAG),
    });
    const path = `${folder()}/tree.warc`;
    await saveTree(await treeOf(server, DECLARED), path);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('302 Found') + 2] = 0x58;
    writeFileSync(path, bytes);
    const tree = await treeOf(server, { ...DECLARED, previous: await loadTree(path) });
    // After the 304.
    expect(server.requests.at(-1)).toMatchObject({ path: '/new.xml' });
    expect(server.requests.at(-1)?.headers['if-none-match']).toBeUndefined();
    expect(JSON.stringify(await archived(tree))).toBe(JSON.stringify(tree));
  });

  test('a 304 that was not asked for is a failure', async () => {
    const server = await siteOf(small);
    const previous = await treeOf(server, DECLARED);
    server.site['/c.xml'] = { status: 304 };
    const tree = await treeOf(server, { ...DECLARED, previous });
    expect(freshnessOf(tree, server).at(-1)).toBe('/c.xml 304');
  });

  test('a document with the same bytes in another charset is changed', async () => {
    const body = urlset('http://127.0.0.1/1');
    const as = (charset: string): ScriptedResponse => ({
      body,
      headers: { 'content-type': `text/xml; charset=${charset}` },
    });
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': as('utf-8') });
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = as('iso-8859-1');
    const tree = await treeOf(server, { ...DECLARED, previous });
    expect(freshnessOf(tree, server).at(-1)).toBe('/a.xml changed');
  });

  test('the same bytes have the problems and the status that they come with now', async () => {
    const body = urlset('http://127.0.0.1/1');
    const junk = Buffer.concat([gzipSync(body), Buffer.from('junk')]);
    const server = await siteOf({ '/robots.txt': ['/a.xml'] });
    let previous: Sitemap | undefined;
    for (const [response, codes] of [
      [{ body }, []],
      [{ body: junk, status: 203 }, ['gzip-trailing-bytes']],
      [{ body }, []],
    ] as const) {
      server.site['/a.xml'] = response;
      previous = await archived(await treeOf(server, { ...DECLARED, previous }));
      const { problems, problemCount, status } = [...previous.allSitemaps()].at(-1)!;
      const expected = [codes, codes.length, 'status' in response ? response.status : 200];
      expect([codesOf(problems), problemCount, status]).toEqual(expected);
    }
  });

  test('new ones that come with the same bytes in every run are sent the next time, and none where none came', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'] });
    let previous: Sitemap | undefined;
    for (const etag of ['"a"', '"b"', '"c"', undefined, '"d"']) {
      server.site['/a.xml'] = { pages: ['/1'], headers: etag === undefined ? {} : { etag } };
      const tree = await treeOf(server, { ...DECLARED, previous });
      previous = await archived(tree);
    }
    const asked = server.requests.filter(({ path }) => path === '/a.xml');
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      '"a"',
      '"b"',
      '"c"',
      undefined,
    ]);
  });
});

describe('§11.2 trustLastmod', () => {
  const DAY = 24 * 3600 * 1000;
  const iso = (time: number): string => new Date(time).toISOString();
  const now = Date.now();
  /** Its day is not over either, and will not be soon: the tests may run behind midnight. */
  const soon = now + 6 * 3600 * 1000;
  /** An index of a.xml, with its date. */
  const dated = (date: string): Site[string] => [['/a.xml', date]];

  /** Reads a site twice, with these dates for a.xml in its index; how often a.xml was requested the second time. */
  async function requests(dates: readonly [string, string], options: SitemapOptions = {}): Promise<number> {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': dated(dates[0]),
      '/a.xml': { pages: ['/1'] },
    });
    const previous = await archived(await treeOf(server, DECLARED));
    server.site['/index.xml'] = dated(dates[1]);
    const before = timesAsked(server, '/a.xml');
    const tree = await treeOf(server, { ...DECLARED, previous, trustLastmod: true, ...options });
    expect(freshnessOf(tree, server).at(-1)).toBe('/a.xml unchanged');
    return timesAsked(server, '/a.xml') - before;
  }

  test.each([
    ['the same time, long over', '2013-05-06T08:00:00Z', '2013-05-06T08:00:00Z', 0],
    ['the same time, written otherwise', '2013-05-06T08:00:00Z', '2013-05-06T10:00:00+02:00', 0],
    ['another time', '2013-05-06T08:00:00Z', '2013-05-06T08:00:01Z', 1],
    ['no date', '', '', 1],
    ['a date that was not there before', '', '2013-05-06', 1],
    ['a time to come', iso(now + DAY), iso(now + DAY), 1],
    ['a day that is over', iso(now - 2 * DAY).slice(0, 10), iso(now - 2 * DAY).slice(0, 10), 0],
    ['today', iso(soon).slice(0, 10), iso(soon).slice(0, 10), 1],
    ['a year that is over', '2012', '2012', 0],
    ['this year', iso(soon).slice(0, 4), iso(soon).slice(0, 4), 1],
    ['this month', iso(soon).slice(0, 7), iso(soon).slice(0, 7), 1],
  ])('%s: %s, then %s: requests: %i', async (_what, before, after, count) => {
    expect(await requests([before, after])).toBe(count);
  });

  test('what need not be requested is finished, too: in the end all that is known is done', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': dated('2013-05-06'),
      '/a.xml': { pages: ['/1'] },
    });
    const previous = await treeOf(server, DECLARED);
    const finished: string[] = [];
    let last: { readonly known: number; readonly done: number } | undefined;
    await treeOf(server, {
      ...DECLARED,
      previous,
      trustLastmod: true,
      onProgress: (event) => {
        if (event.type === 'finished') finished.push(event.url.replace(server.origin, ''));
        last = event.totals;
      },
    });
    expect([timesAsked(server, '/a.xml'), finished]).toEqual([1, ['/robots.txt', '/index.xml', '/a.xml']]);
    expect(last).toMatchObject({ known: 2, done: 2 });
  });

  test('a day that was not over when the document was read, and is over now: it is requested', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': dated('2024-05-06'),
      '/a.xml': { pages: ['/1'] },
    });
    const readAt = async (time: string, previous?: Sitemap): Promise<Sitemap> => {
      vi.setSystemTime(time);
      return treeOf(server, { ...DECLARED, previous, trustLastmod: true });
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const atNoon = await readAt('2024-05-06T12:00:00Z');
    const dayAfter = await readAt('2024-05-07T12:00:00Z', atNoon);
    expect(timesAsked(server, '/a.xml')).toBe(2);
    await readAt('2024-05-08T12:00:00Z', dayAfter);
    expect(timesAsked(server, '/a.xml')).toBe(2);
  });

  test('what was trusted or stale in between has the validators and the date of its last good read', async () => {
    const server = await siteOf({ '/robots.txt': ['/index.xml'] });
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const freshness: unknown[] = [];
    let previous: Sitemap | undefined;
    for (const [day, date, response] of [
      [6, '2013-05-01', { pages: ['/1'], headers: { etag: '"1"' } }],
      // A day that is just over.
      [7, '2013-05-06', { pages: ['/1'], headers: { etag: '"2"' } }],
      [8, '2013-05-06', { status: 500 }],
      [9, '2013-05-03', { status: 503 }],
      [10, '2013-05-03', { pages: ['/1'], headers: { etag: '"3"' } }],
    ] as const) {
      vi.setSystemTime(Date.UTC(2013, 4, day));
      Object.assign(server.site, { '/index.xml': dated(date), '/a.xml': response });
      const options = { ...DECLARED, previous, trustLastmod: true, staleIfError: true };
      previous = await archived(await treeOf(server, options));
      const a = [...previous.allSitemaps()].at(-1);
      freshness.push([a?.freshness, a?.staleness?.since.getUTCDate()]);
    }
    expect(freshness).toEqual([
      [undefined, undefined],
      ['unchanged', undefined],
      ['unchanged', undefined],
      ['stale', 7],
      ['unchanged', undefined],
    ]);
    const asked = server.requests.filter(({ path }) => path === '/a.xml');
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"2"', '"2"']);
  });

  test('a document without its end is requested, whatever date is declared', async () => {
    const body = urlset('http://127.0.0.1/1', 'http://127.0.0.1/2');
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': dated('2013-05-06'),
      '/a.xml': { body, truncateAfter: body.length - 30 },
    });
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = body;
    const tree = await treeOf(server, { ...DECLARED, previous, trustLastmod: true });
    expect([urlsOf(tree.allPages()).length, tree.complete]).toEqual([2, true]);
  });

  test('is off by default', async () => {
    expect(await requests(['2013-05-06', '2013-05-06'], { trustLastmod: undefined })).toBe(1);
  });

  test.each([
    ['is missing', { status: 404 }, { status: 410 }, ['/index.xml stale', '/a.xml 410']],
    ['cannot be read', { status: 503 }, { status: 503 }, ['/index.xml stale', '/a.xml stale']],
  ])('an index that %s is not trusted: its children are requested', async (_what, top, child, expected) => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': [['/a.xml', '2013-05-06']],
      '/a.xml': { pages: ['/1'] },
    });
    const previous = await archived(await treeOf(server, DECLARED));
    Object.assign(server.site, { '/index.xml': top, '/a.xml': child });
    const options = { ...DECLARED, retries: 0, previous, trustLastmod: true, staleIfError: true };
    const tree = await treeOf(server, options);
    expect(timesAsked(server, '/a.xml')).toBe(2);
    expect(freshnessOf(tree, server).slice(1)).toEqual(expected);
  });

  test('an index is always requested, and so is a document that was stale', async () => {
    const nested = (date: string): Site[string] => [
      ['/index.xml', date],
      ['/a.xml', date],
    ];
    const server = await siteOf({
      '/robots.txt': ['/top.xml'],
      '/top.xml': nested('2013-05-06'),
      '/index.xml': [],
      '/a.xml': { pages: ['/1'] },
    });
    const options = { ...DECLARED, trustLastmod: true, staleIfError: true };
    const first = await treeOf(server, DECLARED);
    const second = await treeOf(server, { ...options, previous: first });
    expect([timesAsked(server, '/index.xml'), timesAsked(server, '/a.xml')]).toEqual([2, 1]);
    server.site['/a.xml'] = { status: 503 };
    server.site['/top.xml'] = nested('2013-05-07');
    const stale = await treeOf(server, { ...options, previous: second });
    server.site['/a.xml'] = { pages: ['/2'] };
    const fourth = await treeOf(server, { ...options, previous: stale });
    expect(timesAsked(server, '/a.xml')).toBe(3);
    expect(freshnessOf(fourth, server).at(-1)).toBe('/a.xml changed');
  });

  describe.each([
    ['first', '/near.xml', '/far.xml'],
    ['last', '/far.xml', '/near.xml'],
  ])('an index with another date that is read %s', (_when, other, same) => {
    // far.xml is known only once top.xml was read.
    const twice: Site = {
      '/robots.txt': ['/near.xml', '/top.xml'],
      '/top.xml': ['/middle.xml'],
      '/middle.xml': ['/far.xml'],
      [other]: dated('2013-05-06'),
      [same]: dated('2013-05-06'),
      '/a.xml': { pages: ['/1'] },
    };

    test('has the document requested for all places', async () => {
      const server = await siteOf(twice);
      const previous = await archived(await treeOf(server, DECLARED));
      server.site[other] = dated('2013-05-07');
      server.site['/a.xml'] = { pages: ['/2'] };
      const tree = await treeOf(server, { ...DECLARED, previous, trustLastmod: true });
      expect(timesAsked(server, '/a.xml')).toBe(2);
      const places = freshnessOf(tree, server).filter((line) => line.startsWith('/a.xml'));
      expect(places).toEqual(['/a.xml changed', '/a.xml changed']);
      // Two dates do not say how old it is; one does.
      server.site[same] = dated('2013-05-07');
      const third = await treeOf(server, { ...DECLARED, previous: tree, trustLastmod: true });
      expect(timesAsked(server, '/a.xml')).toBe(3);
      await treeOf(server, { ...DECLARED, previous: third, trustLastmod: true });
      expect(timesAsked(server, '/a.xml')).toBe(3);
    });

    test('has the document requested by a stream', async () => {
      const server = await siteOf(twice);
      const previous = await archived(await treeOf(server, DECLARED));
      server.site[other] = dated('2013-05-07');
      server.site['/a.xml'] = { pages: ['/2'] };
      const pages = await streamed(server, { ...DECLARED, previous, trustLastmod: true });
      expect(pages.map((page) => JSON.stringify(page)).filter((page) => page.includes('/1"'))).toEqual([]);
      expect(timesAsked(server, '/a.xml')).toBe(2);
    });

    test('and that cannot be read lets nothing be trusted', async () => {
      const server = await siteOf(twice);
      const previous = await archived(await treeOf(server, DECLARED));
      server.site[other] = { status: 503 };
      const options = { ...DECLARED, retries: 0, previous, trustLastmod: true, staleIfError: true };
      await treeOf(server, options);
      expect(timesAsked(server, '/a.xml')).toBe(2);
    });
  });

  test('a stream ends on a site that has an undeclared sitemap at a known path', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': dated('2013-05-06'),
      '/a.xml': { pages: ['/1'] },
      '/sitemap.xml': { pages: ['/9'] },
    });
    const previous = await archived(await treeOf(server, QUICK));
    const pages = await streamed(server, { ...QUICK, previous, trustLastmod: true });
    expect(pages.map(({ page }) => page.url.replace(server.origin, '')).sort()).toEqual(['/1', '/9']);
    expect([timesAsked(server, '/a.xml'), timesAsked(server, '/sitemap.xml')]).toEqual([1, 2]);
  });

  test('an index at a known path, which is read last, has the document requested by another date', async () => {
    const server = await siteOf({
      '/robots.txt': ['/near.xml'],
      '/near.xml': dated('2013-05-06'),
      '/late.xml': dated('2013-05-06'),
      '/a.xml': { pages: ['/1'] },
    });
    const options = { ...DECLARED, extraKnownPaths: ['late.xml'] };
    const previous = await archived(await treeOf(server, options));
    server.site['/late.xml'] = dated('2013-05-07');
    server.site['/a.xml'] = { pages: ['/2'] };
    const tree = await treeOf(server, { ...options, previous, trustLastmod: true });
    expect(timesAsked(server, '/a.xml')).toBe(2);
    expect(urlsOf(tree.allPages())).toContain(`${server.origin}/2`);
  });

  test('a document that all indexes declare as before is not requested, however late they are read', async () => {
    const server = await siteOf({
      '/robots.txt': ['/near.xml', '/top.xml'],
      '/top.xml': ['/far.xml'],
      '/far.xml': dated('2013-05-06'),
      '/near.xml': dated('2013-05-06'),
      '/a.xml': { pages: ['/1'] },
    });
    const previous = await archived(await treeOf(server, DECLARED));
    const tree = await treeOf(server, { ...DECLARED, previous, trustLastmod: true });
    expect(timesAsked(server, '/a.xml')).toBe(1);
    expect(freshnessOf(tree, server).filter((line) => line === '/a.xml unchanged')).toHaveLength(2);
  });
});

describe('§11.2 staleIfError', () => {
  const failures: readonly [
    string,
    ScriptedResponse,
    'idleTimeoutMs' | 'maxTimeMs' | undefined,
    Record<string, unknown>,
  ][] = [
    ['5xx', { status: 500 }, undefined, { failure: 'http-status', status: 500 }],
    ['401', { status: 401 }, undefined, { failure: 'http-status', status: 401 }],
    ['403', { status: 403 }, undefined, { failure: 'http-status', status: 403 }],
    ['429', { status: 429 }, undefined, { failure: 'http-status', status: 429 }],
    ['an HTML page', { body: '<!doctype html><title>Down</title>' }, undefined, { failure: 'not-a-sitemap' }],
    ['a timeout', { silent: true }, 'idleTimeoutMs', { failure: 'timeout' }],
    ['a broken connection', { hangUp: true }, undefined, { failure: 'reset' }],
    [
      'a name that does not resolve',
      { redirect: 'http://nowhere.invalid/' },
      undefined,
      { failure: 'unresolved' },
    ],
    ['TLS', { redirect: 'https://HOST/a.xml' }, undefined, { failure: 'tls' }],
    ['a redirect in a circle', { redirect: '/a.xml' }, undefined, { failure: 'redirects' }],
    ['a 304 that was not asked for', { status: 304 }, undefined, { failure: 'http-status', status: 304 }],
    ['the time of the call', { silent: true }, 'maxTimeMs', { failure: 'limit', option: 'maxTimeMs' }],
  ];
  test.each(failures)(
    '%s: the earlier document is shown, with the failure',
    async (_what, response, limit, problem) => {
      const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { pages: ['/1'] } });
      const previous = await archived(await treeOf(server, DECLARED));
      // Its certificate is not trusted.
      const tls = await siteOf({}, { tls: true });
      const redirect = response.redirect?.replace('https://HOST', tls.origin);
      server.site['/a.xml'] = redirect === undefined ? response : { ...response, redirect };
      await withMoreTime([300, 3_000, 30_000], async (ms) => {
        const options = limit === undefined ? {} : { [limit]: ms };
        const without = await treeOf(server, { ...DECLARED, ...options, previous });
        expect(without.subSitemaps[0]?.subSitemaps[0]?.freshness).not.toBe('stale');
        const tree = await treeOf(server, { ...DECLARED, ...options, previous, staleIfError: true });
        const [node] = tree.subSitemaps[0]?.subSitemaps ?? [];
        expect(node?.freshness).toBe('stale');
        expect(node?.problems).toMatchObject([{ code: 'stale', ...problem }]);
        expect(node?.problems[0]?.message).toContain(`${server.origin}/a.xml`);
        expect(urlsOf(tree.allPages())).toEqual([`${server.origin}/1`]);
        expect(tree.complete).toBe(false);
      });
    },
  );

  test('a document that is cut by maxSitemapBytes was read', async () => {
    const server = await siteOf(small);
    const previous = await treeOf(server, DECLARED);
    const body = urlset(`${server.origin}/5`, `${server.origin}/${'x'.repeat(3000)}`);
    server.site['/c.xml'] = body;
    const tree = await treeOf(server, { ...DECLARED, maxSitemapBytes: 2000, previous, staleIfError: true });
    expect(freshnessOf(tree, server).at(-1)).toBe('/c.xml changed');
    expect(urlsOf(tree.allPages()).at(-1)).toBe(`${server.origin}/5`);
  });

  test.each([
    ['less arrives than before', 3, 1, 'stale', 3],
    ['more arrives than before', 1, 3, 'changed', 3],
  ])(
    'a document without its end is shown with more of it: %s',
    async (_what, before, now, freshness, pages) => {
      const server = await siteOf({ '/robots.txt': ['/a.xml'] });
      const body = urlset(...[1, 2, 3, 4].map((page) => `${server.origin}/${page}`));
      const cutBehind = (page: number): ScriptedResponse => ({
        body,
        truncateAfter: body.indexOf(`/${page}</loc></url>`) + `/${page}</loc></url>`.length,
      });
      server.site['/a.xml'] = cutBehind(before);
      const previous = await treeOf(server, DECLARED);
      server.site['/a.xml'] = cutBehind(now);
      const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
      expect(freshnessOf(tree, server).at(-1)).toBe(`/a.xml ${freshness}`);
      expect([...tree.allPages()]).toHaveLength(pages);
    },
  );

  test('a document without its end, of which as much arrives as before, is shown as it was', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'] });
    const cut = (...pages: readonly number[]): ScriptedResponse => {
      const body = urlset(...pages.map((page) => `${server.origin}/${page}`));
      return { body, truncateAfter: body.length - 20 };
    };
    server.site['/a.xml'] = cut(1, 2, 3);
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = cut(4, 5, 6);
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    expect(freshnessOf(tree, server).at(-1)).toBe('/a.xml stale');
    expect(urlsOf(tree.allPages())).toEqual(urlsOf(previous.allPages()));
  });

  test('a document whose text ends too early says in whole sentences why it is shown as it was', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'] });
    const body = urlset(...[1, 2, 3].map((page) => `${server.origin}/${page}`));
    server.site['/a.xml'] = { body };
    const previous = await treeOf(server, DECLARED);
    server.site['/a.xml'] = { body: body.slice(0, -20) };
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    const { problems } = [...tree.allSitemaps()].at(-1)!;
    expect(problems.find(({ code }) => code === 'stale')?.message).toMatch(
      /\/a\.xml was not read to its end\. Its end is missing\. It is shown as it was read on /,
    );
  });

  test('a document that responds with 410 is gone; one with 404 once two runs have seen that', async () => {
    const server = await siteOf(small);
    const last = async (previous: Sitemap, options?: SitemapOptions): Promise<[Sitemap, string[]]> => {
      const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true, ...options });
      return [await archived(tree), freshnessOf(tree, server).slice(2)];
    };
    const first = await treeOf(server, DECLARED);
    server.site['/a.xml'] = { status: 404 };
    server.site['/b.xml'] = { status: 410 };
    const [second, once] = await last(first);
    expect(once).toEqual(['/a.xml stale', '/b.xml 410', '/c.xml unchanged']);
    expect((await last(first, { goneAfter: 1 }))[1][0]).toBe('/a.xml 404');
    // Another failure in between neither counts nor resets.
    server.site['/a.xml'] = { status: 503 };
    const [third, failed] = await last(second);
    expect(failed[0]).toBe('/a.xml stale');
    server.site['/a.xml'] = { status: 404 };
    expect((await last(third))[1][0]).toBe('/a.xml 404');
    // A good read does.
    server.site['/a.xml'] = { pages: ['/1'] };
    const [fourth] = await last(third);
    server.site['/a.xml'] = { status: 404 };
    expect((await last(fourth))[1][0]).toBe('/a.xml stale');
  });

  test('what is stale says why, since when, and in how many runs', async () => {
    const server = await siteOf(small);
    let tree: Sitemap = await treeOf(server, DECLARED);
    const readAt = new Date(internalsOf([...tree.allSitemaps()].at(-1)!).facts?.document?.requestedAt ?? 0);
    server.site['/c.xml'] = { status: 503 };
    for (let run = 0; run < 3; run++) {
      tree = await archived(await treeOf(server, { ...DECLARED, previous: tree, staleIfError: true }));
    }
    const [c] = [...tree.allSitemaps()].filter(({ freshness }) => freshness === 'stale');
    expect(c?.staleness).toEqual({
      reason: expect.stringMatching(/\/c\.xml.*503.* It is shown as it was read on \d{4}-/),
      failure: 'http-status',
      since: readAt,
      runs: 3,
      status: 503,
    });
    expect([...tree.allSitemaps()][0]?.staleness).toBeUndefined();
  });

  test('what is stale is so since the last response that said that it was the same; maxStaleMs counts from then', async () => {
    const server = await siteOf(small);
    const options = { ...DECLARED, staleIfError: true, maxStaleMs: 24 * 60 * 60 * 1000 };
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    let previous: Sitemap | undefined;
    for (const day of [6, 7, 8]) {
      vi.setSystemTime(Date.UTC(2013, 4, day));
      if (day === 8) server.site['/a.xml'] = { status: 503 };
      previous = await archived(await treeOf(server, { ...options, previous }));
    }
    const [a] = [...(previous?.allSitemaps() ?? [])].filter(({ freshness }) => freshness === 'stale');
    expect(a?.staleness?.since).toEqual(new Date(Date.UTC(2013, 4, 7)));
    expect(a?.staleness?.reason).toContain('It is shown as it was read on 2013-05-07');
    vi.setSystemTime(Date.UTC(2013, 4, 8) + 1);
    const tree = await treeOf(server, { ...options, previous });
    expect(freshnessOf(tree, server)[2]).toBe('/a.xml 503');
    expect(tree.problems.map(({ message }) => message.replace(server.origin, ''))).toEqual([
      '/a.xml is not kept: it was last read on 2013-05-07T00:00:00.000Z (maxStaleMs).',
    ]);
  });

  test('a document that several URLs lead to is gone, or is not kept, at all of them at once', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/old.xml', '/older.xml'],
      '/a.xml': { pages: ['/1'] },
      '/old.xml': { redirect: '/a.xml' },
      '/older.xml': { redirect: '/old.xml' },
    });
    const options = { ...DECLARED, staleIfError: true };
    const first = await treeOf(server, options);
    server.site['/a.xml'] = { status: 404 };
    const second = await treeOf(server, { ...options, previous: first });
    const everywhere = ['robots-txt /robots.txt', '  pages-xml /a.xml 1'];
    for (const from of ['/old.xml', '/older.xml']) everywhere.push(`  pages-xml /a.xml (${from}) 1`);
    expect(outline(second, server)).toEqual(everywhere);
    const third = await treeOf(server, { ...options, previous: second });
    expect(freshnessOf(third, server).slice(1)).toEqual(['/a.xml 404', '/old.xml 404', '/older.xml 404']);
    expect(third.problems).toEqual([]);
    server.site['/a.xml'] = { status: 503 };
    const tooOld = await treeOf(server, { ...options, previous: second, maxStaleMs: 0 });
    expect(freshnessOf(tooOld, server).slice(1)).toEqual(['/a.xml 503', '/old.xml 503', '/older.xml 503']);
    expect(tooOld.problems).toMatchObject([{ code: 'not-kept', option: 'maxStaleMs' }]);
  });

  test('known paths are requested as its last good robots.txt says', async () => {
    const server = await siteOf({ '/robots.txt': 'User-agent: *', '/sitemap.xml': { pages: ['/1'] } });
    const options = { ...QUICK, useKnownPaths: 'if-none-declared', staleIfError: true } as const;
    const previous = await treeOf(server, options);
    server.site['/robots.txt'] = { status: 503 };
    const tree = await treeOf(server, { ...options, previous });
    expect(freshnessOf(tree, server)).toEqual(['/robots.txt stale', '/sitemap.xml unchanged']);
    expect([tree.complete, tree.problems]).toEqual([false, []]);
    server.site['/robots.txt'] = ['/a.xml'];
    server.site['/a.xml'] = { pages: ['/2'] };
    const declaring = await treeOf(server, { ...options, previous: tree });
    server.site['/robots.txt'] = { status: 404 };
    const before = timesAsked(server, '/sitemap.xml');
    const missing = await treeOf(server, { ...options, previous: declaring });
    expect(freshnessOf(missing, server)).toEqual(['/robots.txt stale', '/a.xml unchanged']);
    expect(timesAsked(server, '/sitemap.xml')).toBe(before);
  });

  test('maxStaleMs ends what has been stale for too long, and an index with nothing below it', async () => {
    const server = await siteOf(small);
    const previous = await treeOf(server, DECLARED);
    const { origin } = server;
    for (const path of ['/index.xml', '/a.xml', '/b.xml']) server.site[path] = { status: 503 };
    const options = { ...DECLARED, previous, staleIfError: true, maxStaleMs: 0 };
    const tree = await treeOf(server, options);
    expect(freshnessOf(tree, server).slice(1)).toEqual([
      '/index.xml stale',
      '/a.xml 503',
      '/b.xml 503',
      '/c.xml unchanged',
    ]);
    expect(tree.problems.map(({ code, message }) => [code, message.split(': ')[0]])).toEqual([
      ['not-kept', `${origin}/a.xml is not kept`],
      ['not-kept', `${origin}/b.xml is not kept`],
    ]);
    expect(await streamed(server, options)).toHaveLength(1);
    // What can be read below it does not make up for it.
    const { '/a.xml': a, '/b.xml': b } = small;
    Object.assign(server.site, { '/a.xml': a, '/b.xml': b });
    expect((await treeOf(server, options)).complete).toBe(false);
    for (const path of ['/a.xml', '/b.xml', '/c.xml']) server.site[path] = { status: 503 };
    expect(freshnessOf(await treeOf(server, options), server).slice(1)).toEqual(['/index.xml 503']);
    const kept = await treeOf(server, { ...options, maxStaleMs: 60_000 });
    expect(urlsOf(kept.allPages())).toEqual(urlsOf(previous.allPages()));
  });

  test.each<[what: string, options: SitemapOptions, before: Site, after: Site, pages: readonly string[]]>([
    [
      'a redirect that fails',
      {},
      { '/a.xml': { redirect: '/t.xml' }, '/t.xml': { pages: ['/1'] } },
      { '/a.xml': { status: 503 } },
      ['/1', '/3', '/4'],
    ],
    [
      'the target of a redirect that fails',
      {},
      { '/a.xml': { redirect: '/t.xml' }, '/t.xml': { pages: ['/1'] } },
      { '/t.xml': { status: 404 } },
      ['/1', '/3', '/4'],
    ],
    [
      'a redirect that is not requested',
      { trustLastmod: true },
      {
        '/index.xml': {
          body: '<sitemapindex><sitemap><loc>/a.xml</loc><lastmod>2009-01-01</lastmod></sitemap></sitemapindex>',
        },
        '/a.xml': { redirect: '/t.xml' },
        '/t.xml': { pages: ['/1'] },
      },
      {},
      ['/1'],
    ],
    [
      'a sitemap that nothing declares while a new one fails',
      {},
      {},
      { '/index.xml': ['/b.xml', '/new.xml'], '/new.xml': { status: 503 } },
      ['/3', '/1', '/2', '/4'],
    ],
  ])('%s is shown, and nothing is said to be left out', async (_what, options, before, after, pages) => {
    const server = await siteOf({ ...small, ...before });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, after);
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true, ...options });
    expect(urlsOf(tree.allPages()).map((url) => url.replace(server.origin, ''))).toEqual(pages);
    expect(tree.problems).toEqual([]);
  });

  test('a sitemap that nothing declares is not kept where the new one beside it is gone', async () => {
    const server = await siteOf(small);
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, {
      '/index.xml': ['/b.xml', '/c.xml', '/new.xml'],
      '/new.xml': { status: 410 },
    });
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    expect(urlsOf(tree.allPages()).map((url) => url.replace(server.origin, ''))).toEqual(['/3', '/4']);
  });

  test('known paths are shown too', async () => {
    const server = await siteOf({ '/sitemap.xml': { pages: ['/1'] } });
    const previous = await treeOf(server);
    server.site['/sitemap.xml'] = { status: 503 };
    const tree = await treeOf(server, { ...QUICK, previous, staleIfError: true });
    expect(freshnessOf(tree, server)).toEqual(['/sitemap.xml stale']);
    expect(tree.problems).toEqual([]);
    expect(tree.complete).toBe(false);
  });

  test('an index that is too old ends with the indexes below it, where nothing below these is left', async () => {
    const server = await siteOf({
      '/robots.txt': ['/top.xml'],
      '/top.xml': ['/index.xml', '/other.xml'],
      '/index.xml': ['/a.xml', '/b.xml'],
      '/other.xml': [],
      '/a.xml': { pages: ['/1'] },
      '/b.xml': { pages: ['/2'] },
    });
    const options = {
      ...DECLARED,
      previous: await treeOf(server, DECLARED),
      staleIfError: true,
      maxStaleMs: 0,
    };
    for (const path of ['/top.xml', '/index.xml', '/other.xml', '/a.xml'])
      server.site[path] = { status: 503 };
    const lines = ['/top.xml stale', '/index.xml stale', '/a.xml 503', '/b.xml unchanged', '/other.xml 503'];
    expect(freshnessOf(await treeOf(server, options), server).slice(1)).toEqual(lines);
    server.site['/b.xml'] = { status: 410 };
    expect(freshnessOf(await treeOf(server, options), server).slice(1)).toEqual(['/top.xml 503']);
  });

  test('a document without its end is shown where the earlier one, which is whole, is too old', async () => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { pages: ['/1', '/2'] } });
    const previous = await treeOf(server, DECLARED);
    const body = urlset('/3');
    server.site['/a.xml'] = { body, truncateAfter: body.length - 5 };
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true, maxStaleMs: 0 });
    expect(freshnessOf(tree, server).at(-1)).toBe('/a.xml changed');
    expect(urlsOf(tree.allPages())).toEqual([`${server.origin}/3`]);
    expect(codesOf(tree.problems)).toEqual(['not-kept']);
  });

  test('a redirect to an ancestor is a failure: the earlier document is shown, unless it is that ancestor', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml', '/alias.xml'],
      '/index.xml': ['/a.xml'],
      '/alias.xml': { redirect: '/index.xml' },
      '/a.xml': { pages: ['/1'] },
    });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, {
      '/index.xml': ['/a.xml', '/alias.xml'],
      '/a.xml': { redirect: '/index.xml' },
    });
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    const below = ['/a.xml stale', '/alias.xml recursion'];
    expect(freshnessOf(tree, server).slice(1)).toEqual([
      ...['/index.xml changed', ...below],
      ...['/index.xml changed', ...below],
    ]);
    const [stale] = [...tree.allSitemaps()].filter(({ freshness }) => freshness === 'stale');
    expect(stale?.staleness).toMatchObject({ failure: 'recursion', runs: 1 });
  });

  test('what the homepage linked to is shown where the homepage fails', async () => {
    const server = await siteOf({
      '/': { body: '<html><head><link rel="sitemap" href="/mine.xml"></head></html>' },
      '/mine.xml': { pages: ['/1'] },
    });
    const options = { ...QUICK, useHomepageLinks: true, useKnownPaths: false };
    const previous = await treeOf(server, options);
    server.site['/'] = { status: 503 };
    const tree = await treeOf(server, { ...options, previous, staleIfError: true });
    expect(freshnessOf(tree, server)).toEqual(['/mine.xml unchanged']);
    expect(codesOf(tree.problems)).toEqual(['homepage-links-failed']);
  });

  test('the children of an index that responds with 404 are requested, until it is gone with them', async () => {
    const server = await siteOf(small);
    let previous: Sitemap = await treeOf(server, DECLARED);
    server.site['/index.xml'] = { status: 404 };
    const options = { ...DECLARED, staleIfError: true, goneAfter: 3 };
    for (let run = 0; run < 2; run++) {
      const tree = await treeOf(server, { ...options, previous });
      expect(freshnessOf(tree, server)).toEqual([
        '/robots.txt unchanged',
        '/index.xml stale',
        '/a.xml unchanged',
        '/b.xml unchanged',
        '/c.xml unchanged',
      ]);
      previous = await archived(tree);
    }
    const gone = await treeOf(server, { ...options, previous });
    expect(freshnessOf(gone, server)).toEqual(['/robots.txt unchanged', '/index.xml 404']);
    server.site['/index.xml'] = { status: 410 };
    const atOnce = await treeOf(server, { ...options, previous: await treeOf(server, DECLARED) });
    expect(freshnessOf(atOnce, server)).toEqual(['/robots.txt unchanged', '/index.xml 410']);
  });

  test('the children of a robots.txt and of a known path that respond with 404 once are requested', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { pages: ['/1'] },
      '/sitemap.xml': ['/nested.xml'],
      '/nested.xml': ['/b.xml'],
      '/b.xml': { pages: ['/2'] },
    });
    const previous = await treeOf(server);
    for (const path of ['/robots.txt', '/sitemap.xml', '/nested.xml']) server.site[path] = { status: 404 };
    const tree = await treeOf(server, { ...QUICK, previous, staleIfError: true });
    expect(freshnessOf(tree, server)).toEqual([
      '/robots.txt stale',
      '/a.xml unchanged',
      '/sitemap.xml stale',
      '/nested.xml stale',
      '/b.xml unchanged',
    ]);
    server.site['/a.xml'] = { status: 410 };
    server.site['/b.xml'] = { status: 410 };
    const gone = await treeOf(server, { ...QUICK, previous: tree, staleIfError: true });
    expect(freshnessOf(gone, server)).toEqual([]);
    expect(gone.problems).toEqual([]);
  });

  test.each([
    ['an error message', 'Service temporarily unavailable\n', 'stale'],
    ['a message with a colon', 'Host unreachable: too many connections', 'stale'],
    ['JSON', '{"error": "too many requests"}', 'stale'],
    ['bytes', '\0\u0001\u0002\u0003', 'stale'],
    ['headers of HTTP', 'Status: 503\nHost: example.org\nContent-Type: text/plain\n', 'stale'],
    ['rules alone', '\uFEFFUser-Agent: *\nDisallow: /a\n', 'changed'],
    ['a rule after a message', 'Hello\n  disallow : /', 'changed'],
    ['rules as Google reads them', 'User agent: *\rDisalow /a\r', 'changed'],
    ['comments alone', '# nothing\n\n # here\n', 'changed'],
    ['nothing', '', 'changed'],
  ])('a robots.txt that is %s now', async (_what, body, freshness) => {
    const server = await siteOf(small);
    let previous: Sitemap = await treeOf(server, DECLARED);
    server.site['/robots.txt'] = { body };
    for (let run = 1; run <= 3; run++) {
      const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
      const [robots, ...others] = freshnessOf(tree, server);
      expect(robots).toBe(`/robots.txt ${freshness === 'stale' || run === 1 ? freshness : 'unchanged'}`);
      expect(others).toHaveLength(freshness === 'stale' ? 4 : 0);
      const staleness = freshness === 'stale' ? { failure: 'not-a-sitemap', status: 200, runs: run } : {};
      expect(tree.subSitemaps[0]?.staleness ?? {}).toMatchObject(staleness);
      previous = await archived(tree);
    }
    server.site['/robots.txt'] = ['/index.xml'];
    const again = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    expect(urlsOf(again.allPages())).toHaveLength(4);
  });

  test('a robots.txt without sitemaps may become any text', async () => {
    const server = await siteOf({ '/robots.txt': 'User-agent: *' });
    const previous = await treeOf(server, DECLARED);
    server.site['/robots.txt'] = 'Hello\n';
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    expect([freshnessOf(tree, server), tree.complete]).toEqual([['/robots.txt changed'], true]);
  });

  test('a robots.txt that is an error message now, in a stream', async () => {
    const server = await siteOf(small);
    const previous = await treeOf(server, DECLARED);
    server.site['/robots.txt'] = { body: 'Service temporarily unavailable\n' };
    const pages = await streamed(server, { ...DECLARED, previous, staleIfError: true });
    expect(pages).toHaveLength(4);
  });

  test('one sitemap that responds with 404 once: its children are requested', async () => {
    const server = await siteOf(small);
    const url = `${server.origin}/index.xml`;
    const previous = await sitemapFromUrl(url, QUICK);
    server.site['/index.xml'] = { status: 404 };
    const tree = await sitemapFromUrl(url, { ...QUICK, previous, staleIfError: true });
    expect(freshnessOf(tree, server)).toEqual([
      '/index.xml stale',
      '/a.xml unchanged',
      '/b.xml unchanged',
      '/c.xml unchanged',
    ]);
  });

  test('a document that breaks off is shown as it was read before', async () => {
    const server = await siteOf(small);
    const previous = await treeOf(server, DECLARED);
    const body = urlset(`${server.origin}/4`, `${server.origin}/5`);
    server.site['/c.xml'] = { body, truncateAfter: body.length - 30 };
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
    expect(freshnessOf(tree, server).at(-1)).toBe('/c.xml stale');
    expect(urlsOf(tree.allPages()).at(-1)).toBe(`${server.origin}/4`);
  });

  test('a callback decides about the children of an index that is stale', async () => {
    const server = await siteOf(small);
    const previous = await treeOf(server, DECLARED);
    server.site['/index.xml'] = { status: 404 };
    const recurseCallback = (url: string): boolean => !url.endsWith('b.xml');
    const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true, recurseCallback });
    expect(freshnessOf(tree, server)).toEqual([
      '/robots.txt unchanged',
      '/index.xml stale',
      '/a.xml unchanged',
      '/c.xml unchanged',
    ]);
    const [stale] = [...tree.allSitemaps()].filter(({ freshness }) => freshness === 'stale');
    expect(stale?.filteredUrls).toEqual([`${server.origin}/b.xml`]);
  });
});

describe('§11.2 in a stream', () => {
  test('documents that are the same come from previous', async () => {
    const server = await siteOf(small);
    const previous = await archived(await treeOf(server, DECLARED));
    server.site['/c.xml'] = { pages: ['/5'] };
    const pages = await streamed(server, { ...DECLARED, previous });
    const seen = pages.map(
      ({ page, sitemap }) => `${page.url.replace(server.origin, '')} ${sitemap.freshness}`,
    );
    expect(seen.sort()).toEqual(['/1 unchanged', '/2 unchanged', '/3 unchanged', '/5 changed']);
  });

  test('without previous there is no freshness', async () => {
    const server = await siteOf(small);
    const pages = await streamed(server, DECLARED);
    expect(new Set(pages.map(({ sitemap }) => sitemap.freshness))).toEqual(new Set([undefined]));
  });

  test('trustLastmod and staleIfError do what they do in a tree', async () => {
    const server = await siteOf({ ...small, '/index.xml': [['/a.xml', '2013-05-06'], '/b.xml'] });
    const previous = await treeOf(server, DECLARED);
    server.site['/b.xml'] = { status: 503 };
    const before = timesAsked(server, '/a.xml');
    const options = { ...DECLARED, previous, trustLastmod: true, staleIfError: true };
    const pages = await streamed(server, options);
    expect(timesAsked(server, '/a.xml')).toBe(before);
    const seen = pages.map(
      ({ page, sitemap }) => `${page.url.replace(server.origin, '')} ${sitemap.freshness}`,
    );
    expect(seen.sort()).toEqual(['/1 unchanged', '/2 unchanged', '/3 stale']);
  });

  test('a document is shown as it was only before its first page', async () => {
    const many = (origin: string): string[] => Array.from({ length: 4000 }, (_, page) => `${origin}/${page}`);
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset(...many(origin)),
    }));
    const previous = await treeOf(server, DECLARED);
    const body = urlset(...many(server.origin));
    const options = { ...DECLARED, previous, staleIfError: true };
    server.site['/a.xml'] = { body, truncateAfter: 100_000 };
    const broken = await streamed(server, options);
    expect(broken.length).toBeLessThan(4000);
    expect(broken[0]?.sitemap.freshness).toBe('changed');
    server.site['/a.xml'] = { body, truncateAfter: 80 };
    const stale = await streamed(server, options);
    expect(stale).toHaveLength(4000);
    expect(stale[0]?.sitemap.freshness).toBe('stale');
  });

  test('a sitemap that is shown as it was is listed, and makes the stream incomplete', async () => {
    const { streamPages } = await import('../../src/index.ts');
    const server = await siteOf(small);
    const previous = await treeOf(server, DECLARED);
    server.site['/index.xml'] = { status: 404 };
    server.site['/c.xml'] = { status: 503 };
    const stream = streamPages(server.origin, { ...DECLARED, previous, staleIfError: true });
    const urls: string[] = [];
    for await (const { page } of stream) urls.push(page.url.replace(server.origin, ''));
    expect(urls.sort()).toEqual(['/1', '/2', '/3', '/4']);
    expect(
      stream.incompleteSitemaps.map(({ url, problems }) => [
        url.replace(server.origin, ''),
        codesOf(problems),
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['/index.xml', ['stale']],
        ['/c.xml', ['stale']],
      ]),
    );
    expect(stream.complete).toBe(false);
    expect(stream.invalidSitemaps).toEqual([]);
  });

  test('a document that several URLs led to is streamed once', async () => {
    const server = await siteOf({
      '/robots.txt': ['/old.xml', '/new.xml'],
      '/old.xml': { redirect: '/new.xml' },
      '/new.xml': { pages: ['/1'] },
    });
    const previous = await treeOf(server, DECLARED);
    server.site['/old.xml'] = { status: 503 };
    server.site['/new.xml'] = { status: 503 };
    expect(await streamed(server, { ...DECLARED, previous, staleIfError: true })).toHaveLength(1);
  });

  test('more known paths that fail than are requested at once do not hold up what is declared', async () => {
    const paths = Array.from({ length: 100 }, (_, number) => `/known${number}.xml`);
    const options = { ...DECLARED, extraKnownPaths: paths };
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml'],
      '/a.xml': { pages: ['/1'] },
      ...Object.fromEntries(paths.map((path) => [path, { pages: [`${path}/page`] }])),
    });
    const previous = await treeOf(server, options);
    for (const path of paths) server.site[path] = { status: 500 };
    // They have failed by then, and wait until everything that is declared is known.
    server.site['/index.xml'] = { body: ['/a.xml'], delayMs: 1_000 };
    expect(await streamed(server, { ...options, previous, staleIfError: true })).toHaveLength(101);
  });

  test('a known path that fails, and is declared too deep now, is not streamed', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml'],
      '/a.xml': { pages: ['/1'] },
      '/sitemap.xml': { pages: ['/9'] },
    });
    const previous = await treeOf(server, QUICK);
    server.site['/sitemap.xml'] = { status: 500 };
    const options = { ...QUICK, previous, staleIfError: true, maxDepth: 2 };
    expect(await streamed(server, options)).toHaveLength(2);
    server.site['/a.xml'] = ['/sitemap.xml'];
    // Without it, the call would be over before anything could be streamed.
    server.site['/sitemap_index.xml'] = { body: urlset(`${server.origin}/2`), delayMs: 200 };
    expect(await streamed(server, options)).toHaveLength(1);
  });
});

describe('§11.2 mistakes', () => {
  test.each([
    ['a path', 'tree.warc.gz'],
    ['the JSON of a tree', { kind: 'website', subSitemaps: [] }],
    ['null', null],
  ])('%s is not a previous tree', async (_what, previous) => {
    const options = { previous } as unknown as SitemapOptions;
    await expect(sitemapTreeForHomepage('http://127.0.0.1:9/', options)).rejects.toThrow(
      /The option "previous" must be a sitemap, as sitemapTreeForHomepage, sitemapFromUrl or loadTree gives it/,
    );
  });

  test('what only looks like a tree is refused too', async () => {
    const previous = { kind: 'website', allSitemaps: () => [] } as unknown as Sitemap;
    await expect(sitemapTreeForHomepage('http://127.0.0.1:9/', { previous })).rejects.toMatchObject({
      code: 'bad-option',
      option: 'previous',
    });
  });

  test.each([
    ['living', async (tree: Sitemap) => tree],
    ['loaded', async (tree: Sitemap) => archived(tree)],
  ] as const)('a %s tree that was closed before is refused', async (_, prepare) => {
    const server = await siteOf(small);
    const previous = await prepare(await treeOf(server, DECLARED));
    previous.close();
    for (const trustLastmod of [false, true]) {
      const again = treeOf(server, { ...DECLARED, previous, trustLastmod });
      await expect(again).rejects.toMatchObject({ code: 'tree-closed' });
    }
  });

  test('without staleIfError new documents have the room of those of the earlier tree', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml'],
      '/a.xml': { pages: ['/1'] },
      '/b.xml': { pages: ['/2'] },
    });
    const previous = await treeOf(server, DECLARED);
    server.site['/index.xml'] = ['/b.xml', '/a.xml'];
    for (const [staleIfError, page] of [
      [false, '/2'],
      [true, '/1'],
    ] as const) {
      const tree = await treeOf(server, { ...DECLARED, previous, staleIfError, maxSitemaps: 3 });
      expect(urlsOf(tree.allPages())).toEqual([server.origin + page]);
    }
  });

  test('trustLastmod and staleIfError without previous change nothing', async () => {
    const server = await siteOf(small);
    const tree = await treeOf(server, { ...DECLARED, trustLastmod: true, staleIfError: true });
    expect(JSON.stringify(tree)).toBe(JSON.stringify(await treeOf(server, DECLARED)));
  });
});
