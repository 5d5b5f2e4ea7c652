/** Folders that are made, and files that take the name of another one, on every system. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import timers from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createOwned,
  errorCode,
  fileTrouble,
  isTemporaryName,
  makeFolder,
  ownerOf,
  ReplacedFile,
  removeLeftovers,
  replaceFile,
  systemError,
  writeTarget,
} from '../../src/runtime/files.ts';
import { ownIdentity, ownMark } from '../../src/runtime/process-identity.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { folder, openFiles } from '../support/folder.ts';
import { CAN_CHOWN, HAS_LINKS, HAS_PIPES, IS_LINUX, IS_POSIX } from '../support/platform.ts';

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

  testIf(HAS_LINKS)('takes a link to a folder for one', async () => {
    const place = folder();
    mkdirSync(join(place, 'real'));
    symlinkSync(join(place, 'real'), join(place, 'link'));
    expect(await makeFolder(join(place, 'link'))).toEqual([]);
    expect(await makeFolder(join(place, 'link', 'a', 'b'))).toEqual([
      join(place, 'link', 'a'),
      join(place, 'link', 'a', 'b'),
    ]);
    expect(readdirSync(join(place, 'real', 'a'))).toEqual(['b']);
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
  /** Links of which each leads to the next one, and the last one to `file`. */
  function chain(length: number): Readonly<Record<string, string>> {
    const numbers = Array.from({ length }, (_, at) => at + 1);
    return Object.fromEntries(
      numbers.map((number) => [`link${number}`, number === length ? 'file' : `link${number + 1}`]),
    );
  }

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
    [
      'no file yet behind a link to a folder that is named by a link',
      { way: 'deep', a: 'way/none' },
      'a',
      'a',
      false,
    ],
    ['a link in a folder, which leads on from there', { 'deep/a': '../file' }, 'deep/a', 'file', true],
    ['a link through a folder and back', { way: 'deep/er' }, 'way/../../file', 'file', true],
    ['a path with empty parts', {}, 'deep//er/./..//../file', 'file', true],
    ['as many links as one path may have', chain(40), 'link1', 'file', true],
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
    ['one link more than a path may have', chain(41), 'link1', 'too many symbolic links'],
  ])('%s is refused', async (_, links, path, message) => {
    await expect(writeTarget(join(place(links), path))).rejects.toThrow(message);
  });

  test.each([
    ['/dev/null', { type: 'special', path: '/dev/null' }],
    ['/dev/fd/7', { type: 'descriptor', fd: 7 }],
    [`/proc/${process.pid}/fd/7`, { type: 'descriptor', fd: 7 }],
    ['/proc/self/fd/12', { type: 'descriptor', fd: 12 }],
    ['/proc/thread-self/fd/0', { type: 'descriptor', fd: 0 }],
    ['/dev/./fd//3', { type: 'descriptor', fd: 3 }],
  ])('%s is not replaced', async (path, target) => {
    expect(await writeTarget(path)).toEqual(target);
    await expect(ReplacedFile.open(path)).rejects.toThrow('something else than a file');
  });
});

testIf(IS_LINUX).each([
  `/proc/${process.ppid}/fd/7654`,
  '/dev/fd/7654/x',
  '/dev/fd/7x',
  '/dev/fdx/7',
  '/proc/self/fdinfo/7',
])('%s names no open file of this process', async (path) => {
  expect((await writeTarget(path)).type).not.toBe('descriptor');
});

describeIf(CAN_CHOWN && HAS_LINKS, 'a link on the way', () => {
  const [OTHER, THIRD] = [54_321, 54_322];
  const WHY = 'belongs to another user, in a folder that everyone may write to';

  test.each([
    ['of another user in a folder that all may write to', 0o1777, OTHER, 0, WHY],
    ['of another user in a folder of a third one', 0o1777, OTHER, THIRD, WHY],
    ['of the owner of that folder', 0o1777, OTHER, OTHER, undefined],
    ['of our own', 0o1777, 0, OTHER, undefined],
    ['of another user in a folder of others, which is not sticky', 0o777, OTHER, 0, undefined],
    ['of another user in a sticky folder of its owner alone', 0o1755, OTHER, 0, undefined],
  ])('%s', async (_, mode, owner, ownerOfFolder, why) => {
    const [shared, own] = [realpathSync(folder()), realpathSync(folder())];
    for (const name of ['link', 'way']) {
      symlinkSync(name === 'way' ? own : join(own, 'file'), join(shared, name));
      lchownSync(join(shared, name), owner, owner);
    }
    chownSync(shared, ownerOfFolder, 0);
    chmodSync(shared, mode);
    for (const path of ['link', 'way/file']) {
      const target = writeTarget(join(shared, path));
      if (why === undefined) expect((await target).type).toBe('file');
      else await expect(target).rejects.toThrow(why);
    }
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
  ['EISDIR', 'it is a folder'],
  ['ENOSPC', 'no space is left on the device'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['EPERM', 'not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'permission denied'],
  ['EMFILE', 'too many open files'],
  ['ENOENT', 'no such file or directory'],
] as const)('what is said of %s', (code, expected) => {
  const error = Object.assign(new Error(`${code}: x, open 'y'`), { code, errno: -constants.errno[code] });
  expect([fileTrouble(error), systemError(error)?.[0]]).toEqual([expected, code]);
  expect(fileTrouble(error, '/a')).toBe(expected);
  // Only what is not found is looked for somewhere.
  expect(fileTrouble(error, 'a').includes(process.cwd())).toBe(code === 'ENOENT');
});

test.each([
  // The numbers of zlib are those of other errors of the system.
  [
    'an error of zlib',
    Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR', errno: -3 }),
    'incorrect header check',
  ],
  ['an error with a code of Node', Object.assign(new Error('no'), { code: 'ERR_X' }), 'no'],
  ['another error', new TypeError('is not a function'), 'is not a function'],
  ['what is no error', 'text', 'text'],
])('what is said of %s', (_, error, expected) => {
  expect([fileTrouble(error, 'x'), systemError(error)]).toEqual([expected, undefined]);
  expect(errorCode(error)).toBe(error instanceof Error && 'code' in error ? error.code : '');
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

  /** Has the first calls of `rename` fail with these codes, without a pause, and gives the names that were renamed. */
  function failingRenames(...codes: readonly (string | undefined)[]): [string, string][] {
    const { rename } = promises;
    const calls: [string, string][] = [];
    vi.spyOn(promises, 'rename').mockImplementation((from, to) => {
      const code = codes[calls.length];
      const name = (path: unknown): string =>
        isTemporaryName(basename(String(path))) ? 'aside' : basename(String(path));
      calls.push([name(from), name(to)]);
      return code === undefined ? rename(from, to) : Promise.reject(Object.assign(new Error(code), { code }));
    });
    vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    return calls;
  }

  const AT_ONCE = ['new', 'site'];
  const [ASIDE, AGAIN] = [['site', 'aside'], AT_ONCE];
  test.each<
    readonly [
      string,
      readonly (string | undefined)[],
      readonly (readonly string[])[],
      string | undefined,
      object,
    ]
  >([
    ['is replaced at once where that succeeds', [], [AT_ONCE], undefined, { site: 'new' }],
    ['is moved aside', ['EPERM'], [AT_ONCE, ASIDE, AGAIN], undefined, { site: 'new' }],
    [
      'gets its name back where the new file cannot have it',
      ['EPERM', undefined, 'EIO'],
      [AT_ONCE, ASIDE, AGAIN, ['aside', 'site']],
      'EIO',
      { new: 'new', site: 'old' },
    ],
    [
      'stays where it cannot be moved',
      ['EPERM', 'EIO'],
      [AT_ONCE, ASIDE],
      'EIO',
      { new: 'new', site: 'old' },
    ],
    [
      'is tried again where a scanner has it open',
      ['EBUSY', 'EACCES'],
      [AT_ONCE, ASIDE, ASIDE, AGAIN],
      undefined,
      { site: 'new' },
    ],
    [
      'is tried again where a scanner has the new one open',
      ['EPERM', undefined, 'EPERM'],
      [AT_ONCE, ASIDE, AGAIN, AGAIN],
      undefined,
      { site: 'new' },
    ],
    [
      'is tried five times in all',
      Array(5).fill('EBUSY'),
      [AT_ONCE, ...Array(5).fill(ASIDE), AGAIN],
      undefined,
      { site: 'new' },
    ],
    [
      'stays where the fifth time fails',
      ['EPERM', ...Array(5).fill('EBUSY')],
      [AT_ONCE, ...Array(5).fill(ASIDE)],
      'EBUSY',
      { new: 'new', site: 'old' },
    ],
    ['need not be there', ['EBUSY', 'ENOENT'], [AT_ONCE, ASIDE, AGAIN], undefined, { site: 'new' }],
    ['stays where the new one is gone', ['ENOENT'], [AT_ONCE], 'ENOENT', { new: 'new', site: 'old' }],
  ])('%s', async (_, codes, expected, code, files) => {
    const place = folder();
    openFile(join(place, 'unused'));
    rmdirSync(join(place, 'unused'));
    writeFileSync(join(place, 'new'), 'new');
    writeFileSync(join(place, 'site'), 'old');
    const calls = failingRenames(...codes);
    const replacing = replaceFile(join(place, 'new'), join(place, 'site'));
    if (code === undefined) await replacing;
    else await expect(replacing).rejects.toMatchObject({ code });
    expect(calls).toEqual(expected);
    const found = readdirSync(place).map((name) => [name, readFileSync(join(place, name), 'utf8')]);
    expect(Object.fromEntries(found)).toEqual(files);
  });

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

describe('temporary files that a kill left', () => {
  const [host, boot, space, pid, started] = ownMark().split('-');
  const nameOf = (mark: readonly unknown[], ending = 'tmp'): string =>
    `.usp-${mark.join('-')}-0123abcd.${ending}`;
  const dead = [host, boot, space, 2 ** 31 - 1, started];

  test.each([
    ['of a dead process is removed', nameOf(dead), false],
    ['of this one stays', nameOf([host, boot, space, pid, started]), true],
    ['of another host stays', nameOf(['0123456789ab', boot, space, 2 ** 31 - 1, started]), true],
    ['of another container stays', nameOf([host, boot, '0123456789ab', 2 ** 31 - 1, started]), true],
    ['of something else stays', '.usp-notes-0123abcd.tmp', true],
    ['of another name stays', `${nameOf(dead)}.gz`, true],
    ['of another beginning stays', `x${nameOf(dead)}`, true],
    ['of another ending stays', nameOf(dead, 'temporary'), true],
    ['that says of no file that it was moved stays', nameOf(dead, 'old-'), true],
  ])('a file %s', async (_, name, stays) => {
    const place = folder();
    for (const each of [name, 'file']) writeFileSync(join(place, each), '');
    await removeLeftovers(place);
    expect(readdirSync(place).sort()).toEqual(stays ? [name, 'file'].sort() : ['file']);
  });

  test('a folder by such a name stays, and a folder that is not there is none', async () => {
    const place = folder();
    mkdirSync(join(place, nameOf(dead)));
    await removeLeftovers(place);
    expect(readdirSync(place)).toEqual([nameOf(dead)]);
    await expect(removeLeftovers(join(place, 'none'))).resolves.toBeUndefined();
  });

  test('a file of before this boot is of a dead process, where the boot is not known', async () => {
    const place = folder();
    const name = nameOf([host, 0, space, pid, started]);
    writeFileSync(join(place, name), '');
    // The clock of the file system may be another one.
    utimesSync(join(place, name), new Date(), new Date());
    await removeLeftovers(place);
    expect(readdirSync(place)).toEqual([name]);
    utimesSync(join(place, name), 1, 1);
    await removeLeftovers(place);
    expect(readdirSync(place)).toEqual([]);
  });

  testIf(CAN_CHOWN)('a file of another user stays', async () => {
    const place = folder();
    writeFileSync(join(place, nameOf(dead)), '');
    chownSync(join(place, nameOf(dead)), 54_321, 54_321);
    await removeLeftovers(place);
    expect(readdirSync(place)).toHaveLength(1);
  });

  test('are removed when a file beside them is replaced', async () => {
    const place = folder();
    writeFileSync(join(place, nameOf(dead)), '');
    await ReplacedFile.write(join(place, 'file'), 'new');
    expect([readdirSync(place), readFileSync(join(place, 'file'), 'utf8')]).toEqual([['file'], 'new']);
  });
});
