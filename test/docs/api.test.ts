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

/** The sections of the page, by the name that each is about. */
const SECTIONS = new Map(
  docPage('api.md')
    .split(/^(?=### )/m)
    .slice(1)
    .map((section) => [/^### `(\w+)`/.exec(section)?.[1] ?? '', section]),
);

test('the page is current (node scripts/api-reference.js --write)', async () => {
  expect(docPage('api.md')).toBe(await pageWrittenBy('api-reference.js'));
});

test('the names found in the text are those that the modules export', () => {
  expect(ALL).toEqual(expect.arrayContaining(Object.keys(everything)));
  expect(CORE).toEqual(expect.arrayContaining(Object.keys(core)));
  expect(ALL.length).toBeGreaterThan(60);
});

describe('every export has a section', () => {
  test.each(ALL)('%s', (name) => {
    const [heading, ...blocks] = (SECTIONS.get(name) ?? '').split('\n\n');
    expect(heading).toBe(`### \`${name}\``);
    const isCore = blocks[0] === '**core**';
    expect(isCore).toBe(CORE.includes(name));
    const [summary, ...rest] = isCore ? blocks.slice(1) : blocks;
    // From its TSDoc: a sentence.
    expect(summary).toMatch(/^[A-Z`].*[.:]$/s);
    const signature = rest.find((block) => block.startsWith('```typescript'));
    expect(signature).toMatch(
      new RegExp(`^\`{3}typescript\\n(?:abstract )?(?:function|class|const|interface|type) ${name}\\b`),
    );
  });
});

test('every section is about an export, except those at the end, which say so', () => {
  const [exported = ''] = docPage('api.md').split('## Types that have no export');
  const headings = [...exported.matchAll(/^### `(\w+)`$/gm)].map(([, name]) => name);
  expect(headings.filter((name) => !ALL.includes(name ?? ''))).toEqual([]);
  expect(new Set(headings).size).toBe(headings.length);
});

test('the page has no private members', () => {
  const page = docPage('api.md');
  expect(page).not.toContain('#private');
  expect(page).not.toContain('@internal');
});
