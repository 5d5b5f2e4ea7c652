/** §10, §14: CSV is written as csv-stringify writes it, formulas defused or not. */
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CsvReader, type CsvRow, csvLines } from '../../src/text/csv-lines.ts';

const SIGNS = [
  'a',
  'é',
  ' ',
  ',',
  ';',
  '"',
  "'",
  '=',
  '+',
  '-',
  '@',
  '＝',
  '＋',
  '－',
  '＠',
  '\t',
  '\r',
  '\n',
  '\r\n',
];
const cell = fc.oneof(
  fc.array(fc.constantFrom(...SIGNS), { maxLength: 5 }).map((signs) => signs.join('')),
  fc.integer(),
  fc.constantFrom(undefined, null),
);

test.each([false, true])('rows of any text, raw: %s', (isRaw) => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), (rows) => {
      const theirs = stringify(rows, { escape_formulas: !isRaw, quoted_match: /[\r\n]/ });
      expect(csvLines(rows, isRaw)).toBe(theirs);
    }),
    { numRuns: 500 },
  );
});

test.each([',', ';', '\t'] as const)(
  'rows with another separator are read again, formulas defused: %j',
  (separator) => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), (rows) => {
        const theirs = stringify(rows, {
          delimiter: separator,
          escape_formulas: true,
          quoted_match: /[\r\n]/,
        });
        expect(csvLines(rows, false, separator)).toBe(theirs);
        const reader = new CsvReader(separator);
        const read = [...reader.rows(csvLines(rows, true, separator)), ...reader.end()];
        expect(read.map(({ cells }) => cells)).toEqual(
          rows.map((row) => row.map((each) => String(each ?? ''))),
        );
      }),
      { numRuns: 500 },
    );
  },
);

test('booleans are words', () => {
  expect(csvLines([[true, false]])).toBe('true,false\n');
});

/** The rows of a text that comes in two pieces. */
function rowsOf(text: string, cut: number, longest?: number): CsvRow[] {
  const reader = new CsvReader(',', longest);
  return [...reader.rows(text.slice(0, cut)), ...reader.rows(text.slice(cut)), ...reader.end()];
}

test('what is written is read again, wherever a piece of it ends', () => {
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 4 });
  fc.assert(
    fc.property(rows, fc.nat(40), (written, cut) => {
      const read = rowsOf(csvLines(written, true), cut);
      expect(read.map(({ cells }) => cells)).toEqual(
        written.map((row) => row.map((each) => String(each ?? ''))),
      );
    }),
    { numRuns: 500 },
  );
});

test('a row knows the line that it starts in', () => {
  const rows = rowsOf('a\n"b\nb",c\nd', 5);
  expect(rows.map(({ line, cells }) => [line, ...cells])).toEqual([
    [1, 'a'],
    [2, 'b\nb', 'c'],
    [4, 'd'],
  ]);
});

test.each<[string, string, readonly string[], boolean]>([
  ['as long as a row may be', 'abc,d', ['abc', 'd'], false],
  ['as long as a row may be, its last cell empty', 'abcd,', ['abcd', ''], false],
  ['longer: the rest of it is left out', 'abc,de,fg', ['abc'], true],
  ['longer by one empty cell', 'abc,d,', ['abc', 'd'], true],
  ['longer by cells without text: these are left out', `abc,d${','.repeat(9)}`, ['abc', 'd'], true],
])('a row that is %s', (_, row, cells, isCut) => {
  const next = { line: 2, cells: ['x'], isCut: false };
  expect(rowsOf(`${row}\nx`, row.indexOf(',') + 1, 5)).toMatchObject([{ cells, isCut }, next]);
  expect(rowsOf(row, 3, 5)).toMatchObject([{ cells, isCut }]);
});

test('a quote that is never closed does not take the rest of a file', () => {
  const rows = rowsOf(`"a\n${'b\n'.repeat(20)}c\nd\n`, 7, 20);
  expect(rows[0]).toMatchObject({ line: 1, openUpTo: expect.any(Number) });
  expect(rows.slice(-2)).toMatchObject([
    { line: 22, cells: ['c'], openUpTo: undefined },
    { line: 23, cells: ['d'], openUpTo: undefined },
  ]);
});

test.each<[string, number, readonly [number, number | undefined, ...string[]][]]>([
  ['"a\nb', 2, [[1, 2, 'a\nb']]],
  ['a,"b', 3, [[1, 1, 'a', 'b']]],
  [
    'x\n"a\nb\n',
    5,
    [
      [1, undefined, 'x'],
      [2, 4, 'a\nb\n'],
    ],
  ],
  ['""', 1, [[1, undefined, '']]],
  ['"",a\n', 1, [[1, undefined, '', 'a']]],
  [
    'a\n\n,\nb',
    2,
    [
      [1, undefined, 'a'],
      [2, undefined, ''],
      [3, undefined, '', ''],
      [4, undefined, 'b'],
    ],
  ],
])('%j: each row has its line, and the line that ended it where a quote is open', (text, cut, expected) => {
  const rows = rowsOf(text, cut);
  expect(rows.map(({ line, openUpTo, cells }) => [line, openUpTo, ...cells])).toEqual(expected);
});

test.each<[string, string, readonly (readonly string[])[]]>([
  ['a comma, where there are as many semicolons', 'a,b;c\n', [['a', 'b;c']]],
  ['the one of the first row alone', 'a,b\n1;2;3\t4\n', [['a', 'b'], ['1;2;3\t4']]],
  [
    'a comma behind a tab in quotes',
    '"a\tb",c\n1,2\n',
    [
      ['a\tb', 'c'],
      ['1', '2'],
    ],
  ],
  ['a semicolon behind a cell in quotes with several commas', 'x;"a,b,""c"",d"\n', [['x', 'a,b,"c",d']]],
  ['a tab behind a cell in quotes behind a tab', 'a\t"b\nc,d;"\te\n', [['a', 'b\nc,d;', 'e']]],
  ['none in one column in quotes', '"a,b"\n1,2\n', [['a,b'], ['1,2']]],
  [
    'a tab',
    'a\tb,c;d\n1,2\t3\n',
    [
      ['a', 'b,c;d'],
      ['1,2', '3'],
    ],
  ],
  [
    'the more frequent of comma and semicolon',
    'a;b, c;d\n1;2;3\n',
    [
      ['a', 'b, c', 'd'],
      ['1', '2', '3'],
    ],
  ],
  [
    'one outside of quotes',
    '"a,b,c";d\n1;2\n',
    [
      ['a,b,c', 'd'],
      ['1', '2'],
    ],
  ],
  [
    'one behind a line break in quotes',
    '"Page\n""URL"", address","Last\nchange"\nhttps://example.org/,2\n',
    [
      ['Page\n"URL", address', 'Last\nchange'],
      ['https://example.org/', '2'],
    ],
  ],
  [
    'one behind a quote that is a sign of inches',
    'size 5";url\nx;y\n',
    [
      ['size 5"', 'url'],
      ['x', 'y'],
    ],
  ],
  [
    'none in one column',
    'url\nhttps://example.org/a,b;c\n"x"\n',
    [['url'], ['https://example.org/a,b;c'], ['x']],
  ],
  ['none in one line', 'url', [['url']]],
])('the separator is found out from the first row, however it comes: %s', (_what, text, expected) => {
  for (const size of [1, 3, text.length]) {
    const reader = new CsvReader();
    const rows = [];
    for (let at = 0; at < text.length; at += size) rows.push(...reader.rows(text.slice(at, at + size)));
    rows.push(...reader.end());
    expect(rows.map(({ cells }) => cells)).toEqual(expected);
  }
});

test('a first row of more than 1 MiB has the separator of its beginning, and does not wait for its end', () => {
  const reader = new CsvReader();
  const start = `a,${'x'.repeat(1024 * 1024)}`;
  const rows = [...reader.rows(start), ...reader.rows(';;;y\n'), ...reader.end()];
  expect(rows.map(({ cells }) => cells.map(({ length }) => length))).toEqual([[1, start.length + 2]]);
});
