/** §6 plain text and robots.txt: the borders of a line and of an address, and where each is. */
import { describe, expect, test } from 'vitest';
import { DocumentParser } from '../../../src/parse/document-parser.ts';
import { type ParseOptions, parseSitemap } from '../../../src/parse/index.ts';
import { readWhole } from '../../support/every-cut.ts';

const A = 'https://a.example/1';
const B = 'https://a.example/2';
const TEXT: ParseOptions = { url: 'https://a.example/sitemap.txt' };
const ROBOTS: ParseOptions = { url: 'https://a.example/robots.txt' };
const KIB = 1024;

/** The problems of a document, each with the beginning of what it is about. */
function placesIn(text: string, options: ParseOptions): readonly (readonly [string, string])[] {
  const bytes = Buffer.from(text);
  const { problems } = parsed(bytes, options);
  return problems.map(({ code, offset = -1 }) => [code, bytes.subarray(offset, offset + 5).toString()]);
}

function parsed(bytes: Uint8Array, options: ParseOptions) {
  const parse = parseSitemap(bytes, options);
  const items = [...parse];
  return { items, problems: parse.problems, kind: parse.kind };
}

/** A document in chunks, the rest of which never arrived. */
function cut(chunks: readonly string[], url: string) {
  const parser = new DocumentParser({ url, charset: undefined });
  for (const chunk of chunks) parser.write(Buffer.from(chunk));
  parser.end(true);
  const items = [...parser.takePages(), ...parser.takeSitemaps()].map((item) => item.url);
  return {
    items,
    codes: parser.problems.map(({ code }) => code),
    kind: parser.kind,
    truncated: parser.truncated,
  };
}

describe('plain text', () => {
  test.each<readonly [string, string, readonly string[], readonly string[]]>([
    ['white space around an address', ` \t${A}\u00a0\n${B} `, [A, B], []],
    [
      'white space inside of an address',
      `${A}\t${B}\n${A} x\n${B}\n`,
      [B],
      ['line-not-a-url', 'line-not-a-url'],
    ],
    ['an address in capitals', 'HTTPS://A.EXAMPLE/1\n', ['HTTPS://A.EXAMPLE/1'], []],
    ['an address with a part of a template is kept', `${A}\n${A}/{{x}}\n`, [A, `${A}/{{x}}`], ['template']],
    ['an address twice', `${A}\n${B}\n${A}\n`, [A, B], []],
    ['control characters', `${A}\u0007\n\u0001${B}\n`, [A, B], ['control-character', 'control-character']],
    ['a scheme that is not http', `${A}\nftp://a.example/\n`, [A], ['line-not-a-url']],
  ])('%s', (_what, text, urls, codes) => {
    const { items, problems, kind } = readWhole(text, TEXT);
    expect(items).toEqual(urls.map((url) => ({ url })));
    expect(problems.map(({ code }) => code)).toEqual(codes);
    expect(kind).toBe('pages-text');
  });

  test('a problem is where its line begins, in bytes, behind white space and in whatever chunk', () => {
    const filling = `${A}/é日😀\n`.repeat(200);
    const text = `${filling}\r\n \t é-one\n${filling}  two\n\n   three`;
    const expected = [
      ['line-not-a-url', 'é-on'],
      ['line-not-a-url', 'two\n\n'],
      ['line-not-a-url', 'three'],
    ];
    expect(placesIn(text, TEXT)).toEqual(expected);
    const bytes = Buffer.from(text);
    for (const size of [1, 999, 5000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const parse = parseSitemap(chunks, TEXT);
      expect([...parse]).toHaveLength(1);
      const places = parse.problems.map(({ offset = -1 }) => bytes.subarray(offset, offset + 5).toString());
      expect(places).toEqual(expected.map(([, place]) => place));
    }
  });

  test.each([
    ['of 64 KiB', 64 * KIB, 'is not a URL'],
    ['of more than 64 KiB', 64 * KIB + 1, 'is longer than 64 KiB'],
  ])('what is said of a line %s', (_what, length, words) => {
    const text = `${A}\n${'x'.repeat(length)}\n${B}`;
    for (const document of [text, `${text}\n${'x'.repeat(length)}`]) {
      const { items, problems } = readWhole(document, TEXT);
      expect(items).toEqual([{ url: A }, { url: B }]);
      for (const { message } of problems) expect(message).toContain(words);
      expect(problems).toHaveLength(document === text ? 1 : 2);
    }
  });

  test('a line of more than 64 KiB costs no other line, however the text arrives', () => {
    const lines = Array.from({ length: 5_000 }, (_, number) => `https://a.example/page-${number}`);
    const long = 'x'.repeat(200 * KIB);
    const bytes = Buffer.from([...lines, long, A, long, B].join('\n'));
    for (const size of [bytes.length, 30_000, 4_001]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const parse = parseSitemap(chunks, TEXT);
      const urls = Array.from(parse, (item) => (item.type === 'page' ? item.page.url : ''));
      expect(urls.slice(-3)).toEqual([lines.at(-1), A, B]);
      expect(urls).toHaveLength(lines.length + 2);
      expect(parse.problemCount).toBe(2);
    }
  });

  test('an address at the beginning of a line of more than 64 KiB is not one', () => {
    const { items, problems } = readWhole(`${A}\n${B}${'x'.repeat(64 * KIB)}\n`, TEXT);
    expect(items).toEqual([{ url: A }]);
    expect(problems.map(({ code }) => code)).toEqual(['oversized-url']);
  });

  test('an address of more than 8 KiB alone makes a sitemap without pages, and a cut one does, too', () => {
    const long = readWhole(`${A}${'x'.repeat(9 * KIB)}\n`, TEXT);
    expect([long.kind, long.items, long.problems.map(({ code }) => code)]).toEqual([
      'pages-text',
      [],
      ['oversized-url'],
    ]);
    expect(cut([A], TEXT.url as string)).toEqual({
      items: [],
      codes: ['truncated'],
      kind: 'pages-text',
      truncated: false,
    });
  });

  test.each<readonly [string, readonly string[], readonly string[], readonly string[]]>([
    ['inside of a line', [`${A}\n${B}`], [A], ['truncated']],
    ['behind a line end', [`${A}\n${B}\n`], [A, B], []],
    ['behind a carriage return', [`${A}\r`], [A], []],
    ['inside of white space', [`${A}\n  `], [A], []],
    ['in a later chunk', [`${A}\n`.repeat(200), B, '/x'], [A], ['truncated']],
  ])('what is cut %s', (_what, chunks, items, codes) => {
    expect(cut(chunks, TEXT.url as string)).toMatchObject({ items, codes });
  });

  test('without a single address it is invalid, wherever it is cut', () => {
    expect(cut(['hello\nwor'], TEXT.url as string)).toMatchObject({ items: [], codes: [], kind: 'invalid' });
  });
});

describe('robots.txt', () => {
  test.each<readonly [string, string, readonly string[], readonly string[]]>([
    ['capitals and small letters', `SITEMAP: ${A}\nsitemap: ${B}\n`, [A, B], []],
    ['other names that begin as it does', `Sitemap_url: ${A}\nSite-maps: ${B}\n`, [A, B], []],
    ['names that only contain it', `My-Sitemap: ${A}\nX${A}\nSite map: ${B}\n`, [], []],
    ['no white space behind the colon', `Sitemap:${A}\n`, [A], []],
    ['white space and a tab before the colon', `Sitemap \t: ${A}\n`, [A], []],
    ['white space in front', ` \tSitemap: ${A}\n`, [A], []],
    ['a half of a byte order mark', `\u00bfSitemap: ${A}\n`, [A], []],
    ['a comma between two', `Sitemap: ${A}, ${B}\n`, [A, B], []],
    ['three words, of which one is an address', `Sitemap: see ${A} please\n`, [A], ['robots-line-skipped']],
    ['words of which none is an address', 'Sitemap: none yet\n', [], ['robots-line-skipped']],
    ['one relative address', 'Sitemap: /s.xml\n', ['https://a.example/s.xml'], ['relative-url']],
    [
      'one twice, in other words',
      `Sitemap: ${A}\nSitemap: ${A}#x\nSitemap: HTTPS://A.example:443/1\nSitemap: ${B}\n`,
      [A, B],
      [],
    ],
    [
      'a value that is empty in front of a comment',
      `Sitemap: # ${A}\nSitemap:\n`,
      [],
      ['robots-line-skipped', 'robots-line-skipped'],
    ],
    ['a comment without a space', `Sitemap: ${A}#${B}\n`, [A], []],
    ['a control character', `Sitemap: ${A}\u0007\n`, [A], ['control-character']],
    ['a control character in a line without a colon', `Sitemaps are\u0007 good\nSitemap: ${A}\n`, [A], []],
    ['an invalid byte in another line', `Sorry\u0007\nSitemap: ${A}\n`, [A], []],
  ])('%s', (_what, text, urls, codes) => {
    const { items, problems, kind } = readWhole(text, ROBOTS);
    expect(items).toEqual(urls.map((url) => ({ url })));
    expect(problems.map(({ code }) => code)).toEqual(codes);
    expect(kind).toBe('robots-txt');
  });

  test('a problem is where its line or its address is', () => {
    const text = `# é\n \tSitemap: none yet\n\u00e9 Sitemap: \nSitemap: é ftp://a.example/ ${A}\nSitemap: sitemap\n`;
    expect(placesIn(text, ROBOTS)).toEqual([
      ['robots-line-skipped', 'Sitem'],
      ['robots-line-skipped', 'Sitem'],
      ['robots-line-skipped', 'Sitem'],
      ['relative-url', 'sitem'],
    ]);
  });

  test('the place of an address that is a part of the words before it', () => {
    const long = `https://a.example/${'x'.repeat(9 * KIB)}`;
    const text = `Sitemap: ${long}/y ${long}\nSitemap: p\n`;
    const { problems } = parsed(Buffer.from(text), ROBOTS);
    expect(problems.map(({ code, offset }) => [code, offset])).toEqual([
      ['oversized-url', 9],
      ['oversized-url', text.indexOf(` ${long}\n`) + 1],
      ['relative-url', text.indexOf('p\n', text.lastIndexOf(':'))],
    ]);
  });

  test.each<readonly [string, string, readonly string[], readonly string[]]>([
    ['a line that is cut', `Sitemap: ${A}\nSitemap: ${B}`, [A], ['truncated']],
    ['another line that is cut', `Sitemap: ${A}\nDisallow: /x`, [A], []],
    ['a line that is cut before its address', `Sitemap: ${A}\nSitemap:`, [A], ['truncated']],
  ])('%s', (_what, text, items, codes) => {
    expect(cut([text], ROBOTS.url as string)).toMatchObject({ items, codes, kind: 'robots-txt' });
  });
});
