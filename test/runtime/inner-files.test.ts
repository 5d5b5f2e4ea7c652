/** What is at a place of a folder that may come from others. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryAt, removeFile } from '../../src/runtime/inner-files.ts';
import { testIf } from '../support/collected.ts';
import { folder } from '../support/folder.ts';
import { HAS_LINKS } from '../support/platform.ts';

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
