/** §16: a set stays in its directory whatever the directory holds, and can always be written again. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownIdentity, ownMark } from '../../src/runtime/process-identity.ts';
import { type WriteSitemapsOptions, type WrittenSitemaps, writeSitemaps } from '../../src/write/index.ts';
import { SitemapSet } from '../../src/write/sitemap-set.ts';
import { testIf } from '../support/collected.ts';
import { folderUntil } from '../support/folder.ts';
import { MODES_COUNT } from '../support/platform.ts';

/** The folder of new files. */
const STAGING = '.usp-sitemaps-new';
let folder: string;
let directory: string;

beforeEach(() => {
  folder = folderUntil(onTestFinished);
  directory = join(folder, 'public');
  mkdirSync(directory);
});

function write(prefix: string, options: Partial<WriteSitemapsOptions> = {}): Promise<WrittenSitemaps> {
  const pages = [1, 2, 3].map((number) => ({ url: `https://example.org/${prefix}-${number}` }));
  return writeSitemaps(pages, directory, { baseUrl: 'https://example.org/', ...options });
}

function put(path: string, text: string): void {
  writeFileSync(join(directory, path), text);
}

function putManifest(manifest: unknown): void {
  put('.usp-sitemaps.json', JSON.stringify(manifest));
}

function textOf(name: string): string {
  return readFileSync(join(directory, name), 'utf8');
}

/** A set whose commit fails in between: a folder is in the place of the second of three files. */
async function interrupted(): Promise<unknown> {
  const set = await SitemapSet.open(directory);
  for (const name of ['a.xml', 'b.xml', 'c.xml']) {
    const group = set.group(() => name);
    await group.add({ url: `https://example.org/new-${name}` });
    await group.end();
  }
  mkdirSync(join(directory, 'b.xml'));
  return set.commit().catch((error: unknown) => error);
}

describe('a manifest', () => {
  const pending = { renames: [], files: [] };

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a list', []],
    ['numbers for names', { files: [1, 2] }],
    ['lists for names', { files: [['a']] }],
    ['a text for files', { files: 'abc' }],
    ['pending that is nothing', { files: [], pending: null }],
    ['a date that is not one', { files: [], dates: { 'a.xml': 'soon' } }],
    ['a date that has none behind it', { files: [], dates: { 'a.xml': '+275760-09-13T00:00:00.000Z' } }],
    ['no renames', { files: [], pending: { ...pending, renames: undefined } }],
    ['a number for a rename', { files: [], pending: { ...pending, renames: [1] } }],
    ['numbers in a rename', { files: [], pending: { ...pending, renames: [[1, 2, 3]] } }],
    ['a rename to no file of the set', { files: [], pending: { ...pending, renames: [['1', 'a.xml', 1]] } }],
    [
      'a rename that leads out',
      { files: [], pending: { renames: [['../1', 'a.xml', 1]], files: ['a.xml'] } },
    ],
  ])('with %s is refused as damaged', async (_what, manifest) => {
    putManifest(manifest);
    await expect(write('new', { force: true })).rejects.toMatchObject({ code: 'bad-manifest' });
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json']);
  });
});

describe('a symbolic link', () => {
  let outside: string;

  beforeEach(() => {
    outside = join(folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'keep.xml'), 'mine');
  });

  test('in the place of a folder of the old set removes nothing outside', async () => {
    symlinkSync('../outside', join(directory, 'sub'));
    putManifest({ files: ['sub/keep.xml'] });
    await expect(write('new')).rejects.toMatchObject({
      code: 'unwritable',
      message: expect.stringContaining(`${join(directory, 'sub')} is a symbolic link`),
    });
    expect(readdirSync(outside)).toEqual(['keep.xml']);
  });

  test('in the place of a folder of the new set gets nothing written outside', async () => {
    symlinkSync('../outside', join(directory, 'sub'));
    const written = write('new', { force: true, names: 'sub/deep/{n}.xml', maxUrls: 1 });
    await expect(written).rejects.toThrow(`${join(directory, 'sub')} is a symbolic link`);
    expect(readdirSync(outside)).toEqual(['keep.xml']);
    expect(readdirSync(directory)).toEqual(['sub']);
  });

  test('in the place of the folder of new files takes nothing from outside', async () => {
    writeFileSync(join(outside, '1'), 'mine');
    symlinkSync('../outside', join(directory, STAGING));
    putManifest({ files: [], pending: { renames: [['1', 'a.xml', 1]], files: ['a.xml'] } });
    await expect(write('new')).rejects.toThrow(`${join(directory, STAGING)} is a symbolic link`);
    expect(readdirSync(outside).sort()).toEqual(['1', 'keep.xml']);
  });

  test('in the place of the manifest replaces nothing outside', async () => {
    writeFileSync(join(outside, 'manifest'), '{"files":[]}');
    symlinkSync('../outside/manifest', join(directory, '.usp-sitemaps.json'));
    await expect(write('new')).rejects.toThrow('.usp-sitemaps.json is a symbolic link');
    expect(readFileSync(join(outside, 'manifest'), 'utf8')).toBe('{"files":[]}');
  });
});

describe('what cannot be renamed', () => {
  test.each([
    ['too long for a file system', `${'é'.repeat(126)}.xml`],
    ['a folder that is too long', `${'a'.repeat(256)}/sitemap.xml`],
    ['the folder of another name', 'sitemap-1.xml/all.xml'],
  ])('a name that is %s is refused, and the old set stays', async (_what, index) => {
    await write('old');
    await expect(write('new', { index, maxUrls: 2 })).rejects.toMatchObject({ code: 'bad-input' });
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
    expect(textOf('sitemap.xml')).toContain('old-1');
    await write('new');
  });

  testIf(MODES_COUNT)('a file of the set that may not be read is reported, and nothing is left', async () => {
    await write('old');
    chmodSync(join(directory, 'sitemap.xml'), 0o000);
    await expect(write('old')).rejects.toMatchObject({ code: 'unwritable' });
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
  });

  test('a folder in the place of a file of the set is refused, and the old set stays', async () => {
    await write('old', { maxUrls: 2 });
    rmSync(join(directory, 'sitemap-2.xml'));
    mkdirSync(join(directory, 'sitemap-2.xml'));
    await expect(write('new', { maxUrls: 2 })).rejects.toMatchObject({ code: 'file-exists' });
    expect(textOf('sitemap-1.xml')).toContain('old-1');
    expect(textOf('.usp-sitemaps.json')).not.toContain('pending');
  });

  test('a folder in the place of a file that is not needed any more stays', async () => {
    await write('old', { maxUrls: 2 });
    rmSync(join(directory, 'sitemap-2.xml'));
    mkdirSync(join(directory, 'sitemap-2.xml'));
    await write('new');
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'sitemap-2.xml', 'sitemap.xml']);
  });

  test('a set that could not be completed is named, and completed by the next call of the same process', async () => {
    expect(await interrupted()).toMatchObject({
      code: 'unwritable',
      message: expect.stringMatching(
        /b\.xml could not be replaced or removed: .+\. Fix that and write again/,
      ),
    });
    await expect(write('later')).rejects.toThrow(/b\.xml could not be replaced/);
    rmdirSync(join(directory, 'b.xml'));
    await expect(writeSitemaps([], directory, { baseUrl: 'https://example.org/' })).rejects.toMatchObject({
      code: 'no-pages',
    });
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'a.xml', 'b.xml', 'c.xml']);
    for (const name of ['a.xml', 'b.xml', 'c.xml']) expect(textOf(name)).toContain(`new-${name}`);
  });
});

test('an old file that cannot be removed is named, and removed by the next call', async () => {
  await write('old', { index: 'index.xml', maxUrls: 2 });
  const { rm } = promises;
  vi.spyOn(promises, 'rm').mockImplementation(async (path, options) => {
    // As on Windows, while another program has it open.
    if (basename(String(path)) === 'sitemap-2.xml') throw Object.assign(new Error('busy'), { code: 'EBUSY' });
    return rm(path, options);
  });
  syncBuiltinESMExports();
  onTestFinished(restored);
  await expect(write('new')).rejects.toMatchObject({
    code: 'unwritable',
    message: expect.stringMatching(
      /sitemap-2\.xml could not be replaced or removed: .+\. Fix that and write again/,
    ),
  });
  restored();
  await write('new');
  expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
});

function restored(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

describe('new files that are gone before they were renamed', () => {
  test('the old set is not removed, and the next run goes on', async () => {
    await write('old');
    await interrupted();
    rmdirSync(join(directory, 'b.xml'));
    rmSync(join(directory, STAGING), { recursive: true });
    await expect(writeSitemaps([], directory, { baseUrl: 'https://example.org/' })).rejects.toMatchObject({
      code: 'no-pages',
    });
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'a.xml', 'sitemap.xml']);
    expect(textOf('sitemap.xml')).toContain('old-1');
    expect((await write('later')).removed).toEqual(['a.xml']);
  });

  test('an old file of the same name does not count as the new one', async () => {
    await write('old', { maxUrls: 2 });
    const renames = [['1', 'sitemap.xml', 1]];
    const files = ['sitemap-1.xml', 'sitemap-2.xml', 'sitemap.xml'];
    putManifest({ files, pending: { renames, files: ['sitemap.xml'] } });
    await expect(writeSitemaps([], directory, { baseUrl: 'https://example.org/' })).rejects.toMatchObject({
      code: 'no-pages',
    });
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', ...files]);
  });
});

describe('calls that start together', () => {
  test('at least one writes its set, and what is refused leaves nothing', async () => {
    for (let trial = 0; trial < 12; trial++) {
      const calls = ['a', 'b', 'c'].slice(0, 2 + (trial % 2)).map((prefix) => write(`${prefix}${trial}`));
      const results = await Promise.allSettled(calls);
      const failures = results.filter((result) => result.status === 'rejected');
      expect(failures.length).toBeLessThan(calls.length);
      for (const { reason } of failures) expect(reason).toMatchObject({ code: 'directory-in-use' });
      expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
    }
  });

  test('one wins where the directory is not there yet, and it is not removed by the one that loses', async () => {
    const target = join(directory, 'deep/er');
    const pages = [{ url: 'https://example.org/' }];
    const calls = [1, 2].map(() => writeSitemaps(pages, target, { baseUrl: 'https://example.org/' }));
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toContain('fulfilled');
    expect(readdirSync(target)).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
  });

  test('a lock that someone took while a set was written keeps it from being published', async () => {
    await write('old');
    const set = await SitemapSet.open(directory);
    const group = set.group(() => 'sitemap.xml');
    await group.add({ url: 'https://example.org/new' });
    await group.end();
    put('.usp-sitemaps.lock', 'mine');
    await expect(set.commit()).rejects.toMatchObject({ code: 'directory-in-use' });
    expect(textOf('sitemap.xml')).toContain('old-1');
    expect(textOf('.usp-sitemaps.lock')).toBe('mine');
  });
});

describe('what a killed process left', () => {
  test('its lock, its new files and a file that it was about to rename do not keep the next set from being written', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await write('old');
    put('.usp-sitemaps.lock', JSON.stringify({ ...ownIdentity(), pid, started: '1' }));
    put(`.usp-${ownMark().replace(`-${process.pid}-`, `-${pid}-`)}-deadbeef.tmp`, 'half');
    mkdirSync(join(directory, STAGING));
    put(`${STAGING}/1`, 'half');
    await write('new');
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
    expect(textOf('sitemap.xml')).toContain('new-1');
  });
});

describe('folders', () => {
  test('nested ones that are empty in the end are removed at every level', async () => {
    await write('old', { names: 'a/b/c/{n}.xml', maxUrls: 1 });
    await write('old');
    expect(readdirSync(directory)).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
    await write('new');
  });

  test('a run that fails leaves no directory that it made, and those that were there', async () => {
    for (const options of [{}, { index: 'x/../sitemap.xml' }]) {
      const pages = 'index' in options ? [{ url: 'https://example.org/' }] : [];
      await expect(
        writeSitemaps(pages, join(directory, 'a/b'), { baseUrl: 'https://example.org/', ...options }),
      ).rejects.toThrow();
      expect(readdirSync(folder, { recursive: true })).toEqual(['public']);
    }
  });

  test('a run that is ended before the first rename leaves no folder of the set', async () => {
    const controller = new AbortController();
    const set = await SitemapSet.open(directory, { signal: controller.signal });
    const group = set.group(() => 'a/b/c.xml');
    await group.add({ url: 'https://example.org/' });
    await group.end();
    controller.abort(new Error('enough'));
    await expect(set.commit()).rejects.toThrow('enough');
    expect(readdirSync(directory)).toEqual([]);
  });
});
