/** §14.2: an archive of the earlier crawl that cannot be used is a problem of its site, and of no other. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { archiveOf } from '../../src/batch/crawl-folder.ts';
import { saveTree, sitemapFromString } from '../../src/index.ts';
import { recordPlace } from '../support/archives.ts';
import { build } from '../support/cli-binary.ts';
import { testIf } from '../support/collected.ts';
import { crawlHere, listOf, QUICK_CRAWL } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { robots, urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { type LoopbackOptions, type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { hasHeavy, isFull, sized } from '../support/tier.ts';

beforeAll(build);

const ARCHIVES = [...QUICK_CRAWL, '--processes', '1', '--archives'];

/** The sites, and the folder of a crawl of them with archives, of which each test has a copy. */
let sites: LoopbackSites;
let crawled: string;
/** What a test does at requests. */
let onRequest: LoopbackOptions['onRequest'];

const ends: (() => void | Promise<void>)[] = [];
beforeAll(async () => {
  const onEnd = (end: () => void | Promise<void>): void => void ends.push(end);
  sites = await loopbackSites({ onEnd, onRequest: (...request) => onRequest?.(...request) });
  crawled = crawlPath(onEnd);
  // A site that keeps its archive in all tests, and one that has no sitemap and so never had one.
  const numbers = [...DAMAGES.keys(), KEEPS, HAS_NONE];
  expect((await crawlHere(['crawl', listOf(sites, crawled, numbers), '-o', crawled, ...ARCHIVES])).code).toBe(
    0,
  );
});
afterAll(async () => {
  for (const end of ends) await end();
});

const [KEEPS, HAS_NONE] = [8, 7];

/** A copy of the folder of the crawl. */
function earlierCrawl(): string {
  const path = crawlPath();
  cpSync(crawled, path, { recursive: true });
  return path;
}

const DAMAGES: readonly (readonly [why: string, damage: (path: string) => void])[] = [
  ['its end is missing', (path) => truncateSync(path, 400)],
  ['its end is missing', (path) => truncateSync(path, readFileSync(path).length - 1)],
  ['it is empty', (path) => truncateSync(path, 0)],
  ['it is not a WARC file', (path) => writeFileSync(path, 'this is not gzip')],
  [
    'it is a folder',
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
];

test('a private address that only the earlier archive declares is not requested', async () => {
  const inside = await serving({ '/secret.xml': urlset('https://one.example/secret') });
  const home = await serving({ '/own.xml': urlset('https://one.example/own') });
  home.site['/robots.txt'] = robots(`${inside.origin}/secret.xml`, `${home.origin}/own.xml`);
  const crawl = async (...flags: readonly string[]): Promise<string> => {
    const path = crawlPath();
    const own = ['-f', 'ndjson', '--no-known', '--retries', '0', '--processes', '1', '--archives'];
    await crawlHere(['crawl', '-', '-o', path, ...own, ...flags], { stdin: home.origin });
    return path;
  };
  const before = await crawl('--allow-private');
  expect(pagesBySite(before).get(`${home.origin}/`)).toHaveLength(2);
  // Now nothing but the archive names it.
  home.site['/robots.txt'] = { hangUp: true };
  const requests = inside.requests.length;
  const after = await crawl('--previous', before);
  expect(inside.requests.length).toBe(requests);
  expect(home.paths()).toContain('/own.xml');
  expect(linesOf(after)).toMatchObject([{ site: `${home.origin}/`, outcome: 'partial' }]);
});

test('a site with a damaged archive is read in full, and its line and stderr say why', async () => {
  const [before, after] = [earlierCrawl(), crawlPath()];
  const list = listOf(sites, after, [...DAMAGES.keys(), KEEPS, HAS_NONE]);
  const unchanged = sites.unchanged;
  const archive = (number: number): string => archiveOf(sites.homepage(number));
  for (const [number, [, damage]] of DAMAGES.entries()) damage(join(before, archive(number)));
  const { code, stderr } = await crawlHere(['crawl', list, '-o', after, ...ARCHIVES, '--previous', before]);
  const lines = linesOf(after);
  const problemOf = (number: number): string | undefined =>
    lines.find(({ site }) => site === sites.homepage(number))?.previousProblem;
  for (const [number, [why]] of DAMAGES.entries()) {
    const problem = `${archive(number)} of the earlier crawl was not used, so everything was fetched: ${why}.`;
    expect(problemOf(number)).toBe(problem);
    expect(stderr.split('\n').filter((line) => line.includes(problem))).toEqual([
      expect.stringContaining(sites.homepage(number)),
    ]);
  }
  expect([code, problemOf(KEEPS), problemOf(HAS_NONE)]).toEqual([0, undefined, undefined]);
  // robots.txt, an index and two sitemaps of the site with a good archive.
  expect(sites.unchanged - unchanged).toBe(4);
  expect(pagesBySite(after)).toEqual(pagesBySite(before));
  expect(new Set(lines.map(({ outcome }) => outcome))).toEqual(new Set(['complete', 'none']));
});

testIf(hasHeavy)('an archive of more sitemaps than a file from others may have is used', async () => {
  const [before, after] = [earlierCrawl(), crawlPath()];
  const numbers = Array.from({ length: 50_001 }, (_, number) => number);
  const index = `<sitemapindex>${numbers.map((number) => `<sitemap><loc>https://a.example/${number}</loc></sitemap>`).join('')}</sitemapindex>`;
  const tree = await sitemapFromString(index, { maxSitemaps: 60_000 });
  await saveTree(tree, join(before, archiveOf(sites.homepage(KEEPS))));
  tree.close();
  const list = listOf(sites, after, [KEEPS]);
  const { code, stderr } = await crawlHere(['crawl', list, '-o', after, ...ARCHIVES, '--previous', before]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('was not used')]);
});

test('--previous names a folder without a crawl, and one without archives', async () => {
  const [before, after] = [crawlPath(), crawlPath()];
  const list = listOf(sites, before, [1]);
  const argv = ['crawl', list, '-o', after, ...QUICK_CRAWL, '--previous', before];
  const none = await crawlHere(argv);
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining(`There is no crawl in ${before}.\nhint: give --previous the folder of`),
  ]);
  await crawlHere(['crawl', list, '-o', before, ...QUICK_CRAWL, '--processes', '1']);
  const without = await crawlHere(argv);
  expect([without.code, without.stderr]).toEqual([
    2,
    expect.stringContaining(`The crawl in ${before} has no archives.`),
  ]);
  expect(existsSync(after)).toBe(false);
});

/** Crawls three sites again. The archive of one is cut at requests for its `b.xml`: each time at the next document. */
async function crawlWhileCut(
  names: readonly string[],
  flags: readonly string[],
): Promise<{ readonly stderr: string; readonly requests: number }> {
  const [before, after] = [earlierCrawl(), crawlPath()];
  const archive = join(before, archiveOf(sites.homepage(3)));
  const places = names.map((name) => recordPlace(archive, `${sites.homepage(3)}${name}`));
  let requests = 0;
  onRequest = (number, path) => {
    if (number !== 3 || path !== '/b.xml') return;
    requests++;
    const place = places.shift();
    if (place !== undefined) truncateSync(archive, place + 100);
  };
  onTestFinished(() => {
    onRequest = undefined;
  });
  const numbers = [1, 3, KEEPS];
  const list = listOf(sites, after, numbers);
  // One request after the other, so that a.xml has been found to be whole before b.xml is asked for.
  const argv = [
    'crawl',
    list,
    '-o',
    after,
    ...QUICK_CRAWL,
    '--processes',
    '1',
    '--concurrency',
    '1',
    ...flags,
  ];
  const { code, stderr } = await crawlHere([...argv, '--previous', before]);
  expect(code).toBe(0);
  expect(pagesBySite(after)).toEqual(
    new Map(numbers.map((number) => [sites.homepage(number), sites.pages(number)])),
  );
  expect(linesOf(after).map(({ outcome }) => outcome)).toEqual(['complete', 'complete', 'complete']);
  expect(readdirSync(join(after, '.tmp')).filter((name) => name.startsWith('w-'))).toEqual([]);
  return { stderr, requests };
}

const KEPT = [
  ['with archives', ['--archives']],
  ['without archives', []],
] as const;

describe.each(KEPT.slice(0, hasHeavy ? sized({ fast: 1, full: 2 }) : 0))(
  'an archive that is cut while its site is crawled, %s',
  (_, flags) => {
    // The test below begins with this.
    testIf(isFull)(
      'a document that is found to be missing when it has not changed is requested again, whole',
      async () => {
        const { stderr, requests } = await crawlWhileCut(['b.xml'], flags);
        expect(requests).toBe(2);
        expect(stderr).not.toContain('was not used');
      },
    );

    test('where one was there before and is missing now, the site is crawled again without the archive', async () => {
      const { stderr, requests } = await crawlWhileCut(['b.xml', 'a.xml'], flags);
      expect(requests).toBe(3);
      expect(stderr).toMatch(/was not used, so everything was fetched: .*\/a\.xml \(record at byte/);
    });
  },
);
