/** CONTRIBUTING.md draws the house: every room of src/ is in its table, and the table has no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
