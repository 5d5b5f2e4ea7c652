/** §14.1: the folder of a crawl may come from others, so nothing in it leads out of it. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { usp } from '../support/cli-world.ts';
import { crawlHere, QUICK_CRAWL } from '../support/crawl-command.ts';
import { crawlPath, linesOf } from '../support/crawl-folders.ts';
import { folderUntil } from '../support/folder.ts';
import { type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { HAS_LINKS, HAS_PIPES } from '../support/platform.ts';

const COUNT = 3;
let sites: LoopbackSites;
/** The folder of a finished crawl, which tests copy. */
let original: string;

const ends: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

beforeAll(async () => {
  sites = await loopbackSites({ onEnd: (end) => ends.push(end) });
  original = crawlPath((end) => ends.push(end));
  expect((await crawl(original)).code).toBe(0);
});

function crawl(path: string, ...more: readonly string[]) {
  const numbers = Array.from({ length: COUNT }, (_, number) => sites.homepage(number + 1));
  const flags = [...QUICK_CRAWL, '--archives', '--processes', '1', ...more];
  return crawlHere(['crawl', '-', '-o', path, ...flags], { stdin: numbers.join('\n') });
}

/** A copy of the folder, with a folder of someone else beside it. */
function copied(): { readonly path: string; readonly victim: string } {
  const parent = folderUntil(onTestFinished);
  const [path, victim] = [join(parent, 'crawl'), join(parent, 'victim')];
  cpSync(original, path, { recursive: true });
  mkdirSync(victim);
  writeFileSync(join(victim, 'file'), 'of someone else');
  return { path, victim };
}

/** Changes each line of the journal. */
function changeLines(path: string, changes: Readonly<Record<string, unknown>>): void {
  const lines = linesOf(path).map((line) => `${JSON.stringify({ ...line, ...changes })}\n`);
  writeFileSync(join(path, 'sites.ndjson'), lines.join(''));
}

describe('a line of the journal with another value than we write is damaged', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['a part beside the folder', { parts: ['../victim'], partBytes: 1 }],
    ['a part beside pages/', { parts: ['pages/../../victim'] }],
    ['a part at an absolute path', { parts: ['/victim'] }],
    [
      'a file in a folder that is not that of parts',
      { parts: ['archives/part-00000001.0123abcd.ndjson.gz'] },
    ],
    ['a part of another format', { parts: ['pages/part-00000001.0123abcd.exe'] }],
    ['a part without a run', { parts: ['pages/part-00000001.ndjson.gz'] }],
    ['a number for a part', { parts: [5] }],
    ['a text for parts', { parts: 'pages' }],
    ['a text for bytes', { partBytes: '5' }],
    ['an archive beside the folder', { archive: '../victim/file' }],
    ['the archive of another site', { archive: 'archives/00/a.example-0123456789abcdef.warc.gz' }],
    ['an unknown outcome', { outcome: '__proto__' }],
    ['a batch that no name has digits for', { batch: 1e300 }],
    ['a batch of no lines', { of: 0.5 }],
  ])('%s', async (_what, changes) => {
    const { path, victim } = copied();
    changeLines(path, changes);
    const before = readFileSync(join(path, 'sites.ndjson'), 'utf8');
    for (const flags of [[], ['--verify'], ['--retry-failed']]) {
      const { code, stderr } = await crawl(path, ...flags);
      expect([code, stderr]).toEqual([2, expect.stringContaining('sites.ndjson is damaged at line 1')]);
    }
    const compared = await usp(['diff', path, original]);
    expect(compared).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged at line 1') });
    expect(readdirSync(victim)).toEqual(['file']);
    expect(readFileSync(join(path, 'sites.ndjson'), 'utf8')).toBe(before);
  });

  test('a line without an end', async () => {
    const { path } = copied();
    writeFileSync(join(path, 'sites.ndjson'), 'x'.repeat(5_000_000));
    const { code, stderr } = await crawl(path);
    expect([code, stderr]).toEqual([2, expect.stringContaining('sites.ndjson is damaged at line 1')]);
  });
});

describe('a crawl.json with another value than we write is refused', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['another id', { id: '../x' }],
    ['another format', { format: 'constructor' }],
    ['nothing for options', { options: null }],
    ['an option that is an object', { options: { include: [{}] } }],
    ['another state', { state: 'toString' }],
    ['no counts', { finished: null }],
    ['a text for a count', { finished: { complete: 1, partial: 0, none: 0, failed: 0, pages: 'many' } }],
  ])('%s', async (_what, changes) => {
    const { path } = copied();
    const file = join(path, 'crawl.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changes }));
    const refused = {
      code: 2,
      stderr: expect.stringContaining('crawl.json is damaged, or usp crawl did not write it'),
    };
    expect(await crawl(path)).toMatchObject(refused);
    expect(await usp(['diff', path, original])).toMatchObject(refused);
  });
});

/** Damages the inside of each part, so that its size stays the same. */
function damageParts(path: string): void {
  for (const name of readdirSync(join(path, 'pages'))) {
    const bytes = readFileSync(join(path, 'pages', name));
    bytes.fill(0xff, 20);
    writeFileSync(join(path, 'pages', name), bytes);
  }
}

test('a part that cannot be inflated is named as damaged, in words that are not of the system', async () => {
  const { path } = copied();
  damageParts(path);
  const compared = await usp(['diff', path, original]);
  expect(compared.code).toBe(2);
  expect(compared.stderr).toMatch(
    / cannot be read: (?!no such process|i\/o error)[^\n]+ --verify to crawl its sites again/,
  );
});

test('a part that cannot be inflated is crawled again where a failed site leaves it', async () => {
  const { path } = copied();
  damageParts(path);
  const [first, ...others] = linesOf(path);
  const lines = [{ ...first, outcome: 'failed', code: 'x' }, ...others].map(
    (line) => `${JSON.stringify(line)}\n`,
  );
  writeFileSync(join(path, 'sites.ndjson'), lines.join(''));
  const { code, stderr } = await crawl(path, '--retry-failed');
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('is missing or damaged: its sites are crawled again'),
  ]);
  expect(linesOf(path).map(({ outcome }) => outcome)).toEqual(['complete', 'complete', 'complete']);
});

test('a folder with the name of a part is a damaged part, and stays', async () => {
  const { path } = copied();
  const [part = ''] = linesOf(path)[0]?.parts ?? [];
  rmSync(join(path, part));
  mkdirSync(join(path, part));
  writeFileSync(join(path, part, 'file'), '');
  const { code, stderr } = await crawl(path);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${part} is missing or damaged`)]);
  expect(readdirSync(join(path, part))).toEqual(['file']);
  expect(linesOf(path)).toHaveLength(COUNT);
});

describe.runIf(HAS_PIPES)('a pipe, which has no end, is not read', () => {
  test.each([
    ['crawl.json', 'cannot be read as the folder of a crawl: it is not a file'],
    ['sites.ndjson', 'sites.ndjson cannot be read: it is not a file'],
  ])('%s', async (name, why) => {
    const { path } = copied();
    rmSync(join(path, name));
    execFileSync('mkfifo', [join(path, name)]);
    expect(await usp(['diff', path, original])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(why),
    });
    expect((await crawl(path)).code).toBe(2);
  });
});

describe.runIf(HAS_LINKS)('a link is followed neither to write nor to remove', () => {
  /** Puts a link in the place of what the folder has by this name; what it had is beside the folder. */
  function moved(path: string, victim: string, name: string): string {
    const place = join(victim, 'moved');
    if (existsSync(join(path, name))) renameSync(join(path, name), place);
    symlinkSync(place, join(path, name));
    return place;
  }

  test.each(['pages', '.tmp', '.tmp/handed', 'sites.ndjson', 'crawl.json'])('%s', async (name) => {
    const { path, victim } = copied();
    const place = moved(path, victim, name);
    const before = existsSync(place) && readdirSync(victim, { recursive: true }).sort();
    const { code, stderr } = await crawl(path, '--verify', '--retry-failed');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${join(path, name)} is a symbolic link`)]);
    expect(existsSync(place) && readdirSync(victim, { recursive: true }).sort()).toEqual(before);
  });

  test.each(['archives', 'its folder', 'the archive'])('%s', async (what) => {
    const { path, victim } = copied();
    const { archive = '' } = linesOf(path)[0] ?? {};
    const name = { archives: 'archives', 'its folder': dirname(archive) }[what] ?? archive;
    const place = moved(path, victim, name);
    // All is crawled again.
    for (const part of readdirSync(join(path, 'pages'))) rmSync(join(path, 'pages', part));
    const file = name === archive ? place : join(place, archive.slice(name.length + 1));
    const before = readFileSync(file);
    writeFileSync(file, 'of someone else');
    const { code, stderr } = await crawl(path);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${join(path, name)} is a symbolic link`)]);
    expect(readFileSync(file, 'utf8')).toBe('of someone else');
    expect(before.length).toBeGreaterThan(100);
  });

  test('a part', async () => {
    const { path, victim } = copied();
    const [part = ''] = linesOf(path)[0]?.parts ?? [];
    const place = moved(path, victim, part);
    const compared = await usp(['diff', path, original]);
    expect(compared).toMatchObject({ code: 2, stderr: expect.stringContaining('it is not a file') });
    const { code, stderr } = await crawl(path);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${part} is missing or damaged`)]);
    expect(existsSync(place)).toBe(true);
  });
});
