/** Folders that are made, and files that take the name of another one, on every system. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createOwned,
  fileTrouble,
  isTemporaryName,
  makeFolder,
  ownerOf,
  ReplacedFile,
  removeLeftovers,
  replaceFile,
  writeTarget,
} from '../../src/runtime/files.ts';
import { ownIdentity, ownMark } from '../../src/runtime/process-identity.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { folder, openFiles } from '../support/folder.ts';
import { HAS_LINKS, HAS_PIPES, IS_LINUX, IS_POSIX } from '../support/platform.ts';

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

describeIf(HAS_LINKS && IS_POSIX, 'where a path leads', () => {
  /** A folder with `file`, `deep/er/`, and links by their names. */
  function place(links: Readonly<Record<string, string>>): string {
    const path = realpathSync(folder());
    mkdirSync(join(path, 'deep', 'er'), { recursive: true });
    writeFileSync(join(path, 'file'), 'x');
    for (const [name, target] of Object.entries(links))
      symlinkSync(target.replace('@', path), join(path, name));
    return path;
  }

  test.each([
    ['a file', {}, 'file', 'file', true],
    ['no file yet', {}, 'deep/./new', 'deep/new', false],
    ['a link to a file', { a: 'file' }, 'a', 'file', true],
    ['a link to a link', { a: 'b', b: '@/file' }, 'a', 'file', true],
    ['a link to a folder on the way', { way: '@/deep' }, 'way/new', 'deep/new', false],
    ['the folder above the one that a link leads to', { way: 'deep/er' }, 'way/../new', 'deep/new', false],
    ['a link to nothing is replaced itself', { a: 'b', b: 'deep/none' }, 'a', 'a', false],
  ])('%s', async (_, links, path, expected, isThere) => {
    const root = place(links);
    const { ino, dev, mode } = statSync(join(root, 'file'), { bigint: true });
    expect(await writeTarget(`${root}/${path}`)).toEqual({
      type: 'file',
      path: join(root, expected),
      file: isThere ? { ino, dev, mode: Number(mode) } : undefined,
    });
  });

  test.each([
    ['a folder', {}, 'deep', 'it is a folder'],
    ['a link to a folder', { a: 'deep' }, 'a', 'it is a folder'],
    ['a link to itself', { a: 'a' }, 'a', 'too many symbolic links'],
  ])('%s is refused', async (_, links, path, message) => {
    await expect(writeTarget(join(place(links), path))).rejects.toThrow(message);
  });

  test.each([
    ['/dev/null', { type: 'special', path: '/dev/null' }],
    ['/dev/fd/7', { type: 'descriptor', fd: 7 }],
    [`/proc/${process.pid}/fd/7`, { type: 'descriptor', fd: 7 }],
  ])('%s is not replaced', async (path, target) => {
    expect(await writeTarget(path)).toEqual(target);
    await expect(ReplacedFile.open(path)).rejects.toThrow('something else than a file');
  });
});

describe('a file that is replaced', () => {
  test.each([0o600, 0o640, 0o666])('keeps its mode: %o', async (mode) => {
    if (!IS_POSIX) return;
    const path = join(folder(), 'file');
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    const file = await ReplacedFile.open(path);
    expect(
      statSync(join(path, '..', readdirSync(join(path, '..')).find(isTemporaryName)!)).mode & 0o777,
    ).toBe(mode);
    await file.write('new');
    await file.finish();
    expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([mode, 'new']);
  });

  test.each([
    ['is written', async (file: ReplacedFile) => file.finish(), 'new'],
    ['is discarded', async (file: ReplacedFile) => file.discard(), 'old'],
    [
      'is written where that fails',
      async (file: ReplacedFile, path: string) => {
        // A folder cannot be replaced by a file.
        await replaceFile(path, `${path}-kept`);
        mkdirSync(path);
        await expect(file.finish()).rejects.toThrow();
        await replaceFile(path, `${path}-folder`);
        await replaceFile(`${path}-kept`, path);
      },
      'old',
    ],
  ])('leaves no other file and no open one once it %s', async (_, end, expected) => {
    const path = join(folder(), 'file');
    writeFileSync(path, 'old');
    const file = await ReplacedFile.open(path);
    await file.write('n');
    await file.write(Buffer.from('ew'));
    expect(readFileSync(path, 'utf8')).toBe('old');
    await end(file, path);
    await file.discard();
    expect(readFileSync(path, 'utf8')).toBe(expected);
    expect(readdirSync(join(path, '..')).filter(isTemporaryName)).toEqual([]);
    if (IS_LINUX) expect(openFiles(join(path, '..'))).toEqual([]);
  });
});

test('what cannot be written leaves the old file, and no other one', async () => {
  const path = join(folder(), 'file');
  writeFileSync(path, 'old');
  // Node refuses it once the file is open, as a disk that is full does.
  await expect(ReplacedFile.write(path, 1 as never)).rejects.toThrow();
  expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual(['old', ['file']]);
  if (IS_LINUX) expect(openFiles(join(path, '..'))).toEqual([]);
});

describe('a file with an owner', () => {
  test('one of those that create it at once succeeds, and nothing else is left', async () => {
    const path = join(folder(), 'lock');
    const texts = Array.from({ length: 8 }, (_, key) => JSON.stringify({ ...ownIdentity(), key }));
    const created = await Promise.all(texts.map((text) => createOwned(path, text)));
    const [first] = texts.filter((_, at) => created[at]);
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await ownerOf(path)).toMatchObject({ text: first, identity: ownIdentity(), fate: 'running' });
    expect(readdirSync(join(path, '..'))).toEqual(['lock']);
    if (IS_LINUX) expect(openFiles(join(path, '..'))).toEqual([]);
  });

  test.each([
    ['no file', undefined, undefined],
    ['a text that names no process', 'x', { text: 'x', identity: undefined, fate: 'elsewhere' }],
  ])('%s', async (_, text, expected) => {
    const path = join(folder(), 'lock');
    if (text !== undefined) writeFileSync(path, text);
    const owner = await ownerOf(path);
    if (expected === undefined) expect(owner).toBeUndefined();
    else expect(owner).toMatchObject(expected);
  });

  testIf(HAS_PIPES)('a pipe, which has no end, is not read', async () => {
    const path = join(folder(), 'lock');
    execFileSync('mkfifo', [path]);
    expect(await ownerOf(path)).toMatchObject({ text: '', identity: undefined, fate: 'elsewhere' });
  });

  test('what the system says is thrown where the folder is missing', async () => {
    await expect(createOwned(join(folder(), 'none', 'lock'), 'x')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test.each([
  ['a relative path', 'none/x', 'no such file or directory; it was looked for at @'],
  ['an absolute path', join(process.cwd(), 'none'), 'no such file or directory'],
  ['a folder', '.', 'it is a folder'],
])('what is said of %s that cannot be read', (_, path, expected) => {
  let said = '';
  try {
    readFileSync(path);
  } catch (error) {
    said = fileTrouble(error, path);
  }
  expect(said.replace(join(process.cwd(), path), '@')).toBe(expected);
});

describe('replaceFile on Windows, where a file that is open cannot be replaced', () => {
  /** A folder cannot be replaced by a file on any system, and can be renamed: as an open file on Windows. */
  function openFile(path: string): void {
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    mkdirSync(path);
  }

  test('moves it aside, under a name that a kill is repaired by, and removes it in the end', async () => {
    const place = folder();
    openFile(join(place, 'site.warc.gz'));
    const { rename } = promises;
    const names: string[] = [];
    vi.spyOn(promises, 'rename').mockImplementation((from, to) => {
      names.push(basename(String(to)));
      return rename(from, to);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    writeFileSync(join(place, 'new'), 'new');
    await replaceFile(join(place, 'new'), join(place, 'site.warc.gz'));
    expect(readdirSync(place)).toEqual(['site.warc.gz']);
    expect(readFileSync(join(place, 'site.warc.gz'), 'utf8')).toBe('new');
    expect(names.filter(isTemporaryName)).toHaveLength(1);
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
