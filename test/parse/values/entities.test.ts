/** References to characters, against the table of HTML that the package `entities` has. */
import { decodeHTMLStrict } from 'entities/decode';
import { expect, test } from 'vitest';
import { namedCharacters, numberedCharacter } from '../../../src/parse/values/entities.ts';

test('each name is the character that it is in HTML', () => {
  const names = namedCharacters();
  expect(names.size).toBeGreaterThan(400);
  for (const [name, character] of names) expect(character, name).toBe(decodeHTMLStrict(`&${name};`));
  for (const name of ['nbsp', 'eacute', 'hellip', 'hearts', 'lstrok', 'zcaron', 'colon', 'YAcy', 'apos'])
    expect(names.has(name), name).toBe(true);
});

test('each number is the character that it is in HTML', () => {
  const codes = [
    0, 1, 9, 10, 13, 38, 65, 0x7f, 0x9f, 0xa0, 0xff, 0x2028, 0xfffd, 0x1f600, 0x10ffff, 0x110000, 1e20,
  ];
  for (let code = 0x80; code < 0xa0; code++) codes.push(code);
  for (const code of codes)
    expect(numberedCharacter(code), String(code)).toBe(decodeHTMLStrict(`&#${code};`));
});
