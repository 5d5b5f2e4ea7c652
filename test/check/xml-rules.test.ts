/** §12: which faults of XML, of namespaces and of values follow from each other, and what one entry says of the next. */
import { expect, test } from 'vitest';
import { checkSitemap } from '../../src/check/index.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const LOC = '<loc>https://example.org/</loc>';

/** What is found besides information, as `rule line:column`, sorted. */
function rulesOf(text: string | Uint8Array, url = 'https://example.org/a.xml'): readonly string[] {
  return [...checkSitemap(text, { url, now: Date.UTC(2014, 0, 1) })]
    .filter(({ rule }) => !/^(?:lastmod-missing|url-repeated)$/.test(rule))
    .map(
      ({ rule, line, column, count }) =>
        `${rule} ${line}:${column}${count === undefined ? '' : ` ×${count}`}`,
    )
    .toSorted();
}
const urlset = (...entries: readonly string[]): string =>
  `<urlset ${NS}>\n${entries.map((each) => `<url>${LOC}${each}</url>\n`).join('')}</urlset>`;

test.each([
  [
    'an empty value',
    ['<lastmod/>', '<lastmod></lastmod>', '<priority> </priority>'],
    ['empty-value 2:37 ×2', 'empty-value 4:37 ×1'],
  ],
  ['an empty changefreq', ['<changefreq/>'], ['empty-value 2:37 ×1']],
  ['a value twice', ['<priority>1</priority><priority>1</priority>'], ['value-repeated 2:69 ×1']],
  ['a value three times', ['<priority>1</priority>'.repeat(3)], ['value-repeated 2:69 ×2']],
  ['an empty value and one', ['<priority/><priority>1</priority>'], ['empty-value 2:37 ×1']],
  ['a value in each of two entries', ['<priority>1</priority>', '<priority>1</priority>'], []],
  [
    'two values twice',
    ['<changefreq>daily</changefreq><priority>1</priority>'.repeat(2)],
    ['value-repeated 2:101 ×1', 'value-repeated 2:129 ×1'],
  ],
])('%s is found once for each tag', (_what, entries, expected) => {
  expect(rulesOf(urlset(...entries))).toEqual(expected);
});

test('empty and repeated values are told in words', () => {
  const messages = Array.from(
    checkSitemap(urlset('<lastmod/>', '<lastmod/>', '<priority>1</priority>'.repeat(2)), {}),
    ({ rule, message }) => `${rule}: ${message}`,
  );
  expect(messages).toContain('empty-value: 2 entries have an empty lastmod.');
  expect(messages).toContain('value-repeated: The entry has more than one priority.');
});

test('an entry without an address is found at its start, that of an image at the image', () => {
  const image = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
  const text =
    `<urlset ${NS} ${image}>\n<url>\n<priority>1</priority></url>\n<url>${LOC}\n<image:image>\n<image:title>x</image:title>` +
    '</image:image></url>\n<url>\n</url></urlset>';
  expect(rulesOf(text).filter((each) => each.startsWith('entry'))).toEqual([
    'entry-without-loc 2:1',
    'entry-without-loc 5:1',
    'entry-without-loc 7:1',
  ]);
});

test.each([
  ['image', 'http://www.google.com/schemas/sitemap-image/1.1/', 'image'],
  ['video', 'https://www.google.com/schemas/sitemap-video/1.1', 'video'],
  ['news', 'http://www.google.com/schemas/sitemap-news/0.9/', 'news'],
  ['xhtml', 'https://www.w3.org/1999/xhtml', 'xhtml'],
])('of the %s extension, the namespace %s is not right, once, where it is declared', (prefix, uri, name) => {
  const right: Readonly<Record<string, string>> = {
    image: 'http://www.google.com/schemas/sitemap-image/1.1',
    video: 'http://www.google.com/schemas/sitemap-video/1.1',
    news: 'http://www.google.com/schemas/sitemap-news/0.9',
    xhtml: 'http://www.w3.org/1999/xhtml',
  };
  const tag = prefix === 'xhtml' ? '<xhtml:link/>' : `<${prefix}:${prefix}/>`;
  const text = (namespace: string): string =>
    `<urlset ${NS}\n xmlns:${prefix}="${namespace}"><url>${LOC}${tag}</url><url>${LOC}${tag}</url></urlset>`;
  const messagesOf = (namespace: string): readonly string[] =>
    [...checkSitemap(text(namespace))]
      .filter(({ rule }) => rule === 'extension-namespace')
      .map(({ line, column, message }) => `${line}:${column} ${message}`);
  const at = `2:${' xmlns:="'.length + prefix.length}`;
  expect(messagesOf(uri)).toEqual([
    expect.stringMatching(
      new RegExp(
        `^2:\\d+ The namespace "${uri}" of the ${name === 'xhtml' ? '\\w+' : name} extension is not right; it must be ${right[prefix]}\\.$`,
      ),
    ),
  ]);
  expect(messagesOf(uri)[0]).toMatch(new RegExp(`^2:(?:2|${Number(at.slice(2)) + 1}) `));
  expect(messagesOf(right[prefix]!)).toEqual([]);
});

test('two prefixes that were exchanged are two findings, once they are used', () => {
  const exchanged =
    'xmlns:image="http://www.google.com/schemas/sitemap-video/1.1"\n xmlns:video="http://www.google.com/schemas/sitemap-image/1.1"';
  const of = (inside: string): readonly string[] =>
    rulesOf(`<urlset ${NS} ${exchanged}><url>${LOC}${inside}</url></urlset>`).filter((each) =>
      each.startsWith('ext'),
    );
  expect(of('')).toEqual([]);
  expect(of('<image:image/>')).toEqual(['extension-namespace 1:74']);
  expect(of('<image:image/><image:image/><video:video/>')).toEqual([
    'extension-namespace 1:74',
    'extension-namespace 2:15',
  ]);
});

test('faults of an HTML page around a sitemap, and behind it, are one finding', () => {
  const html = `<html><p>&nbsp;<br>\n${urlset('')}\n<p>x & y</html>`;
  expect(rulesOf(html)).toEqual(['inside-html 1:1']);
});

test('a document that is cut, well-formed or not, is cut once', () => {
  expect(rulesOf(urlset('').replace('</urlset>', ''))).toEqual(['truncated 3:1']);
  expect(rulesOf(urlset('').slice(0, -3))).toHaveLength(1);
  expect(rulesOf(`${urlset('').replace('</urlset>', '')}<url><loc>https://exam`)).toHaveLength(1);
});

test.each([['UTF-16', 'utf16le', 'The document is in UTF-16; the protocol requires UTF-8.']])(
  'a sitemap in %s is not in UTF-8',
  (_what, encoding, message) => {
    const bytes = Buffer.from(`\ufeff${urlset('')}`, encoding as BufferEncoding);
    const found = [...checkSitemap(bytes)].filter(({ rule }) => rule === 'not-utf-8');
    expect(found).toMatchObject([{ message, severity: 'error' }]);
  },
);

test.each([
  [
    'a byte order mark is none of the bytes before',
    Buffer.from(`\ufeff<urlset ${NS}>\n<!-- \xff --></urlset>`, 'latin1'),
    false,
  ],
  [
    'of the bytes, the first that is not UTF-8 counts',
    Buffer.from(`<urlset ${NS}>\n<!-- \xff\n\xfe --></urlset>`, 'latin1'),
    true,
  ],
])('%s', (_what, bytes, isPlain) => {
  const marked = isPlain
    ? bytes
    : Buffer.concat([
        Buffer.from([0xef, 0xbb, 0xbf]),
        Buffer.from(`<urlset ${NS}>\n<!-- \xff --></urlset>`, 'latin1'),
      ]);
  expect([...checkSitemap(marked)].filter(({ rule }) => rule === 'not-utf-8')).toMatchObject([
    {
      line: 2,
      column: 6,
      offset: `<urlset ${NS}>\n<!-- `.length,
      message: 'The document has bytes that are not UTF-8.',
    },
  ]);
});
