/** Specification §3: the two callbacks, their arguments, and what their results do. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ChildFilter, isFiltered } from '../../src/crawl/filters.ts';
import { Limits } from '../../src/crawl/limits.ts';
import { Lineage } from '../../src/crawl/lineage.ts';
import {
  SitemapException,
  type SitemapOptions,
  type StreamOptions,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import { Stop } from '../../src/runtime/abort.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, outline, QUICK, siteOf, streamed, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { withMoreTime } from '../support/more-time.ts';

const page = urlset('https://example.org/');
const site: Site = {
  '/robots.txt': ['/index.xml', '/c.xml'],
  '/index.xml': { redirect: '/real.xml' },
  '/real.xml': [['/a.xml', '2024-05-06'], '/b.xml'],
  '/a.xml': page,
  '/b.xml': page,
  '/c.xml': page,
};

describe('§3 the arguments of the callbacks', () => {
  test('recurseListCallback: urls, the index’s level, its ancestors and itself, entries and parent; once per index', async () => {
    const server = await siteOf(site);
    const { origin } = server;
    const calls: unknown[] = [];
    await treeOf(server, {
      ...DECLARED,
      recurseListCallback: (urls, level, parentUrls, { entries, parent }) => {
        calls.push({ urls, level, parentUrls: [...parentUrls], entries, parent });
        return urls;
      },
    });
    expect(calls).toEqual([
      {
        urls: [`${origin}/index.xml`, `${origin}/c.xml`],
        level: 0,
        parentUrls: [`${origin}/robots.txt`],
        entries: [
          { url: `${origin}/index.xml`, lastModified: undefined },
          { url: `${origin}/c.xml`, lastModified: undefined },
        ],
        parent: { url: `${origin}/robots.txt`, kind: 'robots-txt' },
      },
      {
        urls: [`${origin}/a.xml`, `${origin}/b.xml`],
        level: 1,
        parentUrls: [`${origin}/robots.txt`, `${origin}/real.xml`],
        entries: [
          { url: `${origin}/a.xml`, lastModified: new Date('2024-05-06'), lastModifiedText: '2024-05-06' },
          { url: `${origin}/b.xml`, lastModified: undefined },
        ],
        parent: { url: `${origin}/real.xml`, kind: 'index-xml' },
      },
    ]);
  });

  test('recurseCallback: url, the index’s level, its ancestors and itself, entry and parent', async () => {
    const server = await siteOf(site);
    const { origin } = server;
    const calls: unknown[] = [];
    await treeOf(server, {
      ...DECLARED,
      recurseCallback: (url, level, parentUrls, { entry, parent }) => {
        expect(parentUrls).toBeInstanceOf(Set);
        calls.push([url, level, [...parentUrls], entry.lastModified?.toISOString(), parent.kind]);
        expect(entry.url).toBe(url);
        return true;
      },
    });
    expect(calls).toEqual([
      [`${origin}/index.xml`, 0, [`${origin}/robots.txt`], undefined, 'robots-txt'],
      [`${origin}/c.xml`, 0, [`${origin}/robots.txt`], undefined, 'robots-txt'],
      [
        `${origin}/a.xml`,
        1,
        [`${origin}/robots.txt`, `${origin}/real.xml`],
        '2024-05-06T00:00:00.000Z',
        'index-xml',
      ],
      [`${origin}/b.xml`, 1, [`${origin}/robots.txt`, `${origin}/real.xml`], undefined, 'index-xml'],
    ]);
  });

  test('they get copies: what they change is the same for the next callback and in the tree', async () => {
    const server = await siteOf(site);
    const heard: (string | undefined)[] = [];
    const hear = (date: Date | undefined): void => {
      heard.push(date?.toISOString().slice(0, 10));
      date?.setTime(0);
    };
    const tree = await treeOf(server, {
      ...DECLARED,
      recurseListCallback: (urls, _level, _parentUrls, { entries }) => {
        hear(entries[0]?.lastModified);
        return urls;
      },
      recurseCallback: (_url, _level, _parentUrls, { entry }) => {
        hear(entry.lastModified);
        return true;
      },
    });
    expect(heard.filter((date) => date !== undefined)).toEqual(['2024-05-06', '2024-05-06']);
    const [a] = tree.subSitemaps[0]!.subSitemaps[0]!.subSitemaps;
    expect(a?.lastModified).toEqual(new Date('2024-05-06'));
  });

  test('a shared index asks at each of its places', async () => {
    const server = await siteOf({
      '/robots.txt': ['/1.xml', '/2.xml'],
      '/1.xml': ['/shared.xml'],
      '/2.xml': ['/shared.xml'],
      '/shared.xml': ['/a.xml'],
      '/a.xml': page,
    });
    const options: SitemapOptions = {
      ...DECLARED,
      recurseCallback: (url, _level, parentUrls) =>
        !url.endsWith('/a.xml') || parentUrls.has(`${server.origin}/2.xml`),
    };
    expect(outline(await treeOf(server, options), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /1.xml',
      '    index-xml /shared.xml',
      '  index-xml /2.xml',
      '    index-xml /shared.xml',
      '      pages-xml /a.xml 1',
    ]);
    // Whichever place the stream gets to first.
    expect(await streamed(server, options)).toHaveLength(1);
  });
});

describe('§3 what they return', () => {
  test('either may return a promise', async () => {
    const server = await siteOf(site);
    const tree = await treeOf(server, {
      ...DECLARED,
      recurseListCallback: async (urls) => {
        await delay(5);
        return urls.filter((url) => !url.endsWith('/c.xml'));
      },
      recurseCallback: async (url) => {
        await delay(5);
        return !url.endsWith('/b.xml');
      },
    });
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /real.xml (/index.xml)',
      '    pages-xml /a.xml 1',
    ]);
    // What was filtered is not missing.
    expect(tree.complete).toBe(true);
  });

  test('a promise may be of any library: what has a `then` is one', async () => {
    const server = await siteOf(site);
    const later = <Value>(value: Value): Promise<Value> => {
      const resolveLater = (resolve: (value: Value) => void): void => void setTimeout(resolve, 1, value);
      return Object.fromEntries([['then', resolveLater]]) as unknown as Promise<Value>;
    };
    const tree = await treeOf(server, {
      ...DECLARED,
      recurseListCallback: (urls) => later(urls.filter((url) => !url.endsWith('/c.xml'))),
      recurseCallback: (url) => later(!url.endsWith('/b.xml')),
    });
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /real.xml (/index.xml)',
      '    pages-xml /a.xml 1',
    ]);
  });

  test('the list may be any iterable, in another order, of URL objects, and with repeats', async () => {
    const server = await siteOf(site);
    const lists: ((urls: readonly string[]) => Iterable<string>)[] = [
      (urls) => new Set([...urls].reverse()),
      (urls) => [...urls, ...urls].reverse(),
      (urls) => [...urls].reverse().map((url) => new URL(url) as unknown as string),
      function* (urls) {
        yield* [...urls].reverse();
      },
    ];
    for (const recurseListCallback of lists) {
      const tree = await treeOf(server, { ...DECLARED, recurseListCallback });
      expect(outline(tree, server)).toEqual([
        'robots-txt /robots.txt',
        '  pages-xml /c.xml 1',
        '  index-xml /real.xml (/index.xml)',
        '    pages-xml /b.xml 1',
        '    pages-xml /a.xml 1',
      ]);
      expect(tree.subSitemaps[0]!.subSitemaps[1]!.subSitemaps[1]!.lastModified).toEqual(
        new Date('2024-05-06'),
      );
    }
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'https://example.org/a.xml'],
    ['a number', 1],
    ['true', true],
    ['an object', {}],
  ])('a list callback that returns %s is a SitemapException', async (_name, value) => {
    const server = await siteOf(site);
    for (const result of [value, Promise.resolve(value)]) {
      const call = treeOf(server, { ...DECLARED, recurseListCallback: () => result as unknown as string[] });
      await expect(call).rejects.toBeInstanceOf(SitemapException);
      await expect(call).rejects.toMatchObject({
        code: 'bad-callback',
        message: expect.stringContaining('recurseListCallback'),
      });
    }
    await server.allSocketsClosed();
  });
});

test('a callback that forgets its return is a SitemapException, not a site without sitemaps', async () => {
  const server = await siteOf(site);
  for (const result of [undefined, Promise.resolve(undefined)]) {
    const call = treeOf(server, { ...DECLARED, recurseCallback: () => result as unknown as boolean });
    await expect(call).rejects.toMatchObject({
      code: 'bad-callback',
      message: expect.stringContaining('recurseCallback'),
    });
  }
  await server.allSocketsClosed();
});

describe('§3 what a callback throws rejects the whole call', () => {
  const mistake = new Error('a user’s bug');
  const fails = (): never => {
    throw mistake;
  };
  const failsLater = (): Promise<never> => delay(1).then(fails);
  const throwing: [string, SitemapOptions][] = [
    ['recurseCallback', { recurseCallback: fails }],
    ['recurseCallback, later', { recurseCallback: failsLater }],
    ['recurseListCallback', { recurseListCallback: fails }],
    ['recurseListCallback, later', { recurseListCallback: failsLater }],
    ['recurseCallback, deep', { recurseCallback: (url) => !url.endsWith('/b.xml') || fails() }],
    ['onProgress', { onProgress: ({ type }) => void (type === 'finished' && fails()) }],
    ['onProgress, at bytes', { onProgress: ({ type }) => void (type === 'bytes' && fails()) }],
    ['onProgress, at once', { onProgress: fails }],
    ['headers', { headers: fails }],
  ];

  test.each(throwing)('%s: and leaves no socket', async (_name, options) => {
    const server = await siteOf({ ...site, '/c.xml': { body: page, stallAfter: 50 } });
    await expect(sitemapTreeForHomepage(server.origin, { ...DECLARED, ...options })).rejects.toBe(mistake);
    await server.allSocketsClosed();
  });

  test.each(throwing)('%s: the same from a stream', async (_name, options) => {
    const server = await siteOf({ ...site, '/c.xml': { body: page, stallAfter: 50 } });
    const reading = (async () => {
      for await (const _ of streamPages(server.origin, { ...DECLARED, ...options }));
    })();
    await expect(reading).rejects.toBe(mistake);
    await server.allSocketsClosed();
  });

  test('no callback is called once the call is over', async () => {
    const many = Array.from({ length: 200 }, (_, at) => `/s${at}.xml`);
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/index.xml', '/bad.xml'],
      '/index.xml': index(...many.map((path) => origin + path)),
      '/bad.xml': { body: ['/x.xml'], delayMs: 50 },
    }));
    let calls = 0;
    const call = sitemapTreeForHomepage(server.origin, {
      ...QUICK,
      recurseCallback: async (url) => {
        calls++;
        if (url.endsWith('/x.xml')) throw mistake;
        await delay(2);
        return true;
      },
    });
    await expect(call).rejects.toBe(mistake);
    const after = calls;
    expect(after).toBeLessThan(200);
    await delay(20);
    expect(calls).toBeLessThanOrEqual(after + 1);
  });
});

/** Keeps the event loop busy. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('§8 a callback that works hard and returns at once is asked about no more children once maxTimeMs is over', async () => {
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/index.xml'],
    '/index.xml': index(...Array.from({ length: 3000 }, (_, at) => `${origin}/${at}.xml`)),
  }));
  await withMoreTime([1_000, 5_000, 25_000], async (maxTimeMs) => {
    let asked = 0;
    const recurseCallback = (url: string): boolean => {
      if (url.endsWith('/index.xml')) return true;
      if (++asked === 10) work(maxTimeMs);
      return false;
    };
    const tree = await treeOf(server, { ...DECLARED, recurseCallback, maxTimeMs });
    expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxTimeMs' } });
    expect(asked).toBeGreaterThanOrEqual(10);
    expect(asked).toBeLessThan(3000);
  });
});

describe('the children of an index that are to be fetched', () => {
  const URL_OF = 'https://example.org/';
  const below = Lineage.top.below(`${URL_OF}robots.txt`, `${URL_OF}robots.txt`);
  const indexOf = (names: string) => ({
    url: `${URL_OF}index.xml`,
    kind: 'index-xml' as const,
    entries: [...names].map((name) => ({ url: `${URL_OF}${name}`, lastModified: undefined })),
  });
  const namesOf = (entries: readonly { readonly url: string }[]): string =>
    entries.map(({ url }) => url.slice(URL_OF.length)).join('');

  /** The names of the chosen children, and how many were not decided about. */
  async function choiceOf(
    names: string,
    given: StreamOptions,
    limitsOf: (limits: Limits) => void = () => {},
  ): Promise<readonly [string, number]> {
    const options = resolveOptions(given, 'stream');
    const limits = new Limits(options);
    limitsOf(limits);
    const filter = new ChildFilter(options, limits, new Stop());
    const { chosen, undecided } = await filter.choose(indexOf(names), Lineage.top, below);
    return [namesOf(chosen), undecided];
  }

  test.each<[StreamOptions, boolean]>([
    [{}, false],
    [{ until: '2014', include: 'a', exclude: 'b' }, false],
    [{ since: '2014' }, true],
    [{ sitemapInclude: 'a' }, true],
    [{ sitemapExclude: 'a' }, true],
    [{ recurseCallback: () => true }, true],
    [{ recurseListCallback: (urls) => urls }, true],
  ])('%j: some may be left out: %s', async (given, isActive) => {
    const options = resolveOptions(given, 'stream');
    expect(isFiltered(options)).toBe(isActive);
    const filter = new ChildFilter(options, new Limits(options), new Stop());
    expect(filter.isActive).toBe(isActive);
    const index = indexOf('ab');
    const { chosen } = await filter.choose(index, Lineage.top, below);
    if (!isActive) expect(chosen).toBe(index.entries);
  });

  test('the list callback comes first, then filters, then the other callback', async () => {
    const asked: string[] = [];
    const options: StreamOptions = {
      sitemapInclude: 're:[a-e]$',
      sitemapExclude: 're:/b$',
      recurseListCallback: (urls) => [`${URL_OF}e`, ...[...urls].reverse(), `${URL_OF}f`, `${URL_OF}e`],
      recurseCallback: (url) => asked.push(url.slice(-1)) > 0 && !url.endsWith('c'),
    };
    expect(await choiceOf('abcd', options)).toEqual(['eda', 0]);
    expect(asked.join('')).toBe('edca');
  });

  test.each<[unknown, string]>([
    [true, 'ab'],
    [1, 'ab'],
    ['no', 'ab'],
    [{}, 'ab'],
    [false, ''],
    [0, ''],
    ['', ''],
    [null, ''],
  ])('a callback that returns %j, or a promise of it, chooses %j', async (result, chosen) => {
    for (const each of [result, Promise.resolve(result)])
      expect(await choiceOf('ab', { recurseCallback: () => each as boolean })).toEqual([chosen, 0]);
  });

  // Neither children that a filter left out nor those that were refused are undecided.
  test.each([
    ['at once', 'a', '', 3],
    ['at once', 'c', 'c', 2],
    ['at once', 'e', 'cde', 0],
    ['later', 'a', '', 4],
    ['later', 'c', '', 3],
    ['later', 'e', 'cd', 1],
  ])(
    'a callback that answers %s, and a limit at %s: %j is chosen, and %i are undecided',
    async (when, end, ...expected) => {
      let limits: Limits | undefined;
      const decide = (url: string): boolean => {
        if (url.endsWith(end)) limits?.end('maxTimeMs', 'over');
        return !url.endsWith('a');
      };
      const recurseCallback = when === 'later' ? async (url: string) => decide(url) : decide;
      const choice = await choiceOf('abcde', { sitemapExclude: 're:/b$', recurseCallback }, (each) => {
        limits = each;
      });
      expect(choice).toEqual(expected);
    },
  );

  test.each<[string, number, readonly [string, number]]>([
    ['recurseCallback', 0, ['', 4]],
    ['recurseCallback', 3, ['abc', 1]],
    ['recurseCallback', 4, ['abcd', 0]],
    ['recurseListCallback', 3, ['', 4]],
    ['recurseListCallback', 4, ['abcd', 0]],
  ])('%s is asked about no more children than are left: %i of four', async (name, left, expected) => {
    const callbacks: Record<string, SitemapOptions> = {
      recurseCallback: { recurseCallback: () => true },
      recurseListCallback: { recurseListCallback: (urls) => urls },
    };
    const useUp = (limits: Limits): void => limits.askAbout(2_000_000 - left);
    expect(await choiceOf('abcd', callbacks[name] ?? {}, useUp)).toEqual(expected);
  });

  test('no callback is asked once the call is over', async () => {
    const options = resolveOptions({ recurseListCallback: () => expect.unreachable() }, 'tree');
    const lifetime = new Stop();
    const filter = new ChildFilter(options, new Limits(options), lifetime);
    lifetime.abort(new Error('over'));
    await expect(filter.choose(indexOf('a'), Lineage.top, below)).rejects.toThrow('over');
  });
});
