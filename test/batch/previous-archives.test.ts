/** §14.2: an archive of the earlier crawl that cannot be used is a problem of its site, and of no other. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CrawlFolder } from '../../src/batch/crawl-folder.ts';
import { recordPlace } from '../support/archives.ts';
import { build } from '../support/cli-binary.ts';
import { crawlHere, listOf, QUICK_CRAWL } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { isFull, sized } from '../support/tier.ts';

beforeAll(build, 120_000);

const ARCHIVES = [...QUICK_CRAWL, '--processes', '1', '--archives'];

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

test('a site with a damaged archive is read in full, and its line and stderr say why', async () => {
  const sites = await loopbackSites();
  const [before, after] = [crawlPath(), crawlPath()];
  // The last but one site keeps its archive; the last one, which has no sitemap, never had one.
  const numbers = [...DAMAGES.keys(), 8, 7];
  const list = listOf(sites, before, numbers);
  await crawlHere(['crawl', list, '-o', before, ...ARCHIVES]);
  const archiveOf = (number: number): string => CrawlFolder.archiveOf(sites.homepage(number));
  for (const [number, [, damage]] of DAMAGES.entries()) damage(join(before, archiveOf(number)));
  const { code, stderr } = await crawlHere(['crawl', list, '-o', after, ...ARCHIVES, '--previous', before]);
  const lines = linesOf(after);
  const problemOf = (number: number): string | undefined =>
    lines.find(({ site }) => site === sites.homepage(number))?.previousProblem;
  for (const [number, [why]] of DAMAGES.entries()) {
    const problem = `${join(before, archiveOf(number))} was not used, so all was fetched: ${why}.`;
    expect(problemOf(number)).toBe(problem);
    expect(stderr.split('\n').filter((line) => line.includes(problem))).toEqual([
      expect.stringContaining(sites.homepage(number)),
    ]);
  }
  expect([code, problemOf(8), problemOf(7)]).toEqual([0, undefined, undefined]);
  // robots.txt, an index and two sitemaps of the site with a good archive.
  expect(sites.unchanged).toBe(4);
  expect(pagesBySite(after)).toEqual(pagesBySite(before));
  expect(new Set(lines.map(({ outcome }) => outcome))).toEqual(new Set(['complete', 'none']));
});

test('--previous names a folder without a crawl, and one without archives', async () => {
  const sites = await loopbackSites();
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
  const [before, after] = [crawlPath(), crawlPath()];
  const places: number[] = [];
  let archive = '';
  let requests = 0;
  const sites = await loopbackSites({
    onRequest: (number, path) => {
      if (number !== 3 || path !== '/b.xml' || archive === '') return;
      requests++;
      const place = places.shift();
      if (place !== undefined) truncateSync(archive, place + 100);
    },
  });
  const list = listOf(sites, before, [1, 3, 5]);
  await crawlHere(['crawl', list, '-o', before, ...ARCHIVES]);
  archive = join(before, CrawlFolder.archiveOf(sites.homepage(3)));
  places.push(...names.map((name) => recordPlace(archive, `${sites.homepage(3)}${name}`)));
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
  expect(pagesBySite(after)).toEqual(pagesBySite(before));
  expect(linesOf(after).map(({ outcome }) => outcome)).toEqual(['complete', 'complete', 'complete']);
  expect(readdirSync(join(after, '.tmp')).filter((name) => name.startsWith('w-'))).toEqual([]);
  return { stderr, requests };
}

const KEPT = [
  ['with archives', ['--archives']],
  ['without archives', []],
] as const;

describe.each(KEPT.slice(0, sized({ fast: 1, full: 2 })))(
  'an archive that is cut while its site is crawled, %s',
  (_, flags) => {
    // The test below begins with this.
    test.runIf(isFull)(
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
      expect(stderr).toMatch(/was not used, so all was fetched: .*\/a\.xml \(record at byte/);
    });
  },
);
