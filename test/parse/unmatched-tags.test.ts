/**
 * Tags without their counterpart. A closing tag ends the scope of the tag that it closes, by name, and no other; what
 * was opened inside and never closed ends with it; a closing tag that closes nothing ends nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEveryWay, readWhole } from '../support/every-cut.ts';
import { documentFrom, type Format } from '../support/generated-document.ts';
import { sized } from '../support/tier.ts';
import { withUnmatchedTags } from '../support/unmatched-tags.ts';

const S = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const I = 'http://www.google.com/schemas/sitemap-image/1.1';
const XHTML = 'http://www.w3.org/1999/xhtml';
const ATOM = 'http://www.w3.org/2005/Atom';
const RSS_1 = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"';
const DC = 'http://purl.org/dc/elements/1.1/';
const ONE = 'http://a.org/1';
const TWO = 'http://a.org/2';
const pages = [{ url: ONE }, { url: TWO }];
const DATED = { lastModified: '2024-01-01T00:00:00.000Z', lastModifiedText: '2024-01-01' };

/** An entry with an image: `inside` is behind the image. */
const illustrated = (url: string, prefix: string, inside = '') =>
  `<url><loc>${url}</loc><${prefix}:image><${prefix}:loc>${url}.png</${prefix}:loc></${prefix}:image>${inside}</url>`;
const withImages = pages.map(({ url }) => ({ url, images: [{ loc: `${url}.png` }] }));

const entry = (inside: string) => `<entry>${inside}</entry>`;
const feed = (body: string) => `<feed xmlns="${ATOM}">${body}</feed>`;
const LINK = `<link href="${ONE}"/>`;
const dated = (url: string) => ({ url, ...DATED, newsStory: { publishDate: DATED.lastModified } });

/** Each with the section that it holds, the document, what it has, and the codes of its problems. */
const CASES: readonly (readonly [
  section: string,
  document: string,
  items: readonly unknown[],
  problems: readonly string[],
])[] = [
  [
    '§7 mis-nested tags: a stray closing tag of an entry with a prefix',
    `<ns0:urlset xmlns:ns0="${S}"><ns0:url><ns0:loc>${ONE}</ns0:loc></ns0:url></ns0:url>` +
      `<ns0:url><ns0:loc>${TWO}</ns0:loc></ns0:url></ns0:urlset>`,
    pages,
    ['mis-nested-tag'],
  ],
  [
    '§7 mis-nested tags: stray closing tags inside an entry with a prefix',
    `<s:urlset xmlns:s="${S}"><s:url></p></p><s:loc>${ONE}</s:loc></s:url>` +
      `<s:url><s:loc>${TWO}</s:loc></s:url></s:urlset>`,
    pages,
    ['mis-nested-tag', 'mis-nested-tag'],
  ],
  [
    '§7 mis-nested tags: stray closing tags inside an Atom entry with a prefix',
    `<a:feed xmlns:a="${ATOM}"><a:entry></p></p><a:link href="${ONE}"/></a:entry>` +
      `<a:entry><a:link href="${TWO}"/></a:entry></a:feed>`,
    pages,
    ['mis-nested-tag', 'mis-nested-tag'],
  ],
  [
    '§7 mis-nested tags: a stray closing tag in an index with a prefix',
    `<sm:sitemapindex xmlns:sm="${S}"><sm:sitemap><sm:loc>${ONE}</sm:loc></sm:sitemap></sm:sitemap>` +
      `<sm:sitemap><sm:loc>${TWO}</sm:loc></sm:sitemap></sm:sitemapindex>`,
    pages,
    ['mis-nested-tag'],
  ],
  [
    '§7 mis-nested tags: images under another prefix behind a stray closing tag',
    `<urlset xmlns="${S}" xmlns:i="${I}">${illustrated(ONE, 'i', '</p>')}${illustrated(TWO, 'i')}</urlset>`,
    withImages,
    ['mis-nested-tag'],
  ],
  [
    '§7 mis-nested tags: alternates under another prefix behind a stray closing tag',
    `<urlset xmlns="${S}" xmlns:x="${XHTML}"></p><url><loc>${ONE}</loc>` +
      `<x:link rel="alternate" hreflang="de" href="${TWO}"/></url></urlset>`,
    [{ url: ONE, alternates: [{ hreflang: 'de', href: TWO }] }],
    ['mis-nested-tag'],
  ],
  [
    '§7 mis-nested tags: Dublin Core dates under another prefix behind a stray closing tag',
    `<rss xmlns:d="${DC}"><channel></p></p><item><link>${ONE}</link><d:date>2024-01-01</d:date></item></channel></rss>`,
    [dated(ONE)],
    ['mis-nested-tag', 'mis-nested-tag'],
  ],
  [
    '§7 mis-nested tags: a declared prefix stays declared',
    `<urlset xmlns="${S}" xmlns:image="${I}"><url><loc>${ONE}</loc></url></url>${illustrated(TWO, 'image')}</urlset>`,
    [pages[0], withImages[1]],
    ['mis-nested-tag'],
  ],
  ...['<br>', '<br>b<br>'].map(
    (breaks) =>
      [
        `§7 unclosed tags: a${breaks} in the content of an Atom entry, before its link and date`,
        feed(
          entry(
            `<content type="xhtml"><div xmlns="${XHTML}">a${breaks}</div></content>${LINK}` +
              '<updated>2024-01-01</updated>',
          ),
        ),
        [dated(ONE)],
        ['unclosed-tag'],
      ] as const,
  ),
  [
    '§7 unclosed tags: two <br> in the content of an Atom entry, between its link and date',
    feed(
      entry(
        `${LINK}<content type="xhtml"><div xmlns="${XHTML}">a<br>b<br></div></content>` +
          '<updated>2024-01-01</updated>',
      ),
    ),
    [dated(ONE)],
    ['unclosed-tag'],
  ],
  [
    '§7 mis-nested tags: RSS 1.0 with stray closing tags in a description',
    `<rdf:RDF ${RSS_1} xmlns:dc="${DC}"><item><description>a</p>b</p>c</p></description><link>${ONE}</link>` +
      '<dc:date>2024-01-01</dc:date></item></rdf:RDF>',
    [{ ...dated(ONE), newsStory: { title: 'abc', publishDate: DATED.lastModified } }],
    ['mis-nested-tag', 'mis-nested-tag', 'mis-nested-tag'],
  ],
  [
    '§7 mis-nested tags: a stray closing tag in an image that declares its own namespace',
    `<urlset xmlns="${S}"><url><loc>${ONE}</loc><image xmlns="${I}"><loc>${ONE}.png</loc></p></image>` +
      '<lastmod>2024-01-01</lastmod></url></urlset>',
    [{ ...withImages[0], ...DATED }],
    ['mis-nested-tag'],
  ],
  ...(
    [
      [
        'urlset',
        `<urlset xmlns="${S}">`,
        `<url><loc>${ONE}</loc></url><url><loc>${TWO}</loc></url></urlset>`,
      ],
      ['feed', `<feed xmlns="${ATOM}">`, `${entry(LINK)}${entry(`<link href="${TWO}"/>`)}</feed>`],
      ['rss', '<rss>', `<item><link>${ONE}</link></item><item><link>${TWO}</link></item></rss>`],
    ] as const
  ).map(
    ([name, root, entries]) =>
      [
        `§7 unclosed tags: a <div> of XHTML before the entries of a ${name}`,
        `${root}<div xmlns="${XHTML}">${entries}`,
        pages,
        ['unclosed-tag'],
      ] as const,
  ),
  [
    '§7 unclosed tags: a <div> of XHTML in an entry, before its loc',
    `<urlset xmlns="${S}"><url><div xmlns="${XHTML}"><loc>${ONE}</loc><lastmod>2024-01-01</lastmod></url></urlset>`,
    [{ url: ONE, ...DATED }],
    ['unclosed-tag'],
  ],
  [
    '§7 junk after the root: entries behind the first end of a root with a prefix',
    `<ns0:urlset xmlns:ns0="${S}"><ns0:url><ns0:loc>${ONE}</ns0:loc></ns0:url></ns0:urlset>` +
      `<ns0:url><ns0:loc>${TWO}</ns0:loc></ns0:url></ns0:urlset>`,
    pages,
    ['entry-without-root', 'mis-nested-tag'],
  ],
  [
    '§7 junk after the root: entries behind the first end of a root without a prefix',
    `<urlset xmlns="${S}"><url><loc>${ONE}</loc></url></urlset><url><loc>${TWO}</loc></url></urlset>`,
    pages,
    ['entry-without-root', 'mis-nested-tag'],
  ],
  [
    '§7 junk after the root: what the first root declares holds for entries behind it',
    `<urlset xmlns="${S}" xmlns:i="${I}">${illustrated(ONE, 'i')}</urlset>${illustrated(TWO, 'i')}`,
    withImages,
    ['entry-without-root'],
  ],
  [
    '§7 unclosed tags: a closing tag of a name that is open further out does not end the entry',
    `<urlset xmlns="${S}"><p><url><loc>${ONE}</loc></p></url></p><url><loc>${TWO}</loc></url></urlset>`,
    pages,
    ['mis-nested-tag'],
  ],
  [
    '§7 unclosed tags: the namespace of an unclosed tag does not hide the end of its entry',
    `<urlset xmlns="${S}"><url><loc>${ONE}</loc><x xmlns="urn:x"></url><url><loc>${TWO}</loc></url></urlset>`,
    pages,
    ['unclosed-tag'],
  ],
  [
    '§7 unclosed tags: what is inside tags of an entry is not its own, behind one that is never closed',
    `<rss><item><br><image><link>${TWO}</link><title>Not</title></image><link>${ONE}</link><title>T</title></item></rss>`,
    [{ url: ONE, newsStory: { title: 'T' } }],
    ['unclosed-tag'],
  ],
  [
    '§7 unclosed tags: what is in a tag that is never closed is the own of its entry',
    `<rss><item><image><link>${TWO}</link></image><br><link>${ONE}</link></item></rss>`,
    [pages[0]],
    ['unclosed-tag'],
  ],
  [
    '§7 junk after the root: a stray closing tag',
    `<urlset xmlns="${S}"><url><loc>${ONE}</loc></url></urlset></p>`,
    [pages[0]],
    ['junk-after-root'],
  ],
  [
    '§7 a <loc> outside of an entry: unknown elements behind it are closed, and their namespaces end with them',
    `<urlset xmlns="${S}" xmlns:i="${I}"><loc>${ONE}</loc><x xmlns="urn:x"><i:image><i:loc>${ONE}.png</i:loc></i:image></x>` +
      `<lastmod>2024-01-01</lastmod><y>z</y><loc>${TWO}</loc></urlset>`,
    [{ ...withImages[0], ...DATED }, pages[1]],
    ['loc-outside-entry', 'several-locs'],
  ],
  [
    '§7 unclosed tags: a root inside the root is not closed, and the document ends with its end',
    `<urlset xmlns="${S}"><urlset xmlns="${S}"><url><loc>${ONE}</loc></url></urlset>`,
    [pages[0]],
    ['nested-root', 'unclosed-tag'],
  ],
  ...['<urlset/>', '<urlset></urlset>', '<sitemapindex/>', '<sitemapindex></sitemapindex>'].map(
    (empty) =>
      [
        `§7 nested roots: ${empty} inside of the root is closed, and so is the document by the end of its root`,
        `<urlset xmlns="${S}">${empty}<url><loc>${ONE}</loc></url></urlset>`,
        [pages[0]],
        ['nested-root'],
      ] as const,
  ),
];

describe('unmatched tags', () => {
  test.each(CASES)('%s', async (_section, document, items, problems) => {
    const read = await readEveryWay(new TextEncoder().encode(document));
    expect(read.items).toEqual(items);
    expect(read.problems.map(({ code }) => code)).toEqual(problems);
    expect(read.truncated).toBe(false);
  });

  test('§7 unclosed tags: more of them than names are kept of, between entries and inside one', () => {
    const many = '<br>'.repeat(400);
    const entries = [ONE, TWO].map((url) =>
      illustrated(url, 'i', many).replace('<url>', `${many}</p><url>${many}`),
    );
    const read = readWhole(`<urlset xmlns="${S}" xmlns:i="${I}">${entries.join('')}</urlset>`);
    expect(read.items).toEqual(withImages);
    expect(new Set(read.problems.map(({ code }) => code))).toEqual(
      new Set(['mis-nested-tag', 'nesting-too-deep', 'unclosed-tag']),
    );
  });
});

/** How many documents of each format, and how many tags are around its entries. */
const RUNS: readonly (readonly [Format, number, depth: number])[] = [
  ['urlset', sized({ fast: 100, full: 150, strong: 6000 }), 1],
  ['sitemapindex', sized({ fast: 50, full: 75, strong: 2000 }), 1],
  ['rss', sized({ fast: 100, full: 125, strong: 4000 }), 2],
  ['atom', sized({ fast: 100, full: 125, strong: 4000 }), 1],
];

describe('§7: unmatched tags of unknown names change no entry and no value', () => {
  test.each(RUNS)('%s: %d documents', (format, numRuns, depth) => {
    const property = fc.property(
      fc.uint8Array({ maxLength: 1500, size: 'max' }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 24, size: 'max' }),
      (tape, choices) => {
        const wellFormed = documentFrom(tape, format);
        const { document, stray } = withUnmatchedTags(wellFormed, choices, depth);
        const { items } = readWhole(wellFormed);
        const read = readWhole(document);
        if (!isDeepStrictEqual(read.items, items)) expect(read.items, document).toEqual(items);
        expect(read.truncated, document).toBe(false);
        const codes = read.problems.map(({ code }) => code);
        expect(codes.filter((code) => code === 'mis-nested-tag').length, document).toBe(stray);
        expect([...new Set([...codes, 'mis-nested-tag', 'unclosed-tag'])].sort(), document).toEqual([
          'mis-nested-tag',
          'unclosed-tag',
        ]);
      },
    );
    fc.assert(property, { numRuns });
  });
});
