/** Specification §14: the files of pages. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parquetMetadata } from 'hyparquet';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { GROUP_BYTES, GROUP_ROWS } from '../../../src/batch/output/parquet-table.ts';
import {
  createTable,
  dropSites,
  type PageRow,
  readTable,
  withoutSites,
} from '../../../src/batch/output/parts.ts';
import { TABLE_FORMATS, type TableFormat } from '../../../src/batch/output/table-file.ts';
import { SitemapNewsStory, SitemapPage } from '../../../src/index.ts';
import { testIf } from '../../support/collected.ts';
import { urlset } from '../../support/documents.ts';
import { folderUntil, openFiles } from '../../support/folder.ts';
import { fixtureRows, plainRow, readPart, rowsOf, siteRows, tableOf } from '../../support/part-rows.ts';
import { canMount, IS_LINUX } from '../../support/platform.ts';
import { expectNoRejections } from '../../support/rejections.ts';
import { isFull, sized } from '../../support/tier.ts';

const folder = folderUntil(afterAll);

let made = 0;
const newPath = (): string => join(folder, `part-${made++}`);

type Sites = Readonly<Record<string, readonly PageRow[]>>;

async function written(format: TableFormat, sites: Sites): Promise<string> {
  const path = newPath();
  const part = await createTable(path, format);
  for (const [site, rows] of Object.entries(sites)) await part.write(siteRows(site, rows));
  await part.finish();
  expect(part.rows).toBe(Object.values(sites).flat().length);
  return path;
}

/** A row as JSON has it. */
function expected(site: string, { sitemap, page }: PageRow): unknown {
  const { lastModifiedText, declaredPriority: priority } = page;
  return JSON.parse(JSON.stringify({ site, sitemap, ...page.toJSON(), lastModifiedText, priority }));
}

const ROWS = fixtureRows();
/** Rows that cannot be compressed to less than a half. */
const randomRows = (count: number): readonly PageRow[] =>
  rowsOf(
    urlset(
      ...Array.from({ length: count }, (_, at) => {
        const digest = createHash('sha256').update(String(at)).digest('hex');
        return `https://example.org/${digest}`;
      }),
    ),
    'https://example.org/sitemap.xml',
  );
const manyRows = (count: number, name: string): readonly PageRow[] =>
  rowsOf(
    urlset(...Array.from({ length: count }, (_, at) => `https://example.org/${name}/${at}`)),
    'https://example.org/sitemap.xml',
  );

describe('a part has every page with all that its document says', () => {
  test.each(['parquet', 'ndjson'] as const)('%s', async (format) => {
    const path = await written(format, {
      'https://a.example/': ROWS,
      'https://b.example/': ROWS.slice(0, 3),
    });
    const rows = readPart(path, format);
    expect(rows).toHaveLength(ROWS.length + 3);
    expect(rows).toEqual([
      ...ROWS.map((row) => expected('https://a.example/', row)),
      ...ROWS.slice(0, 3).map((row) => expected('https://b.example/', row)),
    ]);
  });

  test('csv: structs and lists are JSON, absent values are empty, formulas are defused', async () => {
    const [row, formula] = rowsOf(
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
        <url><loc>https://example.org/a,b</loc><lastmod>2024-05-06</lastmod>
          <xhtml:link rel="alternate" hreflang="de" href="https://example.org/de"/></url>
        <url><loc>https://example.org/c</loc><lastmod>=1+2</lastmod></url></urlset>`,
      'https://example.org/s.xml',
    );
    const path = await written('csv', { 'https://example.org/': [row, formula] as PageRow[] });
    expect(readPart(path, 'csv')).toEqual([
      'site,sitemap,url,lastModified,lastModifiedText,priority,changeFrequency,newsStory,images,videos,alternates,stale,allowed,rule,ruleLine',
      'https://example.org/,https://example.org/s.xml,"https://example.org/a,b",2024-05-06T00:00:00.000Z,2024-05-06,,,,,,' +
        '"[{""hreflang"":""de"",""href"":""https://example.org/de""}]",,,,',
      "https://example.org/,https://example.org/s.xml,https://example.org/c,,'=1+2,,,,,,,,,,",
    ]);
  });

  test.each(TABLE_FORMATS)(
    '%s: characters of several bytes are read back, wherever a piece ends',
    async (format) => {
      const site = 'https://a.example/';
      const titles = Array.from({ length: 1_000 }, (_, at) => `${'x'.repeat(at % 3)}${'日本語'.repeat(30)}`);
      const path = await written(format, { [site]: titles.map(pageWithTitle) });
      const found: string[] = [];
      for await (const rows of readTable(path, format)) found.push(...rows.map((row) => JSON.stringify(row)));
      expect(found).toHaveLength(titles.length);
      for (const [at, text] of found.entries()) expect(text).toContain(titles[at]);
      expect(found.filter((text) => text.includes('\ufffd'))).toEqual([]);
    },
  );

  test.each(TABLE_FORMATS)('%s: a part without rows can be read', async (format) => {
    const path = await written(format, {});
    expect(readPart(path, format)).toHaveLength(format === 'csv' ? 1 : 0);
  });
});

function pageWithTitle(title: string): PageRow {
  return {
    sitemap: 'https://example.org/s.xml',
    page: new SitemapPage({ url: 'https://example.org/', newsStory: new SitemapNewsStory({ title }) }),
    stale: false,
  };
}

describe('Parquet', () => {
  test('columns have real types', async () => {
    const { schema } = tableOf(await written('parquet', { 'https://a.example/': ROWS }));
    const types = schema.fields.map(
      ({ name, type, nullable }) => `${name} ${type}${nullable ? '' : ' not null'}`,
    );
    expect(types.slice(0, 7)).toEqual([
      'site Utf8 not null',
      'sitemap Utf8 not null',
      'url Utf8 not null',
      'lastModified Timestamp<MILLISECOND, UTC>',
      'lastModifiedText Utf8',
      'priority Float64',
      'changeFrequency Utf8',
    ]);
    expect(types[7]).toMatch(
      /^newsStory Struct<\{title:Utf8, publishDate:Timestamp<MILLISECOND, UTC>, .*keywords:List<Utf8>/,
    );
    expect(types[8]).toBe(
      'images List<Struct<{loc:Utf8, caption:Utf8, geoLocation:Utf8, title:Utf8, license:Utf8}>>',
    );
    expect(types[9]).toMatch(/^videos List<Struct<.*duration:Float64.*live:Bool/);
    expect(types[10]).toBe('alternates List<Struct<{hreflang:Utf8, href:Utf8}>>');
  });

  test('a row group has at most 10,000 rows', async () => {
    const full = sized({ fast: 1, full: 2 });
    const rows = manyRows(full * GROUP_ROWS + 1, 'a');
    const path = await written('parquet', { 'https://a.example/': rows });
    const expectedRows = [...Array.from({ length: full }, () => GROUP_ROWS), 1];
    expect(groupsOf(path).map(({ num_rows }) => Number(num_rows))).toEqual(expectedRows);
    expect(tableOf(path).numRows).toBe(full * GROUP_ROWS + 1);
  });

  test('a column that has no value in some row groups keeps those of the others', async () => {
    const plain = manyRows(GROUP_ROWS, 'a');
    const path = await written('parquet', {
      'https://a.example/': plain,
      'https://b.example/': [...ROWS, ...manyRows(GROUP_ROWS - ROWS.length, 'b')],
      'https://c.example/': [...plain, ...ROWS],
    });
    const table = tableOf(path);
    expect(table.numRows).toBe(3 * GROUP_ROWS + ROWS.length);
    for (const [site, start, rows] of [
      ['https://a.example/', 0, plain.slice(0, 10)],
      ['https://b.example/', GROUP_ROWS, ROWS],
      ['https://c.example/', 2 * GROUP_ROWS, plain.slice(0, 10)],
      ['https://c.example/', 3 * GROUP_ROWS, ROWS],
    ] as const)
      expect(rows.map((_, at) => plainRow(table.get(start + at)))).toEqual(
        rows.map((row) => expected(site, row)),
      );
    // No other row has a value. To read all of them as rows takes a second.
    const rich = ROWS.map((row) => expected('https://b.example/', row) as object);
    for (const { name } of table.schema.fields.filter(({ nullable }) => nullable)) {
      const having = rich.filter((row) => Object.hasOwn(row, name)).length;
      expect([name, table.numRows - table.getChild(name)!.nullCount]).toEqual([name, 2 * having]);
    }
    const places = groupsOf(path).map(({ columns }) =>
      columns.map(({ meta_data }) => meta_data?.path_in_schema.join('.')),
    );
    for (const columns of places) expect(columns).toEqual(places[0]);
  });

  test('a row group has at most 8 MiB of values', async () => {
    const title = 'x'.repeat(100_000);
    const count = sized({ fast: 100, full: 200 });
    const rows = Array.from({ length: count }, (_, at) => pageWithTitle(`${at} ${title}`));
    const path = await written('parquet', { 'https://a.example/': rows });
    const groups = groupsOf(path).map(({ num_rows }) => Number(num_rows));
    expect(groups.length).toBeGreaterThan(1);
    expect(Math.max(...groups)).toBeLessThanOrEqual(GROUP_BYTES / title.length);
    expect(tableOf(path).numRows).toBe(count);
  });

  test('the statistics of a column hold for the order that readers use', async () => {
    const urls = ['https://example.org/\u{1f600}', 'https://example.org/\uff5e', 'https://example.org/a'];
    const path = await written('parquet', {
      'https://a.example/': rowsOf(urlset(...urls), 'https://example.org/s.xml'),
    });
    const columns = groupsOf(path)[0]?.columns ?? [];
    const statistics = (name: string) =>
      columns.find(({ meta_data: column }) => column?.path_in_schema.join('.') === name)?.meta_data
        ?.statistics;
    // In UTF-16 the full-width tilde comes after the emoji, in UTF-8 before it.
    expect(statistics('url')?.max_value).toBeUndefined();
    expect(statistics('site')).toMatchObject({ min_value: 'https://a.exampl', null_count: 0n });
    expect(statistics('lastModified')).toMatchObject({ null_count: 3n });
  });

  test.each([
    [['a', 'z', 'é'], 'a', 'é'],
    [['a', '\u{1f600}'], undefined, undefined],
    [['a', '\uff5e', '\u{1f600}'], undefined, undefined],
  ])('the statistics of the titles %j are %s and %s', async (titles, smallest, largest) => {
    const path = await written('parquet', { 'https://a.example/': titles.map(pageWithTitle) });
    const column = groupsOf(path)[0]?.columns.find(
      ({ meta_data: each }) => each?.path_in_schema.join('.') === 'newsStory.title',
    );
    const { min_value, max_value } = column?.meta_data?.statistics ?? {};
    expect([min_value, max_value]).toEqual([smallest, largest]);
  });

  test('every column has the order of its type, without which readers ignore statistics', async () => {
    const path = await written('parquet', { 'https://a.example/': ROWS });
    const file = readFileSync(path);
    const length = file.readUInt32LE(file.length - 8);
    const view = new DataView(file.buffer, file.byteOffset + file.length - 8 - length, length);
    const { field_7: orders } = deserializeTCompactProtocol({ view, offset: 0 });
    const columns = groupsOf(path)[0]?.columns ?? [];
    expect(columns.length).toBeGreaterThan(40);
    expect(orders).toEqual(columns.map(() => ({ field_1: {} })));
  });

  test('lastModified has statistics, so that readers skip row groups', async () => {
    const [row] = rowsOf(
      '<urlset><url><loc>https://example.org/</loc><lastmod>2024-05-06</lastmod></url></urlset>',
      'https://example.org/s.xml',
    );
    const path = await written('parquet', { 'https://a.example/': [row as PageRow] });
    const column = groupsOf(path)[0]?.columns.find(
      ({ meta_data: each }) => each?.path_in_schema[0] === 'lastModified',
    );
    expect(column?.meta_data?.statistics).toMatchObject({
      min_value: new Date('2024-05-06'),
      max_value: new Date('2024-05-06'),
    });
  });
});

function groupsOf(path: string) {
  const file = readFileSync(path);
  return parquetMetadata(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength)).row_groups;
}

describe.each(TABLE_FORMATS)('%s: sites are dropped from a part', (format) => {
  const sites = {
    'https://a.example/': ROWS,
    // Enough for a row group of its own, where there are row groups.
    'https://b.example/with,comma/': manyRows(format === 'parquet' ? GROUP_ROWS : 1_000, 'b'),
    'https://a.example.org/': ROWS.slice(0, 2),
    'https://c.example/': manyRows(5, 'c'),
  };

  type Case = readonly [name: string, dropped: readonly (keyof typeof sites)[]];
  const CASES: readonly Case[] = [
    ['one in the middle', ['https://b.example/with,comma/']],
    ['all but one', ['https://a.example/', 'https://b.example/with,comma/', 'https://c.example/']],
  ];
  const MORE: readonly Case[] = [
    ['the first', ['https://a.example/']],
    [
      'all',
      ['https://a.example/', 'https://b.example/with,comma/', 'https://a.example.org/', 'https://c.example/'],
    ],
  ];
  let from = '';
  beforeAll(async () => {
    from = await written(format, sites);
  });
  test.each(format === 'parquet' && !isFull ? CASES.slice(0, 1) : [...CASES, ...MORE])(
    '%s',
    async (_name, dropped) => {
      const kept = Object.fromEntries(
        Object.entries(sites).filter(([site]) => !(dropped as readonly string[]).includes(site)),
      );
      const to = newPath();
      await dropSites({ path: from, format }, to, dropped);
      const [found, wanted] = [to, await written(format, kept)].map((path) => readPart(path, format));
      // `toEqual` takes long for ten thousand rows, so it is asked only to say what differs.
      if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted);
    },
  );
});

describe.each(TABLE_FORMATS)('%s: trouble', (format) => {
  expectNoRejections();

  test('a file that is there is not overwritten', async () => {
    const path = await written(format, { 'https://a.example/': ROWS.slice(0, 1) });
    const before = readFileSync(path);
    await expect(createTable(path, format)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(dropSites({ path, format }, path, [])).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(path)).toEqual(before);
  });

  test('a part that is discarded leaves no file; one that is finished is closed, and discarding it does nothing', async () => {
    const path = newPath();
    const part = await createTable(path, format);
    // In the full tier more than a row group, where there are row groups.
    const rows = manyRows(format === 'parquet' && isFull ? GROUP_ROWS + 5 : 1_000, 'a');
    await part.write(siteRows('https://a.example/', rows));
    await part.discard();
    await part.discard();
    expect(existsSync(path)).toBe(false);
    const finished = await createTable(path, format);
    await finished.finish();
    if (IS_LINUX) expect(openFiles(path)).toEqual([]);
    await finished.discard();
    expect(existsSync(path)).toBe(true);
  });

  test('a copy without some sites is made again where an earlier one was not finished', async () => {
    const rows = { 'https://b.example/': manyRows(5, 'b') };
    const path = await written(format, { 'https://a.example/': manyRows(5, 'a'), ...rows });
    writeFileSync(`${path}.left`, 'unfinished');
    const copy = await withoutSites(path, format, ['https://a.example/'], true);
    expect(readPart(copy ?? '', format)).toEqual(readPart(await written(format, rows), format));
    expect(existsSync(path)).toBe(false);
  });

  testIf(canMount())(
    'a copy for which the disk is too small is given up as a whole, with one error',
    async () => {
      const disk = mkdtempSync(join(folder, 'disk-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
      onTestFinished(() => void execFileSync('umount', ['-l', disk]));
      const from = await written(format, { 'https://a.example/': randomRows(4_000) });
      const copy = dropSites({ path: from, format }, join(disk, 'copy'), []);
      await expect(copy).rejects.toMatchObject({ code: 'ENOSPC' });
      expect(readdirSync(disk)).toEqual([]);
    },
  );

  test('a part that is damaged is not copied', async () => {
    const from = await written(format, { 'https://a.example/': manyRows(50, 'a') });
    const damaged = newPath();
    writeFileSync(damaged, readFileSync(from).subarray(0, -20));
    const to = newPath();
    await expect(dropSites({ path: damaged, format }, to, [])).rejects.toThrow();
    expect(existsSync(to)).toBe(false);
  });
});
