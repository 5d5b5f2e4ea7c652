/** Specification §11.1 and §11.2: what an archive keeps of a tree that was made with `previous`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { updatedPages } from '../../../src/diff/diff-pages.ts';
import {
  diffPages,
  IndexXMLSitemap,
  InvalidSitemap,
  loadTree,
  type PageDiff,
  type Sitemap,
  saveTree,
} from '../../../src/index.ts';
import { ArchiveFile } from '../../../src/sitemap/archive/archived-document.ts';
import { NodeReader } from '../../../src/sitemap/archive/load-tree.ts';
import { Previous } from '../../../src/sitemap/previous.ts';
import { internalsOf } from '../../../src/sitemap/sitemap.ts';
import type { Site } from '../../server/scripted-server.ts';
import { nodesOf, notInJSON, recordsOf } from '../../support/archives.ts';
import { usp } from '../../support/cli-world.ts';
import { testIf } from '../../support/collected.ts';
import { DECLARED, siteOf, treeOf, urlsOf } from '../../support/crawled-site.ts';
import { index, urlset } from '../../support/documents.ts';
import { folder, openFiles } from '../../support/folder.ts';
import { IS_LINUX } from '../../support/platform.ts';

const HOME = 'https://example.org/';

const small = (origin: string): Site => ({
  '/robots.txt': ['/index.xml'],
  '/index.xml': ['/a.xml', '/b.xml', '/c.xml', '/d.xml'],
  '/a.xml': ({ headers }) =>
    headers['if-none-match'] === undefined
      ? { body: urlset(`${origin}/1`), headers: { etag: '"one"' } }
      : { status: 304 },
  '/b.xml': { pages: ['/2'] },
  '/c.xml': { pages: ['/3'] },
  '/d.xml': { pages: ['/4'] },
});

/** A tree with something new, changed, unchanged, stale and filtered, saved. */
async function updated() {
  const server = await siteOf(small);
  const { origin } = server;
  const first = join(folder(), 'first.warc.gz');
  await saveTree(await treeOf(server, DECLARED), first);
  const previous = await loadTree(first);
  onTestFinished(() => previous.close());
  server.site['/b.xml'] = { pages: ['/2', '/5'] };
  server.site['/c.xml'] = { status: 503 };
  server.site['/index.xml'] = index(...['a', 'b', 'c', 'd', 'e'].map((name) => `${origin}/${name}.xml`));
  server.site['/e.xml'] = { pages: ['/6'] };
  const recurseCallback = (url: string): boolean => !url.endsWith('/d.xml');
  const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true, recurseCallback });
  const path = join(folder(), 'second.warc.gz');
  await saveTree(tree, path);
  return { tree, path, first, origin, server, previous };
}

describe('§11.1 the archive of a tree that was made with previous', () => {
  test('loaded equals saved, with freshness, filtered URLs and tried paths', async () => {
    const { tree, path, origin } = await updated();
    using loaded = await loadTree(path);
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(tree));
    expect(notInJSON(loaded)).toEqual(notInJSON(tree));
    const nodes = [...loaded.allSitemaps()];
    expect(nodes.map(({ url, freshness }) => `${url.replace(origin, '')} ${freshness}`)).toEqual([
      '/robots.txt unchanged',
      '/index.xml changed',
      '/a.xml unchanged',
      '/b.xml changed',
      '/c.xml stale',
      '/e.xml new',
    ]);
    expect(nodes[1]?.filteredUrls).toEqual([`${origin}/d.xml`]);
    expect(loaded.kind === 'website' && loaded.triedPaths).toEqual([{ url: `${origin}/robots.txt` }]);
    expect(loaded.origin).toMatchObject({ call: 'homepage', notKept: ['recurseCallback'] });
  });

  test('records of documents that were not read again are copied; the node has the check, and what is remembered', async () => {
    const { path, first, origin } = await updated();
    const dates = async (file: string) =>
      Object.fromEntries((await recordsOf(file)).map(({ uri, date }) => [uri, date]));
    const [before, after] = [await dates(first), await dates(path)];
    for (const name of ['a', 'c'])
      expect(after[`${origin}/${name}.xml`]).toBe(before[`${origin}/${name}.xml`]);
    const nodes = new Map(nodesOf(path).nodes.map((node) => [String(node['url']).replace(origin, ''), node]));
    expect(nodes.get('/a.xml')).toMatchObject({
      freshness: 'unchanged',
      checkedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(nodes.get('/a.xml')).not.toHaveProperty('validators');
    expect(nodes.get('/c.xml')).toMatchObject({
      freshness: 'stale',
      unread: { runs: 1 },
      problems: [{ code: 'stale', status: 503 }],
    });
    expect(nodes.get('/c.xml')).not.toHaveProperty('checkedAt');
    expect(nodes.get('/index.xml')).toMatchObject({ filteredUrls: [`${origin}/d.xml`] });
  });

  test('what is remembered of a sitemap that was not requested is loaded, and saved again', async () => {
    const url = `${HOME}late.xml`;
    const unread = { runs: 2, declaredIn: 1 };
    const late = new InvalidSitemap({ url, code: 'limit', reason: 'The time was over.', facts: { unread } });
    const [path, again] = [join(folder(), 'tree.warc'), join(folder(), 'tree.warc')];
    await saveTree(new IndexXMLSitemap({ url: HOME, subSitemaps: [late] }), path);
    using loaded = await loadTree(path);
    await saveTree(loaded, again);
    for (const each of [path, again]) expect(nodesOf(each).nodes[1]).toMatchObject({ url, unread });
    const previous = new Previous(loaded);
    expect(previous.unread(url)).toEqual(unread);
    previous.close();
  });

  test('is listed with its freshness as a tree and as JSON', async () => {
    const { path, origin } = await updated();
    const { stdout } = await usp(['ls', path, '-f', 'tree', '-u']);
    expect(stdout).toContain('/c.xml (sitemap, 1 page, stale, 1 problem)');
    expect(stdout).toContain('/e.xml (sitemap, 1 page, new)');
    const { stdout: json } = await usp(['ls', path, '-f', 'json']);
    expect(json).toContain(
      `{"kind":"pages-xml","url":"${origin}/a.xml","freshness":"unchanged","status":200,`,
    );
  });

  test('a tree that is read without previous has no freshness in it', async () => {
    const { first } = await updated();
    using loaded = await loadTree(first);
    expect(JSON.stringify(loaded)).not.toContain('freshness');
    expect(nodesOf(first).nodes.some((node) => 'freshness' in node)).toBe(false);
  });
});

testIf(IS_LINUX)('§11.2 a call that is refused for closed documents keeps no archive open', async () => {
  const { tree, first, server, previous } = await updated();
  // Below it are documents of the archive, which is open, and behind them documents that are closed.
  const [robotsTxt] = tree.subSitemaps;
  tree.close();
  await expect(treeOf(server, { ...DECLARED, previous: robotsTxt! })).rejects.toMatchObject({
    code: 'tree-closed',
  });
  expect(openFiles(first)).toHaveLength(1);
  previous.close();
  await expect.poll(() => openFiles(first)).toEqual([]);
});

describe('§11.1 an archive from someone else', () => {
  /** The tree of a header and of nodes. */
  async function treeFrom(header: object, nodes: readonly object[]): Promise<Sitemap> {
    const path = join(folder(), 'tree.warc');
    await saveTree(new IndexXMLSitemap({ url: HOME, subSitemaps: [] }), path);
    const whole = { format: 'ultimate-sitemap-parser tree', version: 1, ...header };
    const lines = [
      `${JSON.stringify(whole).slice(0, -1)},"documents":[`,
      '],"nodes":[',
      nodes.map((node) => JSON.stringify(node)).join(',\n'),
      ']}',
    ];
    const limits = { maxSitemaps: 10, maxSitemapBytes: 1000, problemPositions: false };
    const file = new ArchiveFile(path);
    const tree = await new NodeReader(Buffer.from(`${lines.join('\n')}\n`), file, limits).tree();
    onTestFinished(() => tree.close());
    return tree;
  }

  test('does not choose a proxy, nor turn off what protects the caller', async () => {
    const options = { maxDepth: 3, proxy: 'http://evil.test', allowPrivateNetworks: true, verifyTls: false };
    const origin = { call: 'homepage', url: HOME, options, notKept: [] };
    const tree = await treeFrom({ origin }, [{ depth: 0, kind: 'website', url: HOME, complete: true }]);
    expect(tree.origin?.options).toEqual({ maxDepth: 3 });
  });

  test.each([
    ['a validator', '"v1"', '"v1"'],
    ['letters of ISO-8859-1', '"ü"', '"ü"'],
    ['1,000 characters', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['1,001 characters', 'x'.repeat(1_001), undefined],
    ['another header behind a line break', '"v1"\r\nCookie: a=b', undefined],
    ['a line break at the end', '"v1"\n', undefined],
    ['a character that no header can hold', '"→"', undefined],
    ['nothing', '', undefined],
  ])('sends no validator that is not the value of a header: %s', async (_what, value, expected) => {
    const validators = { etag: value, lastModified: value };
    const tree = await treeFrom({}, [{ depth: 0, kind: 'index-xml', url: HOME, durationMs: 1, validators }]);
    expect(internalsOf(tree).facts?.validators).toEqual({ etag: expected, lastModified: expected });
  });

  test('diffPages throws for a damaged document; for an update it lists nothing', async () => {
    const { first, path, origin } = await updated();
    using loaded = await loadTree(first);
    const damagedPath = join(folder(), 'damaged.warc');
    await saveTree(loaded, damagedPath);
    const bytes = readFileSync(damagedPath);
    bytes[bytes.indexOf(`<loc>${origin}/2</loc>`) + 6] = 0x58;
    writeFileSync(damagedPath, bytes);
    using before = await loadTree(damagedPath);
    using after = await loadTree(path);
    const listed = async (diff: PageDiff): Promise<string[]> => {
      const found: string[] = [];
      for await (const { type, page } of diff) found.push(`${type} ${page.url.replace(origin, '')}`);
      return found;
    };
    await expect(listed(diffPages(before, after))).rejects.toMatchObject({ code: 'archive-damaged' });
    expect(() => diffPages(before, after, { damaged: 'ignore' as 'unknown' })).toThrow(/"damaged" must be/);
    const unknown = diffPages(before, after, { damaged: 'unknown' });
    // /2 is in a damaged document, /4 in one that was not chosen; c.xml is stale, with the same read in both.
    expect(await listed(unknown)).toEqual(['added /6']);
    expect(unknown.counts.unknown).toBe(3);
    const damaged: string[] = [];
    const all = { include: [], exclude: [] };
    const filters = { before: all, after: all };
    const update = await updatedPages(before, after, { filters, onDamaged: (url) => damaged.push(url) });
    // Those of b.xml are printed again; d.xml was not chosen.
    expect(await listed(update)).toEqual(['added /2', 'added /5', 'added /6', 'removed /4']);
    expect(damaged).toEqual([`${origin}/b.xml`]);
    expect(urlsOf(after.allPages())).toHaveLength(5);
  });
});
