/** What is at a place of a folder that may come from others. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entryAt, isInnerName, refuseOtherEntries, removeFile } from '../../src/runtime/inner-files.ts';
import { testIf } from '../support/collected.ts';
import { folder } from '../support/folder.ts';
import { HAS_LINKS, HAS_PIPES } from '../support/platform.ts';

function place(): string {
  const path = folder();
  writeFileSync(join(path, 'file'), '');
  mkdirSync(join(path, 'inner'));
  return path;
}

test.each([
  ['file', true, false],
  ['inner', false, true],
  ['none', undefined, undefined],
  ['none/file', undefined, undefined],
  ['file/inner', undefined, undefined],
])('%s', async (name, isFile, isFolder) => {
  const path = join(place(), name);
  const entry = await entryAt(path);
  expect([entry?.isFile(), entry?.isDirectory()]).toEqual([isFile, isFolder]);
  await removeFile(path);
  expect(existsSync(path)).toBe(isFolder === true);
});

testIf(HAS_LINKS)('a link is not followed, and removed by itself', async () => {
  const path = place();
  symlinkSync(join(path, 'file'), join(path, 'link'));
  expect((await entryAt(join(path, 'link')))?.isSymbolicLink()).toBe(true);
  await removeFile(join(path, 'link'));
  expect([existsSync(join(path, 'link')), existsSync(join(path, 'file'))]).toEqual([false, true]);
});

describe('a name of a file inside a folder', () => {
  test.each([
    'a',
    'a.b',
    'a/b.c/d-e_f',
    'with space',
    'a'.repeat(255),
    `${'a'.repeat(255)}/${'b'.repeat(255)}`,
    'é'.repeat(127),
    'a..b',
    'a/b..',
  ])('%s is one', (name) => {
    expect(isInnerName(name)).toBe(true);
  });

  test.each([
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    '../a',
    'a/../b',
    'a/..',
    'a/./b',
    '.hidden',
    'a/.hidden',
    'C:a',
    'a:b',
    'a/b:c',
    'a\\b',
    '\\a',
    'a\0b',
    'a/\0',
    'a'.repeat(256),
    `a/${'b'.repeat(256)}`,
    'é'.repeat(128),
    5,
    null,
    ['a'],
  ])('%j is none', (name) => {
    expect(isInnerName(name)).toBe(false);
  });

  test('has the form of those that we write', () => {
    const form = /^pages\/\d+$/;
    expect(['pages/1', 'pages/x', 'other/1'].map((name) => isInnerName(name, form))).toEqual([
      true,
      false,
      false,
    ]);
    // A form that would let the name of a hidden file through.
    expect(isInnerName('pages/.1', /pages/)).toBe(false);
  });
});

describe('what is in the place of a folder or a file that is to be written', () => {
  const refused = (folders: readonly string[], files?: readonly string[]): Promise<void> => {
    const path = place();
    if (HAS_LINKS) for (const to of ['file', 'inner']) symlinkSync(join(path, to), join(path, `to-${to}`));
    const names = { folders, ...(files === undefined ? {} : { files }) };
    return refuseOtherEntries(path, names, (message) => new Error(message.replaceAll(path, '@')));
  };

  test('may be nothing, or what is needed', async () => {
    await expect(
      refused(['inner', 'none', 'none/x', 'inner'], ['file', 'other', 'inner/x']),
    ).resolves.toBeUndefined();
    await expect(refused(['inner'])).resolves.toBeUndefined();
  });

  const rest = 'Remove it, or choose another directory.';
  test.each([
    [['inner', 'file'], [], `@/file is a file, where a folder is needed. ${rest}`],
    [[], ['file', 'inner'], `@/inner is not a file, where a file is needed. ${rest}`],
    [['inner'], ['inner'], `@/inner is not a file, where a file is needed. ${rest}`],
  ])('folders %j, files %j', async (folders, files, message) => {
    await expect(refused(folders, files)).rejects.toThrow(message);
  });

  testIf(HAS_LINKS)('is never a link, wherever it leads', async () => {
    const link = (name: string, type: string): string =>
      `@/${name} is a symbolic link, where a ${type} is needed. ${rest}`;
    await expect(refused(['to-inner'])).rejects.toThrow(link('to-inner', 'folder'));
    await expect(refused([], ['to-file'])).rejects.toThrow(link('to-file', 'file'));
    await expect(refused([], ['to-inner'])).rejects.toThrow(link('to-inner', 'file'));
  });
});

testIf(HAS_PIPES)('a pipe is removed as a file is', async () => {
  const pipe = join(folder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect((await entryAt(pipe))?.isFIFO()).toBe(true);
  await removeFile(pipe);
  expect(existsSync(pipe)).toBe(false);
});
