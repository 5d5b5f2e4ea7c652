/**
 * The fixture pairs: `x.xml` beside `x.json`, one for every row of Specification §6 and §7. The expectations were
 * written from that text, never from what the code printed. Pages are compared as the JSON of §5, problems by
 * their codes in order.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PARSE_PROBLEMS, type ParseOptions, parseSitemap } from '../../src/parse/index.ts';
import { readEveryWay, readWhole } from '../support/every-cut.ts';

const FOLDER = new URL('../fixtures/', import.meta.url);

/** What an `x.json` says of its document. */
interface Expected {
  /** The words of the specification that the pair holds. */
  readonly section: string;
  readonly url?: string;
  readonly charset?: string;
  readonly kind: string;
  readonly items: readonly unknown[];
  readonly problems: readonly string[];
  readonly truncated?: boolean;
  /** Part of the reason, in any case: the sentence itself may be worded anew. */
  readonly reason?: string;
}

const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  .map((entry) => join(entry.parentPath, entry.name));
const stem = (path: string) => path.slice(0, -extname(path).length);
const expectations = new Set(files.filter((path) => path.endsWith('.json')).map(stem));
const documents = files.filter((path) => !path.endsWith('.json'));
const nameOf = (path: string) => path.slice(join(import.meta.dirname, '../fixtures/').length);

test('every fixture has its pair, and no name is used twice', () => {
  const stems = documents.map(stem);
  expect(stems.filter((name) => !expectations.has(name)).map(nameOf)).toEqual([]);
  expect([...expectations].filter((name) => !stems.includes(name)).map(nameOf)).toEqual([]);
  expect(new Set(stems).size).toBe(stems.length);
  expect(documents.length).toBeGreaterThanOrEqual(90);
});

describe.each(documents.map((path) => ({ name: nameOf(path), path })))('$name', ({ path }) => {
  const expected = expectedOf(path);

  test(expected.section, async () => {
    const read = await readEveryWay(readFileSync(path), optionsOf(expected));
    expect({ kind: read.kind, items: read.items, problems: read.problems.map(({ code }) => code) }).toEqual({
      kind: expected.kind,
      items: expected.items,
      problems: expected.problems,
    });
    expect(read.problemCount).toBe(expected.problems.length);
    expect(read.truncated).toBe(expected.truncated ?? false);
    for (const { code } of read.problems) expect(Object.keys(PARSE_PROBLEMS)).toContain(code);
    // A sentence, with the address in it: it goes into logs as it is.
    if (expected.kind === 'invalid') {
      expect(read.reason).toContain(expected.url ?? 'The document');
      expect(read.reason).toMatch(/ is not a sitemap.*\.$/);
    } else expect(read.reason).toBeUndefined();
    expect(read.reason?.toLowerCase() ?? '').toContain((expected.reason ?? '').toLowerCase());
  });
});

const page = (loc: string) => `<url><loc>${loc}</loc></url>`;
const urlset = (body: string) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${body}</urlset>`;
const A = { url: 'https://example.org/a' };
const B = { url: 'https://example.org/b' };
const C = { url: 'https://example.org/c' };
const [a, b] = [page(A.url), page(B.url)];
const KIB = 1024;
const MIB = KIB * KIB;

/** What is too long to keep in a file, or what an editor would ruin. */
const BUILT: readonly (readonly [
  section: string,
  document: string,
  kind: string,
  items: readonly unknown[],
  codes: readonly string[],
])[] = [
  ...[
    '<!DOCTYPE urlset>',
    "<!DOCTYPE urlset [<?editor don't?>]>",
    '<!DOCTYPE urlset [<!-- don\'t ]> " -->]>',
    '<!DOCTYPE urlset [<!-- > ]> <urlset><url><loc>https://evil.example/</loc></url></urlset> -->]>',
    '<!DOCTYPE urlset [<?editor > ]> <urlset><url><loc>https://evil.example/</loc></url></urlset> ?>]>',
    '<!DOCTYPE urlset [<!ENTITY a "]>"><!ENTITY b \'"<!--\'>]>',
    '<!DOCTYPE urlset [<!ENTITY % p SYSTEM "a">%p;<!ATTLIST url x CDATA "\'>">]\n>',
    '<!DOCTYPE urlset SYSTEM "a[b">',
    '<!DOCTYPE urlset SYSTEM "a>b">',
    "<!DOCTYPE urlset PUBLIC '-//A//>' \"b'[\"[]>",
    '<!DOCTYPE urlset SYSTEM "x><urlset><url><loc>https://evil.example/</loc></url></urlset>">',
    // Not well-formed: they end before the root.
    '<!DOCTYPE urlset SYSTEM "a>',
    "<!DOCTYPE urlset SYSTEM 'a>",
    '<!DOCTYPE urlset [<!ENTITY a "b>]>',
    '<!DOCTYPE urlset [<!-- ',
    '<!DOCTYPE urlset [<?a ',
    '<!DOCTYPE urlset [',
    "<!DOCTYPE urlset [ don't ]>",
    "<!DOCTYPE urlset don't>",
    '<!DOCTYPE urlset ',
  ].map(
    (doctype) =>
      [`§7 DOCTYPE: ${doctype}`, `${doctype}\n${urlset(a + b)}`, 'pages-xml', [A, B], ['doctype']] as const,
  ),
  ...[
    '<?xml-stylesheet title="a<b" href=\'c>d\'?>',
    // The quote is not closed, and what follows is not taken for the rest of it.
    '<?xml version="1.0"?><?xml-stylesheet title="a?>',
  ].map(
    (before) =>
      [`§7 declarations: ${before}`, `${before}\n${urlset(a + b)}`, 'pages-xml', [A, B], []] as const,
  ),
  ...['<?xml version="1.0" encoding="UTF-8>', '<?xml version="1.0" encoding="UTF-8">'].map(
    (before) =>
      [`§7 ${before}`, `${before}\n${urlset(a + b)}`, 'pages-xml', [A, B], ['tag-cut-short']] as const,
  ),
  [
    '§7 CDATA that is not closed in a loc ends with it',
    urlset(`<url><loc><![CDATA[${A.url}</loc></url>${b}<url><loc><![CDATA[${C.url}]]></loc></url>`),
    'pages-xml',
    [A, B, C],
    ['tag-cut-short'],
  ],
  [
    '§7 CDATA that is closed nowhere takes no entry with it',
    urlset(`<url><loc> <![CDATA[${A.url}</loc></url>${b}`),
    'pages-xml',
    [A, B],
    ['tag-cut-short'],
  ],
  [
    '§6 an unreadable second lastmod does not replace a readable one',
    urlset(`<url><loc>${A.url}</loc><lastmod>2024-05-06</lastmod><lastmod>soon</lastmod></url>`),
    'pages-xml',
    [{ ...A, lastModified: '2024-05-06T00:00:00.000Z', lastModifiedText: '2024-05-06' }],
    ['bad-date'],
  ],
  [
    '§6 an unreadable second priority or changefreq does not replace a readable one',
    urlset(
      `<url><loc>${A.url}</loc><priority>0.8</priority><priority>9</priority><changefreq>daily</changefreq><changefreq>x</changefreq></url>`,
    ),
    'pages-xml',
    [{ ...A, priority: 0.8, changeFrequency: 'daily' }],
    ['bad-priority', 'bad-change-frequency'],
  ],
  [
    '§7 control characters',
    urlset(page('https://example.org/\u0008a\u0000') + b),
    'pages-xml',
    [A, B],
    ['control-character'],
  ],
  [
    '§7 a known root within the first 64 KiB',
    `${'x'.repeat(60 * KIB)}${urlset(a)}`,
    'pages-xml',
    [A],
    ['text-before-root'],
  ],
  ['§7 a known root past the first 64 KiB', `${'x'.repeat(70 * KIB)}${urlset(a)}`, 'invalid', [], []],
  ['§7 a first <url> past many pages', urlset(a.repeat(3000) + b), 'pages-xml', [A, B], []],
  ['nesting to 256 levels', nested(200), 'pages-xml', [A, B], []],
  ['nesting past 256 levels', nested(3000), 'pages-xml', [A, B], ['nesting-too-deep']],
];

describe('documents built in code', () => {
  test.each(BUILT)('%s', async (_, document, kind, items, codes) => {
    const read = await readEveryWay(new TextEncoder().encode(document), {
      url: 'https://example.org/sitemap.xml',
    });
    expect({ kind: read.kind, items: read.items, codes: read.problems.map(({ code }) => code) }).toEqual({
      kind,
      items,
      codes,
    });
  });

  // Whether such length is a problem may be argued; that entries survive it, and that cuts do not matter, may not.
  test.each([
    ['a comment', `<!--${' x'.repeat(50 * KIB)}-->`],
    ['a processing instruction', `<?x ${' x'.repeat(50 * KIB)}?>`],
    ['a tag', `<x y="${' x'.repeat(50 * KIB)}"/>`],
    ['a closing tag', `<x></x${' '.repeat(100 * KIB)}>`],
    ['a name', `<${'x'.repeat(100 * KIB)}/>`],
    ['text', ' x'.repeat(50 * KIB)],
    ['CDATA', `<![CDATA[${' x'.repeat(50 * KIB)}]]>`],
    ['many attributes', `<x ${'y="z" '.repeat(20 * KIB)}/>`],
  ])('%s of 100 KiB between two entries', async (_, long) => {
    const { items } = await readEveryWay(new TextEncoder().encode(urlset(a + long + b)));
    expect(items).toEqual([A, B]);
  });

  // Each of these ends where tokens are cut: its end may begin before that place and end behind it.
  const aroundLimit = [-3, -2, -1, 0, 1, 2, 3].map((more) => 64 * KIB + more);
  test.each<[string, (length: number) => string]>([
    ['a comment', (length) => `<!--${'x'.repeat(length)}-->`],
    ['a processing instruction', (length) => `<?x${'x'.repeat(length)}?>`],
    ['CDATA', (length) => `<x><![CDATA[${'x'.repeat(length)}]]></x>`],
    ['CDATA of ]', (length) => `<x><![CDATA[${']'.repeat(length)}]]></x>`],
    ['CDATA behind text', (length) => `<x>x<![CDATA[${'x'.repeat(length)}]]></x>`],
    ['a tag', (length) => `<x y="${'x'.repeat(length)}"/>`],
    ['text', (length) => `<x>${'x'.repeat(length)}</x>`],
  ])('%s whose end is around 64 KiB costs no entry', (_, write) => {
    for (const length of aroundLimit) {
      const document = new TextEncoder().encode(urlset(a + write(length) + b));
      for (const step of [document.length, 1_000, 7]) {
        const urls = Array.from(parseSitemap(steps(document, step)), (item) =>
          item.type === 'page' ? item.page.url : '',
        );
        expect([length, step, urls]).toEqual([length, step, [A.url, B.url]]);
      }
    }
  });

  test('CDATA of exactly 64 KiB is a whole value, and a longer one is truncated', async () => {
    const problemsOf = async (length: number) => {
      const image = `<image:image><image:loc>${A.url}</image:loc><image:title><![CDATA[${'x'.repeat(length)}]]></image:title></image:image>`;
      const { items, problems } = await readEveryWay(
        new TextEncoder().encode(urlset(`<url><loc>${A.url}</loc>${image}</url>${b}`)),
      );
      const title = 'x'.repeat(Math.min(length, 64 * KIB));
      expect(items).toEqual([{ ...A, images: [{ loc: A.url, title }] }, B]);
      return problems.map(({ code }) => code);
    };
    for (const length of [64 * KIB - 1, 64 * KIB])
      expect(await problemsOf(length)).toEqual(['undeclared-prefix']);
    expect(await problemsOf(64 * KIB + 1)).toEqual(['undeclared-prefix', 'value-too-long']);
  });

  test('a DOCTYPE of 50 KiB before the root', async () => {
    const doctype = `<!DOCTYPE urlset [${'<!ENTITY a "b">'.repeat(3400)}]>`;
    const { items, problems } = await readEveryWay(new TextEncoder().encode(doctype + urlset(a + b)));
    expect(items).toEqual([A, B]);
    expect(problems.map(({ code }) => code)).toEqual(['doctype']);
  });

  test.each([
    ['text', '', ''],
    ['a CDATA section', '<![CDATA[', ']]>'],
    ['text and a CDATA section', 'x<![CDATA[', ']]>'],
  ])('a value past 64 KiB that is %s is truncated there, with a problem', async (_, before, after) => {
    const long = 'x'.repeat(100 * KIB);
    const title = `<image:title>${before}${long}${after}</image:title>`;
    const image = `<image:image><image:loc>${A.url}</image:loc>${title}</image:image>`;
    const document = urlset(`<url><loc>${A.url}</loc>${image}</url>${b}`);
    const { items, problems } = await readEveryWay(new TextEncoder().encode(document));
    expect(problems.map(({ code }) => code)).toEqual(['undeclared-prefix', 'value-too-long']);
    expect(items).toEqual([{ ...A, images: [{ loc: A.url, title: long.slice(0, 64 * KIB) }] }, B]);
  });

  test.each([
    ['a character of two bytes', 'ü', 'ü'.repeat(32 * KIB - 1)],
    ['a character of three bytes', '字', '字'.repeat(21_845)],
    ['a character of four bytes', '😀', '😀'.repeat(16 * KIB - 1)],
    ['a reference', '&quot;', '"'.repeat(10_922)],
  ])(
    'a value past 64 KiB is truncated before %s that does not fit, which is not a problem of its own',
    async (_, unit, kept) => {
      // One byte first, so that the limit is inside of what is repeated.
      const image = `<image:image><image:loc>${A.url}</image:loc><image:title>-${unit.repeat(40_000)}</image:title></image:image>`;
      const document = urlset(`<url><loc>${A.url}</loc>${image}</url>${b}`);
      const { items, problems } = await readEveryWay(new TextEncoder().encode(document));
      expect(problems.map(({ code }) => code)).toEqual(['undeclared-prefix', 'value-too-long']);
      expect(items).toEqual([{ ...A, images: [{ loc: A.url, title: `-${kept}` }] }, B]);
    },
  );

  const urlOf = (length: number) => 'https://example.org/'.padEnd(length, 'x');
  test.each([
    ['a urlset', (url: string) => urlset(`<url><loc>${url}</loc></url>`), '/sitemap.xml'],
    ['a urlset, on the slow path', (url: string) => urlset(`<url ><loc>${url}</loc></url>`), '/sitemap.xml'],
    [
      'an index',
      (url: string) => `<sitemapindex><sitemap><loc>${url}</loc></sitemap></sitemapindex>`,
      '/sitemap.xml',
    ],
    ['a text', (url: string) => `https://example.org/first\n${url}\n`, '/sitemap.txt'],
    ['a robots.txt', (url: string) => `Sitemap: ${url}\n`, '/robots.txt'],
  ])('a URL over 8 KiB in %s is dropped, with a problem; one of 8 KiB is kept', async (_, write, path) => {
    const url = `https://example.org${path}`;
    const kept = await readEveryWay(new TextEncoder().encode(write(urlOf(8192))), { url });
    expect(kept.items.at(-1)).toMatchObject({ url: urlOf(8192) });
    const dropped = await readEveryWay(new TextEncoder().encode(write(urlOf(8193))), { url });
    expect(dropped.items).toHaveLength(kept.items.length - 1);
    expect(dropped.problems.map(({ code }) => code)).toContain('oversized-url');
  });

  test('extensions past 1 MiB in one entry are counted and dropped; the entry after it is whole', async () => {
    const image = `<image:image><image:loc>${A.url}</image:loc></image:image>`;
    const entry = `<url><loc>${A.url}</loc>${image.repeat(20_000)}</url>`;
    const next = `<url><loc>${B.url}</loc>${image}</url>`;
    const parse = parseSitemap(urlset(entry + next));
    const [first, second] = [...parse].flatMap((item) => (item.type === 'page' ? item.page : []));
    const perImage = 64 + A.url.length;
    expect(first?.images).toHaveLength(Math.floor(MIB / perImage));
    expect(second?.images).toHaveLength(1);
    expect(parse.problems.map(({ code }) => code)).toEqual(['undeclared-prefix', 'too-many-extensions']);
    const problem = parse.problems.at(-1);
    expect(problem?.message).toContain(`${20_000 - Math.floor(MIB / perImage)} more`);
  });

  test('a problem quotes no more than a part of what is wrong', () => {
    const long = `relative-${'x'.repeat(7000)}`;
    const { problems } = readWhole(urlset(page(long)), { url: 'https://example.org/sitemap.xml' });
    expect(problems.map(({ message }) => message.length).every((length) => length <= 1001)).toBe(true);
  });

  test('a hundred problems are kept, the rest counted, and no code is hidden by a flood of another', () => {
    const flood = '<url><priority>9</priority></url>'.repeat(500);
    const { problems, problemCount } = readWhole(
      urlset(`${flood}${a}<url><loc>mailto:x@example.org</loc></url>`),
    );
    expect(problems).toHaveLength(100);
    expect(problemCount).toBeGreaterThanOrEqual(501);
    expect(problems.map(({ code }) => code)).toContain('not-http-url');
  });
});

function nested(levels: number): string {
  return urlset(`${a}<url>${'<x>'.repeat(levels)}${'</x>'.repeat(levels)}<loc>${B.url}</loc></url>`);
}

function optionsOf({ url, charset }: Expected): ParseOptions {
  return { ...(url === undefined ? {} : { url }), ...(charset === undefined ? {} : { charset }) };
}

function expectedOf(path: string): Expected {
  const name = `${stem(path)}.json`;
  const value: unknown = JSON.parse(expectations.has(stem(path)) ? readFileSync(name, 'utf8') : 'null');
  if (isExpected(value)) return value;
  // A fixture that lacks its pair fails in the test above, by name; here it must only not stop the others.
  return { section: 'has no expectation', kind: 'missing', items: [], problems: [] };
}

function isExpected(value: unknown): value is Expected {
  return (
    typeof value === 'object' &&
    value !== null &&
    'section' in value &&
    typeof value.section === 'string' &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    'items' in value &&
    Array.isArray(value.items) &&
    'problems' in value &&
    Array.isArray(value.problems)
  );
}

function* steps(document: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < document.length; at += length) yield document.subarray(at, at + length);
}
