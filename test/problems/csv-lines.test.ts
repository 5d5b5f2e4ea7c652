/** §10, §14: CSV is written as csv-stringify writes it, formulas defused or not. */
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLines } from '../../src/problems/csv-lines.ts';

const SIGNS = ['a', 'é', ' ', ',', ';', '"', "'", '=', '+', '-', '@', '＝', '＠', '\t', '\r', '\n', '\r\n'];
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

test('booleans are words', () => {
  expect(csvLines([[true, false]])).toBe('true,false\n');
});
