/** §3 `sample`: some pages of a site, spread over its sitemaps, and the same every time. */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import { alternatePage, sampledFrom } from '../../src/filter/alternates.ts';
import { PageChoice, takeSample } from '../../src/filter/page-choice.ts';
import { collectPages, SitemapPage, type StreamOptions, streamPages } from '../../src/index.ts';
import type { ScriptedServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { DECLARED, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';

const urls = (name: string, size: number): string[] =>
  Array.from({ length: size }, (_, at) => `https://example.org/${name}/${at}`);

/** A large sitemap that arrives late, small ones behind it, and a page that three of them list. */
async function site(): Promise<ScriptedServer> {
  let [larges, ones] = [0, 0];
  return siteOf((origin) => ({
    '/robots.txt': ['/index.xml'],
    '/index.xml': index(`${origin}/large.xml`, `${origin}/small.xml`, `${origin}/one.xml`),
    '/large.xml': async () => {
      larges++;
      while (ones < larges) await setTimeout(5);
      return urlset(...urls('large', 400), 'https://example.org/all');
    },
    '/small.xml': { redirect: '/moved.xml' },
    '/moved.xml': urlset(...urls('small', 5), 'https://example.org/all'),
    '/one.xml': () => {
      ones++;
      return urlset('https://example.org/one');
    },
  }));
}

async function streamed(server: ScriptedServer, options: StreamOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const { page } of streamPages(server.origin, options)) found.push(page.url);
  return found;
}

test('§3 sample gives N pages, one of each sitemap first, in the order of the tree, in every call', async () => {
  const server = await site();
  const options = { ...DECLARED, sample: 20 };
  const { pages, outcome, stopped } = await collectPages(server.origin, options);
  const sample = urlsOf(pages);
  expect([outcome, stopped, sample.length, new Set(sample).size]).toEqual(['complete', undefined, 20, 20]);
  const tree = await treeOf(server, DECLARED);
  const all = urlsOf(tree.allPages({ unique: true }));
  expect(sample).toEqual(all.filter((url) => sample.includes(url)));
  for (const name of ['/large/', '/small/', '/one'])
    expect(sample.filter((url) => url.includes(name))).not.toEqual([]);
  expect(urlsOf(tree.allPages({ sample: 20 }))).toEqual(sample);
  const again: string[] = [];
  for await (const page of tree.allPages({ sample: 20 })) again.push(page.url);
  expect(again).toEqual(sample);
  expect(await streamed(server, options)).toEqual(sample);
  for await (const found of crawlSites([server.origin], options)) {
    const crawled: string[] = [];
    for await (const { page } of found.pages()) crawled.push(page.url);
    expect([crawled, found.outcome]).toEqual([sample, 'complete']);
  }
  expect((await usp(['ls', server.origin, '-k', '-f', 'pages', '--sample', '20'])).lines).toEqual(sample);
  const { stdout } = await usp(['ls', server.origin, '-k', '-f', 'summary-json', '--sample', '20']);
  expect(JSON.parse(stdout).pages.count).toBe(20);
});

test('§3 a page stays in the sample as long as it is listed, and a larger sample has the smaller one', async () => {
  const server = await site();
  const sampleOf = async (sample: number): Promise<string[]> =>
    urlsOf((await collectPages(server.origin, { ...DECLARED, sample })).pages);
  const before = await sampleOf(20);
  expect(await sampleOf(30)).toEqual(expect.arrayContaining(before));
  const lost = before.find((url) => url.includes('/small/'))!;
  server.site['/small.xml'] = urlset(...urls('small', 5).filter((url) => url !== lost));
  const after = await sampleOf(20);
  expect(before.filter((url) => !after.includes(url))).toEqual([lost]);
  expect(await sampleOf(1000)).toHaveLength(406);
});

test('§3 a sample is chosen after all filters', async () => {
  const server = await site();
  const options = { ...DECLARED, include: ['/small/', '/one'], exclude: '/small/0', sample: 3 };
  const sample = urlsOf((await collectPages(server.origin, options)).pages);
  expect(sample).toHaveLength(3);
  expect(sample.every((url) => /\/small\/[1-4]$|\/one$/.test(url))).toBe(true);
  expect(await streamed(server, options)).toEqual(sample);
  const flags = ['--include', '/small/', '--include', '/one', '--exclude', '/small/0', '--sample', '3'];
  expect((await usp(['ls', server.origin, '-k', '-f', 'pages', '--unique', ...flags])).lines).toEqual(sample);
});

test('§8 §10 sample with maxPages, and what is not a number of pages, are refused', async () => {
  const HOMEPAGE = 'https://example.org/';
  expect(() => streamPages(HOMEPAGE, { sample: 2, maxPages: 3 })).toThrow(
    'The option "sample" cannot be combined with "maxPages".',
  );
  expect(() => streamPages(HOMEPAGE, { sample: 0 })).toThrow('"sample" must be a whole number, 1 or more');
  const both = await usp(['ls', HOMEPAGE, '--sample', '2', '--max-pages', '3']);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('cannot be combined')]);
  const wrong = await usp(['ls', HOMEPAGE, '--sample', 'some']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--sample')]);
});

type Listed = readonly [sitemap: string, url: string];

const listed = (sitemap: string, many: readonly string[]): Listed[] => many.map((url) => [sitemap, url]);
const again = (times: number, url: string): string[] => Array<string>(times).fill(url);
const digestOf = (url: string): string => createHash('sha256').update(url).digest('hex');
const byDigest = (a: string, b: string): number => (digestOf(a) < digestOf(b) ? -1 : 1);

/** The smallest page of each sitemap, then the smallest of all, as the specification has it. */
function expectedSample(entries: readonly Listed[], size: number): string[] {
  const names = [...new Set(entries.map(([sitemap]) => sitemap))];
  const pagesOf = (name: string): string[] =>
    entries.filter(([sitemap]) => sitemap === name).map(([, url]) => url);
  const firsts = names.map((name) => pagesOf(name).sort(byDigest)[0]!);
  const all = entries.map(([, url]) => url).sort(byDigest);
  return [...new Set([...firsts.sort(byDigest), ...all])].slice(0, size);
}

const [SMALLEST = '', ...OTHERS] = urls('p', 300).sort(byDigest);

test.each<[string, number, readonly Listed[]]>([
  ['fewer pages than are wanted', 20, listed('a', urls('p', 7))],
  ['many pages', 3, listed('a', urls('p', 300))],
  ['many pages, the smallest first', 3, listed('a', [SMALLEST, ...OTHERS])],
  ['a page that is listed often, then others', 3, listed('a', [...again(250, SMALLEST), ...OTHERS])],
  ['others, then a page that is listed often', 3, listed('a', [...OTHERS, ...again(250, SMALLEST)])],
  ['as many sitemaps as pages', 2, [...listed('a', OTHERS.slice(0, 9)), ...listed('b', OTHERS.slice(9, 30))]],
  ['one page', 1, [...listed('a', OTHERS), ...listed('b', [SMALLEST])]],
  ['exactly as many pages as are wanted', 7, listed('a', urls('p', 7))],
  [
    'a smallest page that two sitemaps list',
    3,
    [...listed('a', [SMALLEST, ...OTHERS]), ...listed('b', [SMALLEST])],
  ],
  ['more sitemaps than pages', 3, OTHERS.slice(0, 150).flatMap((url) => listed(url, [url]))],
  ['just before and after the others are dropped', 2, listed('a', OTHERS.slice(0, 105))],
  [
    'one of each sitemap, though others are smaller',
    4,
    [...listed('a', OTHERS), ...listed('b', [OTHERS[250]!])],
  ],
])('§3 a sample is the same in any order of the pages: %s', (_name, size, entries) => {
  for (const ordered of [entries, entries.toReversed()]) {
    const choice = new PageChoice<string>(size);
    for (const [sitemap, url] of ordered) choice.note(sitemap, url, () => url);
    expect(choice.pages).toEqual(expectedSample(entries, size));
    expect([...choice.keys]).toEqual(choice.pages);
  }
});

test('§3 a page of a sample comes once, and alternates are sampled as those of one sitemap', () => {
  const [one = '', two = '', three = ''] = urls('p', 3);
  expect(takeSample([one, two, one, three, two], new Set([one, two]), (url) => url)).toEqual([one, two]);
  const [first, second] = [alternatePage(one), alternatePage(two)];
  expect(sampledFrom(first, 'a.xml')).toBe(sampledFrom(second, 'b.xml'));
  expect(sampledFrom(new SitemapPage({ url: one }), 'a.xml')).toBe('a.xml');
});

test('§3 only pages that may be in a sample are made, and one chosen earlier gives way to a smaller one', () => {
  const choice = new PageChoice<string>(1);
  const made: string[] = [];
  const note = (sitemap: string, url: string): void =>
    choice.note(sitemap, url, () => {
      made.push(url);
      return `${sitemap} ${url}`;
    });
  expect([choice.pages, [...choice.keys]]).toEqual([[], []]);
  const [first = '', second = '', third = ''] = OTHERS;
  note('a', second);
  expect(choice.pages).toEqual([`a ${second}`]);
  note('a', third);
  note('b', first);
  expect(choice.pages).toEqual([`b ${first}`]);
  note('a', SMALLEST);
  expect([choice.pages, [...choice.keys]]).toEqual([[`a ${SMALLEST}`], [SMALLEST]]);
  expect(made).toEqual([second, first, SMALLEST]);
});

test('§3 URLs that are the same request are one page of a sample', () => {
  const keys = new Set(['https://example.org/a']);
  const items = ['HTTPS://EXAMPLE.org/a#b', 'https://example.org/a', 'https://example.org/b'];
  expect(takeSample(items, keys, (url) => url)).toEqual([items[0]]);
  expect(keys.size).toBe(0);
});

test.each([['one sitemap'], ['another sitemap']])(
  '§3 a page comes as it was listed first, though %s lists it again',
  (again) => {
    const choice = new PageChoice<string>(5);
    for (const [sitemap, page] of [
      ['one sitemap', 'first'],
      [again, 'second'],
    ] as const)
      choice.note(sitemap, 'https://example.org/', () => page);
    expect(choice.pages).toEqual(['first']);
  },
);
