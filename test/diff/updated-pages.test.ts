/** §11.2: what an update prints, through the filters of each run, and whether a run has something to save. */
import { describe, expect, test } from 'vitest';
import { keptOriginOf, rememberPageFilters, updatedPages, wasDecided } from '../../src/diff/diff-pages.ts';
import { LeftOutCounts } from '../../src/filter/filter-pages.ts';
import {
  diffPages,
  IndexWebsiteSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../src/index.ts';
import type { Freshness, KeptPageFilters } from '../../src/sitemap/node-fields.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { urlset as onSite, SITE, source } from '../support/trees.ts';

const ALL: KeptPageFilters = { include: [], exclude: [] };
const BLOG: KeptPageFilters = { include: ['/blog/'], exclude: [] };
const NOT_NEW: KeptPageFilters = { include: [], exclude: ['new'] };
const SAME_HOST: KeptPageFilters = { ...ALL, hosts: 'same' };
const ALLOWED: KeptPageFilters = { ...ALL, agent: 'bot', onlyAllowed: true };

describe('§11.2 the pages of an update', () => {
  const EVERY = ['/a', '/blog/new', '/blog/old', '/private/new', '/private/old'];
  const lines = (type: string, paths: readonly string[]): string[] => paths.map((path) => `${type} ${path}`);

  test.each<[string, KeptPageFilters | undefined, KeptPageFilters, readonly string[]]>([
    ['the first run lists all', undefined, ALL, lines('added', EVERY)],
    [
      'the first run lists what a pattern leaves',
      undefined,
      BLOG,
      lines('added', ['/blog/new', '/blog/old']),
    ],
    ['the first run lists what robots.txt allows', undefined, ALLOWED, lines('added', EVERY.slice(0, 3))],
    [
      'a pattern leaves out what robots.txt allows, and robots.txt what a pattern leaves',
      undefined,
      { ...ALLOWED, ...NOT_NEW },
      lines('added', ['/a', '/blog/old']),
    ],
    ['an agent alone leaves out nothing', undefined, { ...ALL, agent: 'bot' }, lines('added', EVERY)],
    ['the same filter changes nothing', BLOG, BLOG, []],
    ['the same rules change nothing', ALLOWED, ALLOWED, []],
    [
      'a new pattern removes what it leaves out',
      ALL,
      NOT_NEW,
      lines('removed', ['/blog/new', '/private/new']),
    ],
    [
      'another pattern adds what it lets in, and removes what it leaves out',
      BLOG,
      NOT_NEW,
      ['added /a', 'added /private/old', 'removed /blog/new'],
    ],
    ['new rules remove what they disallow', ALL, ALLOWED, lines('removed', EVERY.slice(3))],
    ['rules that do not count any more add it again', ALLOWED, ALL, lines('added', EVERY.slice(3))],
  ])('%s', async (_what, before, after, expected) => {
    const server = await siteOf((origin) => ({
      '/robots.txt': 'User-agent: bot\nDisallow: /private/\nSitemap: /sitemap.xml',
      '/sitemap.xml': urlset(...EVERY.map((path) => `${origin}${path}`)),
    }));
    const tree = await treeOf(server, DECLARED);
    const earlier = before === undefined ? undefined : await treeOf(server, DECLARED);
    const changes = await updatedPages(earlier, tree, {
      filters: { before: before ?? ALL, after },
      onDamaged: (url) => expect.unreachable(url),
    });
    const found: string[] = [];
    for await (const { type, page } of changes) found.push(`${type} ${new URL(page.url).pathname}`);
    expect(found).toEqual(expected);
  });

  test('pages that are left out are counted by their reason: those that the later tree has', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': 'User-agent: bot\nDisallow: /private/\nSitemap: /sitemap.xml',
      '/sitemap.xml': urlset(...EVERY.map((path) => `${origin}${path}`), 'https://elsewhere.example/'),
    }));
    const tree = await treeOf(server, DECLARED);
    const leftOut = new LeftOutCounts();
    const after = { ...ALLOWED, ...NOT_NEW, hosts: 'same' } as const;
    const changes = await updatedPages(undefined, tree, {
      ...{ filters: { before: ALL, after }, leftOut },
      onDamaged: (url) => expect.unreachable(url),
    });
    const found: string[] = [];
    for await (const { type, page } of changes) found.push(`${type} ${new URL(page.url).pathname}`);
    expect(found).toEqual(lines('added', ['/a', '/blog/old']));
    expect(changes.counts).toEqual({ added: 2, removed: 0, changed: 0, same: 0, unknown: 0 });
    expect(leftOut.counts).toEqual({ excluded: 2, 'other-host': 1, disallowed: 1 });
  });

  test('pages of other hosts are added where they are let in, and removed where they are not any more', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/sitemap.xml'],
      '/sitemap.xml': urlset(`${origin}/a`, 'https://elsewhere.example/'),
    }));
    const [earlier, later] = [await treeOf(server, DECLARED), await treeOf(server, DECLARED)];
    const of = async (before: KeptPageFilters, after: KeptPageFilters) => {
      const runs: number[] = [];
      const changes = await updatedPages(earlier, later, {
        filters: { before, after },
        onDamaged: (url) => expect.unreachable(url),
        runFilter: (filter) => {
          const kept = filter();
          runs.push(kept.length);
          return kept;
        },
      });
      const found: string[] = [];
      for await (const { type, page } of changes) found.push(`${type} ${page.url}`);
      return [found, runs.length > 0];
    };
    expect(await of(SAME_HOST, ALL)).toEqual([['added https://elsewhere.example/'], true]);
    expect(await of(ALL, SAME_HOST)).toEqual([['removed https://elsewhere.example/'], true]);
    expect(await of(SAME_HOST, SAME_HOST)).toEqual([[], true]);
    expect(await of(ALL, ALL)).toEqual([[], false]);
  });

  test.each<[string, KeptPageFilters, KeptPageFilters | undefined]>([
    ['a pattern to include', BLOG, BLOG],
    ['a pattern to exclude', NOT_NEW, NOT_NEW],
    ['an agent', ALLOWED, ALLOWED],
    ['hosts alone', SAME_HOST, SAME_HOST],
    ['hosts that are any', { ...ALL, hosts: 'any' }, undefined],
    ['nothing', ALL, undefined],
  ])('a tree remembers %s', async (_what, filters, kept) => {
    const server = await siteOf({ '/robots.txt': ['/sitemap.xml'], '/sitemap.xml': urlset(SITE) });
    const tree = await treeOf(server, DECLARED);
    rememberPageFilters(tree, filters);
    expect(keptOriginOf(tree)?.pages).toEqual(kept);
  });
});

describe('§11.2 a run has something to save', () => {
  const spool = new Spool({ memoryBytes: 1_000_000 });
  const pages = (name: string, freshness?: Freshness): Sitemap =>
    new PagesXMLSitemap({ url: SITE + name, pages: source(spool, onSite('1')), freshness });
  const staleBy = (name: string, status: number): Sitemap =>
    new PagesXMLSitemap({
      url: SITE + name,
      pages: source(spool, onSite('1')),
      freshness: 'stale',
      problems: [{ code: 'stale', message: 'It was shown before.', status }],
    });
  const failed = (name: string): Sitemap =>
    new InvalidSitemap({ url: SITE + name, code: 'timeout', reason: 'No answer.' });
  const site = (...subSitemaps: readonly Sitemap[]): Sitemap =>
    new IndexWebsiteSitemap({ url: SITE, subSitemaps, complete: true });
  const before = site(pages('a.xml'), pages('b.xml'), failed('c.xml'));

  test.each<[string, Sitemap | undefined, Sitemap, boolean]>([
    ['a document was read', before, site(pages('a.xml', 'changed'), pages('b.xml', 'stale')), true],
    ['a document is the same', before, site(pages('a.xml', 'stale'), pages('b.xml', 'unchanged')), true],
    ['a document is gone', before, site(pages('a.xml', 'stale')), true],
    [
      'a document is missing, and shown as stale',
      before,
      site(staleBy('a.xml', 503), staleBy('b.xml', 404)),
      true,
    ],
    ['documents failed', before, site(staleBy('a.xml', 503), staleBy('b.xml', 500)), false],
    ['nothing was read', before, site(pages('a.xml', 'stale'), pages('b.xml', 'stale')), false],
    ['nothing was read at first', undefined, site(failed('a.xml')), false],
    ['something was read at first', undefined, site(pages('a.xml')), true],
  ])('%s', (_what, earlier, later, isDecided) => {
    expect(wasDecided(earlier, later)).toBe(isDecided);
  });

  test('§11.3 a comparison of equal documents ends with the reason of its signal, also where none is read', async () => {
    const reason = new Error('enough');
    const diff = diffPages(before, before, { countSame: false, signal: AbortSignal.abort(reason) });
    await expect(diff[Symbol.asyncIterator]().next()).rejects.toBe(reason);
  });
});
