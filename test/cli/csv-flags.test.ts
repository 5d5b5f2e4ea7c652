/** §10: --bom and --separator, for every command that prints CSV. */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { CsvReader } from '../../src/text/csv-lines.ts';
import { usp } from '../support/cli-world.ts';
import { urlset } from '../support/documents.ts';
import { written } from '../support/folder.ts';

let path: (name: string) => string;

/** Two sitemaps with a difference, whose cells have separators. */
beforeEach(() => {
  path = written({
    'a.xml': urlset('https://example.org/a', 'https://example.org/a,b;c'),
    'b.xml': urlset('https://example.org/x;y,z'),
  });
});

const COMMANDS: readonly (readonly [string, () => readonly string[]])[] = [
  ['ls', () => ['ls', path('a.xml'), '-f', 'csv']],
  ['ls --no-pages', () => ['ls', path('a.xml'), '-f', 'csv', '--no-pages']],
  ['ls of several', () => ['ls', path('a.xml'), path('b.xml'), '-f', 'csv']],
  ['diff', () => ['diff', path('a.xml'), path('b.xml'), '-f', 'csv']],
  ['check', () => ['check', path('a.xml'), '-f', 'csv']],
];

function cellsOf(csv: string, separator: string): readonly (readonly string[])[] {
  const reader = new CsvReader(separator);
  return [...reader.rows(csv), ...reader.end()].map(({ cells }) => cells);
}

describe.each(COMMANDS)('usp %s', (_name, argv) => {
  test.each([
    [',', ','],
    [';', ';'],
    ['tab', '\t'],
    ['\t', '\t'],
  ])('--separator %j divides the same cells', async (given, separator) => {
    const plain = await usp(argv());
    const { code, stdout } = await usp([...argv(), '--separator', given]);
    expect(code).toBe(plain.code);
    expect(cellsOf(stdout, separator)).toEqual(cellsOf(plain.stdout, ','));
    expect(cellsOf(stdout, separator)[0]?.length).toBeGreaterThan(5);
  });

  test('--bom is at the beginning, once, and not on a terminal', async () => {
    const plain = await usp(argv());
    expect((await usp([...argv(), '--bom'])).stdout).toBe(`\ufeff${plain.stdout}`);
    const shown = await usp([...argv(), '--bom'], { isTerminal: { stdout: true } });
    expect(shown.stdout).not.toMatch(/feff|\ufeff/);
  });

  test('they are for CSV only, and bad values are named', async () => {
    const other = argv().map((word) => (word === 'csv' ? 'ndjson' : word));
    for (const flag of [['--bom'], ['--separator', ';']]) {
      const { code, stdout, stderr } = await usp([...other, ...flag]);
      expect([code, stdout, stderr]).toEqual([2, '', `usp: ${flag[0]} is for CSV.\nhint: -f csv\n`]);
    }
    expect((await usp([...other, '--separator', ';', '--bom'])).stderr).toContain('--bom is for CSV.');
    const { code, stderr } = await usp([...argv(), '--separator', '|']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/'--separator <sign>' .*It must be ',', ';' or tab/),
    ]);
  });
});

test('update prints CSV with them', async () => {
  const update = await usp(['help', 'update']);
  expect(update.stdout).toMatch(/--bom[\s\S]*--separator <sign>/);
});

test('check --also csv=FILE has them beside another format', async () => {
  const out = path('found.csv');
  await usp(['check', path('a.xml'), '--also', `csv=${out}`, '--bom', '--separator', ';']);
  expect(readFileSync(out, 'utf8')).toMatch(/^\ufeffseverity;rule;message;/);
});
