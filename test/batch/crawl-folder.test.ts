/** §14, §14.1: the names in the folder of a crawl, its description, and the folders of processes in it. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  archiveOf,
  createWorkerFolder,
  folderOfCrawl,
  isCount,
  isOutcome,
  isPart,
  isRecord,
  isState,
  makeFolderOfArchive,
  makeFolders,
  partName,
  partNumber,
  readDescription,
  removeAbandoned,
  UUID,
  workersFolder,
} from '../../src/batch/crawl-folder.ts';
import { ownMark } from '../../src/runtime/process-identity.ts';
import { testIf } from '../support/collected.ts';
import { folder } from '../support/folder.ts';
import { HAS_LINKS, IS_POSIX } from '../support/platform.ts';

describe('the archive of a site', () => {
  test.each([
    ['https://a.example/', 'a.example'],
    ['http://a.example:8080/', 'a.example_8080'],
    ['http://[::1]:80/x/', '___1_'],
    ['https://a-b_c.example/path?x', 'a-b_c.example'],
    [`https://${'a'.repeat(60)}.${'b'.repeat(60)}.example/`, `${'a'.repeat(60)}.${'b'.repeat(19)}`],
  ])('%s has the name of its host, and a hash of all of it', (site, name) => {
    const hash = createHash('sha256').update(site).digest('hex');
    expect(archiveOf(site)).toBe(`archives/${hash.slice(0, 2)}/${name}-${hash.slice(0, 16)}.warc.gz`);
  });

  test('is another one for another scheme, port or path', () => {
    const sites = ['https://a.example/', 'http://a.example/', 'https://a.example/x/', 'https://a.example:1/'];
    expect(new Set(sites.map(archiveOf)).size).toBe(sites.length);
  });
});

describe('the name of a part', () => {
  test.each([
    [1, 'parquet', 'part-00000001.0123abcd.parquet'],
    [99_999_999, 'ndjson', 'part-99999999.0123abcd.ndjson.gz'],
    [100_000_000, 'csv', 'part-100000000.0123abcd.csv.gz'],
    [1e15 - 1, 'csv', 'part-999999999999999.0123abcd.csv.gz'],
  ] as const)('%d in %s', (number, format, name) => {
    expect(partName(number, '0123abcd', format)).toBe(name);
    expect([isPart(`pages/${name}`), partNumber(name)]).toEqual([true, number]);
  });

  test.each([
    'part-00000001.0123abcd.parquet',
    'pages/part-0000001.0123abcd.parquet',
    'pages/part-1000000000000000.0123abcd.parquet',
    'pages/part-00000001.0123abc.parquet',
    'pages/part-00000001.0123abcde.parquet',
    'pages/part-00000001.0123ABCD.parquet',
    'pages/part-00000001.parquet',
    'pages/part-00000001.0123abcd.parquet.gz',
    'pages/part-00000001.0123abcd.ndjson',
    'pages/part-00000001.0123abcd.csv',
    'pages/part-00000001.0123abcd',
    'pages/part-00000001.0123abcd.parquet\n',
    'x/pages/part-00000001.0123abcd.parquet',
    'pages/../part-00000001.0123abcd.parquet',
    7,
    undefined,
  ])('%j is none', (name) => {
    expect(isPart(name)).toBe(false);
  });

  test.each([
    ['part-00000007.x', 7],
    ['part-7.', 7],
    ['part-7', undefined],
    ['xpart-7.a', undefined],
    ['part-.a', undefined],
    ['sites-0123abcd.ndjson', undefined],
  ])('the number of %s is %s', (name, number) => {
    expect(partNumber(name)).toBe(number);
  });
});

test('what values are', () => {
  const values = [0, 1, -1, 1.5, Number.NaN, 2 ** 53, 2 ** 53 - 1, '1', null, undefined];
  expect(values.filter(isCount)).toEqual([0, 1, 2 ** 53 - 1]);
  expect([{}, [], null, 'x', 1, undefined].map(isRecord)).toEqual([true, false, false, false, false, false]);
  const words = ['complete', 'partial', 'none', 'failed', 'running', 'stopped', 'done', 'toString', '', 1];
  expect(words.filter(isOutcome)).toEqual(['complete', 'partial', 'none', 'failed']);
  expect(words.filter(isState)).toEqual(['running', 'stopped', 'done']);
  const id = '01234567-89ab-cdef-0123-456789abcdef';
  const ids = [id, `x${id}`, `${id}x`, id.toUpperCase(), id.replaceAll('-', ''), id.slice(1), `${id}\n`];
  expect(ids.map((each) => UUID.test(each))).toEqual([true, ...Array(6).fill(false)]);
});

describe('crawl.json', () => {
  const GOOD = {
    id: '01234567-89ab-cdef-0123-456789abcdef',
    key: '01234567-89ab-cdef-0123-456789abcdef',
    version: '1.2.3',
    format: 'ndjson',
    options: { include: ['a', 'b'], maxPages: 3, robots: false, since: '2024' },
    state: 'running',
    sites: 3,
    startedAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T03:04:05.000Z',
    finished: { complete: 0, partial: 0, none: 0, failed: 0, pages: 0 },
  };

  async function read(text: string | undefined) {
    const crawl = folderOfCrawl(folder());
    if (text !== undefined) writeFileSync(crawl.description, text);
    return { crawl, result: await readDescription(crawl).catch((error: Error) => error) };
  }

  test('is read as it was written; there need not be one', async () => {
    expect((await read(JSON.stringify(GOOD))).result).toEqual(GOOD);
    expect((await read(undefined)).result).toBeUndefined();
  });

  test.each<[string, object]>([
    ['no id', { id: undefined }],
    ['an id of another form', { id: 'x' }],
    ['a key that is not of ours', { key: '../x' }],
    ['no key', { key: undefined }],
    ['a number for its version', { version: 1 }],
    ['no format', { format: undefined }],
    ['another format', { format: 'xml' }],
    ['a list for its options', { options: [] }],
    ['an option that is nothing', { options: { since: null } }],
    ['an option that is a list of lists', { options: { include: [['a']] } }],
    ['another state', { state: 'finished' }],
    ['fewer sites than none', { sites: -1 }],
    ['half a site', { sites: 1.5 }],
    ['no start', { startedAt: undefined }],
    ['no time', { updatedAt: 5 }],
    ['a list for its counts', { finished: [] }],
    ...['complete', 'partial', 'none', 'failed', 'pages'].map((name): [string, object] => [
      `no count of ${name}`,
      { finished: { ...GOOD.finished, [name]: undefined } },
    ]),
  ])('with %s is refused', async (_, change) => {
    const { crawl, result } = await read(JSON.stringify({ ...GOOD, ...change }));
    expect(result).toMatchObject({
      code: 'not-a-crawl',
      message: `${crawl.description} is damaged, or usp crawl did not write it.`,
    });
  });

  test.each(['', 'null', '[]', '{', '"x"'])('%j is refused', async (text) => {
    expect((await read(text)).result).toMatchObject({
      code: 'not-a-crawl',
      message: expect.stringContaining('is damaged'),
    });
  });

  test('with a field that is not known is one of another version', async () => {
    const { crawl, result } = await read(JSON.stringify({ ...GOOD, toString: 1, replaced: {} }));
    expect(result).toMatchObject({
      code: 'not-a-crawl',
      message:
        `${crawl.description} has "toString", which this version of usp crawl does not know: another one wrote it. ` +
        'Continue with that version, or give -o another folder.',
    });
  });

  test('that is a folder cannot be read', async () => {
    const crawl = folderOfCrawl(folder());
    mkdirSync(crawl.description);
    await expect(readDescription(crawl)).rejects.toMatchObject({
      code: 'not-a-crawl',
      message: `${crawl.path} cannot be read as the folder of a crawl: it is a folder.`,
    });
  });
});

describe('the folders of a crawl', () => {
  test('are made once, and may be there', async () => {
    const crawl = folderOfCrawl(join(folder(), 'a', 'crawl'));
    for (let time = 0; time < 2; time++) await makeFolders(crawl);
    expect(readdirSync(crawl.path).sort()).toEqual(['.tmp', 'pages']);
    expect(readdirSync(crawl.temporary)).toEqual(['handed']);
    const archive = archiveOf('https://a.example/');
    for (let time = 0; time < 2; time++)
      expect(await makeFolderOfArchive(crawl.path, archive)).toBe(join(crawl.path, archive));
    expect(existsSync(join(crawl.path, archive, '..'))).toBe(true);
    expect(existsSync(join(crawl.path, archive))).toBe(false);
  });

  test.each(['pages', '.tmp', '.tmp/handed', 'sites.ndjson', 'crawl.json'])(
    'are not made where %s is something else',
    async (name) => {
      const crawl = folderOfCrawl(folder());
      const isFile = name.includes('json');
      if (name.includes('/')) mkdirSync(crawl.temporary);
      if (isFile) mkdirSync(join(crawl.path, name));
      else writeFileSync(join(crawl.path, name), '');
      await expect(makeFolders(crawl)).rejects.toMatchObject({
        code: 'folder-unwritable',
        message: expect.stringContaining(
          `${join(crawl.path, name)} is ${isFile ? 'not a file, where a file' : 'a file, where a folder'}`,
        ),
      });
    },
  );

  testIf(HAS_LINKS)('of an archive are no links, and neither is the archive', async () => {
    const archive = archiveOf('https://a.example/');
    const parts = archive.split('/');
    for (const depth of [1, 2, 3]) {
      const [path, victim] = [folder(), folder()];
      const link = parts.slice(0, depth).join('/');
      mkdirSync(join(path, link, '..'), { recursive: true });
      symlinkSync(victim, join(path, link));
      await expect(makeFolderOfArchive(path, archive)).rejects.toMatchObject({
        code: 'folder-unwritable',
        message: expect.stringContaining(`${join(path, link)} is a symbolic link`),
      });
      expect(readdirSync(victim)).toEqual([]);
    }
  });
});

describe('the folder of a process', () => {
  const HOUR = 3_600_000;
  const [host, ...rest] = ownMark().split('-');
  const other = ['0123456789ab', ...rest].join('-');

  test('is its own, and is removed with all that is in it', async () => {
    const temporary = folder();
    const [one, two] = [await createWorkerFolder({ temporary }), await createWorkerFolder({ temporary })];
    expect(readdirSync(temporary)).toHaveLength(2);
    writeFileSync(join(one.path, 'part'), '');
    await removeAbandoned({ temporary });
    await one.remove();
    expect(readdirSync(temporary).map((name) => join(temporary, name))).toEqual([two.path]);
    await two.remove();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('shows a sign of life every minute, until it is removed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { path, remove } = await createWorkerFolder({ temporary: folder() });
    utimesSync(path, 1, 1);
    vi.advanceTimersByTime(60_000);
    await expect.poll(() => statSync(path).mtimeMs).toBeGreaterThan(1_000);
    await remove();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['of another machine, of an hour ago', `w-${other}-0123abcd`, HOUR, true],
    ['of another machine, of 23 hours ago', `w-${other}-0123abcd`, 23 * HOUR, true],
    ['of another machine, of 25 hours ago', `w-${other}-0123abcd`, 25 * HOUR, false],
    ['that no process is named by, of a moment ago', 'w-0-0123abcd', 0, true],
    ['that no process is named by, of long ago', 'w-0-0123abcd', 25 * HOUR, false],
    ['with another name', 'other', 25 * HOUR, true],
    ['with another beginning', `xw-${other}-0123abcd`, 25 * HOUR, true],
    ['with another ending', `w-${other}-0123abcd.x`, 25 * HOUR, true],
    [
      'of a dead process',
      `w-${[host, ...rest].join('-').replace(/-\d+-(\d+)$/, '-999999999-$1')}-0123abcd`,
      0,
      false,
    ],
  ])('%s', async (_, name, age, stays) => {
    const temporary = folder();
    mkdirSync(join(temporary, name, 'inner'), { recursive: true });
    const at = new Date(statSync(temporary).mtimeMs - age);
    utimesSync(join(temporary, name), at, at);
    await removeAbandoned({ temporary });
    expect(readdirSync(temporary)).toEqual(stays ? [name] : []);
  });

  testIf(IS_POSIX)('is among those of this user alone, on a worker', async () => {
    const place = folder();
    vi.stubEnv('TMPDIR', place);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { temporary } = await workersFolder();
    expect(temporary).toBe(join(place, `usp-workers-${process.getuid?.()}`));
    expect(statSync(temporary).mode & 0o777).toBe(0o700);
    mkdirSync(join(temporary, `w-${ownMark().replace(/-\d+-(\d+)$/, '-999999999-$1')}-0123abcd`));
    await workersFolder();
    expect(readdirSync(temporary)).toEqual([]);
    const getuid = process.getuid!;
    const uid = getuid();
    process.getuid = () => 54_321;
    onTestFinished(() => {
      process.getuid = getuid;
    });
    mkdirSync(join(place, 'usp-workers-54321'));
    expect(uid).not.toBe(54_321);
    await expect(workersFolder()).rejects.toMatchObject({
      code: 'folder-unwritable',
      message: `${join(place, 'usp-workers-54321')} belongs to another user. Set TMPDIR to a folder of your own.`,
    });
    writeFileSync(join(place, 'file'), '');
    vi.stubEnv('TMPDIR', join(place, 'file'));
    await expect(workersFolder()).rejects.toMatchObject({
      code: 'folder-unwritable',
      message: expect.stringMatching(/ cannot be written: a part of its path is not a folder\. Set TMPDIR/),
    });
  });
});
