/** docs/api.md has every export of the package and of its core, and says something about each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as everything from '../../src/index.ts';
import * as core from '../../src/parse/index.ts';
import { docPage, pageWrittenBy } from '../support/docs-pages.ts';

const SOURCE = join(import.meta.dirname, '../../src');

/** The names that a module exports, types too, as its text has them. */
function exportedNames(file: string): readonly string[] {
  const source = readFileSync(join(SOURCE, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  );
}

const CORE = exportedNames('parse/index.ts');
const WRITE = exportedNames('write/index.ts');
const BATCH = exportedNames('batch/index.ts');
const MCP = exportedNames('mcp/index.ts');
const ALL = [
  ...new Set([
    ...exportedNames('index.ts'),
    ...CORE,
    ...exportedNames('check/index.ts'),
    ...WRITE,
    ...BATCH,
    ...MCP,
  ]),
];

const PAGE = docPage('api.md');
/** The sections of the page, by the name that each is about. */
const SECTIONS = new Map(
  PAGE.split(/^(?=### )/m)
    .slice(1)
    .map((section) => [/^### `(\w+)`/.exec(section)?.[1] ?? '', section]),
);

test('the page is current (node scripts/api-reference.js --write)', async () => {
  expect(PAGE).toBe(await pageWrittenBy('api-reference.js'));
});

test('the names found in the text are those that the modules export', () => {
  expect(ALL).toEqual(expect.arrayContaining(Object.keys(everything)));
  expect(CORE).toEqual(expect.arrayContaining(Object.keys(core)));
  expect(ALL.length).toBeGreaterThan(60);
});

test('the page begins with the twelve names that most programs need', () => {
  const [, first = ''] = PAGE.split(/^## /m);
  expect(first.startsWith('The twelve names that most programs need\n')).toBe(true);
  expect(first.match(/^### `\w+`$/gm)).toHaveLength(12);
});

describe('every export is on the page', () => {
  test.each(ALL)('%s', (name) => {
    const declaration = `(?:abstract )?(?:function|class|const|interface|type) ${name}\\b`;
    const section = SECTIONS.get(name);
    if (section === undefined) {
      // A type: a sentence from its TSDoc above it, and the entries that have it.
      const comment = new RegExp(`((?:^// .*\\n)+)${declaration}`, 'm').exec(PAGE)?.[1];
      expect(comment).toMatch(/^\/\/ [A-Z`].*[.:)]\n$/s);
      expect(comment?.includes('/parse')).toBe(CORE.includes(name));
      return;
    }
    const [heading, ...blocks] = section.split('\n\n');
    expect(heading).toBe(`### \`${name}\``);
    const [entries, summary] = blocks[0]?.startsWith('**/') ? blocks : ['', blocks[0]];
    expect(entries?.includes('**/parse**')).toBe(CORE.includes(name));
    expect(summary).toMatch(/^[A-Z`].*[.:]$/s);
    expect(section).toMatch(new RegExp(`^\`{3}typescript\\n${declaration}`, 'm'));
  });
});

test('every section is about an export, except those at the end, which say so', () => {
  const [exported = ''] = PAGE.split('## Types that have no export');
  const headings = [...exported.matchAll(/^### `(\w+)`$/gm)].map(([, name]) => name);
  expect(headings.filter((name) => !ALL.includes(name ?? ''))).toEqual([]);
  expect(new Set(headings).size).toBe(headings.length);
});

test('the page has no private members', () => {
  expect(PAGE).not.toContain('#private');
  expect(PAGE).not.toContain('@internal');
});
