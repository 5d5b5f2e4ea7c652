/** §5: a tree may be closed while its documents are read; a descriptor is closed once, behind the last read. */
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OpenFile } from '../../../src/sitemap/spool/open-file.ts';
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
