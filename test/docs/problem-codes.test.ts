/** docs/problem-codes.md has exactly the codes of the code, with what they mean. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CRAWL_PROBLEMS, FAILURES, FETCH_PROBLEMS, PARSE_PROBLEMS } from '../../src/problems/catalogue.ts';
import { docPage, pageWrittenBy, tableRows } from '../support/docs-pages.ts';

const PAGE = docPage('problem-codes.md');
const SOURCE = join(import.meta.dirname, '../../src');

/** The rows below a heading: code → the last cell. */
function codesBelow(heading: string): Record<string, string> {
  const [, section = ''] =
    new RegExp(`^## ${heading}$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(PAGE) ?? [];
  const rows = tableRows(section).filter(([code]) => code !== 'Code');
  return Object.fromEntries(rows.map((cells) => [cells[0]?.replaceAll('`', ''), cells.at(-1)]));
}

describe('the page has the codes of the code (node scripts/problem-codes.js --write)', () => {
  test.each([
    ['In a document', PARSE_PROBLEMS],
    ['In a fetch', FETCH_PROBLEMS],
    ['In a crawl', CRAWL_PROBLEMS],
    ['Failures', FAILURES],
  ])('%s', (heading, table) => {
    expect(codesBelow(heading)).toEqual(table);
  });
});

test('the page is current (node scripts/problem-codes.js --write)', async () => {
  expect(PAGE).toBe(await pageWrittenBy('problem-codes.js'));
});

/** Only the reasons of internal signals, which a caller never sees. */
const INTERNAL = ['closed'];
/** Chosen at run time: there is no `code: '…'` where the exception is made. */
const CHOSEN: Readonly<Record<string, string>> = {
  'sitemap/archive/load-tree.ts': 'archive-unreadable',
};

/** Every code with which src/ makes a `SitemapException`, by its text. */
function thrownCodes(): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const entry of readdirSync(SOURCE, { recursive: true, withFileTypes: true })) {
    // What batch/ throws besides the codes of others is for usp crawl and usp worker, which say it in words.
    const isOfCommand = ['cli', 'batch'].some((name) => entry.parentPath.includes(join('src', name)));
    if (!entry.isFile()) continue;
    const source = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    for (const [, code = ''] of source.matchAll(/forOneLoop\(\s*'([a-z-]+)'/g)) codes.add(code);
    if (isOfCommand) continue;
    // The arguments of one call hold at most one more pair of braces: those of its options.
    for (const [call] of source.matchAll(
      /new (?:SitemapException|ArchiveFault)\([\s\S]*?\{([\s\S]*?)\}\s*,?\s*\)/g,
    )) {
      const code = /\bcode: '([a-z-]+)'/.exec(call)?.[1];
      if (code !== undefined) codes.add(code);
    }
  }
  for (const [file, code] of Object.entries(CHOSEN)) {
    if (readFileSync(join(SOURCE, file), 'utf8').includes(`'${code}'`)) codes.add(code);
  }
  for (const code of INTERNAL) codes.delete(code);
  return codes;
}

test('the exceptions of the page are those that src/ throws', () => {
  expect(Object.keys(codesBelow('Exceptions')).sort()).toEqual([...thrownCodes()].sort());
});

test('every exception has the function that throws it, and the reason', () => {
  const rows = tableRows(PAGE).filter((cells) => cells.length === 3);
  expect(rows.length).toBeGreaterThan(10);
  for (const [code, who, why] of rows.slice(1)) {
    expect(code).toMatch(/^`[a-z-]+`$/);
    expect(who).not.toBe('');
    expect(why).toMatch(/^\S.*\.$/);
  }
});
