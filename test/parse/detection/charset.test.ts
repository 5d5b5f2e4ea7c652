/**
 * §2: charset by BOM, then HTTP header, then XML declaration, then UTF-8. The documents are built here, since
 * editors and Git ruin such bytes in files: BOMs, UTF-16, bytes that are invalid, lone carriage returns.
 */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseSitemap } from '../../../src/parse/index.ts';
import { readEveryWay } from '../../support/every-cut.ts';

const URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const SITEMAP = 'https://example.org/sitemap.xml';
const ROBOTS = 'https://example.org/robots.txt';
const TEXT = 'https://example.org/sitemap.txt';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const utf32le = (text: string) =>
  join(...[...text].map((character) => new Uint8Array(Uint32Array.of(character.codePointAt(0)!).buffer)));
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const join = (...parts: readonly (readonly number[] | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => Uint8Array.from(part)));

const UTF8_BOM = [0xef, 0xbb, 0xbf];
const LE_BOM = [0xff, 0xfe];
const BE_BOM = [0xfe, 0xff];

const declaration = (encoding?: string) =>
  encoding === undefined ? '' : `<?xml version="1.0" encoding="${encoding}"?>\n`;
/** A urlset with two pages: the first one's path is what the case is about, the second is always `/b`. */
const xml = (path: string, encoding?: string) =>
  `${declaration(encoding)}${URLSET}<url><loc>https://example.org/${path}</loc></url><url><loc>https://example.org/b</loc></url></urlset>`;
/** The same in a charset that Node cannot write: the path's bytes are given. */
const xmlOf = (path: readonly number[], encoding?: string) => {
  const [before = '', after = ''] = xml('PATH', encoding).split('PATH');
  return join(utf8(before), path, utf8(after));
};

interface Case {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly path: string;
  /** The HTTP header's. */
  readonly charset?: string;
  readonly codes?: readonly string[];
}

const CASES: readonly Case[] = [
  { name: 'UTF-8 by default', bytes: utf8(xml('é日😀')), path: 'é日😀' },
  { name: 'one UTF-8 BOM is not a problem', bytes: join(UTF8_BOM, utf8(xml('é', 'UTF-8'))), path: 'é' },
  {
    name: 'a UTF-8 BOM, then white space',
    bytes: join(UTF8_BOM, utf8(`\r\n \t${xml('é', 'UTF-8')}`)),
    path: 'é',
  },
  { name: 'UTF-16LE with its BOM', bytes: join(LE_BOM, utf16le(xml('é日😀', 'UTF-16'))), path: 'é日😀' },
  { name: 'UTF-16BE with its BOM', bytes: join(BE_BOM, utf16be(xml('é日😀', 'UTF-16'))), path: 'é日😀' },
  { name: 'UTF-16LE without a BOM, declared', bytes: utf16le(xml('é日😀', 'UTF-16')), path: 'é日😀' },
  { name: 'UTF-16BE without a BOM, declared', bytes: utf16be(xml('é日😀', 'UTF-16')), path: 'é日😀' },
  { name: 'UTF-16LE by its zero bytes alone', bytes: utf16le(xml('é日😀')), path: 'é日😀' },
  { name: 'UTF-16BE by its zero bytes alone', bytes: utf16be(xml('é日😀')), path: 'é日😀' },
  { name: 'UTF-16LE by HTTP', bytes: utf16le(xml('é日😀')), charset: 'utf-16le', path: 'é日😀' },
  { name: 'UTF-16BE by HTTP', bytes: utf16be(xml('é日😀')), charset: 'UTF-16', path: 'é日😀' },
  { name: 'the BOM beats HTTP', bytes: join(UTF8_BOM, utf8(xml('é'))), charset: 'iso-8859-1', path: 'é' },
  { name: 'the BOM beats the declaration', bytes: join(UTF8_BOM, utf8(xml('é', 'iso-8859-1'))), path: 'é' },
  { name: 'ISO-8859-1, declared', bytes: latin1(xml('é', 'ISO-8859-1')), path: 'é' },
  { name: 'windows-1252, declared', bytes: xmlOf([0x80, 0x99], 'Windows-1252'), path: '€™' },
  { name: 'windows-1251, declared', bytes: xmlOf([0xcf, 0xf0, 0xe8], 'windows-1251'), path: 'При' },
  { name: 'windows-1251, by HTTP', bytes: xmlOf([0xcf, 0xf0, 0xe8]), charset: 'windows-1251', path: 'При' },
  ...['"windows-1251"', "'windows-1251'", ' "windows-1251" ', 'Windows-1251'].map((charset) => ({
    name: `${charset}, by HTTP`,
    bytes: xmlOf([0xcf, 0xf0, 0xe8]),
    charset,
    path: 'При',
  })),
  {
    name: 'HTTP beats the declaration',
    bytes: xmlOf([0xcf, 0xf0, 0xe8], 'iso-8859-1'),
    charset: 'windows-1251',
    path: 'При',
  },
  {
    name: 'Shift_JIS, whose second bytes are letters',
    bytes: xmlOf([0x83, 0x5c, 0x83, 0x7c], 'Shift_JIS'),
    path: 'ソポ',
  },
  { name: 'GBK, declared as gb2312', bytes: xmlOf([0xd6, 0xd0, 0xce, 0xc4], 'gb2312'), path: '中文' },
  {
    name: 'GB18030 with a character of four bytes, declared as gb2312',
    bytes: xmlOf([0xd6, 0xd0, 0x95, 0x32, 0x82, 0x36], 'gb2312'),
    path: '中\u{20000}',
  },
  { name: 'EUC-KR, declared', bytes: xmlOf([0xc7, 0xd1], 'euc-kr'), path: '한' },
  { name: 'Big5, by HTTP', bytes: xmlOf([0xa4, 0xa4]), charset: 'big5', path: '中' },
  { name: 'UTF-32LE by its zero bytes alone', bytes: utf32le(xml('é日😀')), path: 'é日😀' },
  { name: 'UTF-32BE with its BOM', bytes: utf32le(`\u{feff}${xml('é日😀')}`).swap32(), path: 'é日😀' },
  {
    name: 'UTF-16LE that begins with another script',
    bytes: join(LE_BOM, utf16le(`<!-- ${'日本'.repeat(1000)} -->${xml('é日😀')}`)),
    path: 'é日😀',
  },
  {
    name: 'UTF-16BE that begins with another script, without a BOM',
    bytes: utf16be(`<!-- ${'日本'.repeat(1000)} -->${xml('é日😀')}`),
    path: 'é日😀',
  },
  {
    name: 'UTF-8 that declares a single-byte charset',
    bytes: utf8(xml('é日😀', 'iso-8859-1')),
    path: 'é日😀',
    codes: ['wrong-charset'],
  },
  {
    name: 'UTF-8 without a declaration, and a single-byte charset of HTTP',
    bytes: utf8(xml('é日😀')),
    charset: 'iso-8859-1',
    path: 'é日😀',
    codes: ['wrong-charset'],
  },
  {
    name: 'windows-1251, declared, and UTF-8 of HTTP',
    bytes: xmlOf([0xcf, 0xf0, 0xe8], 'windows-1251'),
    charset: 'utf-8',
    path: 'При',
    codes: ['wrong-charset'],
  },
  {
    name: 'UTF-8 with one invalid byte that declares a single-byte charset, and UTF-8 of HTTP',
    bytes: xmlOf([0xc3, 0xa9, 0xe6, 0x97, 0xa5, 0xe6], 'iso-8859-1'),
    charset: 'utf-8',
    path: 'é日\ufffd',
    codes: ['invalid-bytes'],
  },
  {
    name: 'UTF-8, declared, and Shift_JIS of HTTP in which it is invalid',
    bytes: utf8(xml('é日😀', 'utf-8')),
    charset: 'shift_jis',
    path: 'é日😀',
    codes: ['wrong-charset'],
  },
  {
    name: 'GBK, declared, and a single-byte charset of HTTP',
    bytes: xmlOf([0xd6, 0xd0, 0xce, 0xc4], 'gbk'),
    charset: 'iso-8859-1',
    path: '中文',
  },
  {
    name: 'ASCII that declares UTF-8, and a single-byte charset of HTTP',
    bytes: utf8(xml('a', 'utf-8')),
    charset: 'iso-8859-1',
    path: 'a',
  },
  {
    name: 'a declaration behind a warning of PHP',
    bytes: join(
      utf8('<br />\n<b>Warning</b>: x in <b>/a.php</b><br />\n'),
      xmlOf([0xcf, 0xf0], 'windows-1251'),
    ),
    path: 'Пр',
    codes: ['text-before-root'],
  },
  {
    name: 'a declaration of a second document behind the first',
    bytes: utf8(`${xml('é')}${declaration('windows-1251')}${URLSET}</urlset>`),
    path: 'é',
    codes: ['second-root'],
  },
  {
    name: 'an unknown label of HTTP is skipped',
    bytes: latin1(xml('é', 'iso-8859-1')),
    charset: 'x-klingon',
    path: 'é',
    codes: ['unknown-charset'],
  },
  {
    name: 'an unknown declared label is skipped',
    bytes: utf8(xml('é', 'x-klingon')),
    path: 'é',
    codes: ['unknown-charset'],
  },
  {
    name: 'a declared UTF-16 that the bytes are not',
    bytes: utf8(xml('é', 'UTF-16')),
    path: 'é',
    codes: ['wrong-charset'],
  },
  {
    name: 'a UTF-16 of HTTP that the bytes are not',
    bytes: utf8(xml('é')),
    charset: 'utf-16',
    path: 'é',
    codes: ['wrong-charset'],
  },
  {
    name: 'a byte that is invalid in UTF-8',
    bytes: xmlOf([0x61, 0xff, 0x62]),
    path: 'a\u{fffd}b',
    codes: ['invalid-bytes'],
  },
  {
    name: 'a character cut short in UTF-8',
    bytes: xmlOf([0xe6, 0x97]),
    path: '\u{fffd}',
    codes: ['invalid-bytes'],
  },
  {
    name: 'Latin-1 that is not declared',
    bytes: latin1(xml('é')),
    path: '\u{fffd}',
    codes: ['invalid-bytes'],
  },
  {
    name: 'UTF-32 that is cut inside its last character',
    bytes: utf32le(`\ufeff${xml('é日😀')}\n`).subarray(0, -1),
    path: 'é日😀',
    codes: ['junk-after-root', 'invalid-bytes'],
  },
  {
    name: 'UTF-16 that is cut inside its last character',
    bytes: join(LE_BOM, utf16le(`${xml('é日😀')}\n`)).subarray(0, -1),
    path: 'é日😀',
    codes: ['junk-after-root', 'invalid-bytes'],
  },
  {
    name: 'Shift_JIS that is cut inside its last character',
    bytes: join(xmlOf([0x83, 0x4b], 'Shift_JIS'), [0x83]),
    path: 'ガ',
    codes: ['junk-after-root', 'invalid-bytes'],
  },
  {
    name: 'bytes invalid in EUC-KR',
    bytes: xmlOf([0xff, 0x61], 'euc-kr'),
    path: '\u{fffd}a',
    codes: ['invalid-bytes'],
  },
];

describe('§2 charset', () => {
  test.each(CASES)('$name', async ({ bytes, charset, path, codes = [] }) => {
    const read = await readEveryWay(
      bytes,
      charset === undefined ? { url: SITEMAP } : { url: SITEMAP, charset },
    );
    expect(read.items).toEqual([{ url: `https://example.org/${path}` }, { url: 'https://example.org/b' }]);
    expect(read.kind).toBe('pages-xml');
    expect(read.problems.map(({ code }) => code)).toEqual(codes);
  });

  // Whether these two leave a problem is not laid down; that the characters are right, is.
  test.each([
    ['a single-byte HTTP charset loses to a declared UTF-8 that is valid', utf8(xml('é', 'utf-8')), 'é'],
    ['but not to a declared UTF-8 that is not', latin1(xml('é', 'utf-8')), 'é'],
  ])('%s', async (_, bytes, path) => {
    const read = await readEveryWay(bytes, { url: SITEMAP, charset: 'iso-8859-1' });
    expect(read.items[0]).toEqual({ url: `https://example.org/${path}` });
  });

  test.each([
    ['2 KiB', 2],
    ['60 KiB', 60],
  ])('letters that speak against a claim are looked for in the first 64 KiB: behind %s', async (_, kib) => {
    // Streamed, so that no more than the window is there when the charset is decided.
    const filling = `<!--${' '.repeat(kib * 1024)}-->`;
    const bytes = utf8(xml('é').replace('<url>', `${filling}<url>`));
    const parse = parseSitemap(inChunks(bytes, 512), { url: SITEMAP, charset: 'iso-8859-1' });
    const urls: string[] = [];
    for await (const item of parse) if (item.type === 'page') urls.push(item.page.url);
    expect(urls[0]).toBe('https://example.org/é');
  });

  test.each([1, 2, 3])(
    'a character with %i of its 3 bytes in these 64 KiB does not speak for the claim',
    async (inside) => {
      const [before = '', after = ''] = xml('é').split('<url><loc>https://example.org/b');
      const start = utf8(`${before}<!----><url><loc>https://example.org/`).length;
      const filling = `<!--${' '.repeat(64 * 1024 - inside - start)}-->`;
      const bytes = utf8(`${before}${filling}<url><loc>https://example.org/日${after}`);
      expect(bytes.indexOf('日')).toBe(64 * 1024 - inside);
      const parse = parseSitemap(inChunks(bytes, 512), { url: SITEMAP, charset: 'iso-8859-1' });
      const urls: string[] = [];
      for await (const item of parse) if (item.type === 'page') urls.push(item.page.url);
      expect(urls).toEqual(['https://example.org/é', 'https://example.org/日']);
    },
  );

  test('one invalid byte behind the first 64 KiB does not speak for the claim, however the document arrives', async () => {
    const [before = '', after = ''] = xml('é').split('<url><loc>https://example.org/b');
    const rest = `--><url><loc>https://example.org/b${after}`;
    const bytes = join(utf8(`${before}<!--${' '.repeat(100 * 1024)}`), [0xff], utf8(rest));
    const read = await readEveryWay(bytes, { url: SITEMAP, charset: 'windows-1252' });
    expect(read.items).toEqual([{ url: 'https://example.org/é' }, { url: 'https://example.org/b' }]);
  });

  test('a UTF-16 BOM in front of UTF-8 bytes is a claim that does not hold', async () => {
    const read = await readEveryWay(join(LE_BOM, utf8(xml('é', 'utf-8'))), { url: SITEMAP });
    expect(read.items).toHaveLength(2);
    expect(read.items[0]).toEqual({ url: 'https://example.org/é' });
    expect(read.problems.map(({ code }) => code)).toContain('wrong-charset');
  });

  test('invalid bytes behind another problem come behind it, however the text is cut', async () => {
    // Long, since the first bytes are decoded together, however they come.
    const pages = '<url><loc>https://example.org/a</loc></url>'.repeat(100);
    const text = xml('?a&b', 'UTF-16').replace('</urlset>', `${pages}\u{d800}</urlset>`);
    const read = await readEveryWay(join(LE_BOM, utf16le(text)), { url: SITEMAP });
    expect(read.problems.map(({ code }) => code).sort()).toEqual(['bare-ampersand', 'invalid-bytes']);
  });

  test('a claim that is looked at again as more arrives is one problem still', async () => {
    const bytes = join(LE_BOM, utf8(xml('é', 'utf-8')));
    const read = await readEveryWay(bytes, { url: SITEMAP, charset: 'iso-8859-1' });
    expect(read.problems.filter(({ code }) => code === 'wrong-charset')).toHaveLength(1);
  });

  test('offsets of problems count the bytes of the text in UTF-8, whatever it came in', async () => {
    const text = xml('é?a=1&b=2', 'UTF-16').replace('<loc>', '<!-- é日😀 --><loc>');
    const value = utf8(text.slice(0, text.indexOf('https://example.org/'))).length;
    for (const bytes of [join(LE_BOM, utf16le(text)), utf16be(text)]) {
      const { problems } = await readEveryWay(bytes, { url: SITEMAP });
      expect(problems.map(({ code, offset }) => [code, offset])).toEqual([['bare-ampersand', value]]);
    }
  });
});

const LINES = ['https://example.org/a', 'https://example.org/b', 'https://example.org/ü'];
const PAGES = LINES.map((url) => ({ url }));
const CHILDREN = LINES.map((url) => ({ url }));
const RULES = `User-agent: *\n${LINES.map((url) => `Sitemap: ${url}\n`).join('')}`;

describe('§6 plain text and robots.txt', () => {
  test.each([
    ['CR line ends', utf8(LINES.join('\r'))],
    ['CRLF line ends', utf8(LINES.join('\r\n'))],
    ['all line ends at once', utf8(`${LINES[0]}\r\n\r${LINES[1]}\n\r\n${LINES[2]}\r`)],
    ['a UTF-8 BOM', join(UTF8_BOM, utf8(LINES.join('\n')))],
    ['UTF-16LE with its BOM', join(LE_BOM, utf16le(LINES.join('\r\n')))],
    ['UTF-16BE without one', utf16be(LINES.join('\n'))],
  ])('text: %s', async (_, bytes) => {
    const read = await readEveryWay(bytes, { url: TEXT });
    expect([read.kind, read.items, read.problems]).toEqual(['pages-text', PAGES, []]);
  });

  test.each([
    ['CR line ends', utf8(RULES.replaceAll('\n', '\r'))],
    ['CRLF line ends', utf8(RULES.replaceAll('\n', '\r\n'))],
    ['a UTF-8 BOM before the first Sitemap', join(UTF8_BOM, utf8(RULES.slice(RULES.indexOf('Sitemap'))))],
    ['UTF-16LE with its BOM', join(LE_BOM, utf16le(RULES))],
  ])('robots.txt: %s', async (_, bytes) => {
    const read = await readEveryWay(bytes, { url: ROBOTS });
    expect([read.kind, read.items, read.problems]).toEqual(['robots-txt', CHILDREN, []]);
  });
});

describe('bytes that are not text at all', () => {
  const noise = Uint8Array.from({ length: 3000 }, (_, index) => (index * 7919 + (index >> 3) * 31) & 0xff);
  const png = join([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d], utf8('IHDR'), noise);

  test.each([
    ['no bytes', new Uint8Array(0), /empty/i],
    ['a BOM alone', Uint8Array.from(UTF8_BOM), /empty/i],
    ['gzip, which is the caller’s to inflate', gzipSync(utf8(xml('a'))), /gzip/i],
    ['a picture', png, /\w/],
    ['rubbish', noise, /\w/],
    ['zeros', new Uint8Array(500), /\w/],
  ])('%s: invalid, and says why', async (_, bytes, reason) => {
    const read = await readEveryWay(bytes, { url: SITEMAP });
    expect([read.kind, read.items]).toEqual(['invalid', []]);
    expect(read.reason).toMatch(reason);
  });
});

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
