/** §5: a tree may be closed while its documents are read; a descriptor is closed once, behind the last read. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OpenFile, openArchive } from '../../../src/sitemap/spool/open-file.ts';
import { folder } from '../../support/folder.ts';
import { codeOf } from '../../support/sitemaps.ts';

const LENGTH = 10_000;

test.each([
  ['a read', 1],
  ['two reads', 2],
  ['more reads than Node does at once', 40],
])('a file that is closed during %s gives their bytes, and is closed once', async (_what, count) => {
  const path = join(folder(), 'file');
  const content = Buffer.alloc(count * LENGTH, 'abcdefg');
  writeFileSync(path, content);
  let closed = 0;
  const file = new OpenFile(openSync(path, 'r'), () => closed++);
  const parts = Array.from({ length: count }, () => Buffer.alloc(LENGTH));
  const reads = parts.map((part, number) => file.read(part, number * LENGTH));
  for (const _twice of [1, 2]) file.close();
  expect(closed).toBe(0);
  expect(await codeOf(() => file.read(Buffer.alloc(1), 0))).toBe('tree-closed');
  expect(await Promise.all(reads)).toEqual(parts.map(() => true));
  expect(Buffer.concat(parts).equals(content)).toBe(true);
  expect(closed).toBe(1);
});

test('a file is read to its end, sync and async: all that was asked for, or less', async () => {
  const path = join(folder(), 'file');
  writeFileSync(path, 'abcdef');
  let closed = 0;
  const file = new OpenFile(openSync(path, 'r+'), () => closed++);
  const rows: [number, number, boolean, string][] = [
    [0, 6, true, 'abcdef'],
    [2, 4, true, 'cdef'],
    [2, 5, false, 'cdef'],
    [6, 1, false, ''],
    [9, 1, false, ''],
    [6, 0, true, ''],
  ];
  for (const [position, length, isFull, text] of rows) {
    const [sync, later] = [Buffer.alloc(length), Buffer.alloc(length)];
    expect([file.readSync(sync, position), await file.read(later, position)]).toEqual([isFull, isFull]);
    for (const bytes of [sync, later]) expect(bytes.toString().replaceAll('\0', '')).toBe(text);
    expect(await file.readSome(Buffer.alloc(length), position)).toBe(text.length);
  }
  file.writeSync(Buffer.from('XY'), 5);
  const all = Buffer.alloc(7);
  expect([file.readSync(all, 0), all.toString()]).toEqual([true, 'abcdeXY']);
  file.close();
  file.close();
  expect(closed).toBe(1);
  for (const use of [() => file.readSync(all, 0), () => file.writeSync(all, 0), () => file.checkOpen()]) {
    expect(use).toThrow(expect.objectContaining({ code: 'tree-closed' }));
  }
});

test('an archive is a file', () => {
  const path = join(folder(), 'file');
  expect(() => openArchive(folder())).toThrow('it is a folder');
  expect(() => openArchive(path)).toThrow('ENOENT');
  writeFileSync(path, 'abc');
  const { fd, stats } = openArchive(path);
  expect(stats.size).toBe(3);
  closeSync(fd);
});
