/** §11.3: diffPages on trees that were really crawled from a server that changes, fails and recovers. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  diffPages,
  loadTree,
  type Sitemap,
  type SitemapOptions,
  saveTree,
  sitemapTreeForHomepage,
} from '../../src/index.ts';
import { type ScriptedResponse, type Site, startServer } from '../server/scripted-server.ts';
import { QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { sized } from '../support/tier.ts';
import {
  changingSite,
  type DocumentSpec,
  PERFECT,
  type RunSpec,
  runSpec,
  type SiteSpec,
  siteSpec,
} from './random-site.ts';
import { slowDiff } from './slow-diff.ts';

/** A random site on a server. */
function served(site: SiteSpec, run: RunSpec, origin: string): Site {
  const urls = (documents: readonly number[]) => documents.map((document) => `${origin}/${document}.xml`);
  const bodyOf = (document: DocumentSpec): ScriptedResponse => {
    switch (document.type) {
      case 'missing':
        return { status: 404 };
      case 'redirect':
        return { redirect: `/${document.to}.xml` };
      case 'index':
        return { body: index(...urls(document.children)) };
      case 'pages': {
        const entries = document.pages.map(
          ([page, version]) =>
            `<url><loc>${origin}/page-${page}</loc><lastmod>2024-05-0${version + 1}</lastmod></url>`,
        );
        return {
          body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`,
        };
      }
    }
  };
  const table: Site = {
    '/robots.txt': run.robotsFails
      ? { status: 503 }
      : site.robots === undefined
        ? { status: 404 }
        : robots(...urls(site.robots)),
  };
  for (const [number, document] of site.documents.entries()) {
    const response = bodyOf(document);
    const { body } = response;
    const isTruncated = run.truncated.includes(number) && typeof body === 'string';
    const shown = isTruncated ? { ...response, truncateAfter: Math.floor(body.length * 0.7) } : response;
    table[`/${number}.xml`] = run.failing.includes(number) ? { status: 503 } : shown;
  }
  return table;
}

function optionsOf(run: RunSpec, origin: string): SitemapOptions {
  const refused = new Set(run.refused.map((document) => `${origin}/${document}.xml`));
  return {
    ...QUICK,
    useRobots: run.useRobots,
    useKnownPaths: false,
    extraKnownPaths: run.useKnownPaths ? ['0.xml', '1.xml'] : [],
    maxSitemaps: run.maxSitemaps,
    ...(refused.size > 0 && { recurseListCallback: (urls) => urls.filter((url) => !refused.has(url)) }),
  };
}

/** How the runs use each other's trees. */
type Chain =
  /** Each run for itself. */
  | 'alone'
  /** Each with the tree before it as `previous`, and `staleIfError` as the run says. */
  | 'living'
  /** The same, with the tree before it saved and loaded. */
  | 'loaded';

/** The tree that a run has as its previous one. */
async function previousOf(
  tree: Sitemap | undefined,
  chain: Chain,
  open: Sitemap[],
): Promise<Sitemap | undefined> {
  if (tree === undefined || chain === 'alone') return undefined;
  if (chain === 'living') return tree;
  const path = `${folder()}/previous.warc`;
  await saveTree(tree, path);
  const loaded = await loadTree(path);
  open.push(loaded);
  return loaded;
}

/** Crawls a site several times, and hands the trees to a check. */
async function withCrawls(
  sites: readonly SiteSpec[],
  runs: readonly RunSpec[],
  chain: Chain,
  check: (before: Sitemap, after: Sitemap) => Promise<void>,
): Promise<void> {
  const server = await startServer({});
  const trees: Sitemap[] = [];
  const open: Sitemap[] = [];
  try {
    for (const [number, run] of runs.entries()) {
      for (const path of Object.keys(server.site)) delete server.site[path];
      Object.assign(server.site, served(sites[number]!, run, server.origin));
      const previous = await previousOf(trees.at(-1), chain, open);
      const { staleIfError } = run;
      const again = { previous, staleIfError, goneAfter: runs.length };
      const options = { ...optionsOf(run, server.origin), ...(previous && again) };
      trees.push(await sitemapTreeForHomepage(server.origin, options));
    }
    for (const [from, before] of trees.entries()) {
      for (const after of trees.slice(from + 1)) await check(before, after);
    }
  } finally {
    for (const tree of [...trees, ...open]) tree.close();
    await server.close();
  }
}

describe('§11.3: diffPages on crawled trees', () => {
  const chains: readonly Chain[] = ['alone', 'living', 'loaded'];
  const numRuns = sized({ fast: 2, full: 4, strong: 12 });

  test.each(chains)(
    'reports exactly what the rule of settled documents says, over five runs: %s',
    async (chain) => {
      const runs = fc.array(runSpec, { minLength: 5, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(changingSite, runs, async (sites, all) => {
          await withCrawls(sites, all, chain, async (before, after) => {
            const { added, removed, changed, same, unknown } = slowDiff(before, after);
            const diff = diffPages(before, after);
            const found = { added: [] as string[], removed: [] as string[], changed: [] as string[] };
            for await (const { type, page } of diff) found[type].push(page.url);
            expect(found).toEqual({ added: found.added, removed, changed: found.changed });
            expect([found.added.sort(), found.changed.sort()]).toEqual([
              [...added].sort(),
              [...changed].sort(),
            ]);
            expect([diff.counts.same, diff.counts.unknown]).toEqual([same.length, unknown.length]);
          });
        }),
        { numRuns },
      );
    },
  );

  test.each(chains)(
    'no failure removes a page, and no recovery adds one, while the site stays the same: %s',
    async (chain) => {
      const runs = fc.array(runSpec, { minLength: 5, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(siteSpec, runs, async (site, all) => {
          await withCrawls(new Array<SiteSpec>(5).fill(site), all, chain, async (before, after) => {
            for await (const { type } of diffPages(before, after)) expect(type).toBe('changed');
          });
        }),
        { numRuns },
      );
    },
  );

  test.each(['living', 'loaded'] as const)(
    'an index or a robots.txt that responds with 404 for a while removes nothing, with staleIfError: %s',
    async (chain) => {
      const runs = fc.array(fc.tuple(runSpec, fc.boolean(), fc.uniqueArray(fc.nat(6), { maxLength: 3 })), {
        minLength: 5,
        maxLength: 5,
      });
      await fc.assert(
        fc.asyncProperty(siteSpec, runs, async (site, all) => {
          const sites = all.map(([, isRobotsGone, gone]) => ({
            robots: isRobotsGone ? undefined : site.robots,
            documents: site.documents.map(
              (document, number): DocumentSpec =>
                document.type === 'index' && gone.includes(number) ? { type: 'missing' } : document,
            ),
          }));
          // The first run sees all of the site, and no later one is asked to leave anything out: a robots.txt that
          // no run has seen before is new when it comes.
          const specs = all.map(([run], number) => ({
            ...(number === 0 ? PERFECT : run),
            staleIfError: true,
            useRobots: true,
            useKnownPaths: true,
            refused: [],
            maxSitemaps: 1000,
          }));
          await withCrawls([site, ...sites.slice(1)], specs, chain, async (before, after) => {
            for await (const { type } of diffPages(before, after)) expect(type).toBe('changed');
          });
        }),
        { numRuns },
      );
    },
  );

  test('a robots.txt that fails for a minute removes nothing, and its recovery adds nothing', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': { pages: ['/1', '/2'] },
      '/b.xml': { pages: ['/3'] },
    });
    const good = await treeOf(server);
    server.site['/robots.txt'] = { status: 503 };
    const bad = await treeOf(server);
    server.site['/robots.txt'] = ['/a.xml'];
    const again = await treeOf(server);
    const lines: string[] = [];
    for (const [before, after] of [
      [good, bad],
      [bad, again],
      [good, again],
    ] as const) {
      const diff = diffPages(before, after);
      for await (const { type, page } of diff) lines.push(`${type} ${page.url.replace(server.origin, '')}`);
      lines.push(JSON.stringify(diff.counts));
    }
    expect(lines).toEqual([
      '{"added":0,"removed":0,"changed":0,"same":0,"unknown":3}',
      '{"added":0,"removed":0,"changed":0,"same":0,"unknown":2}',
      'removed /3',
      '{"added":0,"removed":1,"changed":0,"same":2,"unknown":0}',
    ]);
  });

  test('an index says which of its children a callback refused', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/a.xml', '/b.xml', '/c.xml'],
      '*': urlset(`${origin}/1`),
    }));
    const options = { ...QUICK, useKnownPaths: false };
    const one = await treeOf(server, { ...options, recurseCallback: (url) => !url.endsWith('b.xml') });
    expect(one.subSitemaps[0]?.filteredUrls).toEqual([`${server.origin}/b.xml`]);
    const list = await treeOf(server, { ...options, recurseListCallback: (urls) => urls.slice(0, 1) });
    expect(list.subSitemaps[0]?.filteredUrls).toEqual([`${server.origin}/b.xml`, `${server.origin}/c.xml`]);
    const all = await treeOf(server, options);
    expect(all.subSitemaps[0]?.filteredUrls).toEqual([]);
  });
});
