/** Folders that are made, and files that take the name of another one, on every system. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeFolder, removeLeftovers, replaceFile } from '../../src/runtime/files.ts';
import { ownMark } from '../../src/runtime/process-identity.ts';
import { testIf } from '../support/collected.ts';
import { folder } from '../support/folder.ts';
import { IS_LINUX } from '../support/platform.ts';

describe('makeFolder', () => {
  test('makes a folder with those above it, and gives those that were not there', async () => {
    const place = folder();
    const path = join(place, 'a', 'b');
    expect(await makeFolder(path)).toEqual([join(place, 'a'), path]);
    expect(await makeFolder(path)).toEqual([]);
    expect(await makeFolder(join(path, 'c', '..', 'd'))).toEqual([join(path, 'd')]);
  });

  test('is called twice at once: both succeed', async () => {
    const path = join(folder(), 'a', 'b', 'c');
    const made = await Promise.all([makeFolder(path), makeFolder(path)]);
    expect(made.flat().sort()).toEqual([join(path, '..', '..'), join(path, '..'), path]);
  });

  test.each([
    ['where there is a file', ['file'], 'EEXIST'],
    ['below a file', ['file', 'x'], 'ENOTDIR'],
  ])('%s: what the system says', async (_where, parts, code) => {
    const place = folder();
    writeFileSync(join(place, 'file'), '');
    await expect(makeFolder(join(place, ...parts))).rejects.toMatchObject({ code });
  });

  // Node's own never ends there.
  testIf(IS_LINUX)('below /proc, where no folder can be made: what the system says', async () => {
    await expect(makeFolder('/proc/usp/crawl')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('replaceFile on Windows, where a file that is open cannot be replaced', () => {
  /** A folder cannot be replaced by a file on any system, and can be renamed: as an open file on Windows. */
  function openFile(path: string): void {
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    mkdirSync(path);
  }

  test('moves it aside, and removes it in the end', async () => {
    const place = folder();
    openFile(join(place, 'site.warc.gz'));
    writeFileSync(join(place, 'new'), 'new');
    await replaceFile(join(place, 'new'), join(place, 'site.warc.gz'));
    expect(readdirSync(place)).toEqual(['site.warc.gz']);
    expect(readFileSync(join(place, 'site.warc.gz'), 'utf8')).toBe('new');
  });

  test('puts it back where the new file is missing', async () => {
    const place = folder();
    openFile(join(place, 'site.warc.gz'));
    await expect(replaceFile(join(place, 'new'), join(place, 'site.warc.gz'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(readdirSync(place)).toEqual(['site.warc.gz']);
  });
});

describe('a file that a kill left moved aside', () => {
  const [host, boot, space, pid, started] = ownMark().split('-');
  const asideOf = (name: string, by: unknown): string =>
    `.usp-${[host, boot, space, by, started].join('-')}-0123abcd.old-${name}`;
  const NO_PID = 2 ** 31 - 1;

  test.each([
    ['gets its name back', 'site.warc.gz', NO_PID, false, { 'site.warc.gz': 'old' }],
    ['is removed where its name is taken', 'a-0123abcd.tmp', NO_PID, true, { 'a-0123abcd.tmp': 'new' }],
    ['stays while its process runs', 'x', pid, false, { [asideOf('x', pid)]: 'old' }],
  ])('%s', async (_what, name, by, isTaken, expected) => {
    const place = folder();
    writeFileSync(join(place, asideOf(name, by)), 'old');
    if (isTaken) writeFileSync(join(place, name), 'new');
    await removeLeftovers(place);
    const found = readdirSync(place).map((each) => [each, readFileSync(join(place, each), 'utf8')]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(existsSync(join(place, name))).toBe(by === NO_PID);
  });
});
