/** §11.1: an archive is a WARC file; a loaded tree equals the saved one. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { diffPages, sitemapFromBytes, sitemapTreeForHomepage } from '../../../src/index.ts';
import { SitemapXMLParsingException } from '../../../src/problems/errors.ts';
import { loadTree } from '../../../src/sitemap/archive/load-tree.ts';
import { saveTree } from '../../../src/sitemap/archive/save-tree.ts';
import { endRecord, MOST_END_BYTES, readEndRecord } from '../../../src/sitemap/archive/tree-records.ts';
import {
  IndexXMLSitemap,
  InvalidSitemap,
  internalsOf,
  PagesXMLSitemap,
  type Sitemap,
} from '../../../src/sitemap/sitemap.ts';
import { Spool } from '../../../src/sitemap/spool/spool.ts';
import { type ScriptedServer, startServer } from '../../server/scripted-server.ts';
import { nodesOf, notInJSON, plain, recordsOf } from '../../support/archives.ts';
import { describeIf } from '../../support/collected.ts';
import { QUICK, siteOf } from '../../support/crawled-site.ts';
import { index, robots, urlset as urlsetOf } from '../../support/documents.ts';
import { folder } from '../../support/folder.ts';
import { IS_LINUX } from '../../support/platform.ts';
import { aliveBytes, codeOf } from '../../support/sitemaps.ts';
import { sized } from '../../support/tier.ts';
import { pagesNode, SITE, sampleTree, source, treeFrom, treeSpec, urlset } from '../../support/trees.ts';

/** Of the fixtures, the fast tier saves every fifth: each save waits for the disk. */
const EVERY = sized({ fast: 15, full: 3, strong: 1 });

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function expectSame(loaded: Sitemap, tree: Sitemap): Promise<void> {
  expect(JSON.stringify(loaded)).toBe(JSON.stringify(tree));
  expect(notInJSON(loaded)).toEqual(notInJSON(tree));
  const urls: string[] = [];
  for await (const { url } of loaded.allPages()) urls.push(url);
  expect(urls).toEqual([...tree.allPages()].map(({ url }) => url));
}

// What is before the documents has the date of the save in it, and may be compressed a byte better or worse.
function withoutOffsets(path: string): unknown {
  const { documents, ...rest } = nodesOf(path);
  return { ...rest, documents: documents.map(({ offset: _, ...document }) => document) };
}

describe('§11.1 loaded equals saved', () => {
  test.each(['tree.warc.gz', 'tree.warc'])('for trees of any shape, as %s', async (name) => {
    const [path, again] = [join(folder(), name), join(folder(), name)];
    await fc.assert(
      fc.asyncProperty(treeSpec, async (spec) => {
        const tree = treeFrom(spec, new Spool({ memoryBytes: 1e9 }));
        await saveTree(tree, path);
        const loaded = await loadTree(path, { verify: true });
        await expectSame(loaded, tree);
        // What was loaded is a tree like any other: it can be saved, and its records are the same.
        await saveTree(loaded, again);
        expect(withoutOffsets(again)).toEqual(withoutOffsets(path));
        tree.close();
        const hasPages = [...loaded.allPages()].length > 0;
        loaded.close();
        if (hasPages) expect(await codeOf(() => [...loaded.allPages()])).toBe('tree-closed');
      }),
      { numRuns: sized({ fast: 5, full: 25, strong: 60 }) },
    );
  });

  test('for every fixture, saved from one format and saved again in the other', async () => {
    const fixtures = join(import.meta.dirname, '../../fixtures');
    const directory = folder();
    let [seen, count] = [0, 0];
    for (const entry of readdirSync(fixtures, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.json') || seen++ % EVERY > 0) continue;
      const tree = await sitemapFromBytes(readFileSync(join(entry.parentPath, entry.name)), {
        url: `${SITE}${entry.name}`,
      });
      const [zipped, flat] = [join(directory, 'a.warc.gz'), join(directory, 'b.warc')];
      await saveTree(tree, zipped);
      const loaded = await loadTree(zipped);
      await expectSame(loaded, tree);
      await saveTree(loaded, flat);
      const second = await loadTree(flat, { verify: true });
      await expectSame(second, tree);
      for (const each of [tree, loaded, second]) each.close();
      count++;
    }
    expect(count).toBeGreaterThan(50 / EVERY);
  });

  test.each<readonly [string, Sitemap]>([
    [
      'a page sitemap',
      new PagesXMLSitemap({ url: SITE, pages: source(new Spool({ memoryBytes: 1e6 }), urlset('a')) }),
    ],
    ['an invalid one', new InvalidSitemap({ url: SITE, code: 'timeout', reason: 'No response.' })],
  ])('with any node as the top: %s', async (_, node) => {
    const path = join(folder(), 'tree.warc.gz');
    await saveTree(node, pathToFileURL(path));
    expect(JSON.stringify(await loadTree(pathToFileURL(path)))).toBe(JSON.stringify(node));
  });

  test.each(['a.warc', 'a.warc.gz'])(
    'with a document of several MiB, read in every way and saved again: %s',
    async (name) => {
      const [path, again] = [join(folder(), name), join(folder(), name)];
      const long = urlset('a', 'b').replace('</urlset>', `${' '.repeat(3 * 2 ** 20)}</urlset>`);
      const pages = source(new Spool({ memoryBytes: 1e8 }), long, `${SITE}a.xml`);
      const tree = new PagesXMLSitemap({ url: `${SITE}a.xml`, pages });
      await saveTree(tree, path);
      using loaded = await loadTree(path);
      await expectSame(loaded, tree);
      expect([...loaded.allPages()]).toHaveLength(2);
      await saveTree(loaded, again);
      using second = await loadTree(again, { verify: true });
      await expectSame(second, tree);
    },
  );

  test('with lines of nodes and of documents that are written in several pieces', async () => {
    const path = join(folder(), 'tree.warc');
    const spool = new Spool({ memoryBytes: 1e6 });
    // A piece has 64 KiB.
    const long = 'x'.repeat(1_000);
    const names = Array.from({ length: 150 }, (_, at) => `${long}${at}`);
    const subSitemaps = names.map((name) => pagesNode(spool, name, name));
    const tree = new IndexXMLSitemap({ url: SITE, subSitemaps });
    await saveTree(tree, path);
    using loaded = await loadTree(path);
    await expectSame(loaded, tree);
    // Other programs read all of it as one JSON text.
    const { documents, nodes } = nodesOf(path);
    expect([documents.length, nodes.length]).toEqual([names.length, names.length + 1]);
  });

  test('with a line that is longer than a piece, and nothing behind it', async () => {
    const path = join(folder(), 'tree.warc');
    const filteredUrls = Array.from({ length: 2_000 }, (_, number) => `${SITE}left-out-${number}-long.xml`);
    await saveTree(new IndexXMLSitemap({ url: SITE, subSitemaps: [], filteredUrls }), path);
    using loaded = await loadTree(path);
    expect(loaded.filteredUrls).toEqual(filteredUrls);
  });

  test('with hosts that stand for others: its pages are not those of the file', async () => {
    const path = join(folder(), 'tree.warc.gz');
    const pages = source(new Spool({ memoryBytes: 1e6 }), urlsetOf('https://staging.example/1', `${SITE}2`));
    await saveTree(new PagesXMLSitemap({ url: `${SITE}a.xml`, pages }), path);
    using before = await loadTree(path);
    using after = await loadTree(path, { verify: true, mapHosts: { 'staging.example': 'www.example' } });
    const changes: string[] = [];
    for await (const { type, page } of diffPages(before, after)) changes.push(`${type} ${page.url}`);
    expect(changes.sort()).toEqual(['added https://www.example/1', 'removed https://staging.example/1']);
  });

  test('a shared document is written once, and the nodes that show it share it again', async () => {
    const path = join(folder(), 'tree.warc');
    await saveTree(sampleTree(), path);
    expect(plain(path).toString().split(`<loc>${SITE}s1</loc>`)).toHaveLength(2);
    const loaded = await loadTree(path);
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(sampleTree()));
    const shared = [...loaded.allSitemaps()].filter(({ url }) => url.endsWith('shared.xml'));
    expect(internalsOf(shared[0]!).source).toBe(internalsOf(shared[1]!).source);
  });

  test('an exception comes back as its class, with message and code', async () => {
    const path = join(folder(), 'tree.warc.gz');
    const error = new SitemapXMLParsingException('It is an SVG.', { code: 'unsupported-root', url: SITE });
    await saveTree(new InvalidSitemap({ url: SITE, code: 'not-a-sitemap', reason: 'An SVG.', error }), path);
    const loaded = await loadTree(path);
    if (loaded.kind !== 'invalid') throw new Error('it was invalid');
    expect(loaded.error).toBeInstanceOf(SitemapXMLParsingException);
    expect(loaded.error).toMatchObject({ message: 'It is an SVG.', code: 'unsupported-root', url: SITE });
  });

  test('a document of many pieces is the same, sync and async, and so is one that cannot be compressed', async () => {
    const spool = new Spool({ memoryBytes: 1e9 });
    const noise = Array.from({ length: 30_000 }, () => Math.random().toString(36).slice(2));
    const pages = source(spool, urlset(...noise));
    for (const name of ['tree.warc', 'tree.warc.gz']) {
      const path = join(folder(), name);
      await saveTree(new PagesXMLSitemap({ url: SITE, pages }), path);
      const loaded = await loadTree(path);
      expect([...loaded.pages].map(({ url }) => url)).toEqual(noise.map((path) => `${SITE}${path}`));
      const later: string[] = [];
      for await (const { url } of loaded.pages) later.push(url);
      expect(later).toEqual(noise.map((path) => `${SITE}${path}`));
      loaded.close();
    }
  });

  test('a document of any length is checked with little memory, which the tree keeps for the next one', async () => {
    const path = join(folder(), 'tree.warc');
    const spool = new Spool({ memoryBytes: 0, directory: folder() });
    const long = urlset('a').replace('</urlset>', `${' '.repeat(12 * 2 ** 20)}</urlset>`);
    await saveTree(new PagesXMLSitemap({ url: SITE, pages: source(spool, long) }), path);
    spool.close();
    using loaded = await loadTree(path);
    const before = aliveBytes();
    for await (const { url } of loaded.allPages()) expect(url).toBe(`${SITE}a`);
    expect(aliveBytes() - before).toBeLessThan(6 * 2 ** 20);
  });
});

describe('§11.1 the archive of a crawl', () => {
  async function crawled(): Promise<{ tree: Sitemap; server: ScriptedServer }> {
    const server = await startServer({});
    servers.push(server);
    const { origin } = server;
    Object.assign(server.site, {
      '/robots.txt': {
        body: robots(`${origin}/index.xml`, `${origin}/old.xml`),
        headers: { 'set-cookie': ['session=secret1', 'b=secret2'], 'x-shown': 'yes' },
      },
      '/index.xml': {
        body: index(...['a', 'gone', 'cut', 'to-broken'].map((name) => `${origin}/${name}.xml`)),
        headers: { etag: '"v1"', 'last-modified': 'Tue, 07 May 2024 08:00:00 GMT' },
      },
      '/a.xml': { body: urlsetOf(`${origin}/1`, `${origin}/2`), gzip: true, chunked: true },
      '/old.xml': { redirect: `http://user:secret3@${new URL(origin).host}/newer.xml` },
      '/newer.xml': { redirect: '/a.xml', status: 301 },
      '/cut.xml': {
        body: urlsetOf(...Array.from({ length: 200 }, (_, n) => `${origin}/c${n}`)),
        truncateAfter: 3000,
      },
      '/to-broken.xml': { redirect: '/broken.xml' },
      '/broken.xml': { hangUp: true },
      '/sitemap.xml': '<html>',
    });
    const tree = await sitemapTreeForHomepage(origin.replace('http://', 'http://me:secret4@'), {
      ...QUICK,
      headers: { 'x-token': 'secret5', cookie: 'secret6' },
      extraKnownPaths: ['extra.xml'],
      maxDepth: 5,
    });
    return { tree, server };
  }

  test.each(['site.warc.gz', 'site.warc'])('is read by warcio, record by record: %s', async (name) => {
    const started = Math.floor(Date.now() / 1_000) * 1_000;
    const { tree, server } = await crawled();
    const path = join(folder(), name);
    await saveTree(tree, path);
    const { origin } = server;
    const records = await recordsOf(path);
    const seen = records.map(({ type, uri, status }) => [type, uri?.replace(origin, ''), status] as const);
    const documents = seen.findIndex(([, uri]) => uri === '/robots.txt');
    // Responses that no sitemap shows come first: redirects, failures, known paths, what is not a sitemap.
    expect(seen[0]).toEqual(['warcinfo', undefined, undefined]);
    const unshown = new Map(seen.slice(1, documents).map(([, uri, status]) => [uri, status]));
    expect(unshown.size).toBe(documents - 1);
    expect(Object.fromEntries(unshown)).toMatchObject({
      '/old.xml': 'HTTP/1.1 302 Found',
      '/newer.xml': 'HTTP/1.1 301 Moved Permanently',
      '/to-broken.xml': 'HTTP/1.1 302 Found',
      '/gone.xml': 'HTTP/1.1 404 Not Found',
      '/sitemap.xml': 'HTTP/1.1 200 OK',
      '/extra.xml': 'HTTP/1.1 404 Not Found',
    });
    expect(seen.slice(documents)).toEqual([
      ['response', '/robots.txt', 'HTTP/1.1 200 OK'],
      ['response', '/index.xml', 'HTTP/1.1 200 OK'],
      ['response', '/a.xml', 'HTTP/1.1 200 OK'],
      ['response', '/cut.xml', 'HTTP/1.1 200 OK'],
      ['metadata', 'urn:ultimate-sitemap-parser:tree', undefined],
      ['metadata', 'urn:ultimate-sitemap-parser:end', undefined],
    ]);
    const of = (path: string) => records.find(({ uri }) => uri === `${origin}${path}`)!;
    expect(of('/a.xml').text).toBe(urlsetOf(`${origin}/1`, `${origin}/2`));
    const lower = Object.fromEntries(
      Object.entries(of('/a.xml').headers).map(([key, value]) => [key.toLowerCase(), value]),
    );
    expect(lower).toMatchObject({
      'x-crawler-transfer-encoding': 'chunked',
      'content-length': String(of('/a.xml').text.length),
    });
    expect(lower['transfer-encoding']).toBeUndefined();
    expect(of('/cut.xml')).toMatchObject({ truncated: 'disconnect' });
    expect(Date.parse(of('/a.xml').date)).toBeGreaterThanOrEqual(started);
    expect(Date.parse(of('/a.xml').date)).toBeLessThanOrEqual(Date.now());
    const loaded = await loadTree(path, { verify: true });
    await expectSame(loaded, tree);
    expect(loaded.complete).toBe(false);
    // Its records are the same in the other format, those without a body too.
    const other = join(folder(), name === 'site.warc' ? 'site.warc.gz' : 'site.warc');
    await saveTree(loaded, other);
    const responses = (all: typeof records) =>
      Object.fromEntries(all.filter(({ type }) => type === 'response').map((each) => [each.uri, each]));
    expect(responses(await recordsOf(other))).toEqual(responses(records));
    tree.close();
    loaded.close();
  });

  test.each(['site.warc.gz', 'site.warc'])(
    'has the lengths of what is in it, if it was loaded with hosts that stand for others: %s',
    async (name) => {
      const { tree, server } = await crawled();
      const [path, mapped] = [join(folder(), name), join(folder(), name)];
      await saveTree(tree, path);
      const { host } = new URL(server.origin);
      using loaded = await loadTree(path, { mapHosts: { [host]: 'www.example' } });
      await saveTree(loaded, mapped);
      const records = (await recordsOf(mapped)).filter(({ type }) => type === 'response');
      const declared = records.map(({ headers }) => headers['Content-Length']);
      expect(declared).toEqual(records.map(({ text }) => String(text.length)));
      expect(records.map(({ text }) => text).join('')).toContain('http://www.example/1');
      tree.close();
    },
  );

  test('has no cookie, credential, request header or userinfo in it', async () => {
    const { tree } = await crawled();
    const path = join(folder(), 'site.warc');
    await saveTree(tree, path);
    expect(plain(path).toString('latin1')).not.toMatch(/secret\d|x-token|set-cookie/i);
    expect(plain(path).toString('latin1')).toMatch(/x-shown: yes/i);
    expect(nodesOf(path).origin).toMatchObject({
      call: 'homepage',
      options: { extraKnownPaths: ['extra.xml'], maxDepth: 5 },
      notKept: ['headers', 'userinfo'],
    });
    tree.close();
  });

  test('the head of a response is there in a living and in a loaded tree, with its validators', async () => {
    const { tree } = await crawled();
    const path = join(folder(), 'site.warc.gz');
    await saveTree(tree, path);
    const loaded = await loadTree(path);
    for (const each of [tree, loaded]) {
      const found = [...each.allSitemaps()].find(({ url }) => url.endsWith('/index.xml'))!;
      const { document, durationMs } = internalsOf(found).facts ?? {};
      const head = (await document?.head()) ?? '';
      expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(head).toMatch(/\r\netag: "v1"\r\n/i);
      expect(head).toMatch(/\r\nlast-modified: Tue, 07 May 2024 08:00:00 GMT\r\n/i);
      expect(head).not.toMatch(/\r\ncontent-length:/i);
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
    for (const node of tree.allSitemaps())
      expect(internalsOf(node).facts?.durationMs).toBeGreaterThanOrEqual(0);
    tree.close();
    loaded.close();
  });

  test('a validator with bytes that are not ASCII is kept and sent again as it came', async () => {
    const sent: unknown[] = [];
    const etag = Buffer.from('"x – y €"').toString('latin1');
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': ({ headers }) => {
        sent.push(headers['if-none-match']);
        return headers['if-none-match'] === etag ? { status: 304 } : { body: urlset('a'), headers: { etag } };
      },
    });
    const options = { ...QUICK, useKnownPaths: false };
    const living = await sitemapTreeForHomepage(server.origin, options);
    const path = join(folder(), 'site.warc.gz');
    await saveTree(living, path);
    const loaded = await loadTree(path);
    for (const previous of [living, loaded]) {
      const again = await sitemapTreeForHomepage(server.origin, { ...options, previous });
      expect([...again.allSitemaps()].map(({ freshness }) => freshness)).toContain('unchanged');
      again.close();
      previous.close();
    }
    expect(sent).toEqual([undefined, etag, etag]);
  });

  test('a client whose headers cannot be iterated over gives those that it has', async () => {
    const body = () => new Blob([urlset('a')]).stream();
    const tree = await sitemapTreeForHomepage(SITE, {
      ...QUICK,
      proxy: undefined,
      useKnownPaths: false,
      extraKnownPaths: ['a.xml'],
      webClient: async (url) => ({
        status: url.endsWith('a.xml') ? 200 : 404,
        headers: { get: (name) => (name === 'etag' ? '"x"' : null) },
        body: body(),
      }),
    });
    const path = join(folder(), 'site.warc');
    await saveTree(tree, path);
    const [record] = (await recordsOf(path)).filter(({ uri }) => uri === `${SITE}a.xml`);
    expect(record).toMatchObject({ status: 'HTTP/1.1 200', headers: { etag: '"x"' } });
    tree.close();
  });

  test('headers past 16 KiB are left out, and those that are needed again are not', async () => {
    const server = await startServer({});
    servers.push(server);
    const long = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x-${n}`, 'y'.repeat(1000)]));
    Object.assign(server.site, {
      '/robots.txt': { body: ['/a.xml'], headers: { ...long, etag: '"last"' } },
      '/a.xml': urlset('a'),
    });
    const tree = await sitemapTreeForHomepage(server.origin, { ...QUICK, useKnownPaths: false });
    const [node] = tree.subSitemaps;
    const head = (await internalsOf(node!).facts?.document?.head()) ?? '';
    expect(head.length).toBeLessThan(17 * 1024);
    expect(head).toContain('etag: "last"\r\n');
    tree.close();
  });
});

describeIf(IS_LINUX, '§11.1 the descriptor of a loaded tree', () => {
  const open = (path: string) =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return basename(readlinkSync(`/proc/self/fd/${fd}`)) === basename(path);
      } catch {
        return false;
      }
    }).length;

  test('is one, is closed with the tree, and is kept by another user of its documents', async () => {
    const path = join(folder(), `own-${process.pid}.warc.gz`);
    await saveTree(sampleTree(), path);
    expect(open(path)).toBe(0);
    const loaded = await loadTree(path);
    expect(open(path)).toBe(1);
    const documents = [...loaded.allSitemaps()].flatMap((node) => internalsOf(node).facts?.document ?? []);
    const use = documents[0]!.shared!.use();
    loaded.close();
    loaded.close();
    expect(open(path)).toBe(1);
    expect([...documents[0]!.chunks()].length).toBeGreaterThan(0);
    use.close();
    expect(open(path)).toBe(0);
    expect(await codeOf(() => [...documents[0]!.chunks()])).toBe('tree-closed');
  });

  test('is closed when loading fails', async () => {
    const path = join(folder(), `bad-${process.pid}.warc.gz`);
    await saveTree(sampleTree(), path);
    expect(await codeOf(() => loadTree(path, { maxSitemaps: 1 }))).toBe('archive-limit');
    expect(open(path)).toBe(0);
  });

  test('reads the file that was there, also when another one has its name', async () => {
    const path = join(folder(), 'tree.warc.gz');
    await saveTree(sampleTree(), path);
    const loaded = await loadTree(path);
    const { ino } = statSync(path);
    await saveTree(loaded, path);
    expect(statSync(path).ino).not.toBe(ino);
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(sampleTree()));
    loaded.close();
  });
});

test('§11.1 an abort ends a save between two nodes that have no document', async () => {
  let shown = 0;
  const child = (): InvalidSitemap => {
    const node = new InvalidSitemap({ url: SITE, code: 'timeout', reason: 'No answer.' });
    return Object.defineProperty(node, 'reason', { get: () => `No answer ${++shown}.` });
  };
  const tree = new IndexXMLSitemap({ url: SITE, subSitemaps: Array.from({ length: 1000 }, child) });
  const reason = new Error('enough');
  const signal = {
    throwIfAborted() {
      if (shown >= 5) throw reason;
    },
  };
  const path = join(folder(), 'tree.warc');
  await expect(saveTree(tree, path, { signal })).rejects.toBe(reason);
  expect(shown).toBe(5);
  expect(readdirSync(dirname(path))).toEqual([]);
});

test('§11.1 nodes that wait for nothing let the timer fire that aborts their save', async () => {
  let shown = 0;
  const child = (): InvalidSitemap => {
    const node = new InvalidSitemap({ url: SITE, code: 'timeout', reason: 'No answer.' });
    const reason = (): string => {
      shown++;
      for (const end = performance.now() + 1; performance.now() < end; );
      return 'No answer.';
    };
    return Object.defineProperty(node, 'reason', { get: reason });
  };
  const tree = new IndexXMLSitemap({ url: SITE, subSitemaps: Array.from({ length: 3000 }, child) });
  const aborting = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => aborting.abort(reason), 50);
  const saving = saveTree(tree, join(folder(), 'tree.warc'), { signal: aborting.signal });
  await expect(saving).rejects.toBe(reason);
  expect(shown).toBeLessThan(3000);
});

test.each([
  ['the first byte of gzip', [0x1f, 0x20]],
  ['the second byte of gzip, which is in some letters', [0xd1, 0x8b]],
])('§11.1 the end of a plain archive is found behind %s', (_what, bytes) => {
  const end = { offset: 1, length: 2, digest: 'sha1:ABC' };
  const record = endRecord(end, 0, { isGzip: false });
  const before = Buffer.concat([Uint8Array.from(bytes), Buffer.alloc(MOST_END_BYTES, ' ')]);
  const tail = Buffer.concat([before.subarray(0, MOST_END_BYTES - record.length), record]);
  expect(readEndRecord(tail)).toMatchObject({ end, isGzip: false });
});
