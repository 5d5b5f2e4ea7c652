/** §16: a set of sitemaps is replaced as a whole, whatever happens. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkSitemaps } from '../../src/check/index.ts';
import { parseSitemap } from '../../src/parse/index.ts';
import {
  type WritablePage,
  type WriteSitemapsOptions,
  type WrittenSitemaps,
  writeSitemaps,
} from '../../src/write/index.ts';
import { COMPILED } from '../support/cli-binary.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { folderUntil, openFiles } from '../support/folder.ts';
import { canMount } from '../support/platform.ts';
import { hasHeavy, sized } from '../support/tier.ts';

const BASE = 'https://example.org/maps/';
let folder: string;

beforeEach(() => {
  folder = folderUntil(onTestFinished);
});

function write(
  pages: Parameters<typeof writeSitemaps>[0],
  options: Partial<WriteSitemapsOptions> = {},
): Promise<WrittenSitemaps> {
  return writeSitemaps(pages, folder, { baseUrl: BASE, ...options });
}

function* numbered(count: number, prefix = 'page'): Generator<WritablePage> {
  for (let at = 0; at < count; at++)
    yield { url: `https://example.org/${prefix}-${at}`, lastModified: `2013-05-${10 + (at % 20)}` };
}

/** Rows without a page, for much longer than a signal needs. */
function* noPages(): Generator<WritablePage> {
  for (const end = performance.now() + 3000; performance.now() < end; ) yield { url: '' };
}

async function* noPagesAsync(): AsyncGenerator<WritablePage> {
  yield* noPages();
}

/** What is in the directory: name → content. The files that start with a dot are ours. */
function contents(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll('\\', '/'),
  );
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => {
        const bytes = readFileSync(join(folder, name));
        return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()];
      }),
  );
}

function urlsIn(xml: string): string[] {
  return [...parseSitemap(xml)].map((item) => (item.type === 'page' ? item.page.url : item.sitemap.url));
}

describe('the files', () => {
  test('a few pages are one file, without an index', async () => {
    const written = await write(numbered(3));
    expect(Object.keys(contents())).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
    expect(urlsIn(contents()['sitemap.xml']!)).toEqual([...numbered(3)].map(({ url }) => url));
    expect(written).toMatchObject({
      url: `${BASE}sitemap.xml`,
      pages: 3,
      files: [
        {
          name: 'sitemap.xml',
          url: `${BASE}sitemap.xml`,
          entries: 3,
          lastModified: '2013-05-12',
          state: 'added',
        },
      ],
      removed: [],
      problems: [],
      problemCounts: {},
    });
    expect(written.files[0]?.bytes).toBe(statSync(join(folder, 'sitemap.xml')).size);
  });

  test('more pages than a file may have are divided, with an index of the newest dates', async () => {
    const written = await write(numbered(25), { maxUrls: 10 });
    const files = contents();
    expect(written.files.map(({ name, entries }) => `${name} ${entries}`)).toEqual([
      'sitemap-1.xml 10',
      'sitemap-2.xml 10',
      'sitemap-3.xml 5',
      'sitemap.xml 3',
    ]);
    expect(files['sitemap.xml']).toContain(
      `<sitemap><loc>${BASE}sitemap-2.xml</loc><lastmod>2013-05-29</lastmod></sitemap>`,
    );
    const all = [1, 2, 3].flatMap((number) => urlsIn(files[`sitemap-${number}.xml`]!));
    expect(all).toEqual([...numbered(25)].map(({ url }) => url));
  });

  test.each([
    ['without .gz', 'parts/pages {n}.xml', 'all.xml'],
    ['with .gz', 'parts/pages {n}.xml.gz', 'all.xml.gz'],
  ])('gzip, and names by a pattern in a folder, %s', async (_how, names, index) => {
    const options = { gzip: true, maxUrls: 2, names, index };
    const written = await write(numbered(3), options);
    expect(Object.keys(contents())).toEqual([
      '.usp-sitemaps.json',
      'all.xml.gz',
      'parts/pages 1.xml.gz',
      'parts/pages 2.xml.gz',
    ]);
    expect(urlsIn(contents()['all.xml.gz']!)).toEqual([
      `${BASE}parts/pages%201.xml.gz`,
      `${BASE}parts/pages%202.xml.gz`,
    ]);
    expect(written.url).toBe(`${BASE}all.xml.gz`);
  });

  const LONG_PAGE = { url: `https://example.org/${'x'.repeat(1_500)}` };
  test.each([
    ['of which only the names of sitemaps do', { names: 's-{n}.xml.gz' }],
    ['of which only the name of the index does', { index: 'all.xml.gz' }],
  ])('a file is compressed where its name ends in .gz, %s', async (_what, names) => {
    for (const pages of [[...numbered(3)], [...numbered(1)], [...numbered(1), LONG_PAGE]]) {
      await write(pages, { maxUrls: 2, maxBytes: 1_000, ...names });
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const isGzipped = readFileSync(join(folder, name)).readUInt16BE() === 0x1f8b;
        expect([name, isGzipped]).toEqual([name, name.endsWith('.gz')]);
      }
    }
  });

  test('a page that is too large for any file does not end one', async () => {
    const [first, ...others] = numbered(5);
    const { files } = await write([first!, LONG_PAGE, ...others], { maxBytes: 1_000 });
    expect(files.map(({ name, entries }) => [name, entries])).toEqual([['sitemap.xml', 5]]);
  });

  test('a file has at most the bytes that it may have, and is used up to there', async () => {
    const pages = Array.from({ length: 300 }, (_, at) => ({
      url: `https://example.org/${at}`,
      images: [
        { loc: 'https://example.org/i.jpg', caption: at % 2 === 0 ? 'é'.repeat(50) : '漢'.repeat(40) },
      ],
    }));
    const maxBytes = 10_000;
    const { files } = await write(pages, { maxBytes });
    for (const { bytes } of files.slice(0, -2)) {
      expect(bytes).toBeLessThanOrEqual(maxBytes);
      // The rest is less than one entry and the namespaces that are not used.
      expect(bytes).toBeGreaterThan(maxBytes - 700);
    }
    expect(files.slice(0, -1).reduce((sum, { entries }) => sum + entries, 0)).toBe(300);
  });

  test.each(['x', 'é', '漢', '😀'])(
    'a text of %s is written whole, whatever its length',
    async (character) => {
      const url = 'https://example.org/1';
      const lengths = [1, 250, 256, 300, 341, 342, 500, 512, 513, 900, 1024, 1025, 2000];
      const captions = lengths.map((length) => character.repeat(length));
      await write([{ url, images: captions.map((caption) => ({ loc: url, caption })) }]);
      const written = contents()['sitemap.xml'];
      for (const caption of captions) expect(written).toContain(`<image:caption>${caption}</image:caption>`);
    },
  );

  test('a file with all namespaces has exactly the bytes that it may have, or is divided', async () => {
    const loc = 'https://example.org/1';
    const story = { title: 'T', publishDate: '2013-05-06', publicationName: 'N', publicationLanguage: 'en' };
    const video = { thumbnailLoc: loc, title: 'T', description: 'D', contentLoc: loc };
    const alternates = [{ hreflang: 'de', href: loc }];
    const all = { url: loc, images: [{ loc }], videos: [video], newsStory: story, alternates };
    const pages = [all, ...numbered(3)];
    const [whole] = (await write(pages)).files;
    const sizesAt = async (maxBytes: number): Promise<readonly number[]> => {
      const { files } = await write(pages, { maxBytes });
      return files.slice(0, Math.max(1, files.length - 1)).map(({ bytes }) => bytes);
    };
    expect(await sizesAt(whole!.bytes)).toEqual([whole!.bytes]);
    const divided = await sizesAt(whole!.bytes - 1);
    expect(divided).toHaveLength(2);
    for (const bytes of divided) expect(bytes).toBeLessThan(whole!.bytes);
  });

  test('a file whose first entries are on the disk already has at most the bytes that it may have', async () => {
    const maxBytes = 400_000;
    const pages = Array.from({ length: 1000 }, (_, at) => ({ url: `${BASE}${at}?${'x'.repeat(950)}` }));
    const { files } = await write(pages, { maxBytes });
    const sizes = files.slice(0, -1).map(({ bytes }) => bytes);
    expect(sizes).toHaveLength(3);
    for (const bytes of sizes) expect(bytes).toBeLessThanOrEqual(maxBytes);
    for (const bytes of sizes.slice(0, -1)) expect(bytes).toBeGreaterThan(maxBytes - 2000);
  });

  test('a file declares the namespaces that its entries use, whenever they come', async () => {
    const pages = [
      ...numbered(20),
      { url: 'https://example.org/last', images: [{ loc: 'https://example.org/i.png' }] },
    ];
    await write(pages, { maxUrls: 15 });
    expect(contents()['sitemap-1.xml']).not.toContain('xmlns:');
    expect(contents()['sitemap-2.xml']?.match(/xmlns:\w+/g)).toEqual(['xmlns:image']);
  });

  test('a file has at most 1,000 news', async () => {
    const story = { title: 'T', publicationName: 'N', publicationLanguage: 'en', publishDate: new Date() };
    const { files, problems } = await write(
      [...numbered(1500)].map((page) => ({ ...page, newsStory: story })),
    );
    expect(files.map(({ entries }) => entries)).toEqual([1000, 500, 2]);
    expect(problems).toEqual([]);
  });

  /** More than is held in memory, and such that it hardly gets smaller by compression. */
  const tooMany = (): WritablePage[] => {
    const noise = randomBytes(100_000).toString('base64');
    return [...numbered(6000)].map((page, at) => {
      const caption = noise.slice(at * 17, at * 17 + 4000);
      return { ...page, images: [{ loc: page.url, caption }] };
    });
  };

  test('entries that are too many for the memory are the same as those that are not', async () => {
    const pages = tooMany();
    const { files } = await write(pages);
    expect(files).toHaveLength(1);
    const xml = contents()['sitemap.xml']!;
    expect(xml.length).toBeGreaterThan(2e7);
    expect(urlsIn(xml)).toHaveLength(6000);
    const [, entry] = xml.split('\n', 3).slice(1);
    expect(entry).toMatch(/^<url><loc>https:\/\/example\.org\/page-0</);
    await write(pages, { gzip: true });
    expect(contents()['sitemap.xml.gz']).toBe(xml);
  });

  test('no file is removed while it is open, which Windows refuses', async () => {
    const { open, rm } = promises;
    const paths = new Set<string>();
    vi.spyOn(promises, 'open').mockImplementation(async (path, ...given) => {
      const file = await open(path, ...given);
      paths.add(String(path));
      const close = file.close.bind(file);
      file.close = async () => {
        // A slow disk: what does not wait for this goes on with the file open.
        await sleep(100);
        await close();
        paths.delete(String(path));
      };
      return file;
    });
    vi.spyOn(promises, 'rm').mockImplementation(async (path, options) => {
      if (paths.has(String(path))) throw Object.assign(new Error('busy'), { code: 'EBUSY' });
      return rm(path, options);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    const pages = tooMany();
    await write(pages);
    // A file that is the same as the old one is removed.
    await expect(write(pages)).resolves.toMatchObject({ files: [{ state: 'unchanged' }] });
  });

  testIf(existsSync('/proc/self/fd'))(
    'an abort while they are compressed leaves no file open, and nothing behind',
    async () => {
      const pages = tooMany();
      for (const ms of sized({ fast: [0, 80, 160], full: [0, 40, 80, 120, 160, 200, 240] })) {
        const stop = new AbortController();
        const given = function* (): Generator<WritablePage> {
          yield* pages;
          setTimeout(() => stop.abort(), ms);
        };
        const isWritten = await write(given(), { gzip: true, signal: stop.signal }).then(
          () => true,
          () => false,
        );
        expect(openFiles(folder)).toEqual([]);
        // It may be done before the abort, or while that comes: then the set is there, and later ones come too late.
        if (isWritten && ms > 0) break;
        expect(contents()).toEqual({});
      }
    },
  );

  test('the whole set has no error and no warning about form', async () => {
    const hostile = [...numbered(30)].map((page, at) => ({
      ...page,
      url: at % 3 === 0 ? `${page.url} "ü" & <b>\0` : page.url,
      priority: at,
      images: [{ loc: at % 2 === 0 ? '/i.png' : 'mailto:x' }],
    }));
    const written = await write(hostile, { maxUrls: 10 });
    const documents = written.files.map(({ name, url }) => ({
      name,
      url,
      content: readFileSync(join(folder, name)),
    }));
    const findings = [];
    for await (const finding of checkSitemaps(documents)) findings.push(finding);
    expect(findings.filter(({ severity }) => severity !== 'info').map(({ rule }) => rule)).toEqual([]);
    expect(written.problemCounts).toEqual({
      'bad-priority': 28,
      'control-character': 10,
      'not-http-url': 15,
      'relative-url': 15,
      'url-not-ascii': 10,
    });
  });

  test('problems are counted, and the first 1,000 kept', async () => {
    const pages = [...numbered(1200)].map((page) => ({ ...page, priority: 7 }));
    const { problems, problemCounts } = await write(pages);
    expect(problems).toHaveLength(1000);
    expect(problemCounts).toEqual({ 'bad-priority': 1200 });
  });

  test('with reciprocal, alternates name each other and themselves', async () => {
    const url = (name: string): string => `https://example.org/${name}`;
    const pages: WritablePage[] = [
      {
        url: url('en'),
        alternates: [
          { hreflang: 'en', href: url('en') },
          { hreflang: 'de', href: url('de') },
        ],
      },
      { url: url('de'), priority: 0.5 },
      { url: url('fr'), alternates: [{ hreflang: 'de', href: url('de') }] },
      { url: url('alone') },
    ];
    const { problems } = await write(pages, { reciprocal: true });
    const read = [...parseSitemap(contents()['sitemap.xml']!)].flatMap((item) =>
      item.type === 'page' ? [item.page] : [],
    );
    expect(
      read.map(({ alternates }) => alternates.map(({ hreflang, href }) => `${hreflang} ${href}`)),
    ).toEqual([
      [`en ${url('en')}`, `de ${url('de')}`],
      [`de ${url('de')}`, `en ${url('en')}`],
      [`de ${url('de')}`],
      [],
    ]);
    expect(read[1]?.declaredPriority).toBe(0.5);
    expect(problems.map(({ code, url: page }) => `${code} ${page}`)).toEqual([
      `hreflang-no-return ${url('de')}`,
      `hreflang-no-self ${url('fr')}`,
    ]);
    await expect(write(numbered(1), { reciprocal: true })).rejects.toMatchObject({ code: 'bad-option' });
    await expect(write(() => numbered(1), { reciprocal: true })).resolves.toMatchObject({ pages: 1 });
  });
});

describe('a second set', () => {
  test('the same pages are the same bytes, and no file is touched', async () => {
    for (const gzip of [false, true]) {
      await write(numbered(25), { maxUrls: 10, gzip });
      const before = contents();
      for (const name of Object.keys(before)) utimesSync(join(folder, name), 1e9, 1e9);
      const again = await write(numbered(25), { maxUrls: 10, gzip });
      expect(again.files.map(({ state }) => state)).toEqual(Array(4).fill('unchanged'));
      for (const name of Object.keys(before)) expect(statSync(join(folder, name)).mtimeMs, name).toBe(1e12);
      expect(contents()).toEqual(before);
    }
  });

  test('what has changed is replaced, the rest is not touched, and what is not needed any more is removed', async () => {
    await write(numbered(35), { maxUrls: 10 });
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1e9, 1e9);
    const pages = [...numbered(25)];
    pages[12] = { url: 'https://example.org/new' };
    const { files, removed } = await write(pages, { maxUrls: 10 });
    expect(files.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'sitemap-1.xml unchanged',
      'sitemap-2.xml changed',
      'sitemap-3.xml changed',
      'sitemap.xml changed',
    ]);
    expect(removed).toEqual(['sitemap-4.xml']);
    expect(Object.keys(contents())).toEqual(['.usp-sitemaps.json', ...files.map(({ name }) => name)].sort());
    expect(statSync(join(folder, 'sitemap-1.xml')).mtimeMs).toBe(1e12);
  });

  test('a folder of the set that is empty in the end is removed', async () => {
    await write(numbered(3), { names: 'parts/{n}.xml', maxUrls: 2 });
    await write(numbered(2), { names: 'parts/{n}.xml', maxUrls: 2 });
    expect(existsSync(join(folder, 'parts'))).toBe(false);
  });

  test('a file that was changed by another program is written again', async () => {
    await write(numbered(3));
    const before = contents()['sitemap.xml'];
    writeFileSync(join(folder, 'sitemap.xml'), 'x');
    await write(numbered(3));
    expect(contents()['sitemap.xml']).toEqual(before);
  });
});

describe('a directory', () => {
  test('one with other files is refused, and with force these stay', async () => {
    writeFileSync(join(folder, 'index.html'), 'mine');
    await expect(write(numbered(1))).rejects.toMatchObject({ code: 'directory-not-empty', option: 'force' });
    expect(contents()).toEqual({ 'index.html': 'mine' });
    await write(numbered(1), { force: true });
    expect(Object.keys(contents())).toEqual(['.usp-sitemaps.json', 'index.html', 'sitemap.xml']);
    await expect(write(numbered(1))).rejects.toMatchObject({ code: 'directory-not-empty' });
  });

  test('a file that is not of an earlier set is not replaced, even with force', async () => {
    writeFileSync(join(folder, 'sitemap.xml'), 'mine');
    await expect(write(numbered(1), { force: true })).rejects.toMatchObject({ code: 'file-exists' });
    expect(contents()).toEqual({ 'sitemap.xml': 'mine' });
  });

  test('a folder with files that are not of the set is refused', async () => {
    await write(numbered(3), { names: 'parts/{n}.xml', maxUrls: 2 });
    writeFileSync(join(folder, 'parts/x.xml'), 'mine');
    await expect(write(numbered(1))).rejects.toMatchObject({ code: 'directory-not-empty' });
    mkdirSync(join(folder, 'other'));
    rmSync(join(folder, 'parts/x.xml'));
    await expect(write(numbered(1))).rejects.toMatchObject({ code: 'directory-not-empty' });
  });

  test('no path leads out of it, by an option or by a manifest', async () => {
    await expect(write(numbered(1), { index: '../sitemap.xml' })).rejects.toMatchObject({
      code: 'bad-input',
    });
    expect(contents()).toEqual({});
    writeFileSync(join(folder, '.usp-sitemaps.json'), JSON.stringify({ files: ['../../x'] }));
    await expect(write(numbered(1))).rejects.toMatchObject({ code: 'bad-manifest' });
  });

  test('while a set is written, a second one is refused', async () => {
    async function* pages(): AsyncGenerator<WritablePage> {
      yield* numbered(1);
      await expect(write(numbered(2))).rejects.toMatchObject({ code: 'directory-in-use' });
    }
    await write(pages());
    expect(urlsIn(contents()['sitemap.xml']!)).toHaveLength(1);
  });

  test.each<[string, Partial<WriteSitemapsOptions>]>([
    ['baseUrl', { baseUrl: 'example.org' }],
    ['baseUrl', { baseUrl: 'https://example.org/?a' }],
    ['baseUrl', { baseUrl: 'https://example.org/#a' }],
    ['baseUrl', { baseUrl: 'ftp://example.org/' }],
    ['maxUrls', { maxUrls: 50_001 }],
    ['maxUrls', { maxUrls: 0 }],
    ['maxUrls', { maxUrls: 1.5 }],
    ['maxUrls', { maxUrls: '5' as unknown as number }],
    ['maxBytes', { maxBytes: 999 }],
    ['maxBytes', { maxBytes: 52_428_801 }],
    ['names', { names: 'sitemap.xml' }],
    ['names', { names: 7 as unknown as string }],
    ['index', { index: 7 as unknown as string }],
    ['onProblem', { onProblem: 7 as unknown as () => void }],
    ['signal', { signal: {} as unknown as AbortSignal }],
    ['news', { news: 'new' as 'all' }],
    ['gzip', { gzip: 'no' as unknown as boolean }],
    ['reciprocal', { reciprocal: 1 as unknown as boolean }],
    ['force', { force: 'no' as unknown as boolean }],
  ])('the option %s is checked', async (option, options) => {
    await expect(write(numbered(1), options)).rejects.toMatchObject({ code: 'bad-option', option });
  });
});

test('the least and the most that options may say are taken', async () => {
  await expect(write(numbered(2), { maxUrls: 1, maxBytes: 1_000 })).resolves.toMatchObject({ pages: 2 });
  await expect(write(numbered(2), { maxUrls: 50_000, maxBytes: 52_428_800 })).resolves.toMatchObject({
    pages: 2,
  });
});

test('the address of the directory needs no slash, and every {n} of a name is its number', async () => {
  const { url, files } = await write(numbered(3), {
    ...{ baseUrl: 'https://example.org/maps', maxUrls: 2, names: '{n}/s-{n}.xml', gzip: true },
  });
  expect(url).toBe(`${BASE}sitemap.xml.gz`);
  expect(files.map((file) => [file.name, file.url, file.state])).toEqual([
    ['1/s-1.xml.gz', `${BASE}1/s-1.xml.gz`, 'added'],
    ['2/s-2.xml.gz', `${BASE}2/s-2.xml.gz`, 'added'],
    ['sitemap.xml.gz', `${BASE}sitemap.xml.gz`, 'added'],
  ]);
  for (const { name, bytes } of files) expect(bytes).toBe(statSync(join(folder, name)).size);
});

test('what is not a path of a directory, and what is not pages, is bad input', async () => {
  const options = { baseUrl: BASE };
  for (const directory of ['', new URL('https://example.org/'), undefined])
    await expect(writeSitemaps(numbered(1), directory as string, options)).rejects.toMatchObject({
      code: 'bad-input',
    });
  for (const pages of [undefined, 7, {}])
    await expect(write(pages as never)).rejects.toMatchObject({ code: 'bad-input' });
  expect(readdirSync(folder)).toEqual([]);
});

test('the address of the directory may be a URL, and the directory a file: URL', async () => {
  const baseUrl = new URL('https://example.org/sub/');
  const { url } = await writeSitemaps(['https://example.org/a'], pathToFileURL(folder), { baseUrl });
  expect(url).toBe('https://example.org/sub/sitemap.xml');
  expect(urlsIn(contents()['sitemap.xml']!)).toEqual(['https://example.org/a']);
});

describe('the old set stays whole', () => {
  let before: Record<string, string>;

  beforeEach(async () => {
    await write(numbered(25, 'old'), { maxUrls: 10 });
    before = contents();
  });

  test('when there is nothing to write', async () => {
    await expect(write([{ url: 'mailto:me@example.org' }])).rejects.toMatchObject({ code: 'no-pages' });
    expect(contents()).toEqual(before);
  });

  test('when the pages fail', async () => {
    function* failing(): Generator<WritablePage> {
      yield* numbered(15);
      throw new Error('the database is gone');
    }
    await expect(write(failing(), { maxUrls: 10 })).rejects.toThrow('the database is gone');
    expect(contents()).toEqual(before);
  });

  test('when a signal ends the writing', async () => {
    const controller = new AbortController();
    async function* pages(): AsyncGenerator<WritablePage> {
      yield* numbered(15);
      controller.abort(new Error('enough'));
      yield* numbered(1);
    }
    await expect(write(pages(), { maxUrls: 10, signal: controller.signal })).rejects.toThrow('enough');
    expect(contents()).toEqual(before);
  });

  // A timer aborts it: it fires only where the event loop gets its turns.
  test.each<[string, typeof noPages | typeof noPagesAsync, Partial<WriteSitemapsOptions>]>([
    ['an iterable', noPages, {}],
    ['an async iterable', noPagesAsync, {}],
    ['an iterable, for return links', noPages, { reciprocal: true }],
  ])('when a signal ends the reading of rows from %s of which none is a page', async (_, pages, options) => {
    await expect(write(pages, { ...options, signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout');
    expect(contents()).toEqual(before);
  });

  test('when a signal ends it, with its reason, where the pages cannot be ended', async () => {
    const controller = new AbortController();
    const pages: AsyncIterable<WritablePage> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          setImmediate(() => controller.abort(new Error('enough')));
          return new Promise(() => {});
        },
        return: () => {
          throw new Error('cannot be ended');
        },
      }),
    };
    await expect(write(pages, { signal: controller.signal })).rejects.toThrow('enough');
    expect(contents()).toEqual(before);
  });

  test('when a signal ends the writing while the next page is waited for', async () => {
    const controller = new AbortController();
    let isWaiting = false;
    const waitsForever: AsyncIterable<WritablePage> = {
      [Symbol.asyncIterator]: () => {
        const first = numbered(15)[Symbol.iterator]();
        return {
          next: async () => {
            const next = first.next();
            if (next.done !== true) return next;
            isWaiting = true;
            setImmediate(() => controller.abort(new Error('enough')));
            return new Promise(() => {});
          },
        };
      },
    };
    await expect(write(waitsForever, { signal: controller.signal })).rejects.toThrow('enough');
    expect(isWaiting).toBe(true);
    expect(contents()).toEqual(before);
    // The directory is free.
    await expect(write(numbered(1))).resolves.toMatchObject({ pages: 1 });
  });

  testIf(canMount())('when the disk is full', async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
    onTestFinished(() => void execFileSync('umount', ['-l', disk]));
    const options = { baseUrl: BASE };
    await writeSitemaps(numbered(500), disk, options);
    const text = readFileSync(join(disk, 'sitemap.xml'), 'utf8');
    for (const [count, maxUrls] of [
      [3000, 50_000],
      [3000, 100],
      // More than is kept in memory until a file is complete.
      [8000, 50_000],
    ] as const) {
      const failed = writeSitemaps(numbered(count), disk, { ...options, maxUrls });
      await expect(failed).rejects.toThrow(/no space is left on the device/);
      expect(readdirSync(disk).sort()).toEqual(['.usp-sitemaps.json', 'sitemap.xml']);
      expect(readFileSync(join(disk, 'sitemap.xml'), 'utf8')).toBe(text);
    }
    await writeSitemaps(numbered(600), disk, options);
    expect(urlsIn(readFileSync(join(disk, 'sitemap.xml'), 'utf8'))).toHaveLength(600);
  });
});

describeIf(hasHeavy, 'a kill', () => {
  // Node's own functions, so that the process ends before the n-th change of a name.
  const PRELOAD = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    let left = Number(process.env.KILL_AT);
    for (const name of ['rename', 'rm', 'rmdir']) {
      const real = fs[name];
      fs[name] = (...given) => {
        if (--left === 0) process.kill(process.pid, 'SIGKILL');
        return real(...given);
      };
    }
    syncBuiltinESMExports();`;
  const PROGRAM = `
    import { writeSitemaps } from ${JSON.stringify(pathToFileURL(join(COMPILED, 'write/index.js')).href)};
    const pages = Array.from({ length: 15 }, (_, at) => ({ url: 'https://example.org/new-' + at }));
    await writeSitemaps(pages, process.argv[1], { baseUrl: ${JSON.stringify(BASE)}, maxUrls: 10 });`;

  test('before any change of a name leaves the old set whole, or is finished by the next run', async () => {
    const preload = join(folder, 'preload.mjs');
    const directory = join(folder, 'public');
    const options = { baseUrl: BASE, maxUrls: 10 };
    writeFileSync(preload, PRELOAD);
    const listed = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(directory, { withFileTypes: true })
          .filter((entry) => entry.isFile() && entry.name.endsWith('.xml'))
          .map(({ name }) => [name, readFileSync(join(directory, name), 'utf8')]),
      );
    const old = [...numbered(35, 'old')];
    await writeSitemaps(old, directory, options);
    const oldSet = listed();
    const counts = { old: 0, between: 0, new: 0 };
    for (let killAt = 1; ; killAt++) {
      rmSync(directory, { recursive: true });
      await writeSitemaps(old, directory, options);
      const { signal } = spawnSync(
        process.execPath,
        ['--import', pathToFileURL(preload).href, '--input-type=module', '-e', PROGRAM, directory],
        { env: { ...process.env, KILL_AT: String(killAt) }, stdio: 'inherit' },
      );
      if (signal === null) break;
      const found = listed();
      const isOld = JSON.stringify(found) === JSON.stringify(oldSet);
      counts[isOld ? 'old' : Object.keys(found).length === 3 ? 'new' : 'between']++;
      const isPending = readFileSync(join(directory, '.usp-sitemaps.json'), 'utf8').includes('pending');
      // Nothing of the old set is gone unless the manifest says how to go on.
      expect(isOld || isPending || Object.keys(found).length === 3).toBe(true);
      // The next run refuses what it is asked to do, but completes the set first.
      await expect(writeSitemaps([], directory, options)).rejects.toMatchObject({ code: 'no-pages' });
      const after = listed();
      const wanted =
        isPending || !isOld ? ['sitemap-1.xml', 'sitemap-2.xml', 'sitemap.xml'] : Object.keys(oldSet);
      expect(Object.keys(after).sort()).toEqual(wanted);
      const texts = Object.values(after).join('');
      expect(texts.includes('/new-')).toBe(isPending || !isOld);
      expect(texts.includes('/old-')).toBe(!isPending && isOld);
      expect(readdirSync(directory).sort()).toEqual(['.usp-sitemaps.json', ...wanted]);
    }
    expect(counts.old).toBeGreaterThan(1);
    expect(counts.between).toBeGreaterThan(3);
    expect(counts.new).toBeGreaterThan(0);
  });
});
