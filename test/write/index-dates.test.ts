/** Specification §16: the dates in an index that `writeSitemaps` writes can be trusted by readers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Sitemap, sitemapFromUrl, type WebClient } from '../../src/index.ts';
import { writeSitemaps } from '../../src/write/index.ts';
import { folder } from '../support/folder.ts';
import { Chance } from '../support/random.ts';
import { sized } from '../support/tier.ts';

interface Row {
  readonly url: string;
  readonly lastModified?: string | undefined;
}

const baseUrl = 'https://example.org/';

/** Serves the files of a directory. */
function clientFor(directory: string): WebClient {
  return async (url) => new Response(readFileSync(join(directory, new URL(url).pathname)));
}

/** The date of each file in the index, by the name of the file. */
function datesIn(directory: string): ReadonlyMap<string, string> {
  const xml = readFileSync(join(directory, 'sitemap.xml'), 'utf8');
  const entries = xml.matchAll(/example\.org\/(\S+?)<\/loc>\s*<lastmod>(.*?)</g);
  return new Map(Array.from(entries, ([, name = '', date = '']) => [name, date]));
}

function rowsFrom(...days: readonly (string | undefined)[]): readonly Row[] {
  return days.map((lastModified, at) => ({ url: `${baseUrl}${at}`, lastModified }));
}

/** Writes rows, two a file, and gives the date of the first file. */
async function firstDate(directory: string, rows: readonly Row[]): Promise<string | undefined> {
  await writeSitemaps(rows, directory, { baseUrl, maxUrls: 2 });
  return datesIn(directory).get('sitemap-1.xml');
}

test('§16 the first date of a file is that of its newest page, without those in the future', async () => {
  const rows = rowsFrom('2014-05-06', '2199-01-01', '2014-05-07');
  expect(await firstDate(folder(), rows)).toBe('2014-05-06');
});

test('§16 a newer page gives its date, and the same content keeps the date', async () => {
  const directory = folder();
  await firstDate(directory, rowsFrom('2014-05-06', '2014-05-01', '2014-05-07'));
  const rows = rowsFrom('2014-05-06', '2014-06-01', '2014-05-07');
  expect(await firstDate(directory, rows)).toBe('2014-06-01');
  expect(await firstDate(directory, rows)).toBe('2014-06-01');
  // Only the second file changes.
  expect(await firstDate(directory, [...rows, ...rowsFrom('2014-07-01')])).toBe('2014-06-01');
});

test('§16 a date that is a day with a zone is compared, and does not damage the set', async () => {
  const directory = folder();
  for (const day of ['2014-05-06+02:00', '2014-05-07', '2014-05-08-09:30']) {
    const rows = rowsFrom(day, '2014-05-01', '2014-05-07');
    expect(await firstDate(directory, rows)).toBe(day);
    expect(await firstDate(directory, rows)).toBe(day);
  }
});

test.each([
  ['no newer page', rowsFrom('2014-05-06', '2014-04-01', '2014-05-07')],
  ['only older pages', rowsFrom('2013-05-06', '2013-04-01', '2014-05-07')],
  ['no date any more', rowsFrom(undefined, undefined, '2014-05-07')],
  ['a newer date that is in the future', rowsFrom('2014-05-06', '2199-01-01', '2014-05-07')],
])('§16 other content with %s gets the time of the write', async (_, changed) => {
  const directory = folder();
  await firstDate(directory, rowsFrom('2014-05-06', '2014-05-01', '2014-05-07'));
  const before = Date.now();
  const date = (await firstDate(directory, changed)) ?? '';
  expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Date.parse(date)).toBeGreaterThanOrEqual(before);
  // The same content keeps it, also where another file changes.
  expect(await firstDate(directory, changed)).toBe(date);
  expect(await firstDate(directory, [...changed, { url: `${baseUrl}x` }])).toBe(date);
});

test('§16 a file that comes back gets a later date than before', async () => {
  const directory = folder();
  const rows = rowsFrom('2014-05-06', '2014-05-01', '2014-05-07');
  await firstDate(directory, rows);
  await firstDate(directory, rows.slice(0, 1).concat({ url: `${baseUrl}x` }, rows.slice(2)));
  const manifest = join(directory, '.usp-sitemaps.json');
  expect(JSON.parse(readFileSync(manifest, 'utf8')).dates['sitemap-1.xml']).toMatch(/^\d{4}-.*Z$/);
  const second = datesIn(directory).get('sitemap-1.xml') ?? '';
  // One file only, without an index; then the set has two files again.
  await writeSitemaps(rows.slice(0, 2), directory, { baseUrl, maxUrls: 2 });
  const third = (await firstDate(directory, rows)) ?? '';
  expect(Date.parse(third)).toBeGreaterThan(Date.parse(second));
});

test('§16 other content gets a later date than before also where that is in the future', async () => {
  const directory = folder();
  await firstDate(directory, rowsFrom('2014-05-06', '2014-05-01', '2014-05-07'));
  const path = join(directory, '.usp-sitemaps.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.dates['sitemap-1.xml'] = '2199-01-01T00:00:00.000Z';
  writeFileSync(path, JSON.stringify(manifest));
  const changed = rowsFrom('2014-05-06', '2014-05-02', '2014-05-07');
  expect(await firstDate(directory, changed)).toBe('2199-01-01T00:00:00.001Z');
});

const DAYS = sized({ fast: 12, full: 40 });
test(`§16 §11 ${DAYS} days of random changes, read each day with trustLastmod, give the rows`, async () => {
  const directory = folder();
  const seed = Math.floor(Math.random() * 1e9);
  const chance = new Chance(seed);
  const day = (): string | undefined => {
    const date = `2014-0${chance.between(1, 9)}-${chance.between(10, 28)}`;
    return chance.between(0, 9) === 0 ? undefined : date;
  };
  const rows: Row[] = Array.from({ length: 40 }, (_, at) => ({
    url: `${baseUrl}p${at}`,
    lastModified: day(),
  }));
  let previous: Sitemap | undefined;
  for (let today = 0; today < DAYS; today++) {
    for (let changes = chance.between(0, 4); changes > 0; changes--) {
      const at = chance.between(0, rows.length - 1);
      const added = { url: `${baseUrl}d${today}-${changes}`, lastModified: day() };
      const what = chance.between(0, 2);
      if (what === 0) rows.splice(at, 1);
      else rows.splice(at, what === 1 ? 0 : 1, added);
    }
    const { url } = await writeSitemaps(rows, directory, { baseUrl, maxUrls: 5 });
    const options = { webClient: clientFor(directory), ...(previous && { previous, trustLastmod: true }) };
    const tree = await sitemapFromUrl(url, options);
    const pages = Array.from(tree.allPages(), (page) => `${page.url} ${page.lastModifiedText ?? ''}`);
    const wanted = rows.map(({ url: page, lastModified }) => `${page} ${lastModified ?? ''}`);
    expect(pages, `seed ${seed}, day ${today}`).toEqual(wanted);
    previous?.close();
    previous = tree;
  }
  previous?.close();
});
