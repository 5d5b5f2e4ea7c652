/** §14, §16: the text of a list or of rows, whatever its bytes and pieces are, and the columns in it. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  columnMissing,
  columnNumber,
  indexOfColumn,
  nameOfList,
  quotedNames,
  textOf,
} from '../../../src/cli/args/row-text.ts';
import { folder } from '../../support/folder.ts';

const signal = new AbortController().signal;

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function text(bytes: Uint8Array, size: number, isOfRows: boolean): Promise<string> {
  let all = '';
  for await (const piece of textOf('-', { stdin: pieces(bytes, size), signal }, { isOfRows })) all += piece;
  return all;
}

const utf16 = (words: string): Buffer => Buffer.from(`\ufeff${words}`, 'utf16le');

describe.each([1, 2, 3, 1000])('text in pieces of %i bytes', (size) => {
  test.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from('aé€😀\r\nb'), 'aé€😀\r\nb'],
    ['UTF-8 with its mark', Buffer.from('\ufeffa\n'), 'a\n'],
    ['UTF-8 with a mark inside', Buffer.from('a\ufeffb'), 'a\ufeffb'],
    ['UTF-16', utf16('aé€😀\n'), 'aé€😀\n'],
    ['UTF-16 with nothing in it', utf16(''), ''],
    ['a single byte', Buffer.from('a'), 'a'],
    ['nothing', Buffer.alloc(0), ''],
  ])('%s', async (_what, bytes, expected) => {
    for (const isOfRows of [false, true]) expect(await text(bytes, size, isOfRows)).toBe(expected);
  });

  test('bytes that are not UTF-8: rows are refused, of a list these characters are lost', async () => {
    const bytes = Buffer.from('ab\xfcc\n', 'latin1');
    expect(await text(bytes, size, false)).toBe('ab\ufffdc\n');
    await expect(text(bytes, size, true)).rejects.toMatchObject({
      message: 'stdin is not UTF-8.',
      hint: 'save it as UTF-8: spreadsheets call it "CSV UTF-8".',
    });
  });

  test('a character that is cut off at the end', async () => {
    const bytes = Buffer.from('ab€').subarray(0, 4);
    expect(await text(bytes, size, false)).toBe('ab\ufffd');
    await expect(text(bytes, size, true)).rejects.toThrow('stdin is not UTF-8.');
  });

  test.each([0xff, 0xfe])('a first byte %i is no mark of UTF-16 by itself', async (byte) => {
    expect(await text(Buffer.from([byte, 0x61, 0x62]), size, false)).toBe('\ufffdab');
  });
});

test('a file is read as stdin is, and one that is not there is named', async () => {
  const file = `${folder()}/rows`;
  writeFileSync(file, utf16('aé\n'));
  const io = { stdin: pieces(Buffer.alloc(0), 1), signal };
  let all = '';
  for await (const piece of textOf(file, io)) all += piece;
  expect(all).toBe('aé\n');
  await expect(textOf(`${file}.x`, io).next()).rejects.toThrow(
    `${file}.x cannot be read: no such file or directory.`,
  );
});

describe('a column', () => {
  test.each([
    ['1', 0],
    ['2', 1],
    ['10', 9],
    ['0', undefined],
    ['01', undefined],
    ['1a', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    [' 1', undefined],
    ['', undefined],
  ])('%j is the place %s', (column, place) => {
    expect(columnNumber(column)).toBe(place);
  });

  test.each([
    ['b', 1],
    [' B ', 1],
    ['A', 0],
    ['c d', 2],
    ['1', 0],
    ['3', 2],
    ['4', undefined],
    ['0', undefined],
    ['e', undefined],
    ['', undefined],
  ])('%j of "a", " b", "C D " is at %s', (column, place) => {
    expect(indexOfColumn(['a', ' b', 'C D '], column)).toBe(place);
  });

  test('of which there are two of one name is the first one', () => {
    expect(indexOfColumn(['x', 'a', 'A'], 'a')).toBe(1);
  });

  test('that is missing is named, and so are those that are there', () => {
    const { message, hint } = columnMissing('-', ['a', ' b ', 'c'.repeat(81)], 'd');
    expect(message).toBe('stdin has no column "d".');
    expect(hint).toBe(
      `its first line has "a", "b", "${'c'.repeat(80)}…"; a column can also be a number, from 1.`,
    );
    expect(columnMissing('rows.csv', [], 'd').message).toBe('rows.csv has no column "d".');
    expect([quotedNames(['a', ' b ']), nameOfList('-'), nameOfList('a-')]).toEqual([
      '"a", "b"',
      'stdin',
      'a-',
    ]);
  });
});
