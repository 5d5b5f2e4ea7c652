/** docs/options.md has every option of src/options/options.ts, with its default, and no other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ResolvedOptions, resolveOptions } from '../../src/options/resolve.ts';
import { VERSION } from '../../src/options/version.ts';
import { docPage, pageWrittenBy, tableRows } from '../support/docs-pages.ts';

const DEFAULTS: ResolvedOptions = resolveOptions(undefined, 'stream');

/** The rows of the tables of options: name, type, default, meaning. */
const ROWS = new Map(
  tableRows(docPage('options.md'))
    .filter((cells) => cells.length === 4 && cells[0] !== 'Option')
    .map(([name = '', type = '', byDefault = '', meaning = '']) => [
      name.replaceAll('`', ''),
      { type, byDefault, meaning },
    ]),
);

/** Without an option, what decides: the filter, the function that is called, or the environment. */
const DECIDED_LATER: Readonly<Record<string, string>> = {
  recurseListCallback: 'all',
  recurseCallback: 'all',
  undated: "`'drop'`",
  include: 'all',
  hosts: "`'any'`",
  sample: 'all',
  listAlternates: '`false`',
  unique: '`false`; `true` for `collectPages`',
  sitemapInclude: 'all',
  maxPages: 'none; 1,000,000 for `collectPages`',
  proxy: 'HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY of the environment',
  webClient: 'the default client',
  spoolDirectory: 'that of the system',
  logger: 'silent',
  onProgress: 'silent',
};

/** A default as the page writes it. */
function defaultText(name: string, value: unknown): string {
  const words = DECIDED_LATER[name];
  if (words !== undefined) return words;
  if (value === undefined) return 'none';
  if (typeof value === 'string') return `\`${value.replace(VERSION, '<version>')}\``;
  return typeof value === 'number' ? `\`${grouped(value)}\`` : `\`${JSON.stringify(value)}\``;
}

function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, '_');
}

test('the page is current (node scripts/options.js --write)', async () => {
  expect(docPage('options.md')).toBe(await pageWrittenBy('options.js'));
});

test('every option has a row, and every row is an option', () => {
  expect([...ROWS.keys()].sort()).toEqual(Object.keys(DEFAULTS).sort());
});

describe('the page has the default of', () => {
  test.each(Object.entries(DEFAULTS))('%s', (name, value) => {
    expect(ROWS.get(name)?.byDefault).toBe(defaultText(name, value));
  });
});

test('every option says what it takes and what it is for', () => {
  for (const [name, { type, meaning }] of ROWS) {
    expect(type, name).not.toBe('');
    expect(meaning, name).toMatch(/^\S.{10,}/);
  }
});

test('every option has TSDoc with a @default', () => {
  const files = ['options/options.ts', 'filter/filter-options.ts'].map((path) =>
    readFileSync(join(import.meta.dirname, '../../src', path), 'utf8'),
  );
  const source = files.join('\n');
  const documented = [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)\?:/g)]
    .filter(([, comment = '']) => comment.includes('@default'))
    .map(([, , name]) => name);
  expect(Object.keys(DEFAULTS).filter((name) => !documented.includes(name))).toEqual([]);
});

test('the lowest value on the page is the lowest that is accepted', () => {
  for (const [name, { type }] of ROWS) {
    const least = /^(?:whole number|milliseconds), (\d+) or more$/.exec(type)?.[1];
    if (least === undefined) continue;
    const accepts = (value: number): boolean => {
      try {
        resolveOptions({ [name]: value }, 'stream');
        return true;
      } catch {
        return false;
      }
    };
    expect([name, accepts(Number(least)), accepts(Number(least) - 1)]).toEqual([name, true, false]);
  }
});
