/** §8: callbacks keep the limits of a call too, however many sitemaps they are asked about and whatever they return. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Limits, TOO_MANY_QUESTIONS } from '../../src/crawl/limits.ts';
import { type SitemapOptions, streamPages, type WebResponse } from '../../src/index.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import type { Site } from '../server/scripted-server.ts';
import { testIf } from '../support/collected.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { withMoreTime } from '../support/more-time.ts';
import { isFull } from '../support/tier.ts';

const page = urlset('https://example.org/');

/**
 * Every index lists all indexes and many leaves. A callback that refuses the leaves never fills the tree with them, but
 * it is asked about them at each place of each index.
 */
const INDEXES = 10;
const LEAVES = 800;
const tangle = (origin: string) => ({
  '/robots.txt': ['/0-index.xml'],
  '*': index(
    ...Array.from({ length: INDEXES }, (_, at) => `${origin}/${at}-index.xml`),
    ...Array.from({ length: LEAVES }, (_, at) => `${origin}/${at}-leaf.xml`),
  ),
});

const isIndex = (url: string): boolean => url.endsWith('-index.xml');

/** A callback that refuses the leaves, and counts what it is asked about. */
function refusing(name: string): { options: SitemapOptions; asked: () => number } {
  let asked = 0;
  const isWanted = (url: string): boolean => {
    asked++;
    return isIndex(url);
  };
  const options: Record<string, SitemapOptions> = {
    recurseCallback: { recurseCallback: isWanted },
    'recurseCallback with a promise': { recurseCallback: async (url) => isWanted(url) },
    recurseListCallback: { recurseListCallback: (urls) => urls.filter(isWanted) },
  };
  return { options: { ...DECLARED, ...options[name], maxDepth: 1000 }, asked: () => asked };
}

describe('§8 indexes that list each other, with a callback that refuses most children', () => {
  test('the questions of a call are limited to two million, or to eight for each sitemap', () => {
    for (const [maxSitemaps, most] of [
      [50_000, 2_000_000],
      [1_000_000, 8_000_000],
    ] as const) {
      const limits = new Limits(resolveOptions({ maxSitemaps }, 'tree'));
      limits.askAbout(most);
      expect(limits.stopped).toBeUndefined();
      expect(() => limits.askAbout(1)).toThrow(expect.toSatisfy((thrown) => thrown === TOO_MANY_QUESTIONS));
      expect(limits.stopped).toMatchObject({ limit: 'maxSitemaps' });
    }
  });

  // Two million questions each. In the fast tier the test above counts to the limit, and the one below asks for a
  // while.
  testIf(isFull).each(['recurseCallback', 'recurseListCallback'])(
    '%s is asked about a limited number',
    async (name) => {
      const server = await siteOf(tangle);
      const { options, asked } = refusing(name);
      const tree = await treeOf(server, options);
      expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxSitemaps' } });
      expect(asked()).toBeLessThanOrEqual(2_000_000);
    },
  );

  test.each(['recurseCallback', 'recurseCallback with a promise', 'recurseListCallback'])(
    '%s does not keep the event loop from its turns: maxTimeMs is kept',
    async (name) => {
      const server = await siteOf(tangle);
      const { options, asked } = refusing(name);
      const tree = await treeOf(server, { ...options, maxTimeMs: 50 });
      expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxTimeMs' } });
      // Without turns, the timer fires only after all of them.
      expect(asked()).toBeLessThan(1_500_000);
    },
  );
});

test('§8 a slow callback that returns at once lets the timer of maxTimeMs fire between two sitemaps', async () => {
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/index.xml'],
    '/index.xml': index(...Array.from({ length: 5000 }, (_, at) => `${origin}/${at}.xml`)),
  }));
  let asked = 0;
  const recurseCallback = (url: string): boolean => {
    asked++;
    for (const end = performance.now() + 1; performance.now() < end; );
    return url.endsWith('/index.xml');
  };
  await withMoreTime([100, 1_000, 4_000], async (maxTimeMs) => {
    asked = 0;
    const tree = await treeOf(server, { ...DECLARED, recurseCallback, maxTimeMs });
    expect(tree.stopped?.limit).toBe('maxTimeMs');
    expect(asked).toBeGreaterThan(1);
  });
  expect(asked).toBeLessThan(5000);
});

test('§8 a slow recurseListCallback that returns at once lets the timer of maxTimeMs fire between two indexes', async () => {
  // Documents of a client that has them in memory: no response waits for the event loop.
  const children = index(...Array.from({ length: 200 }, (_, at) => `https://example.org/${at}.xml`));
  const webClient = async (url: string): Promise<WebResponse> =>
    new Response(url.endsWith('/robots.txt') ? 'Sitemap: https://example.org/index.xml' : children);
  const recurseListCallback = (urls: readonly string[]): readonly string[] => {
    for (const end = performance.now() + 5; performance.now() < end; );
    return urls;
  };
  const options = { retries: 0, useKnownPaths: false, webClient, recurseListCallback, maxTimeMs: 200 };
  // Without turns, the timer fires only after all of them, which are as many as maxSitemaps allows.
  const tree = await treeOf({ origin: 'https://example.org' }, options);
  expect(tree.stopped?.limit).toBe('maxTimeMs');
});

const NEVER: readonly (readonly [string, SitemapOptions])[] = [
  ['recurseCallback', { recurseCallback: () => new Promise<boolean>(() => {}) }],
  ['recurseListCallback', { recurseListCallback: () => new Promise<string[]>(() => {}) }],
];

describe('§8 a callback that never resolves does not outlive maxTimeMs', () => {
  const site: Site = {
    '/robots.txt': ['/a.xml', '/b.xml'],
    '*': page,
  };

  test.each(NEVER)('%s, in a tree', async (_name, options) => {
    const server = await siteOf(site);
    await withMoreTime([300, 3_000, 30_000], async (maxTimeMs) => {
      const tree = await treeOf(server, { ...DECLARED, ...options, maxTimeMs });
      expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxTimeMs' } });
      expect(tree.subSitemaps[0]?.problems).toEqual([
        { code: 'too-many-sitemaps', message: expect.stringContaining('2 of its sitemaps were left out') },
      ]);
    });
  });

  test.each(NEVER)('%s, in a stream', async (_name, options) => {
    const server = await siteOf(site);
    const stream = streamPages(server.origin, { ...DECLARED, ...options, maxTimeMs: 300 });
    for await (const _ of stream);
    expect(stream).toMatchObject({ complete: false, stopped: { limit: 'maxTimeMs' } });
  });

  test('a rejection that comes after the time is over does not end the process', async () => {
    const server = await siteOf(site);
    let reject = (_reason: unknown): void => {};
    const recurseCallback = (): Promise<boolean> =>
      new Promise((_resolve, refuse) => {
        reject = refuse;
      });
    await treeOf(server, { ...DECLARED, recurseCallback, maxTimeMs: 300 });
    reject(new Error('too late'));
    await turn();
  });
});

test('what a list callback adds is among the sitemaps of which some are left out', async () => {
  const server = await siteOf({ '/robots.txt': ['/i.xml'], '/i.xml': ['/0.xml'], '*': page });
  const recurseListCallback = (urls: readonly string[]): readonly string[] =>
    urls[0]?.endsWith('/0.xml') ? [0, 1, 2, 3, 4].map((at) => `${server.origin}/${at}.xml`) : urls;
  const tree = await treeOf(server, { ...DECLARED, maxSitemaps: 4, recurseListCallback });
  const problems = [...tree.allSitemaps()].flatMap((sitemap) => sitemap.problems);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/\b[1-4] of its 5 sitemaps were left out/),
  ]);
});
