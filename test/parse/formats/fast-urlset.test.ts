/**
 * The short way through a urlset: it reads what is plain, leaves alone what is not, and says of an entry what the
 * long way says. The long way is forced by handing the entry scanner a document byte by byte: then no entry is ever
 * whole in a chunk.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlainEntries } from '../../../src/parse/formats/fast-urlset.ts';
import { PagesXml } from '../../../src/parse/formats/urlset-and-index.ts';
import { ParsedDocument } from '../../../src/parse/parsed-document.ts';
import { EntryScanner } from '../../../src/parse/xml/entry-scanner.ts';
import { sized } from '../../support/tier.ts';

const HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const FIRST = '<url><loc>https://example.org/first</loc></url>';
const AFTER = '<url><loc>https://example.org/after</loc></url></urlset>';
const encoder = new TextEncoder();

/** What the fast path takes of a text, and the pages in it. */
function take(text: string): { taken: string; pages: unknown[] } {
  const bytes = encoder.encode(text);
  const document = new ParsedDocument(undefined);
  const end = new PlainEntries(document).read(bytes, new DataView(bytes.buffer), 0);
  return {
    taken: new TextDecoder().decode(bytes.subarray(0, end)),
    pages: document.takePages().map((page) => page.toJSON()),
  };
}

/** All that is said of a urlset that comes in these chunks. */
function scan(chunks: readonly Uint8Array[]): unknown {
  const document = new ParsedDocument('https://example.org/sitemap.xml');
  const prolog = { rootOffset: 0, hasRoot: true, hasDoctype: false, isInsideHtml: false };
  const scanner = new EntryScanner(new PagesXml(document), document, prolog);
  for (const chunk of chunks) scanner.write(chunk);
  scanner.end();
  const pages = document.takePages().map((page) => page.toJSON());
  return { pages, problems: document.problems.kept, truncated: scanner.truncated };
}

const url = 'https://example.org/a?b=c,d#e';

describe('plain entries are taken', () => {
  test.each<[string, string, object]>([
    ['only a loc', `<url><loc>${url}</loc></url>`, { url }],
    ['white space', `\r\n\t<url>\n <loc>\n ${url}\t</loc>\n</url>`, { url }],
    [
      'entities and letters beyond ASCII',
      '<url><loc>https://example.org/é?a=1&amp;b=&quot;2&#x22;</loc></url>',
      { url: 'https://example.org/é?a=1&b="2"' },
    ],
    [
      'all four',
      `<url><loc>${url}</loc><lastmod>2024-05-06</lastmod><changefreq>never</changefreq><priority>1.0</priority></url>`,
      {
        url,
        priority: 1,
        changeFrequency: 'never',
        lastModified: '2024-05-06T00:00:00.000Z',
        lastModifiedText: '2024-05-06',
      },
    ],
    [
      'in another order',
      `<url><priority>0.0</priority><changefreq> daily </changefreq><lastmod>2024-05-06T01:02:03Z</lastmod><loc>${url}</loc></url>`,
      {
        url,
        priority: 0,
        changeFrequency: 'daily',
        lastModified: '2024-05-06T01:02:03.000Z',
        lastModifiedText: '2024-05-06T01:02:03Z',
      },
    ],
    [
      'a change frequency in another case',
      `<url><loc>${url}</loc><changefreq>Daily</changefreq></url>`,
      { url, changeFrequency: 'daily' },
    ],
    [
      'a date that is written in a rarer way',
      `<url><loc>${url}</loc><lastmod>6 May 2024 08:53 GMT</lastmod></url>`,
      {
        url,
        lastModified: '2024-05-06T08:53:00.000Z',
        lastModifiedText: '6 May 2024 08:53 GMT',
      },
    ],
  ])('%s', (_, entry, page) => {
    expect(take(entry + AFTER)).toEqual({
      taken: (entry + AFTER).slice(0, -'</urlset>'.length),
      pages: [page, { url: 'https://example.org/after' }],
    });
  });

  test('a page that was there before is dropped', () => {
    expect(take(FIRST + FIRST + AFTER).pages).toHaveLength(2);
  });
});

/** Entries that say something to be said, or mean something else than their bytes. */
const UNUSUAL: readonly string[] = [
  '<url></url>',
  '<url><loc></loc></url>',
  '<url><loc>/relative</loc></url>',
  '<url><loc>ftp://example.org/</loc></url>',
  '<url><loc>https://example.org/a&b</loc></url>',
  '<url><loc>https://example.org/a&amp;amp;b</loc></url>',
  '<url><loc>https://example.org/a&#10;b</loc></url>',
  '<url><loc>https://example.org/a&nosuch;</loc></url>',
  '<url><loc>https://example.org/a\n&amp;b</loc></url>',
  '<url><loc>https://example.org/a&#160;</loc></url>',
  '<url><loc>http&#115;://example.org/</loc></url>',
  '<url><loc>https://example.org/\u0007</loc></url>',
  '<url><loc><![CDATA[https://example.org/cdata]]></loc></url>',
  '<url><loc>https://example.org/<!-- -->comment</loc></url>',
  '<url><!-- --><loc>https://example.org/comment</loc></url>',
  '<url><loc>https://example.org/two</loc><loc>https://example.org/locs</loc></url>',
  '<url><loc>https://example.org/two</loc><lastmod>2024-05-06</lastmod><lastmod>2024-05-07</lastmod></url>',
  '<url><loc>https://example.org/two</loc><priority>0.1</priority><priority>0.2</priority></url>',
  '<url><loc>https://example.org/two</loc><changefreq>daily</changefreq><changefreq>never</changefreq></url>',
  '<url><loc>https://example.org/bad</loc><lastmod>yesterday</lastmod></url>',
  '<url><loc>https://example.org/bad</loc><lastmod>2024-02-30</lastmod></url>',
  '<url><loc>https://example.org/bad</loc><lastmod></lastmod></url>',
  '<url><loc>https://example.org/bad</loc><lastmod>2024-05-06&#32;</lastmod></url>',
  '<url><loc>https://example.org/bad</loc><changefreq>dailyish</changefreq></url>',
  '<url><loc>https://example.org/bad</loc><priority>0,5</priority></url>',
  '<url><loc>https://example.org/bad</loc><priority>0.55</priority></url>',
  '<url><loc>https://example.org/bad</loc><priority>1.1</priority></url>',
  '<url><loc>https://example.org/bad</loc><priority>-.1</priority></url>',
  '<url><loc>https://example.org/image</loc><image:image><image:loc>https://example.org/i</image:loc></image:image></url>',
  '<url><loc>https://example.org/unknown</loc><unknown>x</unknown></url>',
  '<url><loc>https://example.org/own</loc>text</url>',
  '<url>https://example.org/own-only</url>',
  '<url><loc>https://example.org/unclosed</url>',
  '<url><loc>https://example.org/crossed</lastmod></url>',
  '<url><loc>https://example.org/crossed</locx></url>',
  '<url><loc>https://example.org/unended</loc>',
  '<URL><LOC>https://example.org/upper</LOC></URL>',
  '<url ><loc>https://example.org/space</loc></url>',
  '<url><loc >https://example.org/space</loc ></url >',
  '<url id="1"><loc>https://example.org/attribute</loc></url>',
  '<url xmlns="http://example.org/other"><loc>https://example.org/elsewhere</loc></url>',
  '<urls><loc>https://example.org/longer</loc></urls>',
  '<sitemap><loc>https://example.org/sitemap.xml</loc></sitemap>',
  '<loc>https://example.org/alone</loc>',
  '<unknown>',
  '</url>',
  'text',
];

describe('what is unusual is left to the long way, and nothing is lost by it', () => {
  test.each(UNUSUAL)('%s', (entry) => {
    const { taken } = take(FIRST + entry + AFTER);
    expect(taken).toBe(FIRST);
  });

  test.each([
    ['a long address', `<url><loc>https://example.org/${'a'.repeat(70_000)}</loc></url>`],
    ['an address behind much space', `<url><loc>${' '.repeat(70_000)}https://example.org/far</loc></url>`],
    [
      'a date behind many lines',
      `<url><loc>${url}</loc><lastmod>${'\n'.repeat(66_000)}2024-05-06</lastmod></url>`,
    ],
  ])('%s: a value has 64 KiB', (_, entry) => {
    expect(take(FIRST + entry + AFTER).taken).toBe(FIRST);
    const bytes = encoder.encode(HEAD + FIRST + entry + AFTER);
    expect(scan([bytes])).toEqual(scan(Array.from(bytes, (byte) => Uint8Array.of(byte))));
  });

  test('both ways say the same of any list, its problems included', () => {
    const plain = fc
      .tuple(fc.nat(20), fc.constantFrom('', '<lastmod>2024-05-06</lastmod>', '<priority>0.3</priority>'))
      .map(([number, more]) => `<url><loc>https://example.org/${number}</loc>${more}</url>\n`);
    const entries = fc.array(
      fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: fc.constantFrom(...UNUSUAL) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        entries,
        fc.constantFrom('</urlset>', '', '</urlset><url>'),
        fc.integer({ min: 40, max: 400 }),
        (list, end, size) => {
          const bytes = encoder.encode(HEAD + list.join('') + end);
          const whole = scan([bytes]);
          expect(whole).toEqual(scan(Array.from(bytes, (byte) => Uint8Array.of(byte))));
          const count = Math.ceil(bytes.length / size);
          const chunks = Array.from({ length: count }, (_, at) => bytes.slice(at * size, (at + 1) * size));
          expect(whole).toEqual(scan(chunks));
        },
      ),
      { numRuns: sized({ fast: 200, full: 800, strong: 3000 }) },
    );
  });
});

describe('an entry that a chunk ends within', () => {
  const entries = [1, 2, 3, 4].map(
    (number) => `<url>\n<loc>https://example.org/${number}</loc><priority>0.5</priority>\n</url>`,
  );
  const text = `${HEAD}${entries.join('\n')}${'\n'.repeat(9)}</urlset>`;
  const ends = entries.map((entry) => text.indexOf(entry) + entry.length);

  test('waits for the rest; what is whole comes out at once', () => {
    for (let cut = ends[1]!; cut <= text.length; cut++) {
      const document = new ParsedDocument(undefined);
      const prolog = { rootOffset: 0, hasRoot: true, hasDoctype: false, isInsideHtml: false };
      const scanner = new EntryScanner(new PagesXml(document), document, prolog);
      scanner.write(encoder.encode(text.slice(0, cut)));
      const first = document.takePages().length;
      expect([cut, first]).toEqual([cut, ends.filter((end) => end <= cut).length]);
      scanner.write(encoder.encode(text.slice(cut)));
      scanner.end();
      expect([cut, first + document.takePages().length]).toEqual([cut, 4]);
    }
  });
});
