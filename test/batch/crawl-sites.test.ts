/** `crawlSites` (§14): sites in, results out, constant memory, one shared network. */
import { describe, expect, test } from 'vitest';
import { type CrawledSite, type CrawlSitesOptions, crawlSites } from '../../src/batch/index.ts';
import { SitemapException } from '../../src/index.ts';
import { closedPort } from '../server/raw-server.ts';
import { signalling, siteOf } from '../support/crawled-site.ts';
import { robots, urlset } from '../support/documents.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { sized } from '../support/tier.ts';

const QUICK: CrawlSitesOptions = { proxy: false, retries: 0, useKnownPaths: false };

async function urlsOf(site: CrawledSite): Promise<string[]> {
  const urls: string[] = [];
  for await (const rows of site.pages()) urls.push(...rows.map(({ page }) => page.url));
  return urls.sort();
}

describe('§14 crawlSites', () => {
  test('every site gives one result, with all its pages', async () => {
    const sites = await loopbackSites();
    const numbers = Array.from({ length: sized({ fast: 20, full: 60 }) }, (_, number) => number);
    const found = new Map<string, readonly string[]>();
    for await (const result of crawlSites(numbers.map(sites.homepage), { ...QUICK, sitesAtOnce: 8 })) {
      expect(found.has(result.site)).toBe(false);
      found.set(result.site, await urlsOf(result));
      expect(result.outcome).toBe(found.get(result.site)!.length === 0 ? 'none' : 'complete');
    }
    expect(found).toEqual(new Map(numbers.map((number) => [sites.homepage(number), sites.pages(number)])));
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

  test('maxPages holds for each site', async () => {
    const sites = await loopbackSites();
    for await (const site of crawlSites([3, 53].map(sites.homepage), { ...QUICK, maxPages: 100 }))
      expect(await urlsOf(site)).toHaveLength(100);
  });

  test('a document that is declared twice is read once', async () => {
    const { origin } = await siteOf((at) => ({
      '/robots.txt': robots(`${at}/a.xml`, `${at}/a.xml`, `${at}/b.xml`),
      '/a.xml': urlset('https://x.example/1'),
      '/b.xml': urlset('https://x.example/2'),
    }));
    for await (const site of crawlSites([origin], QUICK)) {
      expect(await urlsOf(site)).toEqual(['https://x.example/1', 'https://x.example/2']);
      expect(site.sitemaps).toBe(2);
    }
  });

  test('options are checked before anything is fetched', () => {
    expect(() => crawlSites([], { sitesAtOnce: 0 })).toThrow(SitemapException);
    expect(() => crawlSites([], { waitMs: -1 })).toThrow('"waitMs"');
  });
});

describe('§14 politeness', () => {
  const count = sized({ fast: 60, full: 400, strong: 1_000 });
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
    const pairs = sized({ fast: 40, full: 120 });
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
