/** Files and pipes that are read: their bytes, up to a limit, and never a wait that cannot be interrupted. */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openToRead, readWhole } from '../../src/runtime/file-input.ts';
import { testIf } from '../support/collected.ts';
import { folder, openFiles } from '../support/folder.ts';
import { HAS_PIPES, IS_LINUX, IS_POSIX } from '../support/platform.ts';

const MEBIBYTE = 1024 * 1024;

function fileOf(length: number): string {
  const path = join(folder(), 'file');
  writeFileSync(path, Buffer.alloc(length, 'ab'));
  return path;
}

describe('a file that is read as a whole', () => {
  test.each([
    ['an empty one', 0],
    ['a short one', 5],
    ['one of several chunks', 200_001],
    ['one as long as the limit', MEBIBYTE],
  ])('%s', async (_, length) => {
    const content = await readWhole(fileOf(length), MEBIBYTE);
    expect(content.equals(Buffer.alloc(length, 'ab'))).toBe(true);
  });

  test('one byte more than the limit is refused, and the file is closed', async () => {
    const path = fileOf(MEBIBYTE + 1);
    await expect(readWhole(path, MEBIBYTE)).rejects.toThrow('it has more than 1 MiB');
    if (IS_LINUX) await expect.poll(() => openFiles(path)).toEqual([]);
  });

  test('what does not end is refused as well', async () => {
    if (!IS_POSIX) return;
    await expect(readWhole('/dev/zero', MEBIBYTE)).rejects.toThrow('it has more than 1 MiB');
  });

  test('one that is not there: what the system says', async () => {
    await expect(readWhole(join(folder(), 'none'), 9)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

testIf(HAS_PIPES)('a named pipe without a writer can be given up', async () => {
  const pipe = join(folder(), 'pipe');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  const controller = new AbortController();
  const bytes = await openToRead(pipe, controller.signal);
  controller.abort();
  await expect(bytes.toArray()).rejects.toMatchObject({ name: 'AbortError' });
});

testIf(HAS_PIPES)(
  'a pipe is read until its writer closes it, and an abort ends the wait for more',
  async () => {
    const pipe = join(folder(), 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    // Open to read as well, or the system would wait for a reader.
    const writer = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    writeSync(writer, 'first ');
    const bytes = await openToRead(pipe);
    const reading = bytes.toArray();
    await new Promise(setImmediate);
    writeSync(writer, 'second');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(bytes.readableEnded).toBe(false);
    closeSync(writer);
    expect(Buffer.concat(await reading).toString()).toBe('first second');
    const controller = new AbortController();
    const silent = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const waiting = readWhole(pipe, 100, controller.signal);
    setImmediate(() => controller.abort());
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    closeSync(silent);
  },
);
