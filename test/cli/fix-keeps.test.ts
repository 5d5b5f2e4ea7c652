/** §16: a run of `usp fix` loses nothing in silence: no page, no file, no earlier set. */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { usp } from '../support/cli-world.ts';
import { index, urlset } from '../support/documents.ts';
import { filesIn, fix, urlsIn, urlsOf } from '../support/fix-world.ts';
import { folder, written } from '../support/folder.ts';
import { Chance, seedsOf } from '../support/random.ts';

const A = 'https://example.org/a';
const B = 'https://example.org/b';
const C = 'https://example.org/c';

describe('without a page to write, the earlier set stays', () => {
  test.each<[string, string, string[]]>([
    ['all pages are dropped', urlset(A), ['--drop-other-hosts', '--base', 'https://other.example/']],
    ['no page can be written', urlset('ftp://example.org/a'), []],
    ['the index is empty', index(), []],
    ['nothing that an index lists is there', index(`${A}.xml`), ['--partial']],
  ])('%s', async (_name, stdin, flags) => {
    const into = join(folder(), 'out');
    await fix(['-'], { stdin: urlset(A), into });
    const before = filesIn(into);
    const { code, stderr, stdout } = await fix(['-', ...flags], { stdin, into });
    expect(code).toBe(1);
    expect(stderr).toContain('nothing was written');
    expect(JSON.parse(stdout)).toMatchObject({ files: [], removed: [], pages: { written: 0 } });
    expect(filesIn(into)).toEqual(before);
  });
});

describe('a reader of the report that has gone', () => {
  const gone = (): Writable =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('gone'), { code: 'EPIPE' })),
    });

  test.each(['text', 'json'])('does not keep the set from being written (%s)', async (format) => {
    const into = join(folder(), 'out');
    const stdin = urlset(`${A} x`, B);
    const { code } = await usp(['fix', '-', '-o', into, '-f', format], { stdin, stdout: gone() });
    expect(code).toBe(0);
    expect(urlsOf(filesIn(into))).toEqual({ 'stdin.xml': [`${A}%20x`, B] });
  });
});

describe('files of the earlier set that are removed are named', () => {
  test('in both formats', async () => {
    const at = written({ 'a.xml': urlset(A), 'b.xml': urlset(B) });
    const into = join(folder(), 'out');
    await fix([at('a.xml'), at('b.xml')], { into });
    expect((await fix([at('b.xml')], { into })).report.removed).toEqual(['a.xml']);
    const { stdout } = await usp(['fix', at('a.xml'), '-o', into]);
    expect(stdout).toContain('  b.xml  removed: an earlier run wrote it\n');
  });
});

test('a file that is named twice is one input', async () => {
  const at = written({ 'index.xml': index(`${A}.xml`), 'a.xml': urlset(A) });
  const names = [at('index.xml'), at('a.xml'), at('index.xml'), at('a.xml').replace(/[^/]*$/, './$&')];
  const { report, files } = await fix(names);
  expect(urlsOf(files)).toEqual({ 'index.xml': [`${A}.xml`], 'a.xml': [A] });
  expect(report).toMatchObject({ repairs: [], pages: { read: 1, written: 1 } });
  const { stdout } = await usp(['check', ...names, '--rule', 'url-in-several-sitemaps=error']);
  expect(stdout).toContain('in 2 documents with 1 page');
  const again = written({ 'a.xml': urlset(A), 'b.xml': urlset(B) });
  const listed = await usp(['check', again('b.xml'), again('a.xml'), again('b.xml')]);
  expect(listed.stdout.indexOf('b.xml')).toBeLessThan(listed.stdout.indexOf('a.xml'));
});

describe('an index finds its sitemaps among the files', () => {
  test('by as much of their paths as is the same', async () => {
    const at = written({
      'index.xml': index('https://example.org/a/sitemap.xml', 'https://example.org/b/sitemap.xml'),
      'a/sitemap.xml': urlset(A),
      'b/sitemap.xml': urlset(B),
    });
    const { files } = await fix([at('index.xml'), at('b/sitemap.xml'), at('a/sitemap.xml')]);
    expect(urlsOf(files)).toEqual({
      'a/sitemap.xml': [A],
      'b/sitemap.xml': [B],
      'index.xml': ['https://example.org/a/sitemap.xml', 'https://example.org/b/sitemap.xml'],
    });
  });

  test('by their queries', async () => {
    const urls = [1, 2].map((page) => `https://example.org/sitemap.php?page=${page}`);
    const at = written({
      'index.xml': index(...urls),
      'sitemap.php?page=1': urlset(A),
      'sitemap.php?page=2': urlset(B),
    });
    const { files } = await fix(['index.xml', 'sitemap.php?page=1', 'sitemap.php?page=2'].map(at));
    expect(urlsOf(files)).toMatchObject({ 'sitemap-page-1.xml': [A], 'sitemap-page-2.xml': [B] });
  });

  test.each<[string, Record<string, string>]>([
    [
      'is never its own sitemap',
      {
        'sitemap.xml': index('https://example.org/products/sitemap.xml', 'https://example.org/1.xml'),
        '1.xml': urlset(A),
      },
    ],
    [
      'does not choose between two files',
      {
        'index.xml': index('https://example.org/1.xml'),
        'x/1.xml': urlset(A),
        'y/1.xml': urlset(B),
      },
    ],
    [
      'does not choose between two addresses',
      {
        'index.xml': index('https://example.org/a/1.xml', 'https://example.org/b/1.xml'),
        '1.xml': urlset(A),
      },
    ],
  ])('%s', async (_name, sources) => {
    const at = written(sources);
    const { code, stderr, files } = await fix(Object.keys(sources).map(at));
    expect(code).toBe(4);
    expect(stderr).toContain('add its file as an input');
    expect(files).toEqual({});
  });

  test('indexes in an index become one', async () => {
    const at = written({
      'top.xml': index('https://example.org/inner.xml', 'https://example.org/2.xml'),
      'inner.xml': index(['https://example.org/1.xml', '2024-05']),
      '1.xml': urlset(A),
      '2.xml': urlset(B),
    });
    const { files, report } = await fix(['inner.xml', 'top.xml', '1.xml', '2.xml'].map(at));
    expect(urlsOf(files)).toEqual({
      '1.xml': [A],
      '2.xml': [B],
      'top.xml': ['https://example.org/1.xml', 'https://example.org/2.xml'],
    });
    expect(files['top.xml']).toContain('<lastmod>2024-05</lastmod>');
    expect(report.robots).toEqual(['Sitemap: https://example.org/top.xml']);
    expect(report.repairs).toMatchObject([{ rule: 'nested-index', document: at('inner.xml') }]);
  });

  test('indexes that list each other are one', async () => {
    const at = written({
      'a.xml': index('https://example.org/b.xml', 'https://example.org/1.xml'),
      'b.xml': index('https://example.org/a.xml', 'https://example.org/2.xml'),
      '1.xml': urlset(A),
      '2.xml': urlset(B),
    });
    const { files } = await fix(['a.xml', 'b.xml', '1.xml', '2.xml'].map(at));
    expect(urlsOf(files)).toEqual({
      '1.xml': [A],
      '2.xml': [B],
      'a.xml': ['https://example.org/2.xml', 'https://example.org/1.xml'],
    });
  });
});

describe('where a file belongs', () => {
  test('is where most of its public pages are, not where the first is', async () => {
    const stdin = urlset('http://localhost/a', A, 'https://www.example.net/a', B);
    for (const layout of ['keep', 'new']) {
      const { files, report } = await fix(['-', '--layout', layout], { stdin });
      expect(Object.values(urlsOf(files))).toEqual([[A, 'https://www.example.net/a', B]]);
      expect(report.rules).toEqual({ 'url-not-public': { dropped: 1, changed: 0 } });
      expect(report.robots[0]).toContain('https://example.org/');
    }
  });

  test('http and https are one host', async () => {
    const stdin = urlset('http://example.org/1', 'https://example.org/2');
    const { files } = await fix(['-', '--layout', 'new', '--by', 'host'], { stdin });
    expect(Object.keys(files)).toEqual(['example.org/sitemap.xml']);
  });
});

describe('names', () => {
  /** An index with one sitemap at an address, and that sitemap in a file. */
  const listed = async (path: string, name: string, ...flags: string[]) => {
    const url = `https://example.org/${path}`;
    const at = written({ 'index.xml': index(url), [name]: urlset(A) });
    const { files, report } = await fix([at('index.xml'), at(name), ...flags]);
    return { url, address: urlsIn(files['index.xml'])[0], names: Object.keys(files), report };
  };

  test.each([
    ['a+b,c@d;e=f.xml', 'a+b,c@d;e=f.xml'],
    ['%E9.xml', '%E9.xml'],
    ['%C3%A9.xml', 'é.xml'],
    ["it's(1)!.xml", "it's(1)!.xml"],
  ])('the address %s stays as it is, and nothing was repaired', async (path, name) => {
    const { url, address, report } = await listed(path, name);
    expect(address).toBe(url);
    expect(report.repairs).toEqual([]);
    const based = await listed(path, name, '--base', 'https://cdn.example.org/x');
    expect(based.address).toBe(`https://cdn.example.org/x/${path}`);
  });

  test('one that is changed is reported', async () => {
    const { address, names, report } = await listed('s.gz', 's.gz');
    expect(names).toEqual(['index.xml', 's.xml.gz']);
    expect(address).toBe('https://example.org/s.xml.gz');
    expect(report.repairs).toMatchObject([{ rule: 'renamed', message: 'The file is called s.xml.gz.' }]);
  });

  test('one that needs no change is taken first', async () => {
    const at = written({ 'a.txt': `${A}\n`, 'a.xml': urlset(B) });
    const { files } = await fix([at('a.txt'), at('a.xml')]);
    expect(urlsOf(files)).toEqual({ 'a-2.xml': [A], 'a.xml': [B] });
  });

  test.each(['a😀', 'é'])('a long one is cut between characters: %s', async (text) => {
    const [first = '', ...rest] = text;
    const name = `${first}${(rest.join('') || first).repeat(61)}`;
    const { code, stderr, files } = await fix([written({ [`${name}.xml`]: urlset(A) })(`${name}.xml`)]);
    expect([code, stderr]).toEqual([0, '']);
    const [own = ''] = Object.keys(files);
    expect(name.startsWith(own.replace('.xml', ''))).toBe(true);
    expect(Buffer.byteLength(own)).toBeLessThanOrEqual(204);
  });
});

describe('of the entries of a page', () => {
  const entry = (url: string, { image = '', lastmod = '' } = {}): string =>
    `<url><loc>${url}</loc>${lastmod && `<lastmod>${lastmod}</lastmod>`}` +
    `${image && `<image:image><image:loc>${image}</image:loc></image:image>`}</url>`;
  const document = (...entries: readonly string[]): string =>
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ' +
    `xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">${entries.join('')}</urlset>`;
  const image = 'https://example.org/1.png';

  test('the one with images is kept where the dates are equal', async () => {
    const stdin = document(entry(A), entry(A, { image }), entry(A));
    const { files, report } = await fix(['-'], { stdin });
    expect(files['stdin.xml']).toContain(image);
    expect(report.repairs.map(({ message }) => message)).toEqual([
      'The document lists the page more than once; a later entry is kept.',
      'The document lists the page more than once; an entry before this one is kept.',
    ]);
  });

  test('what loses in its own document does not win over another one', async () => {
    const at = written({
      'a.xml': document(entry(A, { lastmod: '2024-05-02' }), entry(A, { image, lastmod: '2024-05-01' })),
      'b.xml': document(entry(A, { image, lastmod: '2024-04-01' }), entry(B)),
    });
    const { files, report } = await fix([at('a.xml'), at('b.xml')]);
    expect(urlsOf(files)).toEqual({ 'a.xml': [A], 'b.xml': [A, B] });
    expect(report.rules).toEqual({ 'url-repeated': { dropped: 1, changed: 0 } });
  });

  /** The newest date of each page. */
  const newestOf = (files: Readonly<Record<string, string>>): Record<string, string> => {
    const newest: Record<string, string> = {};
    for (const [, url = '', lastmod = ''] of Object.values(files)
      .join('')
      .matchAll(/<url><loc>(.*?)<\/loc>(?:<lastmod>(.*?)<)?/g))
      if (lastmod >= (newest[url] ?? '')) newest[url] = lastmod;
    return newest;
  };

  test('the best-dated is always kept, and the one that the report says', async () => {
    for (const seed of seedsOf({ variable: 'FIX', chosen: [7, 25], seconds: 1 })) {
      const chance = new Chance(seed);
      const random = (below: number): number => chance.between(0, below - 1);
      const sources: Record<string, string> = {};
      for (const name of ['a.xml', 'b.xml', 'c.xml'].slice(0, 1 + random(3))) {
        const entries = Array.from({ length: 1 + random(6) }, () =>
          entry([A, B, C][random(3)]!, {
            image: random(2) === 0 ? '' : image,
            lastmod: ['', '2024-05-01', '2024-05-02'][random(3)]!,
          }),
        );
        sources[name] = document(...entries);
      }
      const at = written(sources);
      const layout = ['keep', 'new'][random(2)]!;
      const { files, report } = await fix([...Object.keys(sources).map(at), '--layout', layout]);
      expect(newestOf(files)).toEqual(newestOf(sources));
      const dropped = report.repairs.filter(
        ({ action, rule }) => action === 'dropped' && rule !== 'empty-sitemap',
      );
      expect(report.pages.written).toBe(report.pages.read - dropped.length);
      if (layout === 'new') continue;
      for (const { page, message, document: from } of dropped) {
        const other = / lists the page too/.test(String(message))
          ? String(message).split(' lists')[0]!
          : String(from);
        const name = other.split('/').at(-1)!;
        expect(urlsIn(files[name])).toContain(page);
      }
      for (const xml of Object.values(files)) expect(urlsIn(xml)).toEqual([...new Set(urlsIn(xml))]);
    }
  });
});
