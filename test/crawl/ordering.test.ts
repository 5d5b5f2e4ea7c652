/** A tree's shape never depends on the order in which responses arrive. */
import { expect, test } from 'vitest';
import { InvalidSitemap, type SitemapOptions, sitemapTreeForHomepage, streamPages } from '../../src/index.ts';
import type { ScriptedResponse, ScriptedServer, Site } from '../server/scripted-server.ts';
import { QUICK } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { sized } from '../support/tier.ts';

const STREAMED = sized({ fast: 8, full: 24 });
const SITES = sized({ fast: 8, full: 24, strong: 200 });

/** Numbers from a seed (mulberry32): a failure is repeated by its number. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const NAMES = [
  ...Array.from({ length: 12 }, (_, at) => `/s${at}.xml`),
  '/sitemap.xml',
  '/sitemap_index.xml',
  '/sitemap-news.xml',
];

/** A site of indexes, pages, redirects and faults that refer to each other at random: cycles, sharing and all. */
function randomSite(origin: string, random: (below: number) => number): Record<string, ScriptedResponse> {
  const some = (count: number): string[] =>
    Array.from({ length: count }, () => `${origin}${NAMES[random(NAMES.length)]}`);
  const answer = (name: string): ScriptedResponse => {
    switch (random(9)) {
      case 0:
      case 1:
      case 2:
        return { body: index(...some(1 + random(3))) };
      case 3:
        return { redirect: some(1)[0]! };
      case 4:
        return { status: [404, 403, 500][random(3)]! };
      case 5:
        return { body: '<!doctype html><title>Not here</title>' };
      default:
        return { body: urlset(`https://example.org${name}`, 'https://example.org/everywhere') };
    }
  };
  const site = Object.fromEntries(NAMES.map((name) => [name, answer(name)]));
  return random(5) === 0 ? site : { ...site, '/robots.txt': { body: robots(...some(1 + random(4))) } };
}

/** Three known places are enough to be in each other's way; all of them would take a minute. */
const OPTIONS: SitemapOptions = {
  ...QUICK,
  maxDepth: 4,
  useKnownPaths: false,
  extraKnownPaths: ['sitemap.xml', 'sitemap_index.xml', 'sitemap-news.xml'],
};

const isOfKnownPath = (reason: string): boolean =>
  OPTIONS.extraKnownPaths!.some((path) => reason.includes(`/${path}`));

function delayed(site: Record<string, ScriptedResponse>, random: (below: number) => number): Site {
  return Object.fromEntries(
    Object.entries(site).map(([path, answer]) => [path, { ...answer, delayMs: random(4) * 3 }]),
  );
}

function become(server: ScriptedServer, site: Site): void {
  for (const path of Object.keys(server.site)) delete server.site[path];
  Object.assign(server.site, site);
}

test(`${SITES} seeded sites whose responses come in random order with random delays give the tree of serial fetching`, async () => {
  const server = await serving({});
  const trees = new Set<string>();
  const json = async (options: SitemapOptions): Promise<string> => {
    using tree = await sitemapTreeForHomepage(server.origin, { ...OPTIONS, ...options });
    return JSON.stringify(tree);
  };
  for (let seed = 1; seed <= SITES; seed++) {
    const random = randomFrom(seed);
    const site = randomSite(server.origin, random);
    become(server, site);
    const serial = await json({ concurrency: 1 });
    become(server, delayed(site, random));
    const mixed = await json({ concurrency: 16, perHostConcurrency: 16 });
    expect({ seed, tree: mixed }).toEqual({ seed, tree: serial });
    trees.add(serial);
  }
  // The sites were not all the same.
  expect(trees.size).toBeGreaterThan(SITES * 0.75);
});

test(`§5 and the stream has the pages of the tree, whatever the order: ${STREAMED} of them`, async () => {
  const server = await serving({});
  for (let seed = 1; seed <= STREAMED; seed++) {
    const random = randomFrom(seed);
    const site = randomSite(server.origin, random);
    become(server, delayed(site, random));
    // Filters that depend on the place are part of it.
    const options: SitemapOptions = {
      ...OPTIONS,
      ...(seed % 2 === 0 && { recurseCallback: (url, level) => level < 2 || !/[13579]\.xml$/.test(url) }),
    };
    using tree = await sitemapTreeForHomepage(server.origin, options);
    const stream = streamPages(server.origin, options);
    const streamed: string[] = [];
    for await (const { page, sitemap } of stream) streamed.push(`${sitemap.url} ${page.url}`);
    const nodes = [...tree.allSitemaps()];
    const kept = nodes.flatMap((node) => Array.from(node.pages, ({ url }) => `${node.url} ${url}`));
    const invalid = nodes.filter((node) => node instanceof InvalidSitemap);
    const names = (list: readonly InvalidSitemap[]): string[] => list.map(({ reason }) => reason);
    const inTree = names(invalid);
    // A known path that a later one lists has no place of its own in the tree; a stream has read it already.
    const inStream = names(stream.invalidSitemaps);
    for (const reason of new Set(inTree.filter(isOfKnownPath))) {
      const times = (list: readonly string[]): number => list.filter((each) => each === reason).length;
      if (times(inStream) === times(inTree) + 1) inStream.splice(inStream.indexOf(reason), 1);
    }
    expect({
      seed,
      pages: streamed.sort(),
      complete: stream.complete,
      invalid: inStream.sort(),
    }).toEqual({
      seed,
      // Each document once.
      pages: [...new Set(kept)].sort(),
      complete: tree.complete,
      invalid: inTree.sort(),
    });
  }
});
