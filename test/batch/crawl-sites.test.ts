/** `crawlSites` (§14): sites in, results out, constant memory, one shared network. */
import { describe, expect, test } from 'vitest';
import { crawlOne, sharedCrawl } from '../../src/batch/crawl-sites.ts';
import { type CrawledSite, type CrawlSitesOptions, crawlSites } from '../../src/batch/index.ts';
import { SitemapException, sitemapFromString, sitemapTreeForHomepage } from '../../src/index.ts';
import { closedPort } from '../server/raw-server.ts';
import { testIf } from '../support/collected.ts';
import { signalling, siteOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { temporaryFolder } from '../support/real-servers.ts';
import { codeOf, openSpools, SHOWS_OPEN_FILES } from '../support/sitemaps.ts';
import { sized } from '../support/tier.ts';

const QUICK: CrawlSitesOptions = { proxy: false, retries: 0, useKnownPaths: false };

async function urlsOf(site: CrawledSite): Promise<string[]> {
  const urls: string[] = [];
  for await (const { page } of site.pages()) urls.push(page.url);
  return urls.sort();
}

describe('§14 crawlSites', () => {
  test('every site gives one result, with all its pages', async () => {
    const sites = await loopbackSites();
    const numbers = Array.from({ length: sized({ fast: 20, full: 40 }) }, (_, number) => number);
    const found = new Map<string, readonly string[]>();
    for await (const result of crawlSites(numbers.map(sites.homepage), { ...QUICK, sitesAtOnce: 8 })) {
      expect(found.has(result.site)).toBe(false);
      found.set(result.site, await urlsOf(result));
      expect(result.outcome).toBe(found.get(result.site)!.length === 0 ? 'none' : 'complete');
    }
    expect(found).toEqual(new Map(numbers.map((number) => [sites.homepage(number), sites.pages(number)])));
  });

  test('an earlier tree is closed with the result that was made with it', async () => {
    const { origin } = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': urlset('https://a.example/') });
    const previous = await sitemapTreeForHomepage(origin, QUICK);
    for await (const { outcome } of crawlSites([{ url: origin, previous: async () => previous }], QUICK))
      expect(outcome).toBe('complete');
    expect(await codeOf(() => [...previous.allPages()])).toBe('tree-closed');
  });

  test('an earlier tree is closed where the crawl of the site ends with an error', async () => {
    const previous = await sitemapFromString(urlset('https://a.example/'));
    const site = { url: 'https://a.example/', previous: async () => previous, signal: AbortSignal.abort() };
    for await (const { outcome, tree } of crawlSites([site], QUICK))
      expect({ outcome, tree }).toEqual({ outcome: 'failed', tree: undefined });
    expect(await codeOf(() => [...previous.allPages()])).toBe('tree-closed');
  });

  test('no more sites are asked for than are crawled at once, and trees are closed behind the reader', async () => {
    const sites = await loopbackSites();
    const count = sized({ fast: 16, full: 40 });
    let asked = 0;
    let read = 0;
    const trees: CrawledSite['tree'][] = [];
    async function* source() {
      for (let number = 0; number < count; number++) {
        asked++;
        expect(asked - read).toBeLessThanOrEqual(4);
        yield sites.homepage(number);
      }
    }
    for await (const { tree } of crawlSites(source(), { ...QUICK, sitesAtOnce: 4 })) {
      trees.push(tree);
      read++;
    }
    expect(read).toBe(count);
    for (const tree of trees) {
      if (tree !== undefined && tree.subSitemaps[0]?.subSitemaps.length !== 0)
        expect(() => [...tree.allPages()]).toThrow('The tree is closed');
    }
  });

  test('a site that is not a URL, or cannot be reached, fails alone', async () => {
    const sites = await loopbackSites();
    const port = await closedPort();
    const outcomes = new Map<string, string>();
    const list = ['no site', `http://127.0.0.1:${port}/`, sites.homepage(1)];
    for await (const { site, outcome, code, reason } of crawlSites(list, QUICK)) {
      outcomes.set(site, `${outcome} ${code}`);
      if (outcome === 'failed') expect(reason).toMatch(/\.$/);
    }
    expect([...outcomes].sort()).toEqual([
      [`http://127.0.0.1:${port}/`, 'failed refused'],
      [sites.homepage(1), 'complete undefined'],
      ['no site', 'failed bad-url'],
    ]);
  });

  test('a site with a signal of its own can be aborted, and the others go on', async () => {
    const own = new AbortController();
    const sites = await loopbackSites({
      onRequest: (number) => number === 2 && own.abort(new Error('lost')),
    });
    const list = [{ url: sites.homepage(2), signal: own.signal }, sites.homepage(1)];
    const outcomes = new Map<string, string | undefined>();
    for await (const { site, outcome, reason } of crawlSites(list, QUICK))
      outcomes.set(site, `${outcome}: ${reason}`);
    expect(outcomes.get(sites.homepage(2))).toBe('failed: lost');
    expect(outcomes.get(sites.homepage(1))).toBe('complete: undefined');
  });

  test('the signal ends the whole crawl, also while it waits for a site that never comes', async () => {
    const ending = new AbortController();
    async function* never(): AsyncGenerator<string> {
      await new Promise(() => {});
    }
    const crawl = crawlSites(never(), { ...QUICK, signal: ending.signal });
    const next = crawl.next();
    ending.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });

  test('a reader that stops ends what is running', async () => {
    const sites = await loopbackSites();
    for await (const _ of crawlSites([0, 1, 2, 3].map(sites.homepage), QUICK)) break;
  });

  testIf(SHOWS_OPEN_FILES)('a reader that stops leaves no tree open of sites that are crawled', async () => {
    const sites = await loopbackSites();
    const spoolDirectory = temporaryFolder();
    const options = { ...QUICK, spoolMemoryBytes: 0, spoolDirectory };
    for await (const _ of crawlSites([1, 2, 3].map(sites.homepage), options)) {
      // The other two wait for the reader.
      await expect.poll(() => openSpools(spoolDirectory).length).toBe(3);
      break;
    }
    expect(openSpools(spoolDirectory)).toEqual([]);
  });

  test('a list that is made while it is read is ended when the reader stops', async () => {
    const sites = await loopbackSites();
    const ended: string[] = [];
    function* sync(): Generator<string> {
      try {
        for (let at = 0; ; at++) yield sites.homepage(at);
      } finally {
        ended.push('sync');
      }
    }
    async function* async(): AsyncGenerator<string> {
      try {
        yield* sync();
      } finally {
        ended.push('async');
      }
    }
    for await (const _ of crawlSites(async(), QUICK)) break;
    await expect.poll(() => ended).toEqual(['sync', 'async']);
    for await (const _ of crawlSites(sync(), QUICK)) break;
    await expect.poll(() => ended).toEqual(['sync', 'async', 'sync']);
  });

  test('a list that cannot be closed, or fails, is not asked again', async () => {
    const sites = await loopbackSites();
    function* list(): Generator<string> {
      try {
        for (let at = 0; ; at++) yield sites.homepage(at);
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: that is what is tested
        throw new Error('cannot be closed');
      }
    }
    // It would be an unhandled error of this process.
    for await (const _ of crawlSites(list(), QUICK)) break;
    let asked = 0;
    const failing = {
      [Symbol.asyncIterator]: () => ({
        next: async (): Promise<IteratorResult<string>> => {
          asked++;
          throw new Error('no more of them');
        },
      }),
    };
    await expect(crawlSites(failing, { ...QUICK, sitesAtOnce: 4 }).next()).rejects.toThrow('no more of them');
    expect(asked).toBe(1);
  });

  test('maxPages gives the first pages of each site, and stopped once they were read', async () => {
    const sites = await loopbackSites();
    const wanted = [3, 53, 1].map(sites.homepage);
    for await (const site of crawlSites(wanted, { ...QUICK, maxPages: 100 })) {
      const { complete, stopped, outcome, code, reason } = site;
      expect({ complete, stopped, outcome, code, reason }).toEqual({ complete: true, outcome: 'complete' });
      const isSmall = site.site === sites.homepage(1);
      expect(await urlsOf(site)).toHaveLength(isSmall ? sites.pages(1).length : 100);
      if (isSmall) expect([site.complete, site.stopped]).toEqual([true, undefined]);
      else {
        const message = 'The pages of the site end after 100 (maxPages).';
        expect(site).toMatchObject({ complete: false, stopped: { limit: 'maxPages', message } });
        expect(site).toMatchObject({ outcome: 'partial', code: 'limit', reason: message });
      }
      // Begins anew.
      expect(await urlsOf(site)).toHaveLength(isSmall ? sites.pages(1).length : 100);
    }
  });

  test('maxPages leaves a site that is not complete the reason for that', async () => {
    const pages = [1, 2, 3].map((number) => `https://x.example/${number}`);
    const { origin } = await siteOf((at) => ({
      '/robots.txt': robots(`${at}/a.xml`, `${at}/gone.xml`),
      '/a.xml': urlset(...pages),
    }));
    for await (const site of crawlSites([origin], { ...QUICK, maxPages: 2 })) {
      const { outcome, code, reason } = site;
      expect([outcome, code, reason]).toEqual(['partial', 'http-status', expect.stringContaining('404')]);
      expect(await urlsOf(site)).toEqual(pages.slice(0, 2));
      expect(site).toMatchObject({ complete: false, stopped: { limit: 'maxPages' }, outcome, code, reason });
    }
  });

  test('of two limits of a site, the first that it reached is the one that stopped it', async () => {
    const { origin } = await siteOf((at) => ({
      '/robots.txt': robots(`${at}/a.xml`, `${at}/b.xml`),
      '*': urlset('https://x.example/1', 'https://x.example/2'),
    }));
    for await (const site of crawlSites([origin], { ...QUICK, maxSitemaps: 2, maxPages: 1 })) {
      const before = { stopped: site.stopped, code: site.code, reason: site.reason };
      expect(before).toMatchObject({ stopped: { limit: 'maxSitemaps' }, code: 'limit' });
      expect(await urlsOf(site)).toEqual(['https://x.example/1']);
      expect(site).toMatchObject({ ...before, complete: false, outcome: 'partial' });
    }
  });

  test.each([
    [1, 1, 'maxPages'],
    [2_500, 2_500, 'maxPages'],
    [3_000, 3_000, 'maxPages'],
    [3_001, 3_000, undefined],
  ])('maxPages %i of 3,000, which come in several arrays, gives %i', async (maxPages, pages, limit) => {
    const urls = Array.from({ length: 1_500 }, (_, at) => `https://x.example/${at}`);
    const { origin } = await siteOf({ '/robots.txt': ['/a.xml', '/b.xml'], '*': urlset(...urls) });
    for await (const site of crawlSites([origin], { ...QUICK, maxPages })) {
      const expected = [...urls, ...urls].slice(0, pages);
      const found: string[] = [];
      for await (const { page } of site.pages()) found.push(page.url);
      expect(found).toEqual(expected);
      expect(site.stopped?.limit).toBe(limit);
      const sizes: number[] = [];
      for await (const rows of site.batches()) sizes.push(rows.length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(pages);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
    }
  });

  describe('filters, which hold for each site, and before maxPages', () => {
    const X = 'https://x.example';
    const FILTERS: readonly (readonly [
      CrawlSitesOptions,
      readonly string[],
      requests: number,
      leftOut: CrawledSite['leftOut'],
    ])[] = [
      [{}, ['a1', 'a2', 'a3', 'b1', 'a1'], 3, {}],
      [{ include: 're:[13]$' }, ['a1', 'a3', 'b1', 'a1'], 3, { 'not-included': 1 }],
      [{ include: 're:[13]$', maxPages: 2 }, ['a1', 'a3'], 3, { 'not-included': 1 }],
      [{ exclude: ['/a1', '/b'] }, ['a2', 'a3'], 3, { excluded: 3 }],
      [{ exclude: ['/a1', '/b'], sample: 1 }, ['a2'], 3, { excluded: 3 }],
      [{ since: '2024-05-02' }, ['a2'], 3, { older: 2, undated: 2 }],
      [{ until: '2024-05-02', undated: 'keep' }, ['a1', 'a3', 'b1', 'a1'], 3, { newer: 1 }],
      [{ unique: true }, ['a1', 'a2', 'a3', 'b1'], 3, { repeated: 1 }],
      [{ unique: true, maxPages: 4 }, ['a1', 'a2', 'a3', 'b1'], 3, { repeated: 1 }],
      [{ sitemapInclude: '/a.xml' }, ['a1', 'a2', 'a3'], 2, {}],
      [{ sitemapExclude: 'a.xml' }, ['b1', 'a1'], 2, {}],
    ];
    test.each(FILTERS)('%o', async (options, expected, requests, leftOut) => {
      const { origin, paths } = await siteOf((at) => ({
        '/robots.txt': robots(`${at}/a.xml`, `${at}/b.xml`),
        '/a.xml': urlset([`${X}/a1`, '2024-05-01'], [`${X}/a2`, '2024-05-02'], `${X}/a3`),
        '/b.xml': urlset(`${X}/b1`, [`${X}/a1`, '2024-05-01']),
      }));
      for await (const site of crawlSites([origin], { ...QUICK, ...options })) {
        const urls: string[] = [];
        for await (const { page } of site.pages()) urls.push(page.url.slice(X.length + 1));
        expect(urls).toEqual(expected);
        const batches: string[] = [];
        for await (const rows of site.batches()) for (const { page } of rows) batches.push(page.url);
        expect(batches).toHaveLength(urls.length);
        // Those of the last loop alone.
        expect(site.leftOut).toEqual(leftOut);
      }
      expect(paths()).toHaveLength(requests);
    });

    test('a filter that is not one is refused at the call', () => {
      expect(() => crawlSites([], { since: 'soon' })).toThrow('"since" must be');
      expect(() => crawlSites([], { includes: 'x' } as CrawlSitesOptions)).toThrow('include');
    });
  });

  test('a document that is declared twice is read once', async () => {
    const { origin } = await siteOf((at) => ({
      '/robots.txt': robots(`${at}/a.xml`, `${at}/a.xml`, `${at}/b.xml`, `${at}/i.xml`),
      '/i.xml': index(`${at}/b.xml`, `${at}/a.xml`),
      '/a.xml': urlset('https://x.example/1'),
      '/b.xml': urlset('https://x.example/2'),
    }));
    for await (const site of crawlSites([origin], QUICK)) {
      expect(await urlsOf(site)).toEqual(['https://x.example/1', 'https://x.example/2']);
      expect(site.sitemaps).toBe(3);
    }
  });

  test('the bytes are those of each document once, with robots.txt, which is no sitemap', async () => {
    const documents = {
      '/robots.txt': '',
      '/i.xml': index('/a.xml', '/gone.xml'),
      '/a.xml': urlset('https://x.example/1', 'https://x.example/ä'),
    };
    const { origin } = await siteOf((at) => {
      documents['/robots.txt'] = robots(`${at}/a.xml`, `${at}/i.xml`, `${at}/a.xml`);
      return documents;
    });
    for await (const site of crawlSites([`${origin}/some/page`], QUICK)) {
      const bytes = Object.values(documents).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      expect(site).toMatchObject({ site: `${origin}/`, sitemaps: 2, stale: 0, bytes, outcome: 'partial' });
      expect(Number.isSafeInteger(site.elapsedMs)).toBe(true);
    }
  });

  test('what is kept of an earlier crawl is counted by itself, and its rows are marked', async () => {
    const { origin, site: responses } = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': urlset('https://x.example/1'),
      '/b.xml': urlset('https://x.example/2'),
    });
    const previous = await sitemapTreeForHomepage(origin, QUICK);
    responses['/b.xml'] = { status: 503 };
    const options = { ...QUICK, staleIfError: true };
    for await (const site of crawlSites([{ url: origin, previous: async () => previous }], options)) {
      const marks: (readonly [string, boolean])[] = [];
      for await (const { page, stale, sitemap } of site.pages()) {
        marks.push([page.url.slice(-1), stale]);
        expect(sitemap).toBe(`${origin}/${stale ? 'b' : 'a'}.xml`);
      }
      expect(marks).toEqual([
        ['1', false],
        ['2', true],
      ]);
      expect(site).toMatchObject({ sitemaps: 1, stale: 1 });
      expect(site.bytes).toBeLessThan(2 * Buffer.byteLength(urlset('https://x.example/1')) + 100);
    }
  });

  test.each<readonly [string | URL, string, string]>([
    ['no site', 'no site', 'bad-url'],
    ['http://user:secret@127.0.0.1:1/x', 'http://127.0.0.1:1/', 'refused'],
    ['ftp://user:secret@a.example/', 'ftp://a.example/', 'bad-url'],
    [new URL('http://127.0.0.1:1/x?y#z'), 'http://127.0.0.1:1/', 'refused'],
  ])('%s fails as %s, without a password', async (url, name, code) => {
    for await (const site of crawlSites([url], QUICK)) {
      expect([site.site, site.code, site.tree?.pageCount ?? 0]).toEqual([name, code, 0]);
      expect(JSON.stringify([site.site, site.reason])).not.toContain('secret');
      expect(await urlsOf(site)).toEqual([]);
    }
  });

  test('what an earlier tree fails with is the failure of its site', async () => {
    const down = async (): Promise<never> => {
      throw new Error('no archive.');
    };
    for await (const site of crawlSites([{ url: 'https://a.example/', previous: down }], QUICK))
      expect(site).toMatchObject({
        ...{ site: 'https://a.example/', outcome: 'failed', code: 'error', reason: 'no archive.' },
        ...{ complete: false, sitemaps: 0, stale: 0, bytes: 0, tree: undefined, stopped: undefined },
      });
  });

  test('verdicts are those of the agent, alternates are rows, and a sample is no limit', async () => {
    const X = 'https://x.example';
    const { origin } = await siteOf((at) => ({
      '/robots.txt': `Sitemap: ${at}/a.xml\nUser-agent: GPTBot\nDisallow: /no\n`,
      '/a.xml':
        '<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml">' +
        `<url><loc>${at}/no</loc></url><url><loc>${at}/yes</loc>` +
        `<xhtml:link rel="alternate" hreflang="de" href="${at}/no/de"/></url><url><loc>${X}/1</loc></url></urlset>`,
    }));
    const rows = async (options: CrawlSitesOptions) => {
      const found: string[] = [];
      for await (const site of crawlSites([origin], { ...QUICK, ...options })) {
        for await (const { page, verdict } of site.pages())
          found.push(`${new URL(page.url).pathname} ${verdict?.allowed}`);
        found.push(JSON.stringify(site.leftOut), String(site.stopped?.limit));
      }
      return found;
    };
    const all = ['/no undefined', '/yes undefined', '/1 undefined'];
    expect(await rows({})).toEqual([...all, '{}', 'undefined']);
    const judged = await rows({ robotsAgent: 'GPTBot' });
    expect(judged).toEqual(['/no false', '/yes true', '/1 undefined', '{}', 'undefined']);
    const others = await rows({ robotsAgent: 'OtherBot' });
    expect(others.slice(0, 2)).toEqual(['/no true', '/yes true']);
    const listed = await rows({ listAlternates: true, robotsAgent: 'GPTBot', hosts: 'same' });
    expect(listed.slice(0, -2).sort()).toEqual(['/no false', '/no/de false', '/yes true']);
    expect(listed.at(-2)).toBe('{"other-host":1}');
    const sampled = await rows({ sample: 2 });
    expect([sampled.length, sampled.at(-1)]).toEqual([4, 'undefined']);
  });

  test('onlyAllowed leaves out what the agent may not fetch, and counts it', async () => {
    const { origin } = await siteOf((at) => ({
      '/robots.txt': `Sitemap: ${at}/a.xml\nUser-agent: *\nDisallow: /no\n`,
      '/a.xml': urlset(`${at}/no/1`, `${at}/yes`, `${at}/no/2`, 'https://x.example/no'),
    }));
    for (const onlyAllowed of [true, false]) {
      const shared = sharedCrawl({ ...QUICK, robotsAgent: 'a' }, { onlyAllowed });
      const site = await crawlOne(origin, shared);
      const urls = (await urlsOf(site)).map((url) => new URL(url).pathname).sort();
      // Another host has a robots.txt of its own, which is not known.
      expect(urls).toEqual(onlyAllowed ? ['/no', '/yes'] : ['/no', '/no/1', '/no/2', '/yes']);
      expect(site.leftOut).toEqual(onlyAllowed ? { disallowed: 2 } : {});
      site.close();
      await shared.pool.close();
    }
  });

  test('options are checked before anything is fetched', () => {
    expect(() => crawlSites([], { sitesAtOnce: 0 })).toThrow(SitemapException);
    expect(() => crawlSites([], { waitMs: -1 })).toThrow('"waitMs"');
  });
});

describe('§14 politeness', () => {
  const count = sized({ fast: 60, full: 150, strong: 1_000 });
  test(`${count} sites on one host never exceed its pace`, async () => {
    const sites = await loopbackSites({ delayMs: 1 });
    const list = Array.from({ length: count }, (_, at) => `${sites.homepage(1)}${at}/`);
    const options = { ...QUICK, normalizeHomepageUrl: false, perHostConcurrency: 3, sitesAtOnce: 64 };
    let results = 0;
    for await (const _ of crawlSites(list, options)) results++;
    expect(results).toBe(count);
    expect([...sites.most]).toEqual([[sites.host(1), 3]]);
  });

  test('hosts on one address share sixteen requests', async () => {
    // A host gets four requests at first, and more when it has responded to them. The sixteen after those wait for each other.
    const { promise: held, resolve: release } = signalling();
    let requests = 0;
    const onRequest = (): void => {
      if (++requests === 8 + 16) release();
    };
    const hold = (): Promise<void> | undefined => (requests > 8 ? held : undefined);
    const sites = await loopbackSites({ hold, onRequest });
    const { port } = new URL(sites.homepage(1));
    const pairs = sized({ fast: 40, full: 60 });
    const list = Array.from({ length: pairs }, (_, at) => [
      `http://127.0.0.1:${port}/${at}/`,
      `http://localhost:${port}/${at}/`,
    ]).flat();
    let results = 0;
    const options = { ...QUICK, normalizeHomepageUrl: false, sitesAtOnce: 128 };
    for await (const _ of crawlSites(list, options)) results++;
    expect(results).toBe(2 * pairs);
    expect(sites.most.size).toBe(2);
    expect(sites.mostInAll).toBe(16);
  });
});
