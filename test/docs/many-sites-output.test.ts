/**
 * docs/many-sites-output.md has every column and every field of the files of a crawl, and its recipe for SQLite works.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTable } from '../../src/batch/output/parts.ts';
import { codeBlocksOf, docPage, pageWrittenBy, tableRows } from '../support/docs-pages.ts';
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
