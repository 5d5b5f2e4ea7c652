/** Specification §2: one document that the caller has. The same detection, inflation and parsing, and no network. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import {
  InvalidSitemap,
  type LocalOptions,
  type Sitemap,
  SitemapException,
  SitemapXMLParsingException,
  sitemapFromBytes,
  sitemapFromFile,
  sitemapFromStream,
  sitemapFromString,
} from '../src/index.ts';
import { codesOf, urlsOf } from './support/crawled-site.ts';
import { index, robots, urlset } from './support/documents.ts';
import { folderUntil } from './support/folder.ts';
import { untilCollected } from './support/sitemaps.ts';

const folder = folderUntil(afterAll);

let files = 0;
function fileOf(content: string | Uint8Array, name = 'sitemap.xml'): string {
  const directory = mkdtempSync(join(folder, `${files++}-`));
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const url = 'https://example.org/sitemap.xml';
const pages = urlset('https://example.org/1', 'https://example.org/2');

type Source = [string, (text: string, options?: LocalOptions) => Promise<Sitemap>];
const sources: readonly Source[] = [
  ['sitemapFromString', sitemapFromString],
  ['sitemapFromBytes', (text, options) => sitemapFromBytes(Buffer.from(text), options)],
  [
    'sitemapFromBytes of an ArrayBuffer',
    (text, options) => sitemapFromBytes(new TextEncoder().encode(text).buffer, options),
  ],
  ['sitemapFromFile', (text, options) => sitemapFromFile(fileOf(text), options)],
];

describe.each(sources)('%s', (_name, read) => {
  test('pages, in order, as often as one likes', async () => {
    const sitemap = await read(pages, { url });
    expect(sitemap).toMatchObject({ kind: 'pages-xml', url, pageCount: 2, problems: [], subSitemaps: [] });
    expect(urlsOf(sitemap.pages)).toEqual(['https://example.org/1', 'https://example.org/2']);
    expect(urlsOf(sitemap.pages)).toHaveLength(2);
    const again = [];
    for await (const page of sitemap.allPages()) again.push(page.url);
    expect(again).toHaveLength(2);
  });

  test.each([
    ['pages-xml', pages],
    ['index-xml', index('https://example.org/a.xml')],
    ['pages-text', 'https://example.org/1\n'],
    ['pages-rss', '<rss><channel><item><link>https://example.org/</link></item></channel></rss>'],
    [
      'pages-atom',
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/"/></entry></feed>',
    ],
  ])('%s', async (kind, text) => {
    expect((await read(text)).kind).toBe(kind);
  });

  test('children of an index become InvalidSitemap with code not-fetched', async () => {
    const text = index('https://example.org/a.xml', 'https://example.org/b.xml').replace(
      '</loc>',
      '</loc><lastmod>2024-05-06</lastmod>',
    );
    const sitemap = await read(text, { url });
    expect(sitemap.kind).toBe('index-xml');
    expect(urlsOf(sitemap.subSitemaps)).toEqual(['https://example.org/a.xml', 'https://example.org/b.xml']);
    for (const child of sitemap.subSitemaps) {
      expect(child).toBeInstanceOf(InvalidSitemap);
      expect(child).toMatchObject({ kind: 'invalid', code: 'not-fetched' });
      expect((child as InvalidSitemap).reason).toContain(child.url);
    }
    expect(sitemap.subSitemaps[0]!.lastModified).toEqual(new Date('2024-05-06'));
  });

  test('relative URLs are resolved against url, with a problem', async () => {
    const sitemap = await read(urlset('/1', 'https://example.org/2'), { url });
    expect(urlsOf(sitemap.pages)).toEqual(['https://example.org/1', 'https://example.org/2']);
    expect(codesOf(sitemap.problems)).toEqual(['relative-url']);
  });

  test('without url they are dropped, with a problem', async () => {
    const sitemap = await read(urlset('/1', 'https://example.org/2'));
    expect(urlsOf(sitemap.pages)).toEqual(['https://example.org/2']);
    expect(sitemap.problemCount).toBe(1);
    const children = await read(index('/a.xml', 'https://example.org/b.xml'));
    expect(urlsOf(children.subSitemaps)).toEqual(['https://example.org/b.xml']);
    expect(children.problemCount).toBe(1);
  });

  test.each([
    ['', /empty/],
    ['<!doctype html><title>x</title>', /HTML/],
    ['<books/>', /<books>/],
    ['no URL at all', /text/],
    ['{"a": 1}', /JSON/],
  ])('what is not a sitemap is invalid, and says what it is instead: %j', async (text, reason) => {
    const sitemap = await read(text, { url });
    expect(sitemap).toBeInstanceOf(InvalidSitemap);
    expect(sitemap).toMatchObject({ code: 'not-a-sitemap', reason: expect.stringMatching(reason), url });
    const { error } = sitemap as InvalidSitemap;
    expect(error).toBeInstanceOf(text === '<books/>' ? SitemapXMLParsingException : SitemapException);
  });

  test('robots.txt by url', async () => {
    const sitemap = await read(robots('https://example.org/a.xml'), {
      url: 'https://example.org/robots.txt',
    });
    expect(sitemap.kind).toBe('robots-txt');
    expect(urlsOf(sitemap.subSitemaps)).toEqual(['https://example.org/a.xml']);
  });

  test('what is broken keeps all the rest, with problems', async () => {
    const sitemap = await read(pages.slice(0, -20), { url });
    expect(codesOf(sitemap.problems)).toContain('truncated');
    expect(sitemap.pageCount).toBeGreaterThanOrEqual(1);
  });

  test('at most maxSitemapBytes', async () => {
    const text = urlset(...Array.from({ length: 1000 }, (_, at) => `https://example.org/${at}`));
    const sitemap = await read(text, { url, maxSitemapBytes: 10_000 });
    expect(sitemap.pageCount).toBeLessThan(300);
    expect(codesOf(sitemap.problems)).toContain('too-large');
  });

  test('a document of exactly maxSitemapBytes is whole', async () => {
    const sitemap = await read(pages, { url, maxSitemapBytes: Buffer.byteLength(pages) });
    expect([sitemap.truncated, sitemap.pageCount, sitemap.problemCount]).toEqual([false, 2, 0]);
  });

  test.each([
    [0, false],
    [-1, true],
    [1, false],
  ])('maxSitemapBytes counts bytes, not characters: %i more than there are; cut: %s', async (more, isCut) => {
    const text = urlset(...['é', '例', '\u{1f600}'].map((name) => `https://example.org/${name}`));
    const sitemap = await read(text, { url, maxSitemapBytes: Buffer.byteLength(text) + more });
    expect([sitemap.truncated, codesOf(sitemap.problems).includes('too-large')]).toEqual([isCut, isCut]);
    expect(sitemap.pageCount).toBe(3);
  });

  test.each([
    [{}, '', undefined],
    [{ url: 'https://example.org/a.xml?b#c' }, 'https://example.org/a.xml?b#c', 'https://example.org/x'],
    [
      { url: new URL('https://example.org/a/b.xml') },
      'https://example.org/a/b.xml',
      'https://example.org/a/x',
    ],
    [
      { url: new URL('http://here.test:3000/a/b.xml'), mapHosts: { 'here.test:3000': 'example.org' } },
      'http://example.org/a/b.xml',
      'http://example.org/a/x',
    ],
    [{ url: 'https://here.test/', mapHosts: {} }, 'https://here.test/', 'https://here.test/x'],
  ])('%j: the URL is %s, and that of a relative one is %s', async (options, expected, page) => {
    const sitemap = await read(urlset('x'), options);
    if (expected !== '') expect(sitemap.url).toBe(expected);
    expect(urlsOf(sitemap.pages)).toEqual(page === undefined ? [] : [page]);
  });

  test('a child says that it was not fetched, and one problem how many have no node', async () => {
    const sitemap = await read(index(...[1, 2, 3].map((at) => `https://example.org/${at}.xml`)), {
      url,
      maxSitemaps: 2,
    });
    expect(sitemap.subSitemaps.map((child) => (child as InvalidSitemap).reason)).toEqual(
      [1, 2].map(
        (at) => `https://example.org/${at}.xml was not fetched: its index was read without a network.`,
      ),
    );
    expect(sitemap.problems.map(({ code, message }) => [code, message.split(' were')[0]])).toEqual([
      ['too-many-sitemaps', '1 of its 3 sitemaps'],
    ]);
  });

  test('problemPositions gives problems their places, and mapHosts replaces the host everywhere', async () => {
    const local = pages.replaceAll('https://example.org', 'http://localhost:3000').replace('</urlset>', '<x');
    const mapHosts = { 'localhost:3000': 'example.org' };
    const options = { url: 'http://localhost:3000/a.xml', mapHosts, problemPositions: true };
    const sitemap = await read(local, options);
    expect(sitemap.url).toMatch(/\/\/example\.org\/a\.xml$/);
    const urls = Array.from(sitemap.pages, (page) => page.url.replace(/^https?/, ''));
    expect(urls).toEqual(['://example.org/1', '://example.org/2']);
    for (const { line, column } of sitemap.problems) expect([line, typeof column]).toEqual([1, 'number']);
    expect(sitemap.problems).not.toEqual([]);
  });

  test('close() releases it', async () => {
    const sitemap = await read(pages, { url });
    sitemap.close();
    expect(() => urlsOf(sitemap.pages)).toThrow(expect.objectContaining({ code: 'tree-closed' }));
  });

  test.each([
    ['a url that is not absolute', { url: '/sitemap.xml' }, 'bad-url'],
    ['a charset that is not a string', { charset: 1 }, 'bad-charset'],
    ['an unknown name', { uri: 'https://example.org/' }, 'bad-option'],
    ['a wrong range', { maxSitemapBytes: 0 }, 'bad-option'],
    ['no object', null, 'bad-option'],
  ])('%s is a SitemapException', async (_what, options, code) => {
    const call = read(pages, options as LocalOptions);
    await expect(call).rejects.toBeInstanceOf(SitemapException);
    await expect(call).rejects.toMatchObject({ code });
  });
});

describe('bytes', () => {
  test.each([
    ['gzip', gzipSync(pages)],
    ['gzip, twice', gzipSync(gzipSync(pages))],
    ['UTF-8 with a BOM', Buffer.from(`\ufeff${pages}`)],
    ['UTF-16 with a BOM', Buffer.from(`\ufeff${pages}`, 'utf16le')],
    ['UTF-16 without one', Buffer.from(pages, 'utf16le')],
    ['gzip of UTF-16', gzipSync(Buffer.from(`\ufeff${pages}`, 'utf16le'))],
  ])('%s', async (_name, bytes) => {
    for (const sitemap of [
      await sitemapFromBytes(bytes, { url }),
      await sitemapFromFile(fileOf(bytes), { url }),
    ]) {
      expect(sitemap).toMatchObject({ kind: 'pages-xml', pageCount: 2 });
    }
  });

  test.each([
    ['the declaration', '<?xml version="1.0" encoding="iso-8859-1"?>', undefined],
    ['the option', '', 'iso-8859-1'],
  ])('a charset of %s', async (_where, declaration, charset) => {
    const text = `${declaration}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/caf\u00e9</loc></url></urlset>`;
    const sitemap = await sitemapFromBytes(Buffer.from(text, 'latin1'), { url, charset });
    expect(urlsOf(sitemap.pages)).toEqual(['https://example.org/café']);
    expect(sitemap.problems).toEqual([]);
  });

  test('a string is what it is, whatever it declares', async () => {
    const text = `<?xml version="1.0" encoding="iso-8859-1"?>${urlset('https://example.org/café').replace(/^<\?.*?\?>/, '')}`;
    const sitemap = await sitemapFromString(text, { url });
    expect(urlsOf(sitemap.pages)).toEqual(['https://example.org/café']);
  });

  test('truncated gzip keeps what could be inflated', async () => {
    const whole = gzipSync(
      urlset(...Array.from({ length: 2000 }, (_, at) => `https://example.org/${Math.imul(at, 40503)}`)),
    );
    const sitemap = await sitemapFromBytes(whole.subarray(0, whole.length / 2), { url });
    expect(sitemap.pageCount).toBeGreaterThan(100);
    expect(codesOf(sitemap.problems)).toContain('gzip-truncated');
  });

  test.each([
    ['within a URL', 'https://example.org/1\nhttps://example.org/2', 1],
    ['behind a line', 'https://example.org/1\nhttps://example.org/2\n', 2],
  ])('a text whose gzip data ends %s has no page that is half a line', async (_, text, pageCount) => {
    const gzip = gzipSync(`${text}345\n`, { level: 0 });
    const path = fileOf(gzip.subarray(0, -'345\n'.length - 8), 'sitemap.txt.gz');
    for (const sitemap of [await sitemapFromFile(path), await sitemapFromBytes(readFileSync(path))])
      expect(sitemap).toMatchObject({ kind: 'pages-text', truncated: true, pageCount });
  });

  test('bytes behind the gzip data are a problem, and nothing is truncated', async () => {
    const sitemap = await sitemapFromBytes(Buffer.concat([gzipSync(pages), Buffer.from('padding')]));
    expect([codesOf(sitemap.problems), sitemap.truncated]).toEqual([['gzip-trailing-bytes'], false]);
  });

  test('mapHosts replaces the hosts of a gzipped document', async () => {
    const local = gzipSync(pages.replaceAll('https://example.org', 'http://localhost:3000'));
    const sitemap = await sitemapFromBytes(local, { mapHosts: { 'localhost:3000': 'example.org' } });
    expect(urlsOf(sitemap.pages)).toEqual(['http://example.org/1', 'http://example.org/2']);
  });

  test('views of other types, and parts of a buffer, are the bytes they show', async () => {
    const bytes = Buffer.from(`xx${pages}`);
    const padded = new Uint8Array(2 * Math.ceil(bytes.length / 2)).fill(0x20);
    padded.set(bytes);
    const { buffer } = padded;
    expect((await sitemapFromBytes(padded.subarray(2), { url })).pageCount).toBe(2);
    expect(
      (await sitemapFromBytes(new DataView(buffer, 2) as unknown as Uint8Array, { url })).pageCount,
    ).toBe(2);
    expect(
      (await sitemapFromBytes(new Uint16Array(buffer, 2) as unknown as Uint8Array, { url })).pageCount,
    ).toBe(2);
  });

  test.each([undefined, null, 'a string', 42, []])('%j is not bytes', async (bytes) => {
    await expect(sitemapFromBytes(bytes as unknown as Uint8Array)).rejects.toMatchObject({
      code: 'bad-input',
    });
  });

  test.each([undefined, null, 42, Buffer.from('x')])('and a string must be one: %j', async (text) => {
    await expect(sitemapFromString(text as unknown as string)).rejects.toMatchObject({ code: 'bad-input' });
  });
});

test.each([
  [{ URL: 'https://example.org/' }, 'Did you mean "url"?'],
  [
    { nothingLikeIt: 1 },
    'The options are url, charset, maxSitemapBytes, maxSitemaps, problemPositions, mapHosts.',
  ],
  [null, 'must be an object, not null'],
])('the option %j: %s', async (options, words) => {
  await expect(sitemapFromString('x', options as object)).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringContaining(words),
  });
});

describe('files', () => {
  test.each(['robots.txt', 'ROBOTS.TXT'])('a file named %s is robots', async (name) => {
    const path = fileOf(robots('https://example.org/a.xml'), name);
    for (const options of [{}, { url: 'https://example.org/' }, { url: 'https://example.org/robots.txt' }]) {
      expect(await sitemapFromFile(path, options)).toMatchObject({ kind: 'robots-txt' });
    }
  });

  test.each(['xrobots.txt', 'robots.txt.bak', 'robots%2Etxt'])('and one named %s is not', async (name) => {
    const path = fileOf(robots('https://example.org/a.xml'), name);
    expect((await sitemapFromFile(path)).kind).not.toBe('robots-txt');
  });

  test('a file that cannot be read is named by its path, however its URL writes it', async () => {
    const path = join(folder, 'not #there.xml');
    for (const given of [path, pathToFileURL(path)]) {
      const message = `The file ${path} could not be read: no such file or directory.`;
      await expect(sitemapFromFile(given)).rejects.toMatchObject({ code: 'unreadable-file', message });
    }
    const hint = ' To fetch a URL, call sitemapFromUrl.';
    for (const [given, isUrl] of [
      ['HTTPS://example.org/', true],
      ['x-http://example.org/', false],
      [new URL('ftp://example.org/'), false],
    ] as const) {
      const failed = await sitemapFromFile(given).catch(({ message }: Error) => message);
      expect([given, String(failed).endsWith(hint)]).toEqual([given, isUrl]);
    }
  });

  test('and one of another name is not', async () => {
    expect((await sitemapFromFile(fileOf(robots('https://example.org/a.xml'), 'list.txt'))).kind).not.toBe(
      'robots-txt',
    );
  });

  test('a path or a file: URL; without url the node has the file’s', async () => {
    const path = fileOf(pages, 'sitemap #1%20.xml');
    for (const given of [path, pathToFileURL(path)]) {
      expect(await sitemapFromFile(given)).toMatchObject({
        kind: 'pages-xml',
        url: pathToFileURL(path).href,
        pageCount: 2,
      });
    }
  });

  test('a large one goes through the spool', async () => {
    const text = urlset(...Array.from({ length: 100_000 }, (_, at) => `https://example.org/page/${at}`));
    const sitemap = await sitemapFromFile(fileOf(text));
    expect(sitemap.pageCount).toBe(100_000);
    sitemap.close();
  });

  test.each([
    [
      'not-there.xml',
      `no such file or directory; it was looked for at ${join(process.cwd(), 'not-there.xml')}.`,
    ],
    [join(folder, 'not-there.xml'), 'no such file or directory.'],
    ['https://example.org/sitemap.xml', 'To fetch a URL, call sitemapFromUrl.'],
  ])('%s: the message says where, or what to do', async (path, words) => {
    await expect(sitemapFromFile(path)).rejects.toMatchObject({ message: expect.stringContaining(words) });
  });

  test.each([
    ['missing', join(folder, 'not-there.xml')],
    ['a directory', folder],
    ['no file: URL', new URL('https://example.org/sitemap.xml')],
  ])('an unreadable file is a SitemapException that names it: %s', async (_what, path) => {
    const call = sitemapFromFile(path);
    await expect(call).rejects.toBeInstanceOf(SitemapException);
    await expect(call).rejects.toMatchObject({
      code: 'unreadable-file',
      message: expect.stringContaining(String(path)),
    });
    await expect(call).rejects.not.toMatchObject({
      message: expect.stringMatching(/E[A-Z]{3,}:|, open|, read/),
    });
    // A wrong option is reported first, and leaves no file open that could fail later.
    await expect(sitemapFromFile(path, { maxSitemapBytes: -1 })).rejects.toMatchObject({
      code: 'bad-option',
    });
  });
});

test('what is not a path is refused by sitemapFromFile', async () => {
  await expect(sitemapFromFile(undefined as unknown as string)).rejects.toMatchObject({
    code: 'bad-input',
    message: 'sitemapFromFile needs the path of a file, a string or a file: URL.',
  });
});

describe('sitemapFromStream', () => {
  async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  const xml = '<urlset><url><loc>https://example.org/a</loc></url><url><loc>/b</loc></url></urlset>';
  const url = 'https://example.org/sitemap.xml';

  test.each([1, 7, 1000])(
    'reads chunks of %i bytes, gzipped or not, as it reads them at once',
    async (size) => {
      const whole = await sitemapFromString(xml, { url });
      for (const bytes of [Buffer.from(xml), gzipSync(xml)]) {
        using streamed = await sitemapFromStream(pieces(bytes, size), { url });
        expect(streamed.toObject()).toEqual(whole.toObject());
      }
    },
  );

  test('takes a ReadableStream', async () => {
    using streamed = await sitemapFromStream(new Response(xml).body!, { url });
    expect(Array.from(streamed.pages, (page) => page.url)).toEqual([
      'https://example.org/a',
      'https://example.org/b',
    ]);
  });

  test('holds no more than the spool does of 200 MB, and stops at maxSitemapBytes', async () => {
    const line = Buffer.from(`https://example.org/${'a/rather/long/path/'.repeat(50)}\n`.repeat(100));
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        sent += line.length;
        yield line;
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    const sitemap = await sitemapFromStream(endless(), { maxSitemapBytes: 50_000_000 });
    expect(await untilCollected(() => process.memoryUsage().arrayBuffers - before < 45_000_000)).toBe(true);
    expect(sent).toBeLessThan(51_000_000);
    expect(sitemap.problems.map(({ code }) => code)).toContain('too-large');
    sitemap.close();
  });

  test('a failure of the stream is the caller’s, and its reason is not changed', async () => {
    const reason = new Error('stdin broke');
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('<urlset>');
      throw reason;
    }
    await expect(sitemapFromStream(breaking())).rejects.toBe(reason);
  });

  test.each([[undefined], [null], ['text'], [[1]], [new Uint8Array(1)]])(
    '%s is not a stream',
    async (input) => {
      await expect(sitemapFromStream(input as never)).rejects.toMatchObject({ code: 'bad-input' });
    },
  );
});

describe('a local index has a limited number of nodes', () => {
  const many = (count: number): string =>
    `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${Array.from({ length: count }, (_, at) => `<sitemap><loc>https://example.org/${at}</loc></sitemap>`).join('')}</sitemapindex>`;

  test('50,000 by default, and the rest is counted', async () => {
    const sitemap = await sitemapFromString(many(50_003));
    expect(sitemap.subSitemaps).toHaveLength(50_000);
    expect(sitemap.problems).toMatchObject([
      { code: 'too-many-sitemaps', message: expect.stringContaining('3 of its 50003 sitemaps') },
    ]);
  });

  test.each([
    [1, 1, ['4 of its 5 sitemaps']],
    [2, 2, ['3 of its 5 sitemaps']],
    [4, 4, ['1 of its 5 sitemaps']],
    [5, 5, []],
    [6, 5, []],
  ])('maxSitemaps %i of five gives %i nodes, and counts the rest', async (maxSitemaps, nodes, counted) => {
    const { subSitemaps, problems } = await sitemapFromString(many(5), { maxSitemaps });
    const first = ['0', '1', '2', '3', '4'].slice(0, nodes);
    expect(subSitemaps.map((child) => child.url)).toEqual(first.map((at) => `https://example.org/${at}`));
    expect(problems.map(({ message }) => message.split(' were')[0])).toEqual(counted);
  });
});
