/**
 * docs/many-sites-output.md has every column and every field of the files of a crawl, and its recipes for SQLite and
 * DuckDB work.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTable } from '../../src/batch/output/parts.ts';
import { codeBlocksOf, docPage, pageWrittenBy, tableRows } from '../support/docs-pages.ts';
import { onPath } from '../support/on-path.ts';
import { fixtureRows, siteRows } from '../support/part-rows.ts';
import { describeWith, temporaryFolder } from '../support/real-servers.ts';

const NAME = 'many-sites-output.md';
const PAGE = docPage(NAME);

test('the tables of columns are current (node scripts/part-columns.js --write)', async () => {
  expect(PAGE).toBe(await pageWrittenBy('part-columns.js'));
});

test('every column says what it means', () => {
  const columns = PAGE.split(/<!-- (?:begin|end): .*-->/).filter((_text, at) => at % 2 === 1);
  const rows = columns.flatMap((text) => tableRows(text)).filter(([name = '']) => name.startsWith('`'));
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter(([, , meaning = '']) => meaning.length < 4)).toEqual([]);
});

describe('every field has a row:', () => {
  test.each([
    ['sites.ndjson', 'journal.ts', 'SiteLine', '## Sites'],
    ['crawl.json', 'crawl-folder.ts', 'CrawlDescription', '## The crawl'],
  ])('%s', (_file, source, type, heading) => {
    const code = readFileSync(join(import.meta.dirname, '../../src/batch', source), 'utf8');
    const body = code.split(`export interface ${type} {`)[1]?.split('\n}')[0] ?? '';
    const fields = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name);
    const section = PAGE.split(heading)[1]?.split('\n## ')[0] ?? '';
    const rows = tableRows(section)
      .slice(1)
      .flatMap(([cell = '']) => cell.replaceAll('`', '').split(', '));
    expect(fields.length).toBeGreaterThan(5);
    expect(rows.filter((row) => !/^-+$/.test(row)).sort()).toEqual([...fields].sort());
  });
});

interface DuckDb {
  readonly DuckDBInstance: {
    create(): Promise<{ connect(): Promise<{ runAndReadAll(sql: string): Promise<DuckDbResult> }> }>;
  };
}

interface DuckDbResult {
  getRowObjectsJson(): readonly Readonly<Record<string, unknown>>[];
}

/** Runs a statement of SQL in a folder, and gives its rows. */
type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** DuckDB as a command or as a package, which has 70 MB and is not installed with ours; the sentence where it is neither. */
async function duckDb(folder: string): Promise<Query | string> {
  const command = onPath('duckdb');
  if (command !== undefined)
    return async (sql) =>
      JSON.parse(execFileSync(command, ['-json', '-c', sql], { cwd: folder, encoding: 'utf8' }) || '[]');
  const from = process.env['USP_DUCKDB'] ?? import.meta.dirname;
  try {
    const { DuckDBInstance }: DuckDb = createRequire(join(from, 'x.js'))('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create()).connect();
    return async (sql) =>
      (await connection.runAndReadAll(sql.replaceAll('DIR/', `${folder}/DIR/`))).getRowObjectsJson();
  } catch {
    return 'there is no duckdb on the PATH, and USP_DUCKDB names no folder with @duckdb/node-api (70 MB)';
  }
}

test('the recipe for DuckDB reads stories, images and outcomes', async ({ skip }) => {
  const folder = temporaryFolder();
  const query = await duckDb(folder);
  if (typeof query === 'string') return skip(query);
  mkdirSync(join(folder, 'DIR/pages'), { recursive: true });
  const rows = fixtureRows();
  const part = await createTable(join(folder, 'DIR/pages/part-1.parquet'), 'parquet');
  await part.write(siteRows('https://1.example/', rows));
  await part.finish();
  const lines = [{ outcome: 'complete' }, { outcome: 'failed', code: 'refused' }, { outcome: 'complete' }];
  writeFileSync(join(folder, 'DIR/sites.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

  const [recipe] = codeBlocksOf({ name: NAME, text: PAGE.split('### DuckDB')[1] ?? '' });
  const [stories = '', images = '', outcomes = '', ...rest] = recipe?.code.split(/;\n/) ?? [];
  expect(rest.join('').trim()).toBe('');
  // The stories of the fixtures are old.
  const [now, then] = ['now() - INTERVAL 1 DAY', "TIMESTAMPTZ '1970-01-01'"];
  expect(stories).toContain(now);
  expect(await query(stories)).toEqual([]);
  const dated = rows.filter(({ page }) => page.newsStory?.publishDate !== undefined);
  const told = await query(stories.replace(now, then));
  expect(told.map(({ url, title }) => ({ url, title }))).toEqual(
    dated.map(({ page }) => ({ url: page.url, title: page.newsStory?.title ?? null })),
  );
  expect((await query(images)).map(({ url, loc }) => `${url} ${loc}`)).toEqual(
    rows.flatMap(({ page }) => page.images.map(({ loc }) => `${page.url} ${loc}`)),
  );
  expect((await query(outcomes)).map(({ outcome, code, sites }) => [outcome, code, Number(sites)])).toEqual([
    ['complete', null, 2],
    ['failed', 'refused', 1],
  ]);
});

describeWith('sqlite3', 'the recipe for SQLite', () => {
  test('reads all parts, and each row once if it is run again', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'DIR/pages'), { recursive: true });
    const rows = fixtureRows();
    for (const at of [1, 2]) {
      const part = await createTable(join(folder, `DIR/pages/part-${at}.csv.gz`), 'csv');
      await part.write(siteRows(`https://${at}.example/`, rows));
      await part.finish();
    }
    const section = { name: NAME, text: PAGE.split('### SQLite')[1] ?? '' };
    const [recipe] = codeBlocksOf(section);
    const shell = (line: string): string =>
      execFileSync('sh', ['-ec', line], { cwd: folder, encoding: 'utf8' });
    shell(recipe?.code ?? '');
    const said = shell(recipe?.code ?? '');
    const titles = rows.filter(({ page }) => page.newsStory?.title !== undefined);
    expect(said.split('\n').length).toBeGreaterThan(Math.min(20, titles.length));
    expect(shell("sqlite3 crawl.db 'SELECT site, count(*) FROM pages GROUP BY site'")).toBe(
      `https://1.example/|${rows.length}\nhttps://2.example/|${rows.length}\n`,
    );
  });
});
