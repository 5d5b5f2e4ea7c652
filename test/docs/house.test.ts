/** CONTRIBUTING.md draws the house: every room of src/ is in its table, and the table has no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/cli-binary.ts';

const SRC = join(ROOT, 'src');
const ENTRIES = readdirSync(SRC, { withFileTypes: true, recursive: true });
const TABLE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| `[\w./-]+`/.test(line))
  .map((line) => line.split('|').slice(1, 3) as [place: string, sentence: string]);

const named = (text: string): string[] =>
  Array.from(text.matchAll(/`([\w-]+(?:\/|\.ts))`/g), ([, name = '']) => name);

test('every file and folder of src/ has a sentence, and every sentence its place', () => {
  const here = readdirSync(SRC, { withFileTypes: true }).map(
    (each) => each.name + (each.isDirectory() ? '/' : ''),
  );
  expect(TABLE.flatMap(([place]) => named(place)).sort()).toEqual(here.sort());
});

test('every folder within a room is named in the sentence of the room', () => {
  for (const [place, sentence] of TABLE) {
    const [room = ''] = named(place);
    if (!room.endsWith('/')) continue;
    const folders = ENTRIES.filter(
      (each) => each.isDirectory() && join(each.parentPath, '/') === join(SRC, room),
    );
    expect(
      named(sentence)
        .filter((name) => name.endsWith('/'))
        .sort(),
      room,
    ).toEqual(folders.map((each) => `${each.name}/`).sort());
  }
});

test('no two files of src/ have the same name', () => {
  const names = ENTRIES.filter((each) => each.isFile() && each.name.endsWith('.ts'))
    .map((each) => basename(each.name))
    .filter((name) => name !== 'index.ts');
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

/** The room of a path below src/: its first folder, or the file. */
const roomOf = (path: string): string => relative(SRC, path).split(sep)[0] ?? '';

/** `check → tree.ts`, for every import from one room of another. */
const ARROWS = new Set(
  ENTRIES.filter((each) => each.isFile() && each.name.endsWith('.ts')).flatMap(({ parentPath, name }) => {
    const source = readFileSync(join(parentPath, name), 'utf8');
    const imported = source.matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+)'/g);
    const from = roomOf(join(parentPath, name));
    return Array.from(imported, ([, to = '']) => `${from} → ${roomOf(resolve(parentPath, to))}`);
  }),
);

test('no two rooms import each other', () => {
  const both = [...ARROWS].filter((arrow) => {
    const [from, to] = arrow.split(' → ');
    return from !== to && ARROWS.has(`${to} → ${from}`);
  });
  expect(both).toEqual([]);
});

test('every import that CONTRIBUTING.md explains is there', () => {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').replaceAll(/\n {2}(?=\S)/g, ' ');
  const explained = [
    ...page.matchAll(/((?:`[\w.-]+`(?:, | and )?)+) → ((?:`[\w.-]+`(?:, (?=`)| and (?=`))?)+)/g),
  ];
  const names = (list = ''): string[] => Array.from(list.matchAll(/`([\w.-]+)`/g), ([, name = '']) => name);
  const arrows = explained.flatMap(([, from, to]) =>
    names(from).flatMap((each) => names(to).map((other) => `${each} → ${other}`)),
  );
  expect(arrows.length).toBeGreaterThan(20);
  expect(arrows.filter((arrow) => !ARROWS.has(arrow))).toEqual([]);
});
