/** The playground's view of a text, by itself: rows, places in them, and what findings mark. */
import { describe, expect, test } from 'vitest';
import { marksIn, placesOf } from '../../site/playground/text-marks.ts';
import { TextRows } from '../../site/playground/text-rows.ts';

const encoder = new TextEncoder();

function rowsOf(text: string, columns: number): readonly [line: number | undefined, text: string][] {
  const rows = new TextRows(encoder.encode(text), columns);
  return Array.from({ length: rows.count }, (_, index) => {
    const row = rows.row(index);
    return [row.line, row.text];
  });
}

describe('the rows of a text', () => {
  test.each<[string, string, readonly [number | undefined, string][]]>([
    ['nothing', '', [[1, '']]],
    [
      'lines that end with LF, CRLF and CR',
      'a\nb\r\nc\rd',
      [
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
        [4, 'd'],
      ],
    ],
    [
      'a line end at the end',
      'a\n',
      [
        [1, 'a'],
        [2, ''],
      ],
    ],
    [
      'a line that is longer than the view',
      '123456789012',
      [
        [1, '12345678'],
        [undefined, '9012'],
      ],
    ],
    [
      'a line that fits exactly',
      '12345678\r\nb',
      [
        [1, '12345678'],
        [2, 'b'],
      ],
    ],
    [
      'characters of several bytes',
      'ééééééééé',
      [
        [1, 'éééééééé'],
        [undefined, 'é'],
      ],
    ],
    [
      'a pair of surrogates is not divided',
      '1234567😀9',
      [
        [1, '1234567😀'],
        [undefined, '9'],
      ],
    ],
  ])('%s', (_, text, rows) => {
    expect(rowsOf(text, 8)).toEqual(rows);
  });

  test('joined they are the text, whatever the width', () => {
    const text = `<urlset>\r\n${'<loc>https://example.org/é😀</loc>'.repeat(50)}\n\n</urlset>`;
    for (const columns of [8, 9, 31, 1000]) {
      const joined = rowsOf(text, columns)
        .map(([line, row]) => (line === undefined || line === 1 ? row : `\n${row}`))
        .join('');
      expect(joined, `${columns} columns`).toBe(text.replaceAll('\r\n', '\n'));
    }
  });

  test('every offset is in the row that contains it', () => {
    const bytes = encoder.encode('abc\ndefghijklmnop\r\nq');
    const rows = new TextRows(bytes, 8);
    for (let offset = 0; offset < bytes.length; offset++) {
      const { start } = rows.row(rows.rowAt(offset));
      const next =
        rows.rowAt(offset) + 1 < rows.count ? rows.row(rows.rowAt(offset) + 1).start : bytes.length;
      expect(offset >= start && offset < next, `offset ${offset}`).toBe(true);
    }
  });
});

describe('the marks of a row', () => {
  const finding = (offset: number, severity: 'error' | 'warning' = 'error') => ({
    ...{ rule: 'x', message: '', document: 1, documentName: '', line: 1, column: 1, page: undefined },
    ...{ count: undefined, related: undefined, offset, severity },
  });

  test.each([
    ['a value is marked up to the next tag', '<loc>a&b</loc>', 5, [5, 8]],
    ['a tag is marked up to its end', '<url><loc>', 5, [5, 10]],
    ['a line of text is marked to its end', 'not a url', 0, [0, 9]],
    ['offsets are bytes, marks are characters', '<loc>éé&b</loc>', 9, [7, 9]],
  ])('%s', (_, text, offset, [from, to]) => {
    const places = placesOf([finding(offset)]).get(1) ?? [];
    expect(marksIn(places, 0, encoder.encode(text).length, text)).toMatchObject([{ from, to }]);
  });

  test('two findings at one place give one mark, of the worse', () => {
    const places = placesOf([finding(5, 'error'), finding(5, 'warning')]).get(1) ?? [];
    expect(marksIn(places, 0, 14, '<loc>a&b</loc>')).toMatchObject([{ severity: 'error', finding: 0 }]);
  });
});
