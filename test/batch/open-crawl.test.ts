/** §14: the folder of a crawl is opened again, and the crawl goes on. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folderUnwritable, OpenCrawl } from '../../src/batch/open-crawl.ts';
import { SitemapException } from '../../src/index.ts';
import { crawlPath, finishedSite } from '../support/crawl-folders.ts';
import { folder } from '../support/folder.ts';

test('a crawl that is continued with another version has the version of its last run, for workers too', async () => {
  const path = crawlPath();
  const opened = async (version: string): Promise<OpenCrawl> => {
    const crawl = await OpenCrawl.open(path, () => ({ version, format: 'ndjson', options: {} }));
    onTestFinished(() => crawl.close());
    return crawl;
  };
  const first = await opened('1.0.0');
  await first.describe({});
  await first.close();
  const last = await opened('1.0.1');
  expect(last.description).toMatchObject({ id: first.description.id, version: '1.0.1' });
  await last.describe({});
  expect(JSON.parse(readFileSync(last.folder.description, 'utf8'))).toEqual(last.description);
});

const WANTED = { version: '1.0.0', format: 'ndjson', options: { include: ['a'] } } as const;

async function opened(path: string, wanted: Partial<typeof WANTED> = {}): Promise<OpenCrawl> {
  const crawl = await OpenCrawl.open(path, () => ({ ...WANTED, ...wanted }));
  onTestFinished(() => crawl.close());
  return crawl;
}

test('a crawl that goes on keeps its id, its key, its format and its start, and has the options of now', async () => {
  const path = crawlPath();
  const first = await opened(path);
  expect(first.description).toMatchObject({
    ...{ ...WANTED, state: 'running', sites: 0 },
    finished: { complete: 0, partial: 0, none: 0, failed: 0, pages: 0 },
  });
  expect(first.description.id).not.toBe(first.description.key);
  await first.journal.publish({ part: undefined, sites: [finishedSite('https://a.example/', 0)] });
  await first.describe({ state: 'stopped', sites: 7 });
  await first.close();
  const read = JSON.parse(readFileSync(join(path, 'crawl.json'), 'utf8'));
  expect(read).toMatchObject({ state: 'stopped', sites: 7, finished: { complete: 1, failed: 0, pages: 0 } });
  const seen: unknown[] = [];
  const second = await OpenCrawl.open(path, (earlier) => {
    seen.push(earlier);
    return { version: '2.0.0', format: 'csv', options: { exclude: ['b'] } };
  });
  onTestFinished(() => second.close());
  expect(seen).toEqual([read]);
  expect(second.description).toEqual({ ...read, version: '2.0.0', options: { exclude: ['b'] } });
  expect(second.journal.has('https://a.example/')).toBe(true);
});

test('a folder is opened by one at a time, and by the next one once it is closed or was refused', async () => {
  const path = crawlPath();
  const first = await opened(path);
  await first.describe({});
  await expect(opened(path)).rejects.toMatchObject({
    code: 'folder-in-use',
    message:
      `Another usp crawl is at work in ${path}: process ${process.pid} on ${hostname()}. Wait until it has ended, or stop ` +
      `it. If that process is not a crawl, remove ${join(path, '.tmp', 'crawl.lock')}.`,
  });
  await first.close();
  const refusal = new Error('another crawl');
  const refused = OpenCrawl.open(path, () => {
    throw refusal;
  });
  await expect(refused).rejects.toBe(refusal);
  writeFileSync(join(path, 'sites.ndjson'), 'x\n');
  await expect(opened(path)).rejects.toMatchObject({ code: 'journal-damaged' });
  writeFileSync(join(path, 'sites.ndjson'), '');
  await opened(path);
});

test.each([
  [['a.txt'], 'a.txt'],
  [['pages', '.tmp', 'x'], 'x'],
  [['a', 'b', 'c', 'd'], 'a, b, c'],
  [['archives'], 'archives'],
])('a folder with %j is not that of a crawl, and stays as it is', async (names, shown) => {
  const path = folder();
  for (const name of names) mkdirSync(join(path, name));
  await expect(opened(path)).rejects.toMatchObject({
    code: 'not-a-crawl',
    message: `${path} is not the folder of a crawl: it has ${shown}. Give -o another folder, or an empty one.`,
  });
  expect(readdirSync(path).sort()).toEqual([...names].sort());
});

test('errors of the system are a sentence about the folder; others stay as they are', () => {
  const rest = 'What is finished is kept; run the same command again to continue.';
  const full = Object.assign(new Error('x'), { code: 'ENOSPC', errno: -constants.errno.ENOSPC });
  const said = (error: unknown): unknown => Reflect.get(Object(folderUnwritable('/c', error)), 'message');
  expect(said(full)).toBe(`/c cannot be written: no space is left on the device. ${rest}`);
  expect(folderUnwritable('/c', full)).toMatchObject({ code: 'folder-unwritable', cause: full });
  const link = new SitemapException('/c/pages is a link.', { code: 'folder-unwritable' });
  expect(said(link)).toBe(`/c cannot be written: /c/pages is a link. ${rest}`);
  for (const other of [new TypeError('bug'), new SitemapException('x', { code: 'folder-in-use' }), 'text'])
    expect(folderUnwritable('/c', other)).toBe(other);
});
