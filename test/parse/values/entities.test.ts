/** References to characters, against the table of HTML that the package `entities` has. */
import { decodeHTMLStrict } from 'entities/decode';
import { expect, test } from 'vitest';
import { namedCharacter, numberedCharacter } from '../../../src/parse/values/entities.ts';

test('each name of HTML 4 is the character that it is in HTML', () => {
  // The first and the last of each group of the specification of HTML 4, and those that feeds have most.
  const names = [
    ...['nbsp', 'yuml', 'fnof', 'Alpha', 'piv', 'bull', 'hearts', 'diams', 'OElig', 'euro', 'amp', 'apos'],
    ...[
      'hellip',
      'ndash',
      'mdash',
      'lsquo',
      'rsquo',
      'ldquo',
      'rdquo',
      'laquo',
      'eacute',
      'Uuml',
      'szlig',
      'trade',
    ],
    ...[
      'copy',
      'reg',
      'deg',
      'middot',
      'times',
      'frac12',
      'thetasym',
      'zwj',
      'rlm',
      'rarr',
      'lang',
      'sigmaf',
    ],
  ];
  for (const name of names) {
    expect(namedCharacter(name), name).toBe(decodeHTMLStrict(`&${name};`));
  }
  for (const other of ['nosuchname', 'EACUTE', '160', '']) expect(namedCharacter(other)).toBe(undefined);
});

test('each number is the character that it is in HTML', () => {
  const codes = [
    0, 1, 9, 10, 13, 38, 65, 0x7f, 0x9f, 0xa0, 0xff, 0x2028, 0xfffd, 0x1f600, 0x10ffff, 0x110000, 1e20,
  ];
  for (let code = 0x80; code < 0xa0; code++) codes.push(code);
  for (const code of codes)
    expect(numberedCharacter(code), String(code)).toBe(decodeHTMLStrict(`&#${code};`));
});
