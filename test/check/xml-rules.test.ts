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

test('a value in each of two entries of an index is not one too many', () => {
  const dated = [1, 2].map(
    (number) => `<sitemap>${LOC.replace('</', `${number}</`)}<lastmod>2013-05-06</lastmod></sitemap>`,
  );
  expect(rulesOf(`<sitemapindex ${NS}>${dated.join('')}</sitemapindex>`)).toEqual([]);
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
  [
    'image',
    'http://www.google.com/schemas/sitemap-image/1.1',
    'http://www.google.com/schemas/sitemap-image/1.1/',
  ],
  [
    'video',
    'http://www.google.com/schemas/sitemap-video/1.1',
    'https://www.google.com/schemas/sitemap-video/1.1',
  ],
  [
    'news',
    'http://www.google.com/schemas/sitemap-news/0.9',
    'http://www.google.com/schemas/sitemap-news/0.9/',
  ],
  ['xhtml', 'http://www.w3.org/1999/xhtml', 'https://www.w3.org/1999/xhtml'],
])('of the prefix %s, the namespace %s is right, and %s is reported once', (prefix, right, wrong) => {
  const tag = prefix === 'xhtml' ? '<xhtml:link/>' : `<${prefix}:${prefix}/>`;
  const found = (namespace: string): readonly string[] => {
    const attribute = `xmlns:${prefix}="${namespace}"`;
    const text = `<urlset ${NS}\n ${attribute}><url>${LOC}${tag}</url><url>${LOC}${tag}</url></urlset>`;
    return [...checkSitemap(text)]
      .filter(({ rule }) => rule === 'extension-namespace')
      .map(({ line, message }) => `${line} ${message}`);
  };
  expect(found(right)).toEqual([]);
  expect(found(wrong)).toEqual([
    expect.stringMatching(
      `^2 The namespace "${wrong}" of the .* extension is not right; it must be ${right}\\.$`,
    ),
  ]);
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

test('a sitemap in UTF-16 is not in UTF-8', () => {
  const found = [...checkSitemap(Buffer.from(`\ufeff${urlset('')}`, 'utf16le'))];
  expect(found.filter(({ rule }) => rule === 'not-utf-8')).toMatchObject([
    { message: 'The document is in UTF-16; the protocol requires UTF-8.', severity: 'error' },
  ]);
});

test('a document that ends inside a character is not UTF-8 from the first byte of that on', () => {
  const text = `${urlset('')}\n`;
  const bytes = Buffer.from(`${text}\xe2\x82`, 'latin1');
  for (const chunks of [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
    const found = [...checkSitemap(chunks)].filter(({ rule }) => rule === 'not-utf-8');
    expect(found).toMatchObject([{ column: 1, offset: text.length }]);
  }
});

test.each([
  ['without a byte order mark', ''],
  ['with one', '\xef\xbb\xbf'],
])('of the bytes that are not UTF-8, the first is named, in a document %s', (_what, mark) => {
  const start = `<urlset ${NS}>\n<!-- `;
  const bytes = Buffer.from(`${mark}${start}\xff\n\xfe --></urlset>`, 'latin1');
  for (const chunks of [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
    expect([...checkSitemap(chunks)].filter(({ rule }) => rule === 'not-utf-8')).toMatchObject([
      { line: 2, column: 6, offset: start.length, message: 'The document has bytes that are not UTF-8.' },
    ]);
  }
});
